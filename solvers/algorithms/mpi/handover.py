"""The folder that passes a graph to the ranks and their answer back.

::

    indptr.npy  indices.npy  weights.npy   the graph's rows; every rank maps them, and reads what it owns
    settings.json                          what to solve, as the program's own settings class
    control.npy                            integers that both sides map: cancellation, progress, requested pictures
    outcome.json                           how it ended; written last, by rank 0
    distances.npy  ...                     the answer

Mapped files cross the border between processes without a copy and without a limit on their size. Whoever lays the
folder down takes it away again, whatever happens.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from enum import Enum, IntEnum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.format import open_memmap, read_array_header_1_0, read_magic
from numpy.typing import NDArray

from solvers.errors import FileNotWritten
from solvers.host.files import save_array
from solvers.host.refusal import reason_of
from solvers.host.scratch import temporary_folder

MOST_RANKS = 64

_ROWS = ("indptr", "indices", "weights")
_PARENT_CHECK_S = 1.0
_PIECE_BYTES = 2**23  # read in some milliseconds


class Ending(Enum):
    """How the run of all ranks ended."""

    SOLVED = "solved"
    CANCELLED = "cancelled"
    NEGATIVE_CYCLE = "negative_cycle"


@dataclass(frozen=True, eq=False)
class Arcs:
    """The CSR arrays of a `Graph`, with weights in the distance type."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    weights: NDArray[Any]

    @property
    def n(self) -> int:
        return len(self.indptr) - 1


@dataclass(frozen=True, eq=False)
class Answer:
    """The result of the ranks; only rank 0 has it.

    Attributes
    ----------
    ending : Ending
    iterations : int
    solve_ms : float
        By rank 0's clock, from the barrier before the first iteration to the one after the last.
    arrays : mapping of str to array
        By the name of the file each is kept in.
    """

    ending: Ending
    iterations: int
    solve_ms: float
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)


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
_TESTS_BITS = 32  # of a rank's word from WAITS on: tests of the operation that it waits for; above, its number


class Control:
    """Integers shared by the starting process and the ranks, each written by one side only.

    Parameters
    ----------
    words : (_WORDS,) int64
        Mapped from a file, or an ordinary array if the ranks were started manually.
    """

    def __init__(self, words: NDArray[np.int64]):
        self._words = words
        self._last_check = time.monotonic()

    @classmethod
    def unattended(cls) -> Control:
        """A control for ranks started manually: no cancellation, no progress."""
        return cls(np.zeros(_WORDS, dtype=np.int64))

    # -- the starting process ----------------------------------------------------------------------------------------

    def cancel(self) -> None:
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
        """For each rank the number of its latest long wait, and how often it has tested for its end; 0 after it."""
        words = self._words[_Word.WAITS : _Word.WAITS + ranks].tolist()
        return tuple((word >> _TESTS_BITS, word & ((1 << _TESTS_BITS) - 1)) for word in words)

    # -- the ranks ---------------------------------------------------------------------------------------------------

    def announce(self, rank: int) -> None:
        """Record this process's id, so that it can be terminated if it does not stop."""
        if rank < MOST_RANKS:
            self._words[_Word.PROCESSES + rank] = os.getpid()

    def report_wait(self, rank: int, number: int, tests: int) -> None:
        """Record that a rank has tested so many times for the end of its long wait with that number; 0 after it."""
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
        return not _is_alive(int(self._words[_Word.PARENT]))

    def show(self, steps: int, nap_s: float = 5e-4) -> None:
        """Show the result after ``steps`` steps, and wait until it was read or the run was cancelled."""
        self._words[_Word.SHOWN] = steps
        while self._words[_Word.SEEN] < steps and not self.stop_wanted():
            time.sleep(nap_s)


class HandOver:
    """The folder that passes a graph and its answer, for both sides.

    Parameters
    ----------
    folder : Path
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self.control = Control(open_memmap(self._file("control"), mode="r+"))

    @classmethod
    @contextmanager
    def created(
        cls, arcs: Arcs, settings: Any, ranks: int, cores: int, checkpoint: Callable[[], None] = lambda: None
    ) -> Iterator[HandOver]:
        """Write a graph and its settings; delete the folder at the end.

        Parameters
        ----------
        arcs : Arcs
        settings : dataclass instance
            The program's own.
        ranks, cores : int
            How many ranks there will be, and how many cores they share.
        checkpoint : callable
            Called between files.

        Raises
        ------
        FileNotWritten
            If the temporary folder cannot be written, or its disk is full.
        """
        with temporary_folder("mpi") as folder:
            try:
                for row in _ROWS:
                    save_array(folder / f"{row}.npy", getattr(arcs, row))
                    checkpoint()
                words = np.zeros(_WORDS, dtype=np.int64)
                words[_Word.PARENT] = os.getpid()
                save_array(folder / "control.npy", words)
                what = {"ranks": ranks, "cores": cores, "settings": asdict(settings)}
                (folder / "settings.json").write_text(json.dumps(what), encoding="utf-8")
            except OSError as error:
                raise FileNotWritten(folder.parent, f"no room for the graph, {reason_of(error)}") from error
            yield cls(folder)

    # -- the ranks ---------------------------------------------------------------------------------------------------

    def arcs(self) -> Arcs:
        """The graph as mapped arrays, of which only the accessed parts are read."""
        return Arcs(*(np.load(self._file(row), mmap_mode="r") for row in _ROWS))

    def task(self) -> dict[str, Any]:
        """``ranks``, ``cores`` and ``settings`` as written by the starting process."""
        return dict(json.loads((self.folder / "settings.json").read_text(encoding="utf-8")))

    def result(self, name: str, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
        """A mapped array for one array of the answer.

        Raises
        ------
        OSError
            If the disk is full: its room is taken now, because a write to a mapped page without room kills the process.
        """
        array = open_memmap(self._file(name), mode="w+", dtype=dtype, shape=shape)
        if hasattr(os, "posix_fallocate"):
            with open(self._file(name), "r+b") as file:
                size = os.fstat(file.fileno()).st_size
                if size:
                    os.posix_fallocate(file.fileno(), 0, size)
        return array

    def finish(self, answer: Answer) -> None:
        """Write the answer; mapped results are already written."""
        for name, array in answer.arrays.items():
            if not isinstance(array, np.memmap):
                save_array(self._file(name), array)
        facts = {"ending": answer.ending.value, "iterations": answer.iterations, "solve_ms": answer.solve_ms}
        beside = self.folder / "outcome.part"
        beside.write_text(json.dumps(facts | {"arrays": list(answer.arrays)}), encoding="utf-8")
        beside.replace(self.folder / "outcome.json")

    # -- the starting process ----------------------------------------------------------------------------------------

    def peek(self, name: str) -> NDArray[Any]:
        """A result that is still being written, mapped for reading."""
        return np.load(self._file(name), mmap_mode="r")

    def answer(self, checkpoint: Callable[[], None] = lambda: None) -> Answer | None:
        """The ranks' answer, copied into this process; None if they did not finish.

        ``checkpoint`` is called between pieces: a matrix takes seconds.
        """
        file = self.folder / "outcome.json"
        if not file.exists():
            return None
        facts = json.loads(file.read_text(encoding="utf-8"))
        arrays = {name: _loaded(self._file(name), checkpoint) for name in facts["arrays"]}
        return Answer(Ending(facts["ending"]), facts["iterations"], facts["solve_ms"], arrays)

    def _file(self, name: str) -> Path:
        return self.folder / f"{name}.npy"


def _loaded(path: Path, checkpoint: Callable[[], None]) -> NDArray[Any]:
    """The array in a file, read in pieces."""
    with open(path, "rb") as file:
        read_magic(file)
        shape, _, dtype = read_array_header_1_0(file)  # the version that NumPy writes wherever it can
        array = np.empty(shape, dtype=dtype)
        cells = array.reshape(-1).view(np.uint8).data
        for first in range(0, len(cells), _PIECE_BYTES):
            piece = cells[first : first + _PIECE_BYTES]
            if file.readinto(piece) != len(piece):
                raise EOFError(f"{path} is shorter than its header says")
            checkpoint()
    return array


def _is_alive(pid: int) -> bool:
    """Whether the process exists; True if its id is unknown (0) or the system cannot tell."""
    if pid == 0 or sys.platform == "win32":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
