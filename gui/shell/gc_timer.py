"""Runs Python's cyclic garbage collector in the window's thread only.

The collector runs in the thread whose allocation triggers it. In a worker thread it could delete widgets and pixmaps,
which crashes Qt. Automatic collection is therefore switched off, and a timer collects instead.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication

INTERVAL_MS = 500
MOST_AT_ONCE = 30_000  # objects scanned at a time, in some 15 ms
MOST_SET_ASIDE = 1_000_000  # objects that wait for the user to leave the window before they are scanned


class WindowThreadCollector(QObject):
    """Collects garbage from a timer in its own thread while started, but not during a measurement.

    Where many objects are to be scanned, they are mostly those of modules and compiled functions loaded since.
    Scanning them would stall the window, so they are set aside, with the garbage that is among them, and scanned while
    the user works in another program; or at once, if they have become too many.
    """

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self._timer = QTimer(self)
        self._timer.setInterval(INTERVAL_MS)
        self._timer.timeout.connect(self.collect)
        self._set_aside = 0  # objects, at most
        self._permanent = 0
        self._uncounted = False  # whether the permanent ones are still to be counted

    def start(self) -> None:
        gc.disable()
        gc.freeze()  # modules and classes are permanent: scanning them while the window is used would stall it
        self._uncounted = True  # later: it takes long, and few sessions set so much aside that it is needed
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
            self._timer.start(0)  # in an event of its own, since the end of a measurement has much to show

    def collect(self) -> None:
        """Collect the oldest generation whose threshold is exceeded, as Python does, unless that takes too long."""
        if self._timer.isActive():
            self._timer.setInterval(INTERVAL_MS)
        if self._set_aside and (_is_left() or self._has_too_many()):
            self._scan_all()
            return
        counts = gc.get_count()
        due = [g for g, (count, limit) in enumerate(zip(counts, gc.get_threshold(), strict=True)) if count > limit]
        if not due:
            return
        oldest = max(due)
        objects = counts[0] + sum(len(gc.get_objects(generation)) for generation in range(1, oldest + 1))
        if objects > MOST_AT_ONCE:
            self._freeze(objects)
        else:
            gc.collect(oldest)

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

        Where many are permanent, as many more are set aside before the next scan: scans take a constant share of time.
        """
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        self._set_aside, self._permanent, self._uncounted = 0, gc.get_freeze_count(), False


def _is_left() -> bool:
    """Whether another program has the user's attention."""
    return QGuiApplication.applicationState() != Qt.ApplicationState.ApplicationActive
