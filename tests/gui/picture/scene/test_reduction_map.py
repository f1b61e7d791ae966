"""Numbers of vertices as shades and bins: even ranges, and words that can be read."""

from __future__ import annotations

import numpy as np
import pytest

from gui.picture.scene.reduction_map import reduction_map, value_text
from solvers import all_sources
from solvers.running.all_sources.reductions import REDUCTIONS
from solvers.system import openmp
from tests import graphs


@pytest.mark.skipif(openmp.availability_error() is not None, reason="numba has no OpenMP here")
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
