"""Triggers every control of a window by an event, and tells what can be observed then.

A control is a button, a row of a menu, a key, an entry of the search or a row of a
context menu. Observed are windows, dialogs and menus that are open, questions to the
desktop, jobs, the clipboard, the state of commands, the focus, and all pixels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import pytest
from PySide6.QtCore import QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QAction, QContextMenuEvent, QDesktopServices, QImage, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QApplication,
    QCheckBox,
    QDialog,
    QFileDialog,
    QInputDialog,
    QLineEdit,
    QMenu,
    QRadioButton,
    QToolButton,
    QToolTip,
    QWidget,
)
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from gui.dialogs.search import SearchCard
from gui.model.jobs import Jobs
from gui.window import MainWindow
from tests.gui.windows import wait_until_idle

_REST_MS = 30
_MOST_RESTS, _SILENT_RESTS = 60, 20
_BOX = 8  # pixels from the left end of a check box to the middle of its mark


@dataclass(frozen=True)
class Control:
    """What can be triggered: its kind, its name in its place, and the event."""

    kind: str
    name: str
    trigger: Callable[[], object]
    # brings the pointer and the focus there, which alone is no effect
    prepare: Callable[[], object] = lambda: None
    is_so: bool = False  # whether it is a choice that has been made already
    # the same later, or of another window, where to list all again would take long
    again: Callable[[MainWindow], Control | None] | None = None

    def __str__(self) -> str:
        return f"{self.kind}  {self.name}"


class State(NamedTuple):
    """What decides which controls there are, as far as it is quickly compared."""

    windows: list[int]  # by identity
    enabled: list[bool]  # commands
    checked: list[bool]
    layers: dict[str, bool]
    variant: str | None  # the selected one
    position: int  # of the play-back

    def allows(self, before: State) -> bool:
        """Whether everything is as it was, but for commands that were enabled since."""
        lost = any(b and not n for n, b in zip(self.enabled, before.enabled, strict=True))
        return not lost and self._replace(enabled=before.enabled) == before


class Observer(QObject):
    """Everything that a user could notice of one window."""

    def __init__(self, window: MainWindow, patch: pytest.MonkeyPatch):
        super().__init__(window)
        self.window = window
        self.heard: list[str] = []  # questions to the desktop, jobs, notices, texts copied
        # buttons of dialogs that waited for an answer, by titles and names
        self.inside: list[tuple[str, str]] = []
        self._inside: Callable[[QDialog], object] | None = None
        self._answer_for_the_desktop(patch)
        self._popups = QTimer(self, interval=_REST_MS)  # menus of buttons wait in loops of theirs
        self._popups.timeout.connect(self._close_popup)
        self._popups.start()
        window.parts.session.noticed.connect(lambda notice: self._hear(f"says: {notice.text}"))
        QApplication.clipboard().dataChanged.connect(lambda: self._hear("copied"))

    def _hear(self, what: str) -> None:
        self.heard.append(what)

    def _close_popup(self) -> None:
        if (popup := QApplication.activePopupWidget()) is not None:
            self._hear(f"opens {type(popup).__name__}")
            popup.close()

    def _answer_for_the_desktop(self, patch: pytest.MonkeyPatch) -> None:
        """Dialogs of the desktop are cancelled; those that wait are shown, and left."""

        def asks(name: str, answer: Any) -> Callable[..., Any]:
            def answered(*_: object, **__: object) -> Any:
                self._hear(f"asks the desktop: {name}")
                return answer

            return answered

        for name in ("getOpenFileName", "getSaveFileName"):
            patch.setattr(QFileDialog, name, asks(name, ("", "")))
        patch.setattr(QFileDialog, "getExistingDirectory", asks("getExistingDirectory", ""))
        for name, answer in (("getText", ""), ("getItem", ""), ("getDouble", 0.0)):
            patch.setattr(QInputDialog, name, asks(name, (answer, False)))
        patch.setattr(QDesktopServices, "openUrl", asks("openUrl", True))
        patch.setattr(QDialog, "exec", lambda dialog: self._leave(dialog))
        start = Jobs.start

        def told(jobs: Jobs, kind: Any, title: str, *rest: Any, **more: Any) -> Any:
            self._hear(f"begins: {title}")
            return start(jobs, kind, title, *rest, **more)

        patch.setattr(Jobs, "start", told)

    def _leave(self, dialog: QDialog) -> int:
        self._hear(f"dialog: {dialog.windowTitle()}")
        dialog.show()
        self.inside += [(dialog.windowTitle(), str(one)) for one in buttons_of(dialog)]
        if self._inside is not None:
            inside, self._inside = self._inside, None
            inside(dialog)
        dialog.hide()
        return 0

    def in_next_dialog(self, act: Callable[[QDialog], object] | None) -> bool:
        """Do something in the next dialog that waits for an answer, while it is shown;
        says whether what was to be done before is still waiting.
        """
        waits, self._inside = self._inside is not None, act
        return waits

    def windows(self) -> list[QWidget]:
        """All windows, dialogs and menus that are shown, but for tooltips."""
        # there are thousands of widgets without a parent: menus of windows that were closed
        shown = (QWidget.find(one.winId()) for one in QApplication.topLevelWindows())
        return [
            one
            for one in shown
            if one is not None and one.isVisible() and "Tip" not in one.metaObject().className()
        ]

    def now(self) -> tuple[object, ...]:
        """What is there to be noticed, in a form that can be compared."""
        windows, p = self.windows(), self.window.parts
        pictures = [_fingerprint(one) for one in windows]
        # that menus show when they are opened
        filled = *p.canvas.options.layers().items(), *p.settings.recent_files
        focus = QApplication.focusWidget()
        heard = len(self.heard)
        commands = (*self._commands(), *filled)
        return (tuple(map(id, windows)), tuple(pictures), commands, id(focus), heard)

    def _commands(self) -> list[tuple[bool, bool, str]]:
        return [(a.isEnabled(), a.isChecked(), a.text()) for _, a in self.window.commands]

    def state(self) -> State:
        commands = [action for _, action in self.window.commands]
        return State(
            list(map(id, self.windows())),
            [one.isEnabled() for one in commands],
            [one.isChecked() for one in commands],
            self.window.parts.canvas.options.layers(),
            self.window.parts.session.results.selected_id,
            self.window.parts.playback.position,
        )

    def lead_back(self, qtbot: QtBot, before: State) -> None:
        """Check and show again what was checked and shown, as far as commands can do it."""
        parts, now = self.window.parts, self.state()
        if now.variant != before.variant:
            parts.session.results.select(before.variant)
        for layer, on in before.layers.items():
            parts.canvas.options.set_layer(layer, on)
        for (_, action), checked in zip(self.window.commands, before.checked, strict=True):
            if action.isChecked() == checked:
                continue
            if _is_chosen(action):  # of several of which none may have been
                action.actionGroup().setExclusive(False)
                action.setChecked(False)
                action.actionGroup().setExclusive(True)
            else:
                action.trigger()
        wait_until_idle(qtbot, self.window)
        if parts.playback.position != before.position:
            parts.playback.seek(before.position)

    def rest(self, qtbot: QtBot, before: tuple[object, ...] | None = None) -> tuple[object, ...]:
        """What is there once nothing changes by itself any more; what is as it was
        ``before`` gets more time to change.
        """
        last = self.now()
        for turn in range(_MOST_RESTS):
            qtbot.wait(_REST_MS)
            now = self.now()
            if now == last and (now != before or turn >= _SILENT_RESTS):
                break
            last = now
        return last


def _fingerprint(window: QWidget) -> int:
    """Of what a window has on the screen, which is more quickly read than drawn again;
    0 before it was drawn.
    """
    store = window.backingStore()
    image = None if store is None else store.paintDevice()
    if not isinstance(image, QImage) or image.isNull():
        return 0
    return hash(bytes(image.constBits()))


# -- what there is to be triggered ---------------------------------------------------------------


def buttons_of(top: QWidget) -> Iterator[Control]:
    """Every button that is seen and enabled, in reading order, each named by its place."""
    found = [
        one
        for one in top.findChildren(QAbstractButton)
        if one.isVisible() and one.isEnabled() and _is_seen(one)
    ]
    found.sort(key=lambda one: (one.mapTo(top, QPoint()).y(), one.mapTo(top, QPoint()).x()))
    for button in found:
        words = button.accessibleName() or button.text() or button.toolTip() or "?"
        name = f"{_place(button)} > {words.splitlines()[0]}"
        yield Control(
            "button", name, partial(_click, button), partial(_go_to, button), _is_made(button)
        )


def _is_seen(button: QWidget) -> bool:
    return not button.visibleRegion().isEmpty()


def _is_made(choice: QAbstractButton) -> bool:
    """Whether it is the chosen one of several."""
    action = choice.defaultAction() if isinstance(choice, QToolButton) else None
    action = action or getattr(choice, "action", lambda: None)()
    if isinstance(action, QAction):
        return _is_chosen(action)
    alone = choice.autoExclusive() or choice.group() is not None
    return choice.isChecked() and alone


def _is_chosen(action: QAction) -> bool:
    group = action.actionGroup()
    return action.isChecked() and group is not None and group.isExclusive()


def _go_to(button: QAbstractButton) -> None:
    if button.focusPolicy() is not Qt.FocusPolicy.NoFocus:
        button.setFocus()
    QTest.mouseMove(button, _middle(button))


def _click(button: QAbstractButton) -> None:
    plain = Qt.KeyboardModifier.NoModifier
    QTest.mouseClick(button, Qt.MouseButton.LeftButton, plain, _middle(button))


def _middle(button: QAbstractButton) -> QPoint:
    """Where to click: the box of a check box, beside whose words nothing happens."""
    seen = button.visibleRegion().boundingRect()
    if isinstance(button, QCheckBox | QRadioButton):
        return QPoint(seen.left() + _BOX, seen.center().y())
    return seen.center()


def _place(widget: QWidget) -> str:
    """The parts that a widget is in, as a path: classes of our own, or names."""
    parts = []
    parent = widget.parentWidget()
    while parent is not None:
        kind = type(parent)
        if kind.__module__.startswith("gui.") and not kind.__name__.startswith("_"):
            parts.append(kind.__name__)
        parent = None if parent.isWindow() else parent.parentWidget()
    return "/".join(parts[:2][::-1])


def rows_of(menu: QMenu, where: str = "") -> Iterator[Control]:
    """Every row of a menu and its submenus that is enabled, triggered with Enter."""
    menu.aboutToShow.emit()  # some are filled then
    for action in menu.actions():
        name = f"{where}{menu.title().replace('&', '')} > "
        below = action.menu()
        if isinstance(below, QMenu):
            yield from rows_of(below, name)
        elif not action.isSeparator() and action.isEnabled():
            enter = _enter_of(menu, action.text())
            yield Control("menu", name + action.text(), enter, is_so=_is_chosen(action))


def _enter_of(menu: QMenu, text: str) -> Callable[[], object]:
    def enter() -> None:
        menu.popup(QPoint(0, 0))
        choose(menu, text)

    return enter


def choose(menu: QMenu, text: str) -> None:
    """Choose a row of a menu that is open, by Enter."""
    action = next(one for one in menu.actions() if one.text() == text)
    menu.setActiveAction(action)
    QTest.keyClick(menu, Qt.Key.Key_Return)


def keys_of(window: MainWindow) -> Iterator[Control]:
    """Every key of a command that is enabled, pressed in the picture."""
    for spec, action in window.commands:
        for key in spec.keys if action.isEnabled() else ():
            name, is_so = f"{key}  {spec.text}", _is_chosen(action)
            yield Control("key", name, _press_of(window, key), is_so=is_so)


def _press_of(window: MainWindow, key: str) -> Callable[[], object]:
    def press() -> None:
        holder = window.parts.canvas if window.parts.canvas.isVisible() else window
        holder.setFocus()
        QTest.keySequence(QApplication.focusWidget() or window, QKeySequence(key))

    return press


def found_by_search(window: MainWindow) -> Iterator[Control]:
    """Every entry of the search that is enabled, typed in full and chosen with Enter."""
    card = window.parts.help.search()
    rows = card.list.model()
    texts = [rows.index(i, 0).data() for i in range(rows.rowCount())]
    card.close()
    for text in texts:
        yield _entry(text, window)


def _entry(text: str, window: MainWindow) -> Control:
    chosen = {f"{spec.menu}: {spec.text}" for spec, act in window.commands if _is_chosen(act)}
    find, again = _find_of(window, text), partial(_entry, text)
    return Control("search", text, find, is_so=text in chosen, again=again)


def _find_of(window: MainWindow, text: str) -> Callable[[], object]:
    def find() -> None:
        QTest.keySequence(QApplication.focusWidget() or window, QKeySequence("Ctrl+K"))
        field = QApplication.focusWidget()
        assert isinstance(field, QLineEdit)
        card = field.parentWidget()
        assert isinstance(card, SearchCard)
        field.setText(text)
        rows = card.list.model()
        row = next(i for i in range(rows.rowCount()) if rows.index(i, 0).data() == text)
        card.list.setCurrentIndex(rows.index(row, 0))
        QTest.keyClick(field, Qt.Key.Key_Return)

    return find


def context_rows_of(top: QWidget) -> Iterator[Control]:
    """Every row of every context menu: of each widget that has one, on its first entry
    if it lists any.
    """
    for widget in _with_own_menu(top):
        for text in _open_context_menu(widget, lambda menu: _texts(menu)) or ():
            yield _context_row(widget, text)


def _with_own_menu(top: QWidget) -> Iterator[QWidget]:
    found = [top, *top.findChildren(QWidget)]
    return (one for one in found if one.isVisible() and _has_own_menu(one))


def _context_row(widget: QWidget, text: str) -> Control:
    def again(window: MainWindow) -> Control | None:
        alike = next((one for one in _with_own_menu(window) if _path(one) == place), None)
        return None if alike is None else _context_row(alike, text)

    place = _path(widget)
    return Control("context", f"{place} > {text}", _context_of(widget, text), again=again)


def _path(widget: QWidget) -> str:
    return f"{_place(widget)}/{type(widget).__name__}"


def _has_own_menu(widget: QWidget) -> bool:
    """Menus of Qt's own, such as those of scroll bars, are not ours to test."""
    policy, kind = widget.contextMenuPolicy(), type(widget)
    overrides = "contextMenuEvent" in vars(kind) and kind.__module__.startswith("gui.")
    return policy is Qt.ContextMenuPolicy.CustomContextMenu or overrides


def _texts(menu: QMenu) -> list[str]:
    """Rows that can be chosen, and are not chosen already."""
    return [
        one.text()
        for one in menu.actions()
        if one.isEnabled() and not (one.isSeparator() or _is_chosen(one)) and one.menu() is None
    ]


def _context_of(widget: QWidget, text: str) -> Callable[[], object]:
    def act(menu: QMenu) -> None:
        if text in _texts(menu):
            choose(menu, text)
        else:
            menu.close()

    return lambda: _open_context_menu(widget, act, stays=True)


def _open_context_menu(widget: QWidget, act: Callable[[QMenu], Any], *, stays: bool = False) -> Any:
    at = widget.rect().center()
    origin = widget
    if isinstance(widget, QAbstractItemView):
        origin, at = widget.viewport(), QPoint(4, 4)
        model = widget.model()
        first = model.index(0, 0) if model is not None else None
        if first is not None and model.rowCount(first):
            first = model.index(0, 0, first)  # below the head of a group
        if first is not None and first.isValid():
            at = widget.visualRect(first).center()
            QTest.mouseClick(origin, Qt.MouseButton.LeftButton, pos=at)
    elif isinstance(widget, QAbstractScrollArea):
        origin = widget.viewport()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, origin.mapToGlobal(at))
    QApplication.sendEvent(origin, event)
    menu = QApplication.activePopupWidget()
    if not isinstance(menu, QMenu):
        return None
    try:
        return act(menu)
    finally:
        if not stays:
            menu.close()


def close_all_but(window: MainWindow) -> None:
    """Close every menu, card and dialog above a window."""
    while (popup := QApplication.activePopupWidget()) is not None:
        popup.close()
    for one in QApplication.topLevelWidgets():
        # one may be deleted with another
        if one is not window and isValid(one) and one.isVisible():
            one.close()
    QToolTip.hideText()
