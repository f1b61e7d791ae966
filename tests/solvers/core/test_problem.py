"""What is kept between trials is made once, replaced where it has become unusable, and closed in any case."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from solvers.core.problem import TrialScope


@dataclass(eq=False)
class Door:
    """Something that can be closed, and be of no more use before."""

    is_usable: bool = True
    is_closed: bool = False

    def close(self) -> None:
        self.is_closed = True


def test_a_thing_is_made_once_for_each_key_and_closed_at_the_end() -> None:
    with TrialScope() as scope:
        door, other = scope.keep("a", Door), scope.keep("b", Door)
        assert scope.keep("a", Door) is door is not other
        assert not door.is_closed
    assert door.is_closed
    assert other.is_closed


def test_an_unusable_or_dropped_thing_is_closed_at_once_and_replaced() -> None:
    with TrialScope() as scope:
        first = scope.keep("a", Door)
        first.is_usable = False
        second = scope.keep("a", Door)
        scope.drop("a")
        assert first is not second is not scope.keep("a", Door) is not first
        assert first.is_closed
        assert second.is_closed


def test_an_error_closes_everything() -> None:
    door = Door()

    def fail() -> None:
        with TrialScope() as scope:
            scope.keep("a", lambda: door)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert door.is_closed
