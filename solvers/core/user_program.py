"""The program that runs a user's own code for `solvers.core.user_process`.

It serves one request after another, and ends when its stdin is closed, as by the death
of the program that started it.
"""

from __future__ import annotations

import ctypes
import logging
import os
import queue
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
from numpy.typing import NDArray

from solvers.core.problem import Problem, Recorder, Solution
from solvers.core.user_code import UserCode
from solvers.core.user_messages import (
    MOST_NAME,
    REQUESTS,
    AccessSite,
    Began,
    CodeFailed,
    Compiled,
    CompileRequest,
    CycleFound,
    EndRequest,
    KernelNotBuilt,
    LaunchMade,
    MappedGraph,
    MemoryLacking,
    Message,
    NotAvailable,
    NotSuitable,
    PassesMade,
    PhaseBegun,
    PhaseTimes,
    ProgressMade,
    Refused,
    Request,
    Solved,
    SolveRequest,
    StepMade,
    Watched,
    as_log,
    one_line,
    receive,
    send,
)
from solvers.core.user_process import ARRAYS
from solvers.core.variant import Variant
from solvers.devices import pick
from solvers.devices.device import Device, KernelSource, recording
from solvers.devices.instrumented import AccessLog, InstrumentedDevice, Logged
from solvers.errors import (
    Cancelled,
    DeviceUnavailable,
    InputError,
    KernelBuildError,
    NegativeCycle,
    OutOfMemory,
    TautpathError,
    Unavailable,
    UserCodeFailed,
)
from solvers.graphs.graph import Coordinates, Graph
from solvers.system.cancel import CancelToken, Progress

if sys.platform != "win32":
    import resource

log = logging.getLogger(__name__)

_PROGRESS_S = 0.05
_SAID_CHARACTERS = 300
_MOST_WRITTEN = 1 << 28  # bytes of a file

Send = Callable[..., None]  # a message and its arrays


class _Forwarder(Recorder):
    """Sends what a watched run reports."""

    def __init__(self, send: Send, wants_distances: bool):
        self._send = send
        self.wants_distances = wants_distances

    def phase(self, name: str, unit: str) -> None:
        self._send(PhaseBegun(one_line(name, MOST_NAME), one_line(unit, MOST_NAME)))

    def iterations(
        self,
        offsets: NDArray[Any],
        vertices: NDArray[Any],
        relaxed: NDArray[Any],
        improved: NDArray[Any],
        ms: NDArray[Any],
        distances: NDArray[Any] | None = None,
    ) -> None:
        self._send(
            PassesMade(),
            offsets=_numbers(offsets),
            vertices=_numbers(vertices),
            relaxed=_numbers(relaxed),
            improved=_numbers(improved),
            ms=_numbers(ms),
            distances=distances,
        )

    def matrix_step(
        self,
        step: int,
        phase: int,
        tiles: NDArray[Any],
        matrix: NDArray[Any] | None,
        ms: float,
        relaxed: int | None = None,
        requested_bytes: int | None = None,
        copied_bytes: int | None = None,
    ) -> None:
        self._send(
            StepMade(step, phase, ms, relaxed, requested_bytes, copied_bytes),
            tiles=_numbers(tiles).reshape(-1, 4),
            matrix=matrix,
        )


def _numbers(values: object) -> NDArray[Any]:
    """Lists and unsigned numbers as arrays that messages hold."""
    array = np.asarray(values)
    return array.astype(np.int64) if array.dtype.kind in "bu" else array


class _Server:
    """Answers requests, one at a time."""

    def __init__(self, stream: IO[bytes], printed: Callable[[], str]):
        self._stream, self._printed = stream, printed
        self._graph: tuple[MappedGraph, Graph] | None = None
        self._last = 0.0
        self._writing = threading.Lock()  # the user's code may have threads

    def send(self, message: Message, **arrays: object) -> None:
        with self._writing:
            send(self._stream, message, **arrays)

    def answer(self, request: CompileRequest | SolveRequest) -> None:
        code = request.code
        try:
            if isinstance(request, CompileRequest):
                self._compile(request)
            else:
                self._solve(request)
        except TautpathError as error:
            self._tell(error)
        except Refused as refused:
            self.send(CodeFailed(one_line(refused)))
        except Exception as error:
            words = f"{type(error).__name__}: {error}{_place_of(error, code)}"
            self.send(CodeFailed(one_line(words)))

    def _tell(self, error: TautpathError) -> None:
        try:
            if isinstance(error, NegativeCycle):
                vertices = np.array(error.vertices)
                self.send(CycleFound(error.weight, error.iterations), vertices=vertices)
            else:
                self.send(_failure(error))
        except Refused as refused:  # fields of the code's own making
            self.send(CodeFailed(one_line(refused)))

    def _compile(self, request: CompileRequest) -> None:
        request.code.load()
        self.send(Began())
        defines = tuple(sorted(request.defines.items()))
        program = pick(request.device).compile(KernelSource(Path(request.code.kernel), defines))
        self.send(Compiled(as_log(str(getattr(program, "remarks", "")))))

    def _solve(self, request: SolveRequest) -> None:
        entry, problem = request.code.load(), self._problem(request)
        self.send(Began())
        if request.logged is not None and problem.device is not None:
            self._watch(entry, problem, problem.device, Logged(request.logged), request.element)
            return
        solution = entry.function(problem)
        if not isinstance(solution, Solution):
            raise UserCodeFailed(request.code.name, f"it returned {type(solution).__name__}")
        said = self._printed().strip()
        if said:
            shown = said if len(said) <= _SAID_CHARACTERS else f"{said[:_SAID_CHARACTERS]}…"
            solution = replace(solution, note=f"{solution.note} It printed: {shown}".lstrip())
        arrays = {"distances": solution.distances, "predecessors": solution.predecessors}
        self.send(_solved(solution), **arrays)

    def _problem(self, request: SolveRequest) -> Problem:
        device = None if request.device is None else pick(request.device)
        if self._graph is None or self._graph[0] != request.graph:
            self._graph = request.graph, _mapped(request.graph)
        if device is not None and request.records_launches:
            device = recording(device, lambda *launch: self.send(LaunchMade(*launch)))
        wants = request.wants_distances
        return Problem(
            self._graph[1],
            request.source,
            request.target,
            request.parameters,
            device,
            Progress(CancelToken(), self._report),
            recorder=None if wants is None else _Forwarder(self.send, wants),
        )

    def _watch(
        self, entry: Variant, problem: Problem, device: Device, logged: Logged, element: int
    ) -> None:
        found = None
        with device.session() as session:
            watched = InstrumentedDevice(device, session, logged, element)
            try:
                found = entry.function(replace(problem, device=cast(Device, watched))).distances
            except (KernelBuildError, Unavailable, Cancelled):
                raise
            except TautpathError as error:  # as by distances that cannot be
                log.info("a watched run has no answer: %s", type(error).__name__)
            message, arrays = _watched(watched.log())
        self.send(message, **arrays, distances=found)

    def _report(self, done: float, total: float) -> None:
        if time.monotonic() - self._last >= _PROGRESS_S:
            self._last = time.monotonic()
            self.send(ProgressMade(done, total))


def _solved(solution: Solution) -> Solved:
    phases = {name: getattr(solution.phases, name) for name in PhaseTimes.__struct_fields__}
    note = solution.note
    return Solved(
        solution.iterations,
        PhaseTimes(**phases),
        solution.relaxations,
        solution.peak_device_bytes,
        one_line(note) if isinstance(note, str) else note,
    )


def _watched(found: AccessLog) -> tuple[Watched, dict[str, object]]:
    names = dict.fromkeys(launch.kernel for launch in found.launches)
    kernels = {name: number for number, name in enumerate(names)}
    sites = tuple(
        AccessSite(**vars(site) | {"file": one_line(site.file, MOST_NAME)}) for site in found.sites
    )
    places = {site: number for number, site in enumerate(found.sites)}
    launches = [(kernels[one.kernel], one.blocks, one.block) for one in found.launches]
    outside = [
        (places[o.site], o.thread, kernels[o.kernel], o.index, o.count) for o in found.outside
    ]
    arrays = {
        "launches": np.array(launches, np.int64).reshape(-1, 3),
        "entries": found.entries,
        "outside": np.array(outside, np.int64).reshape(-1, 5),
    }
    return Watched(sites, tuple(names), found.is_whole), arrays


def _failure(error: TautpathError) -> Message:
    """An error that has no arrays; of others than these only the words are told."""
    match error:
        case OutOfMemory():
            texts = (one_line(words, MOST_NAME) for words in (error.where, error.remedy))
            what = one_line(error.what, MOST_NAME)
            return MemoryLacking(what, error.needed_bytes, error.free_bytes, *texts)
        case KernelBuildError():
            return KernelNotBuilt(one_line(error.device, MOST_NAME), as_log(error.log))
        case Unavailable():
            return NotAvailable(one_line(error), isinstance(error, DeviceUnavailable))
        case InputError():
            return NotSuitable(one_line(error))
    words = error.reason if isinstance(error, UserCodeFailed) else error
    return CodeFailed(one_line(words).rstrip("."))


def _mapped(files: MappedGraph) -> Graph:
    def array(which: str) -> Any:
        return np.load(Path(files.folder) / f"{which}-{files.number}.npy", mmap_mode="r")

    given = files.geographic
    coordinates = None if given is None else Coordinates(array("xy"), given)
    rows = {which: array(which) for which in ARRAYS}
    more: dict[str, Any] = {
        "name": files.name,
        "directed": files.directed,
        "weight_unit": files.weight_unit,
        "assume_symmetric": True,
    }
    return Graph(**rows, coordinates=coordinates, **more)


def _place_of(error: BaseException, code: UserCode) -> str:
    """Where in the user's file an error was raised: ", line 12 of mine.py"; "" elsewhere."""
    trace, found = error.__traceback__, ""
    while trace is not None:
        if code.file and trace.tb_frame.f_code.co_filename == code.file:
            found = f", line {trace.tb_lineno} of {Path(code.file).name}"
        trace = trace.tb_next
    return found


def _printed_to(file: IO[bytes]) -> Callable[[], str]:
    """What was printed since the last call, also by kernels."""

    def read() -> str:
        sys.stdout.flush()
        if sys.platform != "win32":
            ctypes.CDLL(None).fflush(None)
        end = os.lseek(1, 0, os.SEEK_END)
        file.seek(0)
        said = file.read(min(end, 4 * _SAID_CHARACTERS)).decode(errors="replace")
        os.ftruncate(1, 0)
        os.lseek(1, 0, os.SEEK_SET)
        return said

    return read


def main() -> None:
    """Answer requests from stdin until it is closed, also while one is being answered."""
    if sys.platform != "win32":
        # what it prints, without end perhaps
        resource.setrlimit(resource.RLIMIT_FSIZE, (_MOST_WRITTEN, _MOST_WRITTEN))
    stream = os.fdopen(os.dup(1), "wb")
    with tempfile.TemporaryFile() as printed:
        os.dup2(printed.fileno(), 1)
        server = _Server(stream, _printed_to(printed))
        waiting: queue.Queue[Request] = queue.Queue()

        def read() -> None:
            while (found := receive(sys.stdin.buffer, REQUESTS, 0)) is not None:
                waiting.put(found[0])
                if isinstance(found[0], EndRequest):
                    return  # Python aborts at its end while a thread waits in a read
            os._exit(0)  # the program that started this one has ended, or wants no more

        threading.Thread(target=read, name="requests", daemon=True).start()
        while not isinstance(request := waiting.get(), EndRequest):
            server.answer(request)


if __name__ == "__main__":
    main()
