"""Running variants from the window: Run and Cancel, what is kept, what is traced unasked."""

from __future__ import annotations

import itertools
import threading
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.controllers.trace import cheap_to_trace
from gui.model.jobs import JobKind
from gui.model.notice import Notice
from gui.model.settings import Settings
from gui.window import MainWindow
from solvers.core.problem import Problem, Solution
from solvers.core.result import Status
from solvers.core.variant import _REGISTRY, Variant, find_variant
from solvers.running.request import MeasurementPlan
from tests import graphs
from tests.gui.panels.test_variants import item_of
from tests.gui.windows import (
    PATIENCE_MS,
    SAMPLE,
    TINY,
    open_graph,
    press,
    run_only,
    tick_only,
    trigger,
    wait_until_idle,
)


def test_run_says_why_it_is_off_what_it_cannot_run_and_that_it_is_being_cancelled(
    window: MainWindow, qtbot: QtBot
) -> None:
    """The compilation of a function, of some seconds at its first use on a machine, cannot be
    interrupted.
    """
    assert "dijkstra-heap" in window.parts.session.choices.ids
    assert len(window.parts.session.choices.ids) >= 2

    said: list[Notice] = []
    window.parts.session.noticed.connect(said.append)
    window.parts.session.open_graph(graphs.from_list(0, []))
    tick_only(window, "dijkstra-heap")
    window.commands["run"].trigger()
    assert ["has no vertices" in notice.text for notice in said] == [True]

    open_graph(qtbot, window, TINY)
    tick_only(window)
    assert not window.run_button.isEnabled()
    assert "Tick" in window.run_button.toolTip().replace("\n", " ")
    assert not window.commands["run"].isEnabled()
    tick_only(window, "dijkstra-heap", "bf-edge-flags")
    assert window.run_button.isEnabled()
    assert window.run_button.text() == "Run 2"

    compiled = threading.Event()
    tick_only(window, "dijkstra-heap")
    window.parts.jobs.start(JobKind.SOLVE, "Solving", lambda _: compiled.wait(30))
    window.commands["cancel"].trigger()
    assert window.run_button.text() == "Cancelling…"
    assert not window.run_button.isEnabled()
    compiled.set()
    wait_until_idle(qtbot, window)
    assert window.run_button.text() == "Run 1"
    assert window.run_button.isEnabled()


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Make "dijkstra-array" run until it is cancelled; the event is set when it has begun."""
    begun = threading.Event()

    def solve(problem: Problem) -> Solution:
        begun.set()
        while True:
            problem.progress.checkpoint()

    slow: Variant = replace(find_variant("dijkstra-array"), function=solve)
    monkeypatch.setitem(_REGISTRY, "dijkstra-array", slow)
    return begun


def test_a_run_behind_another_panel_says_how_it_ended(qtbot: QtBot, window: MainWindow) -> None:
    """A slow run is not traced unasked, and what cannot run is said."""
    open_graph(qtbot, window, TINY)
    tick_only(window, "dijkstra-heap")
    for in_front in (True, False):
        window.commands["run"].trigger()
        window.bars.open("Results" if in_front else "Runs", by_user=True)
        wait_until_idle(qtbot, window)
        assert (window.notices.notice is None) is in_front
    assert window.notices.notice.text.startswith("The run has ended. Dijkstra")
    press(qtbot, window.notices, "Show results")
    assert window.results_place.isVisible()
    assert window.notices.notice is None

    result = window.parts.session.results.selected
    assert result is not None
    assert cheap_to_trace(result)
    slow = tuple(replace(t, phases=replace(t.phases, solve=9e9)) for t in result.trials)
    assert not cheap_to_trace(replace(result, trials=slow))

    window.parts.session.set_device(None)
    run_only(qtbot, window, "dijkstra-heap", "bf-strided-flag")
    assert {r.variant.id: r.ok for r in window.parts.session.results.all} == {
        "dijkstra-heap": True,
        "bf-strided-flag": False,
    }
    assert "needs a CUDA or OpenCL device" in window.notices.notice.text


def test_a_run_is_cancelled_by_button_command_and_source_and_not_by_a_double_click(
    qtbot: QtBot, window: MainWindow, endless: threading.Event
) -> None:
    open_graph(qtbot, window, TINY)
    tick_only(window, "dijkstra-array")
    left = Qt.MouseButton.LeftButton
    qtbot.mouseClick(window.run_button, left)
    qtbot.mouseDClick(window.run_button, left)
    qtbot.mouseRelease(window.run_button, left)
    qtbot.waitUntil(endless.is_set, timeout=30_000)
    assert not window.parts.jobs.running(JobKind.SOLVE).cancelling
    qtbot.mouseClick(window.run_button, left)
    assert window.parts.jobs.running(JobKind.SOLVE).cancelling
    wait_until_idle(qtbot, window)

    endless.clear()
    tick_only(window, "dijkstra-array")
    window.commands["run"].trigger()
    qtbot.waitUntil(endless.is_set, timeout=30_000)
    window.commands["cancel"].trigger()
    qtbot.waitUntil(lambda: window.parts.jobs.running(JobKind.SOLVE) is None, timeout=2000)
    assert window.notices.notice.text == "Run cancelled: 0 of 1 variant finished."

    tick_only(window, "dijkstra-heap")
    qtbot.mouseClick(window.run_button, Qt.MouseButton.LeftButton)
    wait_until_idle(qtbot, window)
    endless.clear()
    tick_only(window, "dijkstra-array")
    qtbot.mouseClick(window.run_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(endless.is_set, timeout=30_000)
    qtbot.waitUntil(lambda: window.run_button.text() == "Cancel")
    window.commands["fit"].trigger()  # all else stays usable
    window.parts.session.set_target(1)
    qtbot.mouseClick(window.run_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.parts.jobs.running(JobKind.SOLVE) is None, timeout=2000)
    assert [r.variant.id for r in window.parts.session.results.all] == ["dijkstra-heap"]
    assert window.run_button.text() == "Run 1"
    assert (
        window.notices.notice.text
        == "Run cancelled: 0 of 1 variant finished. Earlier results are kept."
    )

    endless.clear()
    tick_only(window, "dijkstra-array")
    window.commands["run"].trigger()
    qtbot.waitUntil(endless.is_set, timeout=30_000)
    window.parts.session.set_source(1)
    assert window.parts.jobs.running(JobKind.SOLVE) is None
    assert window.notices.notice.text.startswith("The run was stopped: the source is no longer 1.")
    run_only(qtbot, window, "dijkstra-heap")
    assert [r.source for r in window.parts.session.results.all] == [1]


def test_closing_while_running_stops_it(
    qtbot: QtBot, settings: Settings, endless: threading.Event, qapp: QApplication
) -> None:
    window = MainWindow(settings)
    window.show()
    open_graph(qtbot, window, TINY)
    tick_only(window, "dijkstra-array")
    window.commands["run"].trigger()
    qtbot.waitUntil(endless.is_set, timeout=30_000)
    job = window.parts.jobs.running(JobKind.SOLVE)
    assert job is not None
    window.close()
    assert job.wait(0)
    window.deleteLater()
    qtbot.wait(50)


def test_a_small_run_is_traced_unasked_and_the_selected_one_is_loaded(
    qtbot: QtBot, window: MainWindow
) -> None:
    open_graph(qtbot, window, SAMPLE)
    tick_only(window, "dijkstra-heap", "bf-edge-flags")
    window.commands["run"].trigger()
    qtbot.waitUntil(lambda: len(window.parts.session.results.all) == 2, timeout=PATIENCE_MS)
    times = {result.variant.id: result.times() for result in window.parts.session.results.all}
    for variant_id in ("dijkstra-heap", "bf-edge-flags"):
        window.parts.session.results.select(variant_id)
        wait_until_idle(qtbot, window)
        result = window.parts.session.results.selected
        assert result.trace is not None
        assert window.parts.playback.trace is result.trace
        assert result.times() == times[variant_id], "the watched run counts for nothing"
    assert window.commands["play"].isEnabled()


def test_a_cancelled_run_says_what_the_table_shows_until_the_next_run(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cancel at trial 159 said that nothing was finished, and still said it over the next run;
    and that its trials were kept, where the table shows those of an earlier run.
    """
    open_graph(qtbot, window, TINY)
    plain, waits, left = find_variant("dijkstra-heap"), threading.Event(), [0]

    def solve(problem: Problem) -> Solution:
        left[0] -= 1
        while left[0] < 0:
            waits.set()
            problem.progress.checkpoint()
        return plain.function(problem)

    monkeypatch.setitem(_REGISTRY, "dijkstra-heap", replace(plain, function=solve))
    window.parts.session.choices.set_plan(MeasurementPlan(warmups=0, trials=9))
    tick_only(window, "dijkstra-heap")
    left_button, results = Qt.MouseButton.LeftButton, window.parts.session.results

    def run(calls: int) -> tuple[Status, int, str]:
        """What is shown of a run that is cancelled after so many calls, if it needs more."""
        left[0] = calls
        waits.clear()
        qtbot.mouseClick(window.run_button, left_button)
        assert window.notices.notice is None
        if calls < 9:
            qtbot.waitUntil(lambda: waits.is_set() and window.run_button.text() == "Cancel")
            qtbot.mouseClick(window.run_button, left_button)
        wait_until_idle(qtbot, window)
        result, notice = results.get("dijkstra-heap"), window.notices.notice
        return result.status, len(result.times()), "" if notice is None else notice.text

    said, title = "Run cancelled: 0 of 1 variant finished. The table ", plain.full_title
    runs = window.controller_of("kept_runs").runs
    assert run(3) == (Status.CANCELLED, 2, f"{said}shows the 2 trials of {title}.")
    assert run(99) == (Status.OK, 9, "")
    status, trials, text = run(5)
    assert (status, trials) == (Status.OK, 9)
    assert text.startswith(f"{said}still shows the earlier trials of {title}; Runs has the 5 ")
    kept = [runs.run(summary.run.run_id).variants[0] for summary in runs.summaries]
    assert [len(variant.times()) for variant in kept] == [5, 9, 2]
    window.parts.run.followers.clear()
    assert f"the earlier trials of {title}, not the 5 trials made now." in run(5)[2]
    run_only(qtbot, window, "bf-serial")
    assert not window.notices.isVisible()


def test_the_path_is_drawn_before_the_next_variant_is_measured(
    qtbot: QtBot, window: MainWindow, endless: threading.Event
) -> None:
    open_graph(qtbot, window, TINY)
    tick_only(window, "bf-serial", "dijkstra-array")
    window.commands["run"].trigger()
    qtbot.waitUntil(endless.is_set, timeout=30_000)
    canvas = window.parts.canvas.canvas
    assert canvas.content.path is not None
    qtbot.waitUntil(lambda: canvas.frames.current, timeout=2000)
    window.commands["cancel"].trigger()


def test_the_first_answer_is_drawn_while_the_same_variant_is_measured_and_stays(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("solvers.running.run.FIRST_ANSWER_S", 0.0)
    open_graph(qtbot, window, TINY)
    plain, waits, calls = find_variant("dijkstra-heap"), threading.Event(), itertools.count(1)

    def solve(problem: Problem) -> Solution:
        while next(calls) > 2:
            waits.set()
            problem.progress.checkpoint()
        return plain.function(problem)

    monkeypatch.setitem(_REGISTRY, "dijkstra-heap", replace(plain, function=solve))
    tick_only(window, "dijkstra-heap")
    window.parts.run.start(plan=MeasurementPlan(warmups=1, trials=9))
    qtbot.waitUntil(waits.is_set, timeout=PATIENCE_MS)
    canvas, results = window.parts.canvas.canvas, window.parts.session.results
    assert window.parts.jobs.quiet.is_measuring
    assert (results.selected.verdict.verified, len(results.selected.trials)) == (True, 1)
    qtbot.waitUntil(lambda: canvas.frames.current, timeout=2000)
    assert canvas.content.path is not None

    tree = window.variants_panel.tree
    tree.setCurrentItem(item_of(window.variants_panel, "bf-serial"))
    assert results.selected_id == "bf-serial"
    assert canvas.content.path is not None, "reading a card leaves the answer in the picture"
    trigger(qtbot, window, "cancel")
    assert (results.get("dijkstra-heap").status, len(results.get("dijkstra-heap").times())) == (
        Status.CANCELLED,
        1,
    )
    assert canvas.content.path is not None
