"""The window keeps its runs: all of them, also stopped and dropped ones, and it says
once if it cannot.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gui.model.notice import Notice
from gui.window import MainWindow
from solvers.core.result import Status
from solvers.features.kept_runs.store.rows import VERSION
from solvers.features.kept_runs.store.run_store import RunStore
from solvers.running.request import MeasurementPlan
from tests.gui.windows import (
    PATIENCE_MS,
    SAMPLE,
    TINY,
    open_graph,
    run_only,
    tick_only,
    wait_until_idle,
)

VARIANTS = ("bf-serial", "dijkstra-heap")
PATIENCE_S = PATIENCE_MS / 1000


def run(qtbot: QtBot, window: MainWindow, *variant_ids: str) -> None:
    run_only(qtbot, window, *variant_ids)


def test_a_run_in_the_window_is_kept_and_listed(qtbot: QtBot, window: MainWindow) -> None:
    open_graph(qtbot, window, TINY)
    run(qtbot, window, *VARIANTS)
    (summary,) = window.controller_of("kept_runs").runs.summaries
    kept = window.controller_of("kept_runs").runs.run(summary.run.run_id)
    assert kept.complete
    assert kept.origin == "window"
    assert kept.graph.source.path == str(TINY.resolve())
    assert {v.variant: v.trials for v in kept.variants} == {
        r.variant.id: r.trials for r in window.parts.session.results.all
    }


def test_a_run_that_is_dropped_keeps_its_trials(qtbot: QtBot, window: MainWindow) -> None:
    """Another source stops the run and drops its results from the window; what was
    measured is in the store.
    """
    open_graph(qtbot, window, SAMPLE)
    tick_only(window, "bf-python")
    window.parts.session.choices.set_plan(MeasurementPlan(warmups=1, trials=1000))
    window.commands["run"].trigger()
    qtbot.waitUntil(lambda: _trials_kept() >= 2, timeout=PATIENCE_MS)
    window.parts.session.set_source(5)
    qtbot.waitUntil(
        lambda: len(window.controller_of("kept_runs").runs.summaries) == 1, timeout=PATIENCE_MS
    )
    (summary,) = window.controller_of("kept_runs").runs.summaries
    assert summary.variants[0].status is Status.CANCELLED
    assert not window.parts.session.results.all


def _trials_kept() -> int:
    store = RunStore()
    return sum(len(v.trials) for s in store.summaries() for v in store.run(s.run.run_id).variants)


def test_a_store_that_cannot_be_used_is_said_once_and_results_still_come(
    qtbot: QtBot, window: MainWindow
) -> None:
    said: list[Notice] = []
    window.parts.session.noticed.connect(said.append)
    RunStore().path.parent.write_text("a file where the folder should be")
    open_graph(qtbot, window, TINY)
    run(qtbot, window, *VARIANTS)
    run(qtbot, window, *VARIANTS)
    assert len(window.parts.session.results.all) == 2
    assert [notice.text.count("cannot be kept") for notice in said] == [1]


def test_a_damaged_store_is_set_aside_with_a_notice(qtbot: QtBot, window: MainWindow) -> None:
    path = RunStore().path
    path.parent.mkdir()
    path.write_bytes(b"no database" * 1000)
    window.controller_of("kept_runs").runs.load()
    wait_until_idle(qtbot, window)
    assert "is damaged. It was renamed to runs-set-aside-" in window.notices.notice.text
    open_graph(qtbot, window, TINY)
    run(qtbot, window, *VARIANTS)
    assert len(window.controller_of("kept_runs").runs.summaries) == 1


def test_a_store_of_a_newer_version_is_told_once_and_new_runs_are_kept_beside_it(
    qtbot: QtBot, window: MainWindow
) -> None:
    open_graph(qtbot, window, TINY)
    run(qtbot, window, *VARIANTS)
    path = RunStore().path
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    before = path.read_bytes()
    other = MainWindow(window.parts.settings)
    qtbot.addWidget(other)
    said: list[Notice] = []
    other.parts.session.noticed.connect(said.append)
    other.show()
    open_graph(qtbot, other, TINY)
    run(qtbot, other, *VARIANTS)
    run(qtbot, other, *VARIANTS)
    assert [
        notice.text.count("newer version of Tautpath. It is left as it is") for notice in said
    ] == [1]
    assert len(other.controller_of("kept_runs").runs.summaries) == 3
    assert path.read_bytes() == before
    other.close()


_WINDOW = """
import sys
from pathlib import Path
from PySide6.QtCore import QSettings, QTimer
from gui.app import begin, make_application
from gui.model.settings import Settings
from gui.window import MainWindow
app = make_application()
window = MainWindow(Settings(QSettings(sys.argv[2], QSettings.Format.IniFormat)))
window.show()
def run():
    for variant_id in window.parts.session.choices.ids:
        window.parts.session.choices.choose(variant_id, False)
    for variant_id in ("bf-python", "dijkstra-heap"):
        window.parts.session.choices.choose(variant_id)
    window.commands["run"].trigger()
window.parts.session.graph_changed.connect(lambda: QTimer.singleShot(500, run))
window.parts.open.open(Path(sys.argv[1]))
app.exec()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_window_killed_in_the_middle_of_trials_loses_the_current_one_only(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _WINDOW, str(SAMPLE), str(tmp_path / "settings.ini")]
    process = subprocess.Popen(
        command, env={**os.environ, "QT_QPA_PLATFORM": "offscreen"}, stderr=subprocess.DEVNULL
    )
    store = RunStore()
    try:
        deadline = time.monotonic() + PATIENCE_S
        while (before := _trials_of(store, "bf-python")) < 3 and time.monotonic() < deadline:
            time.sleep(0.02)
    finally:
        process.kill()
    assert process.wait(PATIENCE_S) == -signal.SIGKILL
    assert before >= 3, "the run did not get so far"
    assert store.prepare() == ""
    (summary,) = store.summaries()
    assert not summary.run.complete
    assert [(v.variant, v.status) for v in summary.variants] == [("bf-python", None)]
    assert _trials_of(store, "bf-python") >= before


def _trials_of(store: RunStore, variant_id: str) -> int:
    kept = [
        v
        for s in store.summaries()
        for v in store.run(s.run.run_id).variants
        if v.variant == variant_id
    ]
    return sum(len(v.trials) for v in kept)
