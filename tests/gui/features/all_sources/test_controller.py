"""All sources: the panel, the job that is paused and resumed, the map, the
histogram and the words.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from gui.charts.board import ChartBoard
from gui.export.animation import AnimationOptions, export_animation
from gui.export.page import Page
from gui.features.all_sources import controller as all_sources_module
from gui.features.all_sources import flow_pictures
from gui.features.all_sources.panel import AllSourcesPanel
from gui.model.jobs import JobKind
from gui.model.notice import Notice
from gui.panels.play_state import Button
from gui.style.widgets import EmptyState
from gui.window import MainWindow
from solvers import all_sources
from solvers.algorithms.hierarchy.batched_sweep import HierarchyRows
from solvers.errors import Cancelled, NoWorkers, SchedulerUnreachable
from solvers.features.all_sources.maps import reduction_map
from solvers.features.all_sources.on_cluster import run as on_cluster
from solvers.features.all_sources.reductions import REDUCTIONS
from solvers.features.all_sources.run import run_all_sources
from solvers.features.all_sources.state_file import StateFile
from solvers.graphs.graph import Graph
from solvers.picture.scene.content import road_rows, vertex_rows
from solvers.picture.scene.ramps import Ramp
from solvers.running.row_engines import DeviceRows
from tests import graphs
from tests.curved import ATTRIBUTION, curved_town
from tests.gui.features.clusters.made_cluster import MadeUpCluster
from tests.gui.windows import PATIENCE_MS, cut_parts, run_only, trigger, wait_until_idle

pytestmark = pytest.mark.openmp


def bar_words(board: ChartBoard, place: float) -> str:
    """What the histogram says at a place of its axis."""
    chart = board.histogram
    assert chart.kind.words_at is not None
    return chart.kind.words_at(chart.session, chart.choices, place)


@pytest.fixture(autouse=True)
def no_states_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Finished sources are kept in a folder of the test's own."""
    monkeypatch.setattr(all_sources_module, "user_folder", lambda kind: tmp_path / kind)
    return tmp_path / "all-sources"


@pytest.fixture
def graph() -> Graph:
    return graphs.at_random(120, 260, seed=6, directed=False)


@pytest.fixture
def panel(window: MainWindow, qtbot: QtBot, graph: Graph) -> AllSourcesPanel:
    """The panel of the open graph, with an estimate."""
    window.parts.session.open_graph(graph)
    wait_until_idle(qtbot, window)
    window.commands["all-sources"].trigger()
    found = window.controller_of("all_sources").ask()
    wait_until_idle(qtbot, window)
    return found


def _cancelled(*_: object) -> None:
    raise Cancelled


def _words_of(part: QWidget) -> tuple[str, ...]:
    return part.toolTip(), part.accessibleName(), getattr(part, "text", str)()


def export(
    button: QPushButton,
    path: Path,
    monkeypatch: pytest.MonkeyPatch,
    meanwhile: Callable[[], object] = lambda: None,
) -> None:
    """Press a button that asks for a file, and choose one, after something that happens
    meanwhile.
    """
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda *_: (meanwhile(), (str(path), ""))[1]
    )
    button.click()


def test_map_histogram_and_words(
    window: MainWindow,
    qtbot: QtBot,
    graph: Graph,
    panel: AllSourcesPanel,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert panel.estimate.text().startswith("about")
    ends = panel.estimate.text().removeprefix("about ").partition(" (")[0].split(" to ")
    assert len(set(ends)) == len(ends) == 1 + (ends[0] != "1 s"), "a range, if it is one"
    assert panel.budget_box.value() > 0, "a budget of nothing is none"
    panel.start_button.click()
    wait_until_idle(qtbot, window)
    right = graphs.right_matrix(graph)
    far = np.where(np.isfinite(right), right, 0).max(axis=1)
    canvas = window.parts.canvas.canvas
    qtbot.waitUntil(
        lambda: canvas.frames.current and canvas.frames.newest.legend is not None,
        timeout=PATIENCE_MS,
    )
    assert canvas.frames.newest.legend.quantity == "Eccentricity"
    legend = canvas.frames.newest.legend
    assert far.min() == 0 < legend.low, "a vertex without roads leaves the ramp to the others"
    assert (legend.low, legend.high) == pytest.approx(np.quantile(far, (0.02, 0.98)))
    assert int(canvas.content.values.shade[far.argmax()]) == 255
    assert ("Eccentricity", f"{int(far[7])}") in vertex_rows(canvas.content, None, 7)
    board = window.parts.charts
    chart = board.histogram
    assert board.values.counts.sum() == graph.n
    assert window.parts.charts.current is chart
    assert bar_words(board, far.min()).startswith(f"{far.min():.0f} to ")
    assert bar_words(board, -1.0) == ""
    assert panel.estimate.text().startswith("took")
    assert f"Radius {far[far > 0].min():.0f}</b>" in panel.outcome.text(), (
        "not of a vertex without roads"
    )
    panel.outcome.linkActivated.emit(str(int(far.argmin())))
    assert window.parts.session.selected_vertex == far.argmin()
    panel.outcome.linkActivated.emit("ends")
    assert right[window.parts.session.source, window.parts.session.target] == far.max()

    export(panel.export_button, tmp_path / "out.csv", monkeypatch)
    wait_until_idle(qtbot, window)
    with (tmp_path / "out.csv").open(newline="") as file:
        assert [float(row["eccentricity"]) for row in csv.DictReader(file)] == far.tolist()

    action = window.commands["all-sources-map"]
    assert action.isChecked()
    panel.shown_box.setCurrentIndex(panel.shown_box.findText("closeness"))
    wait_until_idle(qtbot, window)
    action.trigger()
    assert panel.shown_box.currentText() == "nothing"
    assert canvas.content.values is None
    action.trigger()
    wait_until_idle(qtbot, window)
    assert board.values.title == "Closeness"
    panel.shown_box.setCurrentIndex(panel.shown_box.findText("nothing"))
    assert not action.isChecked()
    assert canvas.content.values is None
    assert board.values is None
    assert chart not in window.parts.charts._inside


def test_map_isochrone_and_another_graph_end_each_other(
    window: MainWindow, panel: AllSourcesPanel, qtbot: QtBot, graph: Graph
) -> None:
    """A command without a map showed nothing, and an isochrone over a map changed nothing."""
    window.commands["all-sources-map"].trigger()
    assert window.notices.notice is not None
    assert window.notices.notice.text.startswith("There is no all-sources map yet.")
    assert not window.commands["all-sources-map"].isChecked()

    panel.reach_box.setChecked(True)
    panel.budget_box.setValue(9)
    panel.start_button.click()
    wait_until_idle(qtbot, window)
    np.testing.assert_array_equal(
        window.controller_of("all_sources").found.values("reach"),
        (graphs.right_matrix(graph) <= 9).sum(axis=1),
    )
    assert window.parts.charts.values.title == "Reach within 9"
    assert panel.shown_box.currentText() == "reach"

    run_only(qtbot, window, "dijkstra-heap")
    isochrone, shown_map = window.commands["isochrone"], window.commands["all-sources-map"]
    assert shown_map.isChecked()
    isochrone.trigger()
    assert (isochrone.isChecked(), shown_map.isChecked()) == (True, False)
    canvas = window.parts.canvas.canvas
    qtbot.waitUntil(
        lambda: canvas.frames.current and canvas.frames.newest.isochrone is not None,
        timeout=PATIENCE_MS,
    )
    shown_map.trigger()
    wait_until_idle(qtbot, window)
    assert (isochrone.isChecked(), shown_map.isChecked()) == (False, True)
    assert canvas.content.values is not None

    window.parts.session.open_graph(graphs.at_random(20, 40, seed=1))
    wait_until_idle(qtbot, window)
    assert window.controller_of("all_sources").found is None
    assert window.parts.charts.values is None
    other = window.controller_of("all_sources").ask()
    assert other is not panel
    assert (other.outcome.text(), other.shown_box.isEnabled()) == ("", False)
    qtbot.waitUntil(lambda: window.parts.canvas.canvas.content is not None, timeout=PATIENCE_MS)
    assert window.parts.canvas.canvas.content.values is None


@pytest.fixture
def town(window: MainWindow, qtbot: QtBot) -> AllSourcesPanel:
    """The panel of a road network, with exact betweenness computed."""
    window.resize(1200, 900)
    window.show()
    window.parts.session.open_graph(curved_town())
    wait_until_idle(qtbot, window)
    window.commands["all-sources"].trigger()
    panel = window.controller_of("all_sources").ask()
    panel.flows.box.click()
    panel.start_button.click()
    wait_until_idle(qtbot, window)
    return panel


def test_flows_of_roads_are_drawn_listed_and_exported(
    window: MainWindow,
    qtbot: QtBot,
    town: AllSourcesPanel,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    canvas, board = window.parts.canvas.canvas, window.parts.charts
    qtbot.waitUntil(lambda: canvas.frames.current, timeout=PATIENCE_MS)
    assert canvas.frames.newest.legend.ramp is Ramp.FLOWS
    assert (board.values.title, board.values.counts.sum()) == (
        "Share of paths",
        4,
    )
    assert bar_words(board, np.log10(0.5)).endswith("2 roads")
    with_flows = canvas.grab().toImage()
    at = canvas.view.camera.to_screen(np.mean(canvas.content.scene.positions[[0, 1]], axis=0))
    QTest.mouseMove(canvas, QPoint(*(round(float(x)) for x in at)))
    qtbot.waitUntil(lambda: canvas.road.hovered is not None, timeout=PATIENCE_MS)
    assert ("share", "50 %") in road_rows(canvas.content, *canvas.road.hovered)
    assert canvas.grab().toImage() != with_flows

    assert "Main Street" in town.greatest.text()
    town.greatest.linkActivated.emit("road:0")
    assert window.parts.session.selected_vertex == 0
    canvas.view.fit()

    for kind in ("csv", "geojson"):
        export(town.flows_button, tmp_path / f"flows.{kind}", monkeypatch)
        wait_until_idle(qtbot, window)
    with (tmp_path / "flows.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert sum(float(row["flow"]) for row in rows) == canvas.options.flows.flows.arcs.sum()
    assert {row["attribution"] for row in rows} == {ATTRIBUTION}
    assert '"coordinates": [[' in (tmp_path / "flows.geojson").read_text()

    town.shown_box.setCurrentIndex(town.shown_box.findText("betweenness"))
    wait_until_idle(qtbot, window)
    assert canvas.options.flows is None
    assert ("betweenness", "4") in vertex_rows(canvas.content, None, 1)
    assert not town.greatest.isVisible()
    export(town.export_button, tmp_path / "vertices.csv", monkeypatch)
    wait_until_idle(qtbot, window)
    with (tmp_path / "vertices.csv").open(newline="") as file:
        assert [float(row["betweenness"]) for row in csv.DictReader(file)] == [0, 4, 4, 0]
    town.shown_box.setCurrentIndex(town.shown_box.findText("nothing"))
    assert canvas.content.values is None
    opens = lambda: window.parts.session.open_graph(graphs.at_random(4, 6, seed=1))  # noqa: E731
    export(town.flows_button, tmp_path / "late.csv", monkeypatch, opens)
    wait_until_idle(qtbot, window)
    assert (tmp_path / "late.csv").read_text() == (tmp_path / "flows.csv").read_text()


def test_live_mode_shows_flows_and_numbers_below_its_path(
    window: MainWindow, qtbot: QtBot, town: AllSourcesPanel, type_of: Callable[[int], None]
) -> None:
    """It went on with its distances, while the panel said what the picture shows."""
    canvas, live = window.parts.canvas.canvas, window.parts.session.unmeasured
    window.commands["live"].trigger()
    qtbot.waitUntil(lambda: live.answer is not None and canvas.frames.current, timeout=PATIENCE_MS)
    assert (canvas.content.legend.ramp, canvas.content.path) == (Ramp.FLOWS, live.answer.path)
    assert window.play_bar.isVisible()
    shown = [button for button in town.findChildren(QPushButton) if button.isVisible()]
    assert all(button.width() >= button.sizeHint().width() for button in shown)
    town.shown_box.setCurrentIndex(town.shown_box.findText("eccentricity"))
    wait_until_idle(qtbot, window)
    assert canvas.content.values is canvas.options.values is not None
    window.commands["isochrone"].trigger()
    assert canvas.content.values is None

    type_of(150)
    window.resize(1280, 720)
    town.place.choice.setCurrentText("a cluster")
    wait_until_idle(qtbot, window)
    # the layout follows the last text at the next event
    qtbot.waitUntil(lambda: cut_parts(town) == [], timeout=PATIENCE_MS)
    assert town.rect().contains(town.start_button.geometry())


def test_the_play_bar_and_a_film_add_source_after_source(
    window: MainWindow,
    qtbot: QtBot,
    town: AllSourcesPanel,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    bar, options, playback = window.play_bar, window.parts.canvas.options, window.parts.playback
    whole = options.flows
    assert (bar.where.text(), bar.facts.text()) == ("source 4 of 4", "step 4 of 4")
    assert bar.watched.isHidden()
    assert bar.speed_box.text().endswith(" steps/s")
    said = [
        words for part in bar.findChildren(QWidget) if part.isVisible() for words in _words_of(part)
    ]
    assert not [words for words in said if "iteration" in words.lower()]
    bar.buttons[Button.FIRST].click()
    wait_until_idle(qtbot, window)
    assert options.flows.flows.paths == 3, "from one source to three"
    assert options.flows.legend == whole.legend
    asked = []
    monkeypatch.setattr(window.parts.export, "ask_animation_of", lambda *of: asked.append(of))
    window.commands["export-animation"].trigger()
    assert asked[0][0].shown is whole
    bar.buttons[Button.FORWARD].click()
    assert options.flows.flows.paths == 6
    QTest.keyClick(bar.scrubber, Qt.Key.Key_End)
    assert options.flows is whole
    bar.buttons[Button.PLAY].click()
    window.parts.session.want_roads(window.parts.session.roads.close((20, 30)))
    wait_until_idle(qtbot, window)
    assert options.flows.is_difference
    assert playback.length == 0
    trigger(qtbot, window, "undo")
    assert (options.flows, playback.length) == (whole, 4)
    town.shown_box.setCurrentIndex(town.shown_box.findText("nothing"))
    assert playback.length == 0

    town.shown_box.setCurrentIndex(town.shown_box.findText("flows of roads"))
    wait_until_idle(qtbot, window)
    asked.clear()
    town.animation_button.click()
    ((animation, noun),) = asked
    assert (animation.length, noun) == (4, "step")
    assert animation.shown is window.parts.canvas.canvas.options.flows
    options = AnimationOptions(0, 3, rate=5.0)
    written = export_animation(
        tmp_path / "flows.gif", animation, Page(300, 200, 96, margin=True), options
    )
    with Image.open(written) as image:
        assert image.n_frames == 4
    window.parts.session.want_roads(window.parts.session.roads.close((20, 30)))
    wait_until_idle(qtbot, window)
    town.animation_button.click()
    assert asked[1][0].shown.flows is window.parts.canvas.canvas.options.flows.flows
    town.shown_box.setCurrentIndex(town.shown_box.findText("nothing"))
    assert town.animation_button.isHidden()


def test_a_closed_road_shows_what_gains_and_loses_until_it_is_undone(
    window: MainWindow,
    qtbot: QtBot,
    town: AllSourcesPanel,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    canvas, session = window.parts.canvas.canvas, window.parts.session
    before = canvas.options.flows
    session.want_roads(session.roads.slow(5.0, (20, 30)))
    wait_until_idle(qtbot, window)
    after = canvas.options.flows
    assert after.before is before.flows
    qtbot.waitUntil(lambda: canvas.frames.current, timeout=PATIENCE_MS)
    assert canvas.frames.newest.legend.ramp is Ramp.FLOW_CHANGES
    assert window.parts.charts.values.ramp is Ramp.FLOW_CHANGES
    for kind in ("", ".geojson"):
        export(town.flows_button, tmp_path / f"changes{kind}", monkeypatch)
        wait_until_idle(qtbot, window)
    with (tmp_path / "changes.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["before"]) for row in rows] == before.flows.arcs.tolist()
    assert [float(row["after"]) for row in rows] == after.flows.arcs.tolist()
    assert all(float(row["change"]) == float(row["after"]) - float(row["before"]) for row in rows)
    assert {row["attribution"] for row in rows} == {ATTRIBUTION}
    assert "Hill Road" in {row["road"] for row in rows}
    assert rows[0]["wkt"].startswith("LINESTRING")
    features = json.loads((tmp_path / "changes.geojson").read_text())["features"]
    assert {feature["properties"]["road"] for feature in features} == {
        row["road"] for row in rows if float(row["change"])
    }
    trigger(qtbot, window, "undo")
    assert canvas.options.flows is before
    trigger(qtbot, window, "redo")
    assert canvas.options.flows is after
    notices: list[Notice] = []
    session.noticed.connect(notices.append)
    with monkeypatch.context() as patched:
        patched.setattr(flow_pictures, "run_all_sources", _cancelled)
        session.want_roads(session.roads.close((20, 30)))
        wait_until_idle(qtbot, window)
    assert canvas.options.flows is after
    assert notices[-1].text == "The flows shown are those before the roads changed."
    notices[-1].action()
    wait_until_idle(qtbot, window)
    assert (canvas.options.flows is after, canvas.options.flows.before) == (False, before.flows)


def test_drawn_sources_and_masses_estimate_the_flows(
    window: MainWindow, qtbot: QtBot, town: AllSourcesPanel, tmp_path: Path
) -> None:
    (tmp_path / "masses.csv").write_text("id,mass\n10,2\n20,2\n30,2\n40,2\n")
    panel = town
    panel.flows.choice.setCurrentText("random sources")
    panel.flows.count.setValue(2)
    panel.flows.field.setText(str(tmp_path / "masses.csv"))
    panel.start_button.setFocus()
    panel.start_button.click()
    wait_until_idle(qtbot, window)
    assert panel.focusWidget() is panel.start_button, "not the export that was shown since"
    flows = window.controller_of("all_sources").found.flows
    assert (
        len(window.controller_of("all_sources").found.source_vertices),
        flows.intervals.shape,
    ) == (
        2,
        (2, 4),
    )
    assert flows.paths == 4 * 12
    assert "Least eccentricity" in panel.outcome.text()
    shown = [panel.shown_box.itemText(i) for i in range(panel.shown_box.count())]
    assert shown == ["flows of roads", "betweenness", "nothing"]
    panel.flows.field.setText(str(tmp_path / "missing.csv"))
    panel.start_button.click()
    wait_until_idle(qtbot, window)
    assert "missing.csv" in panel.outcome.text()


def test_paused_and_resumed(
    window: MainWindow,
    qtbot: QtBot,
    panel: AllSourcesPanel,
    monkeypatch: pytest.MonkeyPatch,
    no_states_of_the_user: Path,
) -> None:
    for rows in HierarchyRows, DeviceRows:
        monkeypatch.setattr(rows, "most_sources", 16)
    append, parts = StateFile.append, []

    def append_and_pause(self, done):
        append(self, done)
        parts.append(done)
        if len(parts) == 2:
            window.parts.jobs.running(JobKind.ALL_SOURCES).cancel()  # as the button does

    monkeypatch.setattr(StateFile, "append", append_and_pause)
    panel.start_button.click()
    assert panel.start_button.text() == "Pause"
    wait_until_idle(qtbot, window)
    assert len(parts) == 2
    assert window.controller_of("all_sources").found is None
    assert panel.start_button.text() == "Resume"
    assert not panel.discard_button.isHidden()
    panel.start_button.click()
    wait_until_idle(qtbot, window)
    assert "32 of 120 vertices were read" in window.controller_of("all_sources").found.note
    assert list(no_states_of_the_user.iterdir()) == []


def test_a_graph_that_is_missing_empty_or_not_laid_out(
    window: MainWindow, qtbot: QtBot, graph: Graph
) -> None:
    window.bars.open("All sources", by_user=True)
    holder = window.controller_of("all_sources").holder
    assert "needs a graph" in holder.findChild(EmptyState).text()
    window.parts.session.open_graph(graphs.at_random(20, 40, seed=1))
    wait_until_idle(qtbot, window)
    assert holder.findChild(AllSourcesPanel).isVisible()

    window.parts.session.open_graph(graphs.from_list(0, []))
    said = []
    window.parts.session.noticed.connect(said.append)
    assert window.controller_of("all_sources").ask() is None
    assert "has vertices" in said[0].text

    window.parts.session.open_graph(graph)
    assert window.parts.canvas.canvas.content is None
    shown = reduction_map(all_sources(graph), REDUCTIONS[0])
    window.parts.canvas.options.set_values(shown.values)
    qtbot.waitUntil(lambda: window.parts.canvas.canvas.content is not None, timeout=PATIENCE_MS)
    assert window.parts.canvas.canvas.content.values is shown.values


# -- its place
# --------------------------------------------------------------------------------------


def test_the_panel_stands_beside_the_map_that_it_colours(
    window: MainWindow, qtbot: QtBot, panel: AllSourcesPanel
) -> None:
    assert panel.start_button.hasFocus()
    qtbot.keyClick(panel.start_button, Qt.Key.Key_Space)
    wait_until_idle(qtbot, window)
    canvas = window.parts.canvas.canvas
    assert (panel.isVisible(), canvas.isVisible()) == (True, True)
    assert canvas.content.values is not None
    window.bars.open("Variants", by_user=True)
    window.commands["all-sources"].trigger()
    assert panel.isVisible()
    assert panel.outcome.text().startswith("<b>Radius"), "it is as it was left"


# -- on a cluster
# --------------------------------------------------------------------------------------


@pytest.fixture
def cluster(
    window: MainWindow, panel: AllSourcesPanel, monkeypatch: pytest.MonkeyPatch
) -> MadeUpCluster:
    """A cluster whose all-sources runs are computed here, and what they were asked for."""
    made = MadeUpCluster()
    made.take_the_place_in(window.controller_of("clusters").link)

    def compute(request, connection, more, watch):
        assert connection is window.controller_of("clusters").link.connection
        made.asked.append((connection.name, more.rows_to))
        if made.failure is not None:
            raise made.failure
        return replace(
            run_all_sources(request, watch), engine="cluster: test", note="Computed on 2 hosts."
        )

    monkeypatch.setattr(on_cluster, "run_on_cluster", compute)
    return made


def choose_cluster(panel: AllSourcesPanel, address: str) -> None:
    panel.place.choice.setCurrentText("a cluster")
    panel.place.field.setText(address)


def test_a_cluster_computes_what_this_program_does_and_one_that_is_lost_leaves_it(
    window: MainWindow,
    qtbot: QtBot,
    graph: Graph,
    panel: AllSourcesPanel,
    cluster: MadeUpCluster,
    tmp_path: Path,
) -> None:
    assert panel.place.rows.isHidden()
    choose_cluster(panel, "tcp://node0:8786")
    wait_until_idle(qtbot, window)
    assert "by this program alone" in panel.estimate.text()
    assert not panel.place.rows.isHidden()
    panel.place.rows.field.setText(str(tmp_path / "rows.zarr"))
    panel.place.rows.box.setChecked(True)
    panel.start_button.click()
    assert panel.start_button.text() == "Pause"
    assert not panel.place.isEnabled()
    qtbot.waitUntil(
        lambda: window.controller_of("all_sources").found is not None, timeout=PATIENCE_MS
    )
    wait_until_idle(qtbot, window)
    assert cluster.asked == [("tcp://node0:8786", tmp_path / "rows.zarr")]
    np.testing.assert_array_equal(
        window.controller_of("all_sources").found.eccentricity, all_sources(graph).eccentricity
    )
    assert "Computed on 2 hosts." in panel.outcome.text()
    assert window.parts.charts.values.title == "Eccentricity"
    panel.start_button.click()  # the connection is still there
    wait_until_idle(qtbot, window)
    assert (cluster.opened, len(cluster.asked)) == (1, 2)
    panel.hosts_button.click()
    assert window.controller_of("clusters").show().status.text().startswith("2 workers on 2 hosts")

    before = window.controller_of("all_sources").found
    cluster.failure = NoWorkers("tcp://node0:8786", 60)
    panel.start_button.click()
    wait_until_idle(qtbot, window)
    assert "it had no worker for 60 s" in panel.outcome.text()
    assert window.controller_of("all_sources").found is before


def test_a_cluster_without_an_address_that_refuses_or_is_given_up_starts_nothing(
    panel: AllSourcesPanel, window: MainWindow, qtbot: QtBot, cluster: MadeUpCluster
) -> None:
    assert (panel.place.address, panel.place.rows_to) == ("", None)
    panel.place.choice.setCurrentText("worker processes")
    panel.place.workers.setValue(3)
    assert panel.place.address == "local:3"
    panel.place.use("tcp://node0:8786")
    assert panel.place.choice.currentText() == "a cluster"
    assert panel.place.address == "tcp://node0:8786"

    for address, words in (
        ("tpc://node0:8786", "Nearest: tcp://"),
        ("", "tcp://HOST:PORT"),
        ("slrm:2", "slurm"),
    ):
        choose_cluster(panel, address)
        panel.start_button.click()
        assert words in panel.outcome.text()
        assert panel.start_button.text() == "Start"
    assert cluster.opened == 0

    cluster.refusal = SchedulerUnreachable("tcp://node0:8786", "Connection refused")
    choose_cluster(panel, "tcp://node0:8786")
    panel.start_button.click()
    qtbot.waitUntil(lambda: panel.start_button.text() == "Start", timeout=PATIENCE_MS)
    assert "Check that dask scheduler runs there" in panel.outcome.text()
    assert window.controller_of("all_sources").found is None

    cluster.refusal = None
    cluster.gate.clear()
    choose_cluster(panel, "slurm:4")
    panel.start_button.click()
    assert "Connecting to slurm:4" in panel.outcome.text()
    panel.start_button.click()
    assert panel.start_button.text() == "Start"
    cluster.gate.set()
    wait_until_idle(qtbot, window)
    assert cluster.asked == []
