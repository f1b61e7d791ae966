"""The recording device, and the probe of the memory's bandwidth.

Whoever could disturb a timed run can ask whether there is one.
"""

from __future__ import annotations

import numpy as np
import pytest

from solvers.core.variant import find_variant
from solvers.devices import monitor
from solvers.devices.device import Device, KernelSource, is_timed_on, recording, timing_on
from solvers.devices.kernel import distance_defines
from solvers.devices.monitor import memory_bandwidth
from solvers.errors import OutOfMemory
from solvers.graphs.generators import find
from solvers.graphs.weights import INT32
from solvers.running.request import Choice, MeasurementPlan, RunRequest
from solvers.running.run import run
from tests.solvers.fakes import ProgressListener


def test_every_launch_is_told_and_made(device: Device) -> None:
    told: list[tuple[str, int, int]] = []
    watched = recording(device, lambda *launch: told.append(launch))
    source = KernelSource.beside(monitor.__file__, "bandwidth.cu", **distance_defines(INT32))
    program = watched.compile(source)
    with watched.session() as session:
        numbers = np.arange(100, dtype=np.int64)
        given, taken = session.upload(numbers), session.empty(100, np.int64)
        program.launch("copy", (2,), (32,), np.int64(100), given, taken)
        program.launch("copy", (0,), (32,), np.int64(100), given, taken)
        assert np.array_equal(session.download(taken), numbers)
    assert told == [("copy", 2, 32)], "an empty grid launches nothing"
    assert (watched.name, watched.is_cpu, watched.max_block) == (device.name, device.is_cpu, device.max_block)


def test_the_bandwidth_is_measured_once(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(monitor, "_measured", {})
    monkeypatch.setattr(monitor, "_CPU_WORDS", 2**17)
    found = memory_bandwidth(device)
    assert found is not None
    assert 1e7 < found < 1e14
    monkeypatch.setattr(monitor, "_measure", lambda _: pytest.fail("measured again"))
    assert memory_bandwidth(device) == found


def test_a_device_without_room_has_no_known_bandwidth(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(_: Device) -> float:
        raise OutOfMemory("a copy", 10, 5, device.name)

    monkeypatch.setattr(monitor, "_measured", {})
    monkeypatch.setattr(monitor, "_measure", no_room)
    assert memory_bandwidth(device) is None
    monkeypatch.setattr(monitor, "_measured", {})
    monkeypatch.undo()
    monkeypatch.setattr(monitor, "_measured", {})
    monkeypatch.setattr(type(device), "free_bytes", lambda _: 1000)
    assert memory_bandwidth(device) is None


def test_a_run_lets_its_device_be_known_while_it_is_timed(device: Device) -> None:
    graph = find("road").generate({"vertices": 400})
    seen: dict[str, bool] = {}
    choice = Choice(find_variant("bf-edge"))
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
