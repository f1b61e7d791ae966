"""Proofs of what a prepared network answers: rows of distances by the verifier, and that
answers are those of proved rows.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from solvers.errors import KernelBuildError, OutOfMemory, ParameterError, VerificationFailed
from solvers.graphs.graph import Graph
from solvers.graphs.searched import searched_graph
from solvers.graphs.weights import WeightType
from solvers.system.array_types import AnyArray, Bools, Float64s, Int64s
from solvers.system.threads import thread_team
from solvers.text import plural
from solvers.verification.sample import proof_sample

if TYPE_CHECKING:
    from solvers.core.result import Verdict
    from solvers.running.engines import Engine, Paths
    from solvers.running.prepared_network import PreparedNetwork
    from solvers.verification.networks import NetworkProof

log = logging.getLogger(__name__)

Verify = Literal["sample", "all", "none"]
CHOICES = ("sample", "all", "none")
_ROWS_A_PROOF = 1_000  # of a table, one of which is proved
_PAIRS_A_PROOF = 10_000  # of a list of pairs
# of one set of weights, which are proved by rows, before its bounds are proved: that takes
# as long as some rows
_PAIRS_BY_ROWS = 3
_ROUNDINGS = 4  # as of `recover_predecessors`


def proof_plan(verify: bool | str, owner: str) -> Verify:
    """The choice as a word: True is "all", False is "none"; raises ParameterError, on
    behalf of ``owner``.
    """
    if isinstance(verify, bool):
        return "all" if verify else "none"
    if verify not in CHOICES:
        raise ParameterError(owner, "verify", verify, f"it takes True, False, {', '.join(CHOICES)}")
    return cast(Verify, verify)


@dataclass(frozen=True)
class Proofs:
    """What was proved of the answers about a network.

    Attributes
    ----------
    answered : int
        Rows of tables and blocks, and pairs, that were answered in bulk.
    proved : int
        Rows of distances, and pairs by bounds, that were proved for them, and for
        single questions.
    """

    answered: int = 0
    proved: int = 0


class AnswerProver:
    """Proves answers about a network, as many as ``verify`` says; every method raises
    `VerificationFailed`.
    """

    def __init__(self, network: Graph, verify: Verify):
        self._network, self.verify = network, verify
        self.proofs = Proofs()
        self._counting = threading.Lock()
        # what answered the pairs that were proved last, and how many
        self._pairs: tuple[Engine | None, int] = (None, 0)

    @property
    def proves_all(self) -> bool:
        return self.verify == "all"

    def prove_roads(self, state: PreparedNetwork) -> None:
        """Prove that the graph of a state is what was said of its network."""
        from solvers.verification.changed_roads import changed_roads_failure

        failure = None if self.verify == "none" else changed_roads_failure(state.graph)
        if failure is not None:
            raise _failure(state, failure.text, 0, failure.wrong_vertices)

    def prove_row(self, state: PreparedNetwork, source: int, row: AnyArray) -> None:
        """Prove the distances from one vertex, (n,) of the distance type."""
        if state.translation.is_split:
            self.prove_rows(state, np.array([source]), [(None, as_float(row, state.kind))])
            return
        self.prove_roads(state)
        self._prove_searched_row(state, source, row)

    def _prove_searched_row(self, state: PreparedNetwork, source: int, row: AnyArray) -> None:
        verdict = _verify_row(state.graph, source, row)
        if not verdict.verified:
            raise _failure(state, verdict.text, source, verdict.wrong_vertices)
        self._count(0, 1)

    def prove_block(
        self, state: PreparedNetwork, sources: AnyArray, rows: AnyArray
    ) -> Verdict | None:
        """The finding on some of the rows, (k, n) of the distance type; None if none is
        to be proved.
        """
        from solvers.core.result import Verdict
        from solvers.verification.changed_roads import changed_roads_failure

        chosen = self._sampled(len(sources), _ROWS_A_PROOF)
        failure = changed_roads_failure(state.graph) if len(chosen) else None
        if failure is not None:
            return failure
        for i in chosen.tolist():
            verdict = _verify_row(state.graph, int(sources[i]), rows[i])
            if not verdict.verified:
                return verdict
        words = f"{len(chosen)} of {plural(len(rows), 'row')} proved."
        proved = tuple(sources[chosen].tolist())
        if not proved:
            return None
        return Verdict(True, 0, words, proved, len(rows) if len(chosen) < len(rows) else None)

    def prove_table(
        self,
        state: PreparedNetwork,
        sources: AnyArray,
        targets: AnyArray | None,
        row_of: Callable[[int], Float64s],
    ) -> None:
        """Prove some rows of a table, in the unit of the weights; its targets are all
        vertices if None.
        """
        chosen = self._sampled(len(sources), _ROWS_A_PROOF)
        self.prove_rows(state, sources[chosen], ((targets, row_of(i)) for i in chosen.tolist()))
        self._count(len(sources), 0)

    def prove_rows_on_device(
        self, state: PreparedNetwork, device: Any, sources: Int64s, rows: Any
    ) -> None:
        """Prove some rows, (k, n) of the distance type, on the CUDA device that has them; as
        of a table, if the proof there does not suit the graph or lacks memory.
        """
        from solvers.devices.cuda import CudaBuffer
        from solvers.verification.device_rows import proved_on_device

        chosen = self._sampled(len(sources), _ROWS_A_PROOF)
        self.prove_roads(state)
        if not state.translation.is_split:
            try:
                with device.session() as session:
                    own = CudaBuffer(rows)
                    proved = proved_on_device(state.graph, session, own, sources, chosen)
            except (OutOfMemory, KernelBuildError) as error:
                log.info("rows are proved on the processor: %s", error)
            else:
                self._count(0, int(proved.sum()))
                chosen = chosen[~proved]
        claims = ((None, as_float(rows[i].get(), state.kind)) for i in chosen.tolist())
        self.prove_rows(state, sources[chosen], claims)
        self._count(len(sources), 0)

    def prove_pairs(
        self, state: PreparedNetwork, starts: AnyArray, ends: AnyArray, found: Float64s
    ) -> Int64s:
        """Prove the lengths, (k,), of some pairs; returns which."""
        chosen = self._sampled(len(starts), _PAIRS_A_PROOF)
        if len(chosen):
            self.prove_roads(state)
        left = chosen[~self._are_proved_by_bounds(state, starts, ends, found, chosen)]
        left = left[np.argsort(starts[left], kind="stable")]
        sources, first = np.unique(starts[left], return_index=True)
        groups = np.split(left, first[1:]) if len(left) else []
        self.prove_rows(state, sources, ((ends[group], found[group]) for group in groups))
        self._count(len(starts), 0)
        return chosen

    def prove_pair(self, state: PreparedNetwork, start: int, end: int, length: float) -> None:
        """Prove the length of one pair."""
        self.prove_roads(state)
        starts, ends, found = np.array([start]), np.array([end]), np.array([length])
        if not self._are_proved_by_bounds(state, starts, ends, found, np.array([0])).all():
            self.prove_rows(state, starts, [(ends, found)])

    def prove_paths(
        self, state: PreparedNetwork, starts: AnyArray, ends: AnyArray, found: Paths
    ) -> None:
        """Prove the lengths of some pairs, and that their paths have these lengths."""
        from solvers.verification.networks import verify_path
        from solvers.verification.paths import path_length

        vertices, first, lengths = found
        claimed = as_float(lengths, state.kind)
        for i in self.prove_pairs(state, starts, ends, claimed).tolist():
            path = vertices[first[i] : first[i + 1]]
            if not len(path) and not np.isfinite(claimed[i]):
                continue
            fits = len(path) and path[0] == starts[i] and path[-1] == ends[i]
            fits = fits and verify_path(state.graph, path).verified
            total = float(path_length(state.graph, path)) if fits else np.nan
            if not agree(np.array([total]), claimed[i : i + 1], state.kind, state.graph.n):
                raise _failure(
                    state,
                    f"The path of pair {i} does not have the length {claimed[i]:g}.",
                    int(starts[i]),
                )

    def prove_rows(
        self,
        state: PreparedNetwork,
        sources: AnyArray,
        claims: Iterable[tuple[AnyArray | None, Float64s]],
    ) -> None:
        """Prove the row of each source, and that the distances claimed, to all targets
        if None, are those of it.
        """
        self.prove_roads(state)
        claimed, proof = list(claims), _proof_of(state)
        for part, rows in state.searched.rows(sources):
            works = (
                partial(self._prove_claim, state, proof, source, row, *claim)
                for source, row, claim in zip(
                    sources[part].tolist(), rows, claimed[part], strict=True
                )
            )
            with thread_team() as team:
                team.run(works)

    def _are_proved_by_bounds(
        self,
        state: PreparedNetwork,
        starts: AnyArray,
        ends: AnyArray,
        found: Float64s,
        chosen: Int64s,
    ) -> Bools:
        """Which of the chosen pairs a path of the length found and the bounds of what is
        searched prove; rows decide about the others, and say what is wrong.
        """
        searched, are_proved = state.searched, np.zeros(len(chosen), np.bool_)
        # bounds know what was searched alone
        by_rows = searched_graph(state.graph.network).is_split
        if by_rows or not len(chosen) or not self._bounds_pay(searched, len(chosen)):
            return are_proved
        bounds = searched.bounds
        if bounds is None:
            return are_proved
        asked = starts[chosen], ends[chosen], found[chosen]
        pairs = zip(*(values.tolist() for values in asked), strict=True)
        for i, (start, end, length) in enumerate(pairs):
            are_proved[i] = bounds.proves(start, end, searched.path(start, end), length)
        self._count(0, int(are_proved.sum()))
        return are_proved

    def _bounds_pay(self, state: PreparedNetwork, count: int) -> bool:
        """Whether so many pairs are asked of a state that its bounds are worth their proof."""
        with self._counting:
            before, pairs = self._pairs
            pairs = pairs + count if before is state.engine else count
            self._pairs = state.engine, pairs
        return pairs > _PAIRS_BY_ROWS

    def _prove_claim(
        self,
        state: PreparedNetwork,
        proof: NetworkProof | None,
        source: int,
        row: AnyArray,
        targets: AnyArray | None,
        claimed: Float64s,
    ) -> None:
        self._prove_searched_row(state.searched, source, row)
        row = state.translation.distances(row)
        is_junction = source < state.graph.n  # else a copy of one, after an arc
        wrong = proof.failure(source, row) if proof is not None and is_junction else None
        if wrong is not None:
            raise _failure(state, wrong.text, source, wrong.wrong_vertices)
        right = as_float(row if targets is None else row[targets], state.kind)
        if not agree(claimed, right, state.kind, state.graph.n):
            differ = int(np.count_nonzero(claimed != right))
            name = state.searched.network.vertex_id(source)
            raise _failure(
                state,
                f"From {name}, {plural(differ, 'distance')} are not those proved.",
                source,
                differ,
            )

    def prove_path(
        self, state: PreparedNetwork, path: AnyArray, length: int | float | None = None
    ) -> None:
        """Prove that turns allow a path that was asked for alone, and its integer length."""
        if self.verify == "none" or not searched_graph(self._network.network).is_split:
            return
        from solvers.verification.networks import verify_path

        self.prove_roads(state)
        verdict = verify_path(state.graph, path, length)
        if not verdict.verified:
            raise _failure(state, verdict.text, int(path[0]))

    def prove_arcs(self, state: PreparedNetwork, arcs: AnyArray) -> None:
        """As `prove_path`, of arcs of the network of the state."""
        network = state.network
        if self.verify == "none" or not searched_graph(network.network).is_split:
            return
        from solvers.verification.networks import verify_arcs

        self.prove_roads(state)
        named = arcs if network.base is None else network.base.arcs[arcs]
        verdict = verify_arcs(state.graph, named)
        if not verdict.verified:
            raise _failure(state, verdict.text, int(network.tails[arcs[0]]))

    def _sampled(self, count: int, share: int) -> Int64s:
        """Positions that are proved, ascending: the same in every run."""
        if self.verify == "none":
            return np.empty(0, np.int64)
        return proof_sample(count, count if self.proves_all else -(-count // share), seed=count)

    def _count(self, answered: int, proved: int) -> None:
        with self._counting:
            before = self.proofs
            self.proofs = Proofs(before.answered + answered, before.proved + proved)


def _proof_of(state: PreparedNetwork) -> NetworkProof | None:
    """What proves rows by the network as read; None where that itself is searched."""
    if not searched_graph(state.graph.network).is_split:
        return None
    from solvers.verification.networks import NetworkProof

    return NetworkProof(state.graph)


def _verify_row(graph: Graph, source: int, row: AnyArray) -> Verdict:
    from solvers.verification.verify import verify_row

    return verify_row(graph, source, row)


def _failure(state: PreparedNetwork, text: str, source: int, wrong: int = 1) -> VerificationFailed:
    return VerificationFailed(f"An answer of the router ({state.note})", text, wrong, (source,))


def as_float(lengths: Any, kind: WeightType) -> Float64s:
    """Lengths of the distance type as float64, inf without a path."""
    found = np.asarray(lengths).astype(np.float64)
    if kind.is_integer:
        found[np.asarray(lengths) >= kind.infinity] = np.inf
    return found


def agree(claimed: Float64s, right: Float64s, kind: WeightType, n: int) -> bool:
    """Whether distances are the same, in floating point up to the rounding of sums in
    another order.
    """
    if kind.is_integer:
        return bool((claimed == right).all())
    slack = _ROUNDINGS * float(np.finfo(kind.dtype).eps) * (n**0.5 + 1)
    largest = float(np.abs(right[np.isfinite(right)]).max(initial=0.0))
    return bool(np.allclose(claimed, right, rtol=slack, atol=slack * largest))
