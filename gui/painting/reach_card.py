"""The card on a graph picture that says what lies within the budget."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from gui.painting.annotations import PADDING, distance_text
from gui.painting.pens import draw_card, small_font
from gui.style.tokens import Tokens
from solvers.graphs.isochrone import Reach
from solvers.text import plural


def reach_words(reach: Reach, unit: str) -> tuple[str, str]:
    """Budget and size: ``("Within 5.00 km", "4 045 vertices, 9 908 arcs, 760 km of road")``."""
    counts = f"{plural(reach.vertices, 'vertex', 'vertices')}, {plural(reach.arcs, 'arc')}"
    return f"Within {distance_text(reach.budget, unit)}", f"{counts}, {distance_text(reach.length, reach.unit)} of road"


def draw_reach_card(painter: QPainter, left: float, bottom: float, reach: Reach, unit: str, tokens: Tokens) -> QRectF:
    """Draw the size of the reach; returns its rectangle."""
    painter.setFont(small_font(painter, 8.5))
    metrics = QFontMetricsF(painter.font())
    title, size = reach_words(reach, unit)
    width = max(metrics.horizontalAdvance(title), metrics.horizontalAdvance(size))
    height = 2 * metrics.height() + 2 * PADDING
    card = QRectF(left, bottom - height, width + 2 * PADDING, height)
    draw_card(painter, card, tokens)
    inside = card.adjusted(PADDING, PADDING, -PADDING, -PADDING)
    painter.setPen(QColor(tokens.muted))
    painter.drawText(inside, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft, title)
    painter.setPen(QColor(tokens.text))
    painter.drawText(inside, Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeft, size)
    return card
