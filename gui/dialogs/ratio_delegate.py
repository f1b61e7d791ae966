"""Paints the ratio of two times with its interval in a cell of a table."""

from __future__ import annotations

import math

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from gui.style.theme import tokens
from solvers.running.comparison import Ratio

RATIO_ROLE = Qt.ItemDataRole.UserRole  # a ratio or None, and the span of the axis to either side of 1
LEAST_SPAN = math.log(1.25)
_BAR_PX = 150


def outcome_colour(ratio: Ratio | None) -> str:
    t = tokens()
    if ratio is None or not ratio.differs:
        return t.muted
    return t.good if ratio.value < 1 else t.bad


def reach(ratio: Ratio | None) -> float:
    """How far, on a logarithmic scale, the ratio and its interval reach from 1."""
    if ratio is None:
        return 0.0
    ends = [end for end in (ratio.value, ratio.low, ratio.high) if end is not None]
    return max(abs(math.log(end)) for end in ends)


class RatioDelegate(QStyledItemDelegate):
    """Draws a ratio as a dot with its interval on a logarithmic scale around 1, which is a vertical line."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(_BAR_PX, option.fontMetrics.height() + 8)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        ratio, span = index.data(RATIO_ROLE)
        t, area = tokens(), QRectF(option.rect).adjusted(10, 3, -10, -3)
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, QColor(t.selection))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(t.muted), 1, Qt.PenStyle.DashLine))
        painter.drawLine(
            QPointF(area.center().x(), option.rect.top()), QPointF(area.center().x(), option.rect.bottom())
        )
        if ratio is not None:
            self._draw(painter, area, ratio, span)
        painter.restore()

    @staticmethod
    def _draw(painter: QPainter, area: QRectF, ratio: Ratio, span: float) -> None:
        def x_of(value: float) -> float:
            return area.center().x() + math.log(value) / span * area.width() / 2

        colour, y = QColor(outcome_colour(ratio)), area.center().y()
        if ratio.low is not None and ratio.high is not None:
            painter.setPen(QPen(colour, 2))
            painter.drawLine(QPointF(x_of(ratio.low), y), QPointF(x_of(ratio.high), y))
            for end in (ratio.low, ratio.high):
                painter.drawLine(QPointF(x_of(end), y - 4), QPointF(x_of(end), y + 4))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawEllipse(QPointF(x_of(ratio.value), y), 4, 4)
