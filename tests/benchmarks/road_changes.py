"""What closing roads costs a hierarchy: its metric updated, and customised as a whole,
on one thread.

    python -m tests.benchmarks.road_changes GRAPH [GRAPH ...] [--roads N,N] [--repeats
    N]

Roads are drawn at random, or lie on the shortest path between the first and the last
vertex, where most depends on them. Each set is closed and opened again; every metric is
compared with that of customising everything, bit for bit. Times are CPU time of the
process in ms, medians with the greatest in brackets; updating and customising
alternate.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from solvers import read, solve
from solvers.algorithms.hierarchy import recustomise as recustomise_module
from solvers.algorithms.hierarchy.metric import customise
from solvers.algorithms.hierarchy.preparation import hierarchy_of
from solvers.algorithms.hierarchy.recustomise import recustomise
from solvers.graphs.graph import Graph
from solvers.graphs.road_changes import RoadChanges
from solvers.system.openmp import team
from solvers.text import format_count
from solvers.verification.paths import path_arcs
from tests.benchmarks.timing import Times

_SEED = 1


def measure(graph: Graph, sets: Sequence[NDArray[np.int64]]) -> tuple[list[float], ...]:
    """CPU time in ms of closing each set of arcs, of opening it again, and of
    customising everything closed.
    """
    kind = graph.distance_type
    own = graph.weights.astype(kind.dtype)
    hierarchy, _ = hierarchy_of(graph, "road changes")
    closing, opening, whole = Times(), Times(), Times()
    with team(1, "road changes"):
        metric = customise(hierarchy, own, kind, 1)
        for places in sets:
            closed = own.copy()
            closed[places] = kind.infinity
            after = closing.of(
                partial(recustomise, graph, hierarchy, metric, closed, places, kind, 1)
            )
            right = whole.of(partial(customise, hierarchy, closed, kind, 1))
            again = opening.of(partial(recustomise, graph, hierarchy, after, own, places, kind, 1))
            for one, other in ((after, right), (again, metric)):
                np.testing.assert_array_equal(one.up, other.up)
                np.testing.assert_array_equal(one.down, other.down)
    return closing.processor, opening.processor, whole.processor


def sets_of(
    graph: Graph, arcs: NDArray[np.int64], roads: int, repeats: int
) -> Iterator[NDArray[np.int64]]:
    """Both directions of so many roads, of which ``arcs`` has one each."""
    generator = np.random.default_rng(_SEED)
    for _ in range(repeats):
        chosen = generator.choice(arcs, min(roads, len(arcs)), replace=False)
        ends = (
            (graph.vertex_id(int(graph.tails[a])), graph.vertex_id(int(graph.indices[a])))
            for a in chosen
        )
        yield RoadChanges().close(*ends).arcs(graph).positions


def report(graph: Graph, counts: Sequence[int], repeats: int) -> None:
    print(
        f"{graph.name}: {format_count(graph.n)} vertices, {format_count(graph.m)} arcs, "
        f"{graph.distance_type.name}"
    )
    answer = solve(graph, source=graph.vertex_id(0), target=graph.vertex_id(graph.n - 1))
    assert answer.result.path is not None
    places = {"at random": np.arange(graph.m), "on a path": path_arcs(graph, answer.result.path)}
    measure(graph, list(sets_of(graph, places["at random"], 1, 1)))  # compiles
    for where, arcs in places.items():
        for roads in counts:
            if roads > len(arcs):
                continue
            columns = measure(graph, list(sets_of(graph, arcs, roads, repeats)))
            texts = [f"{statistics.median(times):8.2f} ({max(times):8.2f})" for times in columns]
            print(
                f"{roads:6d} {where:10s} close {texts[0]}   open {texts[1]}   customise "
                f"{texts[2]}   n = {repeats}"
            )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("graphs", nargs="+", metavar="GRAPH")
    parser.add_argument(
        "--roads", default="1,10,100,1000", help="numbers of roads that are closed together"
    )
    parser.add_argument("--repeats", type=int, default=15)
    arguments = parser.parse_args()
    recustomise_module._FEW = 1 << 40  # update whatever the number: that is what is measured
    for path in arguments.graphs:
        report(read(path), [int(count) for count in arguments.roads.split(",")], arguments.repeats)


if __name__ == "__main__":
    main()
