"""Widgets and helpers shared by panels, dialogs and charts: labels, boxes, sections,
tables; and motion.

Trees and tables look alike: no frame, no grid, whole rows selected (`RowDelegate`).
Changes of view and colours take 150 ms with easing, or are made at once where motion is
not wanted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

from PySide6.QtCore import (
    QEasingCurve,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    QVariantAnimation,
    Signal,
)
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetricsF,
    QGradient,
    QGuiApplication,
    QIcon,
    QPaintDevice,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QFrame,
    QGraphicsOpacityEffect,
    QLabel,
    QLayout,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionComboBox,
    QStyleOptionViewItem,
    QStylePainter,
    QTableView,
    QToolButton,
    QToolTip,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gui.style.text import (
    escape_controls,
    fitting_letters,
    fitting_lines,
    on_type_size_change,
    tool_tip,
)
from gui.style.theme import CARD_RADIUS, HAIRLINE, icon, tokens
from solvers.core.variant import Algorithm, Answers, RunsOn, Variant
from solvers.devices.device import Device
from solvers.picture.variant_colours import variant_colour
from solvers.system.kept import KeptValue

DOT_PX = 10
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
CENTRE = Qt.AlignmentFlag.AlignCenter
GAP = 8
ModelIndex: TypeAlias = QModelIndex | QPersistentModelIndex
NO_INDEX = QModelIndex()  # the parent of what lies at the top of a model
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

_ROOM = 8  # pixels
_FOUND_BY = Qt.ItemDataRole.UserRole + 9

DURATION_MS = 150
_UNSEEN = ("offscreen", "minimal")


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
    """Give a button an icon of `theme.icon` in a colour of the scheme, named as in `Tokens`."""
    SchemeFollower(button, lambda one: one.setIcon(icon(name, getattr(tokens(), colour))))


def set_colours(widget: QWidget, colours: Mapping[QPalette.ColorRole, QColor | str]) -> None:
    """Give these roles of a widget's palette colours."""
    palette = QPalette(widget.palette())
    for role, colour in colours.items():
        palette.setColor(role, QColor(colour))
    widget.setPalette(palette)


def faded(colour: QColor | str, opacity: float) -> QColor:
    """A colour of that opacity, whatever its own is."""
    result = QColor(colour)
    result.setAlphaF(opacity)
    return result


def fill_with(painter: QPainter, brush: QBrush | QGradient | QColor | str) -> None:
    """Have shapes filled, without an outline."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(brush)


def outline_with(painter: QPainter, pen: QPen | QColor | str) -> None:
    """Have shapes outlined, and not filled."""
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)


def paint_frame(
    painter: QPainter,
    place: QRectF | QRect,
    radius: float,
    edge: QColor | str | None,
    ground: QBrush | QColor | str = "transparent",
    width: float = 1.0,
) -> None:
    """Draw a rounded rectangle whose edge lies within ``place``; None for no edge."""
    painter.setPen(Qt.PenStyle.NoPen if edge is None else QPen(QColor(edge), width))
    painter.setBrush(ground)
    painter.drawRoundedRect(QRectF(place).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)


def smooth(painter: QPainter) -> None:
    """Draw smooth lines and letters from now on."""
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)


def smooth_painter(device: QPaintDevice) -> QPainter:
    """A painter of smooth lines."""
    painter = QPainter(device)
    smooth(painter)
    return painter


def clear_layout(layout: QLayout) -> None:
    """Take the widgets out of a layout and delete them."""
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.hide()  # until it is deleted it would be painted where it was
            widget.deleteLater()


def scaled_font(font: QFont, scale: float) -> QFont:
    """``font`` in type ``scale`` times as large."""
    result = QFont(font)
    result.setPointSizeF(font.pointSizeF() * scale)
    return result


def bold(font: QFont) -> QFont:
    """The font of titles and of a selected row."""
    result = QFont(font)
    result.setWeight(QFont.Weight.DemiBold)
    return result


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


def paint_dot(painter: QPainter, centre: QPointF, colour: QColor, diameter: float = DOT_PX) -> None:
    """A filled circle without an outline."""
    painter.save()
    smooth(painter)
    fill_with(painter, colour)
    painter.drawEllipse(centre, diameter / 2, diameter / 2)
    painter.restore()


def write(
    painter: QPainter,
    place: QRect | QRectF,
    words: str,
    colour: QColor | str,
    where: Qt.AlignmentFlag = LEFT,
) -> None:
    """Write ``words`` into a rectangle, in the font that the painter has."""
    painter.setPen(colour)
    painter.drawText(QRectF(place), where, words)


def dot_icon(colour: QColor) -> QIcon:
    """A round icon in a variant's colour, for high-DPI displays too."""
    return _dot_icon(colour.rgba())


@cache  # shared by all windows, as in `gui.style.theme`
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


def make_tree(header: Sequence[str], name: str, numbers: Iterable[int] = ()) -> QTreeWidget:
    """An empty tree of short texts, named for screen readers; titles of columns of
    ``numbers`` stand at the right.
    """
    tree = QTreeWidget()
    settle_view(tree, name)
    tree.setHeaderLabels(list(header))
    tree.setItemDelegate(RoomyRows(tree))
    tree.setUniformRowHeights(True)
    align_right(tree.headerItem(), numbers)
    return tree


def add_heading(tree: QTreeWidget, text: str) -> QTreeWidgetItem:
    """A heading over the rows below it: bold, as wide as the tree, and never selected."""
    head = QTreeWidgetItem(tree, [escape_controls(text)])
    head.setFont(0, bold(tree.font()))
    head.setFirstColumnSpanned(True)
    head.setFlags(Qt.ItemFlag.ItemIsEnabled)
    return head


def children_of(group: QTreeWidgetItem) -> list[QTreeWidgetItem]:
    return [child for i in range(group.childCount()) if (child := group.child(i)) is not None]


def find_by(item: QTreeWidgetItem, words: str) -> None:
    """Have `show_matching` look for its words in these."""
    item.setData(0, _FOUND_BY, words.casefold())


def show_matching(group: QTreeWidgetItem, words: Iterable[str]) -> None:
    """Hide the rows of a group that are not found by all ``words``, which are casefolded, and
    a group without others.
    """
    children = children_of(group)
    for child in children:
        child.setHidden(not all(word in child.data(0, _FOUND_BY) for word in words))
    group.setHidden(all(child.isHidden() for child in children))


def align_right(item: QTreeWidgetItem, columns: Iterable[int]) -> None:
    """Align the texts of these columns of a row, or of the header, to the right."""
    for column in columns:
        item.setTextAlignment(column, RIGHT)


def settle_table(table: QTableView, name: str) -> None:
    """Give a table the look of all tables, and a name for screen readers; Tab leaves it."""
    settle_view(table, name)
    table.setShowGrid(False)
    table.setTabKeyNavigation(False)
    table.verticalHeader().hide()
    table.horizontalHeader().setHighlightSections(False)
    table.horizontalHeader().setDefaultAlignment(LEFT)


def settle_view(view: QAbstractItemView, name: str) -> None:
    """Give a list or table the look of all, and a name for screen readers."""
    SchemeFollower(view, soften_selection)
    view.setFrameShape(QFrame.Shape.NoFrame)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setAccessibleName(name)


class RowDelegate(QStyledItemDelegate):
    """For tables whose rows are selected as a whole: draws no frame around the current cell."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: ModelIndex) -> None:
        super().initStyleOption(option, index)
        option.state &= ~QStyle.StateFlag.State_HasFocus


class RoomyRows(RowDelegate):
    """For lists of short texts: with room above and below each."""

    def sizeHint(self, option: QStyleOptionViewItem, index: ModelIndex) -> QSize:
        size = super().sizeHint(option, index)
        return QSize(size.width(), max(size.height(), option.fontMetrics.height() + _ROOM))


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
