"""Terminal output of commands: lines, tables, errors, progress; and exit statuses.

A failure to print does not stop a command, because files still have to be written:
`Console.finish` raises it at the end. Control characters, which names from files may
contain, are escaped, and characters that the encoding of the terminal lacks are
replaced.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from solvers.core.result import Result
from solvers.errors import FileNotWritten, InputError, Unavailable
from solvers.graphs.graph import Graph
from solvers.system.cancel import CancelToken, Progress
from solvers.system.cancel import cancelled_by_signals as interruptible
from solvers.system.files import reason_of
from solvers.system.long_waits import ProgressLines, is_hushed
from solvers.text import MINUS, THIN_SPACE

if TYPE_CHECKING:
    pass

__all__ = [
    "Console",
    "DrawPicture",
    "Rehearse",
    "add_json_option",
    "exit_status",
    "interruptible",
]

DrawPicture = Callable[[Path, Graph, Sequence[Result], int | None, int | None], None]
Rehearse = Callable[[Callable[[int, int, str], None]], None]

_NARROWEST = 12  # characters of a column that is narrowed to fit the terminal
_GROUPS = re.compile(rf"(?<=\d){THIN_SPACE}(?=\d{{3}})")  # other such spaces are part of a name
_MINUS = re.compile(rf"(?<![\w.]){MINUS}(?=\d)")

FAILED, BAD_INPUT, UNAVAILABLE, DEFECT = 1, 2, 3, 70

# Controls of C0 and C1, marks that reverse the direction of text, and bytes of file
# names that are not UTF-8.
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_SIMPLER = str.maketrans("“”‘’–—×µ\u202f", "\"\"''--xu ") | str.maketrans(
    {"…": "...", "→": "->", "≤": "<="}
)


def add_json_option(parser: argparse.ArgumentParser, what: str = "a list of objects") -> None:
    """Add ``--json``; the site publishes the schema."""
    parser.add_argument(
        "--json", action="store_true", help=f"print {what} as JSON on stdout, other lines on stderr"
    )


@dataclass
class Console:
    """The output streams of a command; None for those that were closed when the program
    was started.
    """

    # draws graph, path and results to an image file; None if unavailable
    draw_picture: DrawPicture | None = None
    # opens the window without a display and does what users do first
    rehearse_window: Rehearse | None = None
    # does what programs that use the library do first
    rehearse_library: Rehearse | None = None
    out: TextIO | None = field(default_factory=lambda: sys.stdout)
    err: TextIO | None = field(default_factory=lambda: sys.stderr)
    # stdout takes nothing but JSON: lines go to stderr, and no tables are written
    json_only: bool = False
    # stderr takes nothing but errors and what --verbose asks for
    quiet: bool = False
    _progress_shown: bool = False
    _lines: ProgressLines = field(default_factory=ProgressLines)
    _failure: OSError | None = None

    @property
    def is_watched(self) -> bool:
        """Whether stderr is a terminal, at which someone waits to be told."""
        return not self.quiet and self.err is not None and self.err.isatty()

    @property
    def is_terminal(self) -> bool:
        """Whether stdout is a terminal; else a file, or another program, reads it."""
        return self.out is not None and self.out.isatty()

    def line(self, text: str = "") -> None:
        """Write a line of results; thousands are not separated for a program."""
        (self._say if self.json_only else self._print)(self._shown(text) + "\n")

    def _shown(self, text: str) -> str:
        return shown(text if self.is_terminal else _for_programs(text))

    def wrote(self, *paths: Path | str) -> None:
        """Name the files that were written, a line each."""
        for path in paths:
            self.line(f"wrote {path}")

    def json(self, value: Any) -> None:
        """Write a value of JSON, in which dataclasses and enumerations may stand."""
        from msgspec import to_builtins  # few commands need it

        is_ascii = not _takes_unicode(self.out)
        text = json.dumps(value, indent=2, ensure_ascii=is_ascii, default=to_builtins)
        self._print(
            re.sub("[\x7f-\x9f\ud800-\udfff]", lambda found: f"\\u{ord(found.group()):04x}", text)
            + "\n"
        )

    def help(self, text: str) -> None:
        """Write text of several lines that holds no names."""
        self._print(text)

    def error_line(self, error: BaseException | str) -> None:
        self.clear_progress()
        text = " ".join(str(error).split())
        self._say(f"tautpath: {shown(text if self.is_watched else _for_programs(text))}\n")

    def log(self, text: str) -> None:
        """Write lines of the log to stderr."""
        self.clear_progress()
        self._say("".join(f"tautpath: {shown(line)}\n" for line in text.splitlines()))

    def finish(self) -> None:
        """Write out what is buffered.

        Raises BrokenPipeError if the reader of stdout has closed it, as ``| head``
        does; FileNotWritten if some output was lost for another reason: stdout is full
        or closed.
        """
        self.clear_progress()
        try:
            if self._failure is None and self.out is not None:
                self.out.flush()
        except OSError as error:
            self._failure = error
        if self._failure is not None:
            _discard(self.out)
            if isinstance(self._failure, BrokenPipeError):
                raise self._failure
            raise FileNotWritten("standard output", reason_of(self._failure)) from None

    def _print(self, text: str) -> None:
        self.clear_progress()
        if self._failure is not None:
            return
        try:
            if self.out is None:
                raise OSError("it is closed")
            self.out.write(encodable(text, self.out))
        except OSError as error:
            self._failure = error

    def _say(self, text: str) -> None:
        """Write to stderr; ignored if it is closed or full."""
        if self.err is None:
            return
        try:
            self.err.write(encodable(text, self.err))
            self.err.flush()
        except OSError:
            _discard(self.err)

    def table(self, header: Sequence[str], rows: Sequence[Sequence[str]], right: str = "") -> None:
        """Write a table: at a terminal in columns that fit its width, for a program
        with a tab between cells.

        Columns whose position in ``right`` holds an "r" are aligned to the right. With
        `json_only` nothing is written.
        """
        if self.json_only:
            return
        table = [[self._shown(cell) for cell in row] for row in (header, *rows)]
        if not self.is_terminal:
            self._print("".join("\t".join(row) + "\n" for row in table))
            return
        widths = _fitted([max(map(len, column)) for column in zip(*table, strict=True)])
        for row in table:
            for line in zip_longest(*map(_wrapped, row, widths), fillvalue=""):
                cells = (
                    cell.rjust(width) if right[i : i + 1] == "r" else cell.ljust(width)
                    for i, (cell, width) in enumerate(zip(line, widths, strict=True))
                )
                self._print("  ".join(cells).rstrip() + "\n")

    def notice(self, text: str) -> None:
        """Write a line on stderr about what takes long."""
        if not self.quiet and not is_hushed():
            self.clear_progress()
            self._say(f"tautpath: {shown(text)}\n")

    def note(self, text: str) -> None:
        """Write a line for a waiting person: to stderr, if it is a terminal."""
        if self.is_watched:
            self.clear_progress()
            self._say(f"{shown(text)}\n")

    def progress(self, fraction: float, stage: str) -> None:
        """Show progress: at a terminal at once, elsewhere in a line now and then."""
        if self.is_watched:
            self._say(f"\r\x1b[K[{fraction:4.0%}] {shown(stage)}")
            self._progress_shown = True
        elif not self.quiet and not is_hushed() and self._lines.due():
            self.notice(f"{fraction:.0%} {stage}")

    def clear_progress(self) -> None:
        if self._progress_shown:
            self._say("\r\x1b[K")
            self._progress_shown = False

    def progress_for(self, token: CancelToken, stage: str) -> Progress:
        """Progress of readers and generators: shown, and cancelled by ``token``."""
        return Progress(token, lambda done, total: self.progress(done / total, stage))


class ConsoleLog(logging.Handler):
    def __init__(self, console: Console):
        super().__init__()
        self.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
        self._console = console

    def emit(self, record: logging.LogRecord) -> None:
        self._console.log(self.format(record))


def _fitted(widths: list[int]) -> list[int]:
    """Widths of columns with the widest narrowed until the table fits the terminal."""
    room = shutil.get_terminal_size().columns - 2 * (len(widths) - 1)
    while sum(widths) > room and max(widths) > _NARROWEST:
        widths[widths.index(max(widths))] -= 1
    return widths


def _wrapped(cell: str, width: int) -> list[str]:
    return textwrap.wrap(cell, width, break_on_hyphens=False) if len(cell) > width else [cell]


def _discard(stream: TextIO | None) -> None:
    """Redirect a stream to the null device: the flush at exit would fail again, and
    some Pythons then exit with 120.
    """
    with suppress(OSError, ValueError):  # a stream of a test has no descriptor
        if stream is not None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _for_programs(text: str) -> str:
    """Text with the numbers as programs read them."""
    return _MINUS.sub("-", _GROUPS.sub("", text))


def _takes_unicode(stream: TextIO | None) -> bool:
    return (
        (getattr(stream, "encoding", None) or "utf-8").lower().replace("_", "-").startswith("utf")
    )


def exit_status(error: BaseException | None) -> int:
    """Exit status after an error: 2 for invalid input, 3 if unavailable on this machine, else 1."""
    if isinstance(error, InputError):
        return BAD_INPUT
    return UNAVAILABLE if isinstance(error, Unavailable | MemoryError) else FAILED


def shown(text: str) -> str:
    r"""``text`` with every character that a terminal would act on as an escape:
    ``\x1b``, ``\n``, ``\u202e``.
    """
    return _UNSAFE.sub(lambda found: _escape(ord(found.group())), text)


def encodable(text: str, stream: TextIO) -> str:
    """``text`` in the stream's encoding: with simpler punctuation, and escapes for all
    other characters.
    """
    encoding = getattr(stream, "encoding", None) or "utf-8"
    if _fits(text, encoding):
        return text
    simpler = text.translate(_SIMPLER)
    return (
        simpler
        if _fits(simpler, encoding)
        else simpler.encode(encoding, "backslashreplace").decode(encoding)
    )


def _fits(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _escape(code: int) -> str:
    if 0xDC80 <= code <= 0xDCFF:  # how Python keeps a byte that is not UTF-8
        code -= 0xDC00
    named = {0x09: r"\t", 0x0A: r"\n", 0x0D: r"\r"}
    return named.get(code) or (rf"\x{code:02x}" if code < 0x100 else rf"\u{code:04x}")
