"""Labels, boxes, cards and sections that follow the colour scheme, and how a variant is marked."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from PySide6.QtCore import QEvent, QObject, QPointF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QGuiApplication,
    QIcon,
    QPainter,
    QPaintEvent,
    QPalette,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QFrame,
    QLabel,
    QLayout,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QToolButton,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from gui.style.icons import icon
from gui.style.paint import (
    CARD_RADIUS,
    CENTRE,
    DOT_PX,
    HAIRLINE,
    faded,
    paint_dot,
    paint_frame,
    scaled_font,
    smooth_painter,
)
from gui.style.text import (
    escape_controls,
    fitting_letters,
    fitting_lines,
    on_type_size_change,
    tool_tip,
)
from gui.style.theme import tokens
from solvers.core.variant import Algorithm, Answers, RunsOn, Variant
from solvers.devices.device import Device
from solvers.picture.variant_colours import variant_colour
from solvers.system.kept import KeptValue

GAP = 8
_BOX_PADDING = 4  # pixels beside the text of a combo box
_CARD_OPACITY = 0.96

PLACES = {
    RunsOn.SERIAL: "serial",
    RunsOn.OPENMP: "OpenMP",
    RunsOn.THREADS: "all cores",
    RunsOn.MPI: "MPI",
    RunsOn.GPU: "GPU",
    RunsOn.HYBRID: "CPU + GPU",
    RunsOn.ANY: "CPU or GPU",
}


def on_scheme_change(restyle: Callable[[], None]) -> None:
    """Call ``restyle``, a method of a QObject, whenever the colour scheme changes."""
    QGuiApplication.styleHints().colorSchemeChanged.connect(restyle)


def keep_styled(restyle: Callable[[], None]) -> None:
    """Call ``restyle``, a method of a QObject, now and whenever the colour scheme changes."""
    on_scheme_change(restyle)
    restyle()


class SchemeFollower(QObject):
    """Restyles a widget now and whenever the colour scheme changes, as long as it lives."""

    def __init__(self, widget: QWidget, restyle: Callable[[Any], object]):
        super().__init__(widget)
        self._restyle = restyle
        keep_styled(self._follow)

    def _follow(self) -> None:
        self._restyle(self.parent())


def keep_icon(button: QAbstractButton, name: str, colour: str = "text") -> None:
    """Give a button an icon of `icons.icon` in a colour of the scheme, named as in `Tokens`."""
    SchemeFollower(button, lambda one: one.setIcon(icon(name, getattr(tokens(), colour))))


def set_colours(widget: QWidget, colours: Mapping[QPalette.ColorRole, QColor | str]) -> None:
    """Give these roles of a widget's palette colours."""
    palette = QPalette(widget.palette())
    for role, colour in colours.items():
        palette.setColor(role, QColor(colour))
    widget.setPalette(palette)


def clear_layout(layout: QLayout) -> None:
    """Take the widgets out of a layout and delete them."""
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.hide()  # until it is deleted it would be painted where it was
            widget.deleteLater()


def mute(widget: QWidget) -> None:
    """Write a widget's text in the muted colour."""
    widget.setForegroundRole(QPalette.ColorRole.PlaceholderText)


def soften_selection(view: QWidget) -> None:
    """Use the charts' muted selection colour, so that dots, ticks and tags keep their colours."""
    t = tokens()
    roles = QPalette.ColorRole
    set_colours(view, {roles.Highlight: t.selection, roles.HighlightedText: t.text})


def colour_of(variant: Variant) -> QColor:
    """The variant's colour in the current scheme."""
    return QColor(variant_colour(variant.id, tokens().dark))


def dot_icon(colour: QColor) -> QIcon:
    """A round icon in a variant's colour, for high-DPI displays too."""
    return _dot_icon(colour.rgba())


@cache  # shared by all windows, as in `gui.style.icons`
def _dot_icon(rgba: int) -> QIcon:
    colour = QColor.fromRgba(rgba)
    icon = QIcon()
    for scale in (1, 2, 3):
        side = (DOT_PX + 4) * scale
        pixmap = QPixmap(QSize(side, side))
        pixmap.fill(Qt.GlobalColor.transparent)
        with QPainter(pixmap) as painter:
            paint_dot(painter, QPointF(side / 2, side / 2), colour, DOT_PX * scale)
        for mode in (QIcon.Mode.Normal, QIcon.Mode.Selected):  # keep the colour when selected
            icon.addPixmap(pixmap, mode)
    return icon


def tags_of(variant: Variant, device: Device | None = None) -> list[str]:
    """Short tags of a variant's properties; on a processor, kernels run with OpenCL."""
    place = PLACES[variant.runs_on]
    tags = [place.replace("GPU", "OpenCL") if device is not None and device.is_cpu else place]
    if variant.cuda_only:
        tags = ["CUDA"]
    if variant.answers.value == "apsp" and variant.algorithm is not Algorithm.FLOYD_WARSHALL:
        tags.append("APSP")
    if variant.answers is Answers.TARGET:
        tags.append("one path")
    if variant.racy:
        tags.append("racy")
    return tags


class PlainLabel(QLabel):
    """A label that never interprets its text as HTML."""

    def __init__(self, text: str = "", parent: QWidget | None = None):
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)

    def setText(self, text: str) -> None:
        super().setText(escape_controls(text))


class ScaledLabel(PlainLabel):
    """A plain label whose type is larger or smaller than the window's by a factor."""

    def __init__(
        self, text: str = "", *, factor: float, weight: QFont.Weight = QFont.Weight.Normal
    ):
        super().__init__(text)
        self._factor, self._weight = factor, weight
        on_type_size_change(self._fit)
        self._fit()

    def _fit(self) -> None:
        font = scaled_font(QApplication.font(), self._factor)
        font.setWeight(self._weight)
        self.setFont(font)


class Heading(ScaledLabel):
    """A half-bold title, larger than the window's type by a factor, that wraps."""

    def __init__(self, factor: float):
        super().__init__(factor=factor, weight=QFont.Weight.DemiBold)
        self.setWordWrap(True)


class ElidedLabel(QLabel):
    """A plain label of one line, or up to ``lines``, that shows as much of its text as
    fits; it takes what room is left, or asks for it.
    """

    def __init__(self, *, asks: bool = False, lines: int = 1):
        super().__init__()
        self._lines = lines
        self.whole_text = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        policy = QSizePolicy.Policy
        self.setSizePolicy(policy.Preferred if asks else policy.Ignored, policy.Preferred)

    def sizeHint(self) -> QSize:
        width = QFontMetricsF(self.font()).horizontalAdvance(self.whole_text)
        return QSize(math.ceil(width) + 1, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def show_text(self, text: str) -> None:
        self.whole_text = escape_controls(text)
        self.updateGeometry()
        self._elide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        lines = fitting_lines(
            (self.whole_text,),
            self.fontMetrics(),
            self.contentsRect().width(),
            self._lines,
            Qt.TextElideMode.ElideRight,
        )
        self.setText("\n".join(lines))


class ElidedBox(QComboBox):
    """A combo box that shows the longest form of the chosen text that fits; Qt cuts it off.

    `FORMS_ROLE` has shorter forms of an item's text, longest first. The last one is
    shown in smaller letters if it has room then, or else elided. The tool tip says
    whole what is not shown so.
    """

    FORMS_ROLE = Qt.ItemDataRole.UserRole + 1

    def forms(self, index: int) -> tuple[str, ...]:
        """The text of an item and its shorter forms."""
        return (self.itemText(index), *(self.itemData(index, self.FORMS_ROLE) or ()))

    def room_for(self, text: str) -> int:
        """Width in pixels of a box that shows ``text`` whole."""
        icon_room = (
            self.iconSize().width() + _BOX_PADDING
            if self.count() and not self.itemIcon(0).isNull()
            else 0
        )
        content = QSize(
            self.fontMetrics().horizontalAdvance(text) + icon_room + 2 * _BOX_PADDING, self.height()
        )
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        return (
            self.style()
            .sizeFromContents(QStyle.ContentsType.CT_ComboBox, option, content, self)
            .width()
        )

    @property
    def shown_text(self) -> str:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        return self._fitting(option)[0]

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and self.shown_text != self.currentText():
            words = "\n".join(filter(None, (self.currentText(), self.toolTip())))
            QToolTip.showText(self.mapToGlobal(self.rect().bottomLeft()), tool_tip(words), self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        if self.currentIndex() < 0 and self.placeholderText():
            option.currentText = self.placeholderText()
            option.palette.setBrush(QPalette.ColorRole.ButtonText, option.palette.placeholderText())
        option.currentText, font = self._fitting(option)
        painter = QStylePainter(self)
        painter.setFont(font)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    def _fitting(self, option: QStyleOptionComboBox) -> tuple[str, QFont]:
        control, part = QStyle.ComplexControl.CC_ComboBox, QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(control, option, part, self).width() - _BOX_PADDING
        if not option.currentIcon.isNull():
            room -= option.iconSize.width() + _BOX_PADDING
        forms = (option.currentText, *(self.currentData(self.FORMS_ROLE) or ()))
        return fitting_letters(forms, self.font(), room)


class Card(QFrame):
    """A panel with rounded corners that lies over a page."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        on_scheme_change(self.update)
        self._ground = KeptValue[QPixmap]()  # over the picture, it is painted with each one

    def paintEvent(self, event: QPaintEvent) -> None:
        key = (tokens(), self.size(), self.devicePixelRatioF())
        with QPainter(self) as painter:
            painter.drawPixmap(0, 0, self._ground.of(key, self._painted))

    def _painted(self) -> QPixmap:
        t, ratio = tokens(), self.devicePixelRatioF()
        pixmap = QPixmap(self.size() * ratio)
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(Qt.GlobalColor.transparent)
        with smooth_painter(pixmap) as painter:
            ground = faded(t.panel, _CARD_OPACITY)
            paint_frame(painter, self.rect(), CARD_RADIUS, t.border, ground, HAIRLINE)
        return pixmap


class QuietLabel(PlainLabel):
    """A wrapping label in the muted text colour; its text can be made selectable."""

    def __init__(self, text: str = "", *, selectable: bool = False):
        super().__init__(text)
        mute(self)
        self.setWordWrap(True)
        if selectable:
            self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)


class EmptyState(QuietLabel):
    """Placeholder of an empty panel, which says how to fill it."""

    def __init__(self, text: str):
        super().__init__(text)
        self.setAlignment(CENTRE)
        self.setMargin(16)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)


class Section(QWidget):
    """A heading that collapses and expands its content."""

    unfolded = Signal()  # the content was expanded; can be used to load it lazily

    def __init__(self, title: str, content: QWidget, *, open_: bool = False):
        super().__init__()
        self._content = content
        self._button = QToolButton()
        self._button.setText(title)
        self._button.setCheckable(True)
        self._button.setAutoRaise(True)
        self._button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._button.toggled.connect(self._toggle)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self._button)
        layout.addWidget(content)
        self._toggle(open_)
        self._button.setChecked(open_)

    @property
    def is_open(self) -> bool:
        return self._button.isChecked()

    def unfold(self) -> None:
        self._button.setChecked(True)

    def _toggle(self, open_: bool) -> None:
        self._button.setArrowType(Qt.ArrowType.DownArrow if open_ else Qt.ArrowType.RightArrow)
        self._content.setVisible(open_)
        if open_:
            self.unfolded.emit()
