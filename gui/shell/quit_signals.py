"""SIGTERM, SIGHUP and Ctrl+C close the window as its user would: jobs are cancelled and temporary files removed.

Python runs its signal handlers between two of its own instructions, which may be never while Qt waits for events. Its
wake-up descriptor is therefore watched by Qt.
"""

from __future__ import annotations

import signal
import socket
from types import FrameType
from typing import Any

from PySide6.QtCore import QObject, QSocketNotifier
from PySide6.QtWidgets import QApplication, QWidget

from solvers.system.cancel import ENDING


class QuitSignals(QObject):
    """Closes ``window`` and ends the event loops, those of open dialogs too, at the first signal.

    Attributes
    ----------
    number : int
        The signal that came, 0 if none did.
    """

    def __init__(self, window: QWidget):
        super().__init__(window)
        self.number = 0
        self._window = window
        self._before: dict[int, Any] = {}
        self._read, self._write = socket.socketpair()
        for end in (self._read, self._write):
            end.setblocking(False)
        self._notifier = QSocketNotifier(self._read.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._woken)
        self._wakeup_before = -1

    def install(self) -> None:
        """Handle the signals; call it in the main thread. Ignored ones stay ignored, as ``nohup`` wants it."""
        for number in ENDING:
            before = signal.getsignal(number)
            if before not in (signal.SIG_IGN, None):
                self._before[number] = before
                signal.signal(number, self._note)
        self._wakeup_before = signal.set_wakeup_fd(self._write.fileno(), warn_on_full_buffer=False)

    def remove(self) -> None:
        """Restore the handlers."""
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
