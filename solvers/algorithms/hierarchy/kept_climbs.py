"""Lengths of pairs without compiled code, from what an earlier process has kept on disk.

Loading numba and its functions takes a process longer than some hundred climbs by
NumPy. Numbers are added in the order and in the type of the compiled climb, integers in
64 bits, so that both find the same lengths.
"""

from __future__ import annotations

import hashlib
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from solvers.graphs.weights import WEIGHT_TYPES, WeightType, weight_type
from solvers.system.array_types import AnyArray, Int32s, Int64s, UInt16s
from solvers.system.disk_cache import ArrayStore, joined, parted, user_folder
from solvers.text import format_count

if TYPE_CHECKING:
    from solvers.algorithms.hierarchy.metric import Metric
    from solvers.algorithms.hierarchy.supergraph import Hierarchy
    from solvers.graphs.graph import Graph

# answers faster; in processes that have loaded it
COMPILED = "solvers.algorithms.hierarchy.pair_batch"
_VERSION = f"2 {sys.byteorder}"  # raise it when orders, hierarchies or their weights change
_MOST_BYTES = 1 << 28


class KeptClimbs(NamedTuple):
    """A hierarchy's tree and up arcs, as `Hierarchy` has them, and their weights in
    both directions.
    """

    rank: Int32s
    parent: Int32s
    depth: Int32s
    up_first: Int64s
    up_depth: UInt16s
    up: AnyArray
    down: AnyArray

    @property
    def kind(self) -> WeightType:
        return weight_type(self.up.dtype)

    @property
    def note(self) -> str:
        return f"Hierarchy: {format_count(len(self.up))} arcs up, read from disk with its weights"

    def length(self, source: int, target: int) -> Any:
        """The distance between two vertices of the graph; infinity without a path."""
        ahead, over = self._climb(int(self.rank[source]), self.up)
        behind, back = self._climb(int(self.rank[target]), self.down)
        common = sum(v == w for v, w in zip(reversed(over), reversed(back), strict=False))
        return min(
            self.kind.infinity, (ahead[:common] + behind[:common]).min(initial=self.kind.infinity)
        )

    def _climb(self, v: int, ways: AnyArray) -> tuple[AnyArray, list[int]]:
        """Distances between a vertex and its ancestors, by depth, and these, itself first."""
        infinity = self.kind.infinity
        reached = np.full(
            int(self.depth[v]) + 1, infinity, np.int64 if self.kind.is_integer else ways.dtype
        )
        reached[-1] = 0
        path = []
        while v >= 0:
            path.append(v)
            so_far = reached[self.depth[v]]
            if so_far < infinity:
                arcs = slice(self.up_first[v], self.up_first[v + 1])
                above = self.up_depth[arcs]
                reached[above] = np.minimum(reached[above], so_far + ways[arcs])
            v = int(self.parent[v])
        return reached, path


def _store() -> ArrayStore:
    return ArrayStore(
        user_folder("climbs"), _VERSION, checksum=hashlib.sha256, most_bytes=_MOST_BYTES
    )


def _name(graph: Graph) -> str:
    digest = hashlib.sha256(f"{graph.structure_sha256} {graph.weight_type.name}".encode())
    digest.update(np.ascontiguousarray(graph.weights).data)
    return digest.hexdigest()


def kept_climbs(graph: Graph) -> KeptClimbs | None:
    """What `keep_climbs` kept of a graph with these arcs and weights."""
    content = _store().load(_name(graph), None).array
    if content is None:
        return None
    kind, *arrays, up, down = parted(content, len(KeptClimbs._fields) + 1)
    dtype = list(WEIGHT_TYPES.values())[int(kind[0])].dtype
    return KeptClimbs._make((*arrays, up.view(dtype), down.view(dtype)))


def keep_climbs(graph: Graph, hierarchy: Hierarchy, metric: Metric) -> None:
    """Keep what single lengths read; not with negative weights, whose climbs need more care."""
    store, name, tree = _store(), _name(graph), hierarchy.tree
    if not metric.guarded and not store.has(name, None):
        kind = np.array([list(WEIGHT_TYPES).index(metric.up.dtype.name)], np.int32)
        arrays = (
            tree.rank,
            tree.parent,
            tree.depth,
            hierarchy.up_first,
            hierarchy.up_depth,
            metric.up,
            metric.down,
        )
        store.save(name, joined([kind, *arrays]))
