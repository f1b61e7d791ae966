"""A variant asked without parameters takes its defaults."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.core.availability import availability
from solvers.core.problem import Problem
from solvers.core.variant import Answers, RunsOn, Variant, all_variants, find_variant
from solvers.devices import discover
from solvers.errors import ParameterError, UnknownName
from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.weights import to_float
from tests import graphs


@pytest.fixture(scope="module")
def graph() -> Graph:
    plain = graphs.by_hand("the detour is shorter")
    line = Coordinates(np.column_stack([np.arange(4.0), np.zeros(4)]))
    return Graph(plain.indptr, plain.indices, plain.weights, coordinates=line)


@pytest.mark.parametrize("entry", all_variants(), ids=lambda v: v.id)
def test_a_problem_without_parameters_is_solved(entry: Variant, graph: Graph) -> None:
    if entry.runs_on is RunsOn.MPI:
        pytest.skip("starting MPI ranks takes seconds; tests/solvers/algorithms/mpi asks without parameters")
    devices = [found for found in discover().devices if entry.runs_on.takes_device]
    device = devices[0] if devices else None
    here = availability(entry, graph, device)
    if not here.available:
        pytest.skip(here.reason)

    source = None if entry.answers is Answers.APSP else 0
    distances = entry.solve(Problem(graph, source, 3, device=device)).distances

    row = distances if distances.ndim == 1 else distances[0]
    if not entry.racy:
        assert to_float(row)[3] == 6


def test_parameters_given_are_checked_and_converted(graph: Graph) -> None:
    heap = find_variant("dijkstra-heap")

    assert heap.solve(Problem(graph, 0, parameters={"arity": "8"})).distances[3] == 6
    with pytest.raises(ParameterError):
        heap.solve(Problem(graph, 0, parameters={"arity": "eight"}))
    with pytest.raises(UnknownName):
        heap.solve(Problem(graph, 0, parameters={"aritty": 8}))
