"""What is traced, when, and how often: a run is known by its key, whatever happens to
its results meanwhile.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pytest
from pytestqt.qtbot import QtBot

from gui.controllers.trace import TraceState
from gui.model.jobs import JobKind
from gui.model.notice import Notice, Severity
from gui.model.run_state import RunKey
from gui.window import MainWindow
from solvers.core.problem import Problem, Solution
from solvers.core.recorder import TraceRecorder
from solvers.core.result import Result
from solvers.core.variant import _REGISTRY, find_variant
from solvers.errors import TautpathError
from solvers.graphs.graph import Graph
from solvers.running.request import Choice, MeasurementPlan, RunRequest
from solvers.running.run import run
from tests.gui.windows import TINY, open_graph, tick_only, trigger, wait_until_idle

WATCHED, OTHER = "dijkstra-array", "dijkstra-heap"


@dataclass
class Watched:
    """Stands in for "dijkstra-array": counts its watched solves, and holds or fails them."""

    fails: bool = False
    solves: int = 0
    begun: threading.Event = field(default_factory=threading.Event)
    may_end: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.may_end.set()
        self.solve_really = find_variant(WATCHED).solve

    def hold(self) -> None:
        """Count anew, and let no watched solve end."""
        self.solves = 0
        self.begun.clear()
        self.may_end.clear()

    def solve(self, problem: Problem) -> Solution:
        if isinstance(problem.recorder, TraceRecorder):
            self.solves += 1
            self.begun.set()
            while not self.may_end.wait(0.01):
                problem.progress.checkpoint()
            if self.fails:
                raise TautpathError("it cannot be watched.")
        return self.solve_really(problem)


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Watched:
    made = Watched()
    monkeypatch.setitem(_REGISTRY, WATCHED, replace(find_variant(WATCHED), function=made.solve))
    return made


@pytest.fixture
def warnings(window: MainWindow) -> Iterator[list[str]]:
    """Texts of the warnings that the window was told to show."""
    heard: list[str] = []

    def hear(notice: Notice) -> None:
        if notice.severity is Severity.WARNING:
            heard.append(notice.text)

    window.parts.session.noticed.connect(hear)
    yield heard
    window.parts.session.noticed.disconnect(hear)


def solve(qtbot: QtBot, window: MainWindow, *variant_ids: str) -> None:
    """Open the textbook graph and run these variants, of which the catalogue's first is
    selected.
    """
    open_graph(qtbot, window, TINY)
    tick_only(window, *variant_ids)
    window.commands["run"].trigger()
    qtbot.waitUntil(lambda: window.parts.jobs.running(JobKind.SOLVE) is None, timeout=60_000)


def solve_until_traced(qtbot: QtBot, window: MainWindow, watched: Watched) -> None:
    """Run, and wait until the watched solve is in progress."""
    watched.hold()
    solve(qtbot, window, WATCHED)
    assert watched.begun.wait(60)
    assert state(window) is TraceState.IN_PROGRESS


def state(window: MainWindow, variant_id: str = WATCHED) -> TraceState | None:
    result = window.parts.session.results.get(variant_id)
    assert result is not None
    return window.parts.trace.state(result)


def result_of(window: MainWindow, variant_id: str = WATCHED) -> Result:
    result = window.parts.session.results.get(variant_id)
    assert result is not None
    return result


def test_a_trace_that_fails_is_tried_once_and_again_when_the_user_asks(
    qtbot: QtBot, window: MainWindow, watched: Watched, warnings: list[str]
) -> None:
    watched.fails = True
    solve(qtbot, window, WATCHED)
    wait_until_idle(qtbot, window)
    for target in (1, 2, 3):
        window.parts.session.set_target(target)
        wait_until_idle(qtbot, window)
    assert state(window) is TraceState.FAILED
    assert watched.solves == 1
    assert [text.partition(":")[2] for text in warnings] == [" it cannot be watched."]
    window.play_bar.trace_button.click()
    wait_until_idle(qtbot, window)
    assert (watched.solves, len(warnings)) == (2, 2)
    watched.fails = False
    trigger(qtbot, window, "trace")
    assert (watched.solves, len(warnings)) == (3, 2)
    assert state(window) is TraceState.DONE
    assert window.parts.playback.trace is result_of(window).trace is not None


def test_a_trace_goes_on_or_ends_with_what_moves_is_run_and_cancelled(
    qtbot: QtBot, window: MainWindow, watched: Watched
) -> None:
    """A target that moves leaves it, a source ends it; cancelled, it waits to be asked for; a new
    run is traced itself.
    """
    solve_until_traced(qtbot, window, watched)
    job = window.parts.jobs.running(JobKind.TRACE)
    for target in (1, 2, 3):
        window.parts.session.set_target(target)
        qtbot.wait(20)
    assert window.parts.jobs.running(JobKind.TRACE) is job
    assert not job.cancelling
    watched.may_end.set()
    wait_until_idle(qtbot, window)
    assert watched.solves == 1
    assert (result_of(window).target, state(window)) == (3, TraceState.DONE)
    assert window.parts.playback.trace is result_of(window).trace is not None

    solve_until_traced(qtbot, window, watched)
    trigger(qtbot, window, "cancel")
    window.parts.session.set_target(1)
    wait_until_idle(qtbot, window)
    assert (state(window), watched.solves) == (TraceState.CANCELLED, 1)
    watched.may_end.set()
    trigger(qtbot, window, "trace")
    assert (state(window), watched.solves) == (TraceState.DONE, 2)

    solve_until_traced(qtbot, window, watched)
    older, job = RunKey.of(result_of(window)), window.parts.jobs.running(JobKind.TRACE)
    window.commands["run"].trigger()
    assert window.parts.jobs.running(JobKind.TRACE) is None
    assert job.cancelling
    watched.may_end.set()
    wait_until_idle(qtbot, window)
    assert RunKey.of(result_of(window)) != older
    assert state(window) is TraceState.DONE
    assert watched.solves == 2

    solve_until_traced(qtbot, window, watched)
    window.parts.session.set_source(2)
    assert window.parts.jobs.running(JobKind.TRACE) is None
    assert window.parts.session.results.all == ()


def test_a_trace_of_a_run_that_a_newer_one_has_replaced_is_dropped(
    qtbot: QtBot, window: MainWindow, watched: Watched
) -> None:
    solve_until_traced(qtbot, window, watched)
    older, job = result_of(window), window.parts.jobs.running(JobKind.TRACE)
    assert job is not None
    graph = window.parts.session.graph
    assert isinstance(graph, Graph)
    # As a run leaves it, but for the time, so that it is not traced unasked.
    (newer,) = run(RunRequest(graph, 0, 1, (Choice(find_variant(WATCHED)),), MeasurementPlan(1, 1)))
    slow = tuple(replace(trial, phases=replace(trial.phases, solve=9e9)) for trial in newer.trials)
    window.parts.session.results.add([replace(newer, trials=slow)])
    watched.may_end.set()
    assert job.wait(30)
    qtbot.wait(50)
    assert RunKey.of(result_of(window)) != RunKey.of(older)
    assert result_of(window).trace is None
    assert state(window) is None
    assert window.parts.playback.trace is None


def test_traces_follow_what_is_selected_and_end_with_the_panes_that_they_were_for(
    qtbot: QtBot, window: MainWindow, watched: Watched
) -> None:
    """That of a racer ran on after the race."""
    results = window.parts.session.results
    watched.hold()
    solve(qtbot, window, WATCHED, OTHER)
    assert watched.begun.wait(60)
    results.select(OTHER)
    qtbot.waitUntil(lambda: state(window, OTHER) is TraceState.DONE, timeout=60_000)
    assert state(window) is None
    watched.may_end.set()
    results.select(WATCHED)
    wait_until_idle(qtbot, window)
    assert (state(window), watched.solves) == (TraceState.DONE, 2)

    results.select(WATCHED)
    wait_until_idle(qtbot, window)
    watched.hold()
    solve(qtbot, window, WATCHED, OTHER)
    assert watched.begun.wait(60)
    results.select(OTHER)
    qtbot.waitUntil(lambda: state(window, OTHER) is TraceState.DONE, timeout=60_000)
    watched.begun.clear()
    window.commands["split-2"].trigger()
    assert watched.begun.wait(60)
    assert state(window) is TraceState.IN_PROGRESS
    window.commands["split-1"].trigger()
    assert state(window) is None
    watched.may_end.set()
    wait_until_idle(qtbot, window)

    results.select(WATCHED)
    wait_until_idle(qtbot, window)
    watched.hold()
    solve(qtbot, window, WATCHED, OTHER)
    for split in ("split-2", "split-3"):  # three panes show no result that two do not
        assert watched.begun.wait(60)
        trigger(qtbot, window, "cancel")
        window.parts.session.set_target(1 if window.parts.session.target != 1 else 2)
        wait_until_idle(qtbot, window)
        assert state(window) is TraceState.CANCELLED
        watched.begun.clear()
        window.commands[split].trigger()
    assert (state(window), watched.solves) == (TraceState.CANCELLED, 2)
    watched.may_end.set()
    window.commands["split-1"].trigger()
    trigger(qtbot, window, "split-2")
    assert (state(window), watched.solves) == (TraceState.DONE, 3)


def test_side_by_side_each_result_is_traced_once_and_one_that_fails_holds_up_none(
    qtbot: QtBot, window: MainWindow, watched: Watched, warnings: list[str]
) -> None:
    watched.fails = True
    solve(qtbot, window, WATCHED, OTHER, "bf-serial")
    wait_until_idle(qtbot, window)
    trigger(qtbot, window, "split-3")
    for target in (1, 2, 3):
        window.parts.session.set_target(target)
        wait_until_idle(qtbot, window)
    window.commands["split-2"].trigger()
    trigger(qtbot, window, "split-3")
    assert (watched.solves, len(warnings)) == (1, 1)
    states = [state(window, variant_id) for variant_id in (WATCHED, OTHER, "bf-serial")]
    assert states == [TraceState.FAILED, TraceState.DONE, TraceState.DONE]
