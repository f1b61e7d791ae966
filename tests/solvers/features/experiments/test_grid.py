"""Series that name CUDA or OpenCL: the same GPU through both, or the reason why not,
before the start.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from solvers.devices import DeviceList
from solvers.devices.device import kind_of_driver
from solvers.errors import FileFormatError
from solvers.features.experiments import grid, measure
from solvers.features.experiments.forecast import GridForecast
from solvers.features.experiments.grid import PointDevices, of_one_device
from solvers.features.experiments.measure import ExperimentRun
from solvers.features.experiments.measurement import Measurement
from solvers.running.run import run
from tests.solvers.fakes import FakeDevice
from tests.solvers.features.experiments.measured import points
from tests.solvers.features.experiments.samples import request_on, sample

TWO_SIDES = (
    ('variant = "dijkstra-array"', 'variant = "bf-vertex"\ndevice = "cuda"'),
    (
        'variant = "dijkstra-heap"\nparameters = { arity = [2, 4] }',
        'variant = "bf-vertex"\ndevice = "opencl"',
    ),
    ('to = { series = "heap", arity = 4 }', 'to = { series = "heap" }'),
)


def gpu(kind: str, name: str = "NVIDIA H200", *, is_cpu: bool = False) -> FakeDevice:
    device = FakeDevice(is_cpu=is_cpu)
    device.kind, device.name = kind, name
    return device


def test_the_same_gpu_is_taken_through_both(tmp_path):
    first, second = points(sample(tmp_path, *TWO_SIDES))[:2]
    cuda, opencl, other = gpu("cuda"), gpu("opencl"), gpu("opencl", "Another GPU")
    for chosen in (cuda, opencl):
        devices = PointDevices(chosen, (cuda, other, opencl))
        assert devices.of(first) is cuda
        assert devices.of(second) is opencl
        assert devices.missing(first) == devices.missing(second) == ""
    assert of_one_device([first, second, first]) == [first, first]


def test_a_device_that_one_side_does_not_reach_says_so(tmp_path):
    first, second = points(sample(tmp_path, *TWO_SIDES))[:2]
    cuda, processor = gpu("cuda"), gpu("opencl", "A processor", is_cpu=True)
    without_opencl = PointDevices(cuda, (cuda, processor))
    assert without_opencl.missing(first) == ""
    assert "NVIDIA H200 cannot be used through OpenCL here: install" in without_opencl.missing(
        second
    )
    on_processor = PointDevices(processor, (processor,))
    assert "A processor cannot be used through CUDA here" in on_processor.missing(first)
    assert on_processor.of(second) is processor
    assert "no CUDA device was found" in PointDevices(None).missing(first)


def test_it_is_said_before_the_start_and_the_rest_runs(tmp_path, device, monkeypatch):
    monkeypatch.setattr(grid, "discover", lambda: DeviceList((device,)))
    experiment = sample(tmp_path, *TWO_SIDES)
    request = request_on(experiment, device)
    look = request.forecast
    runs, other = ("scan", "heap") if device.kind == "cuda" else ("heap", "scan")
    assert {one.point.series.label for one in look.left_out} == {other}
    assert all("cannot be used through" in one.reason for one in look.left_out)
    found = [
        one for one in ExperimentRun(request=request).measure() if isinstance(one, Measurement)
    ]
    assert [one.label for one in found] == [runs, runs]
    assert all(one.is_timed and one.kept.device_name == device.name for one in found)


def test_each_side_is_measured_on_its_device(tmp_path, device, monkeypatch):
    """A run has one device: the sides are two runs, on the devices that their series name."""
    monkeypatch.setattr(
        PointDevices, "of", lambda self, point: device if point.series.device == "opencl" else None
    )
    monkeypatch.setattr(PointDevices, "missing", lambda self, point: "")
    asked = []
    real = run
    monkeypatch.setattr(
        measure,
        "run",
        lambda request, **rest: asked.append(request.device) or real(request, **rest),
    )
    request = request_on(sample(tmp_path, *TWO_SIDES), device)
    everything = GridForecast(tuple(replace(one, reason="") for one in request.forecast.points))
    list(ExperimentRun(request=replace(request, forecast=everything)).measure())
    assert asked == [None, device] * 2


def test_kept_runs_tell_their_side_by_their_driver():
    assert kind_of_driver("CUDA 13.0, driver 580.159") == "cuda"
    assert kind_of_driver("NVIDIA CUDA, driver 580.159") == "opencl"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            ('variant = "bf-vertex"\ndevice = "cuda"', 'variant = "bf-vertex"\ndevice = "cude"'),
            "cuda",
        ),
        (
            ('variant = "bf-vertex"\ndevice = "cuda"', 'variant = "bf-serial"\ndevice = "cuda"'),
            "bf-serial runs on no device",
        ),
    ],
)
def test_a_wrong_device_is_refused_with_its_line(tmp_path, change, words):
    with pytest.raises(FileFormatError, match=words) as refusal:
        sample(tmp_path, *TWO_SIDES, change)
    assert "line 17" in str(refusal.value)
