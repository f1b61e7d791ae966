"""Whether a variant can run here, on this graph and this device; and if not, why, in words the user can act on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from solvers.contracts.catalog import Answers, RunsOn, Variant
from solvers.devices.base import Device
from solvers.errors import DeviceUnavailable, OutOfMemory, TautlineError, Unavailable, UnsuitableGraph, format_bytes
from solvers.graphs.graph import Graph
from solvers.host import machine, mpi_discovery, openmp
from solvers.text import format_distance

DEVICE_REMEDY = (
    "Install one: the extra “cuda12” or “cuda13” for an NVIDIA GPU, “cpu-opencl” to run the kernels on the processor."
)


@dataclass(frozen=True)
class Availability:
    """The answer to "can it run here?".

    Attributes
    ----------
    available : bool
    reason : str
        "" where available; else one sentence saying why not and what would help.
    error : TautlineError or None
        What running it all the same would raise.
    """

    available: bool
    reason: str = ""
    error: TautlineError | None = None


AVAILABLE = Availability(True)


def availability(
    variant: Variant, graph: Graph | None, device: Device | None, parameters: Mapping[str, Any] | None = None
) -> Availability:
    """Whether ``variant`` can run on ``graph`` and ``device`` with the parameters chosen.

    Parameters
    ----------
    variant : Variant
    graph : Graph or None
        None asks only about the machine.
    device : Device or None
        Where kernels would run; None where there is no device.
    parameters : mapping, optional
        The variant's own, those that differ from the defaults or all.

    Raises
    ------
    UnknownName, ParameterError
        As `Variant.settle`.
    """
    chosen = variant.settle(parameters or {})
    error = _lacking(variant, device)
    if error is not None:
        return Availability(False, str(error), error)
    if graph is None:
        return AVAILABLE
    if variant.needs_nonnegative and graph.has_negative_weights:
        least = format_distance(graph.least_weight)
        reason = f"{variant.id} needs weights of zero or more; {graph.name} has weights down to {least}."
        return Availability(False, reason, UnsuitableGraph(reason))
    if variant.needs_coordinates and graph.coordinates is None:
        reason = f"{variant.id} needs coordinates, and {graph.name} has none; open it with its .co file."
        return Availability(False, reason, UnsuitableGraph(reason))
    return _lacking_type(variant, graph, device) or _fits(variant, graph, device, chosen)


def _lacking(variant: Variant, device: Device | None) -> Unavailable | None:
    if variant.runs_on is RunsOn.OPENMP:
        return openmp.availability_error()
    if variant.runs_on is RunsOn.MPI:
        return mpi_discovery.availability_error()
    return _lacking_device(variant, device)


def _lacking_device(variant: Variant, device: Device | None) -> Unavailable | None:
    if variant.cuda_only and (device is None or device.kind != "cuda"):
        found = "none was found" if device is None else f"{device.name} is an OpenCL device"
        return DeviceUnavailable(f"{variant.id} needs an NVIDIA GPU through CUDA; {found}.")
    if device is not None and device.compute_capability < variant.compute_capability:
        needed, has = (f"{c // 10}.{c % 10}" for c in (variant.compute_capability, device.compute_capability))
        return DeviceUnavailable(f"{variant.id} needs compute capability {needed}; {device.name} has {has}.")
    if variant.runs_on.needs_device and device is None:
        return DeviceUnavailable(f"{variant.id} needs a CUDA or OpenCL device and none was found. {DEVICE_REMEDY}")
    return None


def _lacking_type(variant: Variant, graph: Graph, device: Device | None) -> Availability | None:
    """Where no type holds the graph's distances, or the device lacks the one that does."""
    try:
        kind = graph.distance_type
    except UnsuitableGraph as error:
        return Availability(False, str(error), error)
    missing = device.missing_features(kind) if variant.runs_on.needs_device and device is not None else ""
    if device is None or not missing:
        return None
    reason = (
        f"{variant.id} keeps the distances of {graph.name} in {kind.name}, and {device.name} has no {missing}; "
        "choose another device or a variant for the processor."
    )
    return Availability(False, reason, DeviceUnavailable(reason))


def _fits(variant: Variant, graph: Graph, device: Device | None, parameters: Mapping[str, Any]) -> Availability:
    """Compare what the variant allocates with what is free, on the device and in the host's memory."""
    working = variant.memory(graph) if variant.memory is not None else 0
    all_pairs = variant.answers is Answers.APSP
    what = "the matrix" if all_pairs else "its working memory"
    matrix = variant.matrix_memory(graph, parameters) if variant.matrix_memory is not None else 0
    if matrix:
        working += matrix
        what = "the adjacency matrix (layout csr does without)"
    answer = graph.n**2 * graph.weights.dtype.itemsize if all_pairs else 0
    host_needs = working
    if variant.runs_on.needs_device and device is not None:
        free = device.free_bytes()
        if working > free:
            return _too_big(variant, what, working, free, "this device")
        host_needs = answer + (working if device.is_cpu else 0)
    free = machine.memory().free_bytes
    if host_needs > free > 0:
        return _too_big(variant, what, host_needs, free, "this machine")
    return AVAILABLE


def _too_big(variant: Variant, what: str, needed: int, free: int, where: str) -> Availability:
    reason = f"needs {format_bytes(needed)} for {what}; {where} has {format_bytes(free)} free"
    return Availability(False, reason, OutOfMemory(f"{variant.id}: {what}", needed, free, where))
