"""Notices and play bar lie over the canvas: nothing moves when they come, and nothing that matters is covered."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gui.model.notice import Notice, Severity
from gui.window import MainWindow
from tests.gui.windows import TINY, open_graph, tick_only, wait_until_idle


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
