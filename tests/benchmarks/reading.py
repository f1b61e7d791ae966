"""How long reading, generating and writing take: ``python -m tests.benchmarks.reading [--quick]``.

Measured, not asserted. Every piece of work runs once before it is timed, so compilation
is not in the figures.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from solvers.graphs.generators import find
from solvers.graphs.graph import Graph
from solvers.graphs.readers import read_graph
from solvers.graphs.writers import write_dimacs
from solvers.system.cancel import CancelToken, Progress
from solvers.text import format_bytes, format_duration
from tests.benchmarks.timing import timed
from tests.data import data_file

FULL_VERTICES, QUICK_VERTICES = 3_600_000, 100_000
TRIALS, QUICK_TRIALS = 5, 3


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    what: str
    size: str
    work: Callable[[], object]


def rows(folder: Path, vertices: int) -> Iterator[Row]:
    """What is measured, each prepared when its turn comes."""
    road = {"vertices": vertices}
    graph = find("road").generate(road)
    size = f"{graph.n:,} vertices, {graph.m:,} arcs"
    yield Row("generate road", size, lambda: find("road").generate(road))
    yield from _new_york()
    plain, packed = folder / "road.gr", folder / "road.gr.gz"
    yield Row("write .gr + .co, plain", size, lambda: write_dimacs(graph, plain))
    yield Row("read .gr + .co, plain", f"{size}, {_bytes(plain)}", lambda: read_graph(plain))
    yield Row(
        "read .gr alone, plain", f"{size}, {_bytes(plain)}", lambda: read_graph(_alone(plain))
    )
    write_dimacs(graph, packed)
    yield Row("read .gr + .co, gzip", f"{size}, {_bytes(packed)}", lambda: read_graph(packed))
    yield Row("sort arcs into rows", size, lambda: _reverse(graph))


def _new_york() -> Iterator[Row]:
    try:
        path = data_file("dimacs/USA-road-d.NY.gr.gz")
    except pytest.skip.Exception:
        return
    yield Row(
        "read New York, .gr.gz + .co.gz",
        f"264\u202f346 vertices, 733\u202f846 arcs, {_bytes(path)}",
        lambda: read_graph(path),
    )


def _alone(path: Path) -> Path:
    """The same file under a name that has no coordinates beside it."""
    link = path.with_name("alone.gr")
    if not link.exists():
        link.hardlink_to(path)
    return link


def _reverse(graph: Graph) -> Graph:
    return Graph.from_arcs(graph.n, graph.indices, graph.tails, graph.weights)


def _bytes(path: Path) -> str:
    return format_bytes(path.stat().st_size)


def longest_silence(path: Path) -> float:
    """The longest time in ms between two looks at Cancel while ``path`` is read."""
    looks: list[float] = []

    read_graph(path, progress=Progress(CancelToken(lambda: looks.append(time.perf_counter()))))
    return max(after - before for before, after in pairwise(looks)) * 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="a graph of 100\u202f000 vertices, 3 trials"
    )
    quick = parser.parse_args().quick
    trials = QUICK_TRIALS if quick else TRIALS
    print(f"{'what':32}{'median':>10}{'min':>10}{'max':>10}{'n':>4}  size")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for row in rows(folder, QUICK_VERTICES if quick else FULL_VERTICES):
            times = timed(row.work, trials).clock
            figures = "".join(
                f"{format_duration(t):>10}"
                for t in (statistics.median(times), min(times), max(times))
            )
            print(f"{row.what:32}{figures}{len(times):>4}  {row.size}", flush=True)
        print(
            "Longest time between two looks at Cancel, plain: "
            f"{format_duration(longest_silence(folder / 'road.gr'))}"
        )


if __name__ == "__main__":
    main()
