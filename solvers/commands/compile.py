"""``compile``: compile functions and kernels ahead, once after installation, instead of
when they are first needed.
"""

from __future__ import annotations

import argparse
import os
import sys
from importlib.util import find_spec

from solvers.commands.console import Console, interruptible
from solvers.errors import DeviceUnavailable, Unavailable
from solvers.running.compile_ahead import (
    ALL,
    FIRST_MINUTE,
    FIRST_VARIANTS,
    LIBRARY,
    OTHER_VARIANTS,
    WINDOW,
    WITNESS,
    RehearsalRecord,
    rehearse,
)
from solvers.system.cancel import Progress

_AT_ONCE = 2


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--first-minute",
        action="store_true",
        help="only what opening, drawing and running the first variants needs",
    )
    parser.add_argument("--step", choices=[step.name for step in ALL], help=argparse.SUPPRESS)
    parser.add_argument("--low-priority", action="store_true", help=argparse.SUPPRESS)


def execute(arguments: argparse.Namespace, console: Console) -> int:
    if arguments.step is not None:
        return _rehearse_here(arguments.step, arguments.low_priority, console)
    steps = [
        step
        for step in (FIRST_MINUTE if arguments.first_minute else ALL)
        if _possible(step.needs_window)
    ]
    record = RehearsalRecord()
    if not record.missing(step.name for step in steps):
        return 0
    console.line("Compiling for this machine, once after installation.")
    current = ""

    def say(stage: str) -> None:
        nonlocal current
        current = stage

    with interruptible() as token:
        progress = Progress(
            token, lambda done, total: console.progress(done / total, f"compiling {current}")
        )
        rehearse(steps, progress, record, at_once=_AT_ONCE, say=say)
    console.clear_progress()
    console.line("Compiled: graphs open and runs begin without waiting.")
    return 0


def _possible(needs_window: bool) -> bool:
    return not needs_window or find_spec("PySide6") is not None


def _rehearse_here(name: str, low_priority: bool, console: Console) -> int:
    """One rehearsal in this process, with a line for each stage."""
    if low_priority:
        _lower_priority()

    def report(done: int, total: int, stage: str) -> None:
        console.line(f"{done}/{total} {stage}")
        sys.stdout.flush()

    if name == WINDOW.name:
        if console.rehearse_window is None:
            raise Unavailable(
                "The functions of the window cannot be compiled: "
                "this program was started without the window."
            )
        console.rehearse_window(report)
    elif name == LIBRARY.name:
        assert console.rehearse_library is not None
        console.rehearse_library(report)
    else:
        from solvers.devices import pick
        from solvers.running.compile_ahead import rehearse_first, rehearse_others

        try:
            device = pick("auto")
        except DeviceUnavailable:
            device = None
        {FIRST_VARIANTS.name: rehearse_first, OTHER_VARIANTS.name: rehearse_others}[name](
            device, report
        )
    console.line(f"{WITNESS}{_witness()}")
    return 0


def _witness() -> str:
    """A file in numba's cache that every rehearsal leaves."""
    from solvers.graphs.csr import _sort_rows

    # numba has no public name for it
    return str(_sort_rows.now()._cache._cache_file._index_path)


def _lower_priority() -> None:
    import psutil

    process = psutil.Process(os.getpid())
    process.nice(psutil.BELOW_NORMAL_PRIORITY_CLASS if sys.platform == "win32" else 10)
