"""A graph from the chains of an extract: vertices, arcs in both directions, two weights, shapes and names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.readers.numbering import distinct
from solvers.graphs.readers.osm.chains import Chains
from solvers.graphs.road_data import RoadData, Shapes, WeightColumn
from solvers.graphs.rows import rows_of_arcs

METRES, SECONDS = "metres", "seconds"
ATTRIBUTION = "© OpenStreetMap contributors"
_PER_UNIT = (
    10.0  # weights are whole decimetres and deciseconds: exact in every variant, in 32 bits on the longest roads
)
UNITS = {METRES: "dm", SECONDS: "ds"}


@dataclass(frozen=True, eq=False)
class Parts:
    """The connected parts of a network, without regard to directions.

    Attributes
    ----------
    of_chain : (c,) int32
        Part of each chain.
    vertices : (k,) int64
        Vertices of each part.
    """

    of_chain: NDArray[np.int32]
    vertices: NDArray[np.int64]

    @property
    def largest(self) -> int:
        return int(np.argmax(self.vertices))

    @property
    def outside(self) -> int:
        """Vertices outside the largest part."""
        return int(self.vertices.sum() - self.vertices[self.largest])


def parts_of(chains: Chains) -> Parts:
    """The connected parts of at least one chain."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    used, ends = _vertices(chains)
    tails, heads = ends[: len(chains)], ends[len(chains) :]
    table = coo_array((np.ones(len(chains), np.int8), (tails, heads)), shape=(len(used), len(used)))
    _, part = connected_components(table, directed=False)
    return Parts(part[tails], np.bincount(part))


def chains_of_part(chains: Chains, kept: NDArray[np.bool_]) -> Chains:
    """Some of the chains."""
    counts = np.diff(chains.offsets)
    return Chains(
        chains.first[kept],
        chains.last[kept],
        chains.name_of[kept],
        chains.metres[kept],
        chains.there[kept],
        chains.back[kept],
        np.concatenate(([0], np.cumsum(counts[kept]))).astype(np.int64),
        chains.nodes[np.repeat(kept, counts)],
    )


def build_network(
    chains: Chains, ids: NDArray[np.int64], xy: NDArray[np.float64], names: tuple[str, ...], title: str,
    checkpoint: Callable[[], None] = lambda: None,
) -> tuple[Graph, NDArray[np.int64]]:  # fmt: skip
    """The graph of the chains, weighted by travel time; and of which chain each arc is, (m,).

    Parameters
    ----------
    chains : Chains
    ids : (n,) int64, ascending
    xy : (n, 2) float64
        Longitude and latitude of the nodes.
    names : tuple of str
        Of the roads.
    title : str
        Name of the graph.
    checkpoint : callable
        May raise to cancel.
    """
    used, ends = _vertices(chains)
    count = len(chains)
    is_loop = chains.first == chains.last
    forth = np.flatnonzero(np.isfinite(chains.there))
    opposite = np.flatnonzero(np.isfinite(chains.back) & ~(is_loop & np.isfinite(chains.there)))
    chain = np.concatenate((forth, opposite))
    is_back = np.arange(len(chain)) >= len(forth)
    first, last = ends[:count][chain], ends[count:][chain]
    tails, heads = np.where(is_back, last, first), np.where(is_back, first, last)
    indptr, indices, order = rows_of_arcs(
        len(used), tails.astype(np.int32), heads.astype(np.int32), np.arange(len(chain), dtype=np.int32), checkpoint
    )
    chain, is_back = chain[order], is_back[order]
    seconds = np.where(is_back, chains.back[chain], chains.there[chain])
    columns = (
        WeightColumn(SECONDS, UNITS[SECONDS], _whole(seconds)),
        WeightColumn(METRES, UNITS[METRES], _whole(chains.metres[chain])),
    )
    roads = RoadData(columns, _shapes(chains, chain, is_back, xy), names, chains.name_of[chain], ATTRIBUTION)
    both = np.isfinite(chains.there) & np.isfinite(chains.back) & (_whole(chains.there) == _whole(chains.back))
    graph = Graph(
        indptr, indices, columns[0].values, Coordinates(xy[used], geographic=True), ids[used], title,
        directed=not bool(both.all()), weight_unit=columns[0].unit, roads=roads, mirrored=True,
    )  # fmt: skip
    return graph, chain


def with_only_used_names(graph: Graph) -> Graph:
    """The graph without the names that none of its arcs has, as those of parts left out."""
    roads = graph.roads
    assert roads is not None  # of every network built here
    used, name_of = np.unique(roads.name_of, return_inverse=True)
    names = tuple(roads.names[i] for i in used.tolist())
    return replace(graph, roads=replace(roads, names=names, name_of=name_of.astype(np.int32)), mirrored=True)


def _vertices(chains: Chains) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Nodes at the ends of chains, ascending; and the place among them of each first, then of each last end."""
    ends = np.concatenate((chains.first, chains.last))
    used = distinct(ends)
    return used, np.searchsorted(used, ends)


def _shapes(
    chains: Chains, chain: NDArray[np.int64], is_back: NDArray[np.bool_], xy: NDArray[np.float64]
) -> Shapes | None:
    counts = np.diff(chains.offsets)
    curved = np.flatnonzero(counts > 0)
    if not len(curved):
        return None
    number = np.zeros(len(chains), np.int32)
    number[curved] = np.arange(1, len(curved) + 1)
    offsets = np.concatenate(([0], np.cumsum(counts[curved]))).astype(np.int64)
    of_arc = np.where(is_back, -number[chain], number[chain]).astype(np.int32)
    return Shapes(xy[chains.nodes], offsets, of_arc)


def _whole(values: NDArray[np.float64]) -> NDArray[np.int32]:
    """Tenths, as whole numbers above 0: nodes at one place would make cycles of weight 0."""
    finite = np.where(np.isfinite(values), values, 0.0)
    return np.maximum(1, np.rint(finite * _PER_UNIT)).astype(np.int32)
