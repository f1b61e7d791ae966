"""Units: whole tenths inside, metres and seconds outside, and quantities with a unit."""

from __future__ import annotations

import math

import numpy as np
import pytest

from solvers import solve
from solvers.graphs.conversion import to_networkx
from solvers.units import internal, public, public_unit
from tests.curved import curved_town


@pytest.mark.parametrize(
    ("quantity", "unit", "value"),
    [
        (300, "0.1 s", 3000), ("5min", "0.1 s", 3000), ("5 min", "s", 300), ("1.5h", "0.1 s", 54_000),
        ("2.3km", "0.1 m", 23_000), ("2km", "dm", 20_000), ("700", "dm", 700), ("250m", "0.1 m", 2500), (7, "", 7),
        (math.inf, "0.1 m", math.inf), ("1e-999999999", "m", 0),
    ],
)  # fmt: skip
def test_quantities(quantity: float | str, unit: str, value: float) -> None:
    assert internal(quantity, unit) == value


@pytest.mark.parametrize(
    ("quantity", "unit", "words"),
    [
        ("5min", "0.1 m", "5min is a time, and the weights are in m"), ("2km", "s", "2km is a length"),
        ("5min", "", "without a unit"), ("5 miles", "m", "it takes a number"), ("soon", "m", "it takes a number"),
    ],
)  # fmt: skip
def test_quantities_that_are_refused(quantity: str, unit: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        internal(quantity, unit)


def test_tenths_become_whole_units_exactly_and_other_units_stay() -> None:
    assert (public(71_567, "0.1 m"), public_unit("0.1 m")) == (7156.7, "m")
    assert (public(5, "dm"), public_unit("dm")) == (5, "dm"), "the unit of a file's own integers"
    assert public(np.array([0.25]), "0.1 s", -1).tolist() == [2.5]


def test_lengths_in_the_library_are_in_seconds_and_metres() -> None:
    town = curved_town()
    answer = solve(town, "dijkstra-heap", source=10, target=40)
    assert (answer.distance, answer.distance_to(30), answer.distances.tolist()) == (4.0, 3.0, [0, 1, 3, 4])
    assert "40: 4 s" in repr(answer)
    assert solve(town.with_weights("metres"), "dijkstra-heap", source=10, target=30).distance == 9.5
    network = to_networkx(town, "weight", None)
    assert network.graph["weight_unit"] == "s"
    assert network[10][20][0]["weight"] == 1.0
