"""Clicks select, markers are dragged, menus and keys set end points, the pointer brings
up cards.
"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QGuiApplication

from gui.canvas.vertex_card import VertexCard
from gui.style.theme import tokens
from gui.style.widgets import PlainLabel
from tests.gui.canvas.bench import MIDDLE, TARGET
from tests.gui.pictures import is_like, street_grid
from tests.quick import first_quick

ROOT = Path(__file__).parents[3]


def test_a_click_selects_and_changes_no_end_point(bench):
    """A stray click moved the source, and the results were gone."""
    bench.open(street_grid())
    bench.answer([0, 1, 2])
    before = bench.session.source, bench.session.target
    bench.click(bench.place(MIDDLE) + QPoint(2, -1))
    assert (bench.session.source, bench.session.target) == before
    assert len(bench.session.results.all) == 1
    assert bench.session.selected_vertex == MIDDLE
    bench.click(QPoint(3, 3))
    assert bench.session.selected_vertex is None


def test_the_card_stays_with_figures_and_buttons(bench):
    bench.open(street_grid())
    bench.answer([0, 1, 2])
    bench.click(bench.place(MIDDLE))
    card, ids = bench.canvas.select.card, bench.session.graph.ids
    assert card.isVisible()
    rows = dict(card.rows)
    assert rows["vertex"] == str(int(ids[MIDDLE]))
    assert "distance" in rows
    assert "predecessor" in rows or "degree" in rows
    bench.qtbot.wait(100)
    assert card.isVisible(), "not only while the pointer rests"
    labels = [label for label in card.findChildren(PlainLabel) if label.isVisible()]
    assert len(labels) == 2 * len(rows)
    assert all(label.height() >= label.fontMetrics().height() for label in labels), (
        "rows do not overlap"
    )
    shown = card.geometry()
    assert bench.canvas.rect().contains(shown)
    assert not shown.contains(bench.place(MIDDLE))
    bench.qtbot.mouseClick(card.copy, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == str(int(ids[MIDDLE]))
    bench.qtbot.mouseClick(card.target, Qt.MouseButton.LeftButton)
    assert bench.session.target == MIDDLE
    assert not card.target.isEnabled()
    bench.qtbot.mouseClick(card.source, Qt.MouseButton.LeftButton)
    assert bench.session.source == MIDDLE
    bench.qtbot.mouseClick(card.close_button, Qt.MouseButton.LeftButton)
    assert not card.isVisible()


def test_the_selected_vertex_has_a_ring(bench):
    bench.open(street_grid())
    bench.settle()
    bench.click(bench.place(MIDDLE))
    at = bench.place(MIDDLE)
    assert is_like(
        bench.pixels()[at.y() - 13 : at.y() - 8, at.x() - 2 : at.x() + 3], tokens().accent, 20
    ).any()


@pytest.mark.parametrize("key", [Qt.Key.Key_S, Qt.Key.Key_T])
def test_s_and_t_take_the_selected_vertex_at_once(bench, key):
    bench.open(street_grid())
    bench.click(bench.place(MIDDLE))
    bench.qtbot.keyClick(bench.canvas, key)
    assert bench.canvas.options.armed is None
    assert (bench.session.source if key is Qt.Key.Key_S else bench.session.target) == MIDDLE


def test_a_marker_is_dragged_to_the_nearest_vertex(bench):
    bench.open(street_grid())
    camera = bench.canvas.view.camera
    start, goal = bench.place(bench.session.target), bench.place(MIDDLE) + QPoint(3, 2)
    bench.drag(start, goal - start)
    assert (bench.session.source, bench.session.target) == (0, MIDDLE)
    assert bench.canvas.view.camera == camera, "the picture was not panned"
    assert bench.session.selected_vertex is None, "a drag is not a click"
    bench.drag(bench.place(0), bench.place(TARGET) - bench.place(0))
    assert (bench.session.source, bench.session.target) == (TARGET, MIDDLE)


def test_a_dragged_marker_is_seen_at_the_pointer(bench):
    bench.open(street_grid())
    bench.settle()
    start, goal = bench.place(bench.session.target), bench.place(MIDDLE) + QPoint(40, 37)
    bench.qtbot.mousePress(bench.canvas, Qt.MouseButton.LeftButton, pos=start)
    bench.qtbot.mouseMove(bench.canvas, start + QPoint(8, 8))
    bench.qtbot.mouseMove(bench.canvas, goal)
    bench.qtbot.wait(50)
    updated = []
    bench.canvas.paintEvent = lambda event: updated.append(event.rect())
    bench.qtbot.mouseMove(bench.canvas, goal + QPoint(6, 0))
    bench.qtbot.waitUntil(lambda: len(updated) > 0)
    del bench.canvas.paintEvent
    assert all(rect.width() < 120 and rect.height() < 120 for rect in updated), (
        "nothing else is painted anew"
    )
    bench.qtbot.mouseMove(bench.canvas, goal)
    image, colour = bench.canvas.grab().toImage(), QColor(tokens().target)
    assert image.pixelColor(goal - QPoint(5, 18)) == colour, "its head, beside the square in it"
    assert image.pixelColor(start) != colour
    bench.qtbot.mouseRelease(bench.canvas, Qt.MouseButton.LeftButton, pos=goal)


def test_the_context_menu_sets_end_points_copies_and_zooms(bench):
    bench.open(street_grid())
    graph = bench.session.graph
    assert [action.text() for action in bench.context_menu(QPoint(3, 3)).actions()] == ["Fit"]
    menu = bench.context_menu(bench.place(MIDDLE))
    words = [action.text() for action in menu.actions() if action.text()]
    wanted = [
        "Source here",
        "Target here",
        "Add a source here",
        "Copy id",
        "Neighbours",
        "Zoom to vertex",
        "Fit",
    ]
    assert words == [f"Vertex {int(graph.ids[MIDDLE])}", *wanted]
    menu.named("Target here").trigger()
    assert bench.session.target == MIDDLE
    menu.named("Copy id").trigger()
    assert QGuiApplication.clipboard().text() == str(int(graph.ids[MIDDLE]))
    around = [action for action in menu.named("Neighbours").menu().actions() if action.text()]
    first = int(graph.indices[graph.indptr[MIDDLE]])
    assert around[1].text().startswith(f"{int(graph.ids[first])}  (")
    around[1].trigger()
    assert bench.session.selected_vertex == first
    scale = bench.canvas.view.camera.scale
    menu.named("Zoom to vertex").trigger()
    assert bench.session.selected_vertex == MIDDLE
    assert bench.canvas.view.camera.scale >= scale
    menu.named("Source here").trigger()
    assert bench.session.source == MIDDLE


def test_t_makes_the_next_click_set_the_target_once(bench):
    bench.open(street_grid())
    bench.qtbot.keyClick(bench.canvas, Qt.Key.Key_T)
    assert bench.canvas.options.armed == "target"
    bench.click(bench.place(MIDDLE))
    assert (bench.session.source, bench.session.target) == (0, MIDDLE)
    assert bench.canvas.options.armed is None
    bench.click(bench.place(TARGET))
    assert (bench.session.source, bench.session.target) == (0, MIDDLE)


@pytest.mark.parametrize("factor", first_quick([1.5, 2, 1]))
def test_clicks_and_frames_are_right_at_any_device_pixel_ratio(factor):
    """Of a canvas 448.5 pixels high the last line was not painted."""
    script = """
        import numpy as np
        from PySide6.QtCore import QPoint, Qt
        from PySide6.QtTest import QTest
        from gui.app import make_application
        from gui.canvas.graph_canvas import GraphCanvas
        from gui.model.jobs import Jobs
        from gui.model.playback import Playback
        from gui.model.session import Session
        from tests.gui.event_loop import wait_ms
        from tests.gui.pictures import street_grid
        app = make_application()
        session, playback, jobs = Session(), Playback(), Jobs()
        canvas = GraphCanvas(session, playback, jobs)
        canvas.resize(400, 299)
        canvas.show()
        session.open_graph(street_grid())
        while not canvas.frames.current:
            wait_ms(20)
        x, y = canvas.view.camera.to_screen(canvas.content.scene.positions[777])
        left, plain = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        QTest.mouseClick(canvas, left, plain, QPoint(round(x), round(y)))
        seen = canvas.grab().toImage()
        print(session.selected_vertex, *canvas.frames.newest.pixels.shape, seen.width())
        print(seen.pixelColor(0, 0).name(), seen.pixelColor(0, seen.height() - 1).name())
        jobs.shut_down()
    """
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "QT_SCALE_FACTOR": str(factor)}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    vertex, height, width, grabbed, first, last = done.stdout.split()
    assert (vertex, int(height), int(width)) == ("777", round(299 * factor), 400 * factor)
    assert int(grabbed) == 400 * factor
    assert first == last


def test_the_card_grows_with_the_type(bench, type_of):
    """In a presentation its rows stayed small and its buttons were elided."""
    bench.open(street_grid())
    bench.session.select_vertex(MIDDLE)
    card = bench.canvas.findChild(VertexCard)
    assert card.isVisible()
    before = card.width()
    rows = [label.fontMetrics().height() for label in card.findChildren(PlainLabel)]
    type_of(150)
    bench.qtbot.waitUntil(lambda: card.width() > 1.2 * before)
    grown = [label.fontMetrics().height() for label in card.findChildren(PlainLabel)]
    assert all(new > 1.3 * old for old, new in zip(rows, grown, strict=True))
    assert all(
        button.width() >= button.sizeHint().width()
        for button in (card.source, card.target, card.copy)
    )


def test_plus_with_control_is_left_to_the_window(bench):
    """Ctrl+Shift+Plus, larger type, zoomed while the focus was on the canvas."""
    bench.open(street_grid())
    before = bench.canvas.view.camera
    held = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    bench.qtbot.keyClick(bench.canvas, Qt.Key.Key_Plus, held)
    assert bench.canvas.view.camera == before
    bench.qtbot.keyClicks(bench.canvas, "+")
    assert bench.canvas.view.camera.scale > before.scale


@pytest.mark.parametrize("ways", [(), (1.0,), (1.0, -1.0)])
def test_the_card_covers_neither_its_vertex_nor_points_to_see(bench, ways):
    """To the right of the vertex, to its left, or above or below it; not at all where
    it takes all of the height.
    """
    bench.open(street_grid())
    bench.session.select_vertex(MIDDLE)
    card, at = bench.canvas.select.card, QPointF(bench.canvas.rect().center())
    points = np.array([(at.x() + 60.0 * way, at.y()) for way in ways]).reshape(-1, 2)
    card.place_at(at, QRectF(0.0, 0.0, bench.canvas.width(), 600.0), points)
    place = card.geometry()
    for x, y in (*points.tolist(), (at.x(), at.y())):
        assert not place.contains(round(x), round(y))
    assert not card.isHidden()
    card.place_at(at, QRectF(0.0, 0.0, 800.0, card.height() + 10.0), points)
    assert card.isHidden()


def test_the_card_covers_no_zoom_buttons_and_no_legend(bench):
    """At 1280 x 720 and 150 % its button to copy the id was below them."""
    bench.open(street_grid())
    view, card = bench.canvas.view, bench.canvas.select.card
    view.set_buttons(QSize(60, 140))
    bench.session.select_vertex(MIDDLE)
    view.pan(
        QPointF(bench.canvas.width() / 2 - card.width() - 30.0, bench.canvas.height() / 2 - 100.0)
    )
    buttons = QRect(bench.canvas.width() - 60, bench.canvas.height() - 140, 60, 140)
    assert card.isVisible()
    assert not card.geometry().intersects(buttons)
    for x, y in ((0.75, 0.3), (0.25, 0.9), (0.25, 0.1)):
        view.pan(
            QPointF(x * bench.canvas.width(), y * bench.canvas.height()) - view.point_of(MIDDLE)
        )
        assert not any(
            card.geometry().contains(QPoint(*map(round, point))) for point in view.points_of_cards
        )
