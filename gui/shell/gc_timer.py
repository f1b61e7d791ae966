"""Runs Python's cyclic garbage collector in the window's thread only.

The collector runs in the thread whose allocation triggers it. In a worker thread it could delete widgets and pixmaps,
which crashes Qt. Automatic collection is therefore switched off, and a timer collects instead.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

INTERVAL_MS = 500
MOST_YOUNG, MOST_OLD = 200_000, 60_000  # objects scanned at a time, in some 40 ms


class WindowThreadCollector(QObject):
    """Collects garbage from a timer in its own thread while started, but not during a measurement."""

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self._timer = QTimer(self)
        self._timer.setInterval(INTERVAL_MS)
        self._timer.timeout.connect(self.collect)

    def start(self) -> None:
        gc.disable()
        gc.freeze()  # modules and classes are permanent: scanning them, now or ever, would stall the window
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
            self.collect()
            self._timer.start()

    def collect(self) -> None:
        """Collect the oldest generation whose threshold is exceeded, as Python does, unless that takes too long.

        Where many objects are new, or have survived, they are those of modules and compiled functions loaded since, and
        count as permanent from now on.
        """
        due = [
            g for g, (count, limit) in enumerate(zip(gc.get_count(), gc.get_threshold(), strict=True)) if count > limit
        ]
        if not due:
            return
        if gc.get_count()[0] > MOST_YOUNG:
            gc.freeze()
            return
        gc.collect(min(1, max(due)))
        if max(due) == 2:
            if len(gc.get_objects(2)) > MOST_OLD:
                gc.freeze()
            gc.collect()
