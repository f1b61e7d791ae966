"""Runs of earlier in the window: table, charts and path, the graph that belongs to them, and what ends that."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gui.panels.results import StoredRunBar
from gui.window import MainWindow
from solvers.graphs import generators
from tests.gui.panels.runs_in_window import click, listed, run
from tests.gui.windows import PATIENCE_MS, SAMPLE, TINY, open_graph, wait_until_idle


def test_a_double_click_shows_table_charts_and_path_of_an_earlier_run(qtbot: QtBot, opened: MainWindow) -> None:
    session = opened.parts.session
    run_id = run(qtbot, opened)
    before = {r.variant.id: r for r in session.results}
    ends = session.source, session.target
    session.set_source(1)
    assert not session.results
    click(opened, run_id, double=True)
    qtbot.waitUntil(lambda: session.stored_run is not None, timeout=PATIENCE_MS)
    wait_until_idle(qtbot, opened)
    assert (session.source, session.target) == ends
    assert {r.variant.id: r.trials for r in session.results} == {i: r.trials for i, r in before.items()}
    selected = session.selected
    assert selected is not None
    assert selected.path is not None
    expected = before[selected.variant.id].path
    assert expected is not None
    assert selected.path.tolist() == expected.tolist()
    assert selected.distances is not None, "computed anew, and equal by their hash"
    assert len(opened.results_panel.model.rows) == 2
    bar = opened.findChild(StoredRunBar)
    assert bar.isVisible()
    assert bar.label.text().startswith("Stored run of ")


def test_a_new_run_replaces_the_stored_one(qtbot: QtBot, opened: MainWindow) -> None:
    run_id = run(qtbot, opened)
    opened.parts.kept_runs.open(run_id)
    qtbot.waitUntil(lambda: opened.parts.session.stored_run is not None, timeout=PATIENCE_MS)
    wait_until_idle(qtbot, opened)
    run(qtbot, opened, "dijkstra-heap")
    assert opened.parts.session.stored_run is None
    assert [r.variant.id for r in opened.parts.session.results] == ["dijkstra-heap"]
    assert not opened.findChild(StoredRunBar).isVisible()


def test_closing_a_stored_run_leaves_it_in_the_list(qtbot: QtBot, opened: MainWindow) -> None:
    run_id = run(qtbot, opened)
    opened.parts.kept_runs.open(run_id)
    qtbot.waitUntil(lambda: opened.parts.session.stored_run is not None, timeout=PATIENCE_MS)
    qtbot.mouseClick(opened.findChild(StoredRunBar).close_button, Qt.MouseButton.LeftButton)
    assert not opened.parts.session.results
    assert run_id in listed(opened)


def test_the_file_of_another_graph_is_offered_and_opened_with_the_run(qtbot: QtBot, opened: MainWindow) -> None:
    run_id = run(qtbot, opened)
    open_graph(qtbot, opened, SAMPLE)
    click(opened, run_id, double=True)
    notice = opened.notices.notice
    assert notice is not None
    assert "which is not open" in notice.text
    assert notice.action_text == f"Open {TINY.name} and the run"
    assert notice.action is not None
    notice.action()
    qtbot.waitUntil(lambda: opened.parts.session.stored_run is not None, timeout=PATIENCE_MS)
    assert opened.parts.session.graph_source.path == str(TINY.resolve())


def test_a_generated_graph_is_generated_again_with_the_run(qtbot: QtBot, opened: MainWindow) -> None:
    with qtbot.waitSignal(opened.parts.session.graph_changed, timeout=PATIENCE_MS):
        opened.parts.open.generate(generators.find("grid"), {"columns": 7, "rows": 5, "seed": 3})
    wait_until_idle(qtbot, opened)
    generated = opened.parts.session.graph
    assert generated is not None
    run_id = run(qtbot, opened, "dijkstra-heap")
    open_graph(qtbot, opened, TINY)
    click(opened, run_id, double=True)
    notice = opened.notices.notice
    assert notice is not None
    assert notice.action_text == f"Generate {generated.name} and open the run"
    assert notice.action is not None
    notice.action()
    qtbot.waitUntil(lambda: opened.parts.session.stored_run is not None, timeout=PATIENCE_MS)
    assert opened.parts.session.graph is not None
    assert opened.parts.session.graph.sha256 == generated.sha256


def test_a_graph_whose_file_has_changed_is_told(qtbot: QtBot, opened: MainWindow, tmp_path: Path) -> None:
    road = tmp_path / "road.gr"
    road.write_text("p sp 3 2\na 1 2 5\na 2 3 5\n")
    open_graph(qtbot, opened, road)
    run_id = run(qtbot, opened, "dijkstra-heap")
    open_graph(qtbot, opened, TINY)
    road.write_text("p sp 3 2\na 1 2 5\na 2 3 6\n")
    opened.parts.kept_runs.open(run_id)
    assert opened.notices.notice is not None
    assert opened.notices.notice.action is not None
    with qtbot.waitSignal(opened.parts.session.graph_changed, timeout=PATIENCE_MS):
        opened.notices.notice.action()
    qtbot.waitUntil(lambda: opened.notices.notice is not None, timeout=PATIENCE_MS)
    assert "road has changed since the run of" in opened.notices.notice.text
    assert opened.parts.session.stored_run is None
    road.unlink()
    open_graph(qtbot, opened, TINY)
    opened.parts.kept_runs.open(run_id)
    assert "is missing" in opened.notices.notice.text
    assert opened.notices.notice.action is None


def test_a_moved_target_keeps_what_is_known_of_a_stored_run(qtbot: QtBot, opened: MainWindow) -> None:
    run_id = run(qtbot, opened, "dijkstra-heap", "dijkstra-target", "fw-serial")
    opened.parts.kept_runs.open(run_id)
    qtbot.waitUntil(lambda: opened.parts.session.stored_run is not None, timeout=PATIENCE_MS)
    assert len(opened.parts.session.results) == 3
    opened.parts.session.set_target(1)
    assert [r.variant.id for r in opened.parts.session.results] == ["dijkstra-heap"], "its distances are known"
    assert opened.parts.session.results[0].path is not None
