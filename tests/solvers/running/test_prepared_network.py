"""Which network is prepared where a hierarchy may be impossible."""

from __future__ import annotations

import pytest

from solvers.errors import (
    OrderFailed,
    OutOfMemory,
    SeparatorsTooLarge,
    TautpathError,
    Unavailable,
    UnsuitableGraph,
)
from solvers.graphs.graph import Graph
from solvers.running import prepared_network
from solvers.running.prepared_network import network_as_possible
from solvers.system.cancel import Progress
from tests.gui.pictures import street_grid


def failing(monkeypatch: pytest.MonkeyPatch, error: TautpathError) -> None:
    def fail(graph: Graph, progress: Progress) -> None:
        raise error

    monkeypatch.setattr(prepared_network, "network_with_hierarchy", fail)


@pytest.mark.parametrize(
    "error",
    [
        SeparatorsTooLarge("router", "grid", 10**9, 4),
        OutOfMemory("a hierarchy", 2, 1),
        OrderFailed(-9, ""),
        Unavailable("no METIS"),
    ],
)
def test_a_hierarchy_answers_where_there_is_one_and_searches_do_elsewhere(
    monkeypatch: pytest.MonkeyPatch, error: TautpathError
) -> None:
    grid = street_grid(8, 8)
    prepared = network_as_possible(grid)
    failing(monkeypatch, error)
    searched = network_as_possible(grid)
    assert (prepared.prepared, searched.prepared) == (True, False)
    assert prepared.length(0, grid.n - 1) == searched.length(0, grid.n - 1) == 14


def test_what_no_search_helps_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    failing(monkeypatch, UnsuitableGraph("weights that are none"))
    with pytest.raises(UnsuitableGraph, match="that are none"):
        network_as_possible(street_grid(8, 8))
