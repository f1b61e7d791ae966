"""Starts the ranks of a program on this machine, monitors them, and ends all of them.

A cancelled run is asked to stop through the control words, which every rank obeys in its next round. The caller does
not wait for that: ``guard.py``, a process of its own, ends mpiexec and the ranks when this process closes its stdin or
dies. Windows has no such guard; there the caller waits until ``taskkill`` has ended them.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from solvers.algorithms.mpi.deadlock import DeadlockWatch
from solvers.algorithms.mpi.handover import MOST_RANKS, Answer, Arcs, HandOver
from solvers.algorithms.mpi.ranks import FAILURE_MARK
from solvers.errors import RankFailed
from solvers.host import machine
from solvers.host.mpi_discovery import availability_error, start_command
from solvers.host.observer import Observer
from solvers.parameters import Parameter

RANKS = Parameter("ranks", 2, "MPI processes on this machine; 0 takes one per core", low=0, high=MOST_RANKS)

_POLL_S = 0.005
_LOOK_S = 0.5  # between looks for stopped ranks
_STOPPED_LOOKS = 4  # in a row: who suspends and continues all processes of a job does not do it at once
_DEADLOCK_S = 120.0
_GUARD_S = 15.0  # for the guard to end all; it kills after a fraction of a second
_GUARD = Path(__file__).with_name("guard.py")
_LOG_CHARACTERS = 2000


def count_of_ranks(asked: int) -> int:
    """Number of ranks for the parameter ``ranks``: 0 means one per core."""
    return asked or min(MOST_RANKS, machine.cores())


def solve_by_ranks(
    program: str,
    arcs: Arcs,
    settings: Any,
    ranks: int,
    observer: Observer,
    look: Callable[[HandOver], None] = lambda hand_over: None,
) -> Answer:
    """Run a rank program to its end.

    Parameters
    ----------
    program : str
        Its module ("solvers.algorithms.dijkstra.mpi_rank").
    arcs : Arcs
    settings : dataclass instance
        The program's own settings, a dataclass.
    ranks : int
    observer : Observer
        Receives progress and is checked for cancellation.
    look : callable
        Called every few milliseconds with the open folder.

    Raises
    ------
    MpiUnavailable, RankFailed, Cancelled
    """
    unavailable = availability_error()
    if unavailable is not None:
        raise unavailable
    observer.checkpoint()
    with HandOver.created(arcs, settings, ranks, machine.cores(), observer.checkpoint) as hand_over:
        command = [*start_command(ranks), sys.executable, "-m", program, "--folder", str(hand_over.folder)]
        group = _RankGroup(command, hand_over)
        deadlock = DeadlockWatch(_DEADLOCK_S)
        try:
            status = None
            while status is None:
                observer.checkpoint(hand_over.control.progress, arcs.n)
                look(hand_over)
                if stopped := group.stopped_process():
                    raise RankFailed(program, -1, f"process {stopped} was stopped by a signal and not continued", "")
                if deadlock.found(hand_over.control.waits(ranks), time.monotonic()):
                    raise RankFailed(program, -1, "all ranks wait for one another and none computes", "")
                status = group.wait(_POLL_S)
            look(hand_over)
        finally:
            group.end()
        answer = hand_over.answer(observer.checkpoint)
        if status != 0 or answer is None:
            raise RankFailed(program, status, *group.failure())
        return answer


class _RankGroup:
    """The guard, mpiexec and the ranks that it started."""

    def __init__(self, command: list[str], hand_over: HandOver):
        self._control = hand_over.control
        self._log = hand_over.folder / "log.txt"
        self._next_look = time.monotonic() + _LOOK_S
        self._stopped_looks = 0
        if sys.platform != "win32":
            command = [sys.executable, "-I", "-S", str(_GUARD), str(hand_over.folder), *command]
        root = str(Path(__file__).resolve().parents[3])
        paths = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
        with open(self._log, "wb") as log:
            self._process = subprocess.Popen(
                command,
                cwd=hand_over.folder,
                env=os.environ | {"PYTHONPATH": paths},
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl+C in the terminal is ours to pass on
            )

    def wait(self, seconds: float) -> int | None:
        """mpiexec's exit status; None if it does not end within ``seconds``."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def stopped_process(self) -> int | None:
        """Id of a process that SIGSTOP has stopped for some seconds, so that all others wait for it."""
        now = time.monotonic()
        if now < self._next_look:
            return None
        self._next_look = now + _LOOK_S
        stopped = [pid for pid in (self._process.pid, *self._all_processes()) if _is_stopped(pid)]
        self._stopped_looks = self._stopped_looks + 1 if stopped else 0
        return stopped[-1] if self._stopped_looks >= _STOPPED_LOOKS else None

    def _all_processes(self) -> tuple[int, ...]:
        """mpiexec and whatever it has started, and the ranks by their own word."""
        try:
            started = [child.pid for child in psutil.Process(self._process.pid).children(recursive=True)]
        except psutil.Error:
            started = []
        return tuple({*started, *self._control.processes})

    def end(self) -> None:
        """End all processes. Returns at once, except on Windows: the guard ends the others, a thread waits."""
        assert self._process.stdin is not None
        running = self._process.poll() is None
        if running:
            self._control.cancel()
        self._process.stdin.close()
        if running and sys.platform == "win32":
            self._kill()
        elif running:
            threading.Thread(target=self._see_to_the_end, name="ending MPI ranks").start()
        elif (self._process.returncode or 0) < 0:  # somebody has killed the guard
            self._kill()

    def _see_to_the_end(self) -> None:
        """Wait for the guard; the program does not end before."""
        if self.wait(_GUARD_S) is None:
            self._kill()

    def _kill(self) -> None:
        if sys.platform == "win32":
            subprocess.run(["taskkill", "/F", "/T", "/PID", str(self._process.pid)], capture_output=True, check=False)
        else:
            processes = self._all_processes()
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
