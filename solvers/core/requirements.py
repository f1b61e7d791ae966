"""Checks of what variants require: a device, a source, two end points, non-negative weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from solvers.errors import DeviceUnavailable, InputError, ParameterError, UnsuitableGraph
from solvers.text import format_distance

if TYPE_CHECKING:
    from solvers.core.problem import Problem
    from solvers.devices.device import Device
    from solvers.graphs.graph import Graph


def required_device(problem: Problem, variant_id: str) -> Device:
    """The device of the problem; raises DeviceUnavailable."""
    if problem.device is None:
        raise DeviceUnavailable(f"{variant_id} runs kernels and needs a device; choose one.")
    return problem.device


def required_source(problem: Problem, variant_id: str) -> int:
    """The source vertex of the problem, as an index; raises ParameterError if it has
    none, or one outside the graph.
    """
    if problem.source is None or not 0 <= problem.source < problem.graph.n:
        last = problem.graph.n - 1
        raise ParameterError(
            variant_id, "source", problem.source, f"it takes a vertex from 0 to {last}"
        )
    return problem.source


def required_end_points(problem: Problem, variant_id: str) -> tuple[int, int]:
    """Source and target of the problem, as indices; raises InputError if one of them is missing."""
    if problem.source is None or problem.target is None:
        raise InputError(f"{variant_id} needs a source and a target: choose both.")
    return problem.source, problem.target


def require_vertices(graph: Graph) -> None:
    """Raise InputError for a graph without vertices, about which there is nothing to ask."""
    if not graph.n:
        raise InputError(f"{graph.name} has no vertices, so nothing can be computed for them.")


def require_nonnegative(graph: Graph, variant_id: str) -> None:
    """Raise UnsuitableGraph if the graph has a negative weight; the message names the
    arc of least weight.
    """
    if not graph.has_negative_weights:
        return
    arc = int(np.argmin(graph.weights))
    tail = int(np.searchsorted(graph.indptr, arc, side="right")) - 1
    head = int(graph.indices[arc])
    arc_name = f"{graph.vertex_id(tail)} → {graph.vertex_id(head)}"
    raise UnsuitableGraph(
        f"{variant_id} needs non-negative weights, but arc {arc_name} of {graph.name} "
        f"has weight {format_distance(graph.least_weight)}; choose a Bellman-Ford variant."
    )
