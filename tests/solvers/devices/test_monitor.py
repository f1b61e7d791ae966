"""Throttling of NVIDIA GPUs: NVML's counters, and nothing where they are missing."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from solvers.devices.device import Device
from solvers.devices.monitor import GpuClockSample, _library, sample_gpu_clock
from tests.solvers.fakes import FakeDevice


class Nvml(SimpleNamespace):
    """A management library with one GPU, whose counters are in nanoseconds."""

    NVML_PERF_POLICY_POWER, NVML_PERF_POLICY_THERMAL = 0, 1

    def __init__(self, times: dict[int, int] | None = None, is_broken: bool = False):
        super().__init__(times=times, is_broken=is_broken, connections=0)

    def nvmlInit(self):
        self.connections += 1
        if self.is_broken:
            raise RuntimeError("Driver Not Loaded")

    def nvmlDeviceGetHandleByPciBusId(self, bus):
        assert bus == "0000:3B:00.0"
        return "handle"

    def nvmlDeviceGetViolationStatus(self, handle, policy):
        assert handle == "handle"
        if self.times is None:
            raise RuntimeError("Not Supported")
        return SimpleNamespace(violationTime=self.times[policy])


@pytest.fixture
def gpu(monkeypatch):
    """The second GPU of this process, whose place among all of the machine is known by its bus."""

    def device(number):
        assert number == 1
        return SimpleNamespace(pci_bus_id="0000:3B:00.0")

    _library.cache_clear()
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(cuda=SimpleNamespace(Device=device)))
    found = FakeDevice(kind="cuda")
    found.key = "cuda:1"
    yield found
    _library.cache_clear()


def test_times_below_the_clock_are_read_in_seconds(gpu, monkeypatch):
    library = Nvml({0: 2_500_000_000, 1: 40_000_000})
    monkeypatch.setitem(sys.modules, "pynvml", library)
    assert sample_gpu_clock(gpu) == sample_gpu_clock(gpu) == GpuClockSample(hot_s=0.04, power_s=2.5)
    assert library.connections == 1


@pytest.mark.parametrize(
    "library", [Nvml(None), Nvml(is_broken=True), None], ids=["no counters", "broken", "missing"]
)
def test_a_library_that_does_not_answer_is_no_error(gpu, monkeypatch, library):
    monkeypatch.setitem(sys.modules, "pynvml", library)
    assert sample_gpu_clock(gpu) is sample_gpu_clock(gpu) is None
    assert library is None or library.connections == 1


def test_other_devices_are_not_asked(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", None)
    assert sample_gpu_clock(None) is None
    assert sample_gpu_clock(FakeDevice()) is None


def test_the_real_library_has_the_names_that_are_used():
    pynvml = pytest.importorskip("pynvml")
    for name in ("nvmlInit", "nvmlDeviceGetHandleByPciBusId", "nvmlDeviceGetViolationStatus"):
        assert callable(getattr(pynvml, name))
    assert pynvml.NVML_PERF_POLICY_THERMAL != pynvml.NVML_PERF_POLICY_POWER


@pytest.mark.gpu
def test_the_counters_of_a_real_gpu_only_grow(device: Device):
    pytest.importorskip("pynvml")
    first, second = sample_gpu_clock(device), sample_gpu_clock(device)
    if first is None or second is None:
        pytest.skip("this GPU keeps no such counters")
    assert 0 <= first.hot_s <= second.hot_s
    assert 0 <= first.power_s <= second.power_s
