"""Terminal output of commands (lines, tables, errors, progress), and cancellation by Ctrl+C."""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from solvers.contracts.results import Result
from solvers.errors import InputError, Unavailable
from solvers.graphs.graph import Graph
from solvers.host.observer import CancelToken, Observer

DrawPicture = Callable[[Path, Graph, Sequence[Result], int | None, int | None], None]

FAILED, BAD_INPUT, UNAVAILABLE, INTERRUPTED = 1, 2, 3, 130


@dataclass
class Console:
    """The output streams of a command.

    Attributes
    ----------
    draw_picture : callable or None
        Draws graph, path and results to an image file; None if drawing is not available.
    out, err : text streams
        For results, and for errors and progress.
    """

    draw_picture: DrawPicture | None = None
    out: TextIO = field(default_factory=lambda: sys.stdout)
    err: TextIO = field(default_factory=lambda: sys.stderr)
    _progress_shown: bool = False

    def line(self, text: str = "") -> None:
        """Write a line of results."""
        self.clear_progress()
        self.out.write(text + "\n")

    def json(self, value: Any) -> None:
        """Write results as JSON."""
        self.line(json.dumps(value, indent=2, ensure_ascii=False))

    def error_line(self, error: BaseException | str) -> None:
        """Write an error as one line."""
        self.clear_progress()
        self.err.write(f"tautline: {' '.join(str(error).split())}\n")

    def table(self, header: Sequence[str], rows: Sequence[Sequence[str]], right: str = "") -> None:
        """Write a table; columns whose position in ``right`` holds an "r" are aligned to the right."""
        widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
        for row in (header, *rows):
            cells = (
                cell.rjust(width) if right[i : i + 1] == "r" else cell.ljust(width)
                for i, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            self.line("  ".join(cells).rstrip())

    def progress(self, fraction: float, words: str) -> None:
        """Show progress, if stderr is a terminal."""
        if self.err.isatty():
            self.err.write(f"\r\x1b[K[{fraction:4.0%}] {words}")
            self.err.flush()
            self._progress_shown = True

    def clear_progress(self) -> None:
        """Erase the progress line."""
        if self._progress_shown:
            self.err.write("\r\x1b[K")
            self._progress_shown = False

    def observer(self, token: CancelToken, words: str) -> Observer:
        """An observer for readers and generators that shows progress and is cancelled by ``token``."""
        return Observer(token, lambda done, total: self.progress(done / total, words))


@contextmanager
def interruptible() -> Iterator[CancelToken]:
    """Make the first Ctrl+C cancel the yielded token, for an orderly end; a second one interrupts immediately."""
    token = CancelToken()
    if threading.current_thread() is not threading.main_thread():
        yield token
        return
    before = signal.getsignal(signal.SIGINT)

    def interrupt(number: int, frame: Any) -> None:
        token.cancel()
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield token
    finally:
        signal.signal(signal.SIGINT, before)


def exit_status(error: BaseException | None) -> int:
    """Exit status after an error: 2 for invalid input, 3 if unavailable on this machine, else 1."""
    if isinstance(error, InputError):
        return BAD_INPUT
    return UNAVAILABLE if isinstance(error, Unavailable | MemoryError) else FAILED
