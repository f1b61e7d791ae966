"""The roads under the pointer, and which tool takes a press, a click, a rest or Esc."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from solvers.graphs.graph import Graph
from solvers.graphs.readers import read_graph
from solvers.picture.colours import LIGHT
from solvers.picture.scene.paths import points_on_roads
from solvers.picture.scene.scene import DrawableGraph
from tests.gui.canvas.bench import MIDDLE, Bench, turn_wheel
from tests.gui.pictures import is_like, street_grid
from tests.solvers.features.openstreetmap.town import write_osm

LEFT, MIDDLE_BUTTON = Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton
NONE, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier
SMALL = 5 * 8 // 2 + 2  # a vertex inside the small grid


def hold(
    bench: Bench,
    corners: list[QPoint],
    modifiers: Qt.KeyboardModifier = NONE,
    button: Qt.MouseButton = LEFT,
) -> None:
    """Press at the first place and move over the others; the button stays down."""
    QTest.mousePress(bench.canvas, button, modifiers, corners[0])
    for corner in corners[1:]:
        QTest.mouseMove(bench.canvas, corner)


def release(bench: Bench, at: QPoint, button: Qt.MouseButton = LEFT) -> None:
    QTest.mouseRelease(bench.canvas, button, NONE, at)


def graph_of(bench: Bench) -> Graph:
    assert bench.session.graph is not None
    return bench.session.graph


def scene_of(bench: Bench) -> DrawableGraph:
    return bench.canvas.content.scene


def around(at: QPoint, reach: int) -> list[QPoint]:
    return [at + QPoint(dx * reach, dy * reach) for dx, dy in ((-1, -1), (1, -1), (1, 1), (-1, 1))]


def escape(bench: Bench) -> bool:
    """Press Esc; whether the canvas wants the key for itself, and not for a command
    with that shortcut.
    """
    event = QKeyEvent(QEvent.Type.ShortcutOverride, Qt.Key.Key_Escape, NONE)
    event.ignore()
    QApplication.sendEvent(bench.canvas, event)
    QTest.keyClick(bench.canvas, Qt.Key.Key_Escape)
    return event.isAccepted()


def ends(bench: Bench) -> tuple[int | None, int | None]:
    return bench.session.source, bench.session.target


@pytest.fixture
def small(bench: Bench) -> Bench:
    """A graph small enough for its vertices to be moved."""
    bench.open(street_grid(8, 5))
    bench.session.set_endpoints(SMALL, 3)
    bench.settle()
    return bench


def middle_of_road(bench: Bench) -> QPoint:
    """The middle of the road from MIDDLE to the right."""
    one, other = bench.place(MIDDLE), bench.place(MIDDLE + 1)
    return QPoint((one.x() + other.x()) // 2, (one.y() + other.y()) // 2)


def test_a_press_takes_the_marker_before_its_vertex_and_with_alt_the_vertex(small: Bench) -> None:
    start, by = small.place(SMALL), small.place(SMALL + 1) - small.place(SMALL)
    places = scene_of(small).positions
    hold(small, [start, start + by * 0.5, start + by])
    release(small, start + by)
    assert small.session.source == SMALL + 1
    assert scene_of(small).positions is places, "the vertex stays"
    start = small.place(SMALL + 1)
    camera = small.camera
    hold(small, [start, start + QPoint(10, 10), start + QPoint(20, 15)], ALT)
    release(small, start + QPoint(20, 15))
    assert small.session.source == SMALL + 1, "the marker stays at its vertex"
    assert (small.place(SMALL + 1) - start - QPoint(20, 15)).manhattanLength() <= 2
    assert small.camera == camera


def test_with_alt_a_marker_of_a_large_graph_pans(bench: Bench) -> None:
    bench.open(street_grid())
    before, start, camera = ends(bench), bench.place(0), bench.camera
    hold(bench, [start, start + QPoint(30, -20)], ALT)
    release(bench, start + QPoint(30, -20))
    assert ends(bench) == before
    assert bench.camera == camera.panned(30, -20)


def test_escape_takes_back_the_marker_before_the_waiting(bench: Bench) -> None:
    bench.open(street_grid())
    before, start, plain = ends(bench), bench.place(0), bench.pixels()
    hold(bench, [start, start + QPoint(20, 20), bench.place(MIDDLE)])
    assert not is_like(bench.pixels(), LIGHT.source, 8)[start.y(), start.x()]
    assert escape(bench)
    assert np.array_equal(bench.pixels(), plain), "the picture is as it was"
    hold(bench, [start, start + QPoint(20, 20), bench.place(MIDDLE)])
    bench.arm("source")
    assert escape(bench)
    assert bench.armed == "source"
    release(bench, bench.place(MIDDLE))
    assert ends(bench) == before
    assert escape(bench)
    assert bench.armed is None


def test_a_click_on_the_map_goes_there_and_still_waits_for_a_vertex(bench: Bench) -> None:
    bench.open(street_grid())
    for _ in range(5):
        bench.zoom_in()
    before, camera = ends(bench), bench.camera
    bench.session.select_vertex(MIDDLE)
    bench.arm("target")
    bench.click(QPoint(bench.canvas.width() - 60, bench.canvas.height() - 100))
    assert (bench.camera.x, bench.camera.y) != (camera.x, camera.y)
    assert (ends(bench), bench.armed, bench.session.selected_vertex) == (before, "target", MIDDLE)


def test_a_double_click_on_a_vertex_fits_nothing(bench: Bench) -> None:
    bench.open(street_grid())
    bench.zoom_in()
    camera = bench.camera
    QTest.mouseDClick(bench.canvas, LEFT, NONE, bench.place(MIDDLE))
    assert bench.camera == camera


def test_the_wheel_with_shift_turns_the_budget_and_zooms_nothing(bench: Bench) -> None:
    bench.open(street_grid())
    camera = bench.camera
    turned: list[float] = []
    bench.budget_turned.connect(turned.append)
    for delta in (QPoint(0, 240), QPoint(-120, 0)):
        turn_wheel(bench.canvas, bench.place(MIDDLE), delta, SHIFT)
    assert turned == [2.0, -1.0]
    assert bench.camera == camera


@pytest.fixture
def town(bench: Bench, tmp_path: Path) -> Bench:
    """Roads with names."""
    bench.open(read_graph(write_osm(tmp_path / "town.osm.pbf")).graph)
    bench.settle()
    bench.qtbot.wait(20)  # for all events that its appearance brings, leaving the pointer included
    return bench


def road_point(bench: Bench, tail: int, head: int, share: float) -> QPoint:
    tails, heads = (np.array([graph_of(bench).vertex(end)]) for end in (tail, head))
    (at,) = points_on_roads(scene_of(bench), tails, heads, np.array([share]))
    x, y = bench.camera.to_screen(at)
    return QPoint(round(float(x)), round(float(y)))


def await_change(bench: Bench, before: np.ndarray) -> None:
    bench.qtbot.waitUntil(lambda: not np.array_equal(bench.pixels(), before), timeout=20_000)


def test_a_rest_on_a_named_road_shows_its_card_until_the_pointer_goes(town: Bench) -> None:
    bare = town.pixels()
    town.hover(road_point(town, 2, 4, 0.5))
    assert np.array_equal(town.pixels(), bare), "not before the pointer rests"
    await_change(town, bare)
    shown = town.pixels()
    town.hover(road_point(town, 11, 4, 0.4))
    await_change(town, shown)
    QApplication.sendEvent(town.canvas, QEvent(QEvent.Type.Leave))
    assert np.array_equal(town.pixels(), bare)


def test_of_a_vertex_and_its_roads_the_pointer_is_on_the_vertex(town: Bench) -> None:
    """The card of a vertex has a ring about the vertex, the card of a road has none."""
    bare = town.pixels()

    def ring_at(at: QPoint) -> bool:
        """Whether something is drawn just left of a point, right of which cards lie."""
        beside = np.s_[at.y() - 12 : at.y() + 13, at.x() - 12 : at.x()]
        return bool((town.pixels()[beside] != bare[beside]).any())

    road, vertex = road_point(town, 11, 4, 0.4), town.place(graph_of(town).vertex(11))
    town.hover(road)
    await_change(town, bare)
    assert not ring_at(road)
    town.hover(vertex)
    town.qtbot.waitUntil(lambda: ring_at(vertex), timeout=20_000)
    town.hover(QPoint(2, 2))
    town.qtbot.waitUntil(lambda: np.array_equal(town.pixels(), bare), timeout=20_000)


def test_the_card_of_a_road_goes_when_the_picture_moves_under_the_pointer(town: Bench) -> None:
    town.hover(road_point(town, 2, 4, 0.5))
    town.qtbot.waitUntil(lambda: town.canvas.road.hovered is not None, timeout=20_000)
    town.canvas.view.pan(QPointF(300, 0))
    town.qtbot.waitUntil(lambda: town.canvas.road.hovered is None, timeout=20_000)


def test_a_road_without_a_name_has_no_card(bench: Bench) -> None:
    bench.open(street_grid(8, 5))
    bench.settle()
    bare = bench.pixels()
    one, other = bench.place(SMALL), bench.place(SMALL + 1)
    bench.hover(QPoint((one.x() + other.x()) // 2, one.y()))
    bench.qtbot.wait(150)
    assert np.array_equal(bench.pixels(), bare)
    bench.hover(one)
    await_change(bench, bare)
