"""Key handling and tab order.

Unmodified keys go to a text field before they trigger shortcuts such as S for "set
source"; Ctrl and a letter go to it only if it does something with them. Widgets are
created in reading order, which is the tab order; those created later are moved into
place here.
"""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence, QTextDocument
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

FINDS = "finds"  # property of texts with a search of their own
_ARROWS = {
    Qt.Key.Key_Left,
    Qt.Key.Key_Right,
    Qt.Key.Key_Up,
    Qt.Key.Key_Down,
    Qt.Key.Key_Home,
    Qt.Key.Key_End,
}
PLAIN = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.KeypadModifier,
)
_NEVER_TYPED = {Qt.Key.Key_Escape, *(Qt.Key(Qt.Key.Key_F1 + i) for i in range(12))}
_TEXT = (QLineEdit, QAbstractSpinBox, QTextEdit, QPlainTextEdit)
_EDITING = (
    QKeySequence.StandardKey.Copy,
    QKeySequence.StandardKey.Cut,
    QKeySequence.StandardKey.Paste,
    QKeySequence.StandardKey.SelectAll,
)


class TypingGuard(QObject):
    """Gives unmodified keys to the focused widget if it uses them, and keeps unused
    Ctrl shortcuts from text fields.

    Filters only widgets that have had the focus: a filter on the application would pass
    every event through Python.
    """

    def __init__(self, app: QApplication):
        super().__init__(app)
        app.focusChanged.connect(self._watch)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is not QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
            return False
        if belongs(watched, event):
            event.accept()
            return True
        if is_unused_by_text(watched, event):
            event.ignore()
            return True
        return False

    def _watch(self, _old: QWidget | None, new: QWidget | None) -> None:
        if new is not None:
            new.installEventFilter(self)  # Qt installs a filter only once


class ShiftedPlus(QObject):
    """Triggers an action for Ctrl+Shift and the key of plus, wherever in the window the focus is.

    Where plus is typed with Shift, Qt finds both Ctrl++ and Ctrl+Shift+= in it, and
    triggers neither.
    """

    _HELD = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier

    def __init__(self, action: QAction, window: QWidget):
        super().__init__(window)
        self._action = action
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            not isinstance(event, QKeyEvent)
            or event.key() != Qt.Key.Key_Plus
            or event.modifiers() != self._HELD
        ):
            return False
        # then the key comes as a key, and not as a shortcut
        if event.type() is QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        if event.type() is QEvent.Type.KeyPress:
            self._action.trigger()
            return True
        return False


def belongs(widget: QObject, event: QKeyEvent) -> bool:
    """True if ``widget`` should get the key, rather than a shortcut of the window."""
    if event.matches(QKeySequence.StandardKey.Find):
        return bool(widget.property(FINDS))
    if event.modifiers() not in PLAIN or event.key() in _NEVER_TYPED:
        return False
    key = Qt.Key(event.key())
    if isinstance(widget, _TEXT) and widget.isReadOnly():
        return key in _ARROWS
    if isinstance(widget, _TEXT) or (isinstance(widget, QComboBox) and widget.isEditable()):
        return True
    if isinstance(widget, (QAbstractItemView, QComboBox)):
        return key in _ARROWS or key is Qt.Key.Key_Space
    if isinstance(widget, QAbstractSlider):
        return key in _ARROWS
    return isinstance(widget, QAbstractButton) and key is Qt.Key.Key_Space and widget.isCheckable()


def is_unused_by_text(widget: QObject, event: QKeyEvent) -> bool:
    """True for Ctrl and a letter that would do nothing in a text field; Qt claims some
    of them in any case.
    """
    with_ctrl = event.modifiers() & Qt.KeyboardModifier.ControlModifier
    if (
        not with_ctrl
        or not Qt.Key.Key_A <= event.key() <= Qt.Key.Key_Z
        or not isinstance(widget, _TEXT)
    ):
        return False
    steps = _steps_of(widget)
    if event.matches(QKeySequence.StandardKey.Undo):
        return not steps.isUndoAvailable()
    if event.matches(QKeySequence.StandardKey.Redo):
        return not steps.isRedoAvailable()
    return not any(event.matches(key) for key in _EDITING)


def _steps_of(
    field: QLineEdit | QAbstractSpinBox | QTextEdit | QPlainTextEdit,
) -> QLineEdit | QTextDocument:
    if isinstance(field, QAbstractSpinBox):
        return field.lineEdit()
    return field if isinstance(field, QLineEdit) else field.document()


def stops_within(part: QWidget) -> list[QWidget]:
    """The widgets in ``part`` (itself included) that Tab stops at, in order of creation."""
    # excludes popups
    inside = (w for w in (part, *part.findChildren(QWidget)) if w.window() is part.window())
    return [w for w in inside if w.focusPolicy() & Qt.FocusPolicy.TabFocus]


def tab_through(*stops: QWidget) -> None:
    """Make Tab move through ``stops`` in order."""
    for before, after in pairwise(stops):
        QWidget.setTabOrder(before, after)
