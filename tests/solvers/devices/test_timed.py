"""Whoever could disturb a timed run can ask whether there is one."""

from __future__ import annotations

import pytest

from solvers.contracts import catalog
from solvers.devices.base import Device
from solvers.devices.timed import is_timed_on, timing_on
from solvers.graphs.generators import find
from solvers.running.plan import MeasurementPlan
from solvers.running.runner import Choice, RunRequest, run
from tests.solvers.fakes import ProgressListener


def test_a_run_lets_its_device_be_known_while_it_is_timed(device: Device) -> None:
    graph = find("road").generate({"vertices": 400})
    seen: dict[str, bool] = {}
    choice = Choice(catalog.find("bf-edge"))
    request = RunRequest(graph, 0, None, (choice,), device, MeasurementPlan(1, 2), trace=True)
    listener = ProgressListener(lambda progress: seen.update({progress.stage: is_timed_on(device.key)}))
    results = list(run(request, listener=listener))
    assert results[0].trials
    assert any(timed for stage, timed in seen.items() if "warm-up" in stage or "trial" in stage)
    assert not any(timed for stage, timed in seen.items() if "warm-up" not in stage and "trial" not in stage)
    assert not is_timed_on(device.key)


def test_two_runs_on_one_device_and_a_failure() -> None:
    with timing_on("cuda:0"):
        with pytest.raises(RuntimeError, match="midway"), timing_on("cuda:0"):
            raise RuntimeError("midway")
        assert is_timed_on("cuda:0")
        assert not is_timed_on("cuda:1")
    with timing_on(None):
        assert not is_timed_on("cuda:0")
