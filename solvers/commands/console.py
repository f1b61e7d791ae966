"""What commands need of the terminal: lines, aligned tables, complaints, a progress line, and Ctrl+C as a token."""

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
    """Where a command writes.

    Attributes
    ----------
    draw_picture : callable or None
        Draws graph, path and results to a PNG file; None where there is nobody to draw.
    out, err : text streams
        Results, and all else.
    """

    draw_picture: DrawPicture | None = None
    out: TextIO = field(default_factory=lambda: sys.stdout)
    err: TextIO = field(default_factory=lambda: sys.stderr)
    _progress_shown: bool = False

    def line(self, text: str = "") -> None:
        """A line of the answer."""
        self.clear_progress()
        self.out.write(text + "\n")

    def json(self, value: Any) -> None:
        """The answer for programs."""
        self.line(json.dumps(value, indent=2, ensure_ascii=False))

    def error_line(self, error: BaseException | str) -> None:
        """One line on what went wrong."""
        self.clear_progress()
        self.err.write(f"tautline: {' '.join(str(error).split())}\n")

    def table(self, header: Sequence[str], rows: Sequence[Sequence[str]], right: str = "") -> None:
        """Columns padded to their widest cell; ``right`` has an "r" where a column is aligned to the right."""
        widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
        for row in (header, *rows):
            cells = (
                cell.rjust(width) if right[i : i + 1] == "r" else cell.ljust(width)
                for i, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            self.line("  ".join(cells).rstrip())

    def progress(self, fraction: float, words: str) -> None:
        """Show how far the work is, on a terminal only: a file has no use for it."""
        if self.err.isatty():
            self.err.write(f"\r\x1b[K[{fraction:4.0%}] {words}")
            self.err.flush()
            self._progress_shown = True

    def clear_progress(self) -> None:
        """Take the progress line away."""
        if self._progress_shown:
            self.err.write("\r\x1b[K")
            self._progress_shown = False

    def observer(self, token: CancelToken, words: str) -> Observer:
        """An observer for readers and generators that shows progress and stops at Ctrl+C."""
        return Observer(token, lambda done, total: self.progress(done / total, words))


@contextmanager
def interruptible() -> Iterator[CancelToken]:
    """Turn the first Ctrl+C into a raised token, so that work ends in good order; a second one ends it at once."""
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
    """The exit status after that error: 2 bad input, 3 not available here, else 1."""
    if isinstance(error, InputError):
        return BAD_INPUT
    return UNAVAILABLE if isinstance(error, Unavailable | MemoryError) else FAILED
