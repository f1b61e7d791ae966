"""Messages to the user: what happened, why, and what to do. No widgets.

Of errors that come again and again from one place, the user is shown one a second.
"""

from __future__ import annotations

import errno
import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum

from solvers.errors import FileFormatError, FileMissing, KernelBuildError, TautpathError
from solvers.system.diagnostics import crash_report
from solvers.system.files import reason_of
from solvers.text import capitalised, format_count

log = logging.getLogger(__name__)

_INTERVAL_S = 1.0


class Severity(Enum):
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True)
class Notice:
    """A message for the bar above the canvas: what happened, why, and what to do."""

    severity: Severity
    text: str  # one or two sentences
    details: str = ""  # shown on demand; "" if there are none
    action_text: str = ""  # of an extra button ("Show in folder"); "" for no button
    action: Callable[[], object] | None = None
    report: str = ""  # a crash report, which contains no user data; "" for an expected failure

    @classmethod
    def of(cls, error: BaseException, devices: Iterable[str] = ()) -> Notice:
        """A notice of an exception; one that is neither Tautpath's nor the system's
        comes with a crash report.
        """
        if isinstance(error, TautpathError):
            return cls(Severity.ERROR, str(error), _details(error))
        if (reason := _refusal(error)) is not None:
            return cls(
                Severity.ERROR,
                f"{capitalised(reason)}. The open graph and results are kept.",
            )
        return cls(Severity.ERROR, _UNEXPECTED, report=_report(error, devices))


_UNEXPECTED = (
    "Something went wrong inside Tautpath. Nothing was lost: the open graph and results are kept."
)
_OF_THE_SYSTEM = (
    errno.ENOSPC,
    errno.EFBIG,
    errno.EACCES,
    errno.EPERM,
    errno.EIO,
    errno.EROFS,
    errno.ENOENT,
    errno.EMFILE,
    errno.ENFILE,
    getattr(errno, "EDQUOT", errno.ENOSPC),
)


def _refusal(error: BaseException) -> str | None:
    """The reason for an error of the operating system; None for other errors."""
    if isinstance(error, MemoryError) or (
        isinstance(error, OSError) and error.errno == errno.ENOMEM
    ):
        return "there is not enough free memory for this"
    return (
        reason_of(error) if isinstance(error, OSError) and error.errno in _OF_THE_SYSTEM else None
    )


def _report(error: BaseException, devices: Iterable[str]) -> str:
    try:
        return crash_report(error, devices)
    except Exception as second:  # the report must not fail where everything else may have
        log.info("no crash report could be made", exc_info=True)
        return f"{type(error).__name__}; no report could be made: {type(second).__name__}\n"


def _details(error: TautpathError) -> str:
    """The data of an error, one value per line."""
    if isinstance(error, KernelBuildError):
        return error.log
    if isinstance(error, FileMissing):
        return f"File: {error.path}"
    if not isinstance(error, FileFormatError):
        return ""
    lines = {
        "File": str(error.path),
        "Line": "" if error.line is None else format_count(error.line),
        "Text": error.text,
        "Reason": error.reason,
        "What to do": error.hint,
    }
    return "\n".join(f"{name}: {value}" for name, value in lines.items() if value)


class RepeatedErrors:
    """Tells errors that repeat the last one from new ones, without keeping any."""

    def __init__(self) -> None:
        self._last: tuple[object, float] = (None, 0.0)

    def is_repeated(self, error: BaseException) -> bool:
        """Whether the last error that was not, came from the same place less than a second ago."""
        place, now = _place_of(error), time.monotonic()
        last_place, last_time = self._last
        if place == last_place and now - last_time < _INTERVAL_S:
            return True
        self._last = (place, now)
        return False


def _place_of(error: BaseException) -> object:
    """Type, text and line of an error."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    line = None if trace is None else (trace.tb_frame.f_code.co_filename, trace.tb_lineno)
    return type(error), str(error), line
