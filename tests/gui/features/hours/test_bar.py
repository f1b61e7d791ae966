"""The bar of weights by hour in the real window: runs, kept runs, all sources, flows,
closed roads and sessions at the hour.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from gui.controllers.roads import RoadsController
from gui.features.all_sources import controller as all_sources_module
from gui.features.hours.bar import HoursBar
from gui.features.undo import history as history_module
from gui.window import MainWindow
from solvers.features.all_sources.reductions import REDUCTIONS
from solvers.features.all_sources.request import AllSourcesRequest
from solvers.features.all_sources.run import run_all_sources
from solvers.features.kept_runs.store.run_store import RunStore
from solvers.graphs.graph import Graph
from solvers.graphs.hours import Hour, _table_of
from solvers.graphs.readers import read_graph
from solvers.graphs.road_changes import RoadChanges
from solvers.graphs.weights import to_float
from tests import graphs
from tests.gui.windows import (
    TINY,
    comparison_of,
    open_graph,
    sessions,
    tick_only,
    trigger,
    undoing,
    wait_until_idle,
)
from tests.solvers.features.openstreetmap.town import write_osm

TABLE = "class,08:00,07:00\nothers,2,1.5\n"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    (tmp_path / "hours.csv").write_text(TABLE)
    return tmp_path / "hours.csv"


@pytest.fixture
def bar(
    qtbot: QtBot, window: MainWindow, table: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> HoursBar:
    """That of a small graph at the first hour of a table."""
    monkeypatch.setattr(history_module, "_MERGE_S", -1.0)
    monkeypatch.setattr(all_sources_module, "user_folder", lambda kind: tmp_path / kind)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(table), ""))
    open_graph(qtbot, window, TINY)
    tick_only(window, "dijkstra-heap")
    undoing(window).start_again()
    bar = window.features["hours"].controller()
    assert not bar.isVisible()
    trigger(qtbot, window, "hours")
    return bar


def at(hour: Path, time: str, changes: RoadChanges | None = None) -> Graph:
    """The graph that the command line solves."""
    changes = replace(changes or RoadChanges(), hour=Hour.of(hour, time))
    return changes.apply(read_graph(TINY).graph)


def later(qtbot: QtBot, window: MainWindow, bar: HoursBar) -> None:
    bar.slider.setFocus()
    QTest.keyClick(bar.slider, Qt.Key.Key_Right)
    wait_until_idle(qtbot, window)


def run(qtbot: QtBot, window: MainWindow) -> None:
    trigger(qtbot, window, "run")
    wait_until_idle(qtbot, window)


def test_a_run_is_of_the_hour_and_is_set_aside_at_another(
    qtbot: QtBot, window: MainWindow, bar: HoursBar, table: Path
) -> None:
    session, panel = window.parts.session, window.path_panel
    assert (bar.isVisible(), bar.words.text()) == (True, "07:00")
    run(qtbot, window)
    first = session.results.get("dijkstra-heap")
    early = at(table, "07:00")
    assert (first.graph.sha256, first.graph.name) == (early.sha256, "textbook at 07:00")
    right = graphs.right_distances(early, session.source)
    np.testing.assert_array_equal(to_float(first.distances), right)
    assert panel.heading.text().endswith(" at 07:00")
    assert ", at 07:00" in window.results_place.hero.remark.text()
    assert "at 07:00" in window.graph_chip.toolTip()
    later(qtbot, window, bar)
    assert session.graph.sha256 == at(table, "08:00").sha256
    assert not session.results.all
    assert panel.facts.text() == "Not solved at 08:00 yet. Press Run."
    trigger(qtbot, window, "undo")
    assert session.results.get("dijkstra-heap").trials == first.trials
    assert (bar.words.text(), bar.slider.value()) == ("07:00", 0)
    trigger(qtbot, window, "undo")
    assert (bar.isVisible(), session.graph) == (False, session.graph.as_read)
    trigger(qtbot, window, "redo")
    QTest.mouseClick(bar.close_button, Qt.MouseButton.LeftButton)
    wait_until_idle(qtbot, window)
    assert (bar.isVisible(), session.graph) == (False, session.graph.as_read)


def test_a_closed_road_is_compared_at_the_hour_and_its_run_comes_back(
    qtbot: QtBot, window: MainWindow, bar: HoursBar, table: Path
) -> None:
    session = window.parts.session
    session.want_roads(session.roads.close((3, 5)))
    wait_until_idle(qtbot, window)
    changed = at(table, "07:00", RoadChanges().close((3, 5)))
    assert session.graph.sha256 == changed.sha256
    comparison = comparison_of(window)
    lengths = comparison.before.length, comparison.after.length
    ends = at(table, "07:00"), changed
    right = [graphs.right_distances(one, session.source)[session.target] for one in ends]
    assert list(lengths) == right
    run(qtbot, window)
    (kept,) = RunStore().summaries()
    assert kept.run.graph.name == "textbook at 07:00 (1 road closed)"
    session.want_roads(RoadChanges(hour=session.roads.hour))
    wait_until_idle(qtbot, window)
    assert (comparison_of(window), session.graph.overlay.hour) == (None, "07:00")
    session.want_roads(RoadChanges())
    wait_until_idle(qtbot, window)
    window.controller_of("kept_runs").open(kept.run.run_id)
    wait_until_idle(qtbot, window)
    assert session.results.stored_run.run_id == kept.run.run_id
    assert (session.graph.sha256, bar.words.text()) == (changed.sha256, "07:00")


def test_a_network_of_the_hour_before_is_refused_by_the_verdict(
    qtbot: QtBot, window: MainWindow, bar: HoursBar, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted: the roads are closed in the network as it was at the last hour."""
    session = window.parts.session
    stale = session.graph
    assert stale.overlay.hour == "07:00"
    monkeypatch.setattr(RoadsController, "with_all_roads", lambda *_: stale)
    later(qtbot, window, bar)
    session.want_roads(session.roads.close((3, 5)))
    wait_until_idle(qtbot, window)
    run(qtbot, window)
    verdict = session.results.get("dijkstra-heap").verdict
    assert verdict.verified is False
    assert "by what was said (at 08:00, 1 road closed)" in verdict.text


def test_all_sources_and_flows_are_of_the_hour_and_told_old_at_another(
    qtbot: QtBot, window: MainWindow, bar: HoursBar, table: Path
) -> None:
    controller, canvas = window.controller_of("all_sources"), window.parts.canvas.canvas
    trigger(qtbot, window, "all-sources")
    panel = controller.ask()
    QTest.mouseClick(panel.start_button, Qt.MouseButton.LeftButton)
    wait_until_idle(qtbot, window)
    right = run_all_sources(AllSourcesRequest(at(table, "07:00"), REDUCTIONS[:2]))
    assert (controller.found.radius, controller.found.diameter) == (right.radius, right.diameter)
    assert panel.outcome.text().startswith("Of textbook at 07:00.")
    assert canvas.options.values is not None
    later(qtbot, window, bar)
    old = "The graph is now textbook at 08:00: Start computes its numbers."
    assert old in panel.outcome.text()
    assert canvas.options.values is None
    trigger(qtbot, window, "undo")
    assert old not in panel.outcome.text()
    assert canvas.options.values is not None
    panel.flows.box.setChecked(True)
    wait_until_idle(qtbot, window)
    QTest.mouseClick(panel.start_button, Qt.MouseButton.LeftButton)
    wait_until_idle(qtbot, window)
    first = canvas.options.flows
    assert first.flows.graph.overlay.hour == "07:00"
    later(qtbot, window, bar)
    assert canvas.options.flows.before is first.flows
    assert canvas.options.flows.flows.graph.overlay.hour == "08:00"


def test_a_session_has_its_hour_and_says_where_the_table_changed(
    qtbot: QtBot, window: MainWindow, bar: HoursBar, table: Path
) -> None:
    session, file = window.parts.session, table.with_name("a.tautpath")
    session.want_roads(session.roads.close((3, 5)))
    wait_until_idle(qtbot, window)
    sessions(window).save(file)
    assert json.loads(file.read_text())["hour"]["path"] == "hours.csv"
    closed = session.graph
    for text in (TABLE, TABLE + "path,1,1\n"):
        table.write_text(text)
        open_graph(qtbot, window, TINY)
        sessions(window).open(file)
        wait_until_idle(qtbot, window)
        assert len(session.applied_roads) == 1
        if text == TABLE:
            assert (session.graph.sha256, bar.words.text()) == (closed.sha256, "07:00")
            _table_of.cache_clear()
    assert session.graph.overlay.hour == ""
    assert "hours.csv: it has changed since" in window.notices.notice.text


def test_tables_are_refused_or_their_gaps_told_and_lengths_have_no_hour(
    qtbot: QtBot, window: MainWindow, bar: HoursBar, table: Path
) -> None:
    refused = {
        "class,08:00\nmotorway,2\n": "has no classes",
        "class,08:00\nothers,0\n": "it takes a number above 0",
        "class,08:00,8:00\nothers,2,3\n": "the hour 08:00 is there twice",
        "from,to,08:00\n3,5,50\n": "lengths of arcs",
    }
    for text, reason in refused.items():
        table.write_text(text)
        trigger(qtbot, window, "hours")
        assert reason in window.notices.notice.text
        assert bar.words.text() == window.parts.session.graph.overlay.hour == "07:00"

    session = window.parts.session
    table.write_text("class,08:00\nmotorway,2\n")
    open_graph(qtbot, window, write_osm(table.with_name("town.osm")))
    trigger(qtbot, window, "hours")
    assert "no factors for" in window.notices.notice.text
    assert session.graph.overlay.hour == "08:00"
    assert bar.said.text().endswith("no time-dependent search.")
    table.write_text("class,08:00,09:00\nresidential,2,1.5\n")
    trigger(qtbot, window, "hours")
    told = "“residential” is also for living_street, pedestrian, road, unclassified."
    assert bar.said.text().endswith(told)
    window.parts.weights.weigh_by("metres")
    wait_until_idle(qtbot, window)
    assert "which no hour changes" in window.notices.notice.text
    assert (session.graph.overlay.hour, bar.isVisible()) == ("", False)
