"""Many or all sources in one call of `solve`: the rows of a router's state, a share of which is
proved.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np

from solvers.algorithms.auto.table import (
    HIERARCHY_S,
    SAVED_ON_GPU_S,
    SAVED_S,
    Case,
    count_questions,
)
from solvers.algorithms.bucket_width import is_road_like
from solvers.core.problem import Phases
from solvers.core.result import Result, Trial
from solvers.core.variant import find_variant
from solvers.devices import find_sweep_device
from solvers.devices.device import Device
from solvers.errors import InputError
from solvers.graphs.graph import Graph
from solvers.graphs.labelled import VertexIds
from solvers.graphs.searched import searched_graph
from solvers.library.progress import Watch
from solvers.running.network_results import on_network
from solvers.running.prepared_network import PreparedNetwork, prepared_network, searched_network
from solvers.system import machine
from solvers.verification.prover import NetworkProver
from solvers.verification.sample import Verify


def solve_rows(
    graph: Graph,
    sources: Iterable[Hashable] | None,
    device: str | Device | None,
    verify: Verify,
    watch: Watch,
) -> tuple[Result, tuple[int, ...]]:
    """Rows of distances, (k, n), and the indices of their sources, in their order; those of
    all vertices, and no indices, where ``sources`` is None.

    Raises
    ------
    InputError
        Without sources.
    UnknownVertex, NegativeCycle, UnsuitableGraph, OutOfMemory, Cancelled
    """
    all_pairs, translation = sources is None, searched_graph(graph)
    ids, prover = VertexIds(graph), NetworkProver(graph, verify)
    starts = np.arange(graph.n) if sources is None else ids.indices(sources, "sources")
    graph = translation.searched
    device = find_sweep_device(device)
    if not len(starts):
        raise InputError("sources is empty: name at least one vertex.")
    kind, phases = graph.distance_type, Phases()
    remedy = "Ask for fewer sources, or see prepare(graph).table(..., to=...)."
    machine.require_memory("The result", len(starts) * graph.n * kind.dtype.itemsize, remedy=remedy)
    with phases.measure("prepare"):
        count_questions(graph, len(starts))
        prepares = hierarchy_pays(graph, device, len(starts))
        prepares = prepares or graph.has_negative_weights
        progress = watch("preparing")
        state = prepared_network(graph, device, progress) if prepares else searched_network(graph)
    rows = np.empty((len(starts), graph.n), kind.dtype)
    with phases.measure("solve"):
        for part, block in state.rows(starts):
            rows[part] = block
            watch("rows").checkpoint(part.stop, len(starts))
    device_name = device.name if device is not None else ""
    result = Result(
        find_variant("auto-apsp" if all_pairs else "auto"),
        {},
        graph,
        None,
        None,
        device_name=device_name,
        trials=(Trial(0, False, phases),),
        distances=rows,
        verdict=prover.block(starts, rows),
        note=f"A router answered {_why(state, all_pairs)}: {state.note}",
    )
    found = on_network(result, translation, None)
    return found, () if all_pairs else tuple(starts.tolist())


def hierarchy_pays(graph: Graph, device: Device | None, questions: int) -> bool:
    """Whether there is a hierarchy, or searches for so many questions cost more than to make
    one.
    """
    case = Case(graph, device)
    if not graph.n or case.dense:
        return False
    if case.ready("cch-tree") or case.begun("cch-tree") or case.pays("cch-tree"):
        return True
    if case.refused or not is_road_like(graph.network):
        return False
    saved = SAVED_ON_GPU_S if case.gpu else SAVED_S
    return questions * case.size * saved >= graph.network.m * HIERARCHY_S


def _why(state: PreparedNetwork, all_pairs: bool) -> str:
    of = "all pairs" if all_pairs else "so many sources"
    return f"{of}, for which a hierarchy pays" if state.prepared else f"{of} by searches"
