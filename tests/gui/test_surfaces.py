"""One answer on every surface: in each state of the window, the path's panel, the table of
ways, the labels of arcs and vertices on the canvas, the legend of other ways, the captions of
picture and film, the headline, the cards of roads and vertices and the files tell the same
numbers, those of an independent program where the path is the shortest; so do the files of
charts, the legend of an isochrone, and the web page with its title.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from html import escape
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from gui.export.composition import PictureState
from gui.export.page import Page
from gui.export.picture import caption
from gui.features.closed_roads.panel import RoadsPanel
from gui.window import MainWindow
from solvers.features.page.document import PageContent, PageDrawing, page_html
from solvers.graphs.hours import Hour
from solvers.graphs.network import Ends, Place
from solvers.graphs.road_changes import RoadChanges
from solvers.picture.colours import LIGHT
from solvers.picture.display import Box, TextStyle, Words
from solvers.picture.overlay.cards import isochrone_words, key_rows
from solvers.picture.overlay.labels import labels_of
from solvers.picture.overlay.picture import overlay_marks
from solvers.picture.overlay.view import LabelStyles
from solvers.picture.scene.close_arcs import disc_radius
from solvers.picture.scene.content import road_rows, vertex_rows
from solvers.running.answers.answer import PathAnswer
from solvers.text import format_travel_time, grouped
from tests.graphs import right_distances
from tests.gui.pictures import camera_for, frame_of, view_of
from tests.gui.windows import (
    PATIENCE_MS,
    open_graph,
    run_only,
    tick_only,
    trigger,
    wait_until_idle,
)
from tests.solvers.features.openstreetmap.town import write_osm

SIDE, STEP = 6, 0.002
FRAME = Page(320, 240, 96)
SOURCE, TARGET = 1, SIDE * SIDE
HOURS = "class,09:00\nprimary,1.5\nresidential,1.1\nothers,1.2\n"
SLOWED = tuple((13 + k, 14 + k) for k in range(SIDE - 1))  # the fast street


@pytest.fixture
def town(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> MainWindow:
    """A town of equal blocks with one fast street, so that the fastest path is not the
    shortest, and with a corner that no road leads to.
    """
    places = {
        1 + row * SIDE + column: (9.5 + column * STEP, 47.1 + row * STEP * (1 + 0.1 * row))
        for row in range(SIDE)
        for column in range(SIDE)
    }
    places |= {100: (9.49, 47.09), 101: (9.491, 47.09)}
    slow, fast = {"highway": "residential"}, {"highway": "primary", "maxspeed": "70"}
    ways = {
        200: ([1 + SIDE * SIDE // 2 - SIDE + column for column in range(SIDE)], fast),
        500: ([100, 101], {"highway": "service", "name": "Alone"}),
    }
    for row in range(SIDE):
        if row != SIDE // 2 - 1:
            nodes = [1 + row * SIDE + column for column in range(SIDE)]
            ways[201 + row] = (nodes, slow | {"name": f"{row}. Street"})
        nodes = [1 + column * SIDE + row for column in range(SIDE)]
        ways[301 + row] = (nodes, slow | {"name": f"{row}. Avenue"})
    ways[200] = (ways[200][0], fast | {"name": "Fast Street"})
    open_graph(qtbot, window, write_osm(tmp_path / "blocks.osm", ways, places))
    tick_only(window, "dijkstra-heap")
    (tmp_path / "hours.csv").write_text(HOURS)
    graph = window.parts.session.uncut
    ends = [int(np.flatnonzero(graph.ids == node)[0]) for node in (SOURCE, TARGET)]
    window.parts.session.set_endpoints(*ends)
    return window


def plain(qtbot: QtBot, window: MainWindow, folder: Path) -> None:
    """As the file says."""


def at_an_hour(qtbot: QtBot, window: MainWindow, folder: Path) -> None:
    window.parts.session.want_roads(RoadChanges(hour=Hour.of(folder / "hours.csv", "09:00")))
    wait_until_idle(qtbot, window)


def slowed(qtbot: QtBot, window: MainWindow, folder: Path) -> None:
    window.parts.session.want_roads(window.parts.session.roads.slow(1.1, *SLOWED))
    wait_until_idle(qtbot, window)


def closed(qtbot: QtBot, window: MainWindow, folder: Path) -> None:
    window.parts.session.want_roads(window.parts.session.roads.close(*SLOWED[2:4]))
    wait_until_idle(qtbot, window)


def slowed_at_an_hour(qtbot: QtBot, window: MainWindow, folder: Path) -> None:
    at_an_hour(qtbot, window, folder)
    slowed(qtbot, window, folder)


def between_points(qtbot: QtBot, window: MainWindow, folder: Path) -> None:
    places = Place(47.1, 9.501), Place(47.1 + 5 * STEP * 1.5, 9.509)
    window.parts.session.want_ends(Ends(places[:1], places[1]))
    wait_until_idle(qtbot, window)


def between_points_at_an_hour(qtbot: QtBot, window: MainWindow, folder: Path) -> None:
    at_an_hour(qtbot, window, folder)
    between_points(qtbot, window, folder)


def solved(qtbot: QtBot, window: MainWindow) -> None:
    run_only(qtbot, window, "dijkstra-heap")


def live(qtbot: QtBot, window: MainWindow) -> None:
    window.commands["live"].trigger()
    _await_answer(qtbot, window)


def watched(qtbot: QtBot, window: MainWindow) -> None:
    """A watched run in the middle of its play-back."""
    solved(qtbot, window)
    trigger(qtbot, window, "trace")
    _go_to_the_middle(qtbot, window)


def lesson(qtbot: QtBot, window: MainWindow) -> None:
    """A run that was watched and never timed, in the middle of its play-back."""
    trigger(qtbot, window, "mode-teach")
    _go_to_the_middle(qtbot, window)


def _go_to_the_middle(qtbot: QtBot, window: MainWindow) -> None:
    wait_until_idle(qtbot, window)
    playback = window.parts.playback
    playback.seek(playback.length // 2)
    assert playback.length > 2


def within(qtbot: QtBot, window: MainWindow) -> None:
    """A run with an isochrone around its source."""
    solved(qtbot, window)
    trigger(qtbot, window, "isochrone")
    wait_until_idle(qtbot, window)


def way(name: str) -> Callable[[QtBot, MainWindow], None]:
    def choose(qtbot: QtBot, window: MainWindow) -> None:
        """Alternatives, with one of them chosen in the table."""
        window.commands["alternatives"].trigger()
        wait_until_idle(qtbot, window)  # a hierarchy that is ready later makes another answer
        state, table = window.parts.session.unmeasured, window.features["alternatives"].controller()
        qtbot.waitUntil(
            lambda: state.answer is not None and state.answer.has_alternatives,
            timeout=PATIENCE_MS,
        )
        rows = [table.item(row, 0).text() for row in range(table.rowCount())]
        assert len(rows) > 1
        assert name in rows
        table.setCurrentCell(rows.index(name), 0)

    return choose


def way_beside_a_run(qtbot: QtBot, window: MainWindow) -> None:
    """Another way than that of the selected run, whose length is another."""
    solved(qtbot, window)
    way("2")(qtbot, window)


def _await_answer(qtbot: QtBot, window: MainWindow) -> None:
    state = window.parts.session.unmeasured
    qtbot.waitUntil(lambda: state.answer is not None, timeout=PATIENCE_MS)


STATES = [
    pytest.param(plain, solved, id="a run"),
    pytest.param(slowed, solved, id="a run with slowed roads"),
    pytest.param(closed, solved, id="a run with closed roads"),
    pytest.param(between_points, solved, id="a run between points of roads"),
    pytest.param(plain, watched, id="a watched run"),
    pytest.param(slowed_at_an_hour, lesson, id="a lesson, never timed, at an hour"),
    pytest.param(slowed_at_an_hour, within, id="a run within a budget at an hour"),
    pytest.param(slowed_at_an_hour, live, id="live, slowed roads at an hour"),
    pytest.param(between_points_at_an_hour, live, id="live between points at an hour"),
    pytest.param(plain, way("2"), id="the second of several ways"),
    pytest.param(slowed_at_an_hour, way("shortest"), id="the shortest way at an hour"),
    pytest.param(between_points, way("2"), id="the second way between points"),
    pytest.param(slowed_at_an_hour, way_beside_a_run, id="the second way beside a run"),
]


@pytest.mark.parametrize(("change", "ask"), STATES)
def test_all_surfaces_tell_the_same_numbers(
    qtbot: QtBot,
    town: MainWindow,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[QtBot, MainWindow, Path], None],
    ask: Callable[[QtBot, MainWindow], None],
) -> None:
    change(qtbot, town, tmp_path)
    ask(qtbot, town)
    wait_until_idle(qtbot, town)
    session, files = town.parts.session, {}
    for kind in ("csv", "geojson", "gpx"):
        files[kind] = tmp_path / f"path.{kind}"
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, k=kind: (str(files[k]), ""))
        trigger(qtbot, town, "export-path")
        wait_until_idle(qtbot, town)
    with files["csv"].open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    rows = [row for row in rows if row.get("way") == rows[0].get("way")]
    seconds = float(rows[-1]["distance_s"])
    solved_, in_file = ([float(row[name]) for row in rows[1:]] for name in ("arc_s", "arc_s_file"))
    graph = session.graph

    assert sum(solved_) == pytest.approx(seconds), "the arcs of the table"
    assert (solved_ == in_file) == (change in (plain, closed, between_points))
    runs = (solved, watched, lesson, within)
    if ask in (*runs, live):
        right = right_distances(graph, session.source)[session.target] / 10
        assert seconds == pytest.approx(right), "an independent program"
    words = format_travel_time(seconds)
    assert town.path_panel.facts.text().startswith(f"time {words} · "), "the panel"
    heading = town.path_panel.heading.text()
    assert heading.endswith(" at 09:00") == (graph.overlay.hour != ""), "its heading"
    whole, *stretches = json.loads(files["geojson"].read_text("utf-8"))["features"]
    whole, first = whole["properties"], []
    for one in stretches:
        if one["properties"]["kind"] == "path":
            break
        first.append(one["properties"])
    assert (whole["distance_s"], whole["seconds"]) == pytest.approx((seconds, seconds)), "GeoJSON"
    assert sum(one["seconds"] for one in first) == pytest.approx(seconds), "its stretches"
    assert whole["seconds_file"] == pytest.approx(sum(in_file))
    changed = session.applied_roads
    state = f", {changed}" if len(changed) or changed.hour else ""
    state += "" if ask in (*runs, live) else f", way {rows[0]['way']}"
    state += f", {_budget_of(town)}" if ask is within else ""
    state += ", watched" if ask is lesson else ""
    state += "" if ask in runs and ask is not lesson else ", not measured"
    assert whole["state"] == f"{session.graph.as_read.name}{state}", "of which state it is"
    gpx = files["gpx"].read_text("utf-8")
    assert f"<desc>{words}, " in gpx, "GPX"
    table, answer = town.features["alternatives"].controller(), session.unmeasured.answer
    if ask not in (*runs, live):
        row = table.currentRow()
        assert [table.item(row, k).text() for k in (0, 1)] == [rows[0]["way"], words], "the table"
        lines = files["csv"].read_text("utf-8").splitlines()
        assert len({one["way"] for one in csv.DictReader(lines)}) == table.rowCount()
        assert answer.chosen == row
        _legend_agrees(town, row)
    elif ask in runs:
        result = session.results.selected
        _page_and_charts_agree(town, words)
        assert caption(graph, result).split("·")[1].strip().endswith(f": {words}"), "the caption"
        hero = town.results_place.hero
        said = "" if hero.isHidden() else hero.remark.text()
        is_told = graph.overlay.hour != "" and ask is not lesson  # of which nothing was timed
        assert said.endswith("at 09:00") == is_told, "the headline"
    _cards_agree(town, rows, solved_, in_file)
    _captions_agree(town, words)
    if len(changed) and graph.cut is None:
        after = format_travel_time(right_distances(graph, session.source)[session.target] / 10)
        assert f"; after: {after}. " in town.findChild(RoadsPanel).words.text(), "the roads' panel"
    _labels_agree(town, solved_)
    least = words if ask in (*runs, live) else table.item(0, 1).text()
    _vertex_cards_agree(town, least, is_known=ask not in (watched, lesson))


def _budget_of(window: MainWindow) -> str:
    """What the legend says of the isochrone."""
    content = window.parts.canvas.canvas.content
    isochrone = frame_of(content).isochrone
    return isochrone_words(isochrone, content.legend.unit)[0].lower()


def _page_and_charts_agree(window: MainWindow, words: str) -> None:
    """The files of charts and the page, in its table and below its title, say the answer."""
    session, result = window.parts.session, window.parts.session.results.selected
    said = f"{PathAnswer.of_result(result).ends_text}: {words}"
    charts = [chart.to_export() for chart in window.parts.charts.charts]
    told = [chart.subtitle for chart in charts if chart is not None]
    assert told
    assert all(words.endswith(f"; {said}") for words in told)
    content = PageContent(
        session.graph, [result], session.source, session.target, PageDrawing(None)
    )
    page = page_html(content)
    assert f"<td>{escape(words)}</td>" in page
    assert f"<title>{escape(session.graph.name)}" in page, "of which network it is"
    assert session.graph.overlay.hour in session.graph.name


def _captions_agree(window: MainWindow, words: str) -> None:
    """The picture that is exported says the answer, and so does each frame of its film."""
    picture = window.parts.canvas.picture_state()
    assert isinstance(picture, PictureState)
    assert f": {words}" in picture.words, "the caption"
    film = next((made for make in window.parts.export.animations if (made := make(picture))), None)
    composition = (film or picture).compose(FRAME)
    for position in range(0, (film or picture).length, 7):
        composition.move(position)
        content, said = composition._state.content, composition._words
        length = format_travel_time(float(content.activity.answer[content.target]) / 10)
        assert f": {length}" in said, "of that frame"
        assert film is not None or length == words


def _legend_agrees(window: MainWindow, chosen: int) -> None:
    """The legend says of the other ways what the table does."""
    table = window.features["alternatives"].controller()
    rows = [[table.item(row, k).text() for k in (0, 1)] for row in range(table.rowCount())]
    told = [row.words for row in key_rows(window.parts.canvas.canvas.content, LIGHT)]
    for row, texts in enumerate(rows):
        assert any(words.startswith(" · ".join(texts)) for words in told) == (row != chosen)


def _labels_agree(window: MainWindow, solved_: list[float]) -> None:
    """A close view writes the weight beside each arc of the path as it was solved, and at
    each vertex of a recorded run the distance so far, in the unit of the page.
    """
    content = window.parts.canvas.canvas.content
    camera = camera_for(content.scene, (2400, 1800))
    view, frame = view_of(content, camera), frame_of(content, camera=camera)
    written = [mark for mark in overlay_marks(view, frame) if isinstance(mark, Words)]
    styles = LabelStyles.of(disc_radius(content.scene, camera))
    labels, checked = labels_of(view, styles), 0
    places = {(arc.tail, arc.head): box for arc, box in labels.weights}

    def texts_in(box: Box, style: TextStyle) -> list[str]:
        at = ((one, Box(one.x, one.y, one.x, one.y)) for one in written)
        return [one.text for one, point in at if one.style == style and point.inside(box)]

    for tail, head, seconds in zip(content.path, content.path[1:], solved_, strict=False):
        box = places.get((tail, head)) or places.get((head, tail))
        if box is not None:
            assert texts_in(box, styles.weights) == [format_travel_time(seconds)]
            checked += 1
    assert checked >= len(solved_) - 3
    so_far = labels.values.get(content.target)
    if content.explanation is not None and content.explanation.at_end and so_far is not None:
        assert texts_in(so_far, styles.values)[-1] == grouped(sum(solved_), ".4g")
    assert content.explanation is None or so_far is not None or content.scene.graph.cut


def _vertex_cards_agree(window: MainWindow, words: str, *, is_known: bool) -> None:
    """The card of the target says its distance, and of a recorded run that so far."""
    canvas = window.parts.canvas.canvas
    card = dict(vertex_rows(canvas.content, canvas.result, canvas.content.target))
    assert card["travel time"] == words
    assert card.get("so far", words) == (words if is_known else "∞")


def _cards_agree(
    window: MainWindow, rows: list[dict[str, str]], solved_: list[float], in_file: list[float]
) -> None:
    """The card of each whole road on the path says both times of its arc."""
    content = window.parts.canvas.canvas.content
    graph = content.scene.graph.uncut
    at = graph.overlay.at_hour
    known = {str(vertex): index for index, vertex in enumerate(graph.ids.tolist())}
    checked = 0
    for before, row, now, then in zip(rows, rows[1:], solved_, in_file, strict=False):
        if before["vertex"] not in known or row["vertex"] not in known:
            continue  # a part of a road
        card = dict(road_rows(content, known[before["vertex"]], known[row["vertex"]]))
        texts = format_travel_time(now), format_travel_time(then)
        wanted = texts[0] if now == then else f"{texts[0]}{at} (file: {texts[1]})"
        assert card["time"] == wanted
        checked += 1
    assert checked >= len(rows) - 3


def test_an_unreachable_target_is_said_everywhere(
    qtbot: QtBot, town: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = town.parts.session
    session.set_endpoints(session.source, int(np.flatnonzero(session.uncut.ids == 100)[0]))
    run_only(qtbot, town, "dijkstra-heap")
    hero, result = town.results_place.hero, session.results.selected
    assert hero.headline.text().startswith("100 cannot be reached from 1. ")
    assert "There is no path from 1 to 100" in town.path_panel.facts.text()
    assert caption(session.graph, result).split("·")[1].strip() == "1 → 100: unreachable"
