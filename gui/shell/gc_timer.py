"""Python's cycle collector, kept to the window's thread.

The collector runs in whichever thread happens to allocate; where a worker's allocation set it off, it could delete
widgets and pixmaps from there, which Qt answers with a crash. So it is switched off, and a timer does its work.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

INTERVAL_MS = 500


class WindowThreadCollector(QObject):
    """Collects garbage from a timer in its own thread for as long as it is started."""

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self._timer = QTimer(self)
        self._timer.setInterval(INTERVAL_MS)
        self._timer.timeout.connect(self.collect)

    def start(self) -> None:
        gc.disable()
        gc.collect()
        gc.freeze()  # modules and classes will never be garbage: looking at them again would take 0.3 s each time
        self._timer.start()

    def stop(self) -> None:
        """Hand collecting back to Python."""
        self._timer.stop()
        gc.unfreeze()
        gc.enable()

    def collect(self) -> None:
        """Collect the oldest generation whose threshold is passed, as Python would have."""
        due = [
            g for g, (count, limit) in enumerate(zip(gc.get_count(), gc.get_threshold(), strict=True)) if count > limit
        ]
        if due:
            gc.collect(max(due))
