"""Export of path and distances through the menu: of a result, of the live answer, and
where there is none.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from gui.model.notice import Severity
from gui.window import MainWindow
from solvers import prepare
from tests.gui.windows import SAMPLE, TINY, open_graph, tick_only, trigger


@pytest.fixture
def solved(qtbot: QtBot, window: MainWindow) -> MainWindow:
    open_graph(qtbot, window, TINY)
    tick_only(window, "dijkstra-heap")
    assert not window.commands["export-path"].isEnabled()
    assert "run a variant" in window.commands["export-path"].toolTip().replace("\n", " ")
    trigger(qtbot, window, "run")
    return window


def test_a_live_path_is_zoomed_to_before_any_run(qtbot: QtBot, window: MainWindow) -> None:
    """The key P and the search refused it, while the panel had a button for it."""
    open_graph(qtbot, window, SAMPLE)
    assert not window.commands["zoom-path"].isEnabled()
    trigger(qtbot, window, "live")
    window.parts.session.set_target(100)
    qtbot.waitUntil(window.commands["zoom-path"].isEnabled, timeout=30_000)
    assert window.parts.canvas.view.fitted
    trigger(qtbot, window, "zoom-path")
    assert not window.parts.canvas.view.fitted


def choose(monkeypatch: pytest.MonkeyPatch, path: Path, kind: str = "") -> list[str]:
    """Answer the dialog of files; returns what it is asked: the proposed name and the kinds."""
    asked: list[str] = []

    def answer(_: object, __: str, proposal: str, kinds: str) -> tuple[str, str]:
        asked.extend((Path(proposal).name, kinds))
        return str(path), kind

    monkeypatch.setattr(QFileDialog, "getSaveFileName", answer)
    return asked


def test_path_and_distances_of_the_selected_result(solved, qtbot, monkeypatch, tmp_path) -> None:
    asked = choose(monkeypatch, tmp_path / "way.geojson")
    trigger(qtbot, solved, "export-path")
    assert asked[0] == "textbook-dijkstra-heap-path.geojson"
    assert "GPX" not in asked[1]  # plane coordinates
    found = json.loads((tmp_path / "way.geojson").read_text("utf-8"))
    graph, result = solved.parts.session.graph, solved.parts.session.results.selected
    places = [graph.coordinates.xy[vertex].tolist() for vertex in result.path]
    assert found["features"][0]["geometry"]["coordinates"] == places

    asked = choose(monkeypatch, tmp_path / "far", "CSV table (*.csv)")  # without an ending
    trigger(qtbot, solved, "export-distances")
    with (tmp_path / "far.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["distance"]) for row in rows] == result.distances.tolist()


def test_gpx_of_plane_coordinates_is_refused_with_a_remedy(
    solved, qtbot, monkeypatch, tmp_path
) -> None:
    choose(monkeypatch, tmp_path / "way.gpx")
    heard = []
    solved.parts.session.noticed.connect(heard.append)
    trigger(qtbot, solved, "export-path")
    assert [notice.severity for notice in heard] == [Severity.ERROR]
    assert "textbook has plane coordinates" in heard[0].text
    assert "Write GeoJSON (.geojson)" in heard[0].text
    assert not (tmp_path / "way.gpx").exists()


def test_the_live_answer_is_exported_while_it_is_shown(
    qtbot, window, monkeypatch, tmp_path
) -> None:
    open_graph(qtbot, window, SAMPLE)
    window.commands["live"].setChecked(True)
    qtbot.waitUntil(lambda: window.parts.session.unmeasured.answer is not None, timeout=60_000)
    answer = window.parts.session.unmeasured.answer
    assert window.commands["export-path"].isEnabled()
    asked = choose(monkeypatch, tmp_path / "way.csv")
    trigger(qtbot, window, "export-path")
    assert asked[0] == "harbour-live-path.geojson"
    with (tmp_path / "way.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["vertex"]) for row in rows] == window.parts.session.graph.ids[
        answer.path
    ].tolist()
    choose(monkeypatch, tmp_path / "far.csv")
    trigger(qtbot, window, "export-distances")
    assert len((tmp_path / "far.csv").read_text().splitlines()) == window.parts.session.graph.n + 1
    window.commands["live"].setChecked(False)


def test_the_isochrone_that_is_shown_is_written_as_the_library_does(
    solved, qtbot, monkeypatch, tmp_path
) -> None:
    session = solved.parts.session
    asked = choose(monkeypatch, tmp_path / "own.csv")
    heard = []
    session.noticed.connect(heard.append)
    trigger(qtbot, solved, "export-isochrone")
    assert "Turn the isochrone on first" in heard[-1].text
    assert not asked
    solved.controller_of("isochrone").restore((2.0, 7.0))
    trigger(qtbot, solved, "export-isochrone")
    assert asked[0].endswith("-isochrone.geojson")
    source = session.graph.vertex_id(session.source)
    found = prepare(session.graph).isochrone(source, [2, 7])
    found.save(tmp_path / "library.csv")
    assert (tmp_path / "own.csv").read_text() == (tmp_path / "library.csv").read_text()
    frames = solved.parts.canvas.graph_canvas.frames
    qtbot.waitUntil(lambda: len(frames.newest.isochrones) == 2, timeout=30_000)
    shown = [isochrone.length for isochrone in frames.newest.isochrones]
    assert shown == pytest.approx(found.lengths)


def test_the_network_is_written_as_graphml(solved, qtbot, monkeypatch, tmp_path) -> None:
    asked = choose(monkeypatch, tmp_path / "net", "GraphML (*.graphml)")
    trigger(qtbot, solved, "export-network")
    assert "Matrix Market (*.mtx)" in asked[1]
    assert "<graphml" in (tmp_path / "net.graphml").read_text("utf-8")
