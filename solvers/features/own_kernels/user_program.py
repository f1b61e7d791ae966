"""The program that runs a user's own code for `solvers.features.own_kernels.user_process`.

It serves one request after another, and ends when its stdin is closed, as by the death
of the program that started it. Its argument is the folder of requests and answers.
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
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
from msgspec import structs
from numpy.typing import NDArray

from solvers.core.problem import Problem, Recorder, Solution
from solvers.core.variant import Variant
from solvers.devices import pick
from solvers.devices.device import Device, KernelSource, recording
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
from solvers.features.own_kernels.instrumented import AccessLog, InstrumentedDevice, Logged
from solvers.features.own_kernels.user_code import UserCode
from solvers.features.own_kernels.user_messages import (
    MOST_NAME,
    AccessSite,
    CodeAnswer,
    CodeFailure,
    CodeReport,
    CodeRequest,
    LaunchesMade,
    MappedGraph,
    PassesMade,
    PhaseBegun,
    PhaseTimes,
    Refused,
    Solved,
    StepMade,
    Watched,
    as_log,
    load,
    one_line,
    save,
)
from solvers.features.own_kernels.user_process import (
    ANSWER,
    ANSWERED,
    ARRAYS,
    BEGAN,
    END,
    REQUEST,
    UNWRITTEN,
)
from solvers.graphs.graph import Coordinates, Graph
from solvers.system.cancel import CancelToken, Progress
from solvers.system.files import reason_of

if sys.platform != "win32":
    import resource

log = logging.getLogger(__name__)

_PROGRESS_S = 0.05
_SAID_CHARACTERS = 300
_MOST_WRITTEN = 1 << 28  # bytes of a file

Made = tuple[CodeAnswer, dict[str, object]]  # an answer and its arrays


class _Reports(Recorder):
    """Collects what a watched run reports, and the launches of a recorded device."""

    def __init__(self, wants_distances: bool):
        self.wants_distances = wants_distances
        self.reports: list[CodeReport] = []
        self.kernels: dict[str, int] = {}  # their numbers
        self._launches: list[tuple[int, int, int]] = []
        self._pieces: dict[str, list[NDArray[Any]]] = defaultdict(list)

    def launched(self, kernel: str, blocks: int, block: int) -> None:
        if self.reports and isinstance(last := self.reports[-1], LaunchesMade):
            last.count += 1
        else:
            self.reports.append(LaunchesMade(1))
        self._launches.append((self.number_of(kernel), blocks, block))

    def number_of(self, kernel: str) -> int:
        return self.kernels.setdefault(kernel, len(self.kernels))

    def phase(self, name: str, unit: str) -> None:
        self.reports.append(PhaseBegun(one_line(name, MOST_NAME), one_line(unit, MOST_NAME)))

    def iterations(
        self,
        offsets: NDArray[Any],
        vertices: NDArray[Any],
        relaxed: NDArray[Any],
        improved: NDArray[Any],
        ms: NDArray[Any],
        distances: NDArray[Any] | None = None,
    ) -> None:
        given = {
            "offsets": offsets,
            "vertices": vertices,
            "relaxed": relaxed,
            "improved": improved,
            "ms": ms,
            "distances": distances,
        }
        for name, values in given.items():
            if values is not None:
                self._pieces[f"passes.{name}"].append(_numbers(values))
        self.reports.append(PassesMade(len(offsets) - 1, len(vertices), distances is not None))

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
        places = _numbers(tiles).reshape(-1, 4)
        self._pieces["step.tiles"].append(places)
        if matrix is not None:
            self._pieces["step.matrix"].append(np.array(matrix)[None])
        counts = relaxed, requested_bytes, copied_bytes
        self.reports.append(
            StepMade(step, phase, ms, *counts, tiles=len(places), has_matrix=matrix is not None)
        )

    def arrays(self) -> dict[str, object]:
        found: dict[str, object] = {}
        if self._launches:
            found["launches"] = np.array(self._launches, np.int64)
        for name, pieces in self._pieces.items():
            try:
                found[name] = np.concatenate(pieces)
            except ValueError:
                raise Refused(name, "of several shapes", "of one shape") from None
        return found


def _numbers(values: object) -> NDArray[Any]:
    """A copy as an array that messages hold: also of lists and unsigned numbers."""
    array = np.array(values)
    return array.astype(np.int64) if array.dtype.kind in "bu" else array


class _Server:
    """Answers requests, one at a time."""

    def __init__(self, folder: Path, stream: IO[bytes], printed: Callable[[], str]):
        self._folder, self._stream, self._printed = folder, stream, printed
        self._graph: tuple[MappedGraph, Graph] | None = None
        self._reports = _Reports(wants_distances=False)
        self._last = 0.0
        self._writing = threading.Lock()  # the user's code may have threads

    def _tell(self, *words: object) -> None:
        with self._writing:
            self._stream.write(" ".join(map(str, words)).encode() + b"\n")
            self._stream.flush()

    def answer(self) -> None:
        """Write what comes of the request in the folder."""
        request, _ = load(self._folder / REQUEST, CodeRequest, 1 << 30)
        self._reports = _Reports(bool(request.wants_distances))
        try:
            message, arrays = self._made(request)
            try:
                self._save(message, arrays)
            except Refused as refused:
                self._save(CodeAnswer(CodeFailure("UserCodeFailed", one_line(refused))), {})
        except OSError as error:
            self._tell(UNWRITTEN, one_line(reason_of(error), 80))
        else:
            self._tell(ANSWERED)

    def _save(self, message: CodeAnswer, arrays: dict[str, object]) -> None:
        reports = self._reports
        whole = {**arrays, **reports.arrays()}
        heard = {"reports": tuple(reports.reports), "kernels": tuple(reports.kernels)}
        with _files_of_any_size():
            save(self._folder / ANSWER, structs.replace(message, **heard), whole)

    def _made(self, request: CodeRequest) -> Made:
        code = request.code
        try:
            return self._solved(request) if request.graph else self._compiled(request)
        except TautpathError as error:
            return _failed(error)
        except (SystemExit, KeyboardInterrupt) as error:
            how = f"exit({error})" if isinstance(error, SystemExit) else "KeyboardInterrupt"
            words = f"it ended the program by {how}{_place_of(error, code)}"
        except BaseException as error:
            words = f"{type(error).__name__}: {error}{_place_of(error, code)}"
        return CodeAnswer(CodeFailure("UserCodeFailed", one_line(words))), {}

    def _compiled(self, request: CodeRequest) -> Made:
        request.code.load()
        self._tell(BEGAN)
        defines = tuple(sorted(request.defines.items()))
        device = pick(str(request.device))
        program = device.compile(KernelSource(Path(request.code.kernel), defines))
        return CodeAnswer(remarks=as_log(str(getattr(program, "remarks", "")))), {}

    def _solved(self, request: CodeRequest) -> Made:
        entry, problem = request.code.load(), self._problem(request)
        self._tell(BEGAN)
        if request.logged is not None and problem.device is not None:
            logged = Logged(request.logged)
            return self._watched(entry, problem, problem.device, logged, request.element)
        solution = entry.function(problem)
        if not isinstance(solution, Solution):
            raise UserCodeFailed(request.code.name, f"it returned {type(solution).__name__}")
        said = self._printed().strip()
        if said:
            shown = said if len(said) <= _SAID_CHARACTERS else f"{said[:_SAID_CHARACTERS]}…"
            solution = replace(solution, note=f"{solution.note} It printed: {shown}".lstrip())
        return CodeAnswer(solution=_as_data(solution)), {
            "Solution.distances": solution.distances,
            "Solution.predecessors": solution.predecessors,
        }

    def _problem(self, request: CodeRequest) -> Problem:
        device = None if request.device is None else pick(request.device)
        if request.graph is not None and (self._graph is None or self._graph[0] != request.graph):
            self._graph = request.graph, _mapped(request.graph)
        assert self._graph is not None
        if device is not None and request.records_launches:
            device = recording(device, self._reports.launched)
        return Problem(
            self._graph[1],
            request.source,
            request.target,
            request.parameters,
            device,
            Progress(CancelToken(), self._report),
            recorder=None if request.wants_distances is None else self._reports,
        )

    def _watched(
        self, entry: Variant, problem: Problem, device: Device, logged: Logged, element: int
    ) -> Made:
        found = None
        with device.session() as session:
            watched = InstrumentedDevice(device, session, logged, element)
            try:
                found = entry.function(replace(problem, device=cast(Device, watched))).distances
            except (KernelBuildError, Unavailable, Cancelled):
                raise
            except TautpathError as error:  # as by distances that cannot be
                log.info("a watched run has no answer: %s", type(error).__name__)
            message, arrays = _logged(watched.log(), self._reports.number_of)
        return message, {**arrays, "AccessLog.distances": found}

    def _report(self, done: float, total: float) -> None:
        if time.monotonic() - self._last >= _PROGRESS_S:
            self._last = time.monotonic()
            self._tell(done, total)


def _as_data(solution: Solution) -> Solved:
    phases = {name: getattr(solution.phases, name) for name in PhaseTimes.__struct_fields__}
    note = solution.note
    return Solved(
        solution.iterations,
        PhaseTimes(**phases),
        solution.relaxations,
        solution.peak_device_bytes,
        one_line(note) if isinstance(note, str) else note,
    )


def _logged(found: AccessLog, number_of: Callable[[str], int]) -> Made:
    sites = tuple(
        AccessSite(**vars(site) | {"file": one_line(site.file, MOST_NAME)}) for site in found.sites
    )
    places = {site: number for number, site in enumerate(found.sites)}
    launches = [(number_of(one.kernel), one.blocks, one.block) for one in found.launches]
    outside = [
        (places[o.site], o.thread, number_of(o.kernel), o.index, o.count) for o in found.outside
    ]
    return CodeAnswer(log=Watched(sites, found.is_whole)), {
        "AccessLog.launches": np.array(launches, np.int64).reshape(-1, 3),
        "AccessLog.entries": found.entries,
        "AccessLog.outside": np.array(outside, np.int64).reshape(-1, 5),
    }


def _failed(error: TautpathError) -> Made:
    """An error as data; of others than these only the words are told."""
    match error:
        case NegativeCycle():
            failure = CodeFailure("NegativeCycle", weight=error.weight, iterations=error.iterations)
            return CodeAnswer(failure), {"NegativeCycle.vertices": np.array(error.vertices)}
        case OutOfMemory():
            where, remedy = (one_line(words, MOST_NAME) for words in (error.where, error.remedy))
            sizes = error.needed_bytes, error.free_bytes
            what = one_line(error.what, MOST_NAME)
            return CodeAnswer(CodeFailure("OutOfMemory", what, where, remedy, *sizes)), {}
        case KernelBuildError():
            where = one_line(error.device, MOST_NAME)
            return CodeAnswer(CodeFailure("KernelBuildError", as_log(error.log), where)), {}
        case DeviceUnavailable():
            return CodeAnswer(CodeFailure("DeviceUnavailable", one_line(error))), {}
        case Unavailable():
            return CodeAnswer(CodeFailure("Unavailable", one_line(error))), {}
        case InputError():
            return CodeAnswer(CodeFailure("InputError", one_line(error))), {}
    words = error.reason if isinstance(error, UserCodeFailed) else error
    return CodeAnswer(CodeFailure("UserCodeFailed", one_line(words).rstrip("."))), {}


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


@contextmanager
def _files_of_any_size() -> Iterator[None]:
    """What the code prints is limited, an answer not."""
    if sys.platform == "win32":
        yield
        return
    most = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    try:
        yield
    finally:
        _limit_files()


def _limit_files() -> None:
    """Limit what the code prints, without end perhaps."""
    if sys.platform != "win32":
        most = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        least = _MOST_WRITTEN if most == resource.RLIM_INFINITY else min(most, _MOST_WRITTEN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (least, most))


def main() -> None:
    """CodeAnswer requests until stdin is closed, also while one is being answered."""
    _limit_files()
    # of its own: exit() closes stdin
    requests, stream = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with tempfile.TemporaryFile() as printed:
        os.dup2(printed.fileno(), 1)
        server = _Server(Path(sys.argv[1]), stream, _printed_to(printed))
        waiting: queue.Queue[bool] = queue.Queue()

        def read() -> None:
            for line in requests:
                waiting.put(line != END)
                if line == END:
                    return  # Python aborts at its end while a thread waits in a read
            os._exit(0)  # the program that started this one has ended, or wants no more

        threading.Thread(target=read, name="requests", daemon=True).start()
        while waiting.get():
            server.answer()


if __name__ == "__main__":
    main()
