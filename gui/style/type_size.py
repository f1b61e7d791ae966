"""Size of the window's type, as a percentage of the desktop's."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Signal
from PySide6.QtGui import QFont, QGuiApplication

if TYPE_CHECKING:  # the settings, which need no widgets, ask for the limits
    from PySide6.QtWidgets import QApplication

LEAST, MOST, STEP = 80, 200, 10  # per cent
# What the desktop chose, and the percentage applied to it, are stored on the application.
_BASE, _PERCENT = "tautline_type_points", "tautline_type_percent"


class _Notifier(QObject):
    changed = Signal()


@cache
def _notifier() -> _Notifier:
    return _Notifier()


def clamped(percent: int) -> int:
    """``percent`` within the range that the window is made for."""
    return min(MOST, max(LEAST, percent))


def apply(app: QApplication, percent: int) -> None:
    """Give all widgets type of that size."""
    font = QFont(app.font())
    if app.property(_BASE) is None:
        app.setProperty(_BASE, font.pointSizeF() if font.pointSizeF() > 0 else 0.75 * font.pixelSize())
    if percent == current():
        return
    font.setPointSizeF(float(app.property(_BASE)) * percent / 100)
    app.setProperty(_PERCENT, percent)
    app.setFont(font)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.ApplicationFontChange)  # so that widgets have it now
    _notifier().changed.emit()


def on_change(fit: Callable[[], object]) -> None:
    """Call ``fit``, a method of a QObject, whenever the size was changed; widgets whose fonts follow the
    application's also get ``QEvent.FontChange``.
    """
    _notifier().changed.connect(fit)


def current() -> int:
    """The percentage applied."""
    app = QGuiApplication.instance()
    kept = app.property(_PERCENT) if app is not None else None
    return 100 if kept is None else int(kept)


def factor() -> float:
    """Factor for sizes in pixels that hold text."""
    return current() / 100


def px(length: float) -> int:
    """A length that was chosen for type of 100 per cent, in pixels for the current size."""
    return round(length * factor())
