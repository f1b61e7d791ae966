"""Motion: changes of view and colours take 150 ms with easing, or are made at once where motion
is not wanted.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEasingCurve, Qt, QVariantAnimation
from PySide6.QtWidgets import QApplication, QGraphicsOpacityEffect, QStyle, QWidget

from gui.style.widgets import PlainLabel

DURATION_MS = 150
_UNSEEN = ("offscreen", "minimal")


def desktop_moves() -> bool:
    """Whether the desktop has animations on, as far as Qt tells, and anybody sees them."""
    application = QApplication.instance()
    if not isinstance(application, QApplication) or QApplication.platformName() in _UNSEEN:
        return False
    return (
        application.isEffectEnabled(Qt.UIEffect.UI_General)
        and application.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration) > 0
    )


class Glide(QVariantAnimation):
    """Calls ``show`` with shares of a change from 0 to 1."""

    def __init__(self, parent: QWidget, show: Callable[[float], None]):
        super().__init__(parent)
        self.setStartValue(0.0)
        self.setEndValue(1.0)
        self.setDuration(DURATION_MS)
        self.setEasingCurve(QEasingCurve.Type.OutCubic)
        self.valueChanged.connect(lambda value: show(float(value)))


def fade(window: QWidget, moves: Callable[[], bool]) -> None:
    """Let what the window shows now fade into what it shows next, while ``moves()``."""
    cover = PlainLabel(parent=window)
    cover.setPixmap(window.grab())
    cover.setGeometry(window.rect())
    cover.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    effect = QGraphicsOpacityEffect(cover)
    cover.setGraphicsEffect(effect)

    def show(share: float) -> None:
        effect.setOpacity(1.0 - share)
        if share == 1.0 or not moves():  # a measurement began
            glide.stop()
            cover.deleteLater()

    glide = Glide(cover, show)
    cover.show()
    glide.start()
