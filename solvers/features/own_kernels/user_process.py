"""A process of its own for a user's own code: variants from the user's files, and changed kernels.

An endless loop is ended after a limit, and a crash costs that one solve: this program
and its results are not affected. The process runs `user_program`, which
`solvers.system.keeper` ends with all that the code leaves behind. A request and its
answer are files of `user_messages`; a line on stdin says that there is a
request, and lines come back by stdout when the code begins, how far it is, and when
there is an answer. What the code prints is kept apart. Graphs are files that both sides
map. Nothing that comes back is used before `user_answers` has checked it.
"""

from __future__ import annotations

import logging
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from numpy.typing import NDArray

from solvers.core.problem import Problem, Solution, TrialScope
from solvers.devices.device import is_recorded
from solvers.devices.kernel import LINES_VARIABLE, distance_defines
from solvers.errors import (
    AnswerRefused,
    DeviceUnavailable,
    FileNotWritten,
    KernelCrashed,
    KernelTimeLimit,
    TautpathError,
    UserCodeFailed,
)
from solvers.features.own_kernels.instrumented import AccessLog, Logged
from solvers.features.own_kernels.user_answers import Received, most_bytes
from solvers.features.own_kernels.user_code import UserCode
from solvers.features.own_kernels.user_messages import (
    CodeAnswer,
    CodeRequest,
    MappedGraph,
    Refused,
    load,
    one_line,
    save,
)
from solvers.graphs.graph import Graph
from solvers.graphs.weights import WeightType
from solvers.program import kept_command, module_command, module_environment
from solvers.system.cancel import SILENT, Progress
from solvers.system.files import save_array, temporary_folder, writing
from solvers.text import printable

log = logging.getLogger(__name__)

DEFAULT_LIMIT_S = 30.0
LIMIT_VARIABLE = "TAUTPATH_KERNEL_LIMIT"
_START_LIMIT_S = 120.0  # for Python, its imports, and the graph
_END_S = 5.0  # for a process whose output has ended
_POLL_S = 0.02
_LOG_CHARACTERS = 4000
_MOST_WAITING = 8  # lines that are read ahead
_MOST_LINE = 400  # bytes
_MOST_TOTAL = 1e18  # of progress
ARRAYS = ("indptr", "indices", "weights", "ids")
REQUEST, ANSWER = "request", "answer"  # files
END = b"end\n"  # a line on stdin; others say that there is a request
BEGAN, ANSWERED, UNWRITTEN = "began", "answered", "unwritten"  # lines; others are of progress

Found = TypeVar("Found")


def limit_s() -> float:
    """Seconds after which a solve of a user's own code is ended."""
    try:
        return max(0.1, float(os.environ.get(LIMIT_VARIABLE, DEFAULT_LIMIT_S)))
    except ValueError:
        return DEFAULT_LIMIT_S


def solve_in_process(code: UserCode, problem: Problem) -> Solution:
    """Solve with a user's code; the process stays for the next trial. Raises as the
    code does, and UserCodeFailed.
    """
    if problem.scope is None:
        with UserProcess() as process:
            return process.solve(code, problem)
    return kept_process(code, problem.scope).solve(code, problem)


def kept_process(code: UserCode, scope: TrialScope) -> UserProcess:
    """The process of a scope for a code; started if there is none, or it has ended."""
    return scope.keep(("own code", code), UserProcess)


class UserProcess:
    """A process that runs a user's code; see `TrialResource`. A failure of the process
    itself makes it unusable.

    ``tool`` is a command that runs the process, as compute-sanitizer is.
    """

    def __init__(self, tool: Sequence[str] = ()) -> None:
        self._tool = tuple(tool)
        self._folder = temporary_folder("own")
        self._place = self._folder.__enter__()
        program = module_command("solvers.features.own_kernels.user_program", str(self._place))
        self._process = subprocess.Popen(
            kept_command([*tool, *program]),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**module_environment(), **({LINES_VARIABLE: "1"} if tool else {})},
            start_new_session=True,  # Ctrl+C is for this program
        )
        self._lines: queue.Queue[str | None] = queue.Queue(_MOST_WAITING)  # None at their end
        self._log = ""
        # the window may close it while its job does
        self._closing, self._is_closed = threading.Lock(), False
        self._graph: Graph | None = None
        self._graphs = 0
        for read in (self._read_lines, self._read_log):
            threading.Thread(target=read, name="own code", daemon=True).start()

    def __enter__(self) -> UserProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def is_usable(self) -> bool:
        return self._process.poll() is None

    def close(self) -> None:
        """End the process, whatever it does, and what it started."""
        with self._closing:
            if self._is_closed:  # its number may be another process's by now
                return
            self._is_closed = True
            if self._process.stdin is not None:
                with suppress(OSError):  # it ended with a part of a line unread
                    self._process.stdin.close()
            if sys.platform != "win32":
                with suppress(subprocess.TimeoutExpired):
                    self._process.wait(_END_S)  # its keeper ends the rest
            self._process.kill()
            self._process.wait()
            self._folder.__exit__(None, None, None)

    def end(self, within: float) -> None:
        """Let the process end by itself, so that the tool around it reports; kill it
        after ``within`` seconds.
        """
        with suppress(OSError, ValueError, subprocess.TimeoutExpired):  # ValueError: it was closed
            assert self._process.stdin is not None
            self._process.stdin.write(END)
            self._process.stdin.flush()
            self._process.wait(within)
        self.close()

    def compile(
        self, code: UserCode, device_key: str, kind: WeightType, progress: Progress = SILENT
    ) -> str:
        """Compile a kernel text for a device; returns the compiler's remarks. Raises
        `KernelBuildError`.
        """
        request = CodeRequest(code, device_key, defines=distance_defines(kind))
        return self._ask(request, None, Received.remarks, progress)

    def solve(self, code: UserCode, problem: Problem, limit: float | None = None) -> Solution:
        """Solve a problem, within ``limit`` seconds; its recorder and device hear what
        they would hear, once it is solved.
        """
        request = self._request(code, problem)
        return self._ask(request, problem, Received.solution, problem.progress, limit)

    def watch(
        self,
        code: UserCode,
        problem: Problem,
        logged: Logged,
        element: int = -1,
        limit: float | None = None,
    ) -> tuple[NDArray[Any] | None, AccessLog]:
        """Solve with instrumented kernels: the distances, None where there is no answer,
        and what the kernels did.
        """
        request = self._request(code, problem, int(logged), element)
        return self._ask(request, problem, Received.watched, problem.progress, limit)

    def _request(
        self, code: UserCode, problem: Problem, logged: int | None = None, element: int = -1
    ) -> CodeRequest:
        return CodeRequest(
            code,
            None if problem.device is None else problem.device.key,
            graph=self._given(problem.graph),
            source=problem.source,
            target=problem.target,
            parameters=dict(problem.parameters),
            wants_distances=(
                None if problem.recorder is None else problem.recorder.wants_distances
            ),
            records_launches=is_recorded(problem.device),
            logged=logged,
            element=element,
        )

    def _given(self, graph: Graph) -> MappedGraph:
        """The graph as the process takes it; written to files if it is another than that before."""
        if graph is not self._graph:
            self._graphs += 1
            with writing(self._place):
                for name in ARRAYS:
                    save_array(self._place / f"{name}-{self._graphs}.npy", getattr(graph, name))
                if graph.coordinates is not None:
                    save_array(self._place / f"xy-{self._graphs}.npy", graph.coordinates.xy)
            self._graph = graph
        return MappedGraph(
            str(self._place),
            self._graphs,
            None if graph.coordinates is None else graph.coordinates.geographic,
            printable(graph.name),
            graph.directed,
            graph.weight_unit,
        )

    def _ask(
        self,
        request: CodeRequest,
        problem: Problem | None,
        read: Callable[[Received], Found],
        progress: Progress,
        limit: float | None = None,
    ) -> Found:
        """Send a request and read its answer; a failure of the process or of who hears
        of it ends the process. Raises the error that the process tells of.
        """
        try:
            received, has_begun = self._answer(request, problem, progress, limit)
            error = received.error
            if has_begun and isinstance(error, DeviceUnavailable):
                # a wild write loses the context
                raise UserCodeFailed(request.code.name, str(error).rstrip("."))
            if problem is not None:
                received.replay()
            found = error or read(received)
        except BaseException as error:
            if not self._tool:  # else it is ended by `end`, so that the tool reports what it found
                self.close()
            if isinstance(error, Refused):
                name = request.code.name
                raise AnswerRefused(name, error.field, error.got, error.right) from None
            raise
        if isinstance(found, TautpathError):
            raise found
        return found

    def _answer(
        self, request: CodeRequest, problem: Problem | None, progress: Progress, limit: float | None
    ) -> tuple[Received, bool]:
        """The answer, and whether the code had begun."""
        code, allowed = request.code, limit_s() if limit is None else limit
        deadline, has_begun, last_heard = time.monotonic() + _START_LIMIT_S, False, 0.0
        self._send(request)
        while True:
            progress.checkpoint()
            if time.monotonic() > deadline:
                raise KernelTimeLimit(code.name, allowed if has_begun else _START_LIMIT_S)
            try:
                line = self._lines.get(timeout=_POLL_S)
            except queue.Empty:
                continue
            if line is None:
                raise self._crash(code)
            if line == BEGAN and not has_begun:
                deadline, has_begun = time.monotonic() + allowed, True
            elif line == ANSWERED:
                most = most_bytes(code, problem)
                return Received(
                    code, *load(self._place / ANSWER, CodeAnswer, most), problem
                ), has_begun
            elif line.startswith(UNWRITTEN):
                raise FileNotWritten(self._place, one_line(line.removeprefix(UNWRITTEN).strip()))
            else:
                done, total = _progress_in(line)
                if time.monotonic() - last_heard >= _POLL_S:
                    last_heard = time.monotonic()
                    progress.checkpoint(done, total)

    def _send(self, request: CodeRequest) -> None:
        assert self._process.stdin is not None
        with writing(self._place):
            (self._place / ANSWER).unlink(missing_ok=True)
            save(self._place / REQUEST, request)
        try:
            self._process.stdin.write(b"\n")
            self._process.stdin.flush()
        except OSError:
            raise self._crash(request.code) from None

    def _crash(self, code: UserCode) -> KernelCrashed:
        try:
            status = self._process.wait(_END_S)
        except subprocess.TimeoutExpired:  # it closed its stdout, and goes on
            self._process.kill()
            status = self._process.wait()
        time.sleep(_POLL_S)  # for the last of its log
        return KernelCrashed(code.name, status, self._log)

    def _read_lines(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as stream:
            for line in iter(partial(stream.readline, _MOST_LINE), b""):
                self._put(line.decode(errors="replace").strip())
        self._put(None)

    def _put(self, line: str | None) -> None:
        """Queue a line; waits, so that a process that writes without end fills no memory."""
        while not self._is_closed:
            with suppress(queue.Full):
                self._lines.put(line, timeout=_POLL_S)
                return

    def _read_log(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as stream:
            for line in iter(partial(stream.readline, 4096), b""):
                self._log = (self._log + line.decode(errors="replace"))[-_LOG_CHARACTERS:]


def _progress_in(line: str) -> tuple[float, float]:
    """What is done, and of how much; raises `Refused`."""
    with suppress(ValueError):  # another number of words, or no numbers
        done, total = map(float, line.split())
        if 0 <= done <= _MOST_TOTAL and 0 < total <= _MOST_TOTAL:  # false for NaN
            return min(done, total), total
    raise Refused("report", one_line(line or "an empty line", 80), "what is done, and of how much")
