"""A network in a file of the user's cache folder, which a pickle names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from solvers.algorithms.hierarchy.preparation import adopt
from solvers.graphs.graph import Graph
from solvers.graphs.labelled import LabelledGraph
from solvers.graphs.rows import remember_rows, rows_of
from solvers.graphs.searched import searched_graph
from solvers.running.engines import HierarchyEngine, engine_of
from solvers.running.network_pack import open_pack, write_pack
from solvers.running.prepared_network import PreparedNetwork
from solvers.system.array_types import AnyArray


@dataclass(frozen=True)
class PackedNetwork:
    path: str
    labels: tuple[Any, bool] | None  # and whether they are numbers; None without
    rows: AnyArray | None  # as of `rows_of`
    on_roads: dict[str, Any]  # turns, and the fields on which their costs depend

    @classmethod
    def of(cls, network: Graph, state: PreparedNetwork) -> PackedNetwork:
        """The network, and its hierarchy if one answers; raises FileNotWritten."""
        # known, as it was made for this state
        first = engine_of(network, None) if state.prepared and state.searched is state else None
        labels = (network.labels, network.numbered) if isinstance(network, LabelledGraph) else None
        names = (
            ("overlay", "coordinates", "roads")
            if searched_graph(network).searched is not network
            else ()
        )
        on_roads = {name: getattr(network, name) for name in names}
        return cls(write_pack(network, first).path, labels, rows_of(network), on_roads)

    def open(self) -> Graph:
        """The network, with its hierarchy; raises OSError and ValueError as `open_pack`."""
        network, _ = open_pack(Path(self.path))
        if self.on_roads:
            network = replace(network, **self.on_roads, assume_symmetric=True)
        if self.labels is not None:
            network = _labelled(network, *self.labels)
        remember_rows(network, self.rows)
        return network


def _labelled(plain: Graph, labels: Any, numbered: bool) -> LabelledGraph:
    network = LabelledGraph(
        plain.indptr,
        plain.indices,
        plain.weights,
        name=plain.name,
        directed=plain.directed,
        weight_unit=plain.weight_unit,
        assume_symmetric=True,
        labels=labels,
        numbered=numbered,
    )
    first = engine_of(plain, None)
    if isinstance(first, HierarchyEngine):
        adopt(network, first.hierarchy, first.metric, first.kind, "it was read from disk")
    return network
