"""The status bar: it keeps up with quick jobs without holding up the window."""

from __future__ import annotations

import time

from pytestqt.qtbot import QtBot

from gui.model.jobs import JobContext, Jobs, Kind
from gui.model.results import RunState
from gui.model.session import Session
from gui.shell.statusbar import StatusBar


def test_a_burst_of_progress_is_painted_at_an_easy_pace(qtbot: QtBot) -> None:
    """A progress bar paints itself at every new value: hundreds of quick trials froze the window for a second."""
    jobs = Jobs()
    bar = StatusBar(Session(), jobs)
    qtbot.addWidget(bar)
    bar.show()
    content: list[int] = []
    bar._bar.valueChanged.connect(content.append)
    release = []

    def work(context: JobContext) -> None:
        for step in range(400):
            context.progress(step / 400, f"trial {step}")
        while not release:
            context.cancel.check()

    jobs.start(Kind.SOLVE, "Solving", work)
    qtbot.waitUntil(lambda: bar._words.text() == "Trial 399")
    assert len(content) < 100
    assert bar._bar.value() == int(399 / 400 * bar._bar.maximum())
    release.append(True)
    qtbot.waitUntil(lambda: not jobs.all())


def test_the_time_left_follows_the_estimate(qtbot: QtBot) -> None:
    jobs, session = Jobs(), Session()
    bar = StatusBar(session, jobs)
    qtbot.addWidget(bar)

    def work(context: JobContext) -> None:
        context.progress(0.5, "Solving, trial 2")
        while True:
            context.cancel.check()

    jobs.start(Kind.SOLVE, "Solving", work)
    qtbot.waitUntil(lambda: bar._words.text() == "Solving, trial 2")
    session.set_run_state(RunState((), "bf-serial", expected_end=time.monotonic() + 7200.2))
    assert bar._words.text() == "Solving, trial 2, about 2 h left"
    session.set_run_state(RunState((), "bf-serial", expected_end=time.monotonic() - 1.0))
    assert bar._words.text() == "Solving, trial 2", "an estimate that was too short is not shown"
    jobs.cancel(Kind.SOLVE)
    qtbot.waitUntil(lambda: not jobs.all())
