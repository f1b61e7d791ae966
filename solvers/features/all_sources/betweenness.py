"""Betweenness of vertices and arcs: flows of all shortest paths, summed over the
sources of a run, and proved.

A `FlowRun` takes the sources of a run chunk by chunk, beside the reduction of their
rows. Its totals are kept beside the state file. Four proofs hold for the answer, or it
is wrong:

* flow times weight, summed over arcs, is the length of all paths; without masses and
  budget it is also the sum of all distances, which the reduction of the rows computes
  by another program, and which is less if one path is not a shortest one. Where the
  sweep of flows gives the numbers of its rows, other programs compute those of a sample
  of each chunk only: `compared`;
* at every vertex, what flows out less what flows in is what starts there less what ends
there;
* the flows of a sample of the sources, added up, are computed again on the graph itself,
  by Brandes' algorithm, beside the sweeps, unless that is what computed them; on a cluster
  also those of one source of each chunk;
* no flow is negative.

From sources drawn at random the betweenness of the whole graph is estimated: the
sources fall into groups at random, and the spread of the groups gives an interval. It
is approximate: where little passes, it comes from few sources, which a sample may lack,
and the interval is too narrow.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import time
import zipfile
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from solvers.algorithms.distance_rows import RowSummaries, sum_type_of
from solvers.core.result import Verdict
from solvers.features.all_sources.engine import sampled
from solvers.features.all_sources.flow_engines import FlowQuestion, counted_flows
from solvers.features.all_sources.flow_rows import arcs_table
from solvers.features.all_sources.flows.exact_flows import ProvedFlows
from solvers.features.all_sources.flows.flow_columns import ARRIVED, FARTHEST, TOTAL
from solvers.features.all_sources.flows.path_flows import (
    CountedFlows,
    FlowEngine,
    FlowTotals,
    require_countable,
)
from solvers.features.all_sources.request import OWNER, AllSourcesRequest
from solvers.graphs.graph import Graph
from solvers.graphs.searched import searched_graph
from solvers.running.answers.columns import TableColumn
from solvers.running.answers.frames import Tabular
from solvers.running.answers.table import AnswerTable
from solvers.running.prepared_network import PreparedNetwork
from solvers.system.array_types import Bools, Float64s, Int32s, Int64s
from solvers.system.cancel import SILENT, Progress
from solvers.system.files import replace_atomically
from solvers.system.openmp import team
from solvers.system.threads import in_threads
from solvers.text import format_count, plural
from solvers.verification.flows import TOLERANCE, LengthClaim
from solvers.verification.prover import NetworkProver
from solvers.verification.sample import proof_sample

log = logging.getLogger(__name__)

GROUPS = 16  # of the sources of an estimate
_CONFIDENCE = 0.95
# One in so many sources is computed again by another program, but so many at least: flows, and
# numbers of rows
_FLOWS_PROVED, _LEAST_FLOWS = 1 << 14, 16
_ROWS_PROVED, _LEAST_ROWS = 32, 16
_SWEEPING = 4  # threads that sweep, for each that computes the sample's flows meanwhile
_MOST_EXACT = 2**53  # sums of distances up to which float64 holds each whole number

_Value = TypeVar("_Value")

_FILM_SOURCES, _FILM_STEPS = 4096, 96  # of ever more sources: the most, and in how many steps
_FILM_VALUES = 2**26  # most values of arcs in all steps of an animation, which may all be kept


@dataclass(frozen=True, eq=False)
class Flows(Tabular):
    """Betweenness of all vertices, and flows of all arcs, of a run.

    Frames and files have a row for each arc, by ``(tail, head, key)`` as the table of edges
    of OSMnx; those of `AllSources` have betweenness, a row for each vertex.

    Attributes
    ----------
    arcs : (m,) float64
        Shortest paths over each arc from one vertex to another: pairs with several
        share one unit. With masses, the product of those of the ends. For undirected
        graphs this is the edge betweenness, at both arcs of an edge.
    vertices : (n,) float64
        Of the paths that pass through each vertex, their ends left out. Those of an
        undirected graph count once for both directions, as in NetworkX and igraph.
    paths : float
        What starts at all sources: the number of pairs, if there are no masses.
    engine : str
        How flows were computed.
    intervals : (2, n) float64, or None
        Of an estimate: the bounds of the 95 % confidence interval of each vertex.
    """

    request: AllSourcesRequest
    arcs: Float64s
    vertices: Float64s
    paths: float
    engine: str
    intervals: Float64s | None = None

    def __repr__(self) -> str:
        graph = self.graph
        return f"Flows({graph.name!r}, n={graph.n}, m={graph.m}, paths={self.paths:g})"

    def _table(self) -> AnswerTable:
        numbers = [TableColumn("flow", self.arcs), TableColumn("share", self.shares)]
        drawn = np.flatnonzero(self.arcs > 0)
        return arcs_table(self.request, self.engine, self.graph, numbers, drawn)

    @property
    def graph(self) -> Graph:
        return self.request.graph

    @cached_property
    def pair_share(self) -> float:
        """What normalised betweenness counts for a path: a share of the pairs of other
        vertices; 1 where it was not asked for, and as NetworkX for two vertices or fewer.
        """
        n, graph = self.graph.n, self.graph
        if not self.request.normalized or n <= 2:
            return 1.0
        return (1 if graph.directed else 2) / ((n - 1) * (n - 2))

    @cached_property
    def betweenness(self) -> Float64s:
        """(n,) ``vertices``, normalised if that was asked for."""
        return self.vertices * self.pair_share if self.request.normalized else self.vertices

    @cached_property
    def shares(self) -> Float64s:
        """(m,) the share of all paths that use each arc."""
        return self.arcs / self.paths if self.paths > 0 else self.arcs

    @cached_property
    def of_all_roads(self) -> Float64s:
        """Flows of the arcs of the graph as it was opened; 0 for those of closed roads."""
        base = self.graph.base
        if base is None:
            return self.arcs
        arcs = np.zeros(base.graph.m)
        arcs[base.arcs] = self.arcs
        return arcs

    def greatest(self, count: int) -> Int64s:
        """Arcs of greatest flow, the greatest first; of an undirected edge the arc from
        the lower vertex.
        """
        flows = self.arcs
        if not self.graph.directed:
            flows = np.where(self.graph.tails <= self.graph.indices, flows, -1.0)
        return np.argsort(-flows, kind="stable")[: min(count, int((flows > 0).sum()))]


@dataclass(eq=False)
class FlowRun:
    """Sums the flows of the sources of a run, and proves them.

    Raises UnsuitableGraph for negative weights, and cycles of weight 0; OutOfMemory,
    Unavailable, Cancelled.
    """

    request: AllSourcesRequest
    network: PreparedNetwork  # for rows
    threads: int
    progress: Progress  # of the preparation
    failure: Verdict | None = field(default=None, init=False)
    # file and key of what is kept
    _state: tuple[Path, str] | None = field(default=None, init=False)
    _is_new: bool = field(default=False, init=False)  # whether there are totals that are not kept
    _next_keep: float = field(default=0.0, init=False)  # when they are kept again
    _compared: int = field(default=0, init=False)  # sources whose rows were computed twice

    def __post_init__(self) -> None:
        self._prover = NetworkProver(self.network.graph)
        self._translation = searched_graph(self.request.graph)
        searched, network = self._translation.searched, self.network.searched
        require_countable(searched)
        self._question = question = _question(self.request, self.threads)
        self._whole = question.whole
        if self._whole.graph is not searched:
            network = question.prepared(network.device, self.progress)
        self.engine = question.engine(self.progress, network)
        self._expected: Future[Float64s] | None = None
        self._again: Future[list[tuple[Int32s, Float64s]]] | None = None
        self.forget()
        log.info("flows by %s", self.engine.name)

    @property
    def thread_bytes(self) -> int:
        """Memory that each thread works with, and that the flows of a part take."""
        return self.engine.thread_bytes + sum(array.nbytes for array in self._groups[0].arrays)

    @cached_property
    def gives_rows(self) -> bool:
        """Whether the sweep of flows also gives the numbers of its rows, and nothing else is
        asked of these.
        """
        of, graph = self.request, self._translation.searched
        is_asked = of.budget is not None or of.bins is not None or of.is_limited
        is_plain = of.masses is None and of.longest_path is None
        return bool(
            not is_asked
            and is_plain
            and graph is self._whole.graph
            and self.engine.most_sources > 0
            and graph.distance_type.is_integer
            and graph.path_bound * graph.n < _MOST_EXACT
            and (graph.weights > 0).all()
        )

    @staticmethod
    def compared(sources: int) -> Int64s:
        """Which of so many sources of a chunk have rows that another program computes, too."""
        return proof_sample(sources, max(_LEAST_ROWS, sources // _ROWS_PROVED), seed=0)

    @cached_property
    def _counted(self) -> CountedFlows:
        """What proves flows; by searches on rows of the processor, which a device may sweep
        meanwhile.
        """
        if (found := counted_flows(self.engine)) is not None:
            return found
        return replace(self._question, threads=self._proof_threads).counting()

    @property
    def _proof_threads(self) -> int:
        """Of the program that proves flows: few where threads sweep meanwhile."""
        if not self.engine.may_be_shared:
            return self.threads
        return -(-self.threads // _SWEEPING)

    @cached_property
    def _sample(self) -> Int32s:
        """The sources whose flows are computed again, the same ones in every run."""
        count = self.request.count
        chosen = proof_sample(count, max(_LEAST_FLOWS, count // _FLOWS_PROVED), seed=0)
        return self.request.vertices(0, count)[chosen]

    def expect(self, beside: ThreadPoolExecutor, progress: Progress) -> None:
        """Begin to compute flows of the sample by another program, in another thread, unless
        the sweeps use the same; and by the same, where it may be shared and they are few.
        """

        def beside_sweeps(work: Callable[..., _Value]) -> Future[_Value]:
            def done() -> _Value:
                with team(self._proof_threads, OWNER):
                    return work(self._sample, progress.silent())

            return beside.submit(done)

        if counted_flows(self.engine) is None:
            self._expected = beside_sweeps(self._expect)
        if self.engine.may_be_shared and len(self._sample) <= _LEAST_FLOWS:
            self._again = beside_sweeps(self._claims)

    def rows_of(self, part: FlowTotals) -> RowSummaries:
        """The numbers of the rows of a part, as its sweep found them; see `gives_rows`."""
        graph, found = self._translation.searched, part.rows
        assert found is not None
        reached = found[:, ARRIVED].astype(np.int32) + 1  # each itself
        return RowSummaries(
            found[:, FARTHEST].astype(graph.distance_type.dtype),
            found[:, TOTAL].astype(sum_type_of(graph)),
            reached,
            np.ones_like(reached),  # without a budget, and weights of 0: itself
        )

    def compare(self, sources: Int32s, rows: RowSummaries, own: RowSummaries) -> bool:
        """Whether the numbers of another program are those of the sweep of flows; if not,
        `failure` says it.
        """
        differ = np.zeros(len(own), np.bool_)
        for one, other in zip(rows.arrays, own.arrays, strict=True):
            differ |= one != other
        self._compared += len(own)
        if not differ.any():
            return True
        source = int(sources[differ.argmax()])
        words = (
            f"From {self.request.graph.vertex_id(source)}, flows were computed over other "
            "distances than those of its row."
        )
        self.failure = Verdict(False, int(differ.sum()), words, (source,))
        return False

    def forget(self) -> None:
        """Start with no source."""
        self.finished, self.proved = np.zeros(self.request.count, np.bool_), 0
        self._groups: list[FlowTotals] = [
            self.engine.nothing() for _ in range(GROUPS if self.request.estimates else 1)
        ]
        self._sizes = np.zeros(len(self._groups), np.int64)

    def compute(self, sources: Int32s, progress: Progress) -> FlowTotals | None:
        """Flows of some sources in a worker, which proves those of one; None if they are
        wrong, as `failure` says.
        """
        part = self.engine.flows(sources, progress)
        part.recomputed = self._recompute(sources[[sampled(sources)]], progress.silent())
        return part if self.failure is None else None

    def take(self, first: int, last: int, part: FlowTotals) -> bool:
        """Add flows of some sources, computed here or in a worker; False if they are of
        another hierarchy.
        """
        group = int(self._sizes.argmin())
        if [array.shape for array in part.arrays] != [
            array.shape for array in self._groups[group].arrays
        ]:
            self.failure = Verdict(False, 1, "A worker's flows are of another hierarchy.")
            return False
        self._groups[group].add(part)
        self.proved += part.recomputed
        self._sizes[group] += last - first
        self.finished[first:last] = True
        self._is_new = True
        return True

    def result(self, summaries: RowSummaries, progress: Progress) -> Flows:
        """The answer; `failure` tells whether it is wrong."""
        whole = self._groups[0]
        if len(self._groups) > 1:
            whole = self.engine.nothing()
            for group in self._groups:
                whole.add(group)
        found, claims = self._of_arcs(whole, progress)
        for sources, flows in claims:
            self.proved += self._compare_flows(sources, flows, progress, self._expected)
        self._prove(found, whole, summaries)
        arcs, vertices, paths = _of_network(self.request, found, whole)
        if not self.request.estimates:
            return Flows(self.request, arcs, vertices, paths, self.engine.name)
        n, k = self.request.graph.n, self.request.count
        used = self._sizes > 0
        estimates = np.stack(
            [
                _of_network(self.request, self.engine.arc_flows(group, progress), group)[1]
                * (n / size)
                for group, size in zip(self._groups, self._sizes.tolist(), strict=True)
                if size
            ]
        )
        scale = n / k
        half = _half_width(estimates, k / n) if used.sum() > 1 else np.full(n, np.inf)
        vertices = vertices * scale
        intervals = np.stack((np.maximum(0.0, vertices - half), vertices + half))
        name = self.engine.name
        return Flows(self.request, arcs * scale, vertices, paths * scale, name, intervals)

    @property
    def summary(self) -> str:
        """What has been proved."""
        recomputed = (
            f"Flows of {plural(self.proved, 'source')} recomputed; lengths"
            if self.proved
            else "Lengths"
        )
        sampled = ""
        if self._compared < self.request.count and self.gives_rows:
            sampled = (
                f", the lengths by a sample: another program computed the distances of "
                f"{format_count(self._compared)} of {plural(self.request.count, 'source')} "
                "(chosen with seed 0)"
            )
        words = f"{recomputed} and balances of flows proved{sampled}."
        return f"{words} {self._whole.meaning}".rstrip()

    def _of_arcs(
        self, whole: FlowTotals, progress: Progress
    ) -> tuple[Float64s, list[tuple[Int32s, Float64s]]]:
        """Flows of the arcs, of all sources, and of the sample, as `_claims`."""
        if self.failure is not None:
            return self.engine.arc_flows(whole, progress.silent()), []
        if self._again is not None:
            return self.engine.arc_flows(whole, progress.silent()), self._again.result()
        again = self._totals_again(self._sample, progress)
        totals = [whole, *(totals for _, totals in again)]
        found, *claimed = in_threads(
            len(totals), lambda t: self.engine.arc_flows(totals[t], progress.silent())
        )
        return found, [(one, flows) for (one, _), flows in zip(again, claimed, strict=True)]

    def _recompute(self, sources: Int32s, progress: Progress) -> int:
        """Compute the flows of some sources again, by another program; returns of how many, as
        there may be none for some.
        """
        claims = self._claims(sources, progress)
        return sum(self._compare_flows(chosen, flows, progress) for chosen, flows in claims)

    def _claims(self, sources: Int32s, progress: Progress) -> list[tuple[Int32s, Float64s]]:
        """Flows of the arcs, of the sources, alone, whose flows another program can compute."""
        again = self._totals_again(sources, progress)
        return [(chosen, self.engine.arc_flows(totals, progress)) for chosen, totals in again]

    def _totals_again(self, sources: Int32s, progress: Progress) -> list[tuple[Int32s, FlowTotals]]:
        """Those of the sources, alone, whose flows another program can compute; none if that
        is what computed them.
        """
        if self.engine is counted_flows(self.engine):
            return []
        if isinstance(self.engine, ProvedFlows):
            sources = sources[self.engine.proves(sources, progress)]
        return [(sources, self.engine.flows(sources, progress))]

    def _compare_flows(
        self,
        sources: Int32s,
        claimed: Float64s,
        progress: Progress,
        expected: Future[Float64s] | None = None,
    ) -> int:
        """Compare flows of some sources with those by another program, which may have computed
        them already; returns of how many.
        """
        found = self._expect(sources, progress) if expected is None else expected.result()
        verdict = self._prover.same_flows(sources, claimed, found)
        if not verdict.verified and len(sources) > 1:  # of which?
            for source in sources:
                if self.failure is None:
                    self._recompute(np.array([source]), progress)
        self._require(verdict)
        return len(sources)

    def _require(self, verdict: Verdict) -> None:
        if self.failure is None and not verdict.verified:
            self.failure = verdict

    def _expect(self, sources: Int32s, progress: Progress) -> Float64s:
        return self._counted.arc_flows(self._counted.flows(sources, progress), progress)

    def _prove(self, arcs: Float64s, whole: FlowTotals, summaries: RowSummaries) -> None:
        if self.failure is not None:
            return
        claims = [self._whole.length_claim(arcs, whole.length)]
        request = self.request
        if request.masses is None and request.targets is None and request.longest_path is None:
            weights = self._translation.searched.weights
            expected = float(summaries.totals[self.finished].sum(dtype=np.float64))
            # where decimals are meant, two ways of one length differ as the floats do
            rounding = 0.0 if weights.dtype.kind == "i" else float(np.finfo(weights.dtype).eps)
            allowed = max(TOLERANCE, rounding) * expected
            claims.append(
                LengthClaim(
                    "the sum of all distances", float((arcs * weights).sum()), expected, allowed
                )
            )
        self._require(self._prover.flows(arcs, whole.starts - whole.ends, whole.starts, claims))

    def resume(self, state: Path, key: Mapping[str, Any]) -> Bools:
        """Take over totals that were kept beside a state file; returns the sources that
        they contain, (count,).
        """
        path, own = self._state = flows_beside(state), self._key(key)
        try:
            with path.open("rb") as file, np.load(file) as kept:
                if str(kept["key"]) == own and kept["finished"].shape == self.finished.shape:
                    self.finished[:], self._sizes[:] = kept["finished"], kept["sizes"]
                    self.proved = int(kept["proved"])
                    for i, group in enumerate(self._groups):
                        group.length = float(kept["lengths"][i])
                        for j, array in enumerate(group.arrays):
                            array[:] = kept[f"group{i}_{j}"]
        except FileNotFoundError:
            pass
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            log.warning(
                "the flows kept beside the state file cannot be read; "
                "all sources are computed again"
            )
            log.debug("reading flows", exc_info=error)
            self.forget()
        return self.finished

    def keep(self, *, last: bool = False) -> None:
        """Write the totals, atomically, after the state file has their sources; nothing
        without a state file.

        Unless this is the last time, they are left for later if writing would take more
        than a tenth of the run: those of an estimate are large. Results that an
        interrupted run did not write are recomputed. Raises FileNotWritten.
        """
        began = time.monotonic()
        if self._state is None or not self._is_new or not (last or began >= self._next_keep):
            return
        path, key = self._state
        arrays: dict[str, Any] = {
            f"group{i}_{j}": array
            for i, group in enumerate(self._groups)
            for j, array in enumerate(group.arrays)
        }
        with replace_atomically(path) as temporary, temporary.open("wb") as file:
            np.savez(
                file,
                key=key,
                finished=self.finished,
                sizes=self._sizes,
                proved=self.proved,
                lengths=[group.length for group in self._groups],
                **arrays,
            )
        ended = time.monotonic()
        self._is_new, self._next_keep = False, ended + 10 * (ended - began)

    def _key(self, key: Mapping[str, Any]) -> str:
        masses = (
            ""
            if self.request.masses is None
            else hashlib.sha256(self._question.masses.astype("<f8").data).hexdigest()
        )
        engine = {
            "flows": self.engine.name,
            "numbering": self.engine.numbering,
            "groups": len(self._groups),
            "unit": self._whole.key,
        }
        return json.dumps({**key, **engine, "masses": masses})


class GrowingFlows:
    """Flows of ever more sources of a run, drawn at random: from those of one source to
    the ``whole`` at last.
    """

    def __init__(self, whole: Flows):
        self._whole, self._request = whole, whole.request
        most = min(self._request.count, _FILM_SOURCES)
        most_steps = min(_FILM_STEPS, max(8, _FILM_VALUES // max(1, whole.graph.m)))
        steps = np.unique(np.geomspace(1, most, most_steps).round().astype(int))
        self.counts: list[int] = [*steps[steps < self._request.count].tolist(), self._request.count]
        drawn = np.random.default_rng(0).permutation(self._request.count)[:most]
        self._sources = self._request.vertices(0, self._request.count)[drawn]
        self._engine: FlowEngine | None = None
        self._totals: FlowTotals | None = None
        self._done = 0

    def at(self, position: int, progress: Progress = SILENT) -> Flows:
        """Those of the first ``counts[position]`` sources; fastest in ascending order.

        Raises UnsuitableGraph, OutOfMemory, Unavailable, Cancelled.
        """
        count = self.counts[position]
        if count == self._request.count:
            return self._whole
        with team(self._request.threads, OWNER) as threads:
            if self._engine is None:
                question = _question(self._request, max(1, threads))
                self._engine = question.engine(progress.silent())
            if self._totals is None or count < self._done:
                self._totals, self._done = self._engine.nothing(), 0
            if count > self._done:
                self._totals.add(
                    self._engine.flows(self._sources[self._done : count], progress.silent())
                )
                self._done = count
            arcs = self._engine.arc_flows(self._totals, progress.silent())
        arcs, _, paths = _of_network(self._request, arcs, self._totals)
        return replace(self._whole, arcs=arcs, paths=paths, intervals=None)


class FlowSum(NamedTuple):
    """Flows of a graph, (m,) by arc, and (n,) what passes each vertex, starts, and ends there."""

    arcs: Float64s
    vertices: Float64s
    starts: Float64s
    ends: Float64s


def sum_flows(graph: Graph, origins: Float64s, destinations: Float64s) -> FlowSum:
    """Flows between vertices of given masses, (n,), on all cores.

    Raises UnsuitableGraph, OutOfMemory, Unavailable; VerificationFailed if the flows do
    not balance, or their lengths are wrong.
    """
    require_countable(graph)
    with team(0, OWNER) as threads:
        question = FlowQuestion.of(graph, max(1, threads), destinations, origins)
        engine = question.engine()
        totals = engine.flows(np.flatnonzero(origins).astype(np.int32), SILENT)
        arcs = engine.arc_flows(totals, SILENT)
    claim, balance = question.whole.length_claim(arcs, totals.length), totals.starts - totals.ends
    verdict = NetworkProver(graph).flows(arcs, balance, totals.starts, [claim])
    verdict.require(f"Flows of {graph.name} by {engine.name}")
    return FlowSum(arcs, totals.passing(graph, arcs), totals.starts, totals.ends)


def flows_beside(state: Path) -> Path:
    """The file of the totals that belong to a state file."""
    return state.with_name(state.name + ".flows")


def _question(request: AllSourcesRequest, threads: int) -> FlowQuestion:
    """The flows of what is searched, between ends and starts of junctions."""
    translation = searched_graph(request.graph)
    origins, destinations = translation.masses(request.origins, request.destinations)
    longest = request.longest_path
    return FlowQuestion.of(translation.searched, threads, destinations, origins, longest)


def _of_network(
    request: AllSourcesRequest, arcs: Float64s, totals: FlowTotals
) -> tuple[Float64s, Float64s, float]:
    """Flows of the arcs of the network, (m,), what passes its vertices, (n,), and what
    starts in all, from the flows of what was searched.
    """
    graph, translation = request.graph, searched_graph(request.graph)
    arcs, paths = translation.on_arcs(arcs), float(totals.starts.sum())
    # from a junction to its own end nobody travels
    has_end = translation.ends(np.arange(graph.n)) >= graph.n
    is_source = (totals.starts[: graph.n] > 0) & has_end
    own = np.where(is_source, request.origins * request.destinations, 0.0)
    ends = translation.on_vertices(totals.ends) - own
    return arcs, replace(totals, ends=ends).passing(graph, arcs), paths - float(own.sum())


def _half_width(estimates: Float64s, share: float) -> Float64s:
    """Half of the confidence interval of the mean of (groups, n) estimates from
    ``share`` of all sources.
    """
    from scipy.stats import t as student  # it takes long to import

    groups = len(estimates)
    quantile = float(student.ppf((1 + _CONFIDENCE) / 2, groups - 1))
    spread: Float64s = estimates.std(axis=0, ddof=1)
    return quantile * spread / math.sqrt(groups) * math.sqrt(max(0.0, 1.0 - share))
