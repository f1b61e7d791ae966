"""The log of this program, and reports of unexpected errors.

Each module has its own logger. WARNING: something was given up, but the answer is
right; names neither paths nor vertices. INFO: decisions. DEBUG: each step. The command
line shows the log on stderr, the window keeps it in a file; a program that uses
`solvers` as a library configures `logging` as usual. Where this program handles its
records itself, those made during a timed trial are written after it.

A report of an unexpected error contains no user data: no paths, file names, graphs or
vertex ids. It contains versions, the system, the devices and the traceback. The texts
of exceptions are left out, because they quote values; only modules of this program, of
Python and of known libraries are named.
"""

from __future__ import annotations

import errno
import logging
import os
import platform
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from solvers.version import __version__

_OURS = ("solvers", "gui", "main", "resources", "tests")
_LIBRARIES = {  # import name: distribution
    "numpy": "numpy",
    "scipy": "scipy",
    "numba": "numba",
    "llvmlite": "llvmlite",
    "networkx": "networkx",
    "PySide6": "PySide6-Essentials",
    "shiboken6": "shiboken6",
    "pyqtgraph": "pyqtgraph",
    "pyopencl": "pyopencl",
    "cupy": "",
    "cupyx": "",
    "mpi4py": "mpi4py",
    "platformdirs": "platformdirs",
    "psutil": "psutil",
    "pymetis": "pymetis",
    "PIL": "pillow",
}
_CUPY = ("cupy-cuda12x", "cupy-cuda13x")
_MOST_ERRORS = 20  # of a chain or group

_LOGGERS = ("solvers", "gui", "tautpath")
_LOG_FORM = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"
_MOST_LOG_BYTES = 1 << 20

_held: list[_HeldInTrials] = []
_trials: list[None] = []  # one for each trial in progress

_OTHER = "(other code)"


@contextmanager
def logging_to(handler: logging.Handler, level: int) -> Iterator[None]:
    """Handle what this program logs at a level or above until the block ends, and then
    close the handler.
    """
    held = _HeldInTrials(handler)
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.addHandler(held)
        logger.setLevel(level)
    _held.append(held)
    try:
        yield
    finally:
        _held.remove(held)
        for logger, earlier in zip(loggers, before, strict=True):
            logger.removeHandler(held)
            logger.setLevel(earlier)
        held.close()


class _HeldInTrials(logging.Handler):
    """Passes records on to another handler, those made during a timed trial after it."""

    def __init__(self, target: logging.Handler):
        super().__init__()
        self._target = target
        self._waiting: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self._waiting.append(record)
        if not _trials:
            self.flush()

    def flush(self) -> None:
        self.acquire()
        try:
            while self._waiting:
                self._target.handle(self._waiting.pop(0))
        finally:
            self.release()

    def close(self) -> None:
        self.flush()
        self._target.close()
        super().close()


@contextmanager
def log_held() -> Iterator[None]:
    """Write nothing to the log of this program before the block, a timed trial, has ended."""
    _trials.append(None)
    try:
        yield
    finally:
        _trials.pop()
        for handler in () if _trials else tuple(_held):
            handler.flush()


class LogFile(logging.FileHandler):
    """Appends records to a file that only its owner can read; a full one is renamed
    ``NAME.1``, replacing the last.

    Several windows may write the same file. OSError if it cannot be opened.
    """

    def __init__(self, path: Path):
        super().__init__(path, encoding="utf-8")
        self.setFormatter(logging.Formatter(_LOG_FORM))

    def _open(self) -> Any:
        return open(
            self.baseFilename,
            "a",
            encoding="utf-8",
            opener=lambda path, mode: os.open(path, mode, 0o600),
        )

    def emit(self, record: logging.LogRecord) -> None:
        if self.stream is not None and os.fstat(self.stream.fileno()).st_size >= _MOST_LOG_BYTES:
            self.stream.close()
            # on Windows, while another window has it open; the next record tries again
            with suppress(OSError):
                # else another window has begun a new one
                if os.path.getsize(self.baseFilename) >= _MOST_LOG_BYTES:
                    os.replace(self.baseFilename, f"{self.baseFilename}.1")
            self.stream = self._open()
        super().emit(record)


def log_file() -> Path:
    """Where the window's log is, beside the crash reports; raises OSError or
    RuntimeError without a home folder.
    """
    from platformdirs import user_log_path

    return user_log_path("tautpath") / "tautpath.log"


def open_log_file() -> logging.Handler:
    """The window's log, open; one that keeps nothing if it cannot be opened."""
    try:
        path = log_file()
        path.parent.mkdir(parents=True, exist_ok=True)
        return LogFile(path)
    except (OSError, RuntimeError) as error:
        logging.getLogger("tautpath").warning(
            "no log is kept: its file cannot be opened (%s)", type(error).__name__
        )
        return logging.NullHandler()


def logged_text() -> str:
    """The end of the window's log; raises OSError or RuntimeError if it cannot be read."""
    with open(log_file(), "rb") as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - _MOST_LOG_BYTES))
        return file.read().decode("utf-8", "replace")


def crash_report(error: BaseException, devices: Iterable[str] = ()) -> str:
    """The report's text. ``devices`` are the names of those known; none is looked for,
    since that may fail itself.
    """
    lines = [
        f"Tautpath {__version__}",
        f"when: {datetime.now(UTC).isoformat(timespec='seconds')}",
        (
            f"system: {platform.system()} {platform.release()}, "
            f"{platform.machine()}, {os.cpu_count()} cores"
        ),
        f"Python: {platform.python_version()} ({platform.python_implementation()})",
        f"libraries: {', '.join(_versions())}",
        f"devices: {', '.join(devices) or 'not looked for, or none'}",
        "",
        "The texts of the errors are left out, because they may quote names and values.",
        "",
    ]
    return "\n".join([*lines, *_described(error)]) + "\n"


def write_crash_report(error: BaseException, devices: Iterable[str] = ()) -> Path | None:
    """Write the report into the user's log folder, or a temporary file; None if neither
    is writable.
    """
    text = crash_report(error, devices)
    name = f"crash-{datetime.now(UTC):%Y%m%d-%H%M%S}-{os.getpid()}"
    for folder in _log_folders():
        try:
            folder.mkdir(parents=True, exist_ok=True)
            handle, place = tempfile.mkstemp(".txt", f"{name}-", folder)
            with open(handle, "w", encoding="utf-8") as file:
                file.write(text)
        except OSError:
            continue
        return Path(place)
    return None


def _log_folders() -> Iterator[Path]:
    from platformdirs import user_log_path

    finders: tuple[Callable[[], Path], ...] = (
        lambda: user_log_path("tautpath"),
        lambda: Path(tempfile.gettempdir()),
    )
    for find in finders:
        try:
            folder = find()
        except (OSError, RuntimeError):  # no home folder; no temporary folder
            continue
        yield folder


def _versions() -> Iterator[str]:
    from importlib import metadata  # imported here: it is slow

    for name in sorted(filter(None, {*_LIBRARIES.values(), *_CUPY}), key=str.lower):
        try:
            yield f"{name} {metadata.version(name)}"
        except metadata.PackageNotFoundError:
            continue


def _described(error: BaseException) -> Iterator[str]:
    """The error and its causes, the last one first."""
    seen: set[int] = set()
    waiting = [("", error)]
    while waiting and len(seen) < _MOST_ERRORS:
        how, current = waiting.pop(0)
        if id(current) in seen:
            continue
        seen.add(id(current))
        yield f"{how}{_kind(current)}"
        yield from _frames(current)
        if current.__cause__ is not None:
            waiting.append(("caused by ", current.__cause__))
        elif current.__context__ is not None and not current.__suppress_context__:
            waiting.append(("while handling ", current.__context__))
        if isinstance(current, BaseExceptionGroup):
            waiting += [("one of the group: ", part) for part in current.exceptions]


def _kind(error: BaseException) -> str:
    name = type(error).__qualname__
    where = _public(type(error).__module__)
    number = errno.errorcode.get(error.errno or 0, "") if isinstance(error, OSError) else ""
    return f"{name if where == 'builtins' else f'{where}.{name}'}{f' ({number})' if number else ''}"


def _frames(error: BaseException) -> Iterator[str]:
    for frame, line in traceback.walk_tb(error.__traceback__):
        module = _public(str(frame.f_globals.get("__name__", "?")))
        function = frame.f_code.co_qualname if module != _OTHER else "?"
        yield f"    {module}, line {line}, in {function}"


def _public(module: str) -> str:
    """The module's name if it belongs to this program, to Python or to one of the libraries."""
    package = module.partition(".")[0]
    known = package in _OURS or package in _LIBRARIES or package in sys.stdlib_module_names
    return module if known or module in ("builtins", "__main__") else _OTHER
