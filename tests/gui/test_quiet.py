"""While trials run, nothing else works in the window: it waits, says so, and goes on afterwards."""

from __future__ import annotations

import gc
import math
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.dialogs.export import ExportOptions
from gui.model.jobs import JobKind
from gui.model.settings import Settings
from gui.shell.process import COLLECT_INTERVAL_MS, WindowThreadCollector
from gui.shell.statusbar import StatusCard
from gui.window import MainWindow
from solvers.core.problem import Problem, Solution
from solvers.core.result import Status
from solvers.core.variant import _REGISTRY, Variant, find_variant
from solvers.features.kept_runs.store.run_store import RunStore
from solvers.running.request import MeasurementPlan
from tests.gui.windows import (
    PATIENCE_MS,
    TINY,
    controller_of,
    open_graph,
    run_only,
    tick_only,
    trigger,
    wait_until_idle,
)
from tests.quick import first_quick
from tests.solvers.features.experiments.samples import sample

HELD = "dijkstra-array"
TINY_SIZE = 8  # vertices
EARLIER = "bf-python"
OPTIONS = ExportOptions(subject=0, width=800, height=600, dpi=96, background="white")


class Held:
    """Holds every trial of a variant until it is let go."""

    def __init__(self, variant: Variant):
        self._variant = variant
        self.begun = threading.Event()
        self._go = threading.Event()

    def solve(self, problem: Problem) -> Solution:
        if problem.graph.name == "warm-up":
            return self._variant.solve(problem)
        self.begun.set()
        while not self._go.wait(0.01):
            problem.progress.checkpoint()
        return self._variant.solve(problem)

    def let_go(self) -> None:
        self._go.set()


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    made = Held(find_variant(HELD))
    monkeypatch.setitem(_REGISTRY, HELD, replace(find_variant(HELD), function=made.solve))
    yield made
    made.let_go()


@pytest.fixture
def measuring(qtbot: QtBot, window: MainWindow, held: Held) -> MainWindow:
    """A window with the results of one variant, in the middle of the held variant's
    first warm-up.
    """
    open_graph(qtbot, window, TINY)
    run_only(qtbot, window, EARLIER)
    qtbot.waitUntil(lambda: window.parts.canvas.canvas.frames.current, timeout=PATIENCE_MS)
    window.parts.session.choices.set_plan(MeasurementPlan(warmups=1, trials=2))
    tick_only(window, HELD)
    window.commands["run"].trigger()
    qtbot.waitUntil(held.begun.is_set, timeout=PATIENCE_MS)
    return window


def status_bar(window: MainWindow) -> StatusCard:
    bar = window.status
    assert isinstance(bar, StatusCard)
    return bar


def test_what_waits_says_so_and_is_done_afterwards(
    qtbot: QtBot, measuring: MainWindow, held: Held, tmp_path: Path
) -> None:
    """No frame is drawn, no garbage collected; layout and export wait."""
    bar, canvas, scenes = (
        status_bar(measuring),
        measuring.parts.canvas.canvas,
        measuring.parts.canvas.scenes,
    )
    assert bar._words.whole_text == "Solving Dijkstra array, warm-up 1 of 1"
    assert bar._waiting.whole_text == "Measuring: picture, layout and export wait"
    assert bar._waiting.isVisible()
    measuring.parts.export.picture(tmp_path / "map.png", OPTIONS)
    assert bar._waiting.whole_text == "Waiting for the trials: Exporting map.png"
    assert bar._words.whole_text == "Solving Dijkstra array, warm-up 1 of 1"

    frame, scene = canvas.frames.newest, scenes.scene
    measuring.commands["zoom-in"].trigger()
    qtbot.wait(100)
    assert canvas.frames.newest is frame, "the old image is moved"
    assert not canvas.frames.current
    measuring.commands["layout-circular"].trigger()
    collections: list[str] = []

    def note(phase: str, _: dict[str, int]) -> None:
        collections.append(phase)

    gc.callbacks.append(note)
    try:
        for _ in range(20_000):
            knot: list[object] = []
            knot.append(knot)
        qtbot.wait(2 * COLLECT_INTERVAL_MS)
        assert collections == []
        assert canvas.frames.newest is frame
        assert scenes.scene is scene
        assert [job.title for job in measuring.parts.jobs.waiting()] == [
            "Exporting map.png",
            f"Laying out {TINY_SIZE} vertices",
        ]
        assert not (tmp_path / "map.png").exists()
        held.let_go()
        qtbot.waitUntil(lambda: bool(collections), timeout=PATIENCE_MS)
    finally:
        gc.callbacks.remove(note)
    wait_until_idle(qtbot, measuring)
    assert (tmp_path / "map.png").exists()
    assert not bar._waiting.isVisible()
    qtbot.waitUntil(bar.isHidden)
    qtbot.waitUntil(lambda: canvas.frames.current, timeout=PATIENCE_MS)
    assert canvas.frames.newest is not frame
    assert scenes.scene is not scene
    assert scenes.scene is not None
    assert measuring.parts.session.results.get(HELD).ok


def test_an_experiment_holds_the_play_back_and_the_collector_as_a_run_does(
    qapp: QApplication,
    qtbot: QtBot,
    window: MainWindow,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """They went on: only a run told them that trials had begun."""
    variant = find_variant(HELD)
    held = Held(variant)

    def solve(problem: Problem) -> Solution:  # the forecast's trials are not held
        return (held if window.parts.jobs.quiet.is_measuring else variant).solve(problem)

    monkeypatch.setitem(_REGISTRY, HELD, replace(variant, function=solve))
    collector = qapp.findChild(WindowThreadCollector)
    assert isinstance(collector, WindowThreadCollector)
    open_graph(qtbot, window, TINY)
    run_only(qtbot, window, EARLIER)
    window.parts.playback.set_loop(True)
    window.parts.playback.fit(1.0)
    window.commands["play"].trigger()
    experimenting = controller_of(window, "experiments")
    experimenting.experiments = lambda: (sample(tmp_path),)
    experimenting.store = lambda: RunStore(tmp_path / "data" / "runs.sqlite3")
    trigger(qtbot, window, "experiments")
    page = experimenting.page
    qtbot.mouseClick(page.start_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(held.begun.is_set, timeout=PATIENCE_MS)
    stands, ticks = window.parts.playback.elapsed_ms, []
    window.parts.playback.ticked.connect(lambda: ticks.append(window.parts.playback.elapsed_ms))
    qtbot.wait(200)
    assert window.parts.playback.playing
    assert (window.parts.playback.elapsed_ms, ticks) == (stands, [])
    assert not collector._timer.isActive()
    held.let_go()
    qtbot.waitUntil(lambda: bool(ticks) and collector._timer.isActive(), timeout=PATIENCE_MS)
    wait_until_idle(qtbot, window)


@pytest.mark.parametrize("name", first_quick(["chart.png", "tables"], 0))
def test_an_export_waits_and_is_written_afterwards(
    qtbot: QtBot, measuring: MainWindow, held: Held, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    export = {
        "chart.png": lambda: measuring.parts.export.chart(path, OPTIONS),
        "tables": lambda: measuring.parts.export.csv(path),
    }[name]
    export()
    qtbot.wait(100)
    assert not path.exists()
    held.let_go()
    wait_until_idle(qtbot, measuring)
    assert path.exists()


def test_cancel_lets_what_waited_go_on_and_everyone_knows_what_runs_and_waits(
    qtbot: QtBot, measuring: MainWindow, held: Held, tmp_path: Path
) -> None:
    measuring.commands["layout-circular"].trigger()
    measuring.parts.export.picture(tmp_path / "map.png", OPTIONS)
    noticed: list[str] = []
    measuring.parts.session.noticed.connect(lambda notice: noticed.append(notice.text))
    trigger(qtbot, measuring, "cancel")
    assert (tmp_path / "map.png").exists()
    assert [result.variant.id for result in measuring.parts.session.results.all] == [EARLIER]
    assert not measuring.parts.jobs.quiet.is_measuring
    assert "Run cancelled: 0 of 1 variant finished. Earlier results are kept." in noticed

    held.begun.clear()
    heard: list[tuple[tuple[str, ...], str | None]] = []
    session = measuring.parts.session
    session.results.run_state_changed.connect(
        lambda: heard.append(
            (session.results.run_state.queued, session.results.run_state.running_variant)
        )
    )
    tick_only(measuring, "bf-serial", HELD, "dijkstra-heap")
    measuring.commands["run"].trigger()
    qtbot.waitUntil(held.begun.is_set, timeout=PATIENCE_MS)
    held.let_go()
    wait_until_idle(qtbot, measuring)
    assert list(dict.fromkeys(heard)) == [
        (("bf-serial", HELD, "dijkstra-heap"), None),
        ((HELD, "dijkstra-heap"), "bf-serial"),
        (("dijkstra-heap",), HELD),
        ((), "dijkstra-heap"),
        ((), None),
    ]


def test_a_job_that_waits_is_cancelled_alone_and_a_skipped_variant_says_so(
    qtbot: QtBot, measuring: MainWindow, held: Held
) -> None:
    measuring.commands["layout-circular"].trigger()
    measuring.parts.jobs.cancel(JobKind.LAYOUT)
    qtbot.waitUntil(lambda: measuring.parts.jobs.running(JobKind.LAYOUT) is None)
    assert measuring.parts.jobs.running(JobKind.SOLVE) is not None

    assert status_bar(measuring)._skip.isVisible()
    status_bar(measuring)._skip.click()
    wait_until_idle(qtbot, measuring)
    result = measuring.parts.session.results.get(HELD)
    assert result.status is Status.SKIPPED
    assert not status_bar(measuring)._skip.isVisible()


def test_the_window_closes_while_everything_waits(
    qapp: QApplication, qtbot: QtBot, settings: Settings, held: Held, tmp_path: Path
) -> None:
    window = MainWindow(settings)
    window.show()
    open_graph(qtbot, window, TINY)
    tick_only(window, HELD)
    window.commands["run"].trigger()
    qtbot.waitUntil(held.begun.is_set, timeout=PATIENCE_MS)
    window.commands["zoom-in"].trigger()
    window.commands["layout-circular"].trigger()
    window.parts.export.picture(tmp_path / "map.png", OPTIONS)
    jobs = window.parts.jobs.all()
    assert len(jobs) == 3
    window.close()
    assert all(job.wait(0) for job in jobs)
    assert not (tmp_path / "map.png").exists()
    window.deleteLater()
    qtbot.wait(50)


def test_a_run_waits_for_a_job_and_a_skipped_variant_keeps_earlier_rows(
    qtbot: QtBot, window: MainWindow, held: Held
) -> None:
    """The run begins when what works has come to a checkpoint; after what is skipped, it
    goes on with the next.
    """
    open_graph(qtbot, window, TINY)
    tick_only(window, HELD)
    steps: list[int] = []
    stop = threading.Event()

    def work(context: object) -> None:
        progress = context.progress_for()
        while not stop.is_set():
            steps.append(1)
            progress.checkpoint()

    window.parts.jobs.start(JobKind.LAYOUT, "Laying out", work)
    qtbot.waitUntil(lambda: len(steps) > 10)
    window.commands["run"].trigger()
    qtbot.waitUntil(held.begun.is_set, timeout=PATIENCE_MS)
    before = len(steps)
    qtbot.wait(50)
    assert len(steps) == before
    stop.set()
    held.let_go()
    wait_until_idle(qtbot, window)

    earlier = window.parts.session.results.get(HELD)
    assert earlier.ok
    held._go.clear()
    held.begun.clear()
    tick_only(window, "bf-serial", HELD, "dijkstra-heap")
    window.commands["run"].trigger()
    qtbot.waitUntil(held.begun.is_set, timeout=PATIENCE_MS)
    assert window.commands["skip"].isEnabled()
    trigger(qtbot, window, "skip")
    assert not window.commands["skip"].isEnabled()
    assert window.parts.session.results.get(HELD).run_id == earlier.run_id, (
        "a skipped run does not replace a finished one"
    )
    assert all(window.parts.session.results.get(name).ok for name in ("bf-serial", "dijkstra-heap"))


def test_long_trials_are_told_one_by_one(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui.controllers.run.SHOW_TRIALS_S", 0.0)
    monkeypatch.setattr("gui.controllers.run.SHOW_TRIALS_SHARE", math.inf)
    open_graph(qtbot, window, TINY)
    window.parts.session.choices.set_plan(MeasurementPlan(warmups=1, trials=3))
    tick_only(window, "dijkstra-heap")
    heard: list[list[bool]] = []
    window.parts.session.results.run_state_changed.connect(
        lambda: heard.append(
            [trial.is_warmup for trial in window.parts.session.results.run_state.live_trials]
        )
    )
    trigger(qtbot, window, "run")
    steps = [
        trials for trials, before in zip(heard, [None, *heard], strict=False) if trials != before
    ]
    assert steps == [
        [],
        [True],
        [True, False],
        [True, False, False],
        [True, False, False, False],
        [],
    ]
