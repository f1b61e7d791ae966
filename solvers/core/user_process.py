"""A process of its own for a user's own code: variants from the user's files, and changed kernels.

An endless loop is ended after a limit, and a crash costs that one solve: this program
and its results are not affected. The process runs the program
`solvers.core.user_program`. Requests are pickled to its stdin, events and answers come
back by its stdout; what the code prints is kept apart. Graphs are files that both sides
map.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import logging
import os
import pickle
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import IO, Any

from solvers.core.problem import Problem, Solution
from solvers.core.variant import RegistrySnapshot, Variant, registered
from solvers.devices.device import is_recorded, replay_launch
from solvers.devices.instrumented import AccessLog, Logged
from solvers.devices.kernel import LINES_VARIABLE, KernelText, distance_defines, replaced_texts
from solvers.errors import DeviceUnavailable, KernelCrashed, KernelTimeLimit, UserCodeFailed
from solvers.graphs.graph import Graph
from solvers.graphs.weights import WeightType
from solvers.system.cancel import SILENT, Progress
from solvers.system.files import save_array, temporary_folder

log = logging.getLogger(__name__)

DEFAULT_LIMIT_S = 30.0
LIMIT_VARIABLE = "TAUTLINE_KERNEL_LIMIT"
_START_LIMIT_S = 120.0  # for Python, its imports, and the graph
_POLL_S = 0.02
_LOG_CHARACTERS = 4000
ARRAYS = ("indptr", "indices", "weights", "ids")


def limit_s() -> float:
    """Seconds after which a solve of a user's own code is ended."""
    try:
        return max(0.1, float(os.environ.get(LIMIT_VARIABLE, DEFAULT_LIMIT_S)))
    except ValueError:
        return DEFAULT_LIMIT_S


@dataclass(frozen=True)
class UserCode:
    """The code of one variant, as the process loads it: a module, and perhaps a text in
    place of its kernel's.
    """

    variant_id: str  # of the variant in that module
    module: str
    name: str  # of the user's file, for messages
    file: str = ""  # of the module, where it is not in a package
    kernel: str = ""  # the kernel file that ``text`` replaces; "" for none
    text: str = ""
    version: str = ""  # hash of the user's text

    def load(self) -> Variant:
        """The variant as its module declares it, with the kernel replaced in this process."""
        if self.kernel:
            replaced_texts[Path(self.kernel)] = KernelText(self.name, self.text)
        if registered(self.variant_id) is None:
            load_file(Path(self.file)) if self.file else importlib.import_module(self.module)
        found = registered(self.variant_id)
        if found is None:
            raise UserCodeFailed(
                self.name, f"it does not declare the variant {self.variant_id} any longer"
            )
        return found


def version_of(*texts: str) -> str:
    """Eight hexadecimal digits by which versions of a text are told apart."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:8]


def load_file(path: Path) -> ModuleType:
    """Import a Python file that is in no package, under a name of its own; raises
    whatever it raises.
    """
    name = f"tautline_own_{re.sub(r'[^0-9A-Za-z_]', '_', path.stem)}_{version_of(str(path))}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None  # it is a .py file
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    added = RegistrySnapshot()
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        added.withdraw()
        del sys.modules[name]
        raise
    return module


def solve_in_process(code: UserCode, problem: Problem) -> Solution:
    """Solve with a user's code; the process stays for the next trial. Raises as the
    code does, and UserCodeFailed.
    """
    if problem.scope is None:
        with UserProcess() as process:
            return process.solve(code, problem)
    return problem.scope.keep(("own code", code), UserProcess).solve(code, problem)


class UserProcess:
    """A process that runs a user's code; see `TrialResource`. A failure of the process
    itself makes it unusable.

    ``tool`` is a command that runs the process, as compute-sanitizer is.
    """

    def __init__(self, tool: Sequence[str] = ()) -> None:
        self._tool = tuple(tool)
        root = str(Path(__file__).resolve().parents[2])
        paths = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            [*tool, sys.executable, "-m", "solvers.core.user_program"],
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            env=os.environ | {"PYTHONPATH": paths} | ({LINES_VARIABLE: "1"} if tool else {}),
            start_new_session=True,  # Ctrl+C is for this program
        )
        self._messages: queue.Queue[tuple[str, Any] | None] = queue.Queue()
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
            send(self._process.stdin, ())
            self._process.wait(within)
        self.close()

    def compile(
        self, code: UserCode, device_key: str, kind: WeightType, progress: Progress = SILENT
    ) -> str:
        """Compile a kernel text for a device; returns the compiler's remarks. Raises
        `KernelBuildError`.
        """
        return str(
            self._ask(
                code,
                ("compile", code, device_key, distance_defines(kind)),
                progress,
                lambda *_: None,
            )
        )

    def solve(self, code: UserCode, problem: Problem, limit: float | None = None) -> Solution:
        """Solve a problem, within ``limit`` seconds; its recorder and device hear what
        they would hear.
        """
        solution = self._solved(code, problem, limit, None)
        assert isinstance(solution, Solution)
        return solution

    def watch(
        self,
        code: UserCode,
        problem: Problem,
        logged: Logged,
        element: int = -1,
        limit: float | None = None,
    ) -> tuple[Solution | None, AccessLog]:
        """Solve with instrumented kernels: the solution, None where there is no finite
        one, and what they did.
        """
        solution, found = self._solved(code, problem, limit, (logged, element))
        return solution, found

    def _solved(
        self,
        code: UserCode,
        problem: Problem,
        limit: float | None,
        watch: tuple[Logged, int] | None,
    ) -> Any:
        recorder, progress = problem.recorder, problem.progress
        wants = None if recorder is None else recorder.wants_distances

        def hear(kind: str, content: Any) -> None:
            if kind == "progress":
                progress.checkpoint(*content)
            elif kind == "launch":
                replay_launch(problem.device, *content)
            elif kind == "record" and recorder is not None:
                getattr(recorder, content[0])(*content[1])

        device = None if problem.device is None else problem.device.key
        task = (
            code,
            self._given(problem.graph),
            problem.source,
            problem.target,
            dict(problem.parameters),
            device,
            wants,
            is_recorded(problem.device),
            watch,
        )
        return self._ask(code, ("solve", *task), progress, hear, limit)

    def _given(self, graph: Graph) -> tuple[Any, ...]:
        """The graph as the process takes it; written to files if it is another than that before."""
        if graph is not self._graph:
            self._graphs += 1
            for name in ARRAYS:
                save_array(self._place / f"{name}-{self._graphs}.npy", getattr(graph, name))
            if graph.coordinates is not None:
                save_array(self._place / f"xy-{self._graphs}.npy", graph.coordinates.xy)
            self._graph = graph
        geographic = None if graph.coordinates is None else graph.coordinates.geographic
        return (
            str(self._place),
            self._graphs,
            geographic,
            graph.name,
            graph.directed,
            graph.weight_unit,
        )

    def _ask(
        self,
        code: UserCode,
        request: tuple[Any, ...],
        progress: Progress,
        hear: Callable[[str, Any], None],
        limit: float | None = None,
    ) -> Any:
        """Send a request and wait for its answer; a failure of the process or of
        ``hear`` ends the process.
        """
        allowed = limit_s() if limit is None else limit
        deadline, is_working = time.monotonic() + _START_LIMIT_S, False
        try:
            try:
                assert self._process.stdin is not None
                send(self._process.stdin, request)
            except OSError:
                raise self._crash(code) from None
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
                kind, content = message
                if kind == "working":
                    deadline, is_working = time.monotonic() + allowed, True
                elif kind == "answer":
                    return content
                elif kind == "error" and is_working and isinstance(content, DeviceUnavailable):
                    # a wild write loses the context
                    raise UserCodeFailed(code.name, str(content).rstrip("."))
                elif kind == "error":
                    break
                else:
                    hear(kind, content)
        except BaseException:
            if not self._tool:  # else it is ended by `end`, so that the tool reports what it found
                self.close()
            raise
        raise content

    def _crash(self, code: UserCode) -> KernelCrashed:
        status = self._process.wait()
        time.sleep(_POLL_S)  # for the last of its log
        return KernelCrashed(code.name, status, self._log)

    def _read_messages(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as stream:
            try:
                while (message := receive(stream)) is not None:
                    self._messages.put(message)
            except Exception as error:  # an answer that was cut off, by a crash
                log.info("what the process of own code answered cannot be read: %s", error)
                self._process.kill()
            self._messages.put(None)

    def _read_log(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as stream:
            for line in iter(partial(stream.readline, 4096), b""):
                self._log = (self._log + line.decode(errors="replace"))[-_LOG_CHARACTERS:]


def send(stream: IO[bytes], message: Any) -> None:
    """Write a message for `receive` at the other end of a pipe; what it pickles is
    trusted by both ends.
    """
    content = pickle.dumps(message, protocol=5)
    stream.write(len(content).to_bytes(8, "little") + content)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """The next message; None at the end."""
    head = stream.read(8)
    return pickle.loads(stream.read(int.from_bytes(head, "little"))) if len(head) == 8 else None
