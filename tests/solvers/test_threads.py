"""Pieces shared among threads: all done, and given up at once where someone says stop."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from solvers.errors import Cancelled
from solvers.observer import CancelToken, Observer
from solvers.threads import share, thread_count


def nothing() -> None: ...


def test_every_piece_is_done_once() -> None:
    done = np.zeros(1000, np.int64)

    def count(rows: tuple[int, int]) -> None:
        done[slice(*rows)] += 1

    share(count, [(first, first + 7) for first in range(0, 1000, 7)], nothing)
    assert (done == 1).all()


def test_questions_are_asked_on_the_callers_thread() -> None:
    asked, worked = set(), set()
    share(lambda _: worked.add(threading.get_ident()), range(20), lambda: asked.add(threading.get_ident()))
    assert asked == {threading.get_ident()}
    assert asked.isdisjoint(worked)


def test_who_cancels_does_not_wait_for_the_rest() -> None:
    token, begun = CancelToken(), []

    def work(piece: int) -> None:
        begun.append(piece)
        token.cancel()

    with pytest.raises(Cancelled):
        share(work, range(10_000), Observer(token).checkpoint)
    assert len(begun) < 10_000


def test_an_error_comes_through() -> None:
    def work(piece: int) -> None:
        raise ValueError(f"piece {piece}")

    with pytest.raises(ValueError, match="piece 0"):
        share(work, range(3), nothing)


def test_there_is_at_least_one_thread() -> None:
    assert 1 <= thread_count() <= 8
