"""A deadlock is that all ranks wait, in one and the same operation each; slow work is none."""

from __future__ import annotations

from solvers.algorithms.mpi.rank_group import DeadlockWatch


def found(*looks: tuple[tuple[int, int], ...]) -> list[bool]:
    """What the watch says to looks that are 4 s apart, where 10 s are a deadlock."""
    watch = DeadlockWatch(10.0)
    return [watch.found(waits, 4.0 * k) for k, waits in enumerate(looks)]


def test_ranks_that_all_stay_in_one_wait_are_deadlocked() -> None:
    assert found(*(((7, 1 + 2000 * k), (3, 1 + 900 * k)) for k in range(5))) == [False, False, False, True, True]


def test_a_rank_that_computes_for_long_is_waited_for() -> None:
    assert not any(found(*(((7, 1 + 2000 * k), (3, 0)) for k in range(9))))


def test_ranks_that_go_from_wait_to_wait_make_progress() -> None:
    assert not any(found(*(((7, 1 + 2000 * k), (k // 2, 1 + 2000 * k)) for k in range(9))))


def test_a_rank_that_has_no_time_to_test_may_still_receive() -> None:
    assert not any(found(*(((7, 1 + 2000 * k), (3, 1 + k)) for k in range(9))))


def test_ranks_that_have_not_begun_are_not_waiting() -> None:
    assert not any(found(*(((0, 0), (0, 0)) for _ in range(9))))
