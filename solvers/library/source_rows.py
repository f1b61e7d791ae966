"""Many sources in one call of `solve`: the rows of a router's state, a share of which is proved."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np

from solvers.algorithms.auto.table import Case, count_questions
from solvers.core.problem import Phases
from solvers.core.result import Result, Trial
from solvers.core.variant import find_variant
from solvers.devices.device import Device
from solvers.errors import InputError
from solvers.graphs.graph import Graph
from solvers.graphs.junctions import junctions_of
from solvers.graphs.labelled import VertexIds
from solvers.library.progress import Watch
from solvers.library.router_proofs import RouterProver, Verify
from solvers.running.all_sources.request import find_sweep_device
from solvers.running.junction_answers import on_junctions
from solvers.running.prepared_network import (
    PreparedNetwork,
    prepared_network,
    searched_network,
)
from solvers.system import machine
from solvers.system.cancel import Progress


def solve_rows(
    graph: Graph,
    sources: Iterable[Hashable],
    device: str | Device | None,
    verify: Verify,
    watch: Watch,
) -> tuple[Result, tuple[int, ...]]:
    """Rows of distances, (k, n), and the indices of their sources, in their order.

    Raises
    ------
    InputError
        Without sources.
    UnknownVertex, NegativeCycle, UnsuitableGraph, OutOfMemory, Cancelled
    """
    starts, junctions = VertexIds(graph).indices(sources, "sources"), junctions_of(graph)
    graph = junctions.searched
    device = find_sweep_device(device)
    if not len(starts):
        raise InputError("sources is empty: name at least one vertex.")
    kind, phases = graph.distance_type, Phases()
    remedy = "Ask for fewer sources, or see prepare(graph).table(..., to=...)."
    machine.require_memory("The result", len(starts) * graph.n * kind.dtype.itemsize, remedy=remedy)
    with phases.measure("prepare"):
        state = _state(graph, device, len(starts), watch("preparing"))
    rows = np.empty((len(starts), graph.n), kind.dtype)
    with phases.measure("solve"):
        for part, block in state.rows(starts):
            rows[part] = block
            watch("rows").checkpoint(part.stop, len(starts))
    verdict = RouterProver(graph, verify).prove_block(state, starts, rows)
    device_name = device.name if device is not None else ""
    result = Result(
        find_variant("auto"),
        {},
        graph,
        None,
        None,
        device_name=device_name,
        trials=(Trial(0, False, phases),),
        distances=rows,
        verdict=verdict,
        note=state.note,
    )
    return on_junctions(result, junctions, None, starts), tuple(starts.tolist())


def _state(
    graph: Graph, device: Device | None, questions: int, progress: Progress
) -> PreparedNetwork:
    """A hierarchy where there is one, or where so many questions make it pay; else searches."""
    count_questions(graph, questions)
    case = Case(graph, device)
    if case.negative or any(holds("cch-tree") for holds in (case.ready, case.begun, case.pays)):
        return prepared_network(graph, device, progress)
    return searched_network(graph)
