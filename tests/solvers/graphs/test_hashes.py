"""Hashes tell graphs apart by what they contain, not by their names."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.graphs.graph import Graph
from tests import graphs

ARCS = [(0, 1, 5), (0, 2, 3), (2, 0, 1), (0, 1, 2), (1, 1, 9), (2, 1, -4)]


@pytest.fixture
def small() -> Graph:
    return graphs.from_list(3, ARCS)


def test_fingerprint_sees_structure_weights_and_ids_but_not_the_name(small: Graph) -> None:
    same = graphs.from_list(3, ARCS, name="other")
    heavier = graphs.from_list(3, [*ARCS[:-1], (2, 1, -3)])
    wider = graphs.from_list(3, ARCS, dtype=np.int64)

    assert small.sha256 == same.sha256
    assert len({small.sha256, heavier.sha256, wider.sha256}) == 3
    assert len(small.sha256) == 64


def test_the_structure_has_a_hash_of_its_own(small: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    heavier = Graph(small.indptr, small.indices, small.weights * 2, ids=np.array([7, 8, 9]))
    elsewhere = graphs.from_list(3, [*ARCS[:-1], (2, 2, -4)])
    wider = graphs.from_list(4, ARCS)
    assert small.structure_sha256 == heavier.structure_sha256
    assert len({graph.structure_sha256 for graph in (small, elsewhere, wider)}) == 3
    monkeypatch.setattr("solvers.graphs.hashes._BLOCK_BYTES", 8)  # several blocks, hashed at the same time
    swapped = graphs.from_list(3, [(0, 1, 5), (0, 2, 3), (1, 1, 9), (2, 0, 1), (2, 2, 1), (0, 1, 2)])
    assert Graph(small.indptr, small.indices, small.weights).structure_sha256 != swapped.structure_sha256
    empty = graphs.from_list(0, [])
    assert len(empty.structure_sha256) == 64
