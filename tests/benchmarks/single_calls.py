"""Whole calls of `solve` for one answer: a tiny graph, a matrix of 3,000 vertices and
SciPy's own search in it by turns, one source and one pair of a large graph, each proved.

``python -m tests.benchmarks.single_calls GRAPH [--calls N]``. As a file it also times
another version of the library: ``PYTHONPATH=FOLDER python single_calls.py GRAPH``.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
import scipy.sparse
import scipy.sparse.csgraph

from solvers import generate, read, solve

WARM_UP = 3


def matrix_of_roads() -> scipy.sparse.csr_array:
    """Roads of 3,000 vertices with weights of many digits, as OSMnx has them."""
    roads = generate("road", vertices=3000, seed=1)
    weights = roads.weights + 0.1 * np.random.default_rng(1).random(roads.m)
    return scipy.sparse.csr_array((weights, roads.indices, roads.indptr))


def show_matrix(count: int) -> None:
    matrix = matrix_of_roads()
    search = scipy.sparse.csgraph.dijkstra
    both = partial(solve, matrix, source=0), partial(search, matrix, indices=0)
    for name, times in zip(("a matrix", "SciPy's search"), by_turns(both, count), strict=True):
        low, high = np.percentile(times, [10, 90])
        shown = f"{statistics.median(times):.3g} ({low:.3g} - {high:.3g}, 10th to 90th percentile)"
        print(f"| {name}, one source | {shown} | {len(times)} |", flush=True)


def by_turns(calls: Sequence[Callable[[], object]], count: int) -> list[list[float]]:
    """Times of each call in ms, made one after the other ``count`` times."""
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(WARM_UP + count):
        for own, call in zip(times, calls, strict=True):
            began = time.perf_counter()
            call()
            own.append((time.perf_counter() - began) * 1e3)
    return [own[WARM_UP:] for own in times]


def cases(path: str, calls: int) -> Iterator[tuple[str, list[Callable[[], object]]]]:
    """Name and calls of each row; sources and targets are spread over the vertices."""
    tiny = read([(k, k + 1, 1) for k in range(20)])
    yield "20 arcs, one source", [partial(solve, tiny, source=0)] * (10 * calls)
    graph = read(path)
    ids = graph.ids.tolist()
    starts, ends = (
        [ids[(k * 7_919 * step) % len(ids)] for k in range(1, calls + WARM_UP + 1)]
        for step in (1, 3)
    )
    yield f"{graph.name}, one source", [partial(solve, graph, source=s) for s in starts]
    pairs = zip(starts, ends, strict=True)
    yield f"{graph.name}, one pair", [partial(solve, graph, source=s, target=t) for s, t in pairs]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("graph")
    parser.add_argument("--calls", type=int, default=20)
    given = parser.parse_args()
    print("| call | median (min - max), ms | n |\n|---|---|---|")
    show_matrix(20 * given.calls)
    for name, calls in cases(given.graph, given.calls):
        times = []
        for call in calls:
            began = time.perf_counter()
            call()
            times.append((time.perf_counter() - began) * 1e3)
        timed = times[WARM_UP:]
        row = f"{statistics.median(timed):.3g} ({min(timed):.3g} - {max(timed):.3g})"
        print(f"| {name} | {row} | {len(timed)} |", flush=True)


if __name__ == "__main__":
    main()
