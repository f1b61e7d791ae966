"""Waiting in programs that drive the window."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEventLoop, QTimer


def wait_ms(ms: int) -> None:
    """Handle events for that long. QTest.qWait keeps the interpreter's lock meanwhile,
    so that no other thread runs.
    """
    loop = QEventLoop()
    QTimer.singleShot(ms, loop.quit)
    loop.exec()


def in_event_loop(act: Callable[[], object], failed: Callable[[Exception], object]) -> None:
    """Call ``act()`` as an event does.

    Outside of any event loop, a dialog that ``act()`` opens would delete at once what
    is to be deleted later, even a widget that handles the event: Qt waits for the loop
    from which the deletion was asked for, and there is none.
    """
    loop = QEventLoop()

    def step() -> None:
        try:
            act()
        except Exception as error:
            failed(error)
        finally:
            loop.quit()

    QTimer.singleShot(0, step)
    loop.exec()
