"""Key handling and tab order.

Unmodified keys go to a text field before they trigger shortcuts such as S for "set source". Widgets are created in
reading order, which is the tab order; those created later are moved into place here.
"""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction, QKeyEvent
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

_ARROWS = {Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End}
_PLAIN = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.KeypadModifier)
_NEVER_TYPED = {Qt.Key.Key_Escape, *(Qt.Key(Qt.Key.Key_F1 + i) for i in range(12))}
_TEXT = (QLineEdit, QAbstractSpinBox, QTextEdit, QPlainTextEdit)


class TypingGuard(QObject):
    """Gives unmodified keys to the focused widget if it uses them.

    Filters only widgets that have had the focus: a filter on the application would pass every event through Python.
    """

    def __init__(self, app: QApplication):
        super().__init__(app)
        app.focusChanged.connect(self._watch)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and belongs(watched, event):
            event.accept()
            return True
        return False

    def _watch(self, _old: QWidget | None, new: QWidget | None) -> None:
        if new is not None:
            new.installEventFilter(self)  # Qt installs a filter only once


class ShiftedPlus(QObject):
    """Triggers an action for Ctrl+Shift and the key of plus, wherever in the window the focus is.

    Where plus is typed with Shift, Qt finds both Ctrl++ and Ctrl+Shift+= in it, and triggers neither.
    """

    _HELD = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier

    def __init__(self, action: QAction, window: QWidget):
        super().__init__(window)
        self._action = action
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QKeyEvent) or event.key() != Qt.Key.Key_Plus or event.modifiers() != self._HELD:
            return False
        if event.type() is QEvent.Type.ShortcutOverride:  # then the key comes as a key, and not as a shortcut
            event.accept()
            return True
        if event.type() is QEvent.Type.KeyPress:
            self._action.trigger()
            return True
        return False


def belongs(widget: QObject, event: QKeyEvent) -> bool:
    """True if ``widget`` should get the key, rather than a shortcut of the window."""
    if event.modifiers() not in _PLAIN or event.key() in _NEVER_TYPED:
        return False
    key = Qt.Key(event.key())
    if isinstance(widget, _TEXT) or (isinstance(widget, QComboBox) and widget.isEditable()):
        return True
    if isinstance(widget, (QAbstractItemView, QComboBox)):
        return key in _ARROWS or key is Qt.Key.Key_Space
    if isinstance(widget, QAbstractSlider):
        return key in _ARROWS
    return isinstance(widget, QAbstractButton) and key is Qt.Key.Key_Space and widget.isCheckable()


def stops_within(part: QWidget) -> list[QWidget]:
    """The widgets in ``part`` (itself included) that Tab stops at, in order of creation."""
    inside = (w for w in (part, *part.findChildren(QWidget)) if w.window() is part.window())  # excludes popups
    return [w for w in inside if w.focusPolicy() & Qt.FocusPolicy.TabFocus]


def tab_through(*stops: QWidget) -> None:
    """Make Tab move through ``stops`` in order."""
    for before, after in pairwise(stops):
        QWidget.setTabOrder(before, after)
