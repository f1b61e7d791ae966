"""The machine around the trials: samples of processor and GPU, and what cannot be read."""

from __future__ import annotations

import psutil
import pytest

from solvers.devices.nvml import GpuClockSample
from solvers.host import load
from solvers.host.load import CpuSample
from solvers.running.conditions import Conditions, MachineSample
from solvers.running.runner import Choice, RunRequest, run
from tests.solvers.fakes import diamond, fake_variant


def sample(wall_s: float, busy_s: float = 0.0, gpu: GpuClockSample | None = None) -> MachineSample:
    return MachineSample(CpuSample(wall_s, busy_s, own_s=0.0), gpu)


def test_gpu_times_become_shares_of_the_time_between():
    before, after = sample(10.0, gpu=GpuClockSample(1.0, 5.0)), sample(14.0, gpu=GpuClockSample(2.0, 5.2))
    between = before.until(after)
    assert (between.gpu_hot, between.gpu_power_limited) == (0.25, pytest.approx(0.05))


def test_without_a_gpu_only_the_processor_is_told():
    assert sample(10.0).until(sample(12.0, busy_s=3.0)).cpu.load == 1.5
    assert sample(10.0, gpu=GpuClockSample(1.0, 1.0)).until(sample(12.0)).gpu_hot == 0


@pytest.mark.parametrize("error", [psutil.AccessDenied(), OSError("no /proc")])
def test_counters_that_cannot_be_read_leave_the_load_unknown_and_end_nothing(monkeypatch, error):
    def fail(*_):
        raise error

    monkeypatch.setattr(load, "sample", fail)
    unread = MachineSample.take(None)
    assert isinstance(unread.until(unread), Conditions)
    (result,) = run(RunRequest(diamond(), 0, None, (Choice(fake_variant()),)))
    assert result.ok
    assert result.load is None
    assert result.disturbances == ()
