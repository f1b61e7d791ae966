"""Starts the ranks of a program on this machine, monitors them, and ends all of them.

A cancelled run is asked to stop through the control words, which every rank obeys in its next round. What has not
ended after a moment is ended: mpiexec first, which takes its ranks along, and then whatever is left.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from solvers.algorithms.mpi.handover import MOST_RANKS, Answer, Arcs, HandOver
from solvers.algorithms.mpi.ranks import FAILURE_MARK
from solvers.errors import RankFailed
from solvers.host import machine
from solvers.host.mpi_discovery import availability_error, start_command
from solvers.host.observer import Observer
from solvers.parameters import Parameter

RANKS = Parameter("ranks", 2, "MPI processes on this machine; 0 takes one per core", low=0, high=MOST_RANKS)

_POLL_S = 0.005
_ASKED_S = 0.03  # for the ranks to stop by themselves; most are still at leaving MPI then, which can take seconds
_TERMINATED_S = 0.05  # for mpiexec to end them
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
        try:
            status = None
            while status is None:
                observer.checkpoint(hand_over.control.progress, arcs.n)
                look(hand_over)
                status = group.wait(_POLL_S)
            look(hand_over)
        finally:
            group.end()
        answer = hand_over.answer(observer.checkpoint)
        if status != 0 or answer is None:
            raise RankFailed(program, status, *group.failure())
        return answer


class _RankGroup:
    """mpiexec and the ranks that it started."""

    def __init__(self, command: list[str], hand_over: HandOver):
        self._control = hand_over.control
        self._log = hand_over.folder / "log.txt"
        root = str(Path(__file__).resolve().parents[3])
        paths = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
        with open(self._log, "wb") as log:
            self._process = subprocess.Popen(
                command,
                cwd=hand_over.folder,
                env=os.environ | {"PYTHONPATH": paths},
                stdin=subprocess.DEVNULL,
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

    def end(self) -> None:
        """End all processes: request cancellation, then terminate, then kill."""
        if self._process.poll() is not None:
            return
        self._control.cancel()
        if self.wait(_ASKED_S) is None:
            self._process.terminate()
            if self.wait(_TERMINATED_S) is None:
                self._kill()
        self._process.wait()

    def _kill(self) -> None:
        if sys.platform == "win32":
            subprocess.run(["taskkill", "/F", "/T", "/PID", str(self._process.pid)], capture_output=True, check=False)
            return
        self._process.kill()
        for pid in self._control.processes:  # MPICH starts each rank in a separate session
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def failure(self) -> tuple[str, str]:
        """A short reason for the ranks' failure, and the last part of their output."""
        log = self._log.read_text(encoding="utf-8", errors="replace").strip()
        return reason_in(log), log[-_LOG_CHARACTERS:]


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
