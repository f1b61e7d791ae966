"""Least labels by the plainest method there is, and what a run in progress knows of them."""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np

from solvers.algorithms.bmssp.labels import NONE
from solvers.algorithms.bmssp.search import Search
from solvers.graphs.graph import Graph

Label = tuple[Any, int, int, int]
Bound = tuple[Any, int, int]


def least_labels(graph: Graph, source: int) -> dict[int, Label]:
    """The least label of each reached vertex, ``(length, zeros, vertex, predecessor)``: Dijkstra's algorithm on these.

    Lengths are added and rounded in the graph's distance type.
    """
    kind = graph.distance_type.dtype.type
    weights = graph.weights.astype(kind)
    least: dict[int, Label] = {}
    waiting: list[Label] = [(kind(0), 0, source, NONE)]
    while waiting:
        label = heapq.heappop(waiting)
        length, zeros, u, _ = label
        if u in least:
            continue
        least[u] = label
        for arc in range(graph.indptr[u], graph.indptr[u + 1]):
            through = kind(length + weights[arc])
            heapq.heappush(waiting, (through, 0 if through > length else zeros + 1, int(graph.indices[arc]), u))
    return least


class Knowledge:
    """What is true of a graph's labels, to hold a `Search` in progress against."""

    def __init__(self, graph: Graph, source: int):
        self.least = least_labels(graph, source)

    def ancestors(self, v: int) -> list[int]:
        """The shortest path to ``v``, backwards from ``v`` itself."""
        path = []
        while v != NONE:
            path.append(v)
            v = self.least[v][3]
        return path

    def complete(self, search: Search) -> set[int]:
        """The vertices whose label and whose ancestors' labels are the least ones."""
        right = {v for v, label in self.least.items() if label_of(search, v) == label}
        return {v for v in right if right.issuperset(self.ancestors(v))}

    def below(self, bound: Bound) -> set[int]:
        return {v for v, label in self.least.items() if label[:3] < bound}

    def descendants(self, sources: set[int]) -> set[int]:
        """The sources that can be reached, and all vertices whose shortest path visits one."""
        return {v for v in self.least if not sources.isdisjoint(self.ancestors(v))}


def label_of(search: Search, v: int) -> Label:
    record = search.vertices[v]
    return record["length"], int(record["zeros"]), v, int(record["predecessor"])


def bound_of(search: Search, level: int, end: bool = False) -> Bound:
    """The bound of the call of a level, or the one up to which it has completed."""
    frame, prefix = search.frames[level], "end_" if end else ""
    return frame[prefix + "length"], int(frame[prefix + "zeros"]), int(frame[prefix + "vertex"])


def sources_of(search: Search, level: int) -> set[int]:
    return set(_list(search.sources, search.frames[level], "sources"))


def reached_of(search: Search, level: int) -> set[int]:
    return set(_list(search.reached, search.frames[level], "reached"))


def _list(of: np.ndarray[Any, Any], frame: Any, name: str) -> list[int]:
    begin = int(frame[f"{name}_at"])
    numbers: list[int] = of[begin : begin + int(frame[name])].tolist()
    return numbers


def queue_of(search: Search, level: int) -> dict[int, Bound]:
    """The entries of a level's queue, by vertex."""
    entries = search.queues.entries
    found = {}
    for v in range(len(search.vertices)):
        entry = int(search.vertices["entry"][v])
        while entry != NONE:
            if entries["level"][entry] == level:
                found[v] = (entries["length"][entry], int(entries["zeros"][entry]), v)
            entry = int(entries["chain"][entry])
    return found
