"""Fusion style with visible check boxes on dark backgrounds."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QProxyStyle, QStyle, QStyleOption, QWidget

_CHECK_BOXES = (QStyle.PrimitiveElement.PE_IndicatorCheckBox, QStyle.PrimitiveElement.PE_IndicatorItemViewItemCheck)


class PlainFusion(QProxyStyle):
    """Fusion with check box outlines that contrast with the background."""

    def __init__(self) -> None:
        super().__init__("Fusion")

    def drawPrimitive(
        self, element: QStyle.PrimitiveElement, option: QStyleOption, painter: QPainter, widget: QWidget | None = None
    ) -> None:
        super().drawPrimitive(element, option, painter, widget)
        if element not in _CHECK_BOXES:
            return
        outline = QColor(option.palette.placeholderText().color())
        if not option.state & QStyle.StateFlag.State_Enabled:
            outline.setAlphaF(0.5)
        painter.save()
        painter.setPen(QPen(outline, 1.0))
        painter.drawRect(QRectF(option.rect).adjusted(0.5, 0.5, -1.5, -1.5))
        painter.restore()
