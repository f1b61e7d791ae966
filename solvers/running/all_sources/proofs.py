"""Proofs of sampled rows of an all-sources run."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.algorithms.row_summaries import RowSummaries
from solvers.contracts.results import Verdict
from solvers.graphs.graph import Graph
from solvers.graphs.weights import weight_type
from solvers.host.cancel_only import CancelOnly
from solvers.host.observer import Observer
from solvers.proof.verify import reversed_by_proof, verify_row
from solvers.running.all_sources.engines import RowEngine
from solvers.running.all_sources.request import AllSourcesRequest, Direction
from solvers.text import format_count, plural

_SUM_TOLERANCE = 1e-9  # relative: sums of floats differ by the order of additions


class RowProofs:
    """Proves a row of each chunk, and that its numbers are those of the proved row.

    Parameters
    ----------
    graph : Graph
        The one whose rows are claimed: see `proved_graph`.
    engine : RowEngine
    budget : number of the distance type
    count : int
        Rows of the whole run.

    Attributes
    ----------
    earlier : int
        Rows that were proved before their chunks were written to the state file.
    """

    def __init__(self, graph: Graph, engine: RowEngine, budget: Any, count: int):
        self._graph, self._engine, self._budget, self._count = graph, engine, budget, count
        self.earlier = 0
        self._proved: list[int] = []
        self._failure: Verdict | None = None

    @property
    def verdict(self) -> Verdict:
        if self._failure is not None:
            return self._failure
        rows = tuple(self._proved)
        count = format_count(self.earlier + len(rows))
        words = f"{count} of {plural(self._count, 'row')} proved, with the numbers taken from them."
        return Verdict(True, 0, words, rows)

    def add(self, verdict: Verdict) -> bool:
        """Take over what another process has proved; returns whether it is verified."""
        if verdict.verified:
            self._proved += verdict.rows
        elif self._failure is None:
            self._failure = verdict
        return verdict.verified

    def prove(self, sources: NDArray[np.int32], part: RowSummaries, observer: Observer) -> bool:
        """Prove the row of one source of a chunk; the same one in every run."""
        place = sampled(sources)
        source, claimed = int(sources[place]), part.take(slice(place, place + 1))
        return self.prove_row(source, claimed, self._engine.row(source, CancelOnly(observer)), observer)

    def require_pairs(self, source: int, reached: int, counted: int) -> bool:
        """Compare the number of vertices that the sources of a chunk reach with the distances in a histogram."""
        if reached != counted:
            words = f"{counted} distances are in bins, but {reached} vertices are reached."
            self._failure = Verdict(False, 1, words, (source,))
        return reached == counted

    def prove_row(self, source: int, claimed: RowSummaries, row: NDArray[Any], observer: Observer) -> bool:
        """Prove a row of distances, and compare ``claimed`` with what NumPy finds in it."""
        verdict = verify_row(self._graph, source, row, observer)
        if not verdict.verified:
            self._failure = verdict
            return False
        kind = weight_type(row.dtype)
        expected = RowSummaries.of_row(row, kind, claimed.totals.dtype, self._budget)
        tolerance = 0 if claimed.totals.dtype.kind == "i" else _SUM_TOLERANCE
        for name in ("farthest", "totals", "reached", "within"):
            one, other = getattr(claimed, name)[0], getattr(expected, name)[0]
            if one != other and not (name == "totals" and math.isclose(one, other, rel_tol=tolerance)):
                vertex = self._graph.vertex_id(source)
                self._failure = Verdict(
                    False, 1, f"Vertex {vertex}: {name} is {one}, but its row gives {other}.", (source,)
                )
                return False
        self._proved.append(source)
        return True


def proved_graph(request: AllSourcesRequest) -> Graph:
    """The graph on which the rows of a run are to be right.

    Of distances to a vertex, a reverse that is made for the proof: not `AllSourcesRequest.searched`, which the engine
    is given, and which is the graph itself where that calls itself undirected.
    """
    return reversed_by_proof(request.graph) if request.direction is Direction.IN else request.graph


def sampled(sources: NDArray[np.int32]) -> int:
    """Place of the source of a chunk whose row is proved."""
    return int(np.random.default_rng(int(sources[0])).integers(len(sources)))
