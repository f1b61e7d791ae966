"""The folder that passes tasks to the ranks and their answers back, and the control
words that both sides map.

::

    indptr-1.npy  indices-1.npy  weights-1.npy   the graph's rows, which every rank maps
    ranks.json                                   how many ranks share how many cores
    task.json                                    settings of the program, number of the graph
    control.npy                                  integers that both sides map (`Control`)
    outcome.json                                 how it ended; written last, by rank 0
    distances.npy  ...                           the answer

What is in JSON is checked against declared types when it is read. Mapped files are
shared by processes without a copy and without a limit on their size. A graph stays for
the tasks that follow. The process that creates the folder, which only its owner can
open, removes it again, also after an error.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from pathlib import Path
from typing import Annotated, Any, Generic, TypeVar

import msgspec
import numpy as np
import psutil
from numpy.lib.format import open_memmap, read_array_header_1_0, read_magic

from solvers.errors import FileNotWritten
from solvers.system.array_types import AnyArray, Int32s, Int64s
from solvers.system.files import reason_of, save_array, temporary_folder

_ROWS = ("indptr", "indices", "weights")
_PIECE_BYTES = 2**23  # read in some milliseconds

MOST_RANKS = 64

_PARENT_CHECK_S = 1.0
_SHORTEST_NAP_S = 2e-4  # who looks more often takes time from the ranks where they need all cores
_LONGEST_IDLE_NAP_S = 0.05

# of a rank's word from WAITS on: tests of the operation that it waits for; above, its
# number
_TESTS_BITS = 32


Settings = TypeVar("Settings")

_Count = Annotated[int, msgspec.Meta(ge=0)]
_Name = Annotated[str, msgspec.Meta(pattern="^[a-z_]{1,40}$")]


class _Team(msgspec.Struct):
    ranks: _Count
    cores: _Count


class _Task(msgspec.Struct, Generic[Settings]):
    graph: _Count
    settings: Settings


class Ending(Enum):
    """How the run of all ranks ended."""

    SOLVED = "solved"
    CANCELLED = "cancelled"
    NEGATIVE_CYCLE = "negative_cycle"


@dataclass(frozen=True, eq=False)
class Arcs:
    """The CSR arrays of a `Graph`, with weights in the distance type."""

    indptr: Int64s
    indices: Int32s
    weights: AnyArray

    @property
    def n(self) -> int:
        return len(self.indptr) - 1

    def is_same(self, other: Arcs) -> bool:
        """Whether all arrays are equal; those of one graph are the same objects, except
        converted weights.
        """
        pairs = ((getattr(self, row), getattr(other, row)) for row in _ROWS)
        return all(a is b or (a.dtype == b.dtype and np.array_equal(a, b)) for a, b in pairs)


@dataclass(frozen=True, eq=False)
class Answer:
    """The result of the ranks; only rank 0 has it."""

    ending: Ending
    iterations: int
    # by rank 0's clock, from the barrier before the first iteration to the one after
    # the last
    solve_ms: float
    # by the name of the file each is kept in
    arrays: Mapping[str, AnyArray] = field(default_factory=dict)


class _Outcome(msgspec.Struct):
    ending: Ending
    iterations: _Count
    solve_ms: Annotated[float, msgspec.Meta(ge=0)]
    arrays: tuple[_Name, ...]


class HandOver:
    """The folder that passes tasks and their answers, for both sides."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.control = Control(open_memmap(self._file("control"), mode="r+"))
        self._arcs: Arcs | None = None  # as written by this side, or as mapped by the other
        self._graph = 0  # their number
        self._done = 0

    @classmethod
    @contextmanager
    def created(
        cls,
        arcs: Arcs,
        settings: Any,
        ranks: int,
        cores: int,
        checkpoint: Callable[[], None] = lambda: None,
    ) -> Iterator[HandOver]:
        """Make the folder and write the first task; delete the folder at the end.

        ``settings`` is a dataclass of the program's own; the ``ranks`` share the
        ``cores``; ``checkpoint`` is called between files. Raises FileNotWritten if the
        temporary folder cannot be written, or its disk is full.
        """
        with temporary_folder("mpi") as folder:
            try:
                save_array(folder / "control.npy", Control.begun())
                (folder / "ranks.json").write_bytes(msgspec.json.encode(_Team(ranks, cores)))
            except OSError as error:
                raise _without_room(folder, error) from error
            hand_over = cls(folder)
            hand_over.give(arcs, settings, checkpoint)
            yield hand_over

    def counts(self) -> tuple[int, int]:
        """How many ranks there are, and how many cores they share, as written by the
        starting process.
        """
        team = msgspec.json.decode((self.folder / "ranks.json").read_bytes(), type=_Team)
        return team.ranks, team.cores

    def next_task(self, kind: type[Settings]) -> tuple[Arcs, Settings] | None:
        """Wait for the next task: the graph and the program's settings; None if the
        ranks are to end.

        The graph consists of mapped arrays, of which only the accessed parts are read.
        """
        number = self.control.await_task(self._done)
        if number is None:
            return None
        self._done = number
        content = (self.folder / "task.json").read_bytes()
        task = msgspec.json.decode(content, type=_Task[kind])  # type: ignore[valid-type]
        if self._arcs is None or task.graph != self._graph:
            self._graph = task.graph
            self._arcs = Arcs(
                *(np.load(self._file(f"{row}-{self._graph}"), mmap_mode="r") for row in _ROWS)
            )
        return self._arcs, task.settings

    def result(self, name: str, shape: tuple[int, ...], dtype: Any) -> AnyArray:
        """A mapped array for one array of the answer.

        Raises OSError if the disk is full: the space is allocated now, because a write
        to a mapped page without space kills the process.
        """
        array = open_memmap(self._file(name), mode="w+", dtype=dtype, shape=shape)
        if hasattr(os, "posix_fallocate"):
            with open(self._file(name), "r+b") as file:
                size = os.fstat(file.fileno()).st_size
                if size:
                    os.posix_fallocate(file.fileno(), 0, size)
        return array

    def finish(self, answer: Answer) -> None:
        """Write the answer to the task, in rank 0; mapped results are already written."""
        for name, array in answer.arrays.items():
            if not isinstance(array, np.memmap):
                save_array(self._file(name), array)
        found = _Outcome(answer.ending, answer.iterations, answer.solve_ms, tuple(answer.arrays))
        beside = self.folder / "outcome.part"
        beside.write_bytes(msgspec.json.encode(found))
        beside.replace(self.folder / "outcome.json")
        self.control.finish_task(self._done)

    def give(
        self, arcs: Arcs, settings: Any, checkpoint: Callable[[], None] = lambda: None
    ) -> None:
        """Give the ranks, which have finished all tasks, another one.

        The graph is written unless it is that of the task before. Parameters and errors
        as for `created`.
        """
        try:
            if self._arcs is None or not self._arcs.is_same(arcs):
                self._write_graph(arcs, checkpoint)
            (self.folder / "outcome.json").unlink(missing_ok=True)
            task = msgspec.json.encode(_Task(self._graph, settings))
            (self.folder / "task.json").write_bytes(task)
        except OSError as error:
            raise _without_room(self.folder, error) from error
        self.control.begin_task()

    def _write_graph(self, arcs: Arcs, checkpoint: Callable[[], None]) -> None:
        for row in _ROWS:
            with suppress(OSError):  # Windows keeps files that the ranks map
                self._file(f"{row}-{self._graph}").unlink(missing_ok=True)
        self._arcs, self._graph = None, self._graph + 1
        for row in _ROWS:
            save_array(self._file(f"{row}-{self._graph}"), getattr(arcs, row))
            checkpoint()
        self._arcs = arcs

    def peek(self, name: str) -> AnyArray:
        """A result that is still being written, mapped for reading."""
        return np.load(self._file(name), mmap_mode="r")

    def answer(self, checkpoint: Callable[[], None] = lambda: None) -> Answer | None:
        """The ranks' answer, moved into this process; None if they did not finish.

        ``checkpoint`` is called between pieces: a matrix takes seconds.
        """
        file = self.folder / "outcome.json"
        if not file.exists():
            return None
        found = msgspec.json.decode(file.read_bytes(), type=_Outcome)
        arrays = {}
        for name in found.arrays:
            arrays[name] = _loaded(self._file(name), checkpoint)
            with suppress(OSError):  # Windows keeps what rank 0 still maps
                self._file(name).unlink()
        return Answer(found.ending, found.iterations, found.solve_ms, arrays)

    def _file(self, name: str) -> Path:
        return self.folder / f"{name}.npy"


def _without_room(folder: Path, error: OSError) -> FileNotWritten:
    return FileNotWritten(folder.parent, f"no room for the graph, {reason_of(error)}")


def _loaded(path: Path, checkpoint: Callable[[], None]) -> AnyArray:
    """The array in a file, read in pieces."""
    with open(path, "rb") as file:
        read_magic(file)
        # the version that NumPy writes wherever it can
        shape, _, dtype = read_array_header_1_0(file)
        array = np.empty(shape, dtype=dtype)
        cells = array.reshape(-1).view(np.uint8).data
        for first in range(0, len(cells), _PIECE_BYTES):
            piece = cells[first : first + _PIECE_BYTES]
            if file.readinto(piece) != len(piece):
                raise EOFError(f"{path} is shorter than its header says")
            checkpoint()
    return array


class _Word(IntEnum):
    """Indices in the control file; each rank has a word from PROCESSES on and one from WAITS on."""

    CANCEL = 0
    PARENT = 1
    PROGRESS = 2
    SHOWN = 3
    SEEN = 4
    TASK = 5
    DONE = 6
    PROCESSES = 7
    WAITS = 7 + MOST_RANKS


_WORDS = _Word.WAITS + MOST_RANKS


class Control:
    """Integers shared by the starting process and the ranks, (_WORDS,) int64, mapped from a file.

    Each is written by one side only, except that the starting process clears those of
    the task before. Ranks started manually have an ordinary array.
    """

    def __init__(self, words: Int64s):
        self._words = words
        self._last_check = time.monotonic()
        self._parent: psutil.Process | None = None

    @classmethod
    def begun(cls) -> Int64s:
        """The words before the first task, to be saved in a file; this process is the parent."""
        words = np.zeros(_WORDS, dtype=np.int64)
        words[_Word.PARENT] = os.getpid()
        return words

    @classmethod
    def unattended(cls) -> Control:
        """A control for ranks started manually: no cancellation, no progress."""
        return cls(np.zeros(_WORDS, dtype=np.int64))

    def begin_task(self) -> None:
        """Have the ranks, which wait for it, take the next task."""
        self._words[[_Word.PROGRESS, _Word.SHOWN, _Word.SEEN]] = 0
        self._words[_Word.TASK] += 1

    @property
    def is_done(self) -> bool:
        """Whether the ranks have finished all tasks that they were given."""
        return bool(self._words[_Word.DONE] == self._words[_Word.TASK])

    def cancel(self) -> None:
        """Have the ranks leave their task, and end."""
        self._words[_Word.CANCEL] = 1

    @property
    def progress(self) -> int:
        """Iterations done."""
        return int(self._words[_Word.PROGRESS])

    @property
    def shown(self) -> int:
        """Steps done in the matrix that rank 0 shows; 0 before the first."""
        return int(self._words[_Word.SHOWN])

    def acknowledge(self) -> None:
        """The shown matrix has been read; the ranks may continue."""
        self._words[_Word.SEEN] = self._words[_Word.SHOWN]

    @property
    def processes(self) -> tuple[int, ...]:
        """Process ids of the ranks that have started."""
        return tuple(int(pid) for pid in self._words[_Word.PROCESSES : _Word.WAITS] if pid)

    def waits(self, ranks: int) -> tuple[tuple[int, int], ...]:
        """For each rank the number of its latest long wait, and how often it has tested
        for its end; 0 after it.
        """
        words = self._words[_Word.WAITS : _Word.WAITS + ranks].tolist()
        return tuple((word >> _TESTS_BITS, word & ((1 << _TESTS_BITS) - 1)) for word in words)

    def announce(self, rank: int) -> None:
        """Record this process's id, so that it can be terminated if it does not stop."""
        if rank < MOST_RANKS:
            self._words[_Word.PROCESSES + rank] = os.getpid()

    def await_task(self, last: int) -> int | None:
        """Wait for a task after number ``last``, hardly occupying the core; None if the
        ranks are to end instead.
        """
        since = time.monotonic()
        while not self.stop_wanted():
            number = int(self._words[_Word.TASK])
            if number > last:
                return number
            time.sleep(nap_s(since, _LONGEST_IDLE_NAP_S))
        return None

    def finish_task(self, number: int) -> None:
        """Record that the answer to a task is complete; called by rank 0."""
        self._words[_Word.DONE] = number

    def report_wait(self, rank: int, number: int, tests: int) -> None:
        """Record that a rank has tested so many times for the end of its long wait with
        that number; 0 after it.
        """
        if rank < MOST_RANKS:
            self._words[_Word.WAITS + rank] = number << _TESTS_BITS | tests

    def report(self, iterations: int) -> None:
        self._words[_Word.PROGRESS] = iterations

    def stop_wanted(self) -> bool:
        """Whether the run was cancelled, or the process that started it has ended."""
        if self._words[_Word.CANCEL]:
            return True
        now = time.monotonic()
        if now - self._last_check < _PARENT_CHECK_S:
            return False
        self._last_check = now
        return not self._parent_is_alive()

    def _parent_is_alive(self) -> bool:
        """Whether the starting process exists; True without one, or if the system cannot tell."""
        pid = int(self._words[_Word.PARENT])
        try:
            if self._parent is None and pid:
                # also knows when it started: ids are given again
                self._parent = psutil.Process(pid)
            return self._parent is None or self._parent.is_running()
        except psutil.NoSuchProcess:
            return False
        except psutil.Error:
            return True

    def show(self, steps: int, look_s: float = 5e-4) -> None:
        """Show the result after ``steps`` steps, and wait until it was read or the run
        was cancelled.
        """
        self._words[_Word.SHOWN] = steps
        while self._words[_Word.SEEN] < steps and not self.stop_wanted():
            time.sleep(look_s)


def nap_s(since: float, longest_s: float, lateness: float = 0.25) -> float:
    """How long to sleep before looking again for something awaited since ``since``.

    The delay is at most ``lateness`` times the time waited, so that a long wait takes
    few checks.
    """
    return min(longest_s, max(_SHORTEST_NAP_S, lateness * (time.monotonic() - since)))
