"""Lines on stderr about what takes long: compiling, and progress that no terminal shows.

Functions are compiled once on each machine. A first call may compile for half a minute,
of which nothing is to be seen otherwise. A line, which notebooks show below the cell, says
so as soon as a second has passed. What compiles in the background, or has means of its
own to tell, is silent.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from solvers.program import QUIET_VARIABLE, typed_command

_PATIENCE_S = 1.0  # of compiling, before anything is said
_PAUSE_S = 10.0  # without compiling, after which it is said again


class CompileNotice:
    """Says one line for each time that somebody waits.

    ``say`` writes it: to stderr, unless a command, or the window, has a better place.
    """

    def __init__(self, say: Callable[[str], None], patience: float = _PATIENCE_S):
        self.say, self._patience = say, patience
        self._lock = threading.Lock()
        self._depth, self._spent, self._last = 0, 0.0, 0.0
        self._said = False
        self._timer: threading.Timer | None = None

    @contextmanager
    def compiling(self) -> Iterator[None]:
        """Around the compilation of a function, within which others are compiled."""
        self._begin()
        try:
            yield
        finally:
            self._end()

    @contextmanager
    def said_by(self, say: Callable[[str], None]) -> Iterator[None]:
        before, self.say = self.say, say
        try:
            yield
        finally:
            self.say = before

    def _begin(self) -> None:
        with self._lock:
            self._depth += 1
            if self._depth > 1:
                return
            now = time.monotonic()
            if now - self._last > _PAUSE_S:
                self._spent, self._said = 0.0, False
            self._last = now
            if not self._said:
                self._timer = threading.Timer(max(0.0, self._patience - self._spent), self._tell)
                self._timer.daemon = True
                self._timer.start()

    def _end(self) -> None:
        with self._lock:
            self._depth -= 1
            if self._depth:
                return
            now = time.monotonic()
            self._spent, self._last = self._spent + now - self._last, now
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

    def _tell(self) -> None:
        with self._lock:
            if self._said or not self._depth:
                return
            self._said = True
        self.say(
            "compiling functions for this machine, once: 10 to 60 seconds, as a rule. "
            f"“{typed_command()} compile” does it ahead for all that is called often."
        )


class ProgressLines:
    """When a line of progress is due: after some seconds, and then now and then."""

    def __init__(self, first: float = 5.0, interval: float = 10.0):
        self._next, self._interval = time.monotonic() + first, interval

    def due(self) -> bool:
        """Whether a line is due, which is then taken as written."""
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + self._interval
        return True


def is_hushed() -> bool:
    return os.environ.get(QUIET_VARIABLE) == "1"


def hush() -> None:
    """Write nothing on stderr in this process, nor in those that it starts."""
    os.environ[QUIET_VARIABLE] = "1"


def _to_stderr(words: str) -> None:
    if sys.stderr is None or is_hushed():
        return
    text, encoding = f"tautpath: {words}\n", getattr(sys.stderr, "encoding", None) or "utf-8"
    with suppress(OSError, ValueError):  # closed, or full
        sys.stderr.write(text.encode(encoding, "replace").decode(encoding))
        sys.stderr.flush()


NOTICE = CompileNotice(_to_stderr)
"""Of this process."""
