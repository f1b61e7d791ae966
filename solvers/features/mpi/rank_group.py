"""One run of a rank program on this machine: mpiexec and the ranks that it starts.

A cancelled run is asked to stop through the control words, which every rank obeys in
its next round; `solvers.system.keeper` ends mpiexec and the ranks when this process
closes its stdin or dies. On Windows ``taskkill`` ends them.

`DeadlockWatch` detects ranks that all wait for one another. A rank that computes is not
waiting, so slow work is never taken for a deadlock; nor is a rank that computes without
end, which cannot be distinguished from slow work.
"""

from __future__ import annotations

import logging
import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from solvers.core.availability import mpi_error, start_command
from solvers.errors import RankFailed
from solvers.features.mpi.handover import MOST_RANKS, Answer, Arcs, HandOver, nap_s
from solvers.features.mpi.ranks import FAILURE_MARK
from solvers.parameters import Parameter
from solvers.program import kept_command, module_command, module_environment
from solvers.system import machine
from solvers.system.cancel import Progress

log = logging.getLogger(__name__)

_LONGEST_NAP_S = 0.005
_LATENESS = 1 / 16  # it is part of the measured total
_LOOK_S = 0.5  # between looks for stopped ranks
# in a row: who suspends and continues all processes of a job does not do it at once
_STOPPED_LOOKS = 4
_DEADLOCK_S = 120.0
_END_S = 15.0  # for the keeper to end all; it kills at once
_LOG_CHARACTERS = 2000

Look = Callable[[HandOver], None]
"""Called every few milliseconds with the open folder."""

RANKS = Parameter(
    "ranks", 2, "MPI processes on this machine; 0 takes one per core", low=0, high=MOST_RANKS
)

_LEAST_TESTS = 1000  # by each rank, each of which lets MPI move messages


def solve_by_ranks(
    program: str,  # its module ("solvers.features.mpi.dijkstra_rank")
    arcs: Arcs,
    settings: Any,  # the program's own settings
    ranks: int,
    progress: Progress,
    look: Look = lambda hand_over: None,
) -> Answer:
    """Have the ranks of a program solve one task; raises MpiUnavailable, RankFailed,
    FileNotWritten, Cancelled.

    ``look``: called every few milliseconds with the open folder.
    """
    unavailable = mpi_error()
    if unavailable is not None:
        raise unavailable
    progress.checkpoint()
    with (
        HandOver.created(arcs, settings, ranks, machine.cores(), progress.checkpoint) as hand_over,
        _Run(program, ranks, hand_over) as run,
    ):
        status = run.await_end(arcs.n, progress, look)
        look(hand_over)
        answer = hand_over.answer(progress.checkpoint)
        if answer is None:
            raise RankFailed(program, status, *run.failure())
        return replace(answer, start_ms=run.start_ms)


class _Run:
    """mpiexec and the ranks, started; all of them end with the ``with`` block."""

    def __init__(self, program: str, ranks: int, hand_over: HandOver):
        self._program, self._ranks, self._hand_over = program, ranks, hand_over
        self._log = hand_over.folder / "log.txt"
        own = module_command(program, "--folder", str(hand_over.folder))
        command = kept_command([*start_command(ranks), *own])
        log.info("starting %d MPI ranks of %s", ranks, program)
        log.debug("command: %s", command)
        self._started = time.monotonic()
        self.start_ms = 0.0  # until all ranks were there
        with open(self._log, "wb") as file:
            self._process = subprocess.Popen(
                command,
                cwd=hand_over.folder,
                env=_environment(hand_over.folder),
                stdin=subprocess.PIPE,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl+C in the terminal is ours to pass on
            )

    def __enter__(self) -> _Run:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._hand_over.control.cancel()
        with suppress(OSError):
            self._process.stdin.close()
        if sys.platform == "win32":
            kill = ["taskkill", "/F", "/T", "/PID", str(self._process.pid)]
            subprocess.run(kill, capture_output=True, check=False)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_S)
        self._process.kill()
        self._process.wait()

    def await_end(self, n: int, progress: Progress, look: Look) -> int:
        """Wait until mpiexec has ended; its status."""
        control, since = self._hand_over.control, time.monotonic()
        deadlock, stopped = DeadlockWatch(_DEADLOCK_S), _StoppedWatch(self._process.pid)
        while (status := self._process.poll()) is None:
            progress.checkpoint(control.progress, n)
            look(self._hand_over)
            if not self.start_ms and len(control.processes) == self._ranks:
                self.start_ms = (time.monotonic() - self._started) * 1e3
            if pid := stopped.found():
                words = f"process {pid} was stopped by a signal and not continued"
                raise RankFailed(self._program, -1, words, "")
            if deadlock.found(control.waits(self._ranks), time.monotonic()):
                words = "all ranks wait for one another and none computes"
                raise RankFailed(self._program, -1, words, "")
            time.sleep(nap_s(since, _LONGEST_NAP_S, _LATENESS))
        log.info("mpiexec ended with status %d", status)
        return status

    def failure(self) -> tuple[str, str]:
        """A short reason for the ranks' failure, and the last part of their output."""
        text = self._log.read_text(encoding="utf-8", errors="replace").strip()
        return reason_in(text), text[-_LOG_CHARACTERS:]


class _StoppedWatch:
    """Finds a process that is stopped for some seconds of a task."""

    def __init__(self, process: int):
        self._process = process  # from which all others descend
        self._next_look = time.monotonic() + _LOOK_S
        self._looks = 0

    def found(self) -> int | None:
        now = time.monotonic()
        if now < self._next_look:
            return None
        self._next_look = now + _LOOK_S
        stopped = [pid for pid in self._all() if _is_stopped(pid)]
        self._looks = self._looks + 1 if stopped else 0
        return stopped[-1] if self._looks >= _STOPPED_LOOKS else None

    def _all(self) -> list[int]:
        import psutil  # imported here because the window starts without it

        try:
            parent = psutil.Process(self._process)
            return [parent.pid, *(child.pid for child in parent.children(recursive=True))]
        except psutil.Error:
            return []


def _is_stopped(pid: int) -> bool:
    import psutil  # imported here because the window starts without it

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


def _environment(folder: Path) -> dict[str, str]:
    """Open MPI leaves a folder of its sessions in TMPDIR where mpiexec is killed, so that it is to
    be one that is removed; but not on macOS, where names of sockets would become too long.
    """
    own = {} if sys.platform == "darwin" else {"TMPDIR": str(folder)}
    return {**module_environment(), **own}
