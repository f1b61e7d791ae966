"""Of which state an answer is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from solvers.graphs.graph import Graph
from solvers.graphs.hours import AtHour, HourTable
from solvers.graphs.road_changes import RoadChanges
from solvers.running.answers.answer import UNMEASURED, PathAnswer
from tests.gui.pictures import street_grid


def state_of(graph: Graph) -> str:
    path = np.array([0, 1], np.int32)
    return str(PathAnswer(graph, 0, 1, path, 1, "live", run=UNMEASURED).state)


def test_the_state_says_changes_as_they_were_made_whatever_the_network_is_called() -> None:
    """Names were cut apart before, so that another one lost or repeated the changes."""
    network = replace(street_grid(4, 4), name="grid (north)")
    changed = RoadChanges().slow(2.0, (0, 1)).close((5, 6)).apply(network)
    told = "grid (north), 1 road closed, 1 road slowed, not measured"
    assert state_of(network) == "grid (north), not measured"
    assert state_of(changed) == told
    nine = AtHour(HourTable("hours", ("others",), {}), "09:00")
    said = replace(changed.overlay, said=(*changed.overlay.said, nine))
    at_nine = changed.with_overlay(said, name="a map")
    assert state_of(at_nine) == told.replace(", not", ", at 09:00, not")
    again = RoadChanges().close((9, 10)).apply(changed)
    assert state_of(again) == told.replace(", not", ", 1 road closed, not")
