"""Teach begins with one click: a small graph, and the selected variant watched on it."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from gui.model.samples import sample
from gui.window import MainWindow
from solvers.core.trace import ActivityTrace, MatrixTrace
from solvers.picture.scene.figure import SMALL_GRAPH
from tests.gui.pictures import street_grid
from tests.gui.windows import TINY, controller_of, open_graph

TIMEOUT = 60_000


def wait_for_steps(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.waitUntil(lambda: bool(controller_of(window, "lesson").panel.steps), timeout=TIMEOUT)


def test_a_click_on_teach_opens_a_small_graph_and_watches(qtbot: QtBot, window: MainWindow) -> None:
    """It took a sample, ticks, and a run of 200 trials."""
    assert window.parts.session.graph is None
    window.commands["mode-teach"].trigger()
    wait_for_steps(qtbot, window)
    session, panel = window.parts.session, controller_of(window, "lesson").panel
    assert window.bars.mode.name == "Teach"
    assert session.graph is not None
    assert session.graph.n == 8
    result = session.results.selected
    assert result is not None
    assert isinstance(result.trace, ActivityTrace)
    assert result.verdict is not None
    assert result.verdict.verified
    assert not result.times(), "nothing was timed"
    assert panel.isVisible()
    qtbot.waitUntil(lambda: panel.count.text().startswith("Step 1 of"))
    assert window.parts.playback.position == 0


def test_the_selected_variant_is_watched_on_the_open_graph(
    qtbot: QtBot, window: MainWindow
) -> None:
    session = window.parts.session
    open_graph(qtbot, window, TINY)
    session.results.select("fw-omp-tiled")
    window.commands["mode-teach"].trigger()
    wait_for_steps(qtbot, window)
    result = session.results.selected
    assert result is not None
    assert result.variant.id == "fw-omp-tiled"
    assert isinstance(result.trace, MatrixTrace)
    assert result.parameters["tile"] == 4
    assert session.choices.parameters("fw-omp-tiled")["tile"] == 128, "for the lesson alone"
    assert "tiles of 4 by 4" in window.notices.notice.text


def test_a_large_graph_is_kept_until_the_button_is_pressed(
    qtbot: QtBot, window: MainWindow
) -> None:
    session, panel = window.parts.session, controller_of(window, "lesson").panel
    large = street_grid(11, 10)
    assert large.n > SMALL_GRAPH
    session.open_graph(large)
    window.commands["mode-teach"].trigger()
    qtbot.wait(50)
    assert session.graph is large
    (button,) = (
        b for b in panel.findChildren(QPushButton) if b.text() == "Begin with a small graph"
    )
    button.click()
    wait_for_steps(qtbot, window)
    assert session.graph is not large


def test_a_sample_of_the_start_page_begins_its_lesson(qtbot: QtBot, window: MainWindow) -> None:
    """Where negative weights rule out the selected variant, one of the sample's is watched."""
    session = window.parts.session
    session.results.select("dijkstra-heap")
    window.start_page.sample_chosen.emit("negative-arcs")
    wait_for_steps(qtbot, window)
    result = session.results.selected
    assert result is not None
    assert result.variant.id in sample("negative-arcs").variants
