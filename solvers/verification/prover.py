"""The proof of answers about a network: one prover, whoever answered and whatever was asked.

A `NetworkProver` has a network as it was read, and what was said of it since: closed and
slowed roads, an hour, other weights, rules for turns. What follows from these it derives
anew, once: the open arcs and their weights (`changed_roads`), and what turns allow and cost
(`networks`). Nothing that answered is believed. Rows that it is asked for again, a hierarchy
and its paths are claims as well, and so is the graph that is searched for a network with
turns: rows of it that are right by its arcs are compared with those of the network.

Each finding is a `Verdict`, which says what was proved, or what is wrong first. Answers that
take some seconds to prove are proved whole, of larger ones a sample, which is the same in
every run.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, Protocol

import numpy as np

from solvers.core.result import Verdict
from solvers.core.variant import Answers
from solvers.errors import KernelBuildError, OutOfMemory
from solvers.graphs.graph import Graph
from solvers.graphs.searched import searched_graph
from solvers.graphs.weights import to_float, weight_type
from solvers.system.array_types import AnyArray, Bools, Float64s, Int32s, Int64s
from solvers.system.cancel import SILENT, Progress
from solvers.system.threads import thread_team
from solvers.text import plural
from solvers.verification.changed_roads import changed_roads_failure
from solvers.verification.flows import LengthClaim, verify_flows, verify_same_flows
from solvers.verification.hierarchy_bounds import HierarchyBounds
from solvers.verification.networks import RuledDistances, agree, has_rules, verify_arcs, verify_path
from solvers.verification.paths import path_length
from solvers.verification.sample import ProofCount, Verify, proof_sample
from solvers.verification.verify import verify, verify_cycle, verify_row

log = logging.getLogger(__name__)

Claim = tuple[AnyArray | None, Float64s]
"""Vertices of what is searched, those of the network for None, and the distances to them."""

_ROWS_A_PROOF = 1_000  # of a table, one of which is proved
_PAIRS_A_PROOF = 10_000  # of a list of pairs
# of one set of weights, which are proved by rows, before bounds are proved: that takes as
# long as some rows
_PAIRS_BY_ROWS = 3
_MOST_SEARCHED = 50_000_000  # vertices and arcs, for the rows of one answer: some seconds
_NOTHING = Verdict(True, 0, "Nothing was to be proved.")


class SearchedAnswers(Protocol):
    """Answers about what is searched."""

    @property
    def bounds(self) -> HierarchyBounds | None: ...
    def path(self, source: int, target: int) -> Int32s: ...
    def rows(self, sources: AnyArray) -> Iterator[tuple[slice, AnyArray]]: ...


class Answering(Protocol):
    """What answered about a network, and is asked again for a proof: a `PreparedNetwork`."""

    @property
    def graph(self) -> Graph: ...
    @property
    def engine(self) -> SearchedAnswers: ...
    def searched_row(self, source: int, progress: Progress = ...) -> AnyArray: ...


class NetworkProver:
    """Proves answers about one network.

    Vertices are those of the network or, where it is said, of what is searched for it, the
    first of which they are. Any number of threads may ask.

    Parameters
    ----------
    graph : Graph
        The network with what was said of its roads.
    plan : str
        "all" or "sample" of the rows and pairs of answers in bulk, or "none".
    count : ProofCount, optional
        Counts what is proved, also of other states of the network.
    asked : Answering, optional
        What answered, for proofs that ask again.
    reverse : Graph, optional
        The reverse of what is searched, where rows are of the distances to vertices.
    """

    def __init__(
        self,
        graph: Graph,
        plan: Verify = "all",
        count: ProofCount | None = None,
        asked: Answering | None = None,
        reverse: Graph | None = None,
    ):
        self.graph, self.plan, self.count = graph, plan, count or ProofCount()
        self._asked = asked
        self._translation, self._is_reverse = searched_graph(graph), reverse is not None
        # by whose arcs rows must be right
        self.searched = self._translation.searched if reverse is None else reverse
        self._has_rules = has_rules(graph)
        self._pairs, self._counting = 0, threading.Lock()

    def of(self, asked: Answering) -> NetworkProver:
        """The prover of what something answers now."""
        if asked is self._asked:
            return self
        return NetworkProver(asked.graph, self.plan, self.count, asked)

    @property
    def _answering(self) -> Answering:
        assert self._asked is not None
        return self._asked

    @property
    def proves_all(self) -> bool:
        return self.plan == "all"

    @property
    def failure(self) -> Verdict | None:
        """In what the network is not what was said of its roads."""
        return None if self.plan == "none" else changed_roads_failure(self.graph)

    @cached_property
    def _by_rules(self) -> RuledDistances:
        return RuledDistances(self.graph)

    def answer(
        self,
        answers: Answers,
        found: AnyArray,
        source: int | None,
        target: int | None = None,
        progress: Progress = SILENT,
    ) -> Verdict:
        """Of the distances in what is searched with which a variant answers, as by `verify`.

        Raises Cancelled.
        """
        if self.failure is not None:
            return self.failure
        verdict = verify(answers, self.searched, found, source, target, progress)
        if not verdict.verified:
            return verdict
        if found.ndim == 2:
            return self._with_rules(verdict, verdict.rows, found.__getitem__, progress=progress)
        assert source is not None
        end = None if answers is not Answers.TARGET or target is None else self._own_vertex(target)
        return self._with_rules(verdict, (source,), lambda _: found, end, progress)

    def block(self, sources: AnyArray, rows: AnyArray) -> Verdict | None:
        """Of some of the rows of what is searched, (k, n); None if none is to be proved."""
        chosen = self._sampled(len(sources), _ROWS_A_PROOF)
        if not len(chosen):
            return None
        at = dict(zip(sources[chosen].tolist(), chosen.tolist(), strict=True))
        for source, i in at.items():
            verdict = self.row(source, rows[i], apart=False)
            if not verdict.verified:
                return verdict
        words = f"{len(chosen)} of {plural(len(rows), 'row')} proved."
        seed = len(rows) if len(chosen) < len(rows) else None
        verdict = Verdict(True, 0, words, tuple(sources[chosen].tolist()), seed)
        return self._with_rules(verdict, [*at], lambda source: rows[at[source]])

    def _with_rules(
        self,
        verdict: Verdict,
        sources: Sequence[int],
        row_of: Callable[[int], AnyArray],  # of what is searched
        target: int | None = None,
        progress: Progress = SILENT,
    ) -> Verdict:
        """A verdict on what was searched, or what is wrong by the turns of the network; of
        rows that would take long, a sample.
        """
        if not self._has_rules:
            return verdict
        most = self.most_apart
        for i in proof_sample(len(sources), most, len(sources)).tolist():
            own = self._own(row_of(sources[i]))
            failure = self._by_rules.failure(sources[i], own, target, progress)
            if failure is not None:
                return failure
        if most < len(sources):
            return replace(verdict, text=f"{verdict.text} Turns proved of {plural(most, 'row')}.")
        return verdict

    @property
    def most_apart(self) -> int:
        """Of how many rows of an answer the distances by turns are searched: some seconds."""
        return max(1, _MOST_SEARCHED // self._by_rules.size) if self._has_rules else 0

    def row(
        self, source: int, found: AnyArray, progress: Progress = SILENT, *, apart: bool = True
    ) -> Verdict:
        """Of a row of what is searched, (n,), for a vertex of the network, or for a copy of one,
        after an arc, which has no row in the network; ``apart`` by the turns of that, too.

        Raises Cancelled.
        """
        if self.failure is not None:
            return self.failure
        verdict = verify_row(self.searched, self._start(source), found, progress)
        verdict = replace(verdict, rows=(self._own_vertex(source),))
        self.count.add(0, int(verdict.verified))
        apart = apart and self._has_rules and source < self.graph.n
        if not verdict.verified or not apart:
            return verdict
        own, is_to = self._own(found), self._is_reverse
        failure = self._by_rules.failure(source, own, to_source=is_to, progress=progress)
        return verdict if failure is None else replace(failure, rows=verdict.rows)

    def own_row(
        self,
        source: int,
        row: AnyArray,
        progress: Progress = SILENT,
        *,
        apart: bool = True,
    ) -> Verdict:
        """As `row`, of a row of the network; where another graph is searched, by that of it."""
        if self._translation.searched is self.graph:
            return self.row(source, row, progress, apart=apart)
        found = self._answering.searched_row(source, progress)
        verdict = self.row(source, found, progress, apart=apart)
        if verdict.verified and not np.array_equal(self._own(found), row):
            name = self.graph.vertex_id(verdict.rows[0])
            return Verdict(False, 1, f"Row {name} is not the one proved.", verdict.rows)
        return verdict

    def claims(self, sources: AnyArray, claims: Iterable[Claim]) -> Verdict:
        """Of distances from each of some vertices, those of what is searched: that they are
        those of its row, which is asked for again and proved.
        """
        if self.failure is not None:
            return self.failure
        claimed = list(claims)
        verdicts = [_NOTHING] * len(claimed)
        for part, rows in self._answering.engine.rows(sources):
            places = range(part.start, part.start + len(rows))
            works = (
                partial(self._claim, verdicts, place, int(sources[place]), row, *claimed[place])
                for place, row in zip(places, rows, strict=True)
            )
            with thread_team() as team:
                team.run(works)
            for place in places:
                if not verdicts[place].verified:
                    return verdicts[place]
        proved = tuple(row for verdict in verdicts for row in verdict.rows)
        return Verdict(True, 0, f"{plural(len(proved), 'row')} proved.", proved)

    def _claim(
        self,
        verdicts: list[Verdict],
        place: int,
        source: int,
        row: AnyArray,
        targets: AnyArray | None,
        claimed: Float64s,
    ) -> None:
        verdict = self.row(source, row)
        right = to_float(self._own(row) if targets is None else row[targets])
        if verdict.verified and not agree(claimed, right, weight_type(row.dtype), self.graph.n):
            differ = int(np.count_nonzero(claimed != right))
            name = self.graph.vertex_id(verdict.rows[0])
            words = f"From {name}, {plural(differ, 'distance')} are not those proved."
            verdict = Verdict(False, differ, words, verdict.rows)
        verdicts[place] = verdict

    def table(
        self,
        starts: AnyArray,
        targets: AnyArray | None,
        row_of: Callable[[int], Float64s],
    ) -> Verdict:
        """Of some rows of a table, in the unit of the weights, from and to vertices of what is
        searched; those of the network for None.
        """
        chosen = self._sampled(len(starts), _ROWS_A_PROOF)
        claims = ((targets, row_of(i)) for i in chosen.tolist())
        self.count.add(len(starts), 0)
        return self.claims(starts[chosen], claims)

    def rows_on_device(self, device: Any, sources: Int64s, rows: Any) -> Verdict:
        """Of some rows, (k, n) of the distance type, on the CUDA device that has them; as of a
        table, if the proof there does not suit the graph or lacks memory.
        """
        # what needs a device
        from solvers.devices.cuda import CudaBuffer
        from solvers.verification.device_rows import proved_on_device

        if self.failure is not None:
            return self.failure
        chosen = self._sampled(len(sources), _ROWS_A_PROOF)
        if not self._has_rules:
            try:
                with device.session() as session:
                    own = CudaBuffer(rows)
                    proved = proved_on_device(self.graph, session, own, sources, chosen)
            except (OutOfMemory, KernelBuildError) as error:
                log.info("rows are proved on the processor: %s", error)
            else:
                self.count.add(0, int(proved.sum()))
                chosen = chosen[~proved]
        self.count.add(len(sources), 0)
        claims = ((None, to_float(rows[i].get())) for i in chosen.tolist())
        return self.claims(sources[chosen], claims)

    def pair(self, start: int, goal: int, length: float) -> Verdict:
        """Of the length of one pair, as of `pairs`."""
        pair = np.array([start]), np.array([goal]), np.array([length])
        return self.pairs(*pair, in_bulk=False)

    def pairs(
        self, starts: AnyArray, goals: AnyArray, found: Float64s, *, in_bulk: bool = True
    ) -> Verdict:
        """Of the lengths, (k,), of some pairs of vertices of what is searched."""
        self.count.add(len(starts) if in_bulk else 0, 0)
        chosen = self._sampled(len(starts), _PAIRS_A_PROOF)
        if not len(chosen):
            return _NOTHING
        if self.failure is not None:
            return self.failure
        left = chosen[~self._are_proved_by_bounds(starts, goals, found, chosen)]
        left = left[np.argsort(starts[left], kind="stable")]
        sources, first = np.unique(starts[left], return_index=True)
        groups = np.split(left, first[1:]) if len(left) else []
        return self.claims(sources, ((goals[group], found[group]) for group in groups))

    def paths(
        self,
        ends: tuple[AnyArray, AnyArray],
        found: tuple[Int32s, Int64s, AnyArray],
    ) -> Verdict:
        """Of the lengths of some pairs of the network, and that their paths have these lengths;
        ``found`` are vertices of all paths, where each begins, and lengths.
        """
        (starts, goals), (vertices, first, lengths) = ends, found
        claimed, kind = to_float(lengths), weight_type(lengths.dtype)
        verdict = self.pairs(starts, self._translation.ends(goals), claimed)
        for i in self._sampled(len(starts), _PAIRS_A_PROOF).tolist() if verdict.verified else ():
            path = vertices[first[i] : first[i + 1]]
            if not len(path) and not np.isfinite(claimed[i]):
                continue
            fits = len(path) and path[0] == starts[i] and path[-1] == goals[i]
            fits = fits and verify_path(self.graph, path).verified
            total = float(path_length(self.graph, path)) if fits else np.nan
            if not agree(np.array([total]), claimed[i : i + 1], kind, self.graph.n):
                words = f"The path of pair {i} does not have the length {claimed[i]:g}."
                return Verdict(False, 1, words, (int(starts[i]),))
        return verdict

    def path(self, path: AnyArray, length: int | float | None = None) -> Verdict:
        """That a path exists, is allowed by turns, and has a length, if that is an integer; in a
        sample where turns matter.
        """
        if not (self.proves_all or (self._has_rules and self.plan == "sample")):
            return _NOTHING
        return self.failure or replace(
            verify_path(self.graph, path, length), rows=tuple(path[:1].tolist())
        )

    def arcs(self, network: Graph, arcs: AnyArray) -> Verdict:
        """As `path`, of arcs of a network that has all that the graph has."""
        if self.plan == "none" or not self._has_rules:
            return _NOTHING
        named = arcs if network.base is None else network.base.arcs[arcs]
        start = tuple(network.tails[arcs[:1]].tolist())
        return self.failure or replace(verify_arcs(self.graph, named), rows=start)

    def cycle(self, cycle: Sequence[int]) -> Verdict:
        """That vertices of what is searched are a cycle of negative weight."""
        return self.failure or verify_cycle(self.searched, cycle)

    def flows(
        self,
        arcs: Float64s,
        balance: Float64s,
        starts: Float64s,
        lengths: Iterable[LengthClaim],
    ) -> Verdict:
        """Of flows of the arcs of what is searched, as by `verify_flows`."""
        return self.failure or verify_flows(self.searched, arcs, balance, starts, lengths)

    def same_flows(self, sources: Int32s, claimed: Float64s, found: Float64s) -> Verdict:
        """Of flows from some sources, by those that another program has found, (m,)."""
        return self.failure or verify_same_flows(self.searched, sources, claimed, found)

    def _are_proved_by_bounds(
        self,
        starts: AnyArray,
        goals: AnyArray,
        found: Float64s,
        chosen: Int64s,
    ) -> Bools:
        """Which of the chosen pairs a path of the length found and the bounds of a hierarchy
        prove; rows decide about the others, and say what is wrong.
        """
        are_proved = np.zeros(len(chosen), np.bool_)
        with self._counting:
            self._pairs += len(chosen)
        # bounds know nothing of turns
        if self._pairs <= _PAIRS_BY_ROWS or self._has_rules:
            return are_proved
        engine = self._answering.engine
        bounds = engine.bounds
        if bounds is None or bounds.graph is not self.graph:
            return are_proved
        pairs = zip(*(of[chosen].tolist() for of in (starts, goals, found)), strict=True)
        for i, (start, goal, length) in enumerate(pairs):
            are_proved[i] = bounds.proves(start, goal, engine.path(start, goal), length)
        self.count.add(0, int(are_proved.sum()))
        return are_proved

    def _sampled(self, count: int, share: int) -> Int64s:
        """Positions that are proved, ascending."""
        if self.plan == "none":
            return np.empty(0, np.int64)
        return proof_sample(count, count if self.proves_all else -(-count // share), seed=count)

    def _start(self, source: int) -> int:
        """The vertex of what is searched whose row is that of a vertex of the network."""
        return self._translation.end(source) if self._is_reverse else source

    def _own_vertex(self, vertex: int) -> int:
        """The vertex of the network that one of what is searched is."""
        return vertex if vertex < self.graph.n else int(self._translation.vertex_of[vertex])

    def _own(self, found: AnyArray) -> AnyArray:
        """The row of the network, (n,), that one of what is searched is."""
        way_back = self._translation
        return way_back.distances_to(found) if self._is_reverse else way_back.distances(found)
