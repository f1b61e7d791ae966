"""The application's style: Fusion with flat surfaces."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeGuard

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QBitmap, QBrush, QColor, QIcon, QPainter, QPalette, QPen
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QProxyStyle,
    QStyle,
    QStyleOption,
    QStyleOptionComplex,
    QStyleOptionHeader,
    QStyleOptionProgressBar,
    QStyleOptionSlider,
    QStyleOptionToolButton,
    QWidget,
)

from gui.style.paint import RADIUS, draw_mark, faded, fill_with, paint_frame, smoothly
from gui.style.text import scaled_px, type_scale
from solvers.picture.colours import Tokens

_Primitive, _Control = QStyle.PrimitiveElement, QStyle.ControlElement
_Complex, _Part = QStyle.ComplexControl, QStyle.SubControl
_Metric, _Contents = QStyle.PixelMetric, QStyle.ContentsType
_State, _Role = QStyle.StateFlag, QPalette.ColorRole

_CHECK_BOXES = (_Primitive.PE_IndicatorCheckBox, _Primitive.PE_IndicatorItemViewItemCheck)
_UNSEEN = (_Primitive.PE_FrameTabBarBase, _Primitive.PE_FrameTabWidget)
_BUTTONS = (_Primitive.PE_PanelButtonCommand, _Primitive.PE_PanelButtonTool)
_FIELDS = (_Contents.CT_LineEdit, _Contents.CT_ComboBox, _Contents.CT_SpinBox)
_OUTLINE = _Role.Dark
_ICON_SIZES = frozenset(
    {
        _Metric.PM_SmallIconSize,
        _Metric.PM_ButtonIconSize,
        _Metric.PM_ListViewIconSize,
        _Metric.PM_IndicatorWidth,
        _Metric.PM_IndicatorHeight,
        _Metric.PM_ExclusiveIndicatorWidth,
        _Metric.PM_ExclusiveIndicatorHeight,
        _Metric.PM_TreeViewIndentation,
        _Metric.PM_MessageBoxIconSize,
    }
)
# of Fusion's marks beside a text: their control, their parts, its text, and their width
_MARKS = {
    _Complex.CC_SpinBox: (
        (_Part.SC_SpinBoxUp, _Part.SC_SpinBoxDown),
        _Part.SC_SpinBoxEditField,
        14,
    ),
    _Complex.CC_ComboBox: (
        (_Part.SC_ComboBoxArrow,),
        _Part.SC_ComboBoxEditField,
        19,
    ),
}
_MARKED = {
    _Contents.CT_ComboBox: _Complex.CC_ComboBox,
    _Contents.CT_SpinBox: _Complex.CC_SpinBox,
}
# quarter turns of the mark of a list that opens below
_ARROWS = {
    _Primitive.PE_IndicatorArrowDown: 0,
    _Primitive.PE_IndicatorArrowLeft: 1,
    _Primitive.PE_IndicatorArrowUp: 2,
    _Primitive.PE_IndicatorArrowRight: 3,
}
_SORT_ARROW = 6  # pixels that a header's words give way to the arrow of sorting
_BUTTON_ROOM = 10  # least pixels beside the words of a button
_FIELD_ROOM = 4  # pixels that a field is higher than Fusion's, and beside its text
_CORNER_ROOM = 3  # pixels between a frame and a viewport with square corners
_TIP_ROOM = 7  # around the text of a tooltip
_BOX_SIDE, _BOX_RADIUS = 15.0, 4.0
_SCROLL_BAR, _THUMB = 10, 6
_KNOB = 6.5  # radius of a slider's handle
_TICK = ((0.24, 0.52), (0.43, 0.70), (0.77, 0.32))  # in a check box, as shares of its side
# pixels at the end of a button that has a menu: where its mark is, and what it is broader for it
_MENU_MARK, _MENU_ROOM = 14, 11


class PlainFusion(QProxyStyle):
    """Fusion with flat surfaces: rounded fields, buttons and check boxes, thin scroll
    bars, tables without frames.

    Fusion's own have gradients, and outlines that cannot be seen on a dark background.
    """

    def __init__(self, tokens: Callable[[], Tokens]) -> None:
        super().__init__("Fusion")
        self._tokens = tokens  # of the present scheme

    def pixelMetric(
        self,
        metric: QStyle.PixelMetric,
        option: QStyleOption | None = None,
        widget: QWidget | None = None,
    ) -> int:
        if metric is _Metric.PM_ScrollBarExtent:
            return _SCROLL_BAR
        if metric is _Metric.PM_ToolTipLabelFrameWidth:
            return _TIP_ROOM
        if metric is _Metric.PM_DefaultFrameWidth and _scrolls(widget):
            return _CORNER_ROOM
        if metric is _Metric.PM_TabBarTabShiftVertical:
            return 0  # Fusion lowers the texts of other tabs, and the bar cuts their descenders
        found = super().pixelMetric(metric, option, widget)
        return scaled_px(found) if metric in _ICON_SIZES else found

    def sizeFromContents(
        self,
        kind: QStyle.ContentsType,
        option: QStyleOption,
        size: QSize,
        widget: QWidget | None = None,
    ) -> QSize:
        # Qt takes None for the widget.
        found = super().sizeFromContents(kind, option, size, widget)  # type: ignore[arg-type]
        if kind is _Contents.CT_ToolButton and _opens_menu(option):
            return found + QSize(scaled_px(_MENU_ROOM), 0)
        if kind is _Contents.CT_PushButton:
            return QSize(max(found.width(), size.width() + 2 * _BUTTON_ROOM), found.height())
        if kind not in _FIELDS:
            return found
        more = _mark_growth(_MARKED[kind]) if kind in _MARKED else 0
        room = _FIELD_ROOM if kind is _Contents.CT_ComboBox else 0
        return found + QSize(room + more, _FIELD_ROOM)

    def subControlRect(
        self,
        control: QStyle.ComplexControl,
        option: QStyleOptionComplex,
        part: QStyle.SubControl,
        widget: QWidget | None = None,
    ) -> QRect:
        # Qt takes None for the widget.
        found = super().subControlRect(control, option, part, widget)  # type: ignore[arg-type]
        if control not in _MARKS:
            return found
        marks, text, _ = _MARKS[control]
        if part in marks:
            return found.adjusted(-_mark_growth(control), 0, 0, 0)
        if part is not text:
            return found
        is_box = control is _Complex.CC_ComboBox
        return found.adjusted(_FIELD_ROOM if is_box else 0, 0, -_mark_growth(control), 0)

    def subElementRect(
        self, element: QStyle.SubElement, option: QStyleOption, widget: QWidget | None = None
    ) -> QRect:
        # Qt takes None for the widget.
        found = super().subElementRect(element, option, widget)  # type: ignore[arg-type]
        framed = (
            element is QStyle.SubElement.SE_LineEditContents and getattr(option, "lineWidth", 0) > 0
        )
        return found.adjusted(_FIELD_ROOM, 0, -_FIELD_ROOM, 0) if framed else found

    def drawPrimitive(
        self,
        element: QStyle.PrimitiveElement,
        option: QStyleOption,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        state = option.state
        if element in _CHECK_BOXES:
            _draw_check_box(painter, option, self._tokens().accent_text)
        elif element in _ARROWS or element is _Primitive.PE_IndicatorBranch:
            turns = _ARROWS.get(element, 0 if state & _State.State_Open else 3)
            colour = _mark_colour(option)
            if element in _ARROWS or state & _State.State_Children:
                draw_mark(painter, option.rect, colour, turns=turns)
        elif element in _UNSEEN:
            return
        elif element is _Primitive.PE_PanelItemViewItem and state & _State.State_Selected:
            painter.fillRect(option.rect, option.palette.highlight())  # Fusion's has a gradient
        elif element is _Primitive.PE_PanelTipLabel:
            _draw_tip(painter, option, widget)
        elif element is _Primitive.PE_Frame:
            ground = option.palette.base().color() if _scrolls(widget) else None
            _draw_surface(painter, option, ground, edge=_Role.Mid)
        elif element is _Primitive.PE_FrameLineEdit:
            _draw_surface(painter, option, None)
        elif element in _BUTTONS:
            _draw_button(painter, element, option, self._tokens().selection)
        else:
            super().drawPrimitive(element, option, painter, widget)

    def drawControl(
        self,
        element: QStyle.ControlElement,
        option: QStyleOption,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        if element in (_Control.CE_HeaderSection, _Control.CE_HeaderEmptyArea):
            painter.fillRect(option.rect, option.palette.base())
            line = option.rect.adjusted(0, option.rect.height() - 1, 0, 0)
            painter.fillRect(line, option.palette.color(_Role.Mid))
        elif element is _Control.CE_ProgressBarGroove:
            _fill_round(painter, QRectF(option.rect), option.palette.color(_Role.Mid))
        elif element is _Control.CE_ProgressBarContents and isinstance(
            option, QStyleOptionProgressBar
        ):
            done, colour = QRectF(option.rect), option.palette.color(_Role.Accent)
            if (span := option.maximum - option.minimum) > 0:
                done.setWidth(done.width() * max(0, option.progress - option.minimum) / span)
            else:
                colour = faded(colour, 0.35)  # it is not known how far it is
            _fill_round(painter, done, colour)
        elif element is _Control.CE_TabBarTabShape:
            if option.state & _State.State_Selected:
                line = option.rect.adjusted(4, option.rect.height() - 2, -4, 0)
                painter.fillRect(line, option.palette.color(_Role.Accent))
        else:
            if element is _Control.CE_HeaderLabel and _is_sorted(option):
                # Fusion draws the arrow over their end
                option.rect = option.rect.adjusted(0, 0, -_SORT_ARROW, 0)
            super().drawControl(element, option, painter, widget)

    def drawComplexControl(
        self,
        control: QStyle.ComplexControl,
        option: QStyleOptionComplex,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        if control is _Complex.CC_ComboBox:
            _draw_surface(painter, option, option.palette.base().color())
            arrow = self.subControlRect(control, option, _Part.SC_ComboBoxArrow, widget)
            draw_mark(painter, arrow, _mark_colour(option))
        elif control is _Complex.CC_SpinBox:
            _draw_surface(painter, option, option.palette.base().color())
            colour = _mark_colour(option)
            for part, up in (
                (_Part.SC_SpinBoxUp, True),
                (_Part.SC_SpinBoxDown, False),
            ):
                if not (place := self.subControlRect(control, option, part, widget)).isEmpty():
                    draw_mark(painter, place, colour, 0.7, turns=2 if up else 0)
        elif control is _Complex.CC_ScrollBar:
            _draw_thumb(
                painter,
                option,
                self.subControlRect(control, option, _Part.SC_ScrollBarSlider, widget),
            )
        elif control is _Complex.CC_Slider and isinstance(option, QStyleOptionSlider):
            groove, handle = (
                self.subControlRect(control, option, part, widget)
                for part in (_Part.SC_SliderGroove, _Part.SC_SliderHandle)
            )
            if option.subControls & _Part.SC_SliderTickmarks:
                option.subControls = _Part.SC_SliderTickmarks
                super().drawComplexControl(control, option, painter, widget)
            _draw_slider(painter, option, groove, handle)
        elif control is _Complex.CC_ToolButton and _opens_menu(option):
            place = option.rect.adjusted(option.rect.width() - scaled_px(_MENU_MARK), 0, 0, 0)
            option.features &= ~QStyleOptionToolButton.ToolButtonFeature.HasMenu
            label = QStyleOptionToolButton(option)
            label.rect = option.rect.adjusted(0, 0, -scaled_px(_MENU_ROOM), 0)
            option.icon, option.text = QIcon(), ""
            super().drawComplexControl(control, option, painter, widget)
            self.drawControl(_Control.CE_ToolButtonLabel, label, painter, widget)
            draw_mark(painter, place, _mark_colour(option))
        else:
            super().drawComplexControl(control, option, painter, widget)


def _scrolls(widget: QWidget | None) -> bool:
    """Whether a widget has a frame around a viewport, which would cut its round corners."""
    return isinstance(widget, QAbstractScrollArea)


def _mark_growth(control: QStyle.ComplexControl) -> int:
    """Pixels that the marks of a field are broader than Fusion's, which do not follow the type."""
    *_, width = _MARKS[control]
    return max(0, scaled_px(width) - width)


def _opens_menu(option: QStyleOption) -> TypeGuard[QStyleOptionToolButton]:
    """Whether a click anywhere on a tool button opens its menu."""
    feature = QStyleOptionToolButton.ToolButtonFeature
    return (
        isinstance(option, QStyleOptionToolButton)
        and bool(option.features & feature.HasMenu)
        and not option.features & feature.MenuButtonPopup
    )


def _draw_surface(
    painter: QPainter,
    option: QStyleOption,
    ground: QColor | None,
    *,
    edge: QPalette.ColorRole | None = _OUTLINE,
) -> None:
    """Draw a rounded field or button: its ground, unless it has one, and its edge, in
    the accent with the focus.
    """
    palette, focused = option.palette, bool(option.state & _State.State_HasFocus)
    colour = palette.color(_Role.Accent if focused or edge is None else edge)
    if ground is not None and ground == palette.color(_Role.Accent):
        colour = palette.color(_Role.ButtonText) if focused else ground
    outline = _shown(option, colour) if edge is not None or focused else None
    filling = QBrush() if ground is None else _shown(option, ground)
    with smoothly(painter):
        paint_frame(painter, option.rect, RADIUS, outline, filling, 1.5 if focused else 1.0)


def _draw_button(
    painter: QPainter, element: QStyle.PrimitiveElement, option: QStyleOption, chosen: str
) -> None:
    """Draw the surface of a button; of a flat one only while it is chosen or under the pointer."""
    state = option.state
    flat = bool(state & _State.State_AutoRaise) or element is _Primitive.PE_PanelButtonTool
    pressed = bool(state & (_State.State_Sunken | _State.State_On))
    if flat and not pressed and not state & _State.State_MouseOver:
        return
    ground = option.palette.button().color()
    if flat and state & _State.State_On:  # also under the pointer, which has just clicked
        ground = QColor(chosen)
    elif pressed or (state & _State.State_MouseOver and state & _State.State_Enabled):
        ground = ground.darker(106) if ground.lightnessF() > 0.5 else ground.lighter(118)
    _draw_surface(painter, option, ground, edge=None if flat else _Role.Mid)


def _draw_tip(painter: QPainter, option: QStyleOption, widget: QWidget | None) -> None:
    """Draw a tooltip as cards are: a panel with an edge and round corners, cut from its window."""
    _draw_surface(painter, option, option.palette.toolTipBase().color(), edge=_Role.Mid)
    if widget is not None and widget.isWindow() and widget.mask().boundingRect() != option.rect:
        shape = QBitmap(option.rect.size())
        shape.fill(Qt.GlobalColor.color0)
        with QPainter(shape) as corners:
            corners.setBrush(Qt.GlobalColor.color1)
            corners.drawRoundedRect(QRectF(option.rect).adjusted(0, 0, -1, -1), RADIUS, RADIUS)
        widget.setMask(shape)


def _is_sorted(option: QStyleOption) -> bool:
    """Whether a section of a header has the arrow of sorting."""
    arrow = getattr(option, "sortIndicator", QStyleOptionHeader.SortIndicator.None_)
    return bool(arrow != QStyleOptionHeader.SortIndicator.None_)


def _draw_check_box(painter: QPainter, option: QStyleOption, tick: str) -> None:
    """Draw a rounded box: filled in the accent with a tick of that colour, or with a bar
    where only some are ticked.
    """
    accent = option.palette.color(_Role.Accent)
    ticked, some = bool(option.state & _State.State_On), bool(option.state & _State.State_NoChange)
    side, thick = _BOX_SIDE * type_scale(), type_scale()
    box = QRectF(0.0, 0.0, side, side)
    box.moveCenter(QRectF(option.rect).center())
    edge = accent if ticked or some else option.palette.color(_Role.Dark)
    filling = _shown(option, accent) if ticked else QBrush()
    with smoothly(painter):
        outline = _shown(option, edge)
        paint_frame(painter, box, _BOX_RADIUS * thick, outline, filling, 1.3 * thick)
        if ticked:
            painter.setPen(_round_pen(QColor(tick), 1.8 * thick))
            painter.drawPolyline([box.topLeft() + QPointF(x, y) * side for x, y in _TICK])
        elif some:
            painter.setPen(_round_pen(_shown(option, accent), 2.0 * thick))
            half = QPointF(0.2 * side, 0.0)
            painter.drawLine(box.center() - half, box.center() + half)


def _round_pen(colour: QColor, width: float) -> QPen:
    return QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap)


def _draw_thumb(painter: QPainter, option: QStyleOptionComplex, place: QRect) -> None:
    """Draw the thumb of a scroll bar, and nothing else of it."""
    opacity = 0.75 if option.state & _State.State_MouseOver else 0.4
    thumb, upright = QRectF(place), option.rect.height() > option.rect.width()
    inset = (_SCROLL_BAR - _THUMB) / 2
    thumb = (
        thumb.adjusted(inset, 1, -inset, -1) if upright else thumb.adjusted(1, inset, -1, -inset)
    )
    colour = faded(option.palette.color(_Role.Dark), opacity)
    _fill_round(painter, thumb, colour, _THUMB / 2)


def _fill_round(
    painter: QPainter, place: QRectF, colour: QColor, most_radius: float = RADIUS
) -> None:
    radius = min(place.height() / 2, most_radius)
    with smoothly(painter):
        fill_with(painter, colour)
        painter.drawRoundedRect(place, radius, radius)


def _draw_slider(
    painter: QPainter, option: QStyleOptionSlider, groove: QRect, handle: QRect
) -> None:
    """Draw a level slider: a line, in the accent up to a round handle."""
    palette, middle = option.palette, QRectF(handle).center()
    accent = _shown(option, palette.color(_Role.Accent))
    rest = QColor(palette.color(_Role.Mid))
    ends = QPointF(groove.left() + 2, middle.y()), QPointF(groove.right() - 2, middle.y())
    with smoothly(painter):
        for colour, (first, last) in ((rest, (middle, ends[1])), (accent, (ends[0], middle))):
            painter.setPen(_round_pen(colour, 3.0 * type_scale()))
            painter.drawLine(first, last)
        painter.setPen(QPen(palette.color(_Role.Base), 2.0))
        painter.setBrush(palette.color(_Role.Base))
        painter.drawEllipse(middle, _KNOB + 1.0, _KNOB + 1.0)  # hides the translucent line of one
        painter.setBrush(accent)
        if option.state & _State.State_HasFocus:
            painter.setPen(QPen(palette.color(_Role.Text), 1.5))
        painter.drawEllipse(middle, _KNOB, _KNOB)


def _shown(option: QStyleOption, colour: QColor) -> QColor:
    """The colour, fainter for a disabled widget."""
    return colour if option.state & _State.State_Enabled else faded(colour, 0.5)


def _mark_colour(option: QStyleOption) -> QColor:
    return _shown(option, option.palette.placeholderText().color())
