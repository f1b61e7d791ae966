"""The processes of one rank program on this machine: the guard, mpiexec and the ranks,
which solve task after task.

A cancelled run is asked to stop through the control words, which every rank obeys in
its next round. The caller does not wait for that: ``guard.py``, a process of its own,
ends mpiexec and the ranks when this process closes its stdin or dies. Windows has no
such guard; there the caller waits until ``taskkill`` has ended them.

`DeadlockWatch` detects ranks that all wait for one another. A rank that computes is not
waiting, so slow work is never taken for a deadlock; nor is a rank that computes without
end, which cannot be distinguished from slow work.
"""

from __future__ import annotations

import logging
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import psutil

from solvers.algorithms.mpi.handover import MOST_RANKS, Answer, Arcs, HandOver, nap_s
from solvers.algorithms.mpi.ranks import FAILURE_MARK
from solvers.core.availability import mpi_error, start_command
from solvers.core.problem import TrialScope
from solvers.errors import RankFailed
from solvers.parameters import Parameter
from solvers.program import module_command, module_environment, script_command
from solvers.system import machine
from solvers.system.cancel import Progress

log = logging.getLogger(__name__)

_LONGEST_NAP_S = 0.005
_LATENESS = 1 / 16  # it is part of the measured total
_LOOK_S = 0.5  # between looks for stopped ranks
# in a row: who suspends and continues all processes of a job does not do it at once
_STOPPED_LOOKS = 4
_DEADLOCK_S = 120.0
_LEAVE_S = 1.0  # for ranks without a task to end by themselves
_GUARD_S = 15.0  # for the guard to end all; it kills after a fraction of a second
_GUARD = Path(__file__).with_name("guard.py")
_LOG_CHARACTERS = 2000

Look = Callable[[HandOver], None]
"""Called every few milliseconds with the open folder."""

RANKS = Parameter(
    "ranks", 2, "MPI processes on this machine; 0 takes one per core", low=0, high=MOST_RANKS
)

_LEAST_TESTS = 1000  # by each rank, each of which lets MPI move messages


class RankGroup:
    """Processes that solve tasks with one rank program, given as a module; started with
    the first task.
    """

    def __init__(self, program: str, ranks: int):
        self._program = program
        self._ranks = ranks
        self._folder = ExitStack()
        self._hand_over: HandOver | None = None
        self._processes: _Processes | None = None
        self._is_idle = True

    @property
    def is_usable(self) -> bool:
        """Whether no process that was started has ended."""
        return self._processes is None or self._processes.status() is None

    def solve(self, arcs: Arcs, settings: Any, progress: Progress, look: Look) -> Answer:
        """Have the ranks solve one task; the group can only be closed after an error.

        Parameters and errors as for `solve_by_ranks`.
        """
        self._is_idle = False
        hand_over, processes = self._given(arcs, settings, progress)
        status = self._await_end(hand_over, processes, arcs.n, progress, look)
        look(hand_over)
        answer = hand_over.answer(progress.checkpoint)
        if answer is None:
            raise RankFailed(self._program, -1 if status is None else status, *processes.failure())
        self._is_idle = True
        return answer

    def _given(self, arcs: Arcs, settings: Any, progress: Progress) -> tuple[HandOver, _Processes]:
        """Give the task to the ranks, which are started if there are none."""
        if self._hand_over is not None and self._processes is not None:
            self._hand_over.give(arcs, settings, progress.checkpoint)
            return self._hand_over, self._processes
        created = HandOver.created(
            arcs, settings, self._ranks, machine.cores(), progress.checkpoint
        )
        self._hand_over = self._folder.enter_context(created)
        folder = str(self._hand_over.folder)
        program = module_command(self._program, "--folder", folder)
        command = [*start_command(self._ranks), *program]
        log.info("starting %d MPI ranks of %s", self._ranks, self._program)
        log.debug("command: %s", command)
        self._processes = _Processes(command, self._hand_over)
        return self._hand_over, self._processes

    def _await_end(
        self, hand_over: HandOver, processes: _Processes, n: int, progress: Progress, look: Look
    ) -> int | None:
        """Wait until the task is done, or mpiexec has ended, whose status is returned then."""
        control, since = hand_over.control, time.monotonic()
        deadlock, stopped = DeadlockWatch(_DEADLOCK_S), _StoppedWatch(processes)
        while not control.is_done:
            progress.checkpoint(control.progress, n)
            look(hand_over)
            if pid := stopped.found():
                raise RankFailed(
                    self._program,
                    -1,
                    f"process {pid} was stopped by a signal and not continued",
                    "",
                )
            if deadlock.found(control.waits(self._ranks), time.monotonic()):
                raise RankFailed(
                    self._program, -1, "all ranks wait for one another and none computes", ""
                )
            status = processes.status()
            if status is not None:
                log.info("mpiexec ended with status %d", status)
                return status
            time.sleep(nap_s(since, _LONGEST_NAP_S, _LATENESS))
        return None

    def close(self) -> None:
        """End all processes and remove the folder.

        Ranks without a task are given a moment to end by themselves, so that their end
        disturbs nothing that is measured next. Others are not waited for, except on
        Windows.
        """
        try:
            if self._processes is not None:
                self._processes.end(_LEAVE_S if self._is_idle else 0.0)
        finally:
            self._folder.close()


class _StoppedWatch:
    """Finds a process that is stopped for some seconds of a task."""

    def __init__(self, processes: _Processes):
        self._processes = processes
        self._next_look = time.monotonic() + _LOOK_S
        self._looks = 0

    def found(self) -> int | None:
        now = time.monotonic()
        if now < self._next_look:
            return None
        self._next_look = now + _LOOK_S
        stopped = self._processes.stopped()
        self._looks = self._looks + 1 if stopped else 0
        return stopped[-1] if self._looks >= _STOPPED_LOOKS else None


class _Processes:
    """The guard, mpiexec and the ranks that it started."""

    def __init__(self, command: list[str], hand_over: HandOver):
        self._control = hand_over.control
        self._folder = str(hand_over.folder)
        self._log = hand_over.folder / "log.txt"
        if sys.platform != "win32":
            arguments = (str(hand_over.folder), *command)
            command = script_command(_GUARD, *arguments, options=("-I", "-S"))
        with open(self._log, "wb") as log:
            self._process = subprocess.Popen(
                command,
                cwd=hand_over.folder,
                env=module_environment(),
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl+C in the terminal is ours to pass on
            )

    def status(self) -> int | None:
        """mpiexec's exit status; None if it has not ended."""
        return self._process.poll()

    def stopped(self) -> list[int]:
        """Ids of processes that SIGSTOP has stopped, so that all others wait for them."""
        return [pid for pid in (self._process.pid, *self._all()) if _is_stopped(pid)]

    def _all(self) -> tuple[int, ...]:
        """mpiexec and whatever it has started, and the ranks by their own word."""
        try:
            started = [
                child.pid for child in psutil.Process(self._process.pid).children(recursive=True)
            ]
        except psutil.Error:
            started = []
        return tuple({*started, *filter(self._is_rank, self._control.processes)})

    def _is_rank(self, pid: int) -> bool:
        """Whether a rank still has the number that it announced: the system gives
        numbers of ended processes again.
        """
        try:
            return self._folder in psutil.Process(pid).cmdline()
        except psutil.Error:
            return False

    def end(self, patience_s: float) -> None:
        """End all processes.

        After ``patience_s`` it returns at once, except on Windows: the guard ends the
        others, a thread waits.
        """
        assert self._process.stdin is not None
        self._control.cancel()
        running = not self._has_ended(patience_s)
        self._process.stdin.close()
        if running and sys.platform == "win32":
            self._kill()
        elif running:
            threading.Thread(target=self._see_to_the_end, name="ending MPI ranks").start()
        elif (self._process.returncode or 0) < 0:  # somebody has killed the guard
            self._kill()

    def _see_to_the_end(self) -> None:
        """Wait for the guard; the program does not end before."""
        if not self._has_ended(_GUARD_S):
            self._kill()

    def _has_ended(self, patience_s: float) -> bool:
        try:
            self._process.wait(patience_s)
        except subprocess.TimeoutExpired:
            return False
        return True

    def _kill(self) -> None:
        log.info("killing mpiexec and its ranks")
        if sys.platform == "win32":
            subprocess.run(
                ["taskkill", "/F", "/T", "/PID", str(self._process.pid)],
                capture_output=True,
                check=False,
            )
        else:
            processes = self._all()
            self._process.kill()
            for pid in processes:  # MPICH starts each rank in a separate session
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        self._process.wait()

    def failure(self) -> tuple[str, str]:
        """A short reason for the ranks' failure, and the last part of their output."""
        log = self._log.read_text(encoding="utf-8", errors="replace").strip()
        return reason_in(log), log[-_LOG_CHARACTERS:]


def _is_stopped(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_STOPPED)
    except psutil.Error:
        return False


def reason_in(log: str) -> str:
    """The reason for the ranks' failure, found in their output and mpiexec's."""
    patterns = (
        rf"{FAILURE_MARK}(.+)",
        r"EXIT STRING: (.+)",  # MPICH, of a rank that a signal has ended
        r"exited on (signal .+)",  # Open MPI
    )
    for pattern in patterns:
        found = re.search(pattern, log)
        if found:
            return found.group(1).strip().rstrip(".")
    lines = log.splitlines()
    return lines[-1].strip().rstrip(".") if lines else "it wrote nothing"


def count_of_ranks(asked: int) -> int:
    """Number of ranks for the parameter ``ranks``: 0 means one per core."""
    return asked or min(MOST_RANKS, machine.cores())


def solve_by_ranks(
    program: str,  # its module ("solvers.algorithms.dijkstra.mpi_rank")
    arcs: Arcs,
    settings: Any,  # the program's own settings
    ranks: int,
    progress: Progress,
    look: Look = lambda hand_over: None,
    scope: TrialScope | None = None,
) -> Answer:
    """Have the ranks of a program solve one task; raises MpiUnavailable, RankFailed,
    FileNotWritten, Cancelled.

    ``look``: called every few milliseconds with the open folder. ``scope``: keeps the
    ranks for the next trial; None: they end with this one. An error or a cancellation
    always ends them.
    """
    unavailable = mpi_error()
    if unavailable is not None:
        raise unavailable
    progress.checkpoint()
    if scope is None:
        with TrialScope() as only:
            return solve_by_ranks(program, arcs, settings, ranks, progress, look, only)
    key = program, ranks
    group = scope.keep(key, lambda: RankGroup(program, ranks))
    try:
        return group.solve(arcs, settings, progress, look)
    except BaseException:
        scope.drop(key)
        raise


class DeadlockWatch:
    """Detects that all ranks are in the same wait for ``seconds``, more than MPI needs
    for the largest message.
    """

    def __init__(self, seconds: float):
        self._seconds = seconds
        self._since = 0.0
        self._first: tuple[tuple[int, int], ...] = ()

    def found(self, waits: Sequence[tuple[int, int]], now: float) -> bool:
        """Whether the ranks are deadlocked at time ``now``, in s by a monotonic clock.

        ``waits`` has for each rank the number of its latest long wait, and how often it
        has tested for its end: 0 if it does not wait.
        """
        same = len(self._first) == len(waits) and all(
            tests > 0 and number == first
            for (number, tests), (first, _) in zip(waits, self._first, strict=True)
        )
        if not same:
            self._first, self._since = tuple(waits), now
            return False
        tested = min(
            tests - before for (_, tests), (_, before) in zip(waits, self._first, strict=True)
        )
        return now - self._since >= self._seconds and tested >= _LEAST_TESTS
