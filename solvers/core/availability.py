"""Availability of a variant on this machine, for a graph and a device; if unavailable,
the reason and the remedy.

Also the detection of an MPI installation, and the command that starts ranks.
"""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from solvers.core.variant import Answers, RunsOn, Variant
from solvers.devices.device import Device
from solvers.errors import (
    DeviceUnavailable,
    MpiUnavailable,
    OutOfMemory,
    TautpathError,
    Unavailable,
    UnsuitableGraph,
)
from solvers.graphs.graph import Graph
from solvers.program import is_bundle
from solvers.system import machine, openmp
from solvers.text import format_bytes, format_distance

log = logging.getLogger(__name__)

DEVICE_REMEDY = (
    "Install one: the extra “cuda12” or “cuda13” for an NVIDIA GPU, "
    "“cpu-opencl” to run the kernels on the processor."
)

_NEGLIGIBLE = 2**22  # bytes; reading how much memory is free takes longer than using them
_LAYOUTS = {
    "matrix": "the adjacency matrix (choose layout=csr to avoid it)",
    "ell": "rows padded to the greatest degree (choose layout=sliced or layout=csr to avoid it)",
    "sliced": "padded rows (choose layout=csr to avoid them)",
}

_installed: set[str] = set()  # packages that were found

_REMEDY = "Install the extra “mpi”: it provides mpi4py and, except on Windows, mpiexec"
_REMEDY_WINDOWS = "Install Microsoft MPI (msmpisetup.exe), and the extra “mpi” for mpi4py"


@dataclass(frozen=True)
class Availability:
    """Whether a variant can run, and if not, why."""

    available: bool
    reason: str = ""  # one sentence with the reason and the remedy; "" if available
    error: TautpathError | None = None  # the error that running it would raise; None if available


AVAILABLE = Availability(True)


def availability(
    variant: Variant,
    graph: Graph | None,
    device: Device | None,
    parameters: Mapping[str, Any] | None = None,
) -> Availability:
    """Whether ``variant`` can run on ``graph`` and ``device`` with the given
    parameters; raises as `Variant.settle`.

    Without a graph only the machine is checked; missing parameters take their defaults.
    """
    chosen = variant.settle(parameters or {})
    error = _machine_error(variant, device)
    if error is not None:
        return _refused(error)
    if graph is None:
        return AVAILABLE
    if variant.needs_nonnegative and graph.has_negative_weights:
        least = format_distance(graph.least_weight)
        reason = (
            f"{variant.id} needs non-negative weights; the least weight of {graph.name} is {least}."
        )
        reason += " Choose a Bellman-Ford variant."
        return _refused(UnsuitableGraph(reason))
    if variant.needs_coordinates and graph.coordinates is None:
        reason = (
            f"{variant.id} needs coordinates, but {graph.name} has none; open it with its .co file."
        )
        return _refused(UnsuitableGraph(reason))
    return _distance_type_error(variant, graph, device) or _memory_check(
        variant, graph, device, chosen
    )


def _refused(error: TautpathError) -> Availability:
    return Availability(False, str(error), error)


def _machine_error(variant: Variant, device: Device | None) -> Unavailable | None:
    missing = [name for name in variant.packages if not _is_installed(name)]
    if missing:
        return Unavailable(
            f"{variant.id} needs the package {missing[0]}, which is not installed. Install it with "
            f"“pip install {missing[0]}”, or choose another variant."
        )
    if variant.runs_on is RunsOn.OPENMP:
        return openmp.availability_error()
    if variant.runs_on is RunsOn.MPI:
        return mpi_error()
    return _device_error(variant, device)


def _is_installed(package: str) -> bool:
    """Whether a package is there; one that was is not looked for again, which takes a tenth of
    a millisecond.
    """
    if package not in _installed and PathFinder.find_spec(package) is not None:
        _installed.add(package)
    return package in _installed


def _device_error(variant: Variant, device: Device | None) -> Unavailable | None:
    if variant.cuda_only and (device is None or device.kind != "cuda"):
        found = "none was found" if device is None else f"{device.name} is an OpenCL device"
        return DeviceUnavailable(f"{variant.id} needs an NVIDIA GPU through CUDA; {found}.")
    if device is not None and device.compute_capability < variant.compute_capability:
        needed, has = (
            f"{c // 10}.{c % 10}" for c in (variant.compute_capability, device.compute_capability)
        )
        return DeviceUnavailable(
            f"{variant.id} needs compute capability {needed}; {device.name} has {has}."
        )
    if variant.runs_on.needs_device and device is None:
        return DeviceUnavailable(
            f"{variant.id} needs a CUDA or OpenCL device and none was found. {DEVICE_REMEDY}"
        )
    return None


def _distance_type_error(
    variant: Variant, graph: Graph, device: Device | None
) -> Availability | None:
    """The refusal if no type can hold the graph's distances, or the device does not
    support the type; else None.
    """
    try:
        kind = graph.distance_type
    except UnsuitableGraph as error:
        return _refused(error)
    missing = (
        device.missing_features(kind) if variant.runs_on.needs_device and device is not None else ""
    )
    if device is None or not missing:
        return None
    return _refused(
        DeviceUnavailable(
            f"{variant.id} needs {kind.name} for the distances of {graph.name}, but {device.name} "
            f"has no {missing}; choose another device or a variant for the processor."
        )
    )


def _memory_check(
    variant: Variant, graph: Graph, device: Device | None, parameters: Mapping[str, Any]
) -> Availability:
    """Compare the bytes that the variant allocates with those free, on the device and
    on the host.
    """
    working = variant.memory(graph) if variant.memory is not None else 0
    all_pairs = variant.answers is Answers.APSP
    what = "the matrix" if all_pairs else "its working memory"
    added = variant.layout_memory(graph, parameters) if variant.layout_memory is not None else 0
    if added:
        working += added
        what = _LAYOUTS[parameters["layout"]]
    answer = graph.n**2 * graph.weights.dtype.itemsize if all_pairs else 0
    host_needs = working
    if variant.runs_on.needs_device and device is not None:
        free = device.free_bytes()
        if working > free:
            return _too_big(variant, what, working, free, "this device")
        host_needs = answer + (working if device.is_cpu else 0)
    if host_needs <= _NEGLIGIBLE:
        return AVAILABLE
    free = machine.memory().free_bytes
    if host_needs > free > 0:
        return _too_big(variant, what, host_needs, free, "this machine")
    return AVAILABLE


def _too_big(variant: Variant, what: str, needed: int, free: int, where: str) -> Availability:
    reason = f"needs {format_bytes(needed)} for {what}; {where} has {format_bytes(free)} free"
    return Availability(False, reason, OutOfMemory(f"{variant.id}: {what}", needed, free, where))


class Flavour(Enum):
    """MPI implementation of an mpiexec; the implementations take different options."""

    HYDRA = "MPICH"
    OPEN_MPI = "Open MPI"
    OTHER = "other"


def mpi_error() -> MpiUnavailable | None:
    """The error that says why MPI ranks cannot be started, with the remedy; None if they can."""
    missing = []
    if find_mpiexec() is None:
        missing.append("no mpiexec was found, neither in Python's folder nor on the path")
    if PathFinder.find_spec("mpi4py") is None:  # not imported: importing mpi4py initialises MPI
        missing.append("mpi4py is not installed")
    if not missing:
        return None
    remedy = _REMEDY_WINDOWS if sys.platform == "win32" else _REMEDY
    return MpiUnavailable(f"MPI ranks cannot be started: {' and '.join(missing)}. {remedy}.")


def find_mpiexec() -> Path | None:
    """The mpiexec to use: the one in this Python's folder (installed by the ``mpich``
    wheel), or that of the bundle, before the system's.
    """
    # not resolved: a virtual environment's Python is a link to another folder
    beside = Path(sys.prefix, "bin") if is_bundle() else Path(sys.executable).parent
    for folders in (str(beside), os.environ.get("MSMPI_BIN"), os.environ.get("PATH")):
        found = shutil.which("mpiexec", path=folders) if folders else None
        if found:
            return Path(found)
    return None


def start_command(ranks: int) -> list[str]:
    """Command prefix that starts ``ranks`` processes on this machine; append the
    program and its arguments.
    """
    mpiexec = find_mpiexec()
    assert mpiexec is not None  # the caller has checked `availability_error`
    options: list[str] = []
    flavour = flavour_of(mpiexec)
    if flavour is Flavour.HYDRA:
        # This machine only, also in a batch job: other nodes cannot read the temporary
        # folder that holds the graph.
        options = ["-launcher", "fork", "-rmk", "user", "-hosts", "localhost"]
    elif flavour is Flavour.OPEN_MPI:
        options = ["--bind-to", "none"]
        if ranks > machine.cores():
            options.append("--oversubscribe")
        if sys.platform != "win32" and os.geteuid() == 0:
            options.append("--allow-run-as-root")
    return [str(mpiexec), *options, "-n", str(ranks)]


@cache
def flavour_of(mpiexec: Path) -> Flavour:
    """MPI implementation of an mpiexec, from the output of ``mpiexec --version``."""
    try:
        version = subprocess.run(
            [mpiexec, "--version"], capture_output=True, text=True, timeout=10, check=False
        )
    except (OSError, subprocess.SubprocessError) as error:
        log.info("the kind of MPI is not known, since mpiexec did not answer: %s", error)
        return Flavour.OTHER
    return flavour_in(version.stdout + version.stderr)


def flavour_in(version_text: str) -> Flavour:
    """MPI implementation named in the output of ``mpiexec --version``."""
    words = version_text.lower()
    if any(name in words for name in ("open mpi", "openrte", "prrte")):
        return Flavour.OPEN_MPI
    return Flavour.HYDRA if "hydra" in words and "intel" not in words else Flavour.OTHER
