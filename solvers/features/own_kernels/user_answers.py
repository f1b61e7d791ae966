"""The check of what the process of a user's own code says, before anything else sees it.

Compiled code follows predecessors, frontiers and the places of an access log without
looking where they lead. Here everything that is an index is compared with the graph,
and all else with its declared type and range. What a wrong solver may say, such as
distances that are too long, passes: `solvers.verification` judges that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from solvers.core.problem import Phases, Problem, Solution
from solvers.core.variant import Answers
from solvers.devices.device import replay_launch
from solvers.errors import (
    DeviceUnavailable,
    InputError,
    KernelBuildError,
    NegativeCycle,
    OutOfMemory,
    TautpathError,
    Unavailable,
    UserCodeFailed,
)
from solvers.features.own_kernels.instrumented import AccessLog, Launch, Outside, Site
from solvers.features.own_kernels.user_code import UserCode
from solvers.features.own_kernels.user_messages import (
    DTYPES,
    Arrays,
    CodeAnswer,
    CodeFailure,
    LaunchesMade,
    PassesMade,
    PhaseBegun,
    Refused,
    StepMade,
    one_line,
    one_of,
)
from solvers.graphs.graph import Graph

INTEGERS = ("int32", "int64")
_LEAST_ROOM = 1 << 27  # bytes of an answer about a small graph
_MOST_RECORDED = 1 << 30  # bytes of what a recorder is told, beside
_BIGGEST_ACCESS, _MOST_DEPTH = 64, 8  # bytes, and indices of a shared array
_WORDS_ONLY: dict[str, type[TautpathError]] = {
    "DeviceUnavailable": DeviceUnavailable,
    "Unavailable": Unavailable,
    "InputError": InputError,
}


def most_bytes(code: UserCode, problem: Problem | None) -> int:
    """Of an answer; to a request without a problem, which has no arrays, as of a small graph."""
    if problem is None:
        return _LEAST_ROOM
    cells = int(np.prod(_shape(code, problem.graph), dtype=np.int64))
    recorded = 0 if problem.recorder is None else _MOST_RECORDED
    return _LEAST_ROOM + 64 * problem.graph.n + 16 * cells + recorded


def _shape(code: UserCode, graph: Graph) -> tuple[int, ...]:
    """Of the distances."""
    return (graph.n, graph.n) if code.answers is Answers.APSP else (graph.n,)


@dataclass(frozen=True)
class Received:
    """An answer, of which only the header is checked; every method raises `Refused`."""

    code: UserCode
    message: CodeAnswer
    arrays: Arrays
    problem: Problem | None
    _taken: Counter[str] = field(default_factory=Counter)

    @property
    def error(self) -> TautpathError | None:
        """The error that the process tells of."""
        failure = self.message.error
        if failure is None:
            return None
        if failure.kind == "NegativeCycle":
            return self._negative_cycle(failure)
        words = one_line(failure.words)
        if failure.kind == "OutOfMemory":
            sizes = failure.needed_bytes, failure.free_bytes
            return OutOfMemory(words, *sizes, where=failure.where, remedy=failure.remedy)
        if failure.kind == "KernelBuildError":
            return KernelBuildError(self.code.name, failure.where, failure.words)
        if failure.kind in _WORDS_ONLY:
            return _WORDS_ONLY[failure.kind](words)
        return UserCodeFailed(self.code.name, words)

    def _negative_cycle(self, failure: CodeFailure) -> NegativeCycle:
        name, graph = "NegativeCycle.vertices", self._asked.graph
        found = self._array(name, INTEGERS, (None,))
        _require_vertices(name, found, graph.n)
        if not 0 < len(found) <= graph.n or len(np.unique(found)) < len(found):
            raise Refused(name, f"{len(found)} vertices", "a cycle, with no vertex twice")
        vertices = tuple(found.tolist())
        ids = tuple(map(graph.vertex_id, vertices))
        return NegativeCycle(ids, vertices, failure.weight, failure.iterations)

    @property
    def _asked(self) -> Problem:
        if self.problem is None:
            raise Refused("answer", "not what was asked", "an answer to the question")
        return self.problem

    def remarks(self) -> str:
        """Of the compiler."""
        return _asked_for(self.message.remarks)

    def solution(self) -> Solution:
        message, shape = _asked_for(self.message.solution), _shape(self.code, self._asked.graph)
        predecessors = None
        if "Solution.predecessors" in self.arrays:
            name, last = "Solution.predecessors", shape[0] - 1
            predecessors = self._array(name, ("int32",), shape)
            what = f"a vertex from 0 to {last}, or -1 for none"
            _require_between(name, predecessors, -1, last, what)
        return Solution(
            # of any value, also NaN: which are wrong is a finding, and names the vertex
            self._array("Solution.distances", DTYPES, shape),
            message.iterations,
            Phases(**msgspec.structs.asdict(message.phases)),
            message.relaxations,
            predecessors,
            message.peak_device_bytes,
            message.note,
        )

    def _array(
        self,
        name: str,
        dtypes: Sequence[str],
        shape: tuple[int | None, ...],  # None: any length
    ) -> NDArray[Any]:
        """An array, with its type and shape checked."""
        found = self.arrays.get(name)
        sides = ", ".join("any" if side is None else str(side) for side in shape)
        right = f"an array of {one_of(tuple(dtypes))} and of shape ({sides})"
        if found is None:
            raise Refused(name, "missing", right)
        fits = found.ndim == len(shape) and all(
            side in (None, length) for side, length in zip(shape, found.shape, strict=True)
        )
        if found.dtype.name not in dtypes or not fits:
            raise Refused(name, f"an array of {found.dtype.name} and of shape {found.shape}", right)
        return found

    # -- what a recorder hears

    def replay(self) -> None:
        """Tell the problem's recorder and device what those of the process were told."""
        recorder = self._asked.recorder
        launches = self._launches("launches") if "launches" in self.arrays else ()
        for report in self.message.reports:
            match report:
                case LaunchesMade():
                    first = self._taken["launches"]
                    self._taken["launches"] += report.count
                    for launch in launches[first : first + report.count]:
                        one = launch.kernel, launch.blocks, launch.block
                        replay_launch(self._asked.device, *one)
                case PhaseBegun() if recorder is not None:
                    recorder.phase(report.name, report.unit)
                case PassesMade():
                    passes = self._passes(report)
                    if recorder is not None:
                        recorder.iterations(*passes)
                case StepMade():
                    tiles, matrix = self._step(report)
                    if recorder is not None:
                        of_all = (report.relaxed, report.requested_bytes, report.copied_bytes)
                        recorder.matrix_step(
                            report.step, report.phase, tiles, matrix, report.ms, *of_all
                        )
        for name, count in self._taken.items():
            length = len(self.arrays.get(name, ()))
            if length != count:
                raise Refused(name, f"of {length} rows", f"of {count}, as the reports say")

    def _next(
        self, name: str, dtypes: Sequence[str], count: int, sides: tuple[int, ...] = ()
    ) -> NDArray[Any]:
        """The next ``count`` rows of an array that several reports share."""
        first = self._taken[name]
        self._taken[name] += count
        found = self._array(name, dtypes, (None, *sides))
        if len(found) < first + count:
            raise Refused(name, f"of {len(found)} rows", f"of {first + count}, as the reports say")
        return found[first : first + count]

    def _passes(self, report: PassesMade) -> tuple[Any, ...]:
        """The arguments of `Recorder.iterations`."""
        n, count = self._asked.graph.n, report.passes
        vertices = self._next("passes.vertices", INTEGERS, report.vertices)
        _require_vertices("passes.vertices", vertices, n)
        offsets = self._next("passes.offsets", INTEGERS, count + 1)
        _require_rising("passes.offsets", offsets, len(vertices))
        counts = []
        for name in ("passes.relaxed", "passes.improved", "passes.ms"):
            found = self._next(name, DTYPES, count)
            _require_between(name, found, 0, 2**62, "a number of at least 0")
            counts.append(found)
        after = None
        if report.has_distances:
            after = self._next("passes.distances", DTYPES, count, (n,))
        return offsets, vertices, *counts, after

    def _step(self, report: StepMade) -> tuple[NDArray[Any], NDArray[Any] | None]:
        """The tiles and the matrix, whose values are only drawn."""
        name, n = "step.tiles", self._asked.graph.n
        tiles = self._next(name, INTEGERS, report.tiles, (4,))
        _require_between(name, tiles, 0, n, f"a row or column from 0 to {n}")
        wrong = np.flatnonzero((tiles[:, 0] > tiles[:, 1]) | (tiles[:, 2] > tiles[:, 3]))
        if len(wrong):
            at = int(wrong[0])
            right = "a range of rows and one of columns"
            raise Refused(f"{name}[{at}]", str(tiles[at].tolist()), right)
        matrix = None
        if report.has_matrix:
            matrix = self._next("step.matrix", DTYPES, 1, (n, n))[0]
        return tiles, matrix

    # -- access logs

    def watched(self) -> tuple[NDArray[Any] | None, AccessLog]:
        """The distances, None where there are none, and the access log."""
        message, found = _asked_for(self.message.log), None
        if "AccessLog.distances" in self.arrays:
            shape = _shape(self.code, self._asked.graph)
            found = self._array("AccessLog.distances", DTYPES, shape)
        launches, name = self._launches("AccessLog.launches"), "AccessLog.entries"
        sizes = np.array([launch.blocks * launch.block for launch in launches], np.int64)
        entries = self._array(name, ("int32",), (None, 5))
        _require_places(name, entries[:, [0, 1, 3]], sizes, len(message.sites))
        size = f"a size from {-_MOST_DEPTH} to {_BIGGEST_ACCESS}"
        _require_between(name, entries[:, 4], -_MOST_DEPTH, _BIGGEST_ACCESS, size)
        sites = tuple(Site(**msgspec.structs.asdict(site)) for site in message.sites)
        outside = self._outside(sites)
        return found, AccessLog(sites, launches, entries, outside, message.is_whole)

    def _launches(self, name: str) -> tuple[Launch, ...]:
        kernels = self.message.kernels
        found, most = self._array(name, ("int64",), (None, 3)), len(kernels) - 1
        _require_between(name, found[:, 0], 0, most, f"a kernel from 0 to {most}")
        _require_between(name, found[:, 1], 1, 2**40, "a number of blocks")
        _require_between(name, found[:, 2], 1, 2**20, "a number of threads")
        return tuple(
            Launch(kernels[kernel], blocks, block) for kernel, blocks, block in found.tolist()
        )

    def _outside(self, sites: tuple[Site, ...]) -> tuple[Outside, ...]:
        name, kernels = "AccessLog.outside", self.message.kernels
        found = self._array(name, ("int64",), (None, 5))
        columns = (("a site", len(sites)), ("a thread", 2**31), ("a kernel", len(kernels)))
        for column, (what, count) in enumerate(columns):
            words = f"{what} from 0 to {count - 1}"
            _require_between(name, found[:, column], 0, count - 1, words)
        return tuple(
            Outside(sites[site], thread, index, count, kernels[kernel])
            for site, thread, kernel, index, count in found.tolist()
        )


def _asked_for(part: Any | None) -> Any:
    if part is None:
        raise Refused("answer", "not what was asked", "an answer to the question")
    return part


def _require_vertices(name: str, found: NDArray[Any], n: int) -> None:
    _require_between(name, found, 0, n - 1, f"a vertex from 0 to {n - 1}")


def _require_between(name: str, array: NDArray[Any], low: Any, high: Any, what: str) -> None:
    """Refuse what is not from ``low`` to ``high``, inclusive, or is not a number."""
    if not array.size or (array.min() >= low and array.max() <= high):  # false for NaN
        return
    wrong = np.argwhere(~((array >= low) & (array <= high)))[0].tolist()
    place = ", ".join(map(str, wrong))
    raise Refused(f"{name}[{place}]", str(array[tuple(wrong)]), what)


def _require_rising(name: str, offsets: NDArray[Any], most: int) -> None:
    _require_between(name, offsets, 0, most, f"a place from 0 to {most}")
    fall = np.flatnonzero(offsets[1:] < offsets[:-1])
    if len(fall):
        at = int(fall[0]) + 1
        raise Refused(f"{name}[{at}]", str(offsets[at]), f"at least {offsets[at - 1]}")


def _require_places(
    name: str, rows: NDArray[Any], sizes: NDArray[np.int64], site_count: int
) -> None:
    """Refuse rows of site, thread and launch that are not all there."""
    sites, launches = site_count - 1, len(sizes) - 1
    _require_between(name, rows[:, 0], 0, sites, f"a site from 0 to {sites}")
    _require_between(name, rows[:, 2], 0, launches, f"a launch from 0 to {launches}")
    threads = sizes[rows[:, 2]]
    wrong = np.flatnonzero((rows[:, 1] < 0) | (rows[:, 1] >= threads))
    if len(wrong):
        at = int(wrong[0])
        right = f"a thread from 0 to {threads[at] - 1}"
        raise Refused(f"{name}[{at}]", str(rows[at, 1]), right)
