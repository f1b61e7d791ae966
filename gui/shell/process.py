"""The process around the window: garbage collection in the window's thread, and signals
that close the window.

Python's cyclic collector runs in the thread whose allocation triggers it. In a worker
thread it could delete widgets and pixmaps, which crashes Qt. Automatic collection is
therefore switched off, and a timer collects instead.

SIGTERM, SIGHUP and Ctrl+C close the window as its user would: jobs are cancelled and
temporary files removed. Python runs its signal handlers between two of its own
instructions, which may be never while Qt waits for events. Its wake-up descriptor is
therefore watched by Qt.
"""

from __future__ import annotations

import gc
import signal
import socket
import time
from types import FrameType
from typing import Any

from PySide6.QtCore import QObject, QSocketNotifier, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget

from solvers.system.cancel import ENDING

COLLECT_INTERVAL_MS = 500
MOST_AT_ONCE = 30_000  # objects scanned at a time, in some 15 ms
# objects that wait for the user to leave the window before they are scanned
MOST_SET_ASIDE = 1_000_000
# processor time between two beats of the timer, up to which the window's thread is at rest
MOST_AT_REST_S = 0.02


class WindowThreadCollector(QObject):
    """Collects garbage from a timer in its own thread while started, but not during a measurement.

    Where many objects are to be scanned, they are mostly those of modules and compiled
    functions loaded since. Scanning them would stall the window, so they are set aside,
    garbage included, and scanned while the user works in another program and nothing moves
    in the window, or at once if they are too many. What runs hold is in no cycle, and does
    not wait for that.
    """

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self._timer = QTimer(self)
        self._timer.setInterval(COLLECT_INTERVAL_MS)
        self._timer.timeout.connect(self.collect)
        self._set_aside = 0  # objects, at most
        self._permanent = 0
        self._uncounted = False  # whether the permanent ones are still to be counted
        self._worked_s = 0.0  # processor time of the thread at the last beat

    def start(self) -> None:
        gc.disable()
        # modules and classes are permanent: scanning them while the window is used
        # would stall it
        gc.freeze()
        # later: it takes long, and few sessions set so much aside that it is needed
        self._uncounted = True
        self._timer.start()

    def stop(self) -> None:
        """Switch automatic collection back on."""
        self._timer.stop()
        gc.unfreeze()
        gc.enable()

    def hold(self, measuring: bool) -> None:
        """Collect nothing while ``measuring``; collect what is due afterwards."""
        if measuring:
            self._timer.stop()
        else:
            # in an event of its own, since the end of a measurement has much to show
            self._timer.start(0)

    def collect(self) -> None:
        """Collect the oldest generation whose threshold is exceeded, as Python does,
        unless that takes too long.
        """
        if self._timer.isActive():
            self._timer.setInterval(COLLECT_INTERVAL_MS)
        at_rest = self._is_at_rest()  # asked at each beat
        if self._set_aside and ((at_rest and _is_left()) or self._has_too_many()):
            self._scan_all()
            return
        counts = gc.get_count()
        due = [
            g
            for g, (count, limit) in enumerate(zip(counts, gc.get_threshold(), strict=True))
            if count > limit
        ]
        if not due:
            return
        oldest = max(due)
        objects = counts[0] + sum(
            len(gc.get_objects(generation)) for generation in range(1, oldest + 1)
        )
        if objects > MOST_AT_ONCE:
            self._freeze(objects)
        else:
            gc.collect(oldest)

    def _is_at_rest(self) -> bool:
        """Whether the thread has hardly worked since the last beat: no picture moves."""
        before, self._worked_s = self._worked_s, time.thread_time()
        return self._worked_s - before <= MOST_AT_REST_S

    def _has_too_many(self) -> bool:
        """Whether what was set aside is not to wait any longer."""
        if self._set_aside <= MOST_SET_ASIDE:
            return False
        if self._uncounted:
            self._permanent, self._uncounted = gc.get_freeze_count() - self._set_aside, False
        return self._set_aside > self._permanent

    def _freeze(self, objects: int) -> None:
        gc.freeze()
        self._set_aside += objects

    def _scan_all(self) -> None:
        """Free the garbage among all objects; the others are permanent.

        Where many are permanent, as many more are set aside before the next scan: scans
        take a constant share of time.
        """
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        self._set_aside, self._permanent, self._uncounted = 0, gc.get_freeze_count(), False


def _is_left() -> bool:
    """Whether another program has the user's attention."""
    return QGuiApplication.applicationState() != Qt.ApplicationState.ApplicationActive


class QuitSignals(QObject):
    """Closes ``window`` and ends the event loops, those of open dialogs too, at the
    first signal.
    """

    def __init__(self, window: QWidget):
        super().__init__(window)
        self.number = 0  # of the signal that came
        self._window = window
        self._before: dict[int, Any] = {}
        self._read, self._write = socket.socketpair()
        for end in (self._read, self._write):
            end.setblocking(False)
        self._notifier = QSocketNotifier(self._read.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._woken)
        self._wakeup_before = -1

    def install(self) -> None:
        """Handle the signals; call it in the main thread. Ignored ones stay ignored, as
        ``nohup`` wants it.
        """
        for number in ENDING:
            before = signal.getsignal(number)
            if before not in (signal.SIG_IGN, None):
                self._before[number] = before
                signal.signal(number, self._note)
        self._wakeup_before = signal.set_wakeup_fd(self._write.fileno(), warn_on_full_buffer=False)

    def remove(self) -> None:
        self._notifier.setEnabled(False)
        signal.set_wakeup_fd(self._wakeup_before)
        for number, before in self._before.items():
            signal.signal(number, before)
        self._read.close()
        self._write.close()

    @property
    def status(self) -> int:
        """Exit status as shells count it: 143 after SIGTERM, 0 if no signal came."""
        return 128 + self.number if self.number else 0

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.number = number

    def _woken(self) -> None:
        self._read.recv(4096)
        if self.number:
            self._window.close()
            QApplication.quit()
