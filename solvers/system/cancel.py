"""Cancellation and progress: tokens, what long work reports to, and the signals that end a program.

Long work calls ``checkpoint()`` of its `Progress` at least every 50 ms. A part of
larger work gets a part of its progress, or a silent one.

SIGINT, SIGTERM and SIGHUP: the first one cancels, so that finished results are written;
a second one terminates. SIGHUP comes when the terminal is closed, SIGTERM from
``kill``, from batch systems and when the machine is shut down.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

from solvers.errors import Cancelled, Skipped, TimedOut


class CancelToken:
    """Thread-safe cancellation flags: one thread sets them, another polls them.

    The hooks are called at every check, in the thread that polls: they may wait, or
    raise to end the work. One of them may be the check of another token, which then
    cancels this work, too.
    """

    def __init__(self, *hooks: Callable[[], object]) -> None:
        self._hooks = hooks
        self._cancelled = False
        self._skip: type[Skipped] | None = None

    def cancel(self) -> None:
        self._cancelled = True

    def skip(self) -> None:
        """End only the variant that is running; without one, do nothing."""
        self._skip = Skipped

    def time_out(self) -> None:
        """As `skip`, for a time limit."""
        self._skip = TimedOut

    def forget_skip(self) -> None:
        """Called by the runner when a variant begins: a request to skip concerned the
        one before.
        """
        self._skip = None

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` has been called on this token, whatever its hooks say."""
        return self._cancelled

    def check(self, what: str = "The run") -> None:
        """Call the hooks, then raise `Cancelled` if `cancel` has been called, or
        `Skipped` if `skip` has, `TimedOut` if `time_out` has.
        """
        for hook in self._hooks:
            hook()
        if self._cancelled:
            raise Cancelled(what)
        if self._skip is not None:
            raise self._skip


NEVER = CancelToken()
"""Stands for no token: it is never checked."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Where work reports how far it is, in its own thread, and checks whether it was cancelled."""

    token: CancelToken = NEVER
    report: Callable[[float, float], None] | None = None  # called with what is done, and the total

    def checkpoint(self, done: float | None = None, total: float | None = None) -> None:
        """Report progress if given; raise `Cancelled` or `Skipped` if the user asked
        for it. Call it every 50 ms.
        """
        if self.token is not NEVER:
            self.token.check()
        if self.report is not None and done is not None and total:
            self.report(done, total)

    def part(self, before: float, own: float, total: float) -> Progress:
        """For a part of the work: its reports count as ``own`` of ``total``, on top of
        ``before``.
        """
        report = self.report
        if report is None:
            return self
        return Progress(self.token, lambda done, of: report(before + own * done / of, total))

    def silent(self) -> Progress:
        """The same without reports, for work whose progress is not shown; it can still
        be cancelled.
        """
        return self if self.report is None else Progress(self.token)


SILENT = Progress()

ENDING = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
    if hasattr(signal, name)
)


class EndingSignals:
    """A handler of these signals for the duration of a ``with`` block: cancels a token
    if there is one, else raises.

    Ignored signals stay ignored, as ``nohup`` wants it. In threads other than the main
    one nothing is handled. ``number`` is the last signal that came; SIGINT if none did.
    """

    def __init__(self) -> None:
        self.number: int = signal.SIGINT
        self._token: CancelToken | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> EndingSignals:
        if threading.current_thread() is threading.main_thread():
            for number in ENDING:
                before = signal.getsignal(number)
                # None: set by a library, and not ours to replace
                if before not in (signal.SIG_IGN, None):
                    self._before[number] = before
                    signal.signal(number, self)
        return self

    def __exit__(self, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def end_at_next(self) -> None:
        """Let the next signal end the program at once: the last one is being told of."""
        for number in self._before:
            signal.signal(number, signal.SIG_DFL)

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.number = number
        if self._token is None or self._token.cancelled:
            raise KeyboardInterrupt
        self._token.cancel()

    @property
    def status(self) -> int:
        """Exit status after the signal, as shells count it: 130 after SIGINT, 143 after SIGTERM."""
        return 128 + self.number

    @contextmanager
    def cancelling(self, token: CancelToken) -> Iterator[CancelToken]:
        """Within the block, the first signal cancels ``token``."""
        self._token = token
        try:
            yield token
        finally:
            self._token = None


@contextmanager
def cancelled_by_signals() -> Iterator[CancelToken]:
    """A token cancelled by the installed handler; if none is installed, by a new one
    for the duration of the block.
    """
    token = CancelToken()
    if threading.current_thread() is not threading.main_thread():
        yield token
        return
    handlers = (signal.getsignal(number) for number in ENDING)
    in_charge = next((handler for handler in handlers if isinstance(handler, EndingSignals)), None)
    if in_charge is not None:
        with in_charge.cancelling(token):
            yield token
    else:
        with EndingSignals() as signals, signals.cancelling(token):
            yield token
