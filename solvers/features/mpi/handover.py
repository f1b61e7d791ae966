"""The folder that passes a task to the ranks and their answer back, and the control
words that both sides map.

::

    indptr.npy  indices.npy  weights.npy   the graph's rows, which every rank maps
    task.json                              how many ranks share how many cores; settings
    control.npy                            integers that both sides map (`Control`)
    outcome.json                           how it ended; written last, by rank 0
    distances.npy  ...                     the answer

What is in JSON is checked against declared types when it is read. Mapped files are
shared by processes without a copy and without a limit on their size. The process that
creates the folder, which only its owner can open, removes it again, also after an error.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar

import msgspec
import numpy as np
from numpy.lib.format import open_memmap, read_array_header_1_0, read_magic

from solvers.errors import FileNotWritten
from solvers.system.array_types import AnyArray, Int32s, Int64s
from solvers.system.files import reason_of, save_array, temporary_folder
from solvers.system.known_types import known

if TYPE_CHECKING:
    import psutil

_ROWS = ("indptr", "indices", "weights")
_PIECE_BYTES = 2**23  # read in some milliseconds

MOST_RANKS = 64

_PARENT_CHECK_S = 1.0
_SHORTEST_NAP_S = 2e-4  # who looks more often takes time from the ranks where they need all cores

# of a rank's word from WAITS on: tests of the operation that it waits for; above, its
# number
_TESTS_BITS = 32


Settings = TypeVar("Settings")

_Count = Annotated[int, msgspec.Meta(ge=0)]
_Name = Annotated[str, msgspec.Meta(pattern="^[a-z_]{1,40}$")]


class _Task(msgspec.Struct, Generic[Settings]):
    ranks: _Count
    cores: _Count
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
    start_ms: float = 0.0  # by the clock of who started the ranks, until all were there


class _Outcome(msgspec.Struct):
    ending: Ending
    iterations: _Count
    solve_ms: Annotated[float, msgspec.Meta(ge=0)]
    arrays: tuple[_Name, ...]


class HandOver:
    """The folder that passes a task and its answer, for both sides."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.control = Control(open_memmap(self._file("control"), mode="r+"))

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
        """Make the folder with the task; delete it at the end.

        ``settings`` is a dataclass of the program's own; the ``ranks`` share the
        ``cores``; ``checkpoint`` is called between files. Raises FileNotWritten if the
        temporary folder cannot be written, or its disk is full.
        """
        with temporary_folder("mpi") as folder:
            try:
                save_array(folder / "control.npy", Control.begun())
                for row in _ROWS:
                    save_array(folder / f"{row}.npy", getattr(arcs, row))
                    checkpoint()
                task = msgspec.json.encode(_Task(ranks, cores, settings))
                (folder / "task.json").write_bytes(task)
            except OSError as error:
                words = f"no room for the graph, {reason_of(error)}"
                raise FileNotWritten(folder.parent, words) from error
            yield cls(folder)

    def counts(self) -> tuple[int, int]:
        """How many ranks there are, and how many cores they share, as written by the
        starting process.
        """
        task = self._task(Any)
        return task.ranks, task.cores

    def task(self, kind: type[Settings]) -> tuple[Arcs, Settings]:
        """The graph, of mapped arrays of which only the accessed parts are read, and the
        program's settings.
        """
        arcs = Arcs(*(np.load(self._file(row), mmap_mode="r") for row in _ROWS))
        settings: Settings = self._task(kind).settings
        return arcs, settings

    def _task(self, kind: Any) -> _Task[Any]:
        content = (self.folder / "task.json").read_bytes()
        found: _Task[Any] = msgspec.json.decode(content, type=known(_Task[kind]))
        return found

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
        found = msgspec.json.decode(file.read_bytes(), type=known(_Outcome))
        arrays = {}
        for name in found.arrays:
            arrays[name] = _loaded(self._file(name), checkpoint)
            self._file(name).unlink()
        return Answer(found.ending, found.iterations, found.solve_ms, arrays)

    def _file(self, name: str) -> Path:
        return self.folder / f"{name}.npy"


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
    PROCESSES = 5
    WAITS = 5 + MOST_RANKS


_WORDS = _Word.WAITS + MOST_RANKS


class Control:
    """Integers shared by the starting process and the ranks, (_WORDS,) int64, mapped from a file.

    Each is written by one side only. Ranks started manually have an ordinary array.
    """

    def __init__(self, words: Int64s):
        self._words = words
        self._last_check = time.monotonic()
        self._parent: psutil.Process | None = None

    @classmethod
    def begun(cls) -> Int64s:
        """The first words, to be saved in a file; this process is the parent."""
        words = np.zeros(_WORDS, dtype=np.int64)
        words[_Word.PARENT] = os.getpid()
        return words

    @classmethod
    def unattended(cls) -> Control:
        """A control for ranks started manually: no cancellation, no progress."""
        return cls(np.zeros(_WORDS, dtype=np.int64))

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
        """Whether the starting process exists; True without one, or if the system cannot tell.

        Where that process is killed, `solvers.system.keeper` ends the ranks on Linux alone:
        on macOS it ends mpiexec, whose ranks may go on, and Windows has no keeper. There the
        ranks must see for themselves, so both remain.
        """
        import psutil  # imported here because the window starts without it

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
