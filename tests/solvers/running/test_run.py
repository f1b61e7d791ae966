"""The runner: trials, proof, path and trace of each variant, failures and cancellation;
no variant harms another.
"""

from __future__ import annotations

import gc
import itertools
import weakref
from dataclasses import replace

import numpy as np
import pytest

from solvers.core.result import Status
from solvers.core.trace import ActivityTrace, MatrixTrace
from solvers.core.variant import Answers, RunsOn
from solvers.errors import (
    DeviceUnavailable,
    NegativeCycle,
    OutOfMemory,
    ParameterError,
    UnknownName,
)
from solvers.graphs.graph import Graph
from solvers.parameters import Parameter
from solvers.running.network_results import route
from solvers.running.request import Choice, MeasurementPlan, RunRequest
from solvers.running.run import run
from solvers.system.cancel import CancelToken
from tests.solvers.fakes import (
    FakeDevice,
    ProgressListener,
    diamond,
    fake_variant,
    solve_apsp,
    solve_sssp,
)
from tests.solvers.running.requests import only, request_for

# -- what a good run leaves behind
# -----------------------------------------------------------------------------------


def test_warm_ups_come_first_and_are_marked():
    result = only(fake_variant(), trials=3, warmup=2)
    assert [t.is_warmup for t in result.trials] == [True, True, False, False, False]
    assert [t.index for t in result.trials] == [0, 1, 2, 3, 4]
    assert result.times("total") == [10.0, 10.0, 10.0]
    assert (result.ok, result.status) == (True, Status.OK)


def test_distances_are_proved_and_the_path_is_found():
    result = only(fake_variant())
    assert result.distances.tolist() == [0, 2, 4, 5, 2**30 - 1]
    assert result.verdict.verified
    assert result.path.tolist() == [0, 1, 3]
    assert result.predecessors.tolist() == [-1, 0, 0, 1, -1]
    assert result.target_distance == 5
    assert len(result.run_id) == 12
    assert result.timestamp_utc.endswith("+00:00")


RIGHT = [-1, 0, 0, 1, -1]


@pytest.mark.parametrize("given", [RIGHT, [-1, 0, 0, 2, -1], [-1, 3, 0, 1, -1], [-1, -1, 0, 1, -1]])
def test_a_variants_own_predecessors_are_kept_if_they_fit_the_distances(given):
    own = np.array(given, dtype=np.int32)
    result = only(fake_variant(solve=lambda p: replace(solve_sssp(p), predecessors=own)))
    assert (result.predecessors is own) is (given == RIGHT)
    assert result.predecessors.tolist() == RIGHT
    assert result.path.tolist() == [0, 1, 3]


def test_all_pairs_is_solved_without_a_source_but_routed_from_it():
    variant = fake_variant("all", solve_apsp, answers=Answers.APSP)
    result = only(variant)
    assert result.distances.shape == (5, 5)
    assert result.path.tolist() == [0, 1, 3]
    assert result.target_distance == 5
    assert only(variant, source=None, target=None).verdict.verified


def test_route_to_another_target_needs_no_new_run():
    result = only(fake_variant())
    assert route(result, 2).tolist() == [0, 2]
    assert route(result, 4) is None
    assert route(result, None) is None


def test_unreachable_target_has_no_path_and_infinite_distance():
    result = only(fake_variant(), target=4)
    assert result.path is None
    assert result.target_distance == float("inf")
    assert result.ok


@pytest.mark.parametrize("was_awake", [True, False])
def test_the_collector_rests_during_trials_and_is_as_before_after(was_awake):
    """In the window it is always off: a timer does its work there."""
    seen = []
    before = gc.isenabled()
    gc.enable() if was_awake else gc.disable()
    try:
        only(fake_variant(solve=lambda p: seen.append(gc.isenabled()) or solve_sssp(p)), trials=1)
        assert seen == [False, False]
        assert gc.isenabled() is was_awake
    finally:
        gc.enable() if before else gc.disable()


def test_without_warm_up_the_kernels_are_compiled_outside_the_trials():
    """So that compilation falls into no timed trial."""
    sizes = []
    variant = fake_variant(
        solve=lambda p: sizes.append((p.graph.n, p.graph.weights.dtype.name)) or solve_sssp(p)
    )
    result = only(variant, warmup=0, trials=1)
    assert sizes == [(2, "int32"), (5, "int32")]
    assert len(result.trials) == 1


def test_iterations_stand_with_the_trial_they_belong_to():
    counter = itertools.count(1)
    given = {"relaxations": 7, "note": "heads was chosen"}
    result = only(
        fake_variant(solve=lambda p: replace(solve_sssp(p), iterations=next(counter), **given)),
        trials=2,
    )
    assert result.note == "heads was chosen"
    assert [t.iterations for t in result.trials] == [1, 2, 3]
    assert {t.relaxations for t in result.trials} == {7}


# -- watched runs
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("trials", "wanted"), [(2, [False, False, False, True]), (0, [True])])
def test_only_the_last_run_is_watched_and_never_a_timed_trial(trials, wanted):
    watched = []
    variant = fake_variant(solve=lambda p: watched.append(p.recorder is not None) or solve_sssp(p))
    result = only(variant, trials=trials, trace=True)
    assert watched == wanted
    assert result.ok
    assert len(result.trials) == len(wanted) - 1
    assert result.path.tolist() == [0, 1, 3]
    assert len(result.trace) == result.iterations


def test_a_watched_run_counts_what_the_variant_did_not():
    result = only(fake_variant(), trace=True)
    assert isinstance(result.trace, ActivityTrace)
    assert len(result.trace) == result.iterations
    assert result.relaxations == 5 * result.iterations
    assert only(fake_variant()).relaxations is None


def test_all_pairs_are_watched_as_a_matrix():
    result = only(fake_variant("all", solve_apsp, answers=Answers.APSP), trace=True)
    assert isinstance(result.trace, MatrixTrace)
    assert result.relaxations == 125


def test_a_watched_run_with_a_wrong_answer_is_found_out():
    def solve(problem):
        solution = solve_sssp(problem)
        return (
            replace(solution, distances=solution.distances + 1)
            if problem.recorder is not None
            else solution
        )

    result = only(fake_variant(solve=solve), trace=True)
    assert not result.verdict.verified
    assert not result.ok
    assert result.path is None


# -- answers that are wrong
# ------------------------------------------------------------------------------------------


def test_one_wrong_trial_among_right_ones_is_found_out():
    """Racing threads may be right four times out of five: the fifth is what the verdict
    is about.
    """
    counter = itertools.count()

    def solve(problem):
        solution = solve_sssp(problem)
        if next(counter) == 2:
            solution.distances[3] = 6
        return solution

    result = only(fake_variant(solve=solve, racy=True), trials=5)
    assert not result.verdict.verified
    assert result.verdict.wrong_vertices == 1
    assert result.distances[3] == 6
    assert result.path is None
    assert len(result.times()) == 5


def test_without_verification_there_is_no_verdict():
    result = only(fake_variant(), verify=False)
    assert result.verdict is None
    assert result.path.tolist() == [0, 1, 3]


# -- results and progress
# --------------------------------------------------------------------------------------------


def test_results_come_one_by_one():
    """The second variant has not begun when the first result is out."""
    begun = []

    def noting(name):
        return fake_variant(name, lambda p: begun.append(name) or solve_sssp(p))

    results = run(request_for(noting("first"), noting("second"), trials=1))
    assert next(results).variant.id == "first"
    assert set(begun) == {"first"}
    assert next(results).variant.id == "second"


def test_progress_names_the_stage_and_only_grows(monkeypatch):
    monkeypatch.setattr("solvers.running.request.PROGRESS_INTERVAL_S", 0.0)
    heard = []
    request = request_for(fake_variant("a"), fake_variant("b"), trials=2, trace=True)
    list(run(request, listener=ProgressListener(heard.append)))
    stages = [p.stage for p in heard if p.variant.id == "a"]
    assert list(dict.fromkeys(stages)) == [
        "warm-up",
        "warm-up 1 of 1",
        "trial 1 of 2",
        "trial 2 of 2",
        "verifying the answer",
        "recording the trace",
        "finished",
    ]
    fractions = [p.fraction for p in heard]
    assert fractions == sorted(fractions)
    assert (fractions[0], fractions[-1]) == (0, 1)


# -- one path
# --------------------------------------------------------------------------------------


def nearest_only(problem):
    """Only vertices nearer than the target keep a distance: those that lie farther were
    never settled.
    """
    solution = solve_sssp(problem)
    distances = solution.distances
    distances[distances > distances[problem.target]] = 2**30 - 1
    return solution


def test_one_path_is_proved_by_itself_and_led_to_the_target():
    result = only(fake_variant(solve=nearest_only, answers=Answers.TARGET), target=1)
    assert result.ok
    assert result.distances.tolist() == [0, 2, 2**30 - 1, 2**30 - 1, 2**30 - 1]
    assert result.verdict.text == "A shortest path to 20 proved, and 1 distances on the way."
    assert result.path.tolist() == [0, 1]
    assert result.target_distance == 2


def test_the_same_answer_to_another_question_is_wrong():
    result = only(fake_variant(solve=nearest_only), target=1)
    assert not result.verdict.verified


def test_one_path_needs_both_ends():
    variant = fake_variant(solve=nearest_only, answers=Answers.TARGET)
    assert "choose a target vertex" in only(variant, target=None).error
    without_source = only(variant, source=None)
    assert "choose a source vertex" in without_source.error
    assert without_source.status is Status.NOT_APPLICABLE


def test_a_variant_for_anywhere_gets_the_device_and_does_without():
    devices = []

    def noting(problem):
        devices.append(problem.device)
        return solve_sssp(problem)

    anywhere, host = (
        fake_variant(runs_on=place, solve=noting) for place in (RunsOn.ANY, RunsOn.SERIAL)
    )
    here = FakeDevice()
    for variant, device in ((anywhere, here), (anywhere, None), (host, here)):
        assert only(variant, device=device, trials=1, warmup=0).ok
    assert [d for d in devices if d is not None] == [here, here], "the compilation and the trial"


class _Kept:
    is_usable = True

    def __init__(self):
        self.is_closed = False

    def close(self):
        self.is_closed = True


@pytest.mark.parametrize("fails", [False, True])
def test_what_lasts_for_all_trials_is_there_until_the_traced_run_and_ends_with_the_variant(fails):
    made, seen = [], []

    def keeping(problem):
        kept = problem.scope.keep("key", lambda: made.append(_Kept()) or made[-1])
        assert not kept.is_closed
        seen.append(problem.recorder is not None)
        if fails and len(seen) == 3:
            raise ZeroDivisionError
        return solve_sssp(problem)

    variant = fake_variant(solve=keeping)
    results = [only(variant, trials=2, warmup=0, trace=True) for _ in range(1 if fails else 2)]
    assert [result.ok for result in results] == [not fails] * len(results)
    assert seen == ([False] * 3 if fails else [False, False, False, True] * 2)
    assert [kept.is_closed for kept in made] == [True] * len(results), (
        "one for each time that the variant is run"
    )


# -- failures
# --------------------------------------------------------------------------------------


def failing(error):
    def solve(problem):
        raise error

    return fake_variant("failing", solve)


def test_a_failed_variant_does_not_stop_the_others():
    results = list(run(request_for(failing(ZeroDivisionError("by nought")), fake_variant("good"))))
    assert [r.status for r in results] == [Status.ERROR, Status.OK]
    assert "ZeroDivisionError: by nought" in results[0].error
    assert "in solve" in results[0].traceback
    assert [t.status for t in results[0].trials] == [Status.ERROR]


@pytest.mark.parametrize("trials", [0, 2])
def test_a_run_is_in_no_cycle_that_keeps_its_graph(trials):
    """The window may let its garbage collector wait until its user leaves it."""
    graph = diamond()
    kept = weakref.ref(graph)
    request = RunRequest(
        graph, 0, 3, (Choice(fake_variant()),), None, MeasurementPlan(trials=trials), trace=True
    )
    collects = gc.isenabled()
    gc.disable()
    try:
        assert [result.ok for result in run(request)] == [True]
        del graph, request
        assert kept() is None
    finally:
        if collects:
            gc.enable()


def test_a_fault_keeps_none_of_the_variants_arrays_alive():
    class Arrays:
        pass

    kept = []

    def solve(problem):
        arrays = Arrays()
        kept.append(weakref.ref(arrays))
        try:
            raise KeyError("first")
        except KeyError:
            raise ZeroDivisionError("then") from None

    result = only(fake_variant(solve=solve), trials=1)
    gc.collect()
    assert isinstance(result.fault, ZeroDivisionError)
    assert [reference() for reference in kept] == [None] * len(kept)


@pytest.mark.parametrize(
    "error", [OutOfMemory("the matrix", 5_400_000_000, 2_000_000_000), MemoryError()]
)
def test_too_little_memory_has_a_status_of_its_own(error):
    result = only(failing(error))
    assert (result.status, bool(result.error)) == (Status.OUT_OF_MEMORY, True)


def test_a_good_trial_before_a_bad_one_is_kept():
    counter = itertools.count()

    def solve(problem):
        if next(counter) == 2:
            raise MemoryError
        return solve_sssp(problem)

    result = only(fake_variant(solve=solve), trials=5)
    assert [t.status for t in result.trials] == [Status.OK, Status.OK, Status.OUT_OF_MEMORY]
    assert result.times("solve") == [3.0]


@pytest.mark.parametrize("is_cycle", [True, False])
def test_a_negative_cycle_is_an_outcome_and_is_verified(is_cycle):
    graph = Graph.from_arcs(
        3, np.array([0, 1, 2]), np.array([1, 2, 1]), np.array([1, -5, 2], dtype=np.int32)
    )
    vertices = (1, 2) if is_cycle else (0, 1)
    error = NegativeCycle(tuple(map(graph.vertex_id, vertices)), vertices, -3, iterations=3)
    result = only(failing(error), graph=graph, target=2)
    assert (result.status, result.cycle, result.iterations) == (Status.NEGATIVE_CYCLE, vertices, 3)
    assert result.verdict.verified is is_cycle
    assert not result.ok


def test_wrong_parameters_are_told_before_anything_runs():
    variant = fake_variant(parameters=(Parameter("block", 256, "Threads a block.", 32, 1024),))
    for parameters, error in (({"block": 7}, ParameterError), ({"blok": 64}, UnknownName)):
        (result,) = run(RunRequest(diamond(), 0, None, (Choice(variant, parameters),)))
        assert isinstance(result.fault, error)
        assert result.trials == ()
    (result,) = run(RunRequest(diamond(), 0, None, (Choice(variant, {"block": "64"}),)))
    assert result.parameters == {"block": 64}


def test_an_unavailable_variant_fails_with_the_reason():
    result = only(fake_variant(runs_on=RunsOn.GPU))
    assert isinstance(result.fault, DeviceUnavailable)
    assert "cpu-opencl" in result.error
    assert result.trials == ()


def test_the_device_is_named_only_where_it_is_used():
    device = FakeDevice()
    on_device, on_cpu = run(
        request_for(fake_variant("gpu", runs_on=RunsOn.GPU), fake_variant("cpu"), device=device)
    )
    assert (on_device.device_name, on_device.driver) == ("Fake Nine", "driver 1.2")
    assert (on_cpu.device_name, on_cpu.driver) == ("", "")


def test_a_request_knows_its_vertices_and_counts():
    for options in ({"source": 5}, {"target": -1}, {"trials": 0}, {"warmup": -1}):
        with pytest.raises(ParameterError):
            request_for(fake_variant(), **options)


def test_cancel_keeps_the_trials_made_so_far_and_ends_the_run():
    token = CancelToken()
    counter = itertools.count()

    def solve(problem):
        if next(counter) == 3:
            token.cancel()
        return solve_sssp(problem)

    results = list(
        run(request_for(fake_variant("slow", solve), fake_variant("never")), cancel=token)
    )
    assert [r.variant.id for r in results] == ["slow"]
    assert results[0].status is Status.CANCELLED
    assert [t.status for t in results[0].trials] == [
        Status.OK,
        Status.OK,
        Status.OK,
        Status.CANCELLED,
    ]
    assert len(results[0].times()) == 2
