"""Partition of a graph into parts of neighbouring vertices, each small enough for one block's shared memory.

A part is grown breadth first from the oldest vertex adjacent to an earlier part, until it is full; so parts are
round where the graph is flat, and few arcs leave them. No coordinates are needed. Vertices are numbered anew, part
after part; an arc inside a part names its head by its place there, in 16 bits; arcs that leave the part are cut arcs.

Partitioning takes time linear in the graph and is done once: the partition serves every source.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.graphs.graph import Graph
from solvers.graphs.rows import slices
from solvers.host.jit import njit
from solvers.host.observer import SILENT, Observer
from solvers.host.threads import thread_team

ARC_ALIGNMENT = 8  # a part's arcs begin at a multiple of it: the kernel copies sixteen bytes of heads at once
_SLICE = 1 << 16  # vertices that a thread takes at a time, and that are partitioned between two cancellation checks


@dataclass(frozen=True)
class Partition:
    """A partitioned graph.

    Attributes
    ----------
    order : (n,) int32
        The vertex that has each place.
    places : (n,) int32
        The place of each vertex: the inverse of ``order``.
    first : (parts + 1,) int32
        Part ``p`` has the places ``first[p]`` to ``first[p + 1]``.
    rows : (n,) uint32
        By place: where the vertex's arcs begin among those inside its part (low half), and how many they are.
    arc_first : (parts + 1,) int32
        Part ``p``'s inside arcs begin there, at multiples of `ARC_ALIGNMENT`.
    heads : (arcs inside, padded) uint16
        Place within the part.
    weights : (arcs inside, padded), of the graph's weight type
    cut_first : (parts + 1,) int32
    cut_tails : (arcs between parts,) int32
        Place of the tail within its part.
    cut_heads : (arcs between parts,) int32
        Place of the head.
    cut_parts : (arcs between parts,) int32
        Part of the head.
    cut_weights : (arcs between parts,)
    """

    order: NDArray[np.int32]
    places: NDArray[np.int32]
    first: NDArray[np.int32]
    rows: NDArray[np.uint32]
    arc_first: NDArray[np.int32]
    heads: NDArray[np.uint16]
    weights: NDArray[Any]
    cut_first: NDArray[np.int32]
    cut_tails: NDArray[np.int32]
    cut_heads: NDArray[np.int32]
    cut_parts: NDArray[np.int32]
    cut_weights: NDArray[Any]

    @property
    def count(self) -> int:
        return len(self.first) - 1


def partition_graph(graph: Graph, most_vertices: int, most_arcs: int, observer: Observer = SILENT) -> Partition:
    """Partition a graph.

    Parameters
    ----------
    graph : Graph
        With fewer than 2**31 arcs.
    most_vertices : int
        Of a part; up to 65,536.
    most_arcs : int
        Of all vertices of a part together; up to 65,535. A vertex with more arcs forms a part alone.
    observer : Observer
        Asked whether to stop.

    Raises
    ------
    Cancelled
    """
    order, first = _ordered(graph, most_vertices, most_arcs, observer)
    places = np.empty(graph.n, np.int32)
    places[order] = np.arange(graph.n, dtype=np.int32)
    part_of = np.repeat(np.arange(len(first) - 1, dtype=np.int32), np.diff(first))  # by place
    inside, cut = np.zeros(len(first) - 1, np.int64), np.zeros(len(first) - 1, np.int64)
    graph_as_cut = (graph.indptr, graph.indices, order, places, part_of, first)
    some = list(slices(len(first) - 1, max(1, _SLICE // most_vertices)))
    with thread_team() as team:
        team.run((partial(_count, *graph_as_cut, *run, inside, cut) for run in some), observer)
        parts = _allocate(graph, order, places, first, -(-inside // ARC_ALIGNMENT) * ARC_ALIGNMENT, cut)
        arrays = (parts.rows, parts.arc_first, parts.heads, parts.weights, parts.cut_first, parts.cut_tails,
                  parts.cut_heads, parts.cut_parts, parts.cut_weights)  # fmt: skip
        team.run((partial(_fill, *graph_as_cut, graph.weights, *run, *arrays) for run in some), observer)
    return parts


def _allocate(
    graph: Graph,
    order: NDArray[np.int32],
    places: NDArray[np.int32],
    first: NDArray[np.int32],
    inside: NDArray[np.int64],
    cut: NDArray[np.int64],
) -> Partition:
    """Allocate the arrays for the given numbers of arcs inside and between parts."""
    arc_first, cut_first, kind = _ends(inside), _ends(cut), graph.weights.dtype
    return Partition(
        order,
        places,
        first,
        rows=np.zeros(graph.n, np.uint32),
        arc_first=arc_first,
        heads=np.zeros(arc_first[-1], np.uint16),
        weights=np.zeros(arc_first[-1], kind),
        cut_first=cut_first,
        cut_tails=np.empty(cut_first[-1], np.int32),
        cut_heads=np.empty(cut_first[-1], np.int32),
        cut_parts=np.empty(cut_first[-1], np.int32),
        cut_weights=np.empty(cut_first[-1], kind),
    )


def _ends(lengths: NDArray[np.int64]) -> NDArray[np.int32]:
    return np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)


def _ordered(
    graph: Graph, most_vertices: int, most_arcs: int, observer: Observer
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The order of the vertices by part, and the start of each part in it."""
    n = graph.n
    order, first = np.empty(n, np.int32), np.zeros(n + 1, np.int32)
    seen = np.full(n, -1, np.int32)  # the part for which a vertex was last seen; `_TAKEN` once it is in one
    border, queue = np.empty(n, np.int32), np.empty(n, np.int32)
    on_border = np.zeros(n, np.bool_)
    progress = np.zeros(5, np.int64)
    while progress[_ORDERED] < n:
        observer.checkpoint()
        _grow(
            graph.indptr, graph.indices, most_vertices, most_arcs, order, first, seen, border, on_border, queue,
            progress, _SLICE,
        )  # fmt: skip
    return order, first[: progress[_GROWN] + 1].copy()


_ORDERED, _GROWN, _BORDER_HEAD, _BORDER_TAIL, _LOOKED = range(5)  # of `progress`
_TAKEN = np.iinfo(np.int32).max


@njit(cache=True, nogil=True)
def _grow(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    most_vertices: int,
    most_arcs: int,
    order: NDArray[np.int32],
    first: NDArray[np.int32],
    seen: NDArray[np.int32],
    border: NDArray[np.int32],
    on_border: NDArray[np.bool_],
    queue: NDArray[np.int32],
    progress: NDArray[np.int64],
    at_most: int,
) -> None:
    """Grow parts until ``at_most`` more vertices have a place; `border`: those adjacent to parts, oldest first."""
    n = len(order)
    ordered, part, border_head, border_tail, looked = progress
    stop = min(n, ordered + at_most)
    while ordered < stop:
        arcs, begin, full = 0, ordered, False
        while not full and ordered < n:
            while border_head < border_tail and seen[border[border_head]] == _TAKEN:
                border_head += 1
            while border_head == border_tail and seen[looked] == _TAKEN:
                looked += 1
            seed = border[border_head] if border_head < border_tail else looked
            degree = indptr[seed + 1] - indptr[seed]
            if ordered > begin and (ordered - begin >= most_vertices or arcs + degree > most_arcs):
                break
            queue[0], head, tail = seed, 0, 1
            while head < tail:
                v = queue[head]
                degree = indptr[v + 1] - indptr[v]
                if ordered > begin and (ordered - begin >= most_vertices or arcs + degree > most_arcs):
                    full = True
                    break
                head += 1
                order[ordered] = v
                seen[v] = _TAKEN
                ordered += 1
                arcs += degree
                for a in range(indptr[v], indptr[v + 1]):
                    w = indices[a]
                    if seen[w] != _TAKEN and seen[w] != part:
                        seen[w] = part
                        queue[tail] = w
                        tail += 1
            for i in range(head, tail):  # what the part had no room for
                w = queue[i]
                seen[w] = -1
                if not on_border[w]:
                    on_border[w] = True
                    border[border_tail] = w
                    border_tail += 1
        part += 1
        first[part] = ordered
    progress[_ORDERED], progress[_GROWN], progress[_LOOKED] = ordered, part, looked
    progress[_BORDER_HEAD], progress[_BORDER_TAIL] = border_head, border_tail


@njit(cache=True, nogil=True)
def _count(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    order: NDArray[np.int32],
    places: NDArray[np.int32],
    part_of: NDArray[np.int32],
    first: NDArray[np.int32],
    start: int,
    stop: int,
    inside: NDArray[np.int64],
    cut: NDArray[np.int64],
) -> None:
    """Arcs inside each of the parts ``start`` to ``stop``, loops left out, and arcs that leave it."""
    for part in range(start, stop):
        for place in range(first[part], first[part + 1]):
            v = order[place]
            for a in range(indptr[v], indptr[v + 1]):
                if part_of[places[indices[a]]] != part:
                    cut[part] += 1
                elif indices[a] != v:
                    inside[part] += 1


@njit(cache=True, nogil=True)
def _fill(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    order: NDArray[np.int32],
    places: NDArray[np.int32],
    part_of: NDArray[np.int32],
    first: NDArray[np.int32],
    weights: NDArray[Any],
    start: int,
    stop: int,
    rows: NDArray[np.uint32],
    arc_first: NDArray[np.int32],
    heads: NDArray[np.uint16],
    inside_weights: NDArray[Any],
    cut_first: NDArray[np.int32],
    cut_tails: NDArray[np.int32],
    cut_heads: NDArray[np.int32],
    cut_parts: NDArray[np.int32],
    cut_weights: NDArray[Any],
) -> None:
    """Fill in the arcs of the parts ``start`` to ``stop``."""
    for part in range(start, stop):
        base, arc, cut = first[part], arc_first[part], cut_first[part]
        for place in range(base, first[part + 1]):
            v, begun = order[place], arc
            for a in range(indptr[v], indptr[v + 1]):
                head = places[indices[a]]
                if part_of[head] != part:
                    cut_tails[cut], cut_heads[cut], cut_parts[cut] = place - base, head, part_of[head]
                    cut_weights[cut] = weights[a]
                    cut += 1
                elif head != place:
                    heads[arc], inside_weights[arc] = head - base, weights[a]
                    arc += 1
            rows[place] = np.uint32((begun - arc_first[part]) | ((arc - begun) << 16))
