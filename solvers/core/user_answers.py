"""The check of what the process of a user's own code says, before anything else sees it.

Compiled code follows predecessors, frontiers and the places of an access log without
looking where they lead. Here everything that is an index is compared with the graph,
and all else with its declared type and range. What a wrong solver may say, such as
distances that are too long, passes: `solvers.verification` judges that.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from solvers.core.problem import Phases, Problem, Solution
from solvers.core.user_code import UserCode
from solvers.core.user_messages import (
    DTYPES,
    Answer,
    Arrays,
    CodeFailed,
    Compiled,
    CycleFound,
    Event,
    Failure,
    KernelNotBuilt,
    LaunchMade,
    MemoryLacking,
    Message,
    NotAvailable,
    NotSuitable,
    PassesMade,
    PhaseBegun,
    ProgressMade,
    Refused,
    Solved,
    StepMade,
    Watched,
    name_of,
    one_of,
)
from solvers.core.variant import Answers
from solvers.devices.device import replay_launch
from solvers.devices.instrumented import AccessLog, Launch, Outside, Site
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
from solvers.graphs.graph import Graph
from solvers.system.cancel import SILENT, Progress

INTEGERS = ("int32", "int64")
MOST_EVENTS = 1 << 20  # of a recorder, beside some for each vertex
MOST_TILES = 1 << 25  # of all steps
MOST_KERNELS = 1000  # different ones
_LEAST_ROOM = 1 << 27  # bytes of a message about a small graph
_PROGRESS_S = 0.02
_BIGGEST_ACCESS, _MOST_DEPTH = 64, 8  # bytes, and indices of a shared array


class CodeQuestion:
    """What is asked of the process, and what may be said about it; this one is to compile."""

    def __init__(self, code: UserCode, progress: Progress = SILENT):
        self._code, self._progress = code, progress
        self._heard = 0.0

    @property
    def most_bytes(self) -> int:
        """Of the arrays of one message."""
        return 0

    def hear(self, message: Event, arrays: Arrays) -> None:
        """Pass a report on; raises `Refused`, and `Cancelled` and what else the receiver raises."""
        if not isinstance(message, ProgressMade):
            raise _unexpected(message)
        if time.monotonic() - self._heard >= _PROGRESS_S:
            self._heard = time.monotonic()
            self._progress.checkpoint(min(message.done, message.total), message.total)

    def answer(self, message: Answer, arrays: Arrays) -> Any:
        """The answer as the program takes it; raises `Refused`."""
        if not isinstance(message, Compiled):
            raise _unexpected(message)
        return message.remarks

    def error(self, message: Failure, arrays: Arrays) -> TautpathError:
        """The error that the process tells of; raises `Refused`."""
        match message:
            case MemoryLacking():
                return OutOfMemory(**msgspec.structs.asdict(message))
            case KernelNotBuilt():
                return KernelBuildError(self._code.name, message.device, message.log)
            case NotAvailable():
                kind = DeviceUnavailable if message.is_device else Unavailable
                return kind(message.words)
            case NotSuitable():
                return InputError(message.words)
            case CodeFailed():
                return UserCodeFailed(self._code.name, message.reason)
        raise _unexpected(message)


class SolveQuestion(CodeQuestion):
    """A problem to be solved."""

    def __init__(self, code: UserCode, problem: Problem):
        super().__init__(code, problem.progress)
        self._problem, self._graph = problem, problem.graph
        self._events, self._tiles = 0, 0
        self._kernels: set[str] = set()

    @property
    def most_bytes(self) -> int:
        return _LEAST_ROOM + 64 * self._graph.n + 16 * self._cells

    @property
    def _cells(self) -> int:
        return int(np.prod(self._shape, dtype=np.int64))

    @property
    def _shape(self) -> tuple[int, ...]:
        """Of the distances."""
        n = self._graph.n
        return (n, n) if self._code.answers is Answers.APSP else (n,)

    def hear(self, message: Event, arrays: Arrays) -> None:
        recorder = self._problem.recorder
        match message:
            case LaunchMade():
                self._kernels.add(message.kernel)
                _require_few(message, "kernel", len(self._kernels), MOST_KERNELS, "different ones")
                replay_launch(self._problem.device, message.kernel, message.blocks, message.block)
            case PhaseBegun():
                self._count(message)
                if recorder is not None:
                    recorder.phase(message.name, message.unit)
            case PassesMade():
                self._count(message)
                passes = _passes(message, arrays, self._graph.n)
                if recorder is not None:
                    recorder.iterations(*passes)
            case StepMade():
                self._count(message)
                tiles, matrix = _step(message, arrays, self._graph.n)
                self._tiles += len(tiles)
                _require_few(message, "tiles", self._tiles, MOST_TILES, "of all steps")
                if recorder is not None:
                    of_all = (message.relaxed, message.requested_bytes, message.copied_bytes)
                    recorder.matrix_step(
                        message.step, message.phase, tiles, matrix, message.ms, *of_all
                    )
            case _:
                super().hear(message, arrays)

    def _count(self, message: Message) -> None:
        self._events += 1
        most = MOST_EVENTS + 4 * self._graph.n
        _require_few(message, "number", self._events, most, "of a solve")

    def answer(self, message: Answer, arrays: Arrays) -> Any:
        if not isinstance(message, Solved):
            raise _unexpected(message)
        return Solution(
            _distances(message, arrays, self._shape),
            message.iterations,
            Phases(**msgspec.structs.asdict(message.phases)),
            message.relaxations,
            _predecessors(message, arrays, self._shape),
            message.peak_device_bytes,
            message.note,
        )

    def error(self, message: Failure, arrays: Arrays) -> TautpathError:
        if isinstance(message, CycleFound):
            return _negative_cycle(message, arrays, self._graph)
        return super().error(message, arrays)


class WatchQuestion(SolveQuestion):
    """A problem to be solved with instrumented kernels; the answer is the distances, None
    where there are none, and the access log.
    """

    def answer(self, message: Answer, arrays: Arrays) -> Any:
        if not isinstance(message, Watched):
            raise _unexpected(message)
        found = _distances(message, arrays, self._shape) if "distances" in arrays else None
        return found, _access_log(message, arrays)


def _unexpected(message: Message) -> Refused:
    return Refused(name_of(message), "not what was asked", "an answer to the question")


def _require_few(message: Message, field: str, count: int, most: int, which: str) -> None:
    if count > most:
        raise Refused(f"{name_of(message)}.{field}", f"{count} {which}", f"at most {most}")


def _array(
    message: Message,
    arrays: Arrays,
    name: str,
    dtypes: Sequence[str],
    shape: tuple[int | None, ...],  # None: any length
) -> NDArray[Any]:
    """An array of the message, with its type and shape checked."""
    found = arrays.get(name)
    field = f"{name_of(message)}.{name}"
    sides = ", ".join("any" if side is None else str(side) for side in shape)
    right = f"an array of {one_of(tuple(dtypes))} and of shape ({sides})"
    if found is None:
        raise Refused(field, "missing", right)
    fits = found.ndim == len(shape) and all(
        side in (None, length) for side, length in zip(shape, found.shape, strict=True)
    )
    if found.dtype.name not in dtypes or not fits:
        raise Refused(field, f"an array of {found.dtype.name} and of shape {found.shape}", right)
    return found


def _require_between(
    message: Message, name: str, array: NDArray[Any], low: Any, high: Any, what: str
) -> None:
    """Refuse what is not from ``low`` to ``high``, inclusive, or is not a number."""
    if not array.size or (array.min() >= low and array.max() <= high):  # false for NaN
        return
    wrong = np.argwhere(~((array >= low) & (array <= high)))[0].tolist()
    field = f"{name_of(message)}.{name}[{', '.join(map(str, wrong))}]"
    raise Refused(field, str(array[tuple(wrong)]), what)


def _distances(message: Message, arrays: Arrays, shape: tuple[int, ...]) -> NDArray[Any]:
    """Distances of any value, also NaN: which are wrong is a finding, and names the vertex."""
    return _array(message, arrays, "distances", DTYPES, shape)


def _predecessors(message: Message, arrays: Arrays, shape: tuple[int, ...]) -> NDArray[Any] | None:
    if "predecessors" not in arrays:
        return None
    found = _array(message, arrays, "predecessors", ("int32",), shape)
    last = shape[0] - 1
    what = f"a vertex from 0 to {last}, or -1 for none"
    _require_between(message, "predecessors", found, -1, last, what)
    return found


def _negative_cycle(message: CycleFound, arrays: Arrays, graph: Graph) -> NegativeCycle:
    found = _array(message, arrays, "vertices", INTEGERS, (None,))
    _require_vertices(message, "vertices", found, graph.n)
    if not 0 < len(found) <= graph.n or len(np.unique(found)) < len(found):
        right = "a cycle, with no vertex twice"
        raise Refused(f"{name_of(message)}.vertices", f"{len(found)} vertices", right)
    vertices = tuple(found.tolist())
    return NegativeCycle(
        tuple(map(graph.vertex_id, vertices)), vertices, message.weight, message.iterations
    )


def _require_vertices(message: Message, name: str, found: NDArray[Any], n: int) -> None:
    _require_between(message, name, found, 0, n - 1, f"a vertex from 0 to {n - 1}")


# -- what a recorder hears


def _passes(message: PassesMade, arrays: Arrays, n: int) -> tuple[Any, ...]:
    """The arguments of `Recorder.iterations`."""
    vertices = _array(message, arrays, "vertices", INTEGERS, (None,))
    _require_vertices(message, "vertices", vertices, n)
    offsets = _offsets(message, arrays, len(vertices))
    counts = []
    for name in ("relaxed", "improved", "ms"):
        found = _array(message, arrays, name, DTYPES, (len(offsets) - 1,))
        _require_between(message, name, found, 0, 2**62, "a number of at least 0")
        counts.append(found)
    after = None
    if "distances" in arrays:
        after = _distances(message, arrays, (len(offsets) - 1, n))
    return offsets, vertices, *counts, after


def _offsets(message: PassesMade, arrays: Arrays, most: int) -> NDArray[Any]:
    found = _array(message, arrays, "offsets", INTEGERS, (None,))
    if not len(found):
        raise Refused(f"{name_of(message)}.offsets", "empty", "one more than there are passes")
    _require_between(message, "offsets", found, 0, most, f"a place from 0 to {most}")
    fall = np.flatnonzero(found[1:] < found[:-1])
    if len(fall):
        at = int(fall[0]) + 1
        field = f"{name_of(message)}.offsets[{at}]"
        raise Refused(field, str(found[at]), f"at least {found[at - 1]}")
    return found


def _step(message: StepMade, arrays: Arrays, n: int) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """The tiles and the matrix, whose values are only drawn."""
    tiles = _array(message, arrays, "tiles", INTEGERS, (None, 4))
    _require_between(message, "tiles", tiles, 0, n, f"a row or column from 0 to {n}")
    wrong = np.flatnonzero((tiles[:, 0] > tiles[:, 1]) | (tiles[:, 2] > tiles[:, 3]))
    if len(wrong):
        at = int(wrong[0])
        field = f"{name_of(message)}.tiles[{at}]"
        raise Refused(field, str(tiles[at].tolist()), "a range of rows and one of columns")
    matrix = _array(message, arrays, "matrix", DTYPES, (n, n)) if "matrix" in arrays else None
    return tiles, matrix


# -- access logs


def _access_log(message: Watched, arrays: Arrays) -> AccessLog:
    launches = _launches(message, arrays)
    sizes = np.array([launch.blocks * launch.block for launch in launches], np.int64)
    entries = _array(message, arrays, "entries", ("int32",), (None, 5))
    _require_places(message, "entries", entries[:, [0, 1, 3]], sizes)
    size = f"a size from {-_MOST_DEPTH} to {_BIGGEST_ACCESS}"
    _require_between(message, "entries", entries[:, 4], -_MOST_DEPTH, _BIGGEST_ACCESS, size)
    sites = tuple(Site(**msgspec.structs.asdict(site)) for site in message.sites)
    outside = _outside(message, arrays, sites)
    return AccessLog(sites, launches, entries, outside, message.is_whole)


def _launches(message: Watched, arrays: Arrays) -> tuple[Launch, ...]:
    found = _array(message, arrays, "launches", ("int64",), (None, 3))
    most = len(message.kernels) - 1
    _require_between(message, "launches", found[:, 0], 0, most, f"a kernel from 0 to {most}")
    _require_between(message, "launches", found[:, 1], 1, 2**40, "a number of blocks")
    _require_between(message, "launches", found[:, 2], 1, 2**20, "a number of threads")
    return tuple(
        Launch(message.kernels[kernel], blocks, block) for kernel, blocks, block in found.tolist()
    )


def _outside(message: Watched, arrays: Arrays, sites: tuple[Site, ...]) -> tuple[Outside, ...]:
    found = _array(message, arrays, "outside", ("int64",), (None, 5))
    columns = (("a site", len(sites)), ("a thread", 2**31), ("a kernel", len(message.kernels)))
    for column, (what, count) in enumerate(columns):
        words = f"{what} from 0 to {count - 1}"
        _require_between(message, "outside", found[:, column], 0, count - 1, words)
    return tuple(
        Outside(sites[site], thread, index, count, message.kernels[kernel])
        for site, thread, kernel, index, count in found.tolist()
    )


def _require_places(
    message: Watched, name: str, rows: NDArray[Any], sizes: NDArray[np.int64]
) -> None:
    """Refuse rows of site, thread and launch that are not all there."""
    sites, launches = len(message.sites) - 1, len(sizes) - 1
    _require_between(message, name, rows[:, 0], 0, sites, f"a site from 0 to {sites}")
    _require_between(message, name, rows[:, 2], 0, launches, f"a launch from 0 to {launches}")
    threads = sizes[rows[:, 2]]
    wrong = np.flatnonzero((rows[:, 1] < 0) | (rows[:, 1] >= threads))
    if len(wrong):
        at = int(wrong[0])
        right = f"a thread from 0 to {threads[at] - 1}"
        raise Refused(f"{name_of(message)}.{name}[{at}]", str(rows[at, 1]), right)
