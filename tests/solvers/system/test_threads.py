"""Threads share work out, tell of what fails, and stop when asked to."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
import weakref
from functools import partial

import numpy as np
import pytest

from solvers.errors import Cancelled
from solvers.system import threads
from solvers.system.cancel import CancelToken, Progress
from solvers.system.collections_paused import collections_paused
from solvers.system.machine import cores
from solvers.system.once import Once
from solvers.system.threads import (
    ask_for_help,
    in_background,
    in_threads,
    in_watched_threads,
    run_sequences,
    split_evenly,
    thread_team,
)


@pytest.mark.parametrize(("total", "parts"), [(10, 3), (3, 10), (7, 1), (1, 1), (0, 4)])
def test_shares_cover_all_in_order(total, parts):
    cut = split_evenly(total, parts)
    assert [i for first, last in cut for i in range(first, last)] == list(range(total))
    assert len(cut) == min(total, parts)


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_every_piece_is_done_once(threads):
    done: list[int] = []
    with thread_team(threads) as team:
        team.run(partial(done.append, i) for i in range(50))
    assert sorted(done) == list(range(50))


def test_two_threads_work_at_once():
    meeting = threading.Barrier(2, timeout=10.0)
    with thread_team(2) as team:
        team.run([meeting.wait, meeting.wait])


def test_each_thread_of_a_number_runs_once_and_all_at_once():
    meeting = threading.Barrier(3, timeout=10.0)

    def work(t: int, base: int) -> int:
        meeting.wait()
        return base + t

    assert in_threads(3, work, 10) == [10, 11, 12]
    assert in_threads(1, lambda t: threading.current_thread()) == [threading.current_thread()]


@pytest.mark.parametrize("failing", [0, 1])
def test_what_fails_in_one_of_a_number_fails_when_all_have_ended(failing):
    ended: list[int] = []

    def work(t: int) -> None:
        if t == failing:
            raise ZeroDivisionError
        time.sleep(0.05)
        ended.append(t)

    with pytest.raises(ZeroDivisionError):
        in_threads(2, work)
    assert ended == [1 - failing]


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_nobody_writes_any_more_when_an_interrupt_is_raised():
    """By a user in a notebook, while the main thread waits."""
    program = """
import signal, threading, time
from solvers.system.threads import in_threads
met, ended, main = threading.Barrier(2), [], threading.main_thread().ident
def work(t):
    met.wait(10)
    if threading.get_ident() == main:
        return
    time.sleep(0.1)
    signal.pthread_kill(main, signal.SIGINT)
    time.sleep(0.3)
    ended.append(t)
try:
    in_threads(2, work)
except KeyboardInterrupt:
    print("interrupted", len(ended))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, check=True, timeout=60
    )
    assert done.stdout == "interrupted 1\n"


def test_what_fails_holds_nothing_that_was_given():
    """Its traceback names the frames of its calls: no cycle may keep them until one is sought."""
    array = np.zeros(10)
    held = weakref.ref(array)

    def work(t: int, given: np.ndarray) -> None:
        raise ZeroDivisionError

    with collections_paused():
        with contextlib.suppress(ZeroDivisionError):
            in_threads(3, work, array)
        del array
        end = time.monotonic() + 30
        while held() is not None and time.monotonic() < end:
            time.sleep(0.001)
        assert held() is None


def test_long_work_is_watched_ended_and_not_waited_for_by_short_work():
    stop, looks = np.zeros(1, np.int64), []

    def work(t: int, text: str) -> None:
        while not stop[0]:
            time.sleep(0.001)

    def watch() -> None:
        looks.append(in_background(lambda: "short").result(timeout=10))
        if len(looks) == 3:
            raise Cancelled

    with pytest.raises(Cancelled):
        in_watched_threads(cores(), watch, stop, work, "long")
    assert looks == ["short"] * 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_has_threads_of_its_own():
    program = """
import os
from solvers.system.threads import in_threads
double = lambda t: 2 * t
in_threads(2, double)
if os.fork() == 0:
    os._exit(0 if in_threads(2, double) == [0, 2] else 1)
print(os.wait()[1])
"""
    done = subprocess.run(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, check=True, timeout=60
    )
    assert done.stdout == "0\n"


@pytest.mark.parametrize("threads", [1, 2])
def test_what_fails_in_a_thread_fails_here(threads):
    with thread_team(threads) as team, pytest.raises(ZeroDivisionError):
        team.run([lambda: 1 // 0])


@pytest.mark.parametrize("threads", [1, 2])
def test_cancel_leaves_the_rest_undone(threads):
    token, done = CancelToken(), []

    def piece(i: int) -> None:
        done.append(i)
        token.cancel()
        time.sleep(0.01)

    with thread_team(threads) as team, pytest.raises(Cancelled):
        team.run((partial(piece, i) for i in range(500)), Progress(token))
    assert 1 <= len(done) < 500


def test_pieces_of_one_run_come_in_order_and_runs_side_by_side():
    heard: dict[int, list[int]] = {0: [], 1: []}
    with thread_team(2) as team:
        run_sequences(
            team,
            lambda run, first, last: heard[run].extend(range(first, last)),
            [[(0, 3), (3, 5)], [(7, 9)]],
        )
    assert heard == {0: [0, 1, 2, 3, 4], 1: [7, 8]}


@pytest.mark.parametrize("threads", [1, 2])
def test_one_thread_or_a_lone_piece_works_in_the_caller(threads):
    names: list[str] = []
    with thread_team(threads) as team:
        team.run(iter([lambda: names.append(threading.current_thread().name)]))
    assert names == [threading.current_thread().name]


def test_a_value_is_made_once_for_all_threads_and_again_after_an_error() -> None:
    made, together = [], threading.Barrier(4)

    def make() -> object:
        made.append(object())
        time.sleep(0.05)
        if len(made) == 1:
            raise OSError("at first")
        return made[-1]

    value = Once(make)
    with pytest.raises(OSError, match="at first"):
        value.get()
    assert value.peek() is None
    found: list[object] = []

    def ask() -> None:
        together.wait()
        found.append(value.get())

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 2
    assert set(found) == {made[1]} == {value.peek()}
    value.forget()
    assert value.get() is made[2]


def test_each_helper_comes_once_and_nobody_waits_for_them():
    came, all_came, may_go = [], threading.Event(), threading.Event()

    def work(t: int) -> None:
        came.append(t)
        if len(came) == 5:
            all_came.set()
        may_go.wait(10.0)

    ask_for_help(5, work)  # returns while they work
    assert all_came.wait(10.0)
    may_go.set()
    assert sorted(came) == [1, 2, 3, 4, 5]


def test_helpers_that_sleep_hold_nothing_of_what_they_did():
    """A network, and a search's memory, are freed once their window is closed."""
    array = np.zeros(10)
    held = weakref.ref(array)
    ask_for_help(3, partial(lambda _given, _t: None, array))
    del array
    end = time.monotonic() + 30
    while held() is not None and time.monotonic() < end:
        time.sleep(0.001)
    assert held() is None


def test_helpers_that_many_callers_wanted_at_once_end_but_for_some() -> None:
    wanted = threads._MOST_ASLEEP + 20
    meeting = threading.Barrier(wanted + 1, timeout=30.0)
    for _ in range(2):
        ask_for_help(wanted // 2, lambda _: meeting.wait())
    meeting.wait()
    deadline = time.monotonic() + 30.0
    while helpers_alive() > threads._MOST_ASLEEP and time.monotonic() < deadline:
        time.sleep(0.01)
    assert helpers_alive() <= threads._MOST_ASLEEP
    assert in_threads(4, lambda t: t) == [0, 1, 2, 3]


def helpers_alive() -> int:
    return sum(one.name == "helper" for one in threading.enumerate())
