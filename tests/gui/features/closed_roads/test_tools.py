"""The lasso, and the menus of roads."""

from __future__ import annotations

import re
from dataclasses import asdict
from functools import partial

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gui.features.closed_roads.tools import LassoTool
from tests.gui.canvas.bench import MIDDLE, TARGET, Bench
from tests.gui.canvas.conftest import area, plain_bench
from tests.gui.canvas.test_road_tools import (
    ALT,
    MIDDLE_BUTTON,
    NONE,
    SHIFT,
    SMALL,
    around,
    await_change,
    ends,
    escape,
    graph_of,
    hold,
    middle_of_road,
    release,
    road_point,
    scene_of,
    small,
    town,
)
from tests.gui.pictures import street_grid
from tests.gui.windows import popup

__all__ = ["area", "plain_bench", "small", "town"]  # fixtures


@pytest.fixture
def bench(plain_bench: Bench) -> Bench:
    plain_bench.area.add_tool(partial(LassoTool, plain_bench.session))
    return plain_bench


def test_a_lasso_closes_what_it_holds_and_moves_nothing(bench: Bench) -> None:
    bench.open(street_grid())
    bench.zoom_in()
    camera, before, ids = bench.camera, ends(bench), graph_of(bench).ids
    corners = around(middle_of_road(bench), 5)
    hold(bench, corners, SHIFT)
    release(bench, corners[-1])
    menu = popup()
    assert [action.text() for action in menu.actions()][:2] == ["1 road", "Close road"]
    menu.actions()[1].trigger()
    (road,) = bench.session.roads.roads
    assert {road.tail, road.head} == {int(ids[MIDDLE]), int(ids[MIDDLE + 1])}
    assert (bench.camera, ends(bench), bench.session.selected_vertex) == (camera, before, None)


def test_a_lasso_around_nothing_opens_no_menu(bench: Bench) -> None:
    bench.open(street_grid())
    corners = around(QPoint(12, 12), 6)
    hold(bench, corners, SHIFT)
    release(bench, corners[-1])
    assert QApplication.activePopupWidget() is None
    at = middle_of_road(bench)
    hold(bench, [at, at + QPoint(9, 0)], SHIFT)  # two corners hold nothing
    release(bench, at + QPoint(9, 0))
    assert QApplication.activePopupWidget() is None


def test_the_lasso_is_drawn_until_it_is_dropped(bench: Bench) -> None:
    bench.open(street_grid())
    bench.settle()
    before = bench.pixels()
    corners = around(bench.place(MIDDLE), 60)
    hold(bench, corners, SHIFT)
    drawn = bench.pixels() != before
    rows, columns = np.nonzero(drawn)
    left, top = corners[0].x(), corners[0].y()
    assert abs(rows.min() - top) <= 2
    assert abs(columns.min() - left) <= 2
    assert drawn[top + 20, left + 20], "its inside is tinted"
    release(bench, corners[-1])
    popup()
    assert np.array_equal(bench.pixels(), before)


def test_a_named_graph_takes_no_lasso_around_too_many_roads(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gui.features.closed_roads import tools
    from solvers.graphs.labelled import LabelledGraph

    grid = street_grid(20, 12)
    named = LabelledGraph(
        grid.indptr,
        grid.indices,
        grid.weights,
        coordinates=grid.coordinates,
        labels=tuple(f"v{i}" for i in range(grid.n)),
    )
    bench.open(named)
    monkeypatch.setattr(tools, "MOST_LABELLED", 3)
    told: list[str] = []
    bench.session.noticed.connect(lambda notice: told.append(notice.text))
    corners = around(bench.place(5 * 20 + 10), 120)
    hold(bench, corners, SHIFT)
    release(bench, corners[-1])
    assert QApplication.activePopupWidget() is None
    assert ["Zoom in and draw a smaller one." in text for text in told] == [True]


@pytest.mark.parametrize("modifiers", [SHIFT, SHIFT | ALT], ids=["shift", "shift and alt"])
def test_shift_on_a_marker_draws_a_lasso(small: Bench, modifiers: Qt.KeyboardModifier) -> None:
    before, places = ends(small), scene_of(small).positions
    corners = around(small.place(SMALL), 12)
    hold(small, [small.place(SMALL), *corners], modifiers)
    release(small, corners[-1])
    assert ends(small) == before
    assert scene_of(small).positions is places


@pytest.mark.parametrize("modifiers", [NONE, SHIFT], ids=["plain", "shift"])
def test_the_middle_button_pans_wherever_it_is_pressed(
    small: Bench, modifiers: Qt.KeyboardModifier
) -> None:
    before, places, camera = ends(small), scene_of(small).positions, small.camera
    start = small.place(SMALL)
    hold(small, [start, start + QPoint(30, 20)], modifiers, MIDDLE_BUTTON)
    release(small, start + QPoint(30, 20), MIDDLE_BUTTON)
    assert small.camera == camera.panned(30, 20)
    assert ends(small) == before
    assert scene_of(small).positions is places
    assert QApplication.activePopupWidget() is None


def test_escape_takes_back_the_lasso_then_the_waiting_then_the_selection(bench: Bench) -> None:
    bench.open(street_grid())
    before, camera = ends(bench), bench.camera
    bench.session.select_vertex(MIDDLE)
    bench.area.canvas.setFocus()
    corners = around(middle_of_road(bench), 8)
    hold(bench, corners, SHIFT)
    bench.arm("target")
    assert escape(bench)
    assert bench.armed == "target", "only the lasso"
    QTest.mouseMove(bench.canvas, corners[-1] + QPoint(40, 40))
    release(bench, corners[-1] + QPoint(40, 40))
    assert QApplication.activePopupWidget() is None
    assert bench.camera == camera, "the rest of the drag does nothing"
    assert escape(bench)
    assert bench.armed is None
    assert bench.session.selected_vertex == MIDDLE
    assert not escape(bench), "a command with this shortcut comes first"
    assert bench.session.selected_vertex is None
    assert ends(bench) == before
    bench.drag(QPoint(3, 3), QPoint(20, 10))
    assert asdict(bench.camera) == pytest.approx(asdict(camera.panned(20, 10))), (
        "the next drag pans again"
    )


def test_after_a_click_with_shift_escape_is_for_others(bench: Bench) -> None:
    """The press had begun a lasso, which stayed in hand: Esc took it back, and cancelled no run."""
    bench.open(street_grid())
    bench.click(bench.place(MIDDLE), SHIFT)
    assert bench.session.target == MIDDLE
    assert not escape(bench)


def test_the_menu_of_a_road_has_its_name(town: Bench) -> None:
    graph, menu = graph_of(town), town.context_menu(road_point(town, 2, 4, 0.5))
    texts = [action.text() for action in menu.actions()]
    name = graph.roads.name(graph.row(graph.vertex(2)).start)
    assert texts[texts.index(name) + 1 :][:1] == ["Close road"]
    assert texts.count("Close road") == 1


def test_a_drag_hides_the_card_of_a_road(town: Bench) -> None:
    bare = town.pixels()
    at = road_point(town, 2, 4, 0.5)
    town.hover(at)
    await_change(town, bare)
    hold(town, [at, at + QPoint(30, 0)], SHIFT)  # a lasso of two corners: a line, and no card
    rows, _ = np.nonzero(town.pixels() != bare)
    assert np.ptp(rows) <= 4
    release(town, at + QPoint(30, 0))
    assert np.array_equal(town.pixels(), bare)


def test_the_menu_of_a_vertex_has_those_of_its_roads(bench: Bench) -> None:
    bench.open(street_grid())
    texts = [action.text() for action in bench.context_menu(bench.place(MIDDLE)).actions()]
    roads = texts[texts.index("Fit") + 1 :]
    assert roads
    assert all(re.fullmatch(r"Road \d+–\d+", road) for road in roads)


def test_the_menu_of_a_vertex_on_the_path_has_the_stretch_to_the_selected_one(bench: Bench) -> None:
    bench.open(street_grid())
    path = [20 * 60 + column for column in range(10, 50)]
    bench.answer(path)
    bench.session.select_vertex(path[5])
    menu = bench.context_menu(bench.place(path[15]))
    assert any(
        action.text() == f"Path {path[5]} to {path[15]}: 10 roads" for action in menu.actions()
    )
    bench.session.select_vertex(TARGET)
    menu = bench.context_menu(bench.place(path[15]))
    assert not any(action.text().startswith("Path ") for action in menu.actions())
