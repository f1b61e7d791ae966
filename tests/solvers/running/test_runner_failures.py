"""The runner: failures, wrong questions and cancellation, none of which harms another variant."""

from __future__ import annotations

import gc
import itertools
import weakref

import numpy as np
import pytest

from solvers.core.result import Status
from solvers.core.variant import RunsOn
from solvers.errors import DeviceUnavailable, NegativeCycle, OutOfMemory, ParameterError, UnknownName
from solvers.graphs.graph import Graph
from solvers.parameters import Parameter
from solvers.running.request import Choice, RunRequest
from solvers.running.run import run
from solvers.system.cancel import CancelToken
from tests.solvers.fakes import FakeDevice, diamond, fake_variant, solve_sssp
from tests.solvers.running.requests import only, request_for


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


@pytest.mark.parametrize("error", [OutOfMemory("the matrix", 5_400_000_000, 2_000_000_000), MemoryError()])
def test_too_little_memory_has_a_status_of_its_own(error):
    result = only(failing(error))
    assert result.status is Status.OUT_OF_MEMORY
    assert result.error


def test_a_good_trial_before_a_bad_one_is_kept():
    counter = itertools.count()

    def solve(problem):
        if next(counter) == 2:
            raise MemoryError
        return solve_sssp(problem)

    result = only(fake_variant(solve=solve), trials=5)
    assert [t.status for t in result.trials] == [Status.OK, Status.OK, Status.OUT_OF_MEMORY]
    assert result.times("solve") == [3.0]


def test_a_negative_cycle_is_an_outcome_and_is_proved():
    graph = Graph.from_arcs(3, np.array([0, 1, 2]), np.array([1, 2, 1]), np.array([1, -5, 2], dtype=np.int32))

    def solve(problem):
        raise NegativeCycle(tuple(map(problem.graph.vertex_id, (1, 2))), (1, 2), -3, iterations=3)

    result = only(fake_variant(solve=solve), graph=graph, target=2)
    assert result.status is Status.NEGATIVE_CYCLE
    assert result.cycle == (1, 2)
    assert result.verdict.verified
    assert result.iterations == 3
    assert not result.ok


def test_a_negative_cycle_that_is_none_is_found_out():
    def solve(problem):
        raise NegativeCycle(tuple(map(problem.graph.vertex_id, (0, 1))), (0, 1), -3)

    result = only(fake_variant(solve=solve))
    assert result.status is Status.NEGATIVE_CYCLE
    assert not result.verdict.verified


def test_wrong_parameters_are_told_before_anything_runs():
    variant = fake_variant(parameters=(Parameter("block", 256, "Threads a block.", 32, 1024),))
    (result,) = run(RunRequest(diamond(), 0, None, (Choice(variant, {"block": 7}),)))
    assert isinstance(result.fault, ParameterError)
    assert result.trials == ()
    (result,) = run(RunRequest(diamond(), 0, None, (Choice(variant, {"blok": 64}),)))
    assert isinstance(result.fault, UnknownName)
    (result,) = run(RunRequest(diamond(), 0, None, (Choice(variant, {"block": "64"}),)))
    assert result.parameters == {"block": 64}


def test_an_unavailable_variant_fails_with_the_reason():
    result = only(fake_variant(runs_on=RunsOn.GPU))
    assert isinstance(result.fault, DeviceUnavailable)
    assert "cpu-opencl" in result.error
    assert result.trials == ()


def test_the_device_is_named_only_where_it_is_used():
    device = FakeDevice()
    on_device, on_cpu = run(request_for(fake_variant("gpu", runs_on=RunsOn.GPU), fake_variant("cpu"), device=device))
    assert (on_device.device_name, on_device.driver) == ("Fake Nine", "driver 1.2")
    assert (on_cpu.device_name, on_cpu.driver) == ("", "")


def test_one_source_variants_ask_for_a_source():
    result = only(fake_variant(), source=None)
    assert result.status is Status.NOT_APPLICABLE
    assert "choose a source" in result.error


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

    results = list(run(request_for(fake_variant("slow", solve), fake_variant("never")), cancel=token))
    assert [r.variant.id for r in results] == ["slow"]
    assert results[0].status is Status.CANCELLED
    assert [t.status for t in results[0].trials] == [Status.OK, Status.OK, Status.OK, Status.CANCELLED]
    assert len(results[0].times()) == 2
