"""The reduction of some sources of a run, and its proof.

`SourceReducer` gives summaries of rows, counts of their distances, and a row to be proved;
`RowProofs` has what was proved.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from solvers.algorithms.distance_rows import RowSummaries, count_distances, sum_type_of
from solvers.algorithms.hierarchy.adjacency import adjacency_of
from solvers.algorithms.hierarchy.ordering import suits_hierarchy
from solvers.core.result import Verdict
from solvers.features.all_sources.reductions import DistanceBins
from solvers.features.all_sources.request import OWNER
from solvers.graphs.graph import Graph
from solvers.graphs.weights import weight_type
from solvers.running.prepared_network import PreparedNetwork
from solvers.system import machine
from solvers.system.array_types import AnyArray, Int32s, Int64s
from solvers.system.cancel import SILENT, Progress
from solvers.system.openmp import team
from solvers.system.threads import ThreadTeam, in_background
from solvers.text import format_count, plural
from solvers.verification.prover import NetworkProver
from solvers.verification.verify import reversed_by_proof

# Seconds of a core for each source and each vertex or arc, on machines of about 2025:
# orders of magnitude.
_SWEEP_S, _SEARCH_S = 0.35e-9, 10e-9

TakeRows = Callable[[slice, AnyArray], None]

_SUM_TOLERANCE = 1e-9  # relative: sums of floats differ by the order of additions


def estimated_seconds(graph: Graph, progress: Progress = SILENT) -> float:
    """Order of magnitude of the time of a run on this machine; raises Cancelled."""
    each = (
        _SWEEP_S if suits_hierarchy(graph, adjacency_of(graph, progress), progress) else _SEARCH_S
    )
    return graph.n * (graph.n + graph.m) * each / machine.cores()


@dataclass(frozen=True, eq=False)
class ReducedSources:
    summaries: RowSummaries  # one entry a source
    # (bins,) distances, those to the sources themselves included; empty without a
    # histogram
    counts: Int64s


@dataclass(frozen=True, eq=False)
class SourceReducer:
    """Reduces the rows of sources."""

    network: PreparedNetwork  # for rows
    budget: Any  # of the distance type
    bins: DistanceBins | None
    team: ThreadTeam  # for counting

    def reduce(
        self,
        sources: Int32s,
        proofs: RowProofs,
        progress: Progress,
        take: TakeRows | None = None,
    ) -> ReducedSources | None:
        """Summaries and counts of those sources; None if a proof has failed, which
        ``proofs`` keeps.

        ``take`` gets the whole rows of all sources in their order, (m, n) at a time,
        with their positions; the row that is proved is one of them.
        """
        counts = self.no_counts()
        if self.bins is None and take is None:
            proof = proofs.begin(sources, progress)
            summaries = self.network.summarise(sources, self.budget, progress)
            return ReducedSources(summaries, counts) if proofs.end(proof, summaries) else None
        summaries = self.network.summarise(sources, self.budget, progress)
        proved = sampled(sources)
        for chosen, rows in self.network.rows(sources, progress.silent()):
            if self.bins is not None:
                counts += self._count(rows, self.bins)
            if take is not None:
                take(chosen, rows)
            if chosen.start <= proved < chosen.stop:
                claimed = summaries.take(slice(proved, proved + 1))
                row = rows[proved - chosen.start]
                if not proofs.prove_row(int(sources[proved]), claimed, row, progress):
                    return None
        reached, counted = int(summaries.reached.sum()), int(counts.sum())
        if self.bins is not None and not proofs.require_pairs(
            int(sources[proved]), reached, counted
        ):
            return None
        return ReducedSources(summaries, counts)

    def empty(self, sources: int) -> ReducedSources:
        """Zeros for that many sources."""
        sum_type = sum_type_of(self.network.engine.graph)
        summaries = RowSummaries.empty(sources, self.network.kind, sum_type)
        return ReducedSources(summaries, self.no_counts())

    def no_counts(self) -> Int64s:
        """(bins,) zeros; empty without a histogram."""
        return np.zeros(self.bins.count if self.bins else 0, np.int64)

    def _count(self, rows: AnyArray, bins: DistanceBins) -> Int64s:
        return count_distances(rows, self.network.kind, bins.lower, bins.equal_width, self.team)


_ProvedRow = tuple[Verdict, RowSummaries]
"""Whether a row is right, and the numbers that NumPy finds in it."""


class RowProof(NamedTuple):
    """Of one source of a chunk, at a position among them."""

    position: int
    source: int
    row: Future[_ProvedRow]


class RowProofs:
    """What a run has proved: a row of each chunk, and that its numbers are those of the row.

    ``count`` are the rows of the whole run; ``earlier`` were proved before their chunks were
    written to the state file. Distances to a vertex are proved on the ``reverse``, if that is
    proved to be one, else on one that is made here: the engine has the graph itself if that
    calls itself undirected.
    """

    def __init__(
        self, network: PreparedNetwork, budget: Any, count: int, reverse: Graph | None = None
    ):
        self._network, self._budget, self._count = network, budget, count
        if network.is_reverse and reverse is None:
            reverse = reversed_by_proof(network.translation.searched)
        reverse = reverse if network.is_reverse else None
        self._prover = NetworkProver(network.graph, asked=network, reverse=reverse)
        self.earlier = 0
        self._proved: list[int] = []
        self._failure: Verdict | None = None

    @property
    def verdict(self) -> Verdict:
        failure = self._prover.failure or self._failure
        if failure is not None:
            return failure
        rows = tuple(self._proved)
        # a resumed run may have proved a row before
        count = format_count(min(self._count, self.earlier + len(rows)))
        words = (
            f"{count} of {plural(self._count, 'row')} proved, with the numbers computed from them."
        )
        return Verdict(True, 0, words, rows)

    def add(self, verdict: Verdict) -> bool:
        """Take over the proof of another process; returns whether it succeeded."""
        if verdict.verified:
            self._proved += verdict.rows
        elif self._failure is None:
            self._failure = verdict
        return verdict.verified

    def prove(self, sources: Int32s, part: RowSummaries, progress: Progress) -> bool:
        """Prove the row of one source of a chunk; the same one in every run."""
        return self.end(self.begin(sources, progress), part)

    def begin(self, sources: Int32s, progress: Progress) -> RowProof:
        """Begin to prove that row beside other work, for `end`."""
        position = sampled(sources)
        source, sweeps = int(sources[position]), self._network.sweeps
        # what is searched for turns is asked for its row again
        if self._network.asks_when_proved:
            proved = Future[_ProvedRow]()
            row = self._network.row(source, progress.silent())
            proved.set_result(self._proved_row(source, row, progress))
        elif sweeps is not None and sweeps.may_be_shared:
            proved = in_background(self._row_with_proof, source)
        else:
            row = self._network.row(source, progress.silent())
            proved = in_background(self._proved_row, source, row, SILENT)
        return RowProof(position, source, proved)

    def _row_with_proof(self, source: int) -> _ProvedRow:
        with team(1, OWNER):  # the others sweep meanwhile
            row = self._network.row(source, SILENT)
        return self._proved_row(source, row, SILENT)

    def end(self, proof: RowProof, part: RowSummaries) -> bool:
        """Whether the row is proved, and the numbers of its source are those of the row."""
        claimed = part.take(slice(proof.position, proof.position + 1))
        return self._compare(proof.source, claimed, *proof.row.result())

    def require_pairs(self, source: int, reached: int, counted: int) -> bool:
        """Compare the number of vertices that the sources of a chunk reach with the
        distances in a histogram.
        """
        if reached != counted:
            words = f"{counted} distances are in bins, but {reached} vertices are reached."
            self._failure = Verdict(False, 1, words, (source,))
        return reached == counted

    def prove_row(
        self, source: int, claimed: RowSummaries, row: AnyArray, progress: Progress
    ) -> bool:
        """Prove a row of distances, and compare ``claimed`` with what NumPy finds in it."""
        return self._compare(source, claimed, *self._proved_row(source, row, progress))

    def _proved_row(self, source: int, row: AnyArray, progress: Progress) -> _ProvedRow:
        apart = len(self._proved) < self._prover.most_apart
        verdict = self._prover.own_row(source, row, progress, apart=apart)
        sum_type = sum_type_of(self._network.engine.graph)
        return verdict, RowSummaries.of_row(row, weight_type(row.dtype), sum_type, self._budget)

    def _compare(
        self, source: int, claimed: RowSummaries, verdict: Verdict, expected: RowSummaries
    ) -> bool:
        if not verdict.verified:
            self._failure = verdict
            return False
        tolerance = 0 if claimed.totals.dtype.kind == "i" else _SUM_TOLERANCE
        for name in ("farthest", "totals", "reached", "within"):
            one, other = getattr(claimed, name)[0], getattr(expected, name)[0]
            if one != other and not (
                name == "totals" and math.isclose(one, other, rel_tol=tolerance)
            ):
                vertex = self._prover.graph.vertex_id(source)
                self._failure = Verdict(
                    False,
                    1,
                    f"Vertex {vertex}: {name} is {one}, but its row gives {other}.",
                    (source,),
                )
                return False
        self._proved.append(source)
        return True


def sampled(sources: Int32s) -> int:
    """Position of the source of a chunk whose row is proved."""
    return int(np.random.default_rng(int(sources[0])).integers(len(sources)))
