"""Parts of panels and dialogs: columns and rows of widgets, boxes, buttons, labels of
several lines, progress.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable
from html import escape
from typing import TypeVar

from PySide6.QtCore import Qt, SignalInstance
from PySide6.QtGui import QColor, QIcon, QPalette
from PySide6.QtWidgets import (
    QBoxLayout,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gui.style.quantity import CountBox, QuantityBox
from gui.style.text import MONO, escape_controls, tool_tip
from gui.style.widgets import GAP, PlainLabel, keep_icon, set_colours

NO_MARGINS = (0, 0, 0, 0)
DIALOG_MARGINS, _DIALOG_SPACING = (18, 16, 18, 14), 10
STRETCH = -1
Standard = QDialogButtonBox.StandardButton
_STEPS = 1000
_THIN = 6  # pixels
_CODE, _AS_CODE = re.compile("`([^`]+)`"), rf'<span style="font-family: {MONO}">\1</span>'
_Layout = TypeVar("_Layout", bound=QBoxLayout)

Act = Callable[..., object] | SignalInstance
Item = QWidget | QLayout | int | tuple[QWidget | QLayout, int]
"""What a column or row holds: a widget or layout, also with its share of spare room;
pixels of space, or `STRETCH`.
"""


def column_of(
    *items: Item,
    parent: QWidget | None = None,
    margins: tuple[int, int, int, int] | None = None,
    spacing: int | None = None,
) -> QVBoxLayout:
    """The items from top to bottom; margins and spacing are the style's by default."""
    return _filled(QVBoxLayout(), items, parent, margins, spacing)


def row_of(
    *items: Item,
    parent: QWidget | None = None,
    margins: tuple[int, int, int, int] | None = None,
    spacing: int | None = None,
) -> QHBoxLayout:
    """The items from left to right; margins and spacing are the style's by default."""
    return _filled(QHBoxLayout(), items, parent, margins, spacing)


def _filled(
    layout: _Layout,
    items: Iterable[Item],
    parent: QWidget | None,
    margins: tuple[int, int, int, int] | None,
    spacing: int | None,
) -> _Layout:
    if parent is not None:
        parent.setLayout(layout)
    if margins is not None:
        layout.setContentsMargins(*margins)
    if spacing is not None:
        layout.setSpacing(spacing)
    for item in items:
        part, share = item if isinstance(item, tuple) else (item, 0)
        match part:
            case QWidget():
                layout.addWidget(part, share)
            case QLayout():
                layout.addLayout(part, share)
            case int():
                layout.addStretch(1) if part == STRETCH else layout.addSpacing(part)
    return layout


def scrolling(content: QWidget | None = None, area: QScrollArea | None = None) -> QScrollArea:
    """A frameless area, ``area`` or a new one, in which what is too tall is scrolled."""
    area = area or QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    if content is not None:
        area.setWidget(content)
    return area


def split_of(orientation: Qt.Orientation, *parts: tuple[QWidget, int]) -> QSplitter:
    """Widgets that the user can divide, each with its share of spare room; none can be
    folded away.
    """
    split = QSplitter(orientation)
    split.setChildrenCollapsible(False)
    for index, (part, share) in enumerate(parts):
        split.addWidget(part)
        split.setStretchFactor(index, share)
    return split


def form_of(
    *rows: tuple[str, QWidget | QLayout] | QWidget,
    parent: QWidget | None = None,
    margins: tuple[int, int, int, int] | None = None,
) -> QFormLayout:
    """Fields below each other, each beside its name or as wide as the form."""
    form = QFormLayout()
    form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
    if parent is not None:
        parent.setLayout(form)
    if margins is not None:
        form.setContentsMargins(*margins)
    for row in rows:
        fields = row if isinstance(row, tuple) else (row,)
        form.addRow(*fields)
    return form


def fill_panel(panel: QWidget, *items: Item) -> None:
    """Lay out a panel from top to bottom."""
    column_of(*items, parent=panel, margins=(GAP, GAP, GAP, GAP), spacing=GAP)


def fill_dialog(dialog: QDialog, *items: Item) -> None:
    """Lay out a dialog from top to bottom."""
    column_of(*items, parent=dialog, margins=DIALOG_MARGINS, spacing=_DIALOG_SPACING)


class WrappedLabel(PlainLabel):
    """A plain label of several lines; its text can be made selectable.

    With ``lines``, it has room for at least so many, and its text begins at the top.
    """

    def __init__(self, text: str = "", *, selectable: bool = False, lines: int = 0):
        super().__init__(text)
        self.setWordWrap(True)
        if selectable:
            self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        if lines:
            self.setMinimumHeight(lines * self.fontMetrics().lineSpacing())
            self.setAlignment(Qt.AlignmentFlag.AlignTop)


def as_html(text: str) -> str:
    """Text from elsewhere, to stand in HTML."""
    return escape(escape_controls(text))


class TaskLabel(WrappedLabel):
    """A wrapped label in which what stands between backticks is program text; names with
    more to show are links, whose signal has the name.
    """

    def setText(self, text: str) -> None:
        self.show_linked(text, ())

    def show_linked(self, text: str, names: Container[str]) -> None:
        """Show a text in which these names are links."""

        def code(match: re.Match[str]) -> str:
            styled = match.expand(_AS_CODE)
            return f'<a href="{match[1]}">{styled}</a>' if match[1] in names else styled

        self.setTextFormat(Qt.TextFormat.RichText)
        by = Qt.TextInteractionFlag
        self.setTextInteractionFlags(by.LinksAccessibleByMouse | by.LinksAccessibleByKeyboard)
        QLabel.setText(self, _CODE.sub(code, as_html(text)))


def tint(widget: QWidget, colour: QColor | str) -> None:
    """Give the widget's text a colour."""
    set_colours(widget, {QPalette.ColorRole.WindowText: colour})


def tool_button(
    text: str = "", tip: str = "", act: Act | None = None, *, name: str = "", icon: str = ""
) -> QToolButton:
    """A flat button; ``name`` is its accessible name where its text does not tell what it does.
    Its ``icon`` has the colour of texts.
    """
    button = QToolButton()
    button.setAutoRaise(True)
    button.setText(text)
    button.setToolTip(tool_tip(tip))
    button.setAccessibleName(name or text)
    if icon:
        keep_icon(button, icon)
    if act is not None:
        button.clicked.connect(act)
    return button


def text_field(hint: str = "", name: str = "", *, clearable: bool = False) -> QLineEdit:
    """A field with a hint while it is empty; ``name`` is its accessible name."""
    field = QLineEdit()
    field.setPlaceholderText(hint)
    field.setAccessibleName(name)
    field.setClearButtonEnabled(clearable)
    return field


def push_button(text: str, tip: str = "", act: Act | None = None) -> QPushButton:
    """A button that Enter presses only while it has the focus."""
    button = QPushButton(text)
    button.setToolTip(tool_tip(tip))
    button.setAutoDefault(False)
    if act is not None:
        button.clicked.connect(act)
    return button


def button_box(dialog: QDialog, *standard: QDialogButtonBox.StandardButton) -> QDialogButtonBox:
    """A box of standard buttons, without Fusion's icons, connected to ``dialog``'s
    accept and reject.
    """
    box = QDialogButtonBox()
    for which in standard:
        box.addButton(which).setIcon(QIcon())
    box.accepted.connect(dialog.accept)
    box.rejected.connect(dialog.reject)
    return box


def grow(dialog: QDialog) -> None:
    """Make room for what the dialog shows now; it never shrinks under the pointer."""
    column = dialog.layout()
    if column is not None:
        # which Qt leaves to the set minimum
        width = max(dialog.width(), column.minimumSize().width())
        dialog.resize(width, max(dialog.height(), column.totalHeightForWidth(width)))


def add_action(box: QDialogButtonBox, text: str, act: Act, tip: str = "") -> QPushButton:
    button: QPushButton = box.addButton(text, QDialogButtonBox.ButtonRole.ActionRole)
    button.setToolTip(tool_tip(tip))
    button.clicked.connect(act)
    return button


def set_default(box: QDialogButtonBox, chosen: QPushButton | None) -> None:
    """Let Enter press the ``chosen`` button of a box, or none, wherever the focus is."""
    for button in box.buttons():
        if isinstance(button, QPushButton):
            button.setAutoDefault(button is chosen)


def choice_box(entries: Iterable[tuple[str, object]] = (), name: str = "") -> QComboBox:
    """A box of texts and the values that they stand for."""
    box = QComboBox()
    box.setAccessibleName(name)
    for text, value in entries:
        box.addItem(text, value)
    return box


def address_field() -> QLineEdit:
    """A field for the address of a cluster."""
    return text_field("tcp://host:8786, tls://host:8786 or slurm:4", "Address of the cluster")


def count_box(value: int, low: int, high: int) -> CountBox:
    """A box of a number; if ``high`` is below ``low``, it has no other choice than ``low``."""
    box = CountBox()
    box.setRange(low, max(low, high))
    box.setValue(value)
    return box


def number_box(
    value: float, low: float, high: float, decimals: int, *, unit: str = "", name: str = ""
) -> QuantityBox:
    """A box of a number with its unit; ``name`` is its accessible name."""
    box = QuantityBox(unit)
    box.setRange(low, high)
    box.setDecimals(decimals)
    box.setValue(value)
    box.setAccessibleName(name)
    return box


class ProgressLine(QProgressBar):
    """A bar without text. Where it is as thin as a scroll bar, only its room stays while it
    is empty.
    """

    def __init__(self, *, thin: bool = False):
        super().__init__()
        self.setRange(0, _STEPS)
        self.setTextVisible(False)
        self._thin = thin
        if thin:
            self.setFixedHeight(_THIN)
            policy = self.sizePolicy()
            policy.setRetainSizeWhenHidden(True)
            self.setSizePolicy(policy)
            self.hide()

    def show_fraction(self, fraction: float) -> None:
        self.setValue(int(fraction * _STEPS))
        if self._thin:
            self.setVisible(self.value() > 0)
