"""Who takes part in a comparison: variants of ours, and peers; each with the time it
may take in all.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from solvers.commands.console import Console
from solvers.core.availability import availability
from solvers.core.problem import Problem
from solvers.core.variant import Algorithm, Answers, Variant, all_variants, find_variant
from solvers.devices.device import Device
from solvers.errors import Cancelled, TautpathError
from solvers.graphs.graph import Graph
from solvers.graphs.weights import to_float
from solvers.system.cancel import CancelToken, Progress
from solvers.verification.verify import verify_apsp, verify_sssp
from tests.benchmarks.peer_process import Dropped, PeerProcess
from tests.benchmarks.peers import PEERS, Rows

NAMED = {
    Answers.SSSP: ("auto", "dijkstra-heap", "bf-strided-flag"),
    Answers.APSP: ("auto-apsp", "dijkstra-apsp-serial", "fw-omp-tiled", "fw-tiled-shared"),
}
_SEED = 0
_ROWS_COMPARED = 1000


@dataclass(frozen=True)
class Question:
    """What all are asked."""

    graph: Graph
    source: int | None  # None for all pairs
    device: Device | None = None

    def wanted(self) -> NDArray[np.int64]:
        """Sources whose rows are held against ours: the source, or of all pairs 1,000
        rows at most.
        """
        if self.source is not None:
            return np.array([self.source], dtype=np.int64)
        n = self.graph.n
        return np.sort(
            np.random.default_rng(_SEED).choice(n, min(n, _ROWS_COMPARED), replace=False)
        )


class Program(Protocol):
    """What a contender runs."""

    def solve(self, limit_s: float) -> tuple[float, float]:
        """Once: milliseconds of the solve, and in all. Raises `Dropped` where it takes
        longer than the limit.
        """

    def rows(self) -> Rows:
        """Of the last answer, those that the question wants."""

    def close(self) -> None: ...


@dataclass
class Contender:
    """One program in the race, and how it did."""

    name: str
    program: Program
    is_peer: bool
    # that its runs may take in all; with less left than its last run took, it makes no
    # more
    limit_s: float = np.inf
    note: str = ""
    verified: str = "–"
    solve_ms: list[float] = field(default_factory=list)
    total_ms: list[float] = field(default_factory=list)
    warm_up_counts: bool = False  # it had time for its warm-up alone, whose time is shown
    _spent_s: float = 0.0
    _last_s: float = 0.0
    _warm_up: tuple[float, float] = (0.0, 0.0)

    def run(self) -> tuple[float, float]:
        """Once, within what is left of its time."""
        started = time.monotonic()
        times = self.program.solve(self.limit_s - self._spent_s)
        self._last_s = time.monotonic() - started
        self._spent_s += self._last_s
        return times

    def warm_up(self) -> None:
        """Once, uncounted, unless there is no time for more."""
        self._warm_up = self.run()
        if not self.has_time():
            self._count_warm_up()

    def trial(self) -> None:
        """Once more, if there is time; a run that takes longer than what is left is its
        last, and does not count.
        """
        if not self.has_time():
            return
        try:
            self._note(*self.run())
        except Dropped:
            self._spent_s = self.limit_s
            if not self.total_ms:
                self._count_warm_up()

    def _count_warm_up(self) -> None:
        self.warm_up_counts = True
        self._note(*self._warm_up)

    def has_time(self) -> bool:
        return self._spent_s < self.limit_s and self._spent_s + self._last_s <= self.limit_s

    def _note(self, solve_ms: float, total_ms: float) -> None:
        self.solve_ms.append(solve_ms)
        self.total_ms.append(total_ms)


class OurProgram:
    """A variant on its defaults."""

    def __init__(self, entry: Variant, question: Question):
        self._entry, self._question = entry, question
        self._device = question.device if entry.runs_on.takes_device else None
        self._parameters = entry.settle({})
        self._answer: NDArray[Any] | None = None
        self.note = ""
        # of the first solve, which makes what is kept with the graph
        self.first_prepare_ms: float | None = None

    @property
    def answer(self) -> NDArray[Any]:
        """Distances of the last solve, as our variants give them."""
        assert self._answer is not None, "there is no answer before the first solve"
        return self._answer

    def solve(self, limit_s: float) -> tuple[float, float]:
        token = CancelToken()
        question = self._question
        problem = Problem(
            question.graph, question.source, None, self._parameters, self._device, Progress(token)
        )
        self._answer = None  # two matrices at once may not fit
        clock = threading.Timer(min(limit_s, threading.TIMEOUT_MAX), token.cancel)
        clock.daemon = True
        clock.start()
        try:
            solution = self._entry.solve(problem)
        except Cancelled:
            raise Dropped(f"it took over the {limit_s:.0f} s left to it") from None
        finally:
            clock.cancel()
        self._answer, self.note = solution.distances, solution.note
        if self.first_prepare_ms is None:
            self.first_prepare_ms = solution.phases.prepare
        return solution.phases.solve, solution.phases.total

    def rows(self) -> Rows:
        single = self._question.source is not None
        return to_float(self.answer[None] if single else self.answer[self._question.wanted()])

    def is_proved(self) -> bool:
        """Whether the independent verifier proves the last answer."""
        graph, source = self._question.graph, self._question.source
        verdict = (
            verify_apsp(graph, self.answer)
            if source is None
            else verify_sssp(graph, source, self.answer)
        )
        return verdict.verified

    def close(self) -> None:
        self._answer = None


def ours_for(problem: str) -> tuple[str, ...]:
    """The variants that are fastest on some machine: those named, the modern ones, and
    all that need CUDA.
    """
    question = Answers(problem)
    own = [v for v in all_variants() if v.answers is question and not v.racy]
    fast = [v.id for v in own if v.algorithm is Algorithm.MODERN or v.cuda_only]
    return tuple(dict.fromkeys((*NAMED[question], *fast)))


def our_contenders(
    question: Question, ids: Sequence[str], limit_s: float, console: Console
) -> list[Contender]:
    """Those that can run here; the others are named with the reason."""
    found = []
    for name in ids:
        entry = find_variant(name)
        here = availability(entry, question.graph, question.device)
        if here.available:
            found.append(Contender(entry.id, OurProgram(entry, question), False, limit_s))
        else:
            console.line(f"without {name}: {here.reason}")
    return found


def peer_contenders(
    question: Question,
    names: Sequence[str],
    limit_s: float,
    console: Console,
    most_arcs: int | None = None,
    build_limit_s: float = 120.0,
) -> list[Contender]:
    """Those that can take the graph, once they have built it; the others are named with
    the reason.
    """
    begun = {}
    for name in names:
        reason = _why_not(name, question.graph, most_arcs)
        if reason:
            console.line(f"without {name}: {reason}")
        else:  # all build at once: nothing is timed yet
            begun[name] = PeerProcess(name, question.graph, question.source, question.wanted())
    found = []
    for name, process in begun.items():
        try:
            note = process.wait_until_built(build_limit_s)
        except Dropped as reason:
            process.close()
            console.line(f"without {name}: {reason}")
        else:
            found.append(Contender(name, process, True, limit_s, note))
    return found


def race(contenders: Sequence[Contender], trials: int, console: Console) -> list[Contender]:
    """Warm up, check, then all in turn; returns those that got so far. Peers are held
    against one of ours.
    """
    proved: Rows | None = None
    left = []
    for contender in contenders:
        try:
            contender.warm_up()
            program = contender.program
            if isinstance(program, OurProgram):
                contender.verified, contender.note = (
                    "yes" if program.is_proved() else "NO",
                    program.note,
                )
                if contender.verified == "yes" and proved is None:
                    proved = program.rows()
            elif proved is not None:
                theirs = program.rows()
                contender.verified = "yes" if _same(theirs, proved) else "NO"
                if not len(theirs):
                    contender.verified = "by itself"
        except (Dropped, TautpathError, MemoryError) as reason:
            contender.program.close()
            console.line(f"without {contender.name}: {reason or type(reason).__name__}")
        else:
            left.append(contender)
    for _ in range(trials):
        for contender in [c for c in left if not c.warm_up_counts]:
            contender.trial()
    return left


def _same(theirs: Rows, ours: Rows) -> bool:
    return theirs.shape == ours.shape and bool(np.allclose(theirs, ours, rtol=1e-5))


def _why_not(name: str, graph: Graph, most_arcs: int | None) -> str:
    if name not in PEERS:
        return f"no such peer is known ({', '.join(PEERS)} are)"
    if not PEERS[name].is_here:
        named = PEERS[name].program
        return f"{named} names no program" if named else "not installed (pip install -e .[bench])"
    if graph.has_negative_weights:
        return "Dijkstra needs non-negative weights"
    if PEERS[name].integers and not graph.weight_type.is_integer:
        return "it takes integer weights only"
    return PEERS[name].too_big(graph, most_arcs)
