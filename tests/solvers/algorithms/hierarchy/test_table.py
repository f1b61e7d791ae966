"""Distances from many vertices to many others."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.algorithms.hierarchy.table import distance_matrix
from solvers.errors import Cancelled, NegativeCycle, ParameterError
from solvers.graphs.weights import to_float
from solvers.system.cancel import CancelToken, Progress
from tests import graphs


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_every_pair_of_any_graph(data: st.DataObject) -> None:
    graph = data.draw(graphs.graphs(negative=data.draw(st.booleans())))
    vertices = st.lists(st.integers(0, graph.n - 1), max_size=6)
    sources, targets = data.draw(vertices), data.draw(vertices)
    found = distance_matrix(graph, np.array(sources, np.int64), np.array(targets, np.int64), threads=1)
    right = graphs.right_matrix(graph)[np.ix_(sources, targets)] if sources and targets else found
    np.testing.assert_allclose(to_float(found), right, rtol=1e-5, atol=1e-5)


def test_blocks_of_sources_on_several_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solvers.algorithms.hierarchy.table._PAIRS_A_LOOK", 100)
    graph = graphs.at_random(300, 500, seed=2)
    sources, targets = np.arange(0, 300, 7), np.arange(1, 300, 11)
    found = distance_matrix(graph, sources, targets)
    right = [graphs.right_distances(graph, s)[targets] for s in sources.tolist()]
    np.testing.assert_array_equal(to_float(found), right)


def test_what_cannot_be_answered_is_said() -> None:
    graph, _ = graphs.with_negative_cycle("of three")
    with pytest.raises(NegativeCycle):
        distance_matrix(graph, np.array([0]), np.array([4]))
    with pytest.raises(ParameterError, match="numbered from 0 to 24"):
        distance_matrix(graphs.by_hand("a grid"), np.array([0]), np.array([25]))
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        distance_matrix(graphs.by_hand("a grid"), np.array([0]), np.array([1]), progress=Progress(token))
