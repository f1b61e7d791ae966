"""All pairs by a hierarchy on a device, many sources together; explained in ``device_batch.cu``."""

from __future__ import annotations

import numpy as np

from solvers.algorithms.distance_rows import answer_matrix
from solvers.algorithms.hierarchy.device_sweeps import PARAMETERS, batches_of, device_sweeps
from solvers.algorithms.hierarchy.preparation import (
    device_for_customising,
    hierarchy_variant,
    prepare,
)
from solvers.core.problem import Phases, Problem, Solution
from solvers.core.variant import Answers, RunsOn, WorkMapping
from solvers.graphs.graph import Graph

_ID = "cch-batch-device"
_PICTURES = 64  # groups of rows, each of which is a step of a watched run
_LEAST_LANES = 64


def memory(graph: Graph) -> int:
    """Device bytes of a road network's hierarchy and of the smallest batch."""
    size = graph.distance_type.dtype.itemsize
    return 5 * graph.m // 2 * (4 + 2 * size) + graph.n * (52 + 2 * size * _LEAST_LANES)


@hierarchy_variant(
    id=_ID,
    title="hierarchy, a thread for each source",
    short_title="hierarchy, thread a source",
    answers=Answers.APSP,
    runs_on=RunsOn.GPU,
    mapping=WorkMapping.THREAD_PER_SOURCE,
    idea=(
        "The network is prepared once, as for the hierarchy from one source. A sweep takes the "
        "same arcs in the same order from every source, so each thread takes a source, and the "
        "threads of a block share every arc that is loaded. The distances of the ancestors are in "
        "shared memory. A whole path to the root does not fit into it, so the elimination tree is "
        "cut into pieces, and a block sweeps a piece for a group of sources."
    ),
    watch="Rows of the matrix are finished from top to bottom, a batch of sources at a time.",
    cost=(
        "One relaxation for each source and each arc of the hierarchy, in shared memory; n² memory "
        "for the answer. The hierarchy is prepared once."
    ),
    caveat=(
        "Copying the matrix takes longer than computing it. Floating-point distances are not "
        "summed again: an entry differs from the sum along its path by rounding only. Networks "
        "without small separators are refused."
    ),
    parameters=PARAMETERS,
    kernel="device_batch.cu",
    memory=memory,
)
def solve(problem: Problem) -> Solution:
    """Distances between all pairs, (n, n).

    Raises NegativeCycle, SeparatorsTooLarge, OutOfMemory, Unavailable,
    DeviceUnavailable, KernelBuildError, Cancelled.
    """
    device = problem.given_device
    progress, recorder, n = problem.progress, problem.recorder, problem.graph.n
    phases = Phases()
    customiser = device_for_customising(problem)
    with phases.measure("prepare"):
        ready = prepare(problem.graph, problem.source, _ID, problem.progress, device=customiser)
        distances = answer_matrix(problem, _ID)
    if not n:
        return Solution(distances, 0, phases, 0, note=f"{ready.note}.")
    most = -(-n // _PICTURES) if recorder is not None else n
    sources = np.arange(n, dtype=np.int32)
    with device_sweeps(problem, ready, device, phases, reduce=False, most=most) as (
        sweeps,
        session,
    ):
        for step, part in enumerate(batches_of(sources, sweeps, progress)):
            before = phases.solve
            sweeps.rows(sources[part], distances[part])
            if recorder is not None:
                tile = np.array([[part.start, part.stop, 0, n]])
                arcs = (part.stop - part.start) * ready.hierarchy.arcs
                recorder.matrix_step(step, 1, tile, distances, phases.solve - before, arcs)
        peak = session.peak_bytes
    relaxed = n * ready.hierarchy.arcs
    return Solution(distances, n, phases, relaxed, peak_device_bytes=peak, note=f"{ready.note}.")
