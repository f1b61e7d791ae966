"""Ends on roads in the real window: set by clicks, menus, drags and text, kept with all
that follows from them.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from gui.features.all_sources import controller as all_sources_module
from gui.model.jobs import JobKind
from gui.window import MainWindow
from solvers.graphs.hours import Hour
from solvers.graphs.network import Place
from solvers.graphs.places import PlaceEnds, with_places
from solvers.graphs.readers import read_graph
from solvers.graphs.road_changes import RoadChanges
from solvers.picture.layout.arrangements import Arrangement
from solvers.picture.scene.paths import polyline
from solvers.running.answers.answer import PathAnswer
from tests.gui.dragging import begin, drag_for
from tests.gui.features.closed_roads.test_panel import context_menu, named
from tests.gui.windows import (
    TINY,
    open_graph,
    run_only,
    sessions,
    tick_only,
    trigger,
    type_into,
    undoing,
    wait_until_idle,
)
from tests.solvers.features.openstreetmap.town import write_osm

MAIN, LANE, BACK_LANE = (47.10001, 9.5024), (47.0992, 9.50118), (47.0988, 9.5034)


@pytest.fixture
def town(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> MainWindow:
    open_graph(qtbot, window, write_osm(tmp_path / "town.osm"))
    wait_for_picture(qtbot, window)
    tick_only(window, "dijkstra-heap")
    undoing(window).start_again()
    return window


def wait_for_picture(qtbot: QtBot, window: MainWindow) -> None:
    wait_until_idle(qtbot, window)
    qtbot.waitUntil(lambda: window.parts.canvas.canvas.frames.current, timeout=10_000)


def point(window: MainWindow, place: tuple[float, float]) -> QPoint:
    """Where a place is on the canvas."""
    canvas = window.parts.canvas.canvas
    xy = canvas.content.scene.projection.positions(np.array([place[::-1]]))[0]
    return QPoint(*(round(float(c)) for c in canvas.view.camera.to_screen(xy)))


def click(qtbot: QtBot, window: MainWindow, key: str, place: tuple[float, float]) -> None:
    canvas = window.parts.canvas.canvas
    qtbot.keyClicks(canvas, key)
    qtbot.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=point(window, place))
    wait_for_picture(qtbot, window)


def from_lane_to_main(qtbot: QtBot, window: MainWindow) -> None:
    click(qtbot, window, "s", LANE)
    click(qtbot, window, "t", MAIN)


def end_names(window: MainWindow) -> tuple[str, ...]:
    session = window.parts.session
    return tuple(session.graph.vertex_label(v) for v in (session.source, session.target))


def answer_names(window: MainWindow) -> tuple[str, ...]:
    answer = window.parts.session.unmeasured.answer
    if answer is None or answer.path is None:
        return ()
    return tuple(answer.graph.vertex_label(int(answer.path[k])) for k in (0, -1))


def test_clicks_on_roads_set_points_between_which_a_run_solves(
    qtbot: QtBot, town: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The path is drawn and exported from the point on."""
    session, said = town.parts.session, []
    session.noticed.connect(lambda notice: said.append(notice.text))
    network = session.uncut
    from_lane_to_main(qtbot, town)
    assert end_names(town)[0].startswith("Lane, ")
    assert end_names(town)[1].startswith("Main Street")
    assert any("on Lane between 2 and 11, " in text and text.endswith("m away.") for text in said)
    assert session.uncut is network
    assert session.graph.n == network.n + 2
    run_only(qtbot, town, "dijkstra-heap")
    result, ends = session.results.selected, session.ends
    places = [(e.latitude, e.longitude) for e in (ends.sources[0], ends.target)]
    cut, (source, target), _ = with_places(network, places)
    assert result.ok
    assert cut.vertex_id(source) == result.graph.vertex_id(result.source)
    # down the one-way lane and round the town, not back to the junction behind
    names = [result.graph.vertex_label(v) for v in result.path.tolist()]
    assert names[1:-1] == ["11", "4"]
    assert target == result.target
    facts = town.path_panel.facts.text()
    assert "not kept" in facts
    assert town.path_panel.heading.text() == " → ".join(end_names(town))
    assert not town.controller_of("kept_runs").runs.latest_id
    line = polyline(town.parts.canvas.canvas.content.scene, result.path)
    assert len(line) == 6  # with both bends
    assert town.endpoints.source.text() == ends.sources[0].text
    wait_for_picture(qtbot, town)
    image = town.parts.canvas.canvas.grab().toImage()
    colours = [
        image.pixelColor(point(town, place)).name()
        for place in ((47.0986, 9.50112), (47.0996, 9.50108))  # ahead of the source, and behind
    ]
    assert colours[0] != colours[1]

    file = tmp_path / "path.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: (str(file), ""))
    town.parts.answer_export.ask_path()
    wait_until_idle(qtbot, town)
    with file.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    places = [float(rows[k]["latitude"]) for k in (0, -1)]
    expected = [place[0] for place in (LANE, MAIN)]
    assert places == pytest.approx(expected, abs=1e-4)
    ids = [rows[k]["vertex"] for k in (0, -1)]
    shown = PathAnswer.of_result(town.parts.session.results.selected)
    assert " → ".join(ids) == shown.ends_text


def test_a_place_that_is_refused_leaves_the_ends_as_they_were(
    qtbot: QtBot, town: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the feature, far from roads, and while roads change."""
    session, before = town.parts.session, town.parts.session.ends
    with monkeypatch.context() as patched:
        patched.setattr("solvers.graphs.places.place_ends", PlaceEnds)
        session.set_source(Place(*LANE))
        wait_until_idle(qtbot, town)
    assert "takes no places on the map as ends" in town.notices.notice.text
    assert (session.ends, session.graph) == (before, session.uncut)

    said = []
    session.noticed.connect(lambda notice: said.append(notice.text))
    session.set_source(Place(48.0, 9.5))
    wait_until_idle(qtbot, town)
    assert session.ends == before
    assert "98,966 m from" in said[-1]
    assert town.endpoints.source.text() == "1"
    assert not undoing(town).history.canUndo()
    session.set_target(1)
    session.set_source(Place(48.0, 9.5))
    wait_until_idle(qtbot, town)
    trigger(qtbot, town, "undo")
    assert session.ends == before

    from_lane_to_main(qtbot, town)
    before = session.ends
    session.set_source(Place(48.0, 9.5))
    session.want_roads(session.roads.close((4, 11)))
    qtbot.waitUntil(lambda: len(session.applied_roads) == 1, timeout=10_000)
    assert len(session.sources) == 1
    wait_until_idle(qtbot, town)
    assert session.ends == before
    assert session.graph.n == session.uncut.n + 2
    trigger(qtbot, town, "undo")
    trigger(qtbot, town, "undo")
    trigger(qtbot, town, "undo")
    assert len(session.ends.places) == 1


def test_everything_follows_what_is_dragged(window: MainWindow, tmp_path: Path) -> None:
    """Fields, answer, markers and panel agree after each rest; ten minutes of it by
    ``python -m tests.gui.dragging``.
    """
    begin(window, write_osm(tmp_path / "town.osm"))
    report = drag_for(window, seed=5, seconds=0, least=6)
    assert len(report.steps) > 6
    assert report.faults == []


def test_a_click_near_a_junction_sets_it_and_menu_drag_and_text_set_points(
    qtbot: QtBot, town: MainWindow
) -> None:
    click(qtbot, town, "s", (47.1, 9.501))
    session = town.parts.session
    assert session.graph.vertex_id(session.source) == 2
    assert session.graph is session.uncut

    canvas = town.parts.canvas.canvas
    named(context_menu(town, point(town, LANE)), "Target here").trigger()
    wait_for_picture(qtbot, town)
    assert end_names(town)[1].startswith("Lane, ")
    tip = canvas.view.point_of(session.source).toPoint()
    qtbot.mousePress(canvas, Qt.MouseButton.LeftButton, pos=tip)
    for place in (LANE, BACK_LANE):
        qtbot.mouseMove(canvas, point(town, place))
    qtbot.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=point(town, BACK_LANE))
    wait_for_picture(qtbot, town)
    assert end_names(town)[0].startswith("Back Lane, ")
    type_into(qtbot, town.endpoints.target, "47.1001, 9.5024")
    wait_for_picture(qtbot, town)
    assert end_names(town)[1].startswith("Main Street")
    assert town.endpoints.target.text() == "47.10010, 9.50240"


def test_undo_and_redo_open_roads_and_other_weights_bring_points_and_results_back(
    qtbot: QtBot, town: MainWindow
) -> None:
    session = town.parts.session
    from_lane_to_main(qtbot, town)
    run_only(qtbot, town, "dijkstra-heap")
    ends, names = session.ends, end_names(town)
    trigger(qtbot, town, "swap")
    assert end_names(town) == names[::-1]
    assert session.ends.target == ends.sources[0]
    assert session.results.selected is None
    trigger(qtbot, town, "undo")
    assert session.ends == ends
    assert session.results.selected.ok
    trigger(qtbot, town, "undo")
    trigger(qtbot, town, "undo")
    assert session.graph is session.uncut
    assert session.source == 0
    for _ in range(2):
        trigger(qtbot, town, "redo")
    assert end_names(town) == names
    assert session.results.selected.ok

    session.want_roads(session.roads.close((2, 11)))
    wait_for_picture(qtbot, town)
    assert not end_names(town)[0].startswith("Lane")
    assert session.ends == ends
    run_only(qtbot, town, "dijkstra-heap")
    assert session.results.selected.ok
    trigger(qtbot, town, "undo")
    wait_for_picture(qtbot, town)
    assert end_names(town)[0].startswith("Lane")
    assert session.ends == ends

    town.parts.weights.weigh_by("metres")
    wait_for_picture(qtbot, town)
    assert end_names(town) == names
    run_only(qtbot, town, "dijkstra-heap")
    assert town.parts.session.results.selected.ok


def test_a_session_keeps_points(
    qtbot: QtBot, town: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = town.parts.session
    from_lane_to_main(qtbot, town)
    ends, names, file = session.ends, end_names(town), tmp_path / "kept.tautpath"
    sessions(town).save(file)
    trigger(qtbot, town, "swap")
    sessions(town).open(file)
    wait_for_picture(qtbot, town)
    assert session.ends == ends
    assert end_names(town) == names
    open_graph(qtbot, town, tmp_path / "town.osm")
    assert not session.ends.places
    assert session.graph is session.uncut
    give_back = sessions(town).remember()
    sessions(town).open(file)
    wait_for_picture(qtbot, town)
    assert end_names(town) == names
    give_back()
    wait_for_picture(qtbot, town)
    assert not session.ends.places


def test_live_mode_answers_from_points_at_every_hour(
    qtbot: QtBot, town: MainWindow, tmp_path: Path
) -> None:
    session = town.parts.session
    from_lane_to_main(qtbot, town)
    trigger(qtbot, town, "live")
    qtbot.waitUntil(lambda: session.unmeasured.answer is not None, timeout=60_000)
    assert answer_names(town) == end_names(town)
    click(qtbot, town, "t", BACK_LANE)
    qtbot.waitUntil(lambda: answer_names(town) == end_names(town), timeout=20_000)
    assert end_names(town)[1].startswith("Back Lane")
    trigger(qtbot, town, "live")
    click(qtbot, town, "s", (47.1, 9.501))
    trigger(qtbot, town, "undo")
    assert end_names(town)[0].startswith("Lane")

    file = tmp_path / "hours.csv"
    file.write_text("class,08:00\nothers,2\n")
    from_lane_to_main(qtbot, town)
    trigger(qtbot, town, "live")
    qtbot.waitUntil(lambda: answer_names(town) == end_names(town), timeout=60_000)
    before = session.unmeasured.answer
    session.want_roads(RoadChanges(hour=Hour.of(file, "08:00")))
    qtbot.waitUntil(
        lambda: (
            session.unmeasured.answer and session.unmeasured.answer.way.length > before.way.length
        ),
        timeout=30_000,
    )
    assert session.unmeasured.answer.way.length == pytest.approx(2 * before.way.length, abs=4)
    assert answer_names(town) == end_names(town)


def test_a_marker_in_hand_follows_the_road_in_live_mode(qtbot: QtBot, town: MainWindow) -> None:
    session, canvas = town.parts.session, town.parts.canvas.canvas

    def begins_on(road: str) -> bool:
        return "".join(answer_names(town)).startswith(road)

    session.set_target(session.uncut.vertex(4))
    trigger(qtbot, town, "live")
    qtbot.waitUntil(lambda: begins_on("1"), timeout=60_000)
    tip = canvas.view.point_of(session.source).toPoint()
    qtbot.mousePress(canvas, Qt.MouseButton.LeftButton, pos=tip)
    qtbot.mouseMove(canvas, point(town, (47.09999, 9.5005)))
    qtbot.mouseMove(canvas, point(town, LANE))
    qtbot.waitUntil(lambda: begins_on("Lane"), timeout=60_000)
    shown = canvas.content.scene
    first = shown.projection.place(*shown.positions[canvas.content.path[0]])
    assert first == pytest.approx(LANE, abs=1e-4)
    assert session.graph is session.uncut
    qtbot.mouseMove(canvas, point(town, BACK_LANE))
    qtbot.waitUntil(lambda: begins_on("Back Lane"), timeout=60_000)
    qtbot.waitUntil(lambda: town.path_panel.heading.text().startswith("Back Lane"))
    qtbot.keyClick(canvas, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: begins_on("1"), timeout=60_000)
    qtbot.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=point(town, BACK_LANE))
    assert not session.ends.places
    qtbot.mousePress(canvas, Qt.MouseButton.LeftButton, pos=tip)
    qtbot.mouseMove(canvas, point(town, LANE))
    qtbot.mouseMove(canvas, point(town, BACK_LANE))
    qtbot.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=point(town, BACK_LANE))
    wait_for_picture(qtbot, town)
    assert end_names(town)[0].startswith("Back Lane")
    qtbot.waitUntil(lambda: begins_on("Back Lane"), timeout=60_000)


def test_another_graph_may_be_opened_while_roads_are_cut(qtbot: QtBot, town: MainWindow) -> None:
    session, said = town.parts.session, []
    trigger(qtbot, town, "live")
    session.set_source(Place(*LANE))
    session.set_target(Place(*MAIN))
    session.want_roads(session.roads.close((2, 11)))
    open_graph(qtbot, town, TINY)
    session.noticed.connect(lambda notice: said.append(notice.text))
    wait_for_picture(qtbot, town)
    assert session.graph is session.uncut
    assert (session.source, session.target) == (0, session.graph.n - 1)
    trigger(qtbot, town, "undo")
    assert not session.ends.places
    assert not said


def test_several_sources_may_be_points(qtbot: QtBot, town: MainWindow) -> None:
    session = town.parts.session
    from_lane_to_main(qtbot, town)
    named(context_menu(town, point(town, BACK_LANE)), "Add a source here").trigger()
    wait_for_picture(qtbot, town)
    qtbot.waitUntil(lambda: "".join(answer_names(town)).startswith("Back Lane"), timeout=60_000)
    assert len(town.parts.canvas.canvas.content.more_sources) == 1
    session.remove_source(session.sources[0])
    wait_for_picture(qtbot, town)
    assert end_names(town)[0].startswith("Back Lane")
    assert session.graph.n == session.uncut.n + 2


def test_a_source_at_the_end_of_a_road_can_be_removed_and_layouts_take_the_junction(
    qtbot: QtBot, town: MainWindow
) -> None:
    session = town.parts.session
    session.set_source(Place(47.1, 9.4995))
    session.add_source(0)
    session.add_source(3)
    wait_until_idle(qtbot, town)
    assert len(session.ends.sources) == 2
    assert session.sources == (0, 3)
    qtbot.mouseClick(town.sources_bar.chips[0], Qt.MouseButton.LeftButton)
    wait_until_idle(qtbot, town)
    assert session.ends.sources == session.sources == (3,)

    scenes, said = town.parts.canvas.scenes, []
    town.parts.session.noticed.connect(lambda notice: said.append(notice.text))
    town.parts.session.set_target(Place(*MAIN))
    wait_until_idle(qtbot, town)
    run_only(qtbot, town, "dijkstra-heap")
    said.clear()
    for arrangement in (Arrangement.LAYERED, Arrangement.RINGS):
        scenes.arrange(arrangement)
        wait_for_picture(qtbot, town)
        assert (scenes.arrangement, said) == (arrangement, [])


def test_all_sources_and_the_exported_network_are_uncut(
    qtbot: QtBot, town: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(all_sources_module, "user_folder", lambda kind: tmp_path / kind)
    session, controller = town.parts.session, town.controller_of("all_sources")
    from_lane_to_main(qtbot, town)
    trigger(qtbot, town, "all-sources")
    panel = controller.ask()
    wait_until_idle(qtbot, town)
    panel.start_button.click()
    assert town.parts.jobs.running(JobKind.ALL_SOURCES)
    session.network_changed.emit()  # as when roads are cut at other ends meanwhile
    wait_until_idle(qtbot, town)
    assert controller.found.graph is session.uncut
    assert "The graph is now" not in panel.outcome.text()
    wait_for_picture(qtbot, town)
    assert town.parts.canvas.canvas.content.values is town.parts.canvas.options.values is not None
    town.parts.export.network(tmp_path / "network.gr")
    wait_until_idle(qtbot, town)
    assert read_graph(tmp_path / "network.gr").graph.n == session.uncut.n
