"""Warm graphs: uploaded once for each variant, right in every trial, freed at the end,
and never mixed with others.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from solvers.core.availability import availability
from solvers.core.problem import Phases, Problem, Solution
from solvers.core.result import Result
from solvers.core.result_view import obstacle
from solvers.core.variant import RunsOn, Variant, all_variants, find_variant
from solvers.devices.device import Device, DeviceSession
from solvers.errors import OutOfMemory, Unavailable
from solvers.graphs.graph import Graph
from solvers.running import trials
from solvers.running.request import Choice, MeasurementPlan, RunRequest
from solvers.running.run import run
from tests import graphs
from tests.solvers.fakes import diamond, fake_variant, solve_keeping

NOTHING_STAYS = {"da2cf-uh1"}
"""Variants on a device, beside those that overwrite a matrix, whose graph is never there."""


def run_warm(
    variant: Variant, device: Device, graph: Graph | None = None, warmups: int = 1, trials: int = 3
) -> Result:
    plan = MeasurementPlan(warmups, trials, warm_graph=True)
    (result,) = run(RunRequest(graph or diamond(), 0, 3, (Choice(variant),), device, plan))
    return result


def on_device(solve: Any) -> Variant:
    return fake_variant("warm", solve, runs_on=RunsOn.GPU)


# -- what stays, and for how long
# ------------------------------------------------------------------------------------


def test_the_graph_is_uploaded_once_and_freed_after_the_last_trial(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    uploads: list[int] = []
    with device.session() as session:
        kind = type(session)
    write = kind.write

    def counted(self: DeviceSession, buffer: Any, array: np.ndarray) -> None:
        uploads.append(array.nbytes)
        write(self, buffer, array)

    monkeypatch.setattr(kind, "write", counted)
    free = getattr(device, "live_bytes", None)
    result = run_warm(on_device(solve_keeping), device)
    assert result.ok
    assert uploads.count(diamond().weights.nbytes) == 1
    assert uploads.count(4000) == 4, "the rest is uploaded in the warm-up and in every trial"
    assert result.graph_upload_ms is not None
    assert result.peak_device_bytes == 4000 + diamond().weights.nbytes
    assert getattr(device, "live_bytes", None) == free


def test_the_upload_is_preparation_of_the_warm_up() -> None:
    moved = trials._with_upload_prepared(Phases(1.0, 5.0, 2.0, 3.0), 4.0)
    assert (moved.prepare, moved.h2d, moved.total) == (5.0, 1.0, 11.0)
    packed_by_a_kernel = trials._with_upload_prepared(Phases(1.0, 5.0, 2.0, 3.0), 9.0)
    assert (packed_by_a_kernel.prepare, packed_by_a_kernel.h2d) == (6.0, 0.0)


def test_there_is_a_warm_up_that_uploads_even_if_none_was_asked_for(device: Device) -> None:
    result = run_warm(on_device(solve_keeping), device, warmups=0, trials=2)
    assert [t.is_warmup for t in result.trials] == [True, False, False]
    assert result.trials[0].phases.prepare >= 1.0
    assert {t.phases.total for t in result.trials[1:]} == {10.0}


def test_without_room_every_trial_uploads_the_graph_and_that_is_said(device: Device) -> None:
    def greedy(problem: Problem) -> Solution:
        solution = solve_keeping(problem)
        if problem.warm_graph is not None:
            raise OutOfMemory("An array", 10**12, 10**9, "a device")
        return solution

    def too_large(problem: Problem) -> Solution:
        raise OutOfMemory("An array", 10**12, 10**9, "a device")

    assert run_warm(on_device(too_large), device).status.value == "out_of_memory"
    result = run_warm(on_device(greedy), device)
    assert result.ok
    assert len(result.times()) == 3
    assert not result.has_warm_graph
    assert "no room to keep it" in result.note


# -- the variants
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [v.id for v in all_variants() if v.runs_on.needs_device])
def test_every_variant_on_a_device_is_right_with_a_warm_graph(name: str, device: Device) -> None:
    entry, graph = find_variant(name), graphs.by_hand("a grid")
    here = availability(entry, graph, device)
    if isinstance(here.error, Unavailable):
        pytest.skip(here.reason)
    result = run_warm(entry, device, graph, trials=2)
    if not entry.racy:
        assert result.ok, result.error
    overwrites = entry.algorithm.value == "Floyd-Warshall"
    assert result.has_warm_graph != (overwrites or name in NOTHING_STAYS)


@pytest.mark.parametrize("name", ["dijkstra-heap", "auto"])
def test_on_the_processor_nothing_changes_and_nothing_is_marked(name: str, device: Device) -> None:
    result = run_warm(find_variant(name), device)
    assert result.ok
    assert not result.has_warm_graph
    assert result.note == "" or "dijkstra-heap was chosen" in result.note


# -- comparisons
# --------------------------------------------------------------------------------------


def test_totals_with_and_without_the_upload_are_not_compared(device: Device) -> None:
    warm = run_warm(on_device(solve_keeping), device)
    cold, host = (
        replace(warm, graph_upload_ms=None),
        replace(warm, graph_upload_ms=None, device_name=""),
    )
    assert obstacle(warm, cold, "total", across_runs=True) == "other copies"
    assert obstacle(cold, warm, "total", across_runs=True) == "other copies"
    assert obstacle(warm, cold, "solve", across_runs=True) == ""
    assert obstacle(warm, host, "total", across_runs=True) == "", "the processor copies nothing"
    assert obstacle(warm, warm, "total", across_runs=True) == ""
    by_choice = run_warm(find_variant("auto"), device)
    assert by_choice.device_name
    assert obstacle(by_choice, warm, "total", across_runs=True) == ""
