"""How long layouts take, and how well they show a graph.

    python -m tests.benchmarks.layouts [GRAPH ...] [--rounds N]

Files lose their coordinates. Per graph: the time to the first preview and to the whole
layout (median of the rounds, after one that compiles), the processor time of all
threads, and of the largest component

- stress: mean of (length - distance)^2 / distance^2 over pairs of a vertex of a sample
  and any other, at the scale that makes it least; distance is the number of arcs, of
  either direction. 0 is perfect;
- near 1, near 2: for a sample of vertices, those within 1 or 2 arcs and as many nearest
  in the picture: how many are both, relative to either (Jaccard). 1 is perfect.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import cKDTree

from solvers.graphs.graph import Graph
from solvers.picture.layout.adjacency import Neighbours, components, undirected
from solvers.picture.layout.stress import layout
from solvers.system.cancel import SILENT, Progress
from tests.benchmarks.graphs import SPECS, graph_of, machine_line
from tests.benchmarks.timing import Times

SOURCES, NEAR = 60, 400  # sampled vertices
MOST_NEAR = 20_000  # neighbours of a vertex of the sample

Layout = Callable[
    [Graph, Progress, Callable[[NDArray[np.float64]], None] | None], NDArray[np.float64]
]


@dataclass(frozen=True)
class Quality:
    """Measures of one picture; see the module."""

    stress: float
    near_1: float
    near_2: float


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "graphs", nargs="*", default=["road:100000", "rmat:17", "grid:300x300"], help=SPECS
    )
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args(given)
    print(machine_line(f"median of {chosen.rounds}"))
    titles = "".join(
        f"{title:>9}" for title in ("first", "s", "CPU s", "stress", "near 1", "near 2")
    )
    print(f"{'graph':<24}{'vertices':>11}{'edges':>11}{titles}")
    for spec in chosen.graphs:
        graph = without_coordinates(graph_of(spec, "column" if spec.startswith("road") else "unit"))
        report(spec.rsplit("/", 1)[-1], graph, layout, chosen.rounds)


def report(name: str, graph: Graph, place: Layout, rounds: int) -> None:
    """Print the line of one graph."""
    first, passed, used, positions = timed(graph, place, rounds)
    edges = len(undirected(graph.n, graph.indptr, graph.indices).indices) // 2
    quality = quality_of(graph, positions)
    print(
        f"{name:<24}{graph.n:>11,}{edges:>11,}{first:>9.2f}{passed:>9.2f}{used:>9.2f}"
        f"{quality.stress:>9.4f}{quality.near_1:>9.3f}{quality.near_2:>9.3f}",
        flush=True,
    )


def timed(
    graph: Graph, place: Layout, rounds: int
) -> tuple[float, float, float, NDArray[np.float64]]:
    """Seconds to the first preview and to the end, processor seconds, and the positions."""
    positions = place(graph, SILENT, None)
    firsts, times = [], Times()
    for _ in range(rounds):
        shown: list[float] = []
        start = time.perf_counter()
        show = partial(_note_time, shown)
        positions = times.of(partial(place, graph, SILENT, show))
        firsts.append((shown[0] if shown else time.perf_counter()) - start)
    passed, used = times.medians
    return statistics.median(firsts), passed / 1e3, used / 1e3, positions


def _note_time(times: list[float], _: NDArray[np.float64]) -> None:
    times.append(time.perf_counter())


def quality_of(graph: Graph, positions: NDArray[np.float64], seed: int = 7) -> Quality:
    """Measures of a picture of the largest component."""
    parts = components(undirected(graph.n, graph.indptr, graph.indices))
    largest = int(parts.by_size[0])
    first, last = int(parts.starts[largest]), int(parts.starts[largest + 1])
    part, places = parts.adjacency.part(first, last), positions[parts.order[first:last]]
    rng = np.random.default_rng(seed)
    nearness = [_nearness(part, places, arcs, rng) for arcs in (1, 2)]
    return Quality(_stress(part, places, rng), *nearness)


def _stress(part: Neighbours, places: NDArray[np.float64], rng: np.random.Generator) -> float:
    sources = rng.choice(part.n, min(SOURCES, part.n), replace=False)
    hops = dijkstra(_matrix(part), unweighted=True, indices=sources)
    lengths = np.hypot(*(places[sources, None] - places[None]).transpose(2, 0, 1))
    others = hops > 0
    distance, length = hops[others], lengths[others]
    scale = (length / distance).sum() / (length**2 / distance**2).sum()
    return float(((scale * length / distance - 1.0) ** 2).mean())


def _nearness(
    part: Neighbours, places: NDArray[np.float64], arcs: int, rng: np.random.Generator
) -> float:
    tree, found = cKDTree(places), []
    for v in rng.choice(part.n, min(NEAR, part.n), replace=False).tolist():
        ball = np.array([v])
        for _ in range(arcs):
            ball = np.unique(np.concatenate([ball, *(_neighbours(part, u) for u in ball.tolist())]))
        if len(ball) > MOST_NEAR:
            continue
        _, nearest = tree.query(places[v], k=len(ball))
        both = len(np.intersect1d(ball, nearest)) - 1
        found.append(both / max(1, 2 * (len(ball) - 1) - both))
    return float(np.mean(found)) if found else float("nan")


def _neighbours(part: Neighbours, v: int) -> NDArray[np.int32]:
    return part.indices[part.indptr[v] : part.indptr[v + 1]]


def _matrix(part: Neighbours) -> csr_array:
    return csr_array(
        (np.ones(len(part.indices)), part.indices, part.indptr), shape=(part.n, part.n)
    )


def without_coordinates(graph: Graph) -> Graph:
    return Graph(
        graph.indptr,
        graph.indices,
        graph.weights,
        ids=graph.ids,
        name=graph.name,
        directed=graph.directed,
    )


if __name__ == "__main__":
    main()
