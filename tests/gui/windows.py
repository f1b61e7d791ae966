"""What the window tests do again and again: make the window, open a graph, run, wait."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gui.features.closed_roads.comparison import RoadComparison
from gui.features.closed_roads.panel import RoadsPanel
from gui.features.sessions.controller import SessionFileController
from gui.features.undo.controller import UndoController
from gui.model.jobs import JobContext
from gui.model.samples import FOLDER as SAMPLES
from gui.window import MainWindow
from tests.quick import THOROUGH

SAMPLE = SAMPLES / "harbour.gr.gz"
TINY = SAMPLES / "textbook.gr"
PATIENCE_MS = 120_000  # kernels and numba functions may have to be compiled first
HOLDS_PAINTS = not THOROUGH


def open_graph(qtbot: QtBot, window: MainWindow, path: Path) -> None:
    """Open ``path`` and wait until its graph is shown."""
    with painted_once(window):
        with qtbot.waitSignal(window.parts.session.graph_changed, timeout=PATIENCE_MS):
            window.parts.open.open(path)
        wait_until_idle(qtbot, window)


def tick_only(window: MainWindow, *variant_ids: str) -> None:
    """Tick these variants and no others."""
    window.parts.session.choices.choose_only(variant_ids)


def until_cancelled(context: JobContext) -> None:
    """The work of a job that goes on until it is cancelled."""
    while True:
        context.progress_for().checkpoint()
        time.sleep(0.001)


def wait_until_idle(qtbot: QtBot, window: MainWindow) -> None:
    """Wait until nothing that the user could wait for is running."""
    with painted_once(window):
        qtbot.waitUntil(
            lambda: not window.parts.jobs.all() and not window.parts.session.window.waiting,
            timeout=PATIENCE_MS,
        )


@contextmanager
def painted_once(window: QWidget) -> Iterator[None]:
    """Have a window paint what has changed at the end, not again and again on the way,
    which took half the time of these tests. Nothing is held in `make test-all`, nor for
    the fixture ``every_paint``.
    """
    holds = HOLDS_PAINTS and window.updatesEnabled()
    if holds:
        window.setUpdatesEnabled(False)
    try:
        yield
    finally:
        if holds:
            window.setUpdatesEnabled(True)


def drop(window: MainWindow, *paths: Path) -> bool:
    """Drag files into the window and drop them; returns whether it takes them."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    actions, buttons, keys = (
        Qt.DropAction.CopyAction,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    with warnings.catch_warnings():
        # Qt deprecates what only tests do: making these events
        warnings.simplefilter("ignore", DeprecationWarning)
        enter = QDragEnterEvent(QPoint(200, 200), actions, data, buttons, keys)
        dropped = QDropEvent(QPointF(200, 200), actions, data, buttons, keys)
    QApplication.sendEvent(window, enter)
    QApplication.sendEvent(window, dropped)
    return enter.isAccepted()


def type_into(qtbot: QtBot, field: QLineEdit, text: str) -> None:
    """Replace what stands in a field, and press Enter."""
    field.selectAll()
    qtbot.keyClicks(field, text)  # type: ignore[no-untyped-call]
    qtbot.keyClick(field, Qt.Key.Key_Return)  # type: ignore[no-untyped-call]


def trigger(qtbot: QtBot, window: MainWindow, name: str) -> None:
    """Trigger a command, and wait until it is done."""
    with painted_once(window):
        window.commands[name].trigger()
        wait_until_idle(qtbot, window)


def controller_of(window: MainWindow, feature: str) -> Any:
    """The controller of a feature, by the name of its package."""
    made = window.features[feature].controller
    assert made is not None
    return made()


def card_button(window: MainWindow, text: str) -> QPushButton:
    """The button of a feature on the card of the selected variant."""
    found = window.card.findChildren(QPushButton)
    return next(button for button in found if button.text() == text)


def run_only(qtbot: QtBot, window: MainWindow, *variant_ids: str) -> None:
    """Run these variants alone, and wait for their results."""
    with painted_once(window):
        tick_only(window, *variant_ids)
        trigger(qtbot, window, "run")


def popup() -> QMenu:
    """The menu that is open, closed, with its actions to look at."""
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    menu.close()
    return menu


def press(qtbot: QtBot, inside: QWidget, text: str) -> None:
    """Click the one button with that text."""
    (button,) = (b for b in inside.findChildren(QPushButton) if b.text() == text)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)  # type: ignore[no-untyped-call]


def cut_parts(panel: QWidget) -> list[QWidget]:
    """Buttons, choices and texts of a panel that are seen, but not whole."""
    found: list[QWidget] = []
    for part in panel.findChildren(QWidget):
        if not part.isVisible() or not isinstance(part, (QAbstractButton, QComboBox, QLabel)):
            continue
        least, place = part.minimumSizeHint(), part.mapTo(panel, part.rect().bottomRight())
        tall = part.heightForWidth(part.width()) if part.hasHeightForWidth() else least.height()
        small = part.width() < least.width() or part.height() < max(tall, least.height())
        if small or not 0 < place.x() < panel.width():
            found.append(part)
    return found


def sessions(window: MainWindow) -> SessionFileController:
    """What opens and saves sessions in this window."""
    controller = window.features["sessions"].controller
    assert controller is not None
    found: SessionFileController = controller()
    return found


def undoing(window: MainWindow) -> UndoController:
    """What keeps the steps of this window that can be undone."""
    controller = window.features["undo"].controller
    assert controller is not None
    found: UndoController = controller()
    return found


def comparison_of(window: MainWindow) -> RoadComparison | None:
    """The newest of answers before and after roads were changed."""
    found: RoadComparison | None = window.controller_of("closed_roads").newest
    return found


def roads_panel(window: MainWindow) -> RoadsPanel:
    """The list of closed and slowed roads."""
    (placed,) = window.features["closed_roads"].panels
    assert isinstance(placed.panel.content, RoadsPanel)
    return placed.panel.content
