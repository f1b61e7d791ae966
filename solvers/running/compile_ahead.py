"""Compilation of functions and kernels before the user needs them, by rehearsing the
first minutes of use.

numba and the kernel compilers keep what they compile in caches. A rehearsal opens a
sample, draws it and runs variants in a separate process, so that whatever the program
really calls is compiled, without a list of functions to maintain. Each variant is run
on a small graph, from the first warm-up to verification, path and trace.

It is a process and not a thread, because numba compiles under Python's lock and its
own; a process that is ended loses only the function that it was compiling, and the lock
of `solvers.system.jit` keeps two from compiling the same.

A file in the user's cache folder records which rehearsals this installation has made.
"""

from __future__ import annotations

import gzip
import hashlib
import logging
import os
import platform
import queue
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import msgspec
import numpy as np

from solvers.core.availability import availability
from solvers.core.variant import Variant, all_variants
from solvers.devices.device import Device
from solvers.errors import FileNotWritten, RehearsalFailed
from solvers.graphs.graph import Graph
from solvers.program import QUIET_VARIABLE, main_command
from solvers.running.request import Choice, MeasurementPlan, RunRequest
from solvers.running.run import run
from solvers.system.cancel import Progress
from solvers.system.disk_cache import FOLDER_VARIABLE, make_way, user_folder
from solvers.system.feature import offered
from solvers.system.files import RESOURCES, read_regular, replace_atomically, temporary_folder
from solvers.system.known_types import known
from solvers.system.packaged_code import NATIVE_VARIABLE
from solvers.text import MOST_REASON, quoted
from solvers.version import __version__

log = logging.getLogger(__name__)

_POLL_S = 0.05
_END_S = 0.3  # after which it is killed: numba's cache is written atomically
WITNESS = "witness "  # what a rehearsal prints before a file of numba's cache

_PROGRESS = re.compile("([0-9]{1,9})/([0-9]{1,9}) (.*)")
_MOST_LINE = 1 << 13  # characters that are read at a time; a path is shorter
_MOST_BYTES = 1 << 24
_PACKAGES = ("numba", "llvmlite", "numpy", "pyopencl")  # each compiles in its own way

# The variants that are ticked at the first start.
FIRST = ("bf-edge-flags", "bf-strided-flag", "dijkstra-heap")
_PLAN = MeasurementPlan(warmups=0, trials=1)
_FOLDER = RESOURCES / "samples"

Report = Callable[[int, int, str], None]  # stages done, stages in total, what comes next


@dataclass(frozen=True)
class Rehearsal:
    name: str
    title: str
    needs_window: bool  # whether it opens the window, without a display
    weight: float  # its share of the time of all


WINDOW = Rehearsal("window", "opening and drawing", True, 5.0)
FIRST_VARIANTS = Rehearsal("first-variants", "the first variants", False, 2.0)
OTHER_VARIANTS = Rehearsal("other-variants", "the other variants", False, 13.0)
LIBRARY = Rehearsal("library", "the library", False, 20.0)
STEPS = (FIRST_VARIANTS, WINDOW, OTHER_VARIANTS)  # of which the window makes use
ALL = (*STEPS, LIBRARY)
FIRST_MINUTE = (FIRST_VARIANTS, WINDOW)


def rehearse(
    steps: Sequence[Rehearsal],
    progress: Progress,
    record: RehearsalRecord,
    *,
    at_once: int = 1,
    low_priority: bool = False,
    say: Callable[[str], None] = lambda words: None,
) -> None:
    """Make the rehearsals that were not made yet; cancelling ``progress`` ends their processes.

    ``at_once`` processes run side by side; ``say`` receives what is being compiled, for
    display.

    Raises RehearsalFailed: after the other rehearsals, if one failed.
    Raises Cancelled.
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
                progress.checkpoint(done + sum(process.progress for process in running), total)
                time.sleep(_POLL_S)
                for process in tuple(running):
                    process.listen(say)
                    if process.ended:
                        running.remove(process)
                        done += process.step.weight
                        log.info(
                            "compiling ahead: %s ended with status %d",
                            process.step.name,
                            process.status,
                        )
                        if process.status != 0:
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
        command = main_command("compile", "--step", self.step.name)
        log.info("compiling ahead: %s", self.step.name)
        environment = os.environ | {
            NATIVE_VARIABLE: "1",
            QUIET_VARIABLE: "1",
            FOLDER_VARIABLE: str(self.folder),
            "QT_QPA_PLATFORM": "offscreen",
        }
        self._process = subprocess.Popen(
            [*command, *(["--low-priority"] if self.low_priority else [])],
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        self._lines: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(
            target=self._read, name=f"rehearsal: {self.step.name}", daemon=True
        )
        self._reader.start()

    @property
    def ended(self) -> bool:
        return (
            self._process.poll() is not None and not self._reader.is_alive() and self._lines.empty()
        )

    @property
    def status(self) -> int:
        """The exit status of a process that has ended."""
        return self._process.returncode

    def listen(self, say: Callable[[str], None]) -> None:
        """Take in what it printed: ``3/12 words`` is progress."""
        while not self._lines.empty():
            line = self._lines.get()
            if found := _PROGRESS.fullmatch(line):
                done, total = int(found[1]), max(1, int(found[2]))
                self.progress = self.step.weight * min(1.0, done / total)
                say(quoted(found[3]))
            elif line.startswith(WITNESS):
                self.witnesses.append(line.removeprefix(WITNESS))
            else:
                self.log = f"{self.log}{line}\n"[-4000:]

    def failure(self) -> RehearsalFailed:
        """The failure with the last line that it printed."""
        lines = (line.strip() for line in reversed(self.log.splitlines()))
        last = quoted(next(filter(None, lines), "no output"), MOST_REASON).rstrip(".")
        return RehearsalFailed(
            f"Compiling ahead failed at {self.step.title}: {last}. "
            "It will be compiled when it is needed."
        )

    def end(self) -> None:
        self._process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_S)
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in iter(partial(lines.readline, _MOST_LINE), ""):
                self._lines.put(line.rstrip("\n"))


@dataclass(frozen=True)
class Rehearsed:
    steps: frozenset[str] = frozenset()
    # files of numba's cache from the rehearsals; if one is gone, so may be the others
    witnesses: frozenset[str] = frozenset()


class RehearsalRecord:
    """The record, by default in the user's cache folder; one that cannot be read or
    written counts as empty.
    """

    def __init__(self, folder: Path | None = None):
        self._path = (
            user_folder("compiled") if folder is None else folder
        ) / f"{_installation()}.json"

    def read(self) -> Rehearsed:
        """What was rehearsed by this version in this place, unless the cache was emptied since."""
        try:
            found = msgspec.json.decode(
                read_regular(self._path, _MOST_BYTES), type=known(Rehearsed)
            )
        except FileNotFoundError:
            return Rehearsed()
        except (OSError, UnicodeDecodeError, msgspec.MsgspecError) as error:
            log.info("the record of what was compiled is not used: %s", error)
            return Rehearsed()
        if all(os.path.exists(witness) for witness in found.witnesses):
            return found
        log.info("compiling anew, because compiled functions have been removed")
        return Rehearsed()

    def missing(self, steps: Iterable[str]) -> tuple[str, ...]:
        """Those of ``steps`` that were not rehearsed."""
        done = self.read().steps
        return tuple(step for step in steps if step not in done)

    def add(self, step: str, witnesses: Iterable[str] = ()) -> None:
        """Record a rehearsal."""
        before = self.read()
        kept = Rehearsed(before.steps | {step}, before.witnesses | {*witnesses})
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            make_way(self._path)
            with replace_atomically(self._path) as beside:
                beside.write_bytes(msgspec.json.encode(kept, order="sorted"))
        except (OSError, FileNotWritten) as error:
            log.info("what was compiled is not recorded: %s", error)


def _installation() -> str:
    """Hash of what decides whether compiled code can be used again; without the
    sources: an edit costs one function.
    """
    from importlib import metadata  # imported here: it is slow

    parts = [
        __version__,
        sys.version,
        platform.machine(),
        str(RESOURCES),
        os.environ.get("NUMBA_CACHE_DIR", ""),
    ]
    for name in _PACKAGES:
        with suppress(metadata.PackageNotFoundError):
            parts.append(f"{name} {metadata.version(name)}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def rehearse_first(device: Device | None, report: Report) -> None:
    """Run the variants that are ticked at the first start."""
    _rehearse(
        [v for v in all_variants() if v.id in FIRST], sample_graph("harbour.gr.gz"), device, report
    )


def rehearse_others(device: Device | None, report: Report) -> None:
    """Run all others that can run here, and make the first calls of features in the window."""
    textbook = sample_graph("textbook.gr")
    _rehearse([v for v in all_variants() if v.id not in FIRST], textbook, device, report)
    in_window = offered(lambda one: one.first_calls if one.calls_in_window else "", "rehearse")
    for rehearse_feature in in_window:
        rehearse_feature(textbook)


def _rehearse(
    variants: Sequence[Variant], graph: Graph, device: Device | None, report: Report
) -> None:
    able = [variant for variant in variants if availability(variant, graph, device).available]
    for done, variant in enumerate(able):
        report(done, len(able), variant.full_title)
        for _ in run(
            RunRequest(graph, 0, graph.n - 1, (Choice(variant),), device, _PLAN, trace=True)
        ):
            pass  # a variant that fails here reports it when the user runs it


def sample_graph(name: str) -> Graph:
    """A sample graph, parsed in plain Python: its reader's functions are being compiled
    in another process.
    """
    path: Path = _FOLDER / name
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    arcs = [line.split() for line in content.decode().splitlines() if line.startswith("a ")]
    columns = np.array([[int(number) for number in arc[1:4]] for arc in arcs], np.int64)
    ids, ends = np.unique(columns[:, :2], return_inverse=True)
    ends = ends.reshape(-1, 2).astype(np.int32)
    return Graph.from_arcs(
        len(ids),
        ends[:, 0],
        ends[:, 1],
        columns[:, 2].astype(np.int32),
        ids=ids,
        name=name.partition(".")[0],
    )
