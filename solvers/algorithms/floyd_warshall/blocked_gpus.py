"""Blocked Floyd-Warshall over the GPUs of one machine: each owns panels of rows, and
pivot rows are broadcast.

Idea
    The rows are divided into panels, which the GPUs own in turn. In a step the owner of
    the pivot rows closes their square, multiplies the rows by it, and broadcasts them.
    Then every GPU multiplies its own pivot columns by the square, and relaxes all its
    cells by the product of both: no other cells travel.

    Look-ahead: in each step the owner of the next pivot rows relaxes these first. They
    are closed, multiplied and broadcast on queues of their own while all GPUs are at
    work on the rest.

Why it is correct
    The steps are those of ``blocked.cu`` with panels for tiles. Pivot rows and columns
    are relaxed like all others: the product of the closed square with itself, or with
    the pivot rows, is what they already are.

Parameters
    gpus: how many, 0 for all of the same kind. panel: pivots of a step. device_gb:
    limit of the memory of each.

Source
    Original implementation; one-dimensional panels and look-ahead after Sao et al.
    2021.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from solvers.algorithms.floyd_warshall.matrix import (
    BITS,
    DEVICE_GB,
    TILE,
    allowed_bytes,
    as_distances,
    cell_type,
    distances_of,
    kernel_defines,
    matrix_bytes,
    padded,
    refuse_negative_cycle,
    start_matrix,
)
from solvers.algorithms.floyd_warshall.panels import (
    MatrixPart,
    PanelKernels,
    Panels,
    PanelSteps,
    Share,
    download,
    upload,
)
from solvers.core.problem import Phases, Problem, Solution
from solvers.core.pseudocode import BLOCKED_FLOYD_WARSHALL
from solvers.core.variant import Algorithm, Answers, Citation, RunsOn, WorkMapping, variant
from solvers.devices.device import Device, KernelSource
from solvers.devices.gpu_group import gpu_group, gpus_like, number_of_gpus
from solvers.devices.kernel import distance_defines
from solvers.errors import OutOfMemory, ParameterError
from solvers.parameters import Parameter
from solvers.system.array_types import AnyArray
from solvers.text import plural

_ID = "fw-blocked-gpus"
_GPUS = Parameter(
    "gpus",
    0,
    "GPUs of this machine that share the matrix; 0: all of the same kind",
    low=0,
    title="GPUs",
)
_PANEL = Parameter(
    "panel", 256, "pivots of a step, rounded up to whole tiles of 128", low=TILE, high=4096
)


def _bytes_on_each(graph: Any) -> int:
    """Of the matrix on one GPU, with two panels of pivot rows."""
    share = -(-matrix_bytes(graph, TILE) // max(1, number_of_gpus()))
    return (
        share + 2 * int(_PANEL.default) * padded(graph.n, TILE) * graph.distance_type.dtype.itemsize
    )


@variant(
    id=_ID,
    title="blocked, over all GPUs",
    algorithm=Algorithm.FLOYD_WARSHALL,
    answers=Answers.APSP,
    runs_on=RunsOn.GPU,
    mapping=WorkMapping.BLOCK_PER_TILE,
    pseudocode=BLOCKED_FLOYD_WARSHALL,
    papers=(Citation("beyond the papers", "after Sao et al. 2021"),),
    parameters=(_GPUS, _PANEL, BITS, DEVICE_GB),
    idea=(
        "The GPUs of a machine own panels of rows in turn. The owner of the pivot rows closes and "
        "broadcasts them by NCCL; each GPU then relaxes its own rows. The next pivot rows are "
        "relaxed first and sent while all GPUs relax the others, so arithmetic remains the limit."
    ),
    watch=(
        "The three phases of every blocked Floyd-Warshall, a panel at a time: the pivot square, "
        "its rows and columns, and the rest, which all GPUs relax at once."
    ),
    cost="n/256 broadcasts of 256 n cells; n³ cells relaxed and n² memory, "
    "both divided among the GPUs.",
    caveat="Needs CUDA, and NCCL for more than one GPU. "
    "The host searches for negative cycles first.",
    cuda_only=True,
    kernel="blocked.cu",
    memory=_bytes_on_each,
)
def solve(problem: Problem) -> Solution:
    """Distances between all pairs, (n, n).

    Raises NegativeCycle, UnsuitableGraph, OutOfMemory, KernelBuildError,
    ParameterError, DeviceUnavailable, Cancelled.
    """
    graph, devices = problem.graph, _chosen_devices(problem)
    refuse_negative_cycle(problem)
    kind = cell_type(graph, problem.distance_type, str(problem.parameters["bits"]))
    size = padded(graph.n, TILE)
    panels = Panels(size, min(size, padded(int(problem.parameters["panel"]), TILE)))
    shares = [Share(panels, number, len(devices)) for number in range(len(devices))]
    _require_memory(problem, devices, shares, kind.dtype.itemsize)
    source = KernelSource.beside(
        __file__, "blocked.cu", **distance_defines(kind), **dict(kernel_defines(kind))
    )
    programs = [device.compile(source) for device in devices]
    phases = Phases()
    with gpu_group(devices) as group:
        with phases.measure("prepare"):
            host = start_matrix(graph, kind, TILE, problem.progress)
            parts = [
                MatrixPart.on(member, PanelKernels(program), share, kind.dtype)
                for member, program, share in zip(group.members, programs, shares, strict=True)
            ]
        with phases.measure("h2d"):
            upload(parts, host, problem.progress)
        run = PanelSteps(group, parts, panels, phases)
        if problem.recorder is not None:
            run.watched(
                problem.progress,
                problem.recorder,
                graph.n,
                partial(_snapshot, parts, host, problem, kind),
            )
        else:
            run.timed(problem.progress)
        with phases.measure("d2h"):
            download(parts, host, problem.progress)
            answer = distances_of(host, problem, kind)
        peak = max(part.member.session.peak_bytes for part in parts)
        return Solution(answer, len(panels), phases, graph.n**3, peak_device_bytes=peak)


def _chosen_devices(problem: Problem) -> tuple[Device, ...]:
    """The GPUs that share the matrix, the chosen one first; raises DeviceUnavailable,
    ParameterError.
    """
    found = gpus_like(problem.given_device)
    wanted = int(problem.parameters["gpus"]) or len(found)
    if wanted > len(found):
        here = plural(len(found), "GPU")
        raise ParameterError(
            _ID, "gpus", wanted, f"this machine has {here} of the kind {found[0].name}"
        )
    return found[:wanted]


def _require_memory(
    problem: Problem, devices: tuple[Device, ...], shares: list[Share], itemsize: int
) -> None:
    for device, share in zip(devices, shares, strict=True):
        needed, allowed = share.cells * itemsize, allowed_bytes(problem, device)
        if needed > allowed:
            raise OutOfMemory(
                f"{_ID}: a GPU's share of the matrix of {problem.graph.name}",
                needed,
                allowed,
                device.name,
                remedy="fw-blocked-streamed keeps the matrix in the host's memory.",
            )


def _snapshot(parts: list[MatrixPart], host: AnyArray, problem: Problem, kind: Any) -> AnyArray:
    download(parts, host, problem.progress)
    n = problem.graph.n
    return np.array(as_distances(host[:n, :n].copy(), kind, problem.distance_type, problem.graph))
