"""Rehearsals in processes of their own: started, followed and ended.

A process and not a thread, because numba compiles under Python's lock and its own; a process that is ended loses only
the function that it was compiling, and the lock of `solvers.host.compile_lock` keeps two from compiling the same.
"""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import resources
from solvers.errors import RehearsalFailed
from solvers.host.observer import Observer
from solvers.host.scratch import temporary_folder
from solvers.running.compile_ahead.record import RehearsalRecord
from solvers.running.store.database import FOLDER_VARIABLE

_POLL_S = 0.05
_END_S = 0.3  # after which it is killed: numba's cache is written atomically
WITNESS = "witness "  # what a rehearsal prints before a file of numba's cache


@dataclass(frozen=True)
class Rehearsal:
    """A rehearsal.

    Attributes
    ----------
    name, title : str
    needs_window : bool
        Whether it opens the window, without a display.
    weight : float
        Its share of the time of all.
    """

    name: str
    title: str
    needs_window: bool
    weight: float


WINDOW = Rehearsal("window", "opening and drawing", True, 5.0)
FIRST_VARIANTS = Rehearsal("first-variants", "the first variants", False, 2.0)
OTHER_VARIANTS = Rehearsal("other-variants", "the other variants", False, 13.0)
STEPS = (FIRST_VARIANTS, WINDOW, OTHER_VARIANTS)
FIRST_MINUTE = (FIRST_VARIANTS, WINDOW)


def rehearse(
    steps: Sequence[Rehearsal],
    observer: Observer,
    record: RehearsalRecord,
    *,
    at_once: int = 1,
    low_priority: bool = False,
    say: Callable[[str], None] = lambda words: None,
) -> None:
    """Make rehearsals that were not made yet.

    Parameters
    ----------
    steps : sequence of Rehearsal
    observer : Observer
        Receives progress; cancelling it ends the processes.
    record : RehearsalRecord
    at_once : int
        How many processes run side by side.
    low_priority : bool
        Whether they leave the processor to others.
    say : callable
        Receives in words what is being compiled.

    Raises
    ------
    RehearsalFailed
        After the other rehearsals, if one failed.
    Cancelled
    """
    missing = record.missing(step.name for step in steps)
    waiting = [step for step in steps if step.name in missing]
    total, done = sum(step.weight for step in waiting), 0.0
    running: list[_Process] = []
    failed: list[RehearsalFailed] = []
    with temporary_folder("rehearsal") as folder:
        try:
            while waiting or running:
                while waiting and len(running) < at_once:
                    running.append(_Process(waiting.pop(0), folder, low_priority))
                observer.checkpoint(done + sum(process.progress for process in running), total)
                time.sleep(_POLL_S)
                for process in tuple(running):
                    process.listen(say)
                    if process.ended:
                        running.remove(process)
                        done += process.step.weight
                        if process.failed:
                            failed.append(process.failure())
                        else:
                            record.add(process.step.name, process.witnesses)
        finally:
            for process in running:
                process.end()
    if failed:
        raise failed[0]


@dataclass
class _Process:
    """A running rehearsal: this program with the command ``compile --step``."""

    step: Rehearsal
    folder: Path
    low_priority: bool
    progress: float = 0.0
    log: str = ""
    witnesses: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        program = str(resources.FOLDER.parent / "main.py")
        command = [sys.executable, program, "compile", "--step", self.step.name]
        environment = os.environ | {FOLDER_VARIABLE: str(self.folder), "QT_QPA_PLATFORM": "offscreen"}
        self._process = subprocess.Popen(
            [*command, *(["--low-priority"] if self.low_priority else [])], cwd=self.folder, env=environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        )  # fmt: skip
        self._lines: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read, name=f"rehearsal: {self.step.name}", daemon=True)
        self._reader.start()

    @property
    def ended(self) -> bool:
        return self._process.poll() is not None and not self._reader.is_alive() and self._lines.empty()

    @property
    def failed(self) -> bool:
        return self._process.returncode != 0

    def listen(self, say: Callable[[str], None]) -> None:
        """Take in what it printed: ``3/12 words`` is progress."""
        while not self._lines.empty():
            line = self._lines.get()
            head, _, words = line.partition(" ")
            done, slash, total = head.partition("/")
            if slash and done.isdigit() and total.isdigit() and int(total):
                self.progress = self.step.weight * int(done) / int(total)
                say(words)
            elif line.startswith(WITNESS):
                self.witnesses.append(line.removeprefix(WITNESS))
            else:
                self.log = f"{self.log}{line}\n"[-4000:]

    def failure(self) -> RehearsalFailed:
        """The failure with the last line that it printed."""
        last = next((line for line in reversed(self.log.splitlines()) if line.strip()), "no output").strip()
        return RehearsalFailed(
            f"Compiling ahead failed at {self.step.title}: {last}. It will be compiled when it is needed."
        )

    def end(self) -> None:
        """End the process."""
        self._process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_S)
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                self._lines.put(line.rstrip("\n"))
