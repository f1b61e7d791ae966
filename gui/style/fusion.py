"""Fusion style with visible check boxes and text fields on dark backgrounds."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPalette, QPen
from PySide6.QtWidgets import QProxyStyle, QStyle, QStyleOption, QStyleOptionComplex, QWidget

_CHECK_BOXES = (QStyle.PrimitiveElement.PE_IndicatorCheckBox, QStyle.PrimitiveElement.PE_IndicatorItemViewItemCheck)
_FIELDS = (QStyle.ComplexControl.CC_SpinBox, QStyle.ComplexControl.CC_ComboBox)
_CORNER = 2.0  # radius of Fusion's own frames, in pixels


class PlainFusion(QProxyStyle):
    """Fusion with outlines of check boxes and text fields that contrast with the background.

    Fusion derives these outlines from the window's colour, darker, which cannot be seen on a dark one.
    """

    def __init__(self) -> None:
        super().__init__("Fusion")

    def drawPrimitive(
        self, element: QStyle.PrimitiveElement, option: QStyleOption, painter: QPainter, widget: QWidget | None = None
    ) -> None:
        super().drawPrimitive(element, option, painter, widget)
        if element is QStyle.PrimitiveElement.PE_FrameLineEdit:
            _draw_field(painter, option)
        if element not in _CHECK_BOXES:
            return
        painter.save()
        painter.setPen(QPen(_shown(option, option.palette.placeholderText().color()), 1.0))
        painter.drawRect(QRectF(option.rect).adjusted(0.5, 0.5, -1.5, -1.5))
        painter.restore()

    def drawComplexControl(
        self,
        control: QStyle.ComplexControl,
        option: QStyleOptionComplex,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        super().drawComplexControl(control, option, painter, widget)
        if control in _FIELDS:
            _draw_field(painter, option)


def _draw_field(painter: QPainter, option: QStyleOption) -> None:
    """Outline a text field, unless Fusion marks it as the one with the focus."""
    if option.state & QStyle.StateFlag.State_HasFocus:
        return
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(_shown(option, option.palette.color(QPalette.ColorRole.Dark)), 1.0))
    painter.drawRoundedRect(QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5), _CORNER, _CORNER)
    painter.restore()


def _shown(option: QStyleOption, colour: QColor) -> QColor:
    """The colour, fainter for a disabled widget."""
    shown = QColor(colour)
    if not option.state & QStyle.StateFlag.State_Enabled:
        shown.setAlphaF(0.5)
    return shown
