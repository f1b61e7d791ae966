"""What the rank programs share: MPI operations that do not occupy a core while waiting;
graphs read, answers written.

MPI waits by spinning, which is fastest where every rank has a core. Where there are
more ranks than cores, a spinning rank occupies the core that the rank it waits for
needs; so a rank that has waited for a while sleeps briefly.

Started by `solve_by_ranks`, the ranks receive a folder. Started manually, rank 0 reads
the graph file and sends it to the others through MPI, so that only the first machine of
a cluster needs access to the file.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import os
import stat
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn

import msgspec
import numpy as np

from solvers.errors import InputError, TautpathError
from solvers.features.mpi.handover import Answer, Arcs, HandOver, Settings
from solvers.graphs.graph import Graph
from solvers.graphs.weights import to_float
from solvers.system.array_types import AnyArray, Int32s
from solvers.system.files import reason_of
from solvers.system.known_types import known
from solvers.text import plural

FAILURE_MARK = "tautpath rank failed: "

# about 1 ms; with 200, ranks on a busy machine nap where the others are nearly there
_TESTS_BEFORE_NAP = 2_000
_TESTS_BEFORE_NAP_CROWDED = 20
_NAP_S = 1e-6
_FORWARDED_WITHIN_S = 10.0
_FAILED, _BAD_INPUT = 1, 2  # exit statuses
_CHUNK_BYTES = 2**26  # what crosses in one message: older MPIs count elements in 32 bits

# MPI's types of a value and an index, for MINLOC.
_PAIRS = {"int32": "INT_INT", "int64": "LONG_INT", "float64": "DOUBLE_INT"}


class Ranks:
    """All ranks of this program; starts MPI. An error in one rank ends all of them.

    The ranks on this machine share ``cores``; None for all it has. ``rank`` is this
    one's number among ``size``.
    """

    def __init__(self, cores: int | None = None):
        from mpi4py import MPI

        self._mpi = MPI
        self._comm = MPI.COMM_WORLD
        self.rank: int = self._comm.Get_rank()
        self.size: int = self._comm.Get_size()
        sys.excepthook = self._abort
        here = self._comm.Split_type(MPI.COMM_TYPE_SHARED)
        self._long_waits = 0
        self._report_wait: Callable[[int, int, int], None] = lambda rank, number, tests: None
        crowded = here.Get_size() > (cores or os.cpu_count() or 1)
        self._tests = _TESTS_BEFORE_NAP_CROWDED if crowded else _TESTS_BEFORE_NAP
        if here.Get_rank() == 0:  # all of this machine have come up, or the split had not ended
            _forget_shared_memory()
        here.Free()

    @property
    def is_first(self) -> bool:
        return self.rank == 0

    def report_waits(self, report: Callable[[int, int, int], None]) -> None:
        """Have ``report`` called with this rank, the number of a long wait, and the
        tests for its end so far.
        """
        self._report_wait = report

    def end(self) -> NoReturn:
        """End MPI and this process, without freeing what it holds: once numba has run,
        that takes a long time.

        MPICH takes leave of mpiexec in a handler of C's ``exit``; of a rank that ends
        without it, mpiexec thinks that it failed, and kills those that have not ended.
        """
        sys.stdout.flush()
        sys.stderr.flush()
        self._mpi.Finalize()
        if sys.platform != "win32":
            ctypes.CDLL(None).exit(0)
        os._exit(0)

    def barrier(self) -> None:
        self._wait(self._comm.Ibarrier())

    def broadcast(self, array: AnyArray, root: int) -> None:
        """Copy the contiguous ``array`` of rank ``root`` into that of every rank."""
        cells = array.reshape(-1).view(np.uint8)
        for first in range(0, len(cells), _CHUNK_BYTES):
            self._wait(
                self._comm.Ibcast([cells[first : first + _CHUNK_BYTES], self._mpi.BYTE], root=root)
            )

    def broadcast_text(self, text: bytes) -> bytes:
        """Rank 0's text, in every rank."""
        content = np.zeros(self.most(len(text) if self.is_first else 0), np.uint8)
        if self.is_first:
            content[:] = np.frombuffer(text, np.uint8)
        self.broadcast(content, root=0)
        return content.tobytes()

    def most(self, value: int) -> int:
        """The maximum of all ranks' values."""
        agreed = np.empty(1, dtype=np.int32)
        self._wait(
            self._comm.Iallreduce(np.array([value], dtype=np.int32), agreed, op=self._mpi.MAX)
        )
        return int(agreed[0])

    def gather(self, part: AnyArray) -> AnyArray | None:
        """Concatenation of equal parts of all ranks, in rank 0; None in the others."""
        whole = np.empty(part.size * self.size, dtype=part.dtype) if self.is_first else None
        self._wait(self._comm.Igather(part, whole, root=0))
        return whole

    def total(self, counts: Int32s) -> Int32s | None:
        """Element-wise sum over all ranks, in rank 0; None in the others."""
        sums = np.empty_like(counts) if self.is_first else None
        self._wait(self._comm.Ireduce(counts, sums, op=self._mpi.SUM, root=0))
        return sums

    def send_to_first(self, array: AnyArray) -> None:
        """Send to rank 0, which calls `receive`."""
        self._wait(self._comm.Isend(array, dest=0))

    def receive(self, array: AnyArray, sender: int) -> None:
        self._wait(self._comm.Irecv(array, source=sender))

    def nearest(self, dtype: Any) -> Nearest:
        """The reduction to the least of one candidate per rank."""
        pair = getattr(self._mpi, _PAIRS[np.dtype(dtype).name])
        packed = np.dtype([("length", dtype), ("vertex", np.int32)], align=True)
        # Windows' long has 32 bits, so MPI has no pair with a 64-bit integer there.
        return Nearest(
            self,
            self._comm,
            self._mpi,
            packed,
            pair if pair.Get_extent()[1] == packed.itemsize else None,
        )

    def _wait(self, request: Any) -> None:
        for _ in range(self._tests):
            if request.Test():
                return
        self._long_waits += 1
        tests = 0
        while not request.Test():
            tests += 1
            self._report_wait(self.rank, self._long_waits, tests)
            time.sleep(_NAP_S)
        self._report_wait(self.rank, self._long_waits, 0)

    def _abort(
        self, kind: type[BaseException], error: BaseException, where: TracebackType | None
    ) -> None:
        """Exception hook that reports the error and aborts all ranks, which would
        otherwise wait for this one.
        """
        if isinstance(error, TautpathError):
            sys.stderr.write(f"tautpath: {error}\n")
        else:
            traceback.print_exception(kind, error, where)
            words = reason_of(error) if isinstance(error, OSError) else f"{kind.__name__}: {error}"
            sys.stderr.write(f"{FAILURE_MARK}{words} (rank {self.rank})\n")
        sys.stderr.flush()
        await_reader(sys.stderr.fileno())
        self._comm.Abort(_BAD_INPUT if isinstance(error, InputError) else _FAILED)


class Nearest:
    """MINLOC: the candidate of least length among all ranks', with the least number on ties.

    ``packed`` is the C layout of a length and a vertex; ``pair`` the same type in MPI.
    Without it there are two reductions, first the length, then the vertex.
    """

    def __init__(self, ranks: Ranks, comm: Any, mpi: Any, packed: np.dtype[Any], pair: Any):
        self._ranks, self._comm, self._mpi, self._pair = ranks, comm, mpi, pair
        self._mine, self._agreed = np.zeros(1, dtype=packed), np.zeros(1, dtype=packed)
        self._my_length, self._my_vertex = self._mine["length"], self._mine["vertex"]
        self._length, self._vertex = self._agreed["length"], self._agreed["vertex"]

    def agree(self, length: Any, vertex: int) -> tuple[Any, int]:
        """The least of all ranks' candidates, as ``(length, vertex)`` in Python
        numbers; called in every rank.
        """
        self._my_length[0], self._my_vertex[0] = length, vertex
        if self._pair is not None:
            brought, agreed = [self._mine, 1, self._pair], [self._agreed, 1, self._pair]
            self._ranks._wait(self._comm.Iallreduce(brought, agreed, op=self._mpi.MINLOC))
            return self._length[0].item(), self._vertex[0].item()
        return self._agree_in_two(length, vertex)

    def _agree_in_two(self, length: Any, vertex: int) -> tuple[Any, int]:
        least, first = np.empty(1, dtype=self._length.dtype), np.empty(1, dtype=np.int32)
        self._ranks._wait(
            self._comm.Iallreduce(np.array([length], dtype=least.dtype), least, op=self._mpi.MIN)
        )
        candidate = vertex if least[0] == least.dtype.type(length) else np.iinfo(np.int32).max
        self._ranks._wait(
            self._comm.Iallreduce(np.array([candidate], dtype=np.int32), first, op=self._mpi.MIN)
        )
        return least[0].item(), first[0].item()


def await_reader(pipe: int) -> None:
    """Wait until all that was written to a pipe is read: what mpiexec has not read when
    a rank aborts, it may drop.
    """
    with suppress(ImportError, OSError):  # Windows; something that is not to be asked
        import fcntl
        import termios

        unread, end = bytearray(4), time.monotonic() + _FORWARDED_WITHIN_S
        while stat.S_ISFIFO(os.fstat(pipe).st_mode) and time.monotonic() < end:
            fcntl.ioctl(pipe, termios.FIONREAD, unread)
            if not any(unread):
                return
            time.sleep(1e-3)


def _forget_shared_memory() -> None:
    """Remove the name of the memory that MPICH's ranks share, which all of them have
    already opened.

    It is freed when the last of them ends, in whatever way. With its name, 2 MB would
    remain after a kill.
    """
    maps = Path("/proc/self/maps")
    if not maps.exists():
        return
    for line in maps.read_text(encoding="utf-8", errors="replace").splitlines():
        name = line.split(maxsplit=5)[-1]
        if name.startswith("/dev/shm/mpich_shm_") and not name.endswith("(deleted)"):
            with suppress(FileNotFoundError):  # mapped in several pieces
                os.unlink(name)


def parse_command_line(
    description: str, configure: Callable[[argparse.ArgumentParser], None]
) -> argparse.Namespace:
    """Parse the command line of a rank program; ``configure`` adds the program's own options.

    ``folder`` is set where the launcher started it, ``graph`` and ``output`` where a
    person did.
    """
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument(
        "--graph", metavar="FILE", help="DIMACS .gr, SNAP edge list, algs4, PACE or TIGER; or gzip"
    )
    where.add_argument(
        "--folder", metavar="DIR", help="a hand-over folder; how Tautpath itself starts the ranks"
    )
    parser.add_argument(
        "--output",
        metavar="FILE.npy",
        help="where rank 0 writes the distances: float64, inf for none",
    )
    parser.add_argument(
        "--undirected", action="store_true", help="take every line as an edge, both ways"
    )
    parser.add_argument("--weights", default="column", metavar="unit|column|random:LO:HI:SEED")
    configure(parser)
    arguments = parser.parse_args()
    if arguments.graph and not arguments.output:
        parser.error("--graph needs --output FILE.npy for the distances")
    return arguments


def open_folder(folder: str) -> tuple[Ranks, HandOver]:
    """Start as one of the launcher's ranks; returns the ranks and the folder.

    Raises RuntimeError where the ranks do not find one another: mpiexec and mpi4py are
    of different makes.
    """
    hand_over = HandOver(Path(folder))
    expected, cores = hand_over.counts()
    ranks = Ranks(cores)
    hand_over.control.announce(ranks.rank)
    ranks.report_waits(hand_over.control.report_wait)
    if ranks.size != expected:
        raise RuntimeError(
            f"mpiexec started {plural(expected, 'rank')}, but each finds {ranks.size}: mpi4py was "
            "built for another MPI than this mpiexec belongs to; install both from the same source"
        )
    return ranks, hand_over


def serve_task(
    folder: str,
    kind: type[Settings],
    solve: Callable[[Ranks, HandOver, Arcs, Settings], Answer | None],
) -> NoReturn:
    """Start as one of the launcher's ranks, solve its task, and end the process.

    ``kind`` are the program's own settings; ``solve`` returns the answer in rank 0,
    None in the others.
    """
    # numba, before it runs its first function, imports SciPy's linear algebra, which no
    # rank uses; it takes as long as the rest of that call.
    sys.modules["scipy.linalg"] = None  # type: ignore[assignment]
    ranks, hand_over = open_folder(folder)
    gc.disable()  # as in the trials of other variants
    answer = solve(ranks, hand_over, *hand_over.task(kind))
    if answer is not None:
        hand_over.finish(answer)
    ranks.end()


def read_on_first(
    ranks: Ranks,
    arguments: argparse.Namespace,
    kind: type[Settings],
    prepare: Callable[[Graph], Settings],
) -> tuple[Arcs, Settings, Graph | None]:
    """Read the graph file in rank 0 and send it to all; returns the arcs, the settings,
    and in rank 0 the graph.

    ``prepare`` makes the program's settings from the graph in rank 0, and may refuse
    it. Raises InputError in rank 0 for a bad file or option, which ends all ranks (see
    `Ranks`).
    """
    graph, text = None, b""
    arrays: tuple[AnyArray, ...] = ()
    if ranks.is_first:
        # only who reads a file needs the parsers
        from solvers.graphs.readers import ReadingOptions, read_graph

        options = ReadingOptions(undirected=arguments.undirected or None, weights=arguments.weights)
        graph = read_graph(arguments.graph, options).graph
        settings = prepare(graph)
        weights = graph.weights_in(graph.distance_type.dtype)
        arrays = (graph.indptr, graph.indices, weights)
        shapes = [(len(array), array.dtype.name) for array in arrays]
        text = msgspec.json.encode((settings, shapes))
    settings, shapes = msgspec.json.decode(
        ranks.broadcast_text(text),
        type=known(tuple[kind, list[tuple[int, str]]]),  # type: ignore[valid-type]
    )
    arrays = arrays or tuple(np.empty(length, dtype=dtype) for length, dtype in shapes)
    for array in arrays:
        ranks.broadcast(array, root=0)
    return Arcs(*arrays), settings, graph


def save_unattended(output: str, distances: AnyArray) -> None:
    """Write distances as float64, inf if unreachable, replacing an existing file atomically."""
    from solvers.system.files import replace_atomically

    with replace_atomically(output) as beside, open(beside, "wb") as file:
        np.save(file, to_float(distances))


def report_unattended(ranks: Ranks, arcs: Arcs, answer: Answer, output: str) -> None:
    """Print one line about the run."""
    sys.stdout.write(
        f"{plural(arcs.n, 'vertex', 'vertices')}, {plural(len(arcs.indices), 'arc')}, "
        f"{plural(ranks.size, 'rank')}: {plural(answer.iterations, 'iteration')} in "
        f"{answer.solve_ms:.1f} ms; wrote {output}\n"
    )
