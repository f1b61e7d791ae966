"""Columns of docks in narrow and wide windows; notices and play bar lie over the canvas and move nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QDockWidget, QWidget
from pytestqt.qtbot import QtBot

from gui.model.notice import Notice, Severity
from gui.shell.docks import WindowArrangement, fitted_widths
from gui.window import MainWindow
from tests.gui.windows import TINY, open_graph, tick_only, wait_until_idle


@pytest.mark.parametrize(
    ("wanted", "room", "fitted"),
    [
        ((368, 516), 928, (368, 516)),
        ((368, 516), 742, (322, 420)),
        ((368, 516), 400, (280, 330)),
        ((200, 300), 400, (200, 300)),
        ((200, 600), 700, (200, 500)),
    ],
)
def test_columns_share_what_is_missing(wanted: tuple[int, int], room: int, fitted: tuple[int, int]) -> None:
    """They keep what is legible, or what they have, if that is less."""
    left, right = fitted_widths(wanted, (280, 330), room)
    assert (left, right) == pytest.approx(fitted, abs=1)


def columns(window: MainWindow) -> tuple[int, int]:
    left, right = (window.findChild(QDockWidget, f"{name} dock") for name in ("variants", "results"))
    assert left is not None
    assert right is not None
    return left.width(), right.width()


def settle(qtbot: QtBot, window: MainWindow) -> None:
    arrangement = window.findChild(WindowArrangement)
    assert arrangement is not None
    qtbot.waitUntil(lambda: arrangement.settled)


def resize(qtbot: QtBot, window: MainWindow, width: int, height: int) -> None:
    settle(qtbot, window)
    window.resize(width, height)
    settle(qtbot, window)


def test_the_canvas_of_a_narrow_window_keeps_its_share(
    qtbot: QtBot, window: MainWindow, type_of: Callable[[int], None]
) -> None:
    """A window of 1600 pixels that became one of 1280 left the canvas 384, and cut what lies over it."""
    resize(qtbot, window, 1600, 1000)
    wide = columns(window)
    resize(qtbot, window, 1280, 720)
    assert window.centralWidget().width() >= 0.4 * 1280
    type_of(150)
    settle(qtbot, window)
    assert window.centralWidget().width() >= 0.37 * 1280
    assert window.minimumSizeHint().width() <= 1280
    type_of(100)
    resize(qtbot, window, 1600, 1000)
    assert columns(window) == wide


def test_widths_that_the_user_gave_stay(qtbot: QtBot, window: MainWindow) -> None:
    resize(qtbot, window, 1600, 1000)
    dock = window.findChild(QDockWidget, "variants dock")
    assert dock is not None
    window.resizeDocks([dock], [560], Qt.Orientation.Horizontal)
    _, right = columns(window)
    for width in (1590, 1300, 1600):
        resize(qtbot, window, width, 1000)
    assert columns(window) == pytest.approx((560, right), abs=2)


def place(widget: QWidget, window: MainWindow) -> QRect:
    return QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())


def test_a_notice_moves_nothing(qtbot: QtBot, window: MainWindow) -> None:
    open_graph(qtbot, window, TINY)
    canvas = window.parts.canvas.canvas
    before, camera = place(canvas, window), canvas.view.camera
    window.parts.session.notice(Notice(Severity.WARNING, "Something happened. " * 12))
    qtbot.waitUntil(lambda: window.notices.isVisible() and window.notices.height() > 30)
    assert (place(canvas, window), canvas.view.camera) == (before, camera)
    assert place(canvas, window).contains(place(window.notices, window))


def test_the_play_bar_moves_nothing_and_the_graph_is_above_it(qtbot: QtBot, window: MainWindow) -> None:
    open_graph(qtbot, window, TINY)
    tick_only(window, "dijkstra-heap")
    canvas = window.parts.canvas.canvas
    camera = canvas.view.camera
    window.parts.run.start()
    wait_until_idle(qtbot, window)
    qtbot.waitUntil(lambda: window.parts.playback.length > 0)
    qtbot.waitUntil(lambda: window.play_bar.player.isVisible())
    assert canvas.view.camera == camera
    bar = place(window.play_bar, window)
    assert place(canvas, window).contains(bar)
    ys = canvas.view.camera.to_screen(canvas.content.scene.positions)[:, 1]
    assert canvas.mapTo(window, QPoint(0, round(float(ys.max())))).y() < bar.top()
    assert place(window.parts.canvas._buttons, window).bottom() < bar.top()


def test_an_error_of_a_field_is_below_the_notice_and_goes_with_escape(qtbot: QtBot, window: MainWindow) -> None:
    open_graph(qtbot, window, TINY)
    window.resize(1000, 700)
    window.parts.session.notice(Notice(Severity.INFO, "Something happened."))
    qtbot.waitUntil(lambda: window.notices.height() > 20)
    field = window.endpoints.target
    field.setFocus()
    field.clear()
    qtbot.keyClicks(field, "99999")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert "99999" in field.error
    bubble = field._bubble
    assert not place(bubble, window).intersects(place(window.notices, window))
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert field.error == ""
    assert window.notices.notice is not None
