"""Colours of differences: none where nothing changed, the strongest where most did.

Numbers of vertices as shades and bins: even ranges, and words that can be read.
"""

from __future__ import annotations

import numpy as np
import pytest

from gui.picture.scene.activity import NEVER
from gui.picture.scene.ramps import Ramp, ramp_colours
from gui.picture.scene.values import difference_values, reduction_map, value_text
from solvers import all_sources
from solvers.graphs.weights import INT32
from solvers.running.all_sources.reductions import REDUCTIONS
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


@pytest.mark.openmp
def test_values_that_are_all_the_same() -> None:
    found = all_sources(graphs.from_list(2, [(0, 1, 4)], directed=False))
    shown = reduction_map(found, REDUCTIONS[0])
    assert shown.counts.tolist() == [2]
    assert shown.values.shade.tolist() == [0, 0]
    assert shown.values.legend.ends == ("4", "4")
    assert shown.values.words_of is not None
    assert shown.values.words_of(1) == "4"
    np.testing.assert_array_equal(shown.edges, [4.0, 5.0])


def test_closeness_is_written_as_the_inverse_of_a_distance() -> None:
    closeness = REDUCTIONS[1]
    assert value_text(0.0, closeness, "m") == "0"
    assert value_text(1 / 2500.0, closeness, "m") == "1 / 2.50 km"
