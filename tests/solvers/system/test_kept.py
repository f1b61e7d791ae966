"""The value made last is returned as long as what it was made of is the same."""

from __future__ import annotations

import numpy as np

from solvers.system.kept import KeptValue, keep, same


def test_a_value_is_made_anew_only_for_another_key():
    kept, made = KeptValue[int](), []

    def value(key: tuple[object, ...]) -> int:
        return kept.of(key, lambda: made.append(key) or len(made))

    numbers = np.arange(3)
    assert [value(("a", numbers)), value(("a", numbers))] == [1, 1]
    assert value(("a", numbers.copy())) == 2  # arrays are compared by identity
    assert value(("a",)) == 3


def test_equal_parts_are_the_same_and_arrays_must_be_identical():
    one = np.arange(3)
    assert same((1, "a", one), (1.0, "a", one))
    assert not same((one,), (one.copy(),))


def test_what_another_thread_asks_meanwhile_is_not_mixed_up():
    kept = KeptValue[str]()

    class Asked:  # while it is compared with its like, another key is asked for
        def __eq__(self, other: object) -> bool:
            if isinstance(other, Asked):
                kept.of(("other",), lambda: "other")
            return isinstance(other, Asked)

        __hash__ = None

    assert kept.of((Asked(),), lambda: "own") == "own"
    assert kept.of((Asked(),), lambda: "new") == "own"


def test_the_oldest_is_dropped() -> None:
    values: dict[str, int] = {}
    for number, key in enumerate("abc"):
        keep(values, key, number, most=2)
    assert values == {"b": 1, "c": 2}
