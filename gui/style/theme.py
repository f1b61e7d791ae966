"""Theme: palette and style of the application, and icons.

The style is Fusion with flat surfaces. Icons are line drawings from SVG files, coloured
by the theme when they are loaded.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TypeGuard

from PySide6.QtCore import QByteArray, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QBitmap,
    QColor,
    QGuiApplication,
    QIcon,
    QIconEngine,
    QPainter,
    QPalette,
    QPen,
    QPixmap,
)
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QApplication,
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

from gui.style.text import scaled_px, type_scale
from solvers.picture.colours import DARK, LIGHT, Scheme, Tokens
from solvers.picture.palette import TABLE
from solvers.system.files import RESOURCES

_QT_SCHEMES = {
    Scheme.SYSTEM: Qt.ColorScheme.Unknown,
    Scheme.LIGHT: Qt.ColorScheme.Light,
    Scheme.DARK: Qt.ColorScheme.Dark,
}
# Platforms without a desktop theme ignore setColorScheme, so the choice is stored on
# the application.
_PROPERTY = "tautpath_dark"

_CHECK_BOXES = (
    QStyle.PrimitiveElement.PE_IndicatorCheckBox,
    QStyle.PrimitiveElement.PE_IndicatorItemViewItemCheck,
)
_SORT_ARROW = 6  # pixels that a header's words give way to the arrow of sorting
_UNSEEN = (QStyle.PrimitiveElement.PE_FrameTabBarBase, QStyle.PrimitiveElement.PE_FrameTabWidget)
_BUTTONS = (
    QStyle.PrimitiveElement.PE_PanelButtonCommand,
    QStyle.PrimitiveElement.PE_PanelButtonTool,
)
_FIELDS = (
    QStyle.ContentsType.CT_LineEdit,
    QStyle.ContentsType.CT_ComboBox,
    QStyle.ContentsType.CT_SpinBox,
)
_BUTTON_ROOM = 10  # least pixels beside the words of a button
_OUTLINE = QPalette.ColorRole.Dark
_FIELD_ROOM = 4  # pixels that a field is higher than Fusion's, and beside its text
RADIUS = 7.0  # of fields and buttons, in pixels
CARD_RADIUS = 12.0
_CORNER_ROOM = 3  # pixels between a frame and a viewport with square corners
_ICON_SIZES = frozenset(
    {
        QStyle.PixelMetric.PM_SmallIconSize,
        QStyle.PixelMetric.PM_ButtonIconSize,
        QStyle.PixelMetric.PM_ListViewIconSize,
        QStyle.PixelMetric.PM_IndicatorWidth,
        QStyle.PixelMetric.PM_IndicatorHeight,
        QStyle.PixelMetric.PM_ExclusiveIndicatorWidth,
        QStyle.PixelMetric.PM_ExclusiveIndicatorHeight,
        QStyle.PixelMetric.PM_TreeViewIndentation,
        QStyle.PixelMetric.PM_MessageBoxIconSize,
    }
)
# of Fusion's marks beside a text: their control, their parts, its text, and their width
_MARKS = {
    QStyle.ComplexControl.CC_SpinBox: (
        (QStyle.SubControl.SC_SpinBoxUp, QStyle.SubControl.SC_SpinBoxDown),
        QStyle.SubControl.SC_SpinBoxEditField,
        14,
    ),
    QStyle.ComplexControl.CC_ComboBox: (
        (QStyle.SubControl.SC_ComboBoxArrow,),
        QStyle.SubControl.SC_ComboBoxEditField,
        19,
    ),
}
_MARKED = {
    QStyle.ContentsType.CT_ComboBox: QStyle.ComplexControl.CC_ComboBox,
    QStyle.ContentsType.CT_SpinBox: QStyle.ComplexControl.CC_SpinBox,
}
# quarter turns of the mark of a list that opens below
_ARROWS = {
    QStyle.PrimitiveElement.PE_IndicatorArrowDown: 0,
    QStyle.PrimitiveElement.PE_IndicatorArrowLeft: 1,
    QStyle.PrimitiveElement.PE_IndicatorArrowUp: 2,
    QStyle.PrimitiveElement.PE_IndicatorArrowRight: 3,
}
_TIP_ROOM = 7  # around the text of a tooltip
# width of a card's edge: Qt strokes one of 1.0 by other code, in three times as long
HAIRLINE = 1.01
_BOX_SIDE, _BOX_RADIUS = 15.0, 4.0
_SCROLL_BAR, _THUMB = 10, 6
_KNOB = 6.5  # radius of a slider's handle
_TICK = ((0.24, 0.52), (0.43, 0.70), (0.77, 0.32))  # in a check box, as shares of its side
_ARROW = 4.0  # half of the width of a combo box's mark
# pixels at the end of a button that has a menu: where its mark is, and what it is broader for it
_MENU_MARK, _MENU_ROOM = 14, 11

FOLDER = RESOURCES / "icons"
_ROLE = re.compile(r"var\(--(\w+)\)")  # of a colour, in a drawing
_SIDES = (16, 20, 24, 32, 48, 64)
_DISABLED_OPACITY = 0.35


def apply(app: QApplication, scheme: Scheme) -> None:
    """Apply style, colour scheme and palette to the application.

    Emits ``QStyleHints.colorSchemeChanged``, also on platforms that do not, so that
    open widgets read `tokens` again.
    """
    if not isinstance(app.style(), PlainFusion):
        app.setStyle(PlainFusion())
    app.setProperty(_PROPERTY, None if scheme is Scheme.SYSTEM else scheme is Scheme.DARK)
    hints = app.styleHints()
    hints.setColorScheme(_QT_SCHEMES[scheme])
    app.setPalette(palette(tokens()))
    hints.colorSchemeChanged.emit(Qt.ColorScheme.Dark if tokens().dark else Qt.ColorScheme.Light)


def tokens(dark: bool | None = None) -> Tokens:
    """The tokens of a scheme; None uses the application's current one."""
    if dark is None:
        app = QGuiApplication.instance()
        applied = app.property(_PROPERTY) if app is not None else None
        dark = (
            QGuiApplication.styleHints().colorScheme() is Qt.ColorScheme.Dark
            if applied is None
            else bool(applied)
        )
    return DARK if dark else LIGHT


def palette(t: Tokens) -> QPalette:
    result = QPalette()
    for role, name in TABLE["widgets"].items():
        result.setColor(QPalette.ColorRole[role], QColor(getattr(t, name)))
    for role in (
        QPalette.ColorRole.WindowText,
        QPalette.ColorRole.Text,
        QPalette.ColorRole.ButtonText,
    ):
        disabled = QColor(t.muted)
        disabled.setAlphaF(0.6)
        result.setColor(QPalette.ColorGroup.Disabled, role, disabled)
    return result


class PlainFusion(QProxyStyle):
    """Fusion with flat surfaces: rounded fields, buttons and check boxes, thin scroll
    bars, tables without frames.

    Fusion's own have gradients, and outlines that cannot be seen on a dark background.
    """

    def __init__(self) -> None:
        super().__init__("Fusion")

    def pixelMetric(
        self,
        metric: QStyle.PixelMetric,
        option: QStyleOption | None = None,
        widget: QWidget | None = None,
    ) -> int:
        if metric is QStyle.PixelMetric.PM_ScrollBarExtent:
            return _SCROLL_BAR
        if metric is QStyle.PixelMetric.PM_ToolTipLabelFrameWidth:
            return _TIP_ROOM
        if metric is QStyle.PixelMetric.PM_DefaultFrameWidth and _scrolls(widget):
            return _CORNER_ROOM
        if metric is QStyle.PixelMetric.PM_TabBarTabShiftVertical:
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
        if kind is QStyle.ContentsType.CT_ToolButton and _opens_menu(option):
            return found + QSize(scaled_px(_MENU_ROOM), 0)
        if kind is QStyle.ContentsType.CT_PushButton:
            return QSize(max(found.width(), size.width() + 2 * _BUTTON_ROOM), found.height())
        if kind not in _FIELDS:
            return found
        more = _mark_growth(_MARKED[kind]) if kind in _MARKED else 0
        room = _FIELD_ROOM if kind is QStyle.ContentsType.CT_ComboBox else 0
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
        is_box = control is QStyle.ComplexControl.CC_ComboBox
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
        state, flag = option.state, QStyle.StateFlag
        if element in _CHECK_BOXES:
            _draw_check_box(painter, option)
        elif element in _ARROWS or element is QStyle.PrimitiveElement.PE_IndicatorBranch:
            turns = _ARROWS.get(element, 0 if state & flag.State_Open else 3)
            colour = _shown(option, option.palette.placeholderText().color())
            if element in _ARROWS or state & flag.State_Children:
                draw_mark(painter, option.rect, colour, turns=turns)
        elif element in _UNSEEN:
            return
        elif (
            element is QStyle.PrimitiveElement.PE_PanelItemViewItem and state & flag.State_Selected
        ):
            painter.fillRect(option.rect, option.palette.highlight())  # Fusion's has a gradient
        elif element is QStyle.PrimitiveElement.PE_PanelTipLabel:
            _draw_tip(painter, option, widget)
        elif element is QStyle.PrimitiveElement.PE_Frame:
            ground = option.palette.base().color() if _scrolls(widget) else None
            _draw_surface(painter, option, ground, edge=QPalette.ColorRole.Mid)
        elif element is QStyle.PrimitiveElement.PE_FrameLineEdit:
            _draw_surface(painter, option, None)
        elif element in _BUTTONS:
            flat = (
                bool(state & flag.State_AutoRaise)
                or element is QStyle.PrimitiveElement.PE_PanelButtonTool
            )
            pressed = bool(state & (flag.State_Sunken | flag.State_On))
            if flat and not pressed and not state & flag.State_MouseOver:
                return
            ground = option.palette.button().color()
            if flat and state & flag.State_On:  # also under the pointer, which has just clicked
                ground = QColor(tokens().selection)
            elif pressed or (state & flag.State_MouseOver and state & flag.State_Enabled):
                ground = ground.darker(106) if ground.lightnessF() > 0.5 else ground.lighter(118)
            _draw_surface(painter, option, ground, edge=None if flat else QPalette.ColorRole.Mid)
        else:
            super().drawPrimitive(element, option, painter, widget)

    def drawControl(
        self,
        element: QStyle.ControlElement,
        option: QStyleOption,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        if element in (
            QStyle.ControlElement.CE_HeaderSection,
            QStyle.ControlElement.CE_HeaderEmptyArea,
        ):
            painter.fillRect(option.rect, option.palette.base())
            line = option.rect.adjusted(0, option.rect.height() - 1, 0, 0)
            painter.fillRect(line, option.palette.color(QPalette.ColorRole.Mid))
        elif element is QStyle.ControlElement.CE_ProgressBarGroove:
            _fill_round(painter, QRectF(option.rect), option.palette.color(QPalette.ColorRole.Mid))
        elif element is QStyle.ControlElement.CE_ProgressBarContents and isinstance(
            option, QStyleOptionProgressBar
        ):
            done, colour = QRectF(option.rect), option.palette.color(QPalette.ColorRole.Accent)
            if (span := option.maximum - option.minimum) > 0:
                done.setWidth(done.width() * max(0, option.progress - option.minimum) / span)
            else:
                colour.setAlphaF(0.35)  # it is not known how far it is
            _fill_round(painter, done, colour)
        elif element is QStyle.ControlElement.CE_TabBarTabShape:
            if option.state & QStyle.StateFlag.State_Selected:
                line = option.rect.adjusted(4, option.rect.height() - 2, -4, 0)
                painter.fillRect(line, option.palette.color(QPalette.ColorRole.Accent))
        else:
            if element is QStyle.ControlElement.CE_HeaderLabel and _is_sorted(option):
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
        if control is QStyle.ComplexControl.CC_ComboBox:
            _draw_surface(painter, option, option.palette.base().color())
            arrow = self.subControlRect(control, option, QStyle.SubControl.SC_ComboBoxArrow, widget)
            draw_mark(painter, arrow, _shown(option, option.palette.placeholderText().color()))
        elif control is QStyle.ComplexControl.CC_SpinBox:
            _draw_surface(painter, option, option.palette.base().color())
            colour = _shown(option, option.palette.placeholderText().color())
            for part, up in (
                (QStyle.SubControl.SC_SpinBoxUp, True),
                (QStyle.SubControl.SC_SpinBoxDown, False),
            ):
                if not (place := self.subControlRect(control, option, part, widget)).isEmpty():
                    draw_mark(painter, place, colour, 0.7, turns=2 if up else 0)
        elif control is QStyle.ComplexControl.CC_ScrollBar:
            _draw_thumb(
                painter,
                option,
                self.subControlRect(control, option, QStyle.SubControl.SC_ScrollBarSlider, widget),
            )
        elif control is QStyle.ComplexControl.CC_Slider and isinstance(option, QStyleOptionSlider):
            parts = QStyle.SubControl
            groove, handle = (
                self.subControlRect(control, option, part, widget)
                for part in (parts.SC_SliderGroove, parts.SC_SliderHandle)
            )
            if option.subControls & parts.SC_SliderTickmarks:
                option.subControls = parts.SC_SliderTickmarks
                super().drawComplexControl(control, option, painter, widget)
            _draw_slider(painter, option, groove, handle)
        elif control is QStyle.ComplexControl.CC_ToolButton and _opens_menu(option):
            place = option.rect.adjusted(option.rect.width() - scaled_px(_MENU_MARK), 0, 0, 0)
            option.features &= ~QStyleOptionToolButton.ToolButtonFeature.HasMenu
            label = QStyleOptionToolButton(option)
            label.rect = option.rect.adjusted(0, 0, -scaled_px(_MENU_ROOM), 0)
            option.icon, option.text = QIcon(), ""
            super().drawComplexControl(control, option, painter, widget)
            self.drawControl(QStyle.ControlElement.CE_ToolButtonLabel, label, painter, widget)
            draw_mark(painter, place, _shown(option, option.palette.placeholderText().color()))
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
    palette, focused = option.palette, bool(option.state & QStyle.StateFlag.State_HasFocus)
    colour = palette.color(QPalette.ColorRole.Accent if focused or edge is None else edge)
    if ground is not None and ground == palette.color(QPalette.ColorRole.Accent):
        colour = palette.color(QPalette.ColorRole.ButtonText) if focused else ground
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush if ground is None else _shown(option, ground))
    painter.setPen(Qt.PenStyle.NoPen)
    if edge is not None or focused:
        painter.setPen(QPen(_shown(option, colour), 1.5 if focused else 1.0))
    painter.drawRoundedRect(QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
    painter.restore()


def _draw_tip(painter: QPainter, option: QStyleOption, widget: QWidget | None) -> None:
    """Draw a tooltip as cards are: a panel with an edge and round corners, cut from its window."""
    _draw_surface(
        painter, option, option.palette.toolTipBase().color(), edge=QPalette.ColorRole.Mid
    )
    if widget is not None and widget.isWindow() and widget.mask().boundingRect() != option.rect:
        shape = QBitmap(option.rect.size())
        shape.fill(Qt.GlobalColor.color0)
        corners = QPainter(shape)
        corners.setBrush(Qt.GlobalColor.color1)
        corners.drawRoundedRect(QRectF(option.rect).adjusted(0, 0, -1, -1), RADIUS, RADIUS)
        corners.end()
        widget.setMask(shape)


def _is_sorted(option: QStyleOption) -> bool:
    """Whether a section of a header has the arrow of sorting."""
    arrow = getattr(option, "sortIndicator", QStyleOptionHeader.SortIndicator.None_)
    return bool(arrow != QStyleOptionHeader.SortIndicator.None_)


def _draw_check_box(painter: QPainter, option: QStyleOption) -> None:
    """Draw a rounded box: filled in the accent with a tick, or with a bar where only
    some are ticked.
    """
    flag, accent = QStyle.StateFlag, option.palette.color(QPalette.ColorRole.Accent)
    ticked, some = bool(option.state & flag.State_On), bool(option.state & flag.State_NoChange)
    side, thick = _BOX_SIDE * type_scale(), type_scale()
    box = QRectF(0.0, 0.0, side, side)
    box.moveCenter(QRectF(option.rect).center())
    edge = accent if ticked or some else option.palette.color(QPalette.ColorRole.Dark)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(_shown(option, edge), 1.3 * thick))
    painter.setBrush(_shown(option, accent) if ticked else Qt.BrushStyle.NoBrush)
    radius = _BOX_RADIUS * thick
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
    if ticked:
        painter.setPen(_round_pen(QColor(tokens().accent_text), 1.8 * thick))
        painter.drawPolyline([box.topLeft() + QPointF(x, y) * side for x, y in _TICK])
    elif some:
        painter.setPen(_round_pen(_shown(option, accent), 2.0 * thick))
        half = QPointF(0.2 * side, 0.0)
        painter.drawLine(box.center() - half, box.center() + half)
    painter.restore()


def _round_pen(colour: QColor, width: float) -> QPen:
    return QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap)


def draw_mark(
    painter: QPainter, place: QRect, colour: QColor, size: float = 1.0, *, turns: int = 0
) -> None:
    """Draw the mark of a list that opens below, or of a step, after quarter turns clockwise."""
    middle, across = QRectF(place).center(), _ARROW * size * type_scale()
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(colour, 1.5 * type_scale()))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.translate(middle)
    painter.rotate(90.0 * turns)
    painter.drawPolyline(
        [QPointF(-across, -across / 2), QPointF(0.0, across / 2), QPointF(across, -across / 2)]
    )
    painter.restore()


def _draw_thumb(painter: QPainter, option: QStyleOptionComplex, place: QRect) -> None:
    """Draw the thumb of a scroll bar, and nothing else of it."""
    colour = option.palette.color(QPalette.ColorRole.Dark)
    colour.setAlphaF(0.75 if option.state & QStyle.StateFlag.State_MouseOver else 0.4)
    thumb, upright = QRectF(place), option.rect.height() > option.rect.width()
    inset = (_SCROLL_BAR - _THUMB) / 2
    thumb = (
        thumb.adjusted(inset, 1, -inset, -1) if upright else thumb.adjusted(1, inset, -1, -inset)
    )
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawRoundedRect(thumb, _THUMB / 2, _THUMB / 2)
    painter.restore()


def _fill_round(painter: QPainter, place: QRectF, colour: QColor) -> None:
    radius = min(place.height() / 2, RADIUS)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawRoundedRect(place, radius, radius)
    painter.restore()


def _draw_slider(
    painter: QPainter, option: QStyleOptionSlider, groove: QRect, handle: QRect
) -> None:
    """Draw a level slider: a line, in the accent up to a round handle."""
    palette, middle = option.palette, QRectF(handle).center()
    accent = _shown(option, palette.color(QPalette.ColorRole.Accent))
    rest = QColor(palette.color(QPalette.ColorRole.Mid))
    ends = QPointF(groove.left() + 2, middle.y()), QPointF(groove.right() - 2, middle.y())
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for colour, (first, last) in ((rest, (middle, ends[1])), (accent, (ends[0], middle))):
        painter.setPen(_round_pen(colour, 3.0 * type_scale()))
        painter.drawLine(first, last)
    painter.setPen(QPen(palette.color(QPalette.ColorRole.Base), 2.0))
    painter.setBrush(palette.color(QPalette.ColorRole.Base))
    painter.drawEllipse(middle, _KNOB + 1.0, _KNOB + 1.0)  # hides the translucent line of one
    painter.setBrush(accent)
    if option.state & QStyle.StateFlag.State_HasFocus:
        painter.setPen(QPen(palette.color(QPalette.ColorRole.Text), 1.5))
    painter.drawEllipse(middle, _KNOB, _KNOB)
    painter.restore()


def _shown(option: QStyleOption, colour: QColor) -> QColor:
    """The colour, fainter for a disabled widget."""
    shown = QColor(colour)
    if not option.state & QStyle.StateFlag.State_Enabled:
        shown.setAlphaF(0.5)
    return shown


def icon(name: str, colour: str | None = None) -> QIcon:
    """The icon ``resources/icons/<name>.svg`` in "#RRGGBB" (the theme's text colour),
    with a paler form when disabled.

    Reload it after a theme change.
    """
    return _shared(name, colour or tokens().text)


# all windows share an icon; Qt would otherwise keep scaled copies of each window's in
# its pixmap cache
@cache
def _shared(name: str, colour: str) -> QIcon:
    return QIcon(_LateIcon(name, colour))


class _LateIcon(QIconEngine):
    """Draws an icon in a size when it is first shown in it: most are in menus and on panels
    that are closed.
    """

    def __init__(self, name: str, colour: str):
        super().__init__()
        self._name, self._colour = name, colour
        self._drawn: dict[int, QIcon] = {}

    def availableSizes(self, *_: object) -> list[QSize]:
        return [QSize(side, side) for side in _SIDES]

    def actualSize(self, size: QSize, *_: object) -> QSize:
        side = min(size.width(), size.height(), _SIDES[-1])
        return QSize(side, side)

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        return self.scaledPixmap(size, mode, state, 1.0)

    def scaledPixmap(
        self, size: QSize, mode: QIcon.Mode, state: QIcon.State, scale: float
    ) -> QPixmap:
        return self._of(size * scale).pixmap(size, scale, mode, state)

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        pixels = rect.size() * painter.device().devicePixelRatio()
        self._of(pixels).paint(painter, rect, Qt.AlignmentFlag.AlignCenter, mode, state)

    def clone(self) -> QIconEngine:
        return _LateIcon(self._name, self._colour)

    def _of(self, pixels: QSize) -> QIcon:
        """The icon drawn in the size that Qt would choose."""
        area = pixels.width() * pixels.height()
        side = next((side for side in _SIDES if side * side >= area), _SIDES[-1])
        if side not in self._drawn:
            renderer = QSvgRenderer(QByteArray(_svg(self._name, self._colour).encode()))
            self._drawn[side] = drawn = QIcon(_pixmap(renderer, side, 1.0))
            drawn.addPixmap(_pixmap(renderer, side, _DISABLED_OPACITY), QIcon.Mode.Disabled)
        return self._drawn[side]


def _svg(name: str, colour: str) -> str:
    return (FOLDER / f"{name}.svg").read_text(encoding="utf-8").replace("currentColor", colour)


def _pixmap(renderer: QSvgRenderer, side: int, opacity: float) -> QPixmap:
    pixmap = QPixmap(side, side)
    pixmap.fill(Qt.GlobalColor.transparent)
    with QPainter(pixmap) as painter:
        painter.setOpacity(opacity)
        renderer.render(painter, QRectF(0, 0, side, side))
    return pixmap


def paint_drawing(painter: QPainter, name: str, place: QRectF, t: Tokens) -> None:
    """Paint ``resources/drawings/<name>.svg`` into a rectangle, in the colours of the roles
    that it names.
    """
    QSvgRenderer(_coloured(name, t)).render(painter, place)  # of its own: threads export, too


@cache
def _coloured(name: str, t: Tokens) -> QByteArray:
    svg = (RESOURCES / "drawings" / f"{name}.svg").read_text(encoding="utf-8")
    return QByteArray(_ROLE.sub(lambda role: getattr(t, role[1]), svg).encode())
