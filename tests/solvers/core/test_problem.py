"""What is kept between trials is made once, replaced where it has become unusable, and closed in any case."""

from __future__ import annotations

import pytest

from solvers.core.problem import TrialScope


class Door:
    """Something that can be closed, and be of no more use before."""

    def __init__(self) -> None:
        self.is_usable = True
        self.is_closed = False

    def close(self) -> None:
        self.is_closed = True


def test_a_thing_is_made_once_for_each_key_and_closed_at_the_end() -> None:
    with TrialScope() as scope:
        door, other = scope.keep("a", Door), scope.keep("b", Door)
        assert scope.keep("a", Door) is door is not other
        assert not door.is_closed
    assert door.is_closed
    assert other.is_closed


def test_an_unusable_thing_is_closed_and_replaced() -> None:
    with TrialScope() as scope:
        door = scope.keep("a", Door)
        door.is_usable = False
        assert scope.keep("a", Door) is not door
        assert door.is_closed


def test_what_is_dropped_is_closed_at_once() -> None:
    with TrialScope() as scope:
        door = scope.keep("a", Door)
        scope.drop("a")
        assert door.is_closed
        assert scope.keep("a", Door) is not door


def test_an_error_closes_everything() -> None:
    door = Door()

    def fail() -> None:
        with TrialScope() as scope:
            scope.keep("a", lambda: door)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert door.is_closed
