"""Every variant is right on every graph in every weight type, takes its defaults, and
refuses what it cannot solve.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.core.availability import availability
from solvers.core.problem import Problem, Recorder, Solution
from solvers.core.recorder import MatrixRecorder, TraceRecorder
from solvers.core.trace import downsample_least
from solvers.core.variant import Answers, RunsOn, Variant, all_variants, find_variant
from solvers.devices import discover
from solvers.devices.device import Device
from solvers.errors import (
    Cancelled,
    DeviceUnavailable,
    InputError,
    NegativeCycle,
    ParameterError,
    UnknownName,
    UnsuitableGraph,
)
from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.readers import read_graph
from solvers.graphs.weights import to_float
from solvers.parameters import Parameter
from solvers.system.cancel import SILENT, Progress
from solvers.verification.paths import path_length, path_to, recover_predecessors
from solvers.verification.verify import verify_apsp, verify_cycle
from tests import graphs
from tests.data import data_file
from tests.solvers.algorithms.cases import cancelled, expect_verified
from tests.weight_types import skip_where_not_tested

# Sums in float32 are off by a few of its units; int32 graphs and float64 ones by (nearly) nothing.
_RTOL = {"float32": 1e-5, "float64": 1e-12, "int32": 0, "int64": 0}


# --- which variants, and where
# ----------------------------------------------------------------------------------------


def _places(entry: Variant) -> Iterator[Any]:
    """A variant on the host, or on the OpenCL processor and, where there is one, the NVIDIA GPU."""
    if not entry.runs_on.needs_device:
        yield pytest.param((entry.id, "host"), id=entry.id)
        return
    if not entry.cuda_only:
        yield pytest.param((entry.id, "opencl"), id=f"{entry.id}-opencl")
    if any(device.kind == "cuda" for device in discover().devices):
        yield pytest.param((entry.id, "cuda"), id=f"{entry.id}-cuda", marks=pytest.mark.gpu)


def _everywhere(*answers: Answers, ranks: bool = False) -> list[Any]:
    """Those that give such answers; MPI variants only with ``ranks``, since starting
    ranks takes a second.

    ``tests/solvers/features/mpi`` solves every graph of `tests.graphs` in every
    weight type, with one start for all, and looks at traces.
    """
    chosen = (entry for entry in all_variants() if not entry.racy and entry.answers in answers)
    return [
        place
        for entry in chosen
        if ranks or entry.runs_on is not RunsOn.MPI
        for place in _places(entry)
    ]


class Bench:
    """A variant where it is to run."""

    def __init__(self, entry: Variant, device: Device | None):
        self.variant = entry
        self.device = device

    def solve(
        self,
        graph: Graph,
        source: int = 0,
        progress: Progress = SILENT,
        recorder: Recorder | None = None,
        **parameters: Any,
    ) -> Solution:
        """Solve from ``source``, or for all pairs where that is what the variant does."""
        start = source if self.variant.answers is Answers.SSSP else None
        settled = self.variant.settle(parameters)
        return self.variant.solve(
            Problem(graph, start, None, settled, self.device, progress, recorder=recorder)
        )

    def skip_where_unavailable(self, graph: Graph) -> None:
        answer = availability(self.variant, graph, self.device)
        if not answer.available:
            pytest.skip(answer.reason)


@pytest.fixture
def bench(request: pytest.FixtureRequest) -> Bench:
    variant_id, where = request.param
    entry = find_variant(variant_id)
    if where == "host":
        return Bench(entry, None)
    found = [d for d in discover().devices if (d.kind == "cuda" if where == "cuda" else d.is_cpu)]
    if not found:
        pytest.skip(f"no {where} device here: {'; '.join(discover().problems)}")
    return Bench(entry, found[0])


everywhere = pytest.mark.parametrize(
    "bench", _everywhere(Answers.SSSP, Answers.APSP, ranks=True), indirect=True
)
in_process = pytest.mark.parametrize(
    "bench", _everywhere(Answers.SSSP, Answers.APSP), indirect=True
)
single_source = pytest.mark.parametrize("bench", _everywhere(Answers.SSSP), indirect=True)
all_pairs = pytest.mark.parametrize("bench", _everywhere(Answers.APSP), indirect=True)
in_every_type = pytest.mark.parametrize("dtype", graphs.DTYPES)


# --- what is asked of an answer
# ---------------------------------------------------------------------------------------


def expect_right(bench: Bench, graph: Graph, source: int = 0, **parameters: Any) -> Solution:
    """Solve, and hold distances, verdict, predecessors and paths against the tests' own answer."""
    bench.skip_where_unavailable(graph)
    solution = bench.solve(graph, source, **parameters)
    if bench.variant.answers is Answers.APSP:
        _expect_right_matrix(graph, solution, source)
    else:
        _expect_right_row(graph, solution, source)
    assert solution.iterations >= 0
    assert solution.phases.total > 0
    return solution


def _expect_right_row(graph: Graph, solution: Solution, source: int) -> None:
    right = graphs.right_distances(graph, source)
    assert solution.distances.shape == (graph.n,)
    np.testing.assert_allclose(to_float(solution.distances), right, **_tolerance(graph))
    expect_verified(graph, solution, source)
    if solution.predecessors is not None:
        _expect_paths(graph, solution.predecessors, source, right)
    _expect_paths(graph, recover_predecessors(graph, source, solution.distances), source, right)


def _expect_right_matrix(graph: Graph, solution: Solution, source: int) -> None:
    right = graphs.right_matrix(graph)
    assert solution.distances.shape == (graph.n, graph.n)
    assert solution.distances.flags.c_contiguous
    np.testing.assert_allclose(to_float(solution.distances), right, **_tolerance(graph))
    verdict = verify_apsp(graph, solution.distances)
    assert verdict.verified, verdict.text
    if solution.predecessors is not None:
        _expect_paths(graph, solution.predecessors[source], source, right[source])
    _expect_paths(
        graph,
        recover_predecessors(graph, source, solution.distances[source]),
        source,
        right[source],
    )


def _expect_paths(graph: Graph, predecessors: np.ndarray, source: int, right: np.ndarray) -> None:
    """Every vertex that can be reached has a path from the source, made of arcs, as
    long as its distance.
    """
    assert predecessors.dtype == np.int32
    lengths = np.full(graph.n, np.inf)
    for target in range(graph.n):
        path = path_to(predecessors, source, target)
        if path is not None:
            assert (path[0], path[-1]) == (source, target)
            assert len(set(path.tolist())) == len(path)
            lengths[target] = path_length(graph, path)
    np.testing.assert_allclose(lengths, right, **_tolerance(graph))


def _tolerance(graph: Graph) -> dict[str, float]:
    """Relative, and where weights cancel also absolute, to the size of the weights."""
    relative = _RTOL[graph.weights.dtype.name]
    largest = float(np.abs(graph.weights).max()) if graph.m else 0.0
    return {"rtol": relative, "atol": relative * largest}


def _taken(bench: Bench, names: Sequence[str], dtype: str = "int32") -> list[Graph]:
    """The graphs of these names that the variant takes; skips where it takes none.

    One test for all graphs: as tests of their own they would take longer to be set up than solved.
    """
    every = [graphs.by_hand(name, dtype) for name in names]
    taken = [graph for graph in every if availability(bench.variant, graph, bench.device).available]
    if not taken:
        bench.skip_where_unavailable(every[0])
    return taken


def _skip_ranks(bench: Bench, *, unless: bool = False) -> None:
    """Skip where ranks would have to be started, ``unless`` this case is one of the few to run."""
    if bench.variant.runs_on is RunsOn.MPI and not unless:
        pytest.skip("starting MPI ranks takes seconds")


# --- right answers
# --------------------------------------------------------------------------------------


def test_the_registry_is_not_empty_here() -> None:
    """What is skipped below for want of a device must not be everything."""
    answers = {entry.answers for entry in all_variants() if not entry.racy and not entry.cuda_only}
    assert answers >= {Answers.SSSP, Answers.APSP}


@everywhere
@in_every_type
def test_every_difficulty(bench: Bench, dtype: str) -> None:
    _skip_ranks(bench, unless=dtype == "int32")
    names = ["a grid"] if bench.variant.runs_on is RunsOn.MPI else graphs.BY_HAND
    for graph in _taken(bench, names, dtype):
        expect_right(bench, graph)


@pytest.mark.parametrize(
    "bench", [("dijkstra-heap", "host"), ("bf-vertex", "opencl")], indirect=True
)
@pytest.mark.parametrize("name", ["ways past infinity", "heavy"])
def test_distances_past_infinity_are_solved_in_64_bits(bench: Bench, name: str) -> None:
    """All variants are where int64 is tested; the compiled code is that of int64 weights."""
    solution = expect_right(bench, graphs.by_hand(name))
    assert solution.distances.dtype == np.int64


@everywhere
@in_every_type
def test_negative_weights_are_solved_or_refused_in_words(bench: Bench, dtype: str) -> None:
    if not bench.variant.needs_nonnegative:
        _skip_ranks(bench)
        for graph in _taken(bench, graphs.NEGATIVE, dtype):
            expect_right(bench, graph)
        return
    for name in graphs.NEGATIVE:
        graph = graphs.by_hand(name, dtype)
        with pytest.raises(UnsuitableGraph, match=r"zero or more|non-negative") as refusal:
            bench.solve(graph)
        worst = int(np.argmin(graph.weights))
        assert str(graph.ids[graph.tails[worst]]) in str(refusal.value), (
            "the refusal names the arc by the file's ids"
        )
        assert not availability(bench.variant, graph, bench.device).available


@everywhere
@in_every_type
def test_a_negative_cycle_is_found_and_shown(bench: Bench, dtype: str) -> None:
    if bench.variant.needs_nonnegative:
        pytest.skip("refuses negative weights")
    for name in graphs.NEGATIVE_CYCLES:
        graph, in_reach = graphs.with_negative_cycle(name, dtype)
        if bench.variant.answers is Answers.SSSP and not in_reach:
            _expect_right_row(graph, bench.solve(graph), 0)
            continue
        if bench.variant.runs_on is RunsOn.MPI and (dtype, name) != ("int32", "of three"):
            continue  # starting ranks takes seconds
        with pytest.raises(NegativeCycle) as found:
            bench.solve(graph)
        verdict = verify_cycle(graph, found.value.vertices)
        assert verdict.verified, verdict.text
        assert found.value.weight < 0


@in_process
def test_from_any_source(bench: Bench) -> None:
    graph = graphs.at_random(30, 60, seed=5)
    for source in (1, 17, 29):
        expect_right(bench, graph, source)


@in_process
@in_every_type
def test_more_vertices_than_a_block_has_threads(bench: Bench, dtype: str) -> None:
    """And no multiple of a block or a tile."""
    n = 1_333 if bench.variant.answers is Answers.SSSP else 133
    graph = graphs.at_random(n, 4 * n, seed=7, dtype=dtype, directed=False)
    if bench.variant.answers is Answers.SSSP:
        expect_right(bench, graph, source=n // 2)
    else:
        solution = bench.solve(graph)
        np.testing.assert_allclose(
            to_float(solution.distances), _matrix_of(n, dtype), rtol=_RTOL[dtype]
        )


@cache
def _matrix_of(n: int, dtype: str) -> np.ndarray:
    return graphs.right_matrix(graphs.at_random(n, 4 * n, seed=7, dtype=dtype, directed=False))


@in_process
@settings(max_examples=12)
@given(data=st.data())
def test_whatever_hypothesis_thinks_of(bench: Bench, data: st.DataObject) -> None:
    graph = data.draw(graphs.graphs(negative=not bench.variant.needs_nonnegative))
    expect_right(bench, graph, source=data.draw(st.integers(0, graph.n - 1)))


@in_process
def test_every_choice_of_every_parameter(bench: Bench) -> None:
    graph = graphs.at_random(70, 200, seed=3)
    for parameter in bench.variant.parameters:
        for value in _values(parameter):
            bench.skip_where_unavailable(graph)
            solution = bench.solve(graph, **{parameter.name: value})
            row = solution.distances if solution.distances.ndim == 1 else solution.distances[0]
            np.testing.assert_array_equal(
                to_float(row), graphs.right_distances(graph, 0), err_msg=f"{parameter.name}={value}"
            )


def _values(parameter: Parameter) -> tuple[Any, ...]:
    if parameter.choices:
        return parameter.choices
    if isinstance(parameter.default, bool):
        return (True, False)
    return () if parameter.low is None else (parameter.low,)


# --- real graphs
# --------------------------------------------------------------------------------------


@cache
def _read(name: str) -> Graph:
    return read_graph(data_file(name)).graph


def _real(bench: Bench, name: str) -> Graph:
    """A graph of the data; skips if its weights are of a type that this run does not test."""
    graph = _read(name)
    skip_where_not_tested(graph.weights.dtype.name)
    return graph


@pytest.mark.data
@in_process
@pytest.mark.parametrize("name", ["other/tinyEWD.txt", "other/256_16384.gr"])
def test_small_real_graphs(bench: Bench, name: str) -> None:
    expect_right(bench, _real(bench, name), source=3)


@pytest.mark.data
@in_process
def test_real_negative_weights(bench: Bench) -> None:
    if bench.variant.needs_nonnegative:
        pytest.skip("refuses negative weights")
    expect_right(bench, _real(bench, "other/tinyEWDn.txt"))


@pytest.mark.data
@in_process
def test_a_real_negative_cycle(bench: Bench) -> None:
    if bench.variant.needs_nonnegative:
        pytest.skip("refuses negative weights")
    graph = _real(bench, "other/tinyEWDnc.txt")
    with pytest.raises(NegativeCycle) as found:
        bench.solve(graph)
    assert verify_cycle(graph, found.value.vertices).verified


@pytest.mark.data
@single_source
def test_the_streets_of_rome(bench: Bench) -> None:
    """3,353 vertices and 8,870 arcs, truly directed, with parallel arcs."""
    graph = _real(bench, "dimacs/rome99.gr")
    solution = bench.solve(graph, source=100)
    expect_verified(graph, solution, 100)


# --- what an observed run tells
# ---------------------------------------------------------------------------------------


@single_source
def test_the_trace_adds_up(bench: Bench) -> None:
    names = ("a grid", "ties", "zero weights", "self-loops", "two components", "one vertex")
    for graph in _taken(bench, names):
        _expect_trace(bench, graph)


def _expect_trace(bench: Bench, graph: Graph) -> None:
    recorder = TraceRecorder(graph.n)
    watched = bench.solve(graph, recorder=recorder)
    trace = recorder.finish()
    np.testing.assert_array_equal(watched.distances, bench.solve(graph).distances)
    assert trace.iterations == len(trace) == watched.iterations
    if watched.iterations:  # n - 1 passes over one vertex are none
        assert trace.frontier(0).tolist() == [0], "the first pass relaxes the source alone"
    if watched.relaxations is not None:
        assert trace.total_relaxed == watched.relaxations
    reached = np.isfinite(to_float(watched.distances))
    assert not (trace.first_active[~reached] >= 0).any(), "what cannot be reached is never active"
    # the last of n - 1 passes has no successor to be active in
    if watched.iterations < graph.n - 1:
        assert (trace.first_active[reached & (graph.out_degrees > 0)] >= 0).all()
    assert trace.improved.sum() >= reached.sum() - 1, "each vertex reached fell at least once"
    assert (trace.ms >= 0).all()


@all_pairs
@pytest.mark.parametrize("name", ["a grid", "one vertex"])
def test_the_matrix_is_shown_as_it_fills(bench: Bench, name: str) -> None:
    graph = graphs.by_hand(name)
    bench.skip_where_unavailable(graph)
    recorder = MatrixRecorder(graph.n)
    watched = bench.solve(graph, recorder=recorder)
    trace = recorder.finish()
    np.testing.assert_array_equal(watched.distances, bench.solve(graph).distances)
    assert len(trace) >= 1
    assert [step.step for step in trace.steps] == sorted(step.step for step in trace.steps)
    for step in trace.steps:
        assert ((step.tiles >= 0) & (step.tiles <= graph.n)).all()
    last = [step.snapshot for step in trace.steps if step.snapshot is not None][-1]
    np.testing.assert_array_equal(last, downsample_least(watched.distances, 256))


@everywhere
def test_cancel_is_obeyed(bench: Bench) -> None:
    graph = graphs.at_random(300, 1200, seed=1)
    with pytest.raises(Cancelled):
        bench.solve(graph, progress=cancelled())


@pytest.fixture(scope="module")
def graph() -> Graph:
    plain = graphs.by_hand("the detour is shorter")
    line = Coordinates(np.column_stack([np.arange(4.0), np.zeros(4)]))
    return Graph(plain.indptr, plain.indices, plain.weights, coordinates=line)


@pytest.mark.parametrize("entry", all_variants(), ids=lambda v: v.id)
def test_a_problem_without_parameters_is_solved(entry: Variant, graph: Graph) -> None:
    if entry.runs_on is RunsOn.MPI:
        pytest.skip(
            "starting MPI ranks takes seconds; tests/solvers/features/mpi asks without parameters"
        )
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


class UntouchedDevice:
    """A device that the checks must not get as far as using."""

    kind = "cuda"
    is_cpu = False
    compute_units = 1
    max_block = 1024
    shared_bytes = 48 * 1024
    compute_capability = 90


def problem_for(
    entry: Variant, graph: Graph, source: int | None, target: int | None = None, **more: object
) -> Problem:
    device = UntouchedDevice() if entry.runs_on.needs_device else None
    settled = entry.settle({})
    return Problem(graph, source, target, settled, **{"device": device, **more})


def chosen(condition: object) -> list[object]:
    return [pytest.param(entry, id=entry.id) for entry in all_variants() if condition(entry)]


@pytest.mark.parametrize("entry", chosen(lambda entry: entry.runs_on.needs_device))
def test_a_kernel_variant_without_a_device_is_refused(entry: Variant) -> None:
    source = None if entry.answers is Answers.APSP else 0
    with pytest.raises(DeviceUnavailable, match=entry.id):
        entry.solve(problem_for(entry, graphs.by_hand("a grid"), source, device=None))


@pytest.mark.parametrize("source", [None, -1, 10**6])
@pytest.mark.parametrize("entry", chosen(lambda entry: entry.answers is Answers.SSSP))
def test_a_variant_from_one_source_without_that_vertex_is_refused(
    entry: Variant, source: int | None
) -> None:
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
