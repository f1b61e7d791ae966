"""Check of a changed kernel or a user's own variant: on random graphs, and where a
wrong answer comes from.

A graph on which it fails is shrunk, as long as it still fails, by removing vertices and
arcs and by lowering weights. `find_deviation` compares two watched runs: it tells the
vertices that are wrong, in which iteration they leave the original's run, and what the
history of distances looks like: a lost update, a missing pass, a stale flag.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np

from solvers.core.problem import Problem, Recorder, TrialScope
from solvers.core.variant import Answers, Variant
from solvers.devices.device import Device
from solvers.errors import (
    Cancelled,
    InputError,
    KernelBuildError,
    TautpathError,
    Unavailable,
    UserCodeFailed,
)
from solvers.features.own_kernels.instrumented import Logged
from solvers.features.own_kernels.user_process import UserProcess, kept_process
from solvers.features.own_kernels.user_variants import UserVariant
from solvers.graphs.graph import Graph
from solvers.graphs.weights import DISTANCE_TYPES, WeightType, to_float
from solvers.system.array_types import AnyArray, Float64s, Int64s
from solvers.system.cancel import SILENT, Progress
from solvers.text import format_distance
from solvers.verification.reference import exact_reference

GRAPHS = 40
# graphs of one vertex more each time, and growth behind them, for faults of late passes
_SMALL, _GROWTH = 30, 1.25
_REPEATS = 3  # of a solve, since races are not lost every time
_LIMIT_S = 5.0  # for one small graph
_WATCH_LIMIT_S = 30.0  # with instrumented kernels
_DISTANCES = re.compile("dist|best|cost")  # names of arrays with distances
_SHRINK_S, _MOST_TRIES = 20.0, 400
_MOST_WEIGHT = 20
_MOST_HISTORY = 1 << 28


class Looks(Enum):
    """What a wrong answer looks like; the value says it in one line."""

    LOST_UPDATE = "a lost update: two threads wrote the same distance, and the greater one stayed"
    MISSING_PASS = "a missing pass: the run ended although a distance fell in its last iteration"
    STALE_FLAG = (
        "a stale flag: the distance of a tail fell, but its arcs were not relaxed afterwards"
    )
    TOO_SMALL = "a wrong candidate: the distance is smaller than that of any path"
    OTHER = "none of the usual faults"
    FAILED = "no answer"

    @property
    def title(self) -> str:
        return self.value.partition(":")[0].removeprefix("a ").capitalize()


@dataclass(frozen=True, eq=False)
class Deviation:
    """Where the answer of a run is wrong, and where the run leaves that of the original."""

    graph: Graph
    source: int
    looks: Looks
    wrong: Int64s  # vertices, ascending; empty if there is no answer
    got: Float64s  # (n,) all distances, inf where unreachable
    expected: Float64s
    vertex: int | None = None  # the wrong one that leaves the original first
    # the first in which it does, from 1; None if the runs report no distances
    iteration: int | None = None
    iterations: int = 0  # that the run made
    # tail and head of an arc that should have lowered a wrong distance, and was not
    # relaxed or was lost
    arc: tuple[int, int] | None = None
    wrote: str = ""  # which thread wrote the wrong distance, and where
    error: Exception | None = None

    @property
    def sentences(self) -> list[str]:
        if self.error is not None:
            return [str(self.error)]
        if self.vertex is None:
            return []
        name, unit = self.graph.vertex_id, self.graph.weight_unit
        got, expected = (
            format_distance(float(which[self.vertex]), unit) for which in (self.got, self.expected)
        )
        got = "no distance" if got == "unreachable" else got
        right = "no path leads to it" if expected == "unreachable" else f"{expected} is right"
        several = (
            f"; {len(self.wrong)} of {self.graph.n} vertices are wrong"
            if len(self.wrong) > 1
            else ""
        )
        found = [f"Vertex {name(self.vertex)} has {got}, but {right}{several}."]
        if self.iteration is not None:
            found.append(
                (
                    f"It leaves the original in iteration {self.iteration}; "
                    f"the run made {self.iterations}."
                )
                if self.iteration <= self.iterations
                else f"The run ended after iteration {self.iterations}, before the original did."
            )
        found.append(f"It looks like {self.looks.value}.")
        if self.arc is not None:
            found.append(
                f"The arc {name(self.arc[0])} → {name(self.arc[1])} was "
                "not relaxed, or its offer was lost."
            )
        return [*found, self.wrote] if self.wrote else found


class _History(Recorder):
    """Keeps the distances after every iteration; none if they are more than
    `_MOST_HISTORY` bytes.
    """

    wants_distances = True

    def __init__(self) -> None:
        self.rows: list[Float64s] = []
        self._bytes = 0

    def iterations(self, *counts: Any, **more: Any) -> None:
        distances = more.get("distances", counts[5] if len(counts) > 5 else None)
        if distances is None:
            return
        self._bytes += 8 * distances.size
        if self._bytes > _MOST_HISTORY:
            self.rows.clear()
        else:
            self.rows.extend(np.array(to_float(distances), ndmin=2, copy=True))


def find_deviation(
    own: UserVariant, base: Variant | None, problem: Problem, process: UserProcess | None = None
) -> Deviation | None:
    """Watch a run of ``own`` and, if its answer is wrong, one of ``base``; None if the
    answer is right.

    ``problem`` has a source. Raises `Cancelled`, and what keeps any answer from being
    found: KernelBuildError, ...
    """
    assert problem.source is not None
    graph, source = problem.graph, problem.source
    history = _History()
    watched = replace(problem, parameters=own.settle(problem.parameters), recorder=history)
    try:
        distances = _row(
            own.solve(watched) if process is None else process.solve(own.code, watched, _LIMIT_S),
            source,
        )
    except (KernelBuildError, Unavailable, Cancelled):
        raise
    except TautpathError as error:  # a crash, or a negative cycle where there is none
        nothing = np.full(graph.n, np.nan)
        return Deviation(
            graph, source, Looks.FAILED, np.empty(0, np.int64), nothing, nothing, error=error
        )
    right = exact_reference(graph, source, problem.progress)
    if right is None or not (wrong := np.flatnonzero(right.differing(distances))).size:
        return None
    got, expected = to_float(distances), to_float(right.distances)
    found = Deviation(graph, source, Looks.OTHER, wrong, got, expected, int(wrong[0]))
    if not history.rows:
        return found
    original = _History()
    if base is not None:
        base.solve(replace(problem, parameters=base.settle({}), recorder=original))
    first = _first_difference(history.rows, original.rows, wrong)
    if first is not None:
        found = replace(found, iteration=first[0], vertex=first[1])
    looks, arc = _looks_of(found, np.array(history.rows))
    return replace(found, looks=looks, arc=arc, iterations=len(history.rows))


def first_deviation(own: UserVariant, base: Variant, problem: Problem) -> Deviation | None:
    """The first that `find_deviation` sees in several runs, since races are not lost in
    every run, as `with_writer` tells it; None if all were right.

    One process serves all runs, and others of the problem's scope. Raises as
    `find_deviation` does.
    """
    with ExitStack() as stack:
        scope = problem.scope or stack.enter_context(TrialScope())
        scoped = replace(problem, scope=scope)
        for _ in range(_REPEATS):
            if (found := find_deviation(own, base, scoped)) is not None:
                process = None if found.vertex is None else kept_process(own.code, scope)
                return with_writer(own, scoped, found, process)
    return None


def with_writer(
    own: UserVariant, problem: Problem, found: Deviation, process: UserProcess | None = None
) -> Deviation:
    """``found``, with the thread that wrote the distance of the wrong vertex; raises Cancelled.

    It is seen in another run, with instrumented kernels, so it is told only where the
    kernel goes wrong in that, too.
    """
    if found.vertex is None or own.answers is not Answers.SSSP or problem.device is None:
        return found
    return replace(found, wrote=_writer(own, problem, found, found.vertex, process))


def _writer(
    own: UserVariant, problem: Problem, found: Deviation, vertex: int, process: UserProcess | None
) -> str:
    """Which thread wrote the distance of the wrong vertex last, or which two without an
    atomic; "" if not known.
    """
    given = replace(problem, parameters=own.settle(problem.parameters), recorder=None)
    with ExitStack() as stack:
        here = process or stack.enter_context(UserProcess())
        try:
            distances, log = here.watch(
                own.code, given, Logged.WRITES_OF_ELEMENT, vertex, _WATCH_LIMIT_S
            )
        except (UserCodeFailed, KernelBuildError):
            return ""
    rows = log.of("write", "atomic")
    rows = rows[[bool(_DISTANCES.search(log.sites[site].name)) for site in rows[:, 0]]]
    plain = rows[[log.sites[site].kind == "write" for site in rows[:, 0]]]
    name = found.graph.vertex_id(vertex)
    for launch in np.unique(plain[:, 3])[::-1]:
        here_rows = plain[plain[:, 3] == launch]
        threads = np.unique(here_rows[:, 1])
        if len(threads) > 1:
            site = log.sites[here_rows[-1, 0]]
            several = " and ".join(str(thread) for thread in threads[:2])
            return (
                f"In one launch, threads {several} wrote the distance of vertex {name} without an "
                f"atomic, in line {site.line} of {site.file}."
            )
    if not len(rows) or distances is None or to_float(distances)[vertex] != found.got[vertex]:
        return ""
    site, kernel = log.sites[rows[-1, 0]], log.launches[rows[-1, 3]].kernel
    if rows[-1, 3] == 0:
        return f"No thread wrote it after “{kernel}”."
    return f"Thread {rows[-1, 1]} of “{kernel}” wrote it last, in line {site.line} of {site.file}."


def _row(solution: Any, source: int) -> AnyArray:
    distances: AnyArray = solution.distances
    return distances if distances.ndim == 1 else distances[source]


def _first_difference(
    rows: list[Float64s], original: list[Float64s], wrong: Int64s
) -> tuple[int, int] | None:
    """The first iteration in which a vertex that ends wrong differs from the original's
    run, and that vertex.
    """
    for number in range(max(len(rows), len(original))):
        if number >= len(original):
            return None
        here = rows[min(number, len(rows) - 1)][wrong]
        differs = np.flatnonzero(here != original[number][wrong])
        if differs.size:
            return number + 1, int(wrong[differs[0]])
    return None


def _looks_of(found: Deviation, rows: Float64s) -> tuple[Looks, tuple[int, int] | None]:
    """What the history, (iterations, n), looks like, and the arc whose offer is missing."""
    graph, got, expected = found.graph, found.got, found.expected
    start = np.full(graph.n, np.inf)
    start[found.source] = 0
    history = np.vstack((start, rows))
    with np.errstate(invalid="ignore"):
        rounding = np.where(np.isfinite(expected), 1e-6 * np.abs(expected), 0.0)
        is_too_small = bool((got < expected - rounding).any())
    if is_too_small:
        return Looks.TOO_SMALL, None
    tails, heads = graph.tails, graph.indices
    with np.errstate(invalid="ignore"):
        offered = got[tails] + graph.weights
    missed = np.flatnonzero((offered < got[heads]) & np.isfinite(got[tails]))
    if not missed.size:
        return Looks.OTHER, None
    mine = missed[heads[missed] == found.vertex]
    arc = int((mine if mine.size else missed)[0])
    tail, head = int(tails[arc]), int(heads[arc])
    rose = (history[1:] > history[:-1]).any()
    fell = np.flatnonzero(history[1:, tail] < history[:-1, tail])
    # the iteration from which on the tail had its last distance
    when = int(fell[-1]) + 1 if fell.size else 0
    changed = (
        history[when : when + 2, head]
        != history[max(when - 1, 0) : when + 1, head][: len(history) - when]
    )
    if rose or (when < len(rows) and changed[1:].any()):
        return Looks.LOST_UPDATE, (tail, head)
    return Looks.MISSING_PASS if when >= len(rows) else Looks.STALE_FLAG, (tail, head)


@dataclass(frozen=True)
class CheckReport:
    graphs: int  # solved
    types: tuple[str, ...]
    deviation: Deviation | None = None  # on the smallest graph that was found
    first_size: tuple[int, int] = (0, 0)  # vertices and arcs of the graph that was shrunk
    skipped: tuple[str, ...] = ()  # weight types that the device lacks


@dataclass(frozen=True)
class _Arcs:
    """A graph while it is shrunk; the source is vertex 0."""

    n: int
    tails: Int64s
    heads: Int64s
    weights: AnyArray

    def graph(self) -> Graph:
        ids = np.arange(1, self.n + 1)
        return Graph.from_arcs(
            self.n,
            self.tails.astype(np.int32),
            self.heads.astype(np.int32),
            self.weights,
            ids=ids,
            name="check",
        )

    def without_vertices(self, first: int, count: int) -> _Arcs:
        keep = np.ones(self.n, np.bool_)
        keep[first : first + count] = False
        number = np.cumsum(keep) - 1
        arcs = keep[self.tails] & keep[self.heads]
        return _Arcs(
            int(keep.sum()), number[self.tails[arcs]], number[self.heads[arcs]], self.weights[arcs]
        )

    def without_arcs(self, first: int, count: int) -> _Arcs:
        keep = np.ones(len(self.tails), np.bool_)
        keep[first : first + count] = False
        return replace(
            self, tails=self.tails[keep], heads=self.heads[keep], weights=self.weights[keep]
        )

    def smaller(self) -> Iterator[_Arcs]:
        """Smaller graphs: without many vertices, fewer, one; without arcs; with a weight of 1."""
        for count, remove in (
            (self.n - 1, self.without_vertices),
            (len(self.tails), self.without_arcs),
        ):
            first = int(count < self.n and remove == self.without_vertices)
            size = max(1, count // 2)
            while count:
                yield from (remove(begin, size) for begin in range(first, first + count, size))
                if size == 1:
                    break
                size = max(1, size // 2)
        for arc in np.flatnonzero(self.weights > 1).tolist():
            weights = self.weights.copy()
            weights[arc] = 1
            yield replace(self, weights=weights)


def check(
    own: UserVariant,
    base: Variant,
    device: Device | None,
    *,
    graphs: int = GRAPHS,
    seed: int = 0,
    progress: Progress = SILENT,
    process: UserProcess | None = None,
) -> CheckReport:
    """Solve random graphs of all weight types until one fails, and shrink that;
    ``process`` is used and left open.

    Raises InputError if the variant finds one path only; KernelBuildError, Unavailable,
    Cancelled.
    """
    if own.answers is Answers.TARGET:
        raise InputError(
            f"{own.id} finds one path only; variants from one source "
            "and of all pairs can be checked."
        )
    missing = [
        kind.name for kind in DISTANCE_TYPES if device is not None and device.missing_features(kind)
    ]
    kinds = [kind for kind in DISTANCE_TYPES if kind.name not in missing]
    random, solved = np.random.default_rng(seed), 0
    with _Solver(own, base, device, progress, process) as solver:
        for number in range(graphs):
            for kind in kinds:
                progress.checkpoint(solved, graphs * len(kinds))
                size = (
                    2 + number
                    if number < _SMALL
                    else round(_SMALL * _GROWTH ** (1 + number - _SMALL))
                )
                arcs = _random_arcs(
                    random,
                    size,
                    kind,
                    negative=not own.needs_nonnegative and number % 2 == 1,
                    out_of_reach=number % 4 in (2, 3),
                )
                solved += 1
                found = solver.deviation(arcs)
                if found is not None:
                    first = arcs.n, len(arcs.tails)
                    found = solver.with_writer(_shrunk(arcs, found, solver.deviation, progress))
                    return CheckReport(
                        solved, tuple(k.name for k in kinds), found, first, tuple(missing)
                    )
    return CheckReport(solved, tuple(kind.name for kind in kinds), skipped=tuple(missing))


class _Solver:
    """Solves small graphs with one process, which is replaced after a crash."""

    def __init__(
        self,
        own: UserVariant,
        base: Variant,
        device: Device | None,
        progress: Progress,
        process: UserProcess | None,
    ):
        self._own, self._base, self._device = own, base, device
        self._progress = progress.silent()
        self._given, self._process = process, process or UserProcess()

    def __enter__(self) -> _Solver:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.is_usable and self._process is not self._given:
            self._process.close()

    def with_writer(self, found: Deviation) -> Deviation:
        """As `with_writer` of the module."""
        if not self._process.is_usable:
            self._process = UserProcess()
        problem = Problem(found.graph, found.source, device=self._device, progress=self._progress)
        return with_writer(self._own, problem, found, self._process)

    def deviation(self, arcs: _Arcs) -> Deviation | None:
        """Of one of several runs; None if all were right."""
        problem = Problem(arcs.graph(), 0, device=self._device, progress=self._progress)
        for _ in range(_REPEATS):
            if not self._process.is_usable:
                self._process = UserProcess()
            try:
                found = find_deviation(self._own, self._base, problem, self._process)
            except (KernelBuildError, Unavailable):
                self.__exit__()
                raise
            if found is not None:
                return found
        return None


def _random_arcs(
    random: np.random.Generator,
    size: int,
    kind: WeightType,
    *,
    negative: bool,
    out_of_reach: bool,
) -> _Arcs:
    """A path through all vertices, which takes many passes, and arcs between any; no
    negative cycle. Vertices are out of reach where no arc leads behind a place of the path.
    """
    n = int(random.integers(max(2, size // 2), size + 2))
    more = int(random.integers(0, 4 * n))
    order = np.concatenate(([0], 1 + random.permutation(n - 1)))
    tails = np.concatenate((order[:-1], random.integers(0, n, more)))
    heads = np.concatenate((order[1:], random.integers(0, n, more)))
    if out_of_reach:
        place, cut = np.argsort(order), int(random.integers(1, n))
        stays = (place[tails] >= cut) | (place[heads] < cut)
        tails, heads = tails[stays], heads[stays]
    weights = random.integers(0, _MOST_WEIGHT, len(tails))
    if negative:
        potential = random.integers(0, _MOST_WEIGHT, n)
        weights = weights // 4 + potential[tails] - potential[heads]
    return _Arcs(n, tails, heads, weights.astype(kind.dtype))


def _shrunk(
    arcs: _Arcs, found: Deviation, fails: Callable[[_Arcs], Deviation | None], progress: Progress
) -> Deviation:
    """The failure on the smallest graph that is found in `_SHRINK_S` seconds."""
    deadline, tries = time.monotonic() + _SHRINK_S, 0
    looks_for_smaller = True
    while looks_for_smaller:
        looks_for_smaller = False
        for candidate in arcs.smaller():
            progress.checkpoint()
            tries += 1
            if tries > _MOST_TRIES or time.monotonic() > deadline:
                return found
            smaller = fails(candidate)
            if smaller is not None:
                arcs, found, looks_for_smaller = candidate, smaller, True
                break
    return found
