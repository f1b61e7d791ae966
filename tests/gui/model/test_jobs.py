"""Jobs: work off the window's thread, results in it, cancel, supersede, shut down."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Iterator
from functools import partial

import pytest
import shiboken6
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gui.model.jobs import Job, JobContext, JobKind, Jobs
from solvers.errors import InputError


@pytest.fixture
def jobs(qtbot: QtBot) -> Iterator[Jobs]:
    made = Jobs()
    yield made
    made.shut_down()


def until_cancelled(context: JobContext) -> None:
    while True:
        context.cancel.check()
        time.sleep(0.005)


def test_the_work_runs_elsewhere_and_its_result_arrives_here(qtbot: QtBot, jobs: Jobs) -> None:
    threads: list[threading.Thread] = []
    values: list[int] = []

    def work(_: JobContext) -> int:
        threads.append(threading.current_thread())
        return 7

    def take(value: int) -> None:
        threads.append(threading.current_thread())
        values.append(value)

    jobs.start(JobKind.OPEN, "seven", work, on_success=take)
    qtbot.waitUntil(lambda: values == [7])
    assert threads[0] is not threading.main_thread()
    assert threads[1] is threading.main_thread()


def test_a_generator_hands_over_value_by_value_and_then_its_end(qtbot: QtBot, jobs: Jobs) -> None:
    gate = threading.Event()
    values: list[object] = []

    def work(_: JobContext) -> Iterator[str]:
        yield "first"
        gate.wait(5)
        yield "second"
        return

    jobs.start(
        JobKind.SOLVE,
        "two",
        work,
        on_value=values.append,
        on_success=lambda _: values.append("end"),
    )
    qtbot.waitUntil(lambda: values == ["first"])
    gate.set()
    qtbot.waitUntil(lambda: values == ["first", "second", "end"])


def test_a_failure_is_an_exception_object(qtbot: QtBot, jobs: Jobs) -> None:
    failures: list[Exception] = []

    def work(_: JobContext) -> None:
        raise InputError("no good")

    jobs.start(JobKind.OPEN, "fails", work, on_failure=failures.append)
    qtbot.waitUntil(lambda: len(failures) == 1)
    assert isinstance(failures[0], InputError)
    qtbot.waitUntil(lambda: jobs.all() == ())


def test_cancel_ends_the_work_and_is_not_a_failure(qtbot: QtBot, jobs: Jobs) -> None:
    heard: list[str] = []
    job = jobs.start(
        JobKind.SOLVE,
        "long",
        until_cancelled,
        on_cancel=lambda: heard.append("cancelled"),
        on_failure=lambda _: heard.append("failed"),
    )
    jobs.cancel(JobKind.SOLVE)
    assert job.cancelling
    qtbot.waitUntil(lambda: heard == ["cancelled"])
    qtbot.waitUntil(lambda: jobs.running(JobKind.SOLVE) is None)


def test_a_second_job_of_a_kind_silences_the_first(qtbot: QtBot, jobs: Jobs) -> None:
    gate = threading.Event()
    values: list[str] = []

    def slow(_: JobContext) -> str:
        gate.wait(5)
        return "stale"

    first = jobs.start(JobKind.LAYOUT, "one", slow, on_success=values.append)
    jobs.start(JobKind.LAYOUT, "two", lambda _: "fresh", on_success=values.append)
    gate.set()
    first.wait(5)
    qtbot.waitUntil(lambda: values == ["fresh"])
    qtbot.wait(30)
    assert values == ["fresh"]


def test_a_dropped_job_is_heard_of_no_more(qtbot: QtBot, jobs: Jobs) -> None:
    heard: list[object] = []
    job = jobs.start(
        JobKind.SOLVE, "dropped", until_cancelled, on_cancel=lambda: heard.append("cancelled")
    )
    jobs.drop(JobKind.SOLVE)
    assert jobs.running(JobKind.SOLVE) is None
    job.wait(5)
    qtbot.wait(30)
    assert heard == []


def test_progress_is_throttled_but_the_end_is_always_told(qtbot: QtBot, jobs: Jobs) -> None:
    fractions: list[float] = []
    heard = threading.Event()

    def work(context: JobContext) -> None:
        heard.wait(5)
        for step in range(1000):
            context.progress(step / 1000)
        context.progress(1.0)

    job = jobs.start(
        JobKind.OPEN, "counts", work, on_progress=lambda fraction, _: fractions.append(fraction)
    )
    heard.set()
    job.wait(5)
    qtbot.waitUntil(lambda: jobs.all() == ())
    assert fractions[-1] == 1.0
    assert len(fractions) < 100


def test_who_is_told_of_a_job_hears_all_that_it_says(
    qtbot: QtBot, jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job that was quick had said all before the status bar showed it."""
    heard: list[str] = []
    shown: list[Job] = []
    start = Job.start

    def start_and_end(job: Job) -> None:
        start(job)
        assert job.wait(5)

    def hear(job: Job, _: float, words: str) -> None:
        if job in shown:
            heard.append(words)

    monkeypatch.setattr(Job, "start", start_and_end)
    jobs.changed.connect(lambda: shown.extend(jobs.all()))
    jobs.progressed.connect(hear)
    jobs.start(JobKind.SOLVE, "Solving", lambda context: context.progress(0.5, "half way"))
    qtbot.waitUntil(lambda: not jobs.all())
    assert heard == ["half way"]


def test_new_words_are_told_at_once(qtbot: QtBot, jobs: Jobs) -> None:
    words: list[str] = []
    heard = threading.Event()

    def work(context: JobContext) -> None:
        heard.wait(5)
        context.progress(0.5, "trial 5 of 5")
        context.progress(0.5, "warm-up")

    jobs.start(JobKind.SOLVE, "speaks", work, on_progress=lambda _, said: words.append(said))
    heard.set()
    qtbot.waitUntil(lambda: jobs.all() == ())
    assert words == ["trial 5 of 5", "warm-up"]


def test_progress_reports_and_stops(qtbot: QtBot, jobs: Jobs) -> None:
    heard: list[str] = []

    def work(context: JobContext) -> None:
        progress = context.progress_for("Reading")
        while True:
            progress.checkpoint(1, 2)

    jobs.start(
        JobKind.OPEN,
        "reads",
        work,
        on_cancel=lambda: heard.append("cancelled"),
        on_progress=lambda fraction, words: heard.append(f"{words} {fraction}"),
    )
    qtbot.waitUntil(lambda: "Reading 0.5" in heard)
    jobs.cancel(JobKind.OPEN)
    qtbot.waitUntil(lambda: heard[-1] == "cancelled")


def test_shutting_down_waits_no_longer_than_asked_and_silences_what_will_not_stop(
    qtbot: QtBot,
) -> None:
    gate = threading.Event()
    heard: list[object] = []
    jobs = Jobs()
    job = jobs.start(JobKind.SOLVE, "deaf", lambda _: gate.wait(10), on_success=heard.append)
    jobs.shut_down(0.05)
    gate.set()
    assert job.wait(5)
    qtbot.wait(30)
    assert heard == []


def test_of_jobs_that_end_while_the_window_closes_nothing_is_told(qtbot: QtBot) -> None:
    """It came in the next test, whose variants were others, and the closed window
    looked for its own.
    """
    heard: list[str] = []
    jobs = Jobs()
    jobs.start(
        JobKind.SOLVE, "solving", until_cancelled, on_cancel=lambda: heard.append("cancelled")
    )
    jobs.changed.connect(lambda: heard.append("changed"))
    jobs.shut_down(10.0)
    qtbot.wait(30)
    assert heard == []
    assert not jobs.all()


def test_values_are_shown_before_the_work_has_ended_unless_the_job_was_superseded(
    qtbot: QtBot, jobs: Jobs
) -> None:
    heard: list[str] = []

    def work(context: JobContext) -> str:
        context.show("older: draft")
        gate.wait(5)
        context.show("older: second draft")
        return "older: done"

    def show_and_return(context: JobContext) -> str:
        context.show("newer: draft")
        return "newer: done"

    gate = threading.Event()
    older = jobs.start(
        JobKind.LAYOUT, "older", work, on_value=heard.append, on_success=heard.append
    )
    qtbot.waitUntil(lambda: heard == ["older: draft"])
    jobs.start(
        JobKind.LAYOUT, "newer", show_and_return, on_value=heard.append, on_success=heard.append
    )
    gate.set()
    assert older.wait(5)
    qtbot.waitUntil(lambda: jobs.all() == ())
    assert heard == ["older: draft", "newer: draft", "newer: done"]


@pytest.mark.parametrize("holder", ["work", "receiver", "progress"])
def test_a_job_may_hold_the_last_reference_to_its_owner(qtbot: QtBot, holder: str) -> None:
    """It is released in this thread, when that of the job has ended: another must not
    destroy objects of Qt.
    """
    destroyed_in: list[tuple[threading.Thread, bool]] = []
    threads: list[threading.Thread] = []

    def start() -> None:
        owner = Jobs()
        owner.destroyed.connect(
            lambda: destroyed_in.append((threading.current_thread(), threads[0].is_alive())),
            Qt.ConnectionType.DirectConnection,
        )
        held = partial(len, (owner,)) if holder == "work" else lambda: None

        def work(_: JobContext) -> None:
            threads.append(threading.current_thread())
            held()

        owner.start(
            JobKind.OPEN,
            "short",
            work,
            on_success=(lambda _: str(owner)) if holder == "receiver" else None,
            on_progress=(lambda *_: str(owner)) if holder == "progress" else None,
        )

    start()
    qtbot.waitUntil(lambda: destroyed_in == [(threading.main_thread(), False)])


def test_a_job_lets_go_of_its_work_and_of_whom_it_told(qtbot: QtBot, jobs: Jobs) -> None:
    class Graph:
        """Something large."""

    graphs = [Graph(), Graph()]
    gone = [weakref.ref(graph) for graph in graphs]
    job = jobs.start(
        JobKind.OPEN, "short", partial(id_of, graphs[0]), on_success=partial(id_of, graphs[1])
    )
    graphs.clear()
    qtbot.waitUntil(lambda: [graph() for graph in gone] == [None, None])
    assert job.wait(0), "who waited for it may keep it"


def id_of(graph: object, _: object) -> int:
    return id(graph)


def test_a_job_outlives_its_owner_in_silence(qtbot: QtBot) -> None:
    """Emitting a signal of an object that Qt has destroyed ends the process."""

    def chatter(context: JobContext) -> None:
        started.set()
        while not context.cancel.cancelled:
            context.progress(0.5, str(time.perf_counter()))
            context.show(None)

    for _ in range(20):
        owner, started = Jobs(), threading.Event()
        job = owner.start(JobKind.SOLVE, "chatter", chatter)
        assert started.wait(5)
        shiboken6.delete(owner)
        assert job.wait(5), "cancelled, since nobody is left to cancel it"
    qtbot.wait(10)  # what was queued for the destroyed objects goes nowhere


def test_views_hear_of_a_measurement_in_this_thread_whoever_measures(
    qtbot: QtBot, jobs: Jobs
) -> None:
    """Play-back and garbage collection went on while experiments measured: each kind of
    job had to tell them itself.
    """
    heard: list[tuple[bool, threading.Thread]] = []
    jobs.measuring_changed.connect(
        lambda measuring: heard.append((measuring, threading.current_thread())),
        Qt.ConnectionType.DirectConnection,
    )

    def measure(_: JobContext) -> None:
        with jobs.quiet.measuring():
            pass

    jobs.start(JobKind.EXPERIMENT, "Measuring", measure)
    qtbot.waitUntil(lambda: not jobs.all())
    assert heard == [(True, threading.main_thread()), (False, threading.main_thread())]


def test_jobs_wait_while_one_measures_and_finish_afterwards(qtbot: QtBot, jobs: Jobs) -> None:
    steps: list[int] = []
    values: list[str] = []

    def lay_out(context: JobContext) -> str:
        progress = context.progress_for()
        while len(steps) < 20:
            steps.append(len(steps))
            progress.checkpoint()
        return "laid out"

    with jobs.quiet.measuring():
        layout = jobs.start(JobKind.LAYOUT, "Laying out", lay_out, on_success=values.append)
        export = jobs.start(
            JobKind.EXPORT, "Exporting", lambda _: "exported", on_success=values.append
        )
        jobs.start(JobKind.SOLVE, "Solving", lambda _: "measured", on_success=values.append)
        assert jobs.measures
        qtbot.waitUntil(lambda: values == ["measured"])
        qtbot.waitUntil(lambda: not jobs.measures)
        assert steps == []
        assert jobs.waiting() == (layout, export)
    qtbot.waitUntil(lambda: sorted(values) == ["exported", "laid out", "measured"])
    assert jobs.waiting() == ()


def test_a_job_at_work_pauses_at_its_checkpoint(qtbot: QtBot, jobs: Jobs) -> None:
    steps: list[int] = []
    stop = threading.Event()

    def work(context: JobContext) -> None:
        progress = context.progress_for()
        while not stop.is_set():
            steps.append(1)
            progress.checkpoint()

    jobs.start(JobKind.LAYOUT, "Laying out", work)
    qtbot.waitUntil(lambda: len(steps) > 10)
    with jobs.quiet.measuring():
        before = len(steps)
        qtbot.wait(50)
        assert len(steps) == before
    qtbot.waitUntil(lambda: len(steps) > before)
    stop.set()
    qtbot.waitUntil(lambda: not jobs.all())


def test_waiting_jobs_are_cancelled_and_shut_down_like_others(qtbot: QtBot, jobs: Jobs) -> None:
    heard: list[str] = []
    with jobs.quiet.measuring():
        jobs.start(
            JobKind.LAYOUT,
            "Laying out",
            lambda _: heard.append("laid out"),
            on_cancel=lambda: heard.append("cancelled"),
        )
        export = jobs.start(JobKind.EXPORT, "Exporting", lambda _: heard.append("exported"))
        jobs.cancel(JobKind.LAYOUT)
        qtbot.waitUntil(lambda: heard == ["cancelled"])
        jobs.shut_down(10.0)
        assert not export.running
        assert heard == ["cancelled"]
