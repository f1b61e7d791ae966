"""Vertices are found by the ids of their file; unknown ids come with their neighbours."""

from __future__ import annotations

import pytest

from solvers.errors import UnknownVertex
from solvers.graphs.graph import Graph
from tests import graphs


@pytest.fixture
def small() -> Graph:
    return graphs.from_list(3, [(0, 1, 5), (1, 2, 3)])


def test_ids_are_found_and_strangers_get_their_neighbours(small: Graph) -> None:
    assert [small.vertex(int(vertex_id)) for vertex_id in small.ids] == [0, 1, 2]
    with pytest.raises(UnknownVertex) as caught:
        small.vertex(14)
    assert caught.value.nearest == ("13", "16")
    for stranger in (17, 10**30, "13", None):
        with pytest.raises(UnknownVertex):
            small.vertex(stranger)
    assert [small.vertex_id(index) for index in range(3)] == [10, 13, 16]


def test_several_ids_are_found_together_and_the_unknown_one_is_named(small: Graph) -> None:
    assert small.vertices([16, 10, 16]).tolist() == [2, 0, 2]
    assert small.vertices([]).tolist() == []
    for ids, unknown, nearest in (([10, 14, 16], "14", ("13", "16")), ([10, "13", 14], "13", ())):
        with pytest.raises(UnknownVertex) as caught:
            small.vertices(ids)
        assert unknown in str(caught.value)
        assert caught.value.nearest == nearest
