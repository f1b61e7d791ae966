"""The attribution that the licence of a graph's data asks for, on the picture."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from gui.painting.pens import CARD_OPACITY, draw_label, small_font
from gui.style.tokens import Tokens
from solvers.graphs.graph import Graph

_POINTS = 8.0


def attribution_of(graph: Graph) -> str:
    """Text of the attribution; "" if the data need none."""
    return "" if graph.roads is None else graph.roads.attribution


def attribution_width(painter: QPainter, text: str) -> float:
    return QFontMetricsF(small_font(painter, _POINTS)).horizontalAdvance(text)


def draw_attribution(painter: QPainter, right: float, bottom: float, text: str, tokens: Tokens) -> None:
    """Draw the attribution so that it ends at ``right`` and stands on ``bottom``."""
    painter.setFont(small_font(painter, _POINTS))
    metrics = QFontMetricsF(painter.font())
    width, height = metrics.horizontalAdvance(text), metrics.height()
    ground = QColor(tokens.canvas)
    ground.setAlphaF(CARD_OPACITY)
    draw_label(painter, QRectF(right - width - 2.0, bottom - height, width + 4.0, height), text, tokens.muted, ground)
