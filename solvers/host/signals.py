"""SIGINT, SIGTERM and SIGHUP: the first one cancels, so that finished results are written; a second one terminates.

SIGHUP comes when the terminal is closed, SIGTERM from ``kill``, from batch systems and when the machine is shut down.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any

from solvers.host.observer import CancelToken

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
