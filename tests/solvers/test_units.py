"""Units: whole tenths inside, metres and seconds outside; quantities with a unit, and
where axes have ticks.
"""

from __future__ import annotations

import math
from itertools import pairwise, product

import numpy as np
import pytest

from solvers import solve
from solvers.library.networkx_export import to_networkx
from solvers.ticks import linear_ticks, log_ticks
from solvers.units import public_unit, to_internal_unit, to_public_unit
from tests.curved import curved_town


@pytest.mark.parametrize(
    ("quantity", "unit", "value"),
    [
        (300, "0.1 s", 3000),
        ("5min", "0.1 s", 3000),
        ("5 min", "s", 300),
        ("1.5h", "0.1 s", 54_000),
        ("2.3km", "0.1 m", 23_000),
        ("2km", "dm", 20_000),
        ("700", "dm", 700),
        ("250m", "0.1 m", 2500),
        (7, "", 7),
        (math.inf, "0.1 m", math.inf),
        ("1e-999999999", "m", 0),
    ],
)
def test_quantities(quantity: float | str, unit: str, value: float) -> None:
    assert to_internal_unit(quantity, unit) == value


@pytest.mark.parametrize(
    ("quantity", "unit", "words"),
    [
        ("5min", "0.1 m", "5min is a time, and the weights are in m"),
        ("2km", "s", "2km is a length"),
        ("5min", "", "without a unit"),
        ("5 miles", "m", "it takes a number"),
        ("soon", "m", "it takes a number"),
    ],
)
def test_quantities_that_are_refused(quantity: str, unit: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        to_internal_unit(quantity, unit)


def test_tenths_become_whole_units_exactly_and_other_units_stay() -> None:
    assert (to_public_unit(71_567, "0.1 m"), public_unit("0.1 m")) == (7156.7, "m")
    assert (to_public_unit(5, "dm"), public_unit("dm")) == (5, "dm"), (
        "the unit of a file's own integers"
    )
    assert to_public_unit(np.array([0.25]), "0.1 s", -1).tolist() == [2.5]


def test_lengths_in_the_library_are_in_seconds_and_metres() -> None:
    town = curved_town()
    answer = solve(town, "dijkstra-heap", source=10, target=40)
    assert (answer.distance, answer.distance_to(30), answer.distances.tolist()) == (
        4.0,
        3.0,
        [0, 1, 3, 4],
    )
    assert "40: 4 s" in repr(answer)
    assert solve(town.with_weights("metres"), "dijkstra-heap", source=10, target=30).distance == 9.5
    network = to_networkx(town, "weight", None)
    assert network.graph["weight_unit"] == "s"
    assert network[10][20][0]["weight"] == 1.0


# -- ticks of an axis
# --------------------------------------------------------------------------------------------------


def test_a_roomy_logarithmic_axis_is_labelled_at_1_2_5() -> None:
    labelled, plain = log_ticks(0.0, 2.0, gap=0.25)
    assert [round(10**t) for t in labelled] == [1, 2, 5, 10, 20, 50, 100]
    assert round(10 ** plain[2]) == 3


def test_a_narrow_logarithmic_axis_is_labelled_at_every_kth_power() -> None:
    labelled, _ = log_ticks(-3.0, 6.0, gap=2.5)
    assert [round(t) for t in labelled] == [-3, 0, 3, 6]


@pytest.mark.parametrize(("low", "high"), [(1.70, 1.79), (1.99, 2.31), (0.0, 0.5), (-4.2, 7.7)])
@pytest.mark.parametrize("gap_share", [0.08, 0.2, 0.45])
def test_labels_of_a_logarithmic_axis_never_touch_and_are_inside(
    low: float, high: float, gap_share: float
) -> None:
    gap = gap_share * (high - low)
    labelled, _ = log_ticks(low, high, gap)
    assert labelled
    assert all(low - 1e-6 <= t <= high + 1e-6 for t in labelled)
    assert all(b - a >= min(gap, 1.0) - 1e-9 for a, b in pairwise(labelled))


@pytest.mark.parametrize("span", [0.02, 0.1, 0.3, 0.7, 1.0, 1.4, 1.9, 2.4, 3.1, 5.0, 8.6])
def test_a_logarithmic_axis_has_three_labels_at_any_span(span: float) -> None:
    """One or two do not tell the scale: an axis from 0.2 to 50 ms had 1 and 10 ms alone."""
    for low, gap_share in product([-2.0, -0.65, 0.01, 0.48, 3.3], [0.1, 0.2, 0.25]):
        labelled, _ = log_ticks(low, low + span, gap_share * span)
        assert len(labelled) >= 3
        assert all(b - a >= gap_share * span - 1e-9 for a, b in pairwise(labelled))


@pytest.mark.parametrize("room", [2, 4, 9])
@pytest.mark.parametrize("high", [0.7, 419.0, 1e6])
def test_a_linear_axis_has_at_least_two_round_labels(high: float, room: int) -> None:
    ticks = linear_ticks(0.0, high, room)
    assert 2 <= len(ticks) <= max(room, 3)
    step = ticks[1] - ticks[0]
    assert round(step / 10 ** math.floor(math.log10(step) + 1e-9)) in (1, 2, 5)
