"""The gate between timed trials and background work: either the one or the other runs, and nobody waits for ever."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from gui.model.quiet import Quiet
from solvers.errors import Cancelled

SOON_S = 10.0  # an upper bound for what happens at once


class Worker:
    """A thread that works until it is told to stop, and counts its steps; it pauses between two of them."""

    def __init__(self, quiet: Quiet):
        self._quiet, self._stop = quiet, threading.Event()
        self.steps = 0
        self._stepped = threading.Condition()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        with self._quiet.working(self._stop.is_set):
            while not self._stop.is_set():
                with self._stepped:
                    self.steps += 1
                    self._stepped.notify_all()
                self._quiet.pause(self._stop.is_set)

    def works(self) -> bool:
        """Whether another step is made soon."""
        before = self.steps
        with self._stepped:
            return self._stepped.wait_for(lambda: self.steps > before, SOON_S)

    def stop(self) -> bool:
        self._stop.set()
        self._quiet.wake()
        self.thread.join(SOON_S)
        return not self.thread.is_alive()


@contextmanager
def in_thread(act: Callable[[], object]) -> Iterator[threading.Thread]:
    thread = threading.Thread(target=act, daemon=True)
    thread.start()
    yield thread
    thread.join(SOON_S)
    assert not thread.is_alive()


def test_a_measurement_begins_when_every_worker_has_paused_and_they_go_on_afterwards() -> None:
    quiet = Quiet()
    workers = [Worker(quiet) for _ in range(3)]
    assert all(worker.works() for worker in workers)
    quiet.begin()
    assert quiet.measuring
    before = [worker.steps for worker in workers]
    threading.Event().wait(0.05)
    assert [worker.steps for worker in workers] == before
    quiet.end()
    assert not quiet.measuring
    assert all(worker.works() for worker in workers)
    assert all(worker.stop() for worker in workers)


def test_work_begun_during_a_measurement_waits_for_its_end() -> None:
    quiet = Quiet()
    quiet.begin()
    worker = Worker(quiet)
    worker.thread.join(0.05)
    assert worker.steps == 0
    quiet.end()
    assert worker.works()
    assert worker.stop()


def test_a_waiting_worker_can_be_stopped() -> None:
    quiet = Quiet()
    paused = Worker(quiet)
    assert paused.works()
    quiet.begin()
    never_begun = Worker(quiet)
    assert paused.stop()
    assert never_begun.stop()
    quiet.end()


def test_a_measurement_waits_for_a_worker_that_does_not_pause() -> None:
    quiet = Quiet()
    release, begun, measured = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        with quiet.working():
            begun.set()
            release.wait(SOON_S)

    def measure() -> None:
        quiet.begin()
        measured.set()
        quiet.end()

    with in_thread(work):
        assert begun.wait(SOON_S)
        with in_thread(measure):
            assert not measured.wait(0.05)
            release.set()
            assert measured.wait(SOON_S)


def test_a_measurement_that_waits_can_be_cancelled() -> None:
    quiet, cancelled = Quiet(), threading.Event()
    release, begun, raised = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        with quiet.working():
            begun.set()
            release.wait(SOON_S)

    def measure() -> None:
        with pytest.raises(Cancelled):
            quiet.begin(cancelled.is_set)
        raised.set()

    with in_thread(work):
        assert begun.wait(SOON_S)
        with in_thread(measure):
            cancelled.set()
            quiet.wake()
            assert raised.wait(SOON_S)
            assert not quiet.measuring
            release.set()


def test_workers_go_on_at_once_when_a_measurement_is_cancelled() -> None:
    """A solver may take long to notice: the picture does not wait for it."""
    quiet, cancelled = Quiet(), threading.Event()
    quiet.begin(cancelled.is_set)
    worker = Worker(quiet)
    cancelled.set()
    quiet.wake()
    assert worker.works()
    quiet.end()
    assert worker.stop()


def test_a_worker_s_helper_threads_pause_too() -> None:
    """The pool threads of a drawing have checkpoints of their own."""
    quiet = Quiet()
    steps: list[int] = []
    stop, helper_began = threading.Event(), threading.Event()

    def helper() -> None:
        while not stop.is_set():
            steps.append(1)
            helper_began.set()
            quiet.pause(stop.is_set)

    with in_thread(helper):
        assert helper_began.wait(SOON_S)
        worker = Worker(quiet)
        assert worker.works()
        quiet.begin()
        before = len(steps)
        threading.Event().wait(0.05)
        assert len(steps) == before
        quiet.end()
        assert worker.stop()
        stop.set()
        quiet.wake()
