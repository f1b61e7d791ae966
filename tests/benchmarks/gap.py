"""GAP's delta-stepping (github.com/sbeamer/gapbs) as a peer, where its program is given.

``TAUTPATH_GAP`` names the program ``sssp``, built as GAP's Makefile does (g++ -O3
-fopenmp); ``OMP_NUM_THREADS`` is its number of threads. It reads its graph from a file
at every call and tells no distances, so that the time is its own, of one trial after
another that is not counted, and so is the proof (``-v``, by its Dijkstra). Of four
widths of a bucket the best is kept.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from solvers.graphs.graph import Graph

PROGRAM = "TAUTPATH_GAP"
_WIDTHS = (0.25, 1.0, 4.0, 12.0)  # mean weights
_TRIAL = re.compile(r"^Trial Time:\s*([\d.]+)", re.MULTILINE)


@dataclass(frozen=True)
class GapSearch:
    """A question put to GAP's program."""

    file: Path
    source: int
    delta: int
    threads: int | None = None  # None: as ``OMP_NUM_THREADS`` says

    def solve(self) -> float:
        """Milliseconds of one trial."""
        return self.trials(2)[-1]

    def trials(self, number: int) -> list[float]:
        return [float(s) * 1e3 for s in _TRIAL.findall(self._run("-n", str(number)))]

    def require_proof(self) -> None:
        """Raise if its own Dijkstra finds other distances."""
        if not re.search(r"Verification:\s*PASS", self._run("-n", "1", "-v")):
            raise ValueError("GAP's own verifier refuses its distances")

    def _run(self, *given: str) -> str:
        where = ["-f", str(self.file), "-r", str(self.source), "-d", str(self.delta)]
        command = [os.environ[PROGRAM], *where, *given]
        settings = dict(os.environ)
        if self.threads is not None:
            settings["OMP_NUM_THREADS"] = str(self.threads)
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=settings)
        return done.stdout


def best_search(graph: Graph, source: int) -> GapSearch:
    """With the best of four widths of a bucket; its distances are proved."""
    (best,) = best_searches(graph, source, [None])
    return best


def best_searches(graph: Graph, source: int, threads: Sequence[int | None]) -> Iterator[GapSearch]:
    """As `best_search`, for each number of threads; the distances of the first are proved."""
    file = Path(_folder().name) / "graph.wsg"
    write_serialized(graph, file)
    widths = sorted({max(1, round(width * graph.mean_weight)) for width in _WIDTHS})
    for i, number in enumerate(threads):
        searches = [GapSearch(file, source, width, number) for width in widths]
        best = min(searches, key=lambda each: statistics.median(each.trials(3)[1:]))
        if i == 0:
            best.require_proof()
        yield best


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """Removed as the peer's process ends."""
    return tempfile.TemporaryDirectory()


def write_serialized(graph: Graph, file: Path) -> None:
    """The graph as GAP's ``.wsg``: one byte for "undirected", which spares it the arcs
    backwards, the numbers of arcs and vertices, offsets, and pairs of head and weight.
    """
    pairs = np.column_stack((graph.indices, graph.weights)).astype(np.int32)
    with file.open("wb") as out:
        out.write(b"\0")
        np.array([graph.m, graph.n], np.int64).tofile(out)
        graph.indptr.astype(np.int64).tofile(out)
        pairs.tofile(out)
