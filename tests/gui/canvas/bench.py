"""A canvas area with its model, and what a test does with it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, SignalInstance
from PySide6.QtGui import QAction, QContextMenuEvent, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from gui.canvas.area import CanvasArea
from gui.canvas.graph_canvas import GraphCanvas
from gui.model.playback import Playback
from gui.model.session import Session
from solvers.core.result import Result
from solvers.core.variant import all_variants
from solvers.graphs.graph import Graph
from solvers.picture.scene.camera import Camera

MIDDLE, TARGET = 20 * 60 + 30, 10 * 60 + 45


class Menu:
    """A context menu that has been opened."""

    def __init__(self, menu: QMenu):
        self.menu = menu

    def actions(self) -> list[QAction]:
        return list(self.menu.actions())

    def named(self, text: str) -> QAction:
        return next(action for action in self.menu.actions() if action.text() == text)


@dataclass
class Bench:
    """A canvas area with its model."""

    session: Session
    playback: Playback
    area: CanvasArea
    qtbot: QtBot

    @property
    def canvas(self) -> GraphCanvas:
        return self.area.graph_canvas

    @property
    def camera(self) -> Camera:
        return self.canvas.view.camera

    @property
    def armed(self) -> str | None:
        """What the next click sets."""
        return self.canvas.options.armed

    def arm(self, what: str) -> None:
        """Make the next click set an end point, whether or not a vertex is selected."""
        self.canvas.options.arm(what)

    @property
    def budget_turned(self) -> SignalInstance:
        return self.area.options.budget_turned

    def zoom_in(self) -> None:
        self.area.view.zoom_in()

    def open(self, graph: Graph) -> None:
        self.session.open_graph(graph)
        self.qtbot.waitUntil(lambda: self.canvas.content is not None, timeout=30_000)
        self.settle()

    def settle(self) -> None:
        """Wait until the newest frame shows what camera, session and play-back say now."""
        self.qtbot.waitUntil(lambda: self.canvas.frames.current, timeout=30_000)

    def answer(self, path: list[int]) -> None:
        """Ask for the way between the ends of ``path``, and answer with it."""
        self.session.set_source(path[0])
        self.session.set_target(path[-1])
        assert self.session.graph is not None
        self.session.results.add([result_of(self.session.graph, path)])

    def place(self, vertex: int) -> QPoint:
        assert self.canvas.content is not None
        x, y = self.canvas.view.camera.to_screen(self.canvas.content.scene.positions[vertex])
        return QPoint(round(x), round(y))

    def click(
        self, at: QPoint, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
    ) -> None:
        QTest.mouseClick(self.canvas, Qt.MouseButton.LeftButton, modifiers, at)

    def drag(self, start: QPoint, by: QPoint) -> None:
        QTest.mousePress(self.canvas, Qt.MouseButton.LeftButton, pos=start)
        for share in (0.2, 0.6, 1.0):
            QTest.mouseMove(self.canvas, start + by * share)
        QTest.mouseRelease(self.canvas, Qt.MouseButton.LeftButton, pos=start + by)

    def hover(self, at: QPoint) -> None:
        """Move the pointer with no button pressed. An event of its own: `QTest` moves
        the cursor of the platform, which tells nobody where a closed window still is
        below it.
        """
        nothing, none = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
        where = QPointF(at), QPointF(self.canvas.mapToGlobal(at))
        QApplication.sendEvent(
            self.canvas, QMouseEvent(QEvent.Type.MouseMove, *where, nothing, nothing, none)
        )

    def context_menu(self, at: QPoint) -> Menu:
        """Right click: the menu that opens."""
        event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, self.canvas.mapToGlobal(at))
        QApplication.sendEvent(self.canvas, event)
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
        menu.close()
        return Menu(menu)

    def pixels(self) -> np.ndarray:
        """(h, w) ARGB of the widget as it is painted."""
        image = (
            self.canvas.grab()
            .toImage()
            .convertToFormat(self.canvas.grab().toImage().Format.Format_ARGB32)
        )
        return (
            np.frombuffer(image.constBits(), np.uint32)
            .reshape(image.height(), image.width())
            .copy()
        )


def turn_wheel(
    widget: QWidget,
    at: QPoint,
    by: QPoint,
    modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
) -> None:
    """Turn the wheel by eighths of degrees."""
    where, nothing = QPointF(at), Qt.MouseButton.NoButton
    event = QWheelEvent(
        where, where, QPoint(), by, nothing, modifiers, Qt.ScrollPhase.NoScrollPhase, False
    )
    QApplication.sendEvent(widget, event)


def result_of(graph: Graph, path: list[int]) -> Result:
    return Result(
        all_variants()[0],
        {},
        graph,
        path[0],
        path[-1],
        distances=np.arange(graph.n, dtype=np.int32),
        path=np.array(path, np.int32),
    )
