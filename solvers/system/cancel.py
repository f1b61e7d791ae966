"""Cancellation and progress of a running solver: tokens, observers and the signals that end a program.

Solvers call ``checkpoint()`` of their observer at least every 50 ms and, if ``watching`` is True, ``iteration(...)``
once per pass. In timed runs ``watching`` is False, and a solver must not do any work that only a trace needs. For runs
nested in a larger run, `CancelOnly` passes cancellation on and discards reports.

SIGINT, SIGTERM and SIGHUP: the first one cancels, so that finished results are written; a second one terminates. SIGHUP
comes when the terminal is closed, SIGTERM from ``kill``, from batch systems and when the machine is shut down.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any

from solvers.errors import Cancelled, Skipped


class CancelToken:
    """Thread-safe cancellation flags: one thread sets them, another polls them."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._skip = threading.Event()

    def cancel(self) -> None:
        self._event.set()

    def skip(self) -> None:
        """End only the variant that is running; without one, do nothing."""
        self._skip.set()

    def forget_skip(self) -> None:
        """Called by the runner when a variant begins: a request to skip concerned the one before."""
        self._skip.clear()

    @property
    def cancelled(self) -> bool:
        return self._event.is_set()

    def raise_if_cancelled(self, what: str = "The run") -> None:
        """Raise `Cancelled` if `cancel` has been called, or `Skipped` if `skip` has."""
        if self._event.is_set():
            raise Cancelled(what)
        if self._skip.is_set():
            raise Skipped


class Observer:
    """Base observer: handles cancellation and progress, nothing else.

    Parameters
    ----------
    cancel : CancelToken, optional
    on_progress : callable(done, total), optional
        Called from the solver's thread; ``done / total`` is the fraction of the work done.
    """

    def __init__(self, cancel: CancelToken | None = None, on_progress: Callable[[float, float], None] | None = None):
        self._cancel = cancel
        self._on_progress = on_progress

    def checkpoint(self, done: float | None = None, total: float | None = None) -> None:
        """Report progress, if given. Call it at least every 50 ms.

        Raises
        ------
        Cancelled, Skipped
            If the user cancelled the run, or skipped the variant.
        """
        if self._cancel is not None:
            self._cancel.raise_if_cancelled()
        if self._on_progress is not None and done is not None and total:
            self._on_progress(done, total)


SILENT = Observer()


class CancelOnly(Observer):
    """Checks ``outer`` for cancellation; progress and iterations are not forwarded."""

    def __init__(self, outer: Observer):
        super().__init__()
        self._outer = outer

    def checkpoint(self, done: float | None = None, total: float | None = None) -> None:
        """Raise `Cancelled` if the outer run was cancelled."""
        self._outer.checkpoint()


ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name))


class EndingSignals:
    """A handler of these signals for the duration of a ``with`` block: cancels a token if there is one, else raises.

    Ignored signals stay ignored, as ``nohup`` wants it. In threads other than the main one nothing is handled.

    Attributes
    ----------
    number : int
        The last signal that came; SIGINT if none did.
    """

    def __init__(self) -> None:
        self.number: int = signal.SIGINT
        self._token: CancelToken | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> EndingSignals:
        if threading.current_thread() is threading.main_thread():
            for number in ENDING:
                before = signal.getsignal(number)
                if before not in (signal.SIG_IGN, None):  # None: set by a library, and not ours to replace
                    self._before[number] = before
                    signal.signal(number, self)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

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
    """A token cancelled by the installed handler; if none is installed, by a new one for the duration of the block."""
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
