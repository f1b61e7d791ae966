"""Hashes tell graphs apart by what they contain, not by their names."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from solvers.graphs.graph import Graph
from solvers.graphs.hashes import hash_of_distances
from solvers.graphs.weights import weight_type
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


def test_distances_have_equal_hashes_in_any_type_and_with_either_zero() -> None:
    same = [hash_of_distances(np.array([0, 3, 7], dtype)) for dtype in (np.int32, np.int64, np.float32, np.float64)]
    assert {*same, hash_of_distances(np.array([-0.0, 3.0, 7.0]))} == {same[0]}
    unreached = [hash_of_distances(np.array([0, weight_type(t).infinity], t)) for t in (np.int32, np.float64)]
    assert len({*unreached, same[0]}) == 2


def test_the_hash_of_a_matrix_is_that_of_its_rows_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = np.arange(28, dtype=np.int32).reshape(7, 4)
    rows = b"".join(hashlib.sha256(row.astype("<f8").tobytes()).digest() for row in matrix)
    assert hash_of_distances(matrix) == hashlib.sha256(rows).hexdigest(), "in one block"
    monkeypatch.setattr("solvers.graphs.hashes._BLOCK_BYTES", 100)  # 3 rows a block
    assert hash_of_distances(matrix) == hashlib.sha256(rows).hexdigest(), "in three"
    assert hash_of_distances(matrix.T.copy().T) == hash_of_distances(matrix)
    assert hash_of_distances(matrix[::-1]) != hash_of_distances(matrix)
