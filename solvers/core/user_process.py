"""A process of its own for a user's own code: variants from the user's files, and changed kernels.

An endless loop is ended after a limit, and a crash costs that one solve: this program
and its results are not affected. The process runs the program
`solvers.core.user_program`. Requests go to its stdin, events and answers come back by
its stdout, as messages of `solvers.core.user_messages`; what the code prints is kept
apart. Graphs are files that both sides map. Nothing that comes back is used before
`solvers.core.user_answers` has checked it.
"""

from __future__ import annotations

import logging
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from numpy.typing import NDArray

from solvers.core.problem import Problem, Solution, TrialScope
from solvers.core.user_answers import CodeQuestion, SolveQuestion, WatchQuestion
from solvers.core.user_code import UserCode
from solvers.core.user_messages import (
    REPLIES,
    Answer,
    Arrays,
    Began,
    CompileRequest,
    EndRequest,
    Failure,
    MappedGraph,
    Refused,
    Reply,
    Request,
    SolveRequest,
    receive,
    send,
)
from solvers.devices.device import is_recorded
from solvers.devices.instrumented import AccessLog, Logged
from solvers.devices.kernel import LINES_VARIABLE, distance_defines
from solvers.errors import (
    AnswerRefused,
    DeviceUnavailable,
    KernelCrashed,
    KernelTimeLimit,
    TautpathError,
    UserCodeFailed,
)
from solvers.graphs.graph import Graph
from solvers.graphs.weights import WeightType
from solvers.program import module_command, module_environment
from solvers.system.cancel import SILENT, Progress
from solvers.system.files import save_array, temporary_folder
from solvers.text import printable

log = logging.getLogger(__name__)

DEFAULT_LIMIT_S = 30.0
LIMIT_VARIABLE = "TAUTPATH_KERNEL_LIMIT"
_START_LIMIT_S = 120.0  # for Python, its imports, and the graph
_END_S = 5.0  # for a process whose output has ended
_POLL_S = 0.02
_LOG_CHARACTERS = 4000
_MOST_WAITING = 8  # messages that are read ahead
ARRAYS = ("indptr", "indices", "weights", "ids")


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
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            [*tool, *module_command("solvers.core.user_program")],
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            env={**module_environment(), **({LINES_VARIABLE: "1"} if tool else {})},
            start_new_session=True,  # Ctrl+C is for this program
        )
        # None at their end
        self._messages: queue.Queue[tuple[Reply, Arrays] | Refused | None] = queue.Queue(
            _MOST_WAITING
        )
        self._most_bytes = 0  # of a message, by the question
        self._log = ""
        self._folder = temporary_folder("own")
        self._place = self._folder.__enter__()
        # the window may close it while its job does
        self._closing, self._is_closed = threading.Lock(), False
        self._graph: Graph | None = None
        self._graphs = 0
        for read in (self._read_messages, self._read_log):
            threading.Thread(target=read, name="own code", daemon=True).start()

    def __enter__(self) -> UserProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def is_usable(self) -> bool:
        return self._process.poll() is None

    def close(self) -> None:
        """End the process, whatever it does."""
        with self._closing:
            if self._is_closed:  # its number may be another process's by now
                return
            self._is_closed = True
            if self._tool and sys.platform != "win32":
                with suppress(ProcessLookupError):
                    os.killpg(self._process.pid, signal.SIGKILL)  # the tool and what it runs
            self._process.kill()
            self._process.wait()
            if self._process.stdin is not None:
                with suppress(OSError):  # it ended with a part of a request unread
                    self._process.stdin.close()
            self._folder.__exit__(None, None, None)

    def end(self, within: float) -> None:
        """Let the process end by itself, so that the tool around it reports; kill it
        after ``within`` seconds.
        """
        with suppress(OSError, ValueError, subprocess.TimeoutExpired):  # ValueError: it was closed
            assert self._process.stdin is not None
            send(self._process.stdin, EndRequest())
            self._process.wait(within)
        self.close()

    def compile(
        self, code: UserCode, device_key: str, kind: WeightType, progress: Progress = SILENT
    ) -> str:
        """Compile a kernel text for a device; returns the compiler's remarks. Raises
        `KernelBuildError`.
        """
        request = CompileRequest(code, device_key, distance_defines(kind))
        remarks: str = self._ask(code, request, CodeQuestion(code, progress), progress)
        return remarks

    def solve(self, code: UserCode, problem: Problem, limit: float | None = None) -> Solution:
        """Solve a problem, within ``limit`` seconds; its recorder and device hear what
        they would hear.
        """
        solution: Solution = self._ask(
            code,
            self._request(code, problem),
            SolveQuestion(code, problem),
            problem.progress,
            limit,
        )
        return solution

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
        question = WatchQuestion(code, problem)
        found: tuple[NDArray[Any] | None, AccessLog]
        found = self._ask(code, request, question, problem.progress, limit)
        return found

    def _request(
        self, code: UserCode, problem: Problem, logged: int | None = None, element: int = -1
    ) -> SolveRequest:
        return SolveRequest(
            code,
            self._given(problem.graph),
            problem.source,
            problem.target,
            dict(problem.parameters),
            None if problem.device is None else problem.device.key,
            None if problem.recorder is None else problem.recorder.wants_distances,
            is_recorded(problem.device),
            logged,
            element,
        )

    def _given(self, graph: Graph) -> MappedGraph:
        """The graph as the process takes it; written to files if it is another than that before."""
        if graph is not self._graph:
            self._graphs += 1
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
        code: UserCode,
        request: Request,
        question: CodeQuestion,
        progress: Progress,
        limit: float | None = None,
    ) -> Any:
        """Send a request and wait for its answer; a failure of the process or of who
        hears of it ends the process.
        """
        try:
            found = self._answer(code, request, question, progress, limit)
        except BaseException as error:
            if not self._tool:  # else it is ended by `end`, so that the tool reports what it found
                self.close()
            if isinstance(error, Refused):
                raise AnswerRefused(code.name, error.field, error.got, error.right) from None
            raise
        if isinstance(found, TautpathError):
            raise found
        return found

    def _answer(
        self,
        code: UserCode,
        request: Request,
        question: CodeQuestion,
        progress: Progress,
        limit: float | None,
    ) -> Any:
        """The answer, or the error that the process tells of."""
        allowed = limit_s() if limit is None else limit
        deadline, is_working = time.monotonic() + _START_LIMIT_S, False
        self._send(code, request, question)
        while True:
            progress.checkpoint()
            if time.monotonic() > deadline:
                raise KernelTimeLimit(code.name, allowed if is_working else _START_LIMIT_S)
            try:
                message = self._messages.get(timeout=_POLL_S)
            except queue.Empty:
                continue
            if message is None:
                raise self._crash(code)
            if isinstance(message, Refused):
                raise message
            reply, arrays = message
            if isinstance(reply, Began) and not is_working:
                deadline, is_working = time.monotonic() + allowed, True
            elif isinstance(reply, Answer):
                return question.answer(reply, arrays)
            elif isinstance(reply, Failure):
                error = question.error(reply, arrays)
                if is_working and isinstance(error, DeviceUnavailable):
                    # a wild write loses the context
                    raise UserCodeFailed(code.name, str(error).rstrip("."))
                return error
            else:
                question.hear(reply, arrays)

    def _send(self, code: UserCode, request: Request, question: CodeQuestion) -> None:
        assert self._process.stdin is not None
        self._most_bytes = question.most_bytes
        try:
            send(self._process.stdin, request)
        except OSError:
            raise self._crash(code) from None

    def _crash(self, code: UserCode) -> KernelCrashed:
        try:
            status = self._process.wait(_END_S)
        except subprocess.TimeoutExpired:  # it closed its stdout, and goes on
            self._process.kill()
            status = self._process.wait()
        time.sleep(_POLL_S)  # for the last of its log
        return KernelCrashed(code.name, status, self._log)

    def _read_messages(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as stream:
            try:
                while (message := receive(stream, REPLIES, self._most_bytes)) is not None:
                    self._put(message)
            except Exception as error:  # memory that is short, for one
                self._put(
                    error
                    if isinstance(error, Refused)
                    else Refused("message", f"not readable ({type(error).__name__})", "a message")
                )
            self._put(None)

    def _put(self, item: tuple[Reply, Arrays] | Refused | None) -> None:
        """Queue a message; waits, so that a process that writes without end fills no memory."""
        while not self._is_closed:
            with suppress(queue.Full):
                self._messages.put(item, timeout=_POLL_S)
                return

    def _read_log(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as stream:
            for line in iter(partial(stream.readline, 4096), b""):
                self._log = (self._log + line.decode(errors="replace"))[-_LOG_CHARACTERS:]
