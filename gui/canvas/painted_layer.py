"""Keeps a painted picture, so that a marker or the pointer can move over it without painting it again."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import QWidget


class PaintedLayer:
    """A pixmap as large as a widget, with what was painted last."""

    def __init__(self) -> None:
        self._pixmap: QPixmap | None = None
        self._key: tuple[object, ...] = ()

    def draw(
        self, painter: QPainter, widget: QWidget, key: tuple[object, ...], paint: Callable[[QPainter], None]
    ) -> None:
        """Draw what ``paint`` paints, which is called only if ``key`` or the widget's size differs from last time.

        Parameters
        ----------
        key : tuple
            Everything that the picture depends on; values are compared by identity, then by equality.
        paint : callable(QPainter)
            Must fill the widget; its painter has the widget's font.
        """
        ratio = widget.devicePixelRatioF()
        key = (*key, widget.size(), ratio)
        if self._pixmap is None or not _same(key, self._key):
            self.forget()  # also where painting fails half-way
            pixmap = QPixmap(widget.size() * ratio)
            pixmap.setDevicePixelRatio(ratio)
            with QPainter(pixmap) as own:
                own.setFont(widget.font())
                paint(own)
            self._pixmap, self._key = pixmap, key
        painter.drawPixmap(QPointF(0.0, 0.0), self._pixmap)

    def forget(self) -> None:
        """Free the memory."""
        self._pixmap, self._key = None, ()


def _same(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    return len(one) == len(other) and all(a is b or a == b for a, b in zip(one, other, strict=True))
