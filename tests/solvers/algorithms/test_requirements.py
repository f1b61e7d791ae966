"""Every variant of the registry refuses a problem that lacks what it needs, by the right type of error."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from solvers.algorithms.requirements import (
    require_nonnegative,
    required_device,
    required_end_points,
    required_source,
)
from solvers.core.problem import Problem
from solvers.core.variant import Answers, RunsOn, Variant, all_variants
from solvers.errors import DeviceUnavailable, InputError, ParameterError, UnsuitableGraph
from solvers.graphs.graph import Coordinates, Graph
from tests import graphs


class UntouchedDevice:
    """A device that the checks must not get as far as using."""

    kind = "cuda"
    is_cpu = False
    compute_units = 1
    max_block = 1024
    shared_bytes = 48 * 1024
    compute_capability = 90


def problem_for(entry: Variant, graph: Graph, source: int | None, target: int | None = None, **more: object) -> Problem:
    device = UntouchedDevice() if entry.runs_on.needs_device else None
    settled = entry.settle({})
    return Problem(graph, source, target, settled, **{"device": device, **more})  # type: ignore[arg-type]


def chosen(condition: object) -> list[object]:
    return [pytest.param(entry, id=entry.id) for entry in all_variants() if condition(entry)]  # type: ignore[operator]


@pytest.mark.parametrize("entry", chosen(lambda entry: entry.runs_on.needs_device))
def test_a_kernel_variant_without_a_device_is_refused(entry: Variant) -> None:
    source = None if entry.answers is Answers.APSP else 0
    with pytest.raises(DeviceUnavailable, match=entry.id):
        entry.solve(problem_for(entry, graphs.by_hand("a grid"), source, device=None))


@pytest.mark.parametrize("source", [None, -1, 10**6])
@pytest.mark.parametrize("entry", chosen(lambda entry: entry.answers is Answers.SSSP))
def test_a_variant_from_one_source_without_that_vertex_is_refused(entry: Variant, source: int | None) -> None:
    with pytest.raises(ParameterError) as refused:
        entry.solve(problem_for(entry, graphs.by_hand("a grid"), source))
    assert (refused.value.name, refused.value.value) == ("source", source)
    if entry.runs_on is not RunsOn.ANY:  # which speaks for the variant that it chose
        assert refused.value.owner == entry.id


@pytest.mark.parametrize(("source", "target"), [(None, None), (0, None), (None, 0)])
@pytest.mark.parametrize("entry", chosen(lambda entry: entry.answers is Answers.TARGET))
def test_a_variant_for_one_path_without_both_ends_is_refused(
    entry: Variant, source: int | None, target: int | None
) -> None:
    graph = graphs.by_hand("a grid")
    if entry.needs_coordinates:
        graph = replace(graph, coordinates=Coordinates(np.zeros((graph.n, 2)), False))
    with pytest.raises(InputError, match=entry.id):
        entry.solve(problem_for(entry, graph, source, target))


@pytest.mark.parametrize("entry", chosen(lambda entry: entry.needs_nonnegative))
def test_negative_weights_are_refused_where_a_vertex_is_settled_once(entry: Variant) -> None:
    source = None if entry.answers is Answers.APSP else 0
    with pytest.raises(UnsuitableGraph, match=f"{entry.id} needs non-negative weights"):
        entry.solve(problem_for(entry, graphs.by_hand("below zero"), source, 1))


def test_what_is_there_is_given_back() -> None:
    device = UntouchedDevice()
    problem = Problem(graphs.by_hand("a grid"), 2, 3, {}, device)  # type: ignore[arg-type]
    assert required_device(problem, "x") is device
    assert required_source(problem, "x") == 2
    assert required_end_points(problem, "x") == (2, 3)
    require_nonnegative(problem.graph, "x")
