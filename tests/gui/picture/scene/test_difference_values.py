"""Colours of differences: none where nothing changed, the strongest where most did."""

from __future__ import annotations

import numpy as np

from gui.picture.scene.activity import NEVER
from gui.picture.scene.difference_values import difference_values
from gui.picture.scene.ramps import Ramp, ramp_colours
from solvers.graphs.weights import INT32
from solvers.running.differences import Differences
from tests import graphs

FAR = INT32.infinity
GRAPH = graphs.from_list(5, [(0, 1, 1)])


def of(before: list[int], after: list[int]) -> Differences:
    return Differences(GRAPH, np.array(before, np.int32), np.array(after, np.int32))


def test_increases_run_from_nothing_to_the_greatest() -> None:
    values = difference_values(of([0, 5, 5, 5, FAR], [0, 15, 25, FAR, FAR]))
    assert values is not None
    assert values.reveal.tolist() == [NEVER, 0, 0, 0, NEVER]
    assert values.shade.tolist()[1:4] == [127, 255, 255]
    assert (values.legend.low, values.legend.high, values.legend.ramp) == (0, 20, Ramp.INCREASES)


def test_decreases_lie_on_the_other_side() -> None:
    values = difference_values(of([0, 5, 30, 5, FAR], [0, 15, 10, 5, 4]))
    assert values is not None
    assert values.reveal.tolist() == [NEVER, 0, 0, NEVER, 0]
    assert values.shade.tolist()[1:3] == [191, 0]
    assert values.shade[4] == 0, "as the greatest decrease"
    assert (values.legend.low, values.legend.high, values.legend.ramp) == (-20, 20, Ramp.DIFFERENCES)


def test_equal_distances_have_no_colours() -> None:
    assert difference_values(of([0, 5, FAR, 5, 5], [0, 5, FAR, 5, 5])) is None


def test_both_ends_of_the_ramp_of_differences_differ_from_its_middle() -> None:
    for dark in (False, True):
        colours = ramp_colours(Ramp.DIFFERENCES, dark)
        assert np.abs(colours[0] - colours[255]).sum() > 200
        assert np.abs(colours[255] - colours[128]).sum() > 80
