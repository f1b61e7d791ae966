"""Whole calls of `solve` for one answer: a tiny graph, one source and one pair of a large
graph, each proved.

``python -m tests.benchmarks.single_calls GRAPH [--calls N]``. As a file it also times
another version of the library: ``PYTHONPATH=FOLDER python single_calls.py GRAPH``.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial

from solvers import read, solve

WARM_UP = 3


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
