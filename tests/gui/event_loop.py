"""Waiting in programs that drive the window."""

from __future__ import annotations

from PySide6.QtCore import QEventLoop, QTimer


def wait_ms(ms: int) -> None:
    """Handle events for that long. QTest.qWait keeps the interpreter's lock meanwhile, so that no other thread runs."""
    loop = QEventLoop()
    QTimer.singleShot(ms, loop.quit)
    loop.exec()
