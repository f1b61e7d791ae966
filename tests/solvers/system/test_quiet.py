"""The gate between timed trials and background work: either the one or the other runs,
and nobody waits for ever.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from solvers.errors import Cancelled
from solvers.system.quiet import Quiet

SOON_S = 10.0  # an upper bound for what happens at once


class Worker:
    """A thread that works until it is told to stop, and counts its steps; it pauses
    between two of them.
    """

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
    with quiet.measuring():
        assert quiet.is_measuring
        before = [worker.steps for worker in workers]
        threading.Event().wait(0.05)
        assert [worker.steps for worker in workers] == before
    assert not quiet.is_measuring
    assert all(worker.works() for worker in workers)
    assert all(worker.stop() for worker in workers)


def test_work_begun_during_a_measurement_waits_for_its_end() -> None:
    quiet = Quiet()
    with quiet.measuring():
        worker = Worker(quiet)
        worker.thread.join(0.05)
        assert worker.steps == 0
    assert worker.works()
    assert worker.stop()


def test_a_waiting_worker_can_be_stopped() -> None:
    quiet = Quiet()
    paused = Worker(quiet)
    assert paused.works()
    with quiet.measuring():
        never_begun = Worker(quiet)
        assert paused.stop()
        assert never_begun.stop()


def test_a_measurement_waits_for_a_worker_that_does_not_pause() -> None:
    quiet = Quiet()
    release, begun, measured = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        with quiet.working():
            begun.set()
            release.wait(SOON_S)

    def measure() -> None:
        with quiet.measuring():
            measured.set()

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
        with pytest.raises(Cancelled), quiet.measuring(cancelled.is_set):
            pass
        raised.set()

    with in_thread(work):
        assert begun.wait(SOON_S)
        with in_thread(measure):
            cancelled.set()
            quiet.wake()
            assert raised.wait(SOON_S)
            assert not quiet.is_measuring
            release.set()


def test_workers_go_on_at_once_when_a_measurement_is_cancelled() -> None:
    """A solver may take long to notice: the picture does not wait for it."""
    quiet, cancelled = Quiet(), threading.Event()
    with quiet.measuring(cancelled.is_set):
        worker = Worker(quiet)
        cancelled.set()
        quiet.wake()
        assert worker.works()
    assert worker.stop()


def test_a_measurement_waits_for_the_end_of_a_cancelled_one() -> None:
    """Whose end opened the gate in the middle of the next one's trials."""
    quiet, cancelled, ends, measured = (
        Quiet(),
        threading.Event(),
        threading.Event(),
        threading.Event(),
    )

    def measure() -> None:
        with quiet.measuring(cancelled.is_set):
            cancelled.set()
            ends.wait(SOON_S)

    def measure_next() -> None:
        with quiet.measuring():
            measured.set()
            threading.Event().wait(0.05)
            assert quiet.is_measuring

    with in_thread(measure):
        assert cancelled.wait(SOON_S)
        with in_thread(measure_next):
            assert not measured.wait(0.05)
            ends.set()
            assert measured.wait(SOON_S)


def test_a_measurement_that_waits_for_another_can_be_cancelled() -> None:
    quiet, cancelled = Quiet(), threading.Event()
    heard: list[bool] = []
    quiet.on_change(heard.append)

    def measure() -> None:
        with pytest.raises(Cancelled), quiet.measuring(cancelled.is_set):
            pass

    with quiet.measuring():
        with in_thread(measure):
            cancelled.set()
            quiet.wake()
        assert quiet.is_measuring
    assert heard == [True, False]


def test_listeners_hear_of_every_measurement_also_of_one_that_fails() -> None:
    quiet = Quiet()
    heard: list[tuple[bool, bool]] = []
    quiet.on_change(lambda measuring: heard.append((measuring, quiet.is_measuring)))
    with pytest.raises(ZeroDivisionError), quiet.measuring():
        raise ZeroDivisionError
    assert heard == [(True, True), (False, False)]


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
        with quiet.measuring():
            before = len(steps)
            threading.Event().wait(0.05)
            assert len(steps) == before
        assert worker.stop()
        stop.set()
        quiet.wake()
