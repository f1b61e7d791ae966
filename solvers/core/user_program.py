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

from solvers.core.problem import Problem, Recorder, Solution
from solvers.core.user_process import ARRAYS, UserCode, receive, send
from solvers.core.variant import Variant
from solvers.devices import pick
from solvers.devices.device import Device, KernelSource, recording
from solvers.devices.instrumented import AccessLog, InstrumentedDevice, Logged
from solvers.errors import Cancelled, KernelBuildError, TautlineError, Unavailable, UserCodeFailed
from solvers.graphs.graph import Coordinates, Graph
from solvers.system.cancel import CancelToken, Progress

if sys.platform != "win32":
    import resource

log = logging.getLogger(__name__)

_PROGRESS_S = 0.05
_SAID_CHARACTERS = 300
_MOST_WRITTEN = 1 << 28  # bytes of a file


class _Forwarder(Recorder):
    """Sends what a watched run reports."""

    def __init__(self, send: Callable[[str, Any], None], wants_distances: bool):
        self._sends = send
        self.wants_distances = wants_distances

    def phase(self, name: str, unit: str) -> None:
        self._sends("record", ("phase", (name, unit)))

    def iterations(self, *counts: Any) -> None:
        self._sends("record", ("iterations", counts))

    def matrix_step(self, *step: Any, **more: Any) -> None:
        self._sends("record", ("matrix_step", (*step, *more.values())))


class _Server:
    """Answers requests, one at a time."""

    def __init__(self, stream: IO[bytes], printed: Callable[[], str]):
        self._stream, self._printed = stream, printed
        self._graph: tuple[tuple[Any, ...], Graph] | None = None
        self._last = 0.0

    def send(self, kind: str, content: Any = None) -> None:
        send(self._stream, (kind, content))

    def answer(self, request: tuple[Any, ...]) -> None:
        what, code, *more = request
        try:
            self.send(
                "answer",
                self._compile(code, *more) if what == "compile" else self._solve(code, *more),
            )
        except KernelBuildError as error:
            self.send("error", KernelBuildError(code.name, error.device, error.log))
        except TautlineError as error:
            self.send("error", error)
        except Exception as error:
            self.send(
                "error",
                UserCodeFailed(
                    code.name, f"{type(error).__name__}: {error}{_place_of(error, code)}"
                ),
            )

    def _compile(self, code: UserCode, key: str, defines: dict[str, int | str]) -> str:
        code.load()
        self.send("working")
        program = pick(key).compile(KernelSource(Path(code.kernel), tuple(sorted(defines.items()))))
        return str(getattr(program, "remarks", ""))

    def _solve(
        self,
        code: UserCode,
        given: tuple[Any, ...],
        source: int | None,
        target: int | None,
        parameters: dict[str, Any],
        key: str | None,
        wants: bool | None,
        records: bool,
        watch: tuple[Logged, int] | None,
    ) -> Any:
        entry, device = code.load(), None if key is None else pick(key)
        if self._graph is None or self._graph[0] != given:
            self._graph = given, _mapped(*given)
        if device is not None and records:
            device = recording(device, lambda *launch: self.send("launch", launch))
        recorder = None if wants is None else _Forwarder(self.send, wants)
        progress = Progress(CancelToken(), self._report)
        problem = Problem(
            self._graph[1], source, target, parameters, device, progress, recorder=recorder
        )
        self.send("working")
        if watch is not None and device is not None:
            return self._watched(entry, problem, device, *watch)
        solution = entry.function(problem)
        said = self._printed().strip()
        if said:
            shown = said if len(said) <= _SAID_CHARACTERS else f"{said[:_SAID_CHARACTERS]}…"
            solution = replace(solution, note=f"{solution.note} It printed: {shown}".lstrip())
        return solution

    def _watched(
        self, entry: Variant, problem: Problem, device: Device, logged: Logged, element: int
    ) -> tuple[Solution | None, AccessLog]:
        solution = None
        with device.session() as session:
            watched = InstrumentedDevice(device, session, logged, element)
            try:
                solution = entry.function(replace(problem, device=cast(Device, watched)))
            except (KernelBuildError, Unavailable, Cancelled):
                raise
            except TautlineError as error:  # as by distances that cannot be
                log.info("a watched run has no answer: %s", type(error).__name__)
            return solution, watched.log()

    def _report(self, done: float, total: float) -> None:
        if time.monotonic() - self._last >= _PROGRESS_S:
            self._last = time.monotonic()
            self.send("progress", (done, total))


def _mapped(
    folder: str, number: int, geographic: bool | None, name: str, directed: bool, unit: str
) -> Graph:
    def array(which: str) -> Any:
        return np.load(Path(folder) / f"{which}-{number}.npy", mmap_mode="r")

    coordinates = None if geographic is None else Coordinates(array("xy"), geographic)
    rows = {which: array(which) for which in ARRAYS}
    more: dict[str, Any] = {
        "name": name,
        "directed": directed,
        "weight_unit": unit,
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
        waiting: queue.Queue[Any] = queue.Queue()

        def read() -> None:
            while (request := receive(sys.stdin.buffer)) is not None:
                waiting.put(request)
                if not request:
                    return  # Python aborts at its end while a thread waits in a read
            os._exit(0)  # the program that started this one has ended, or wants no more

        threading.Thread(target=read, name="requests", daemon=True).start()
        while request := waiting.get():
            server.answer(request)


if __name__ == "__main__":
    main()
