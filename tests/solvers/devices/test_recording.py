"""The recording device, and the probe of the memory's bandwidth."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.devices import bandwidth
from solvers.devices.bandwidth import memory_bandwidth
from solvers.devices.base import Device, KernelSource
from solvers.devices.dialect import distance_defines
from solvers.devices.recording import recording
from solvers.errors import OutOfMemory
from solvers.graphs.weights import INT32


def test_every_launch_is_told_and_made(device: Device) -> None:
    told: list[tuple[str, int, int]] = []
    watched = recording(device, lambda *launch: told.append(launch))
    source = KernelSource.beside(bandwidth.__file__, "bandwidth.cu", **distance_defines(INT32))
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
    monkeypatch.setattr(bandwidth, "_measured", {})
    monkeypatch.setattr(bandwidth, "_CPU_WORDS", 2**17)
    found = memory_bandwidth(device)
    assert found is not None
    assert 1e7 < found < 1e14
    monkeypatch.setattr(bandwidth, "_measure", lambda _: pytest.fail("measured again"))
    assert memory_bandwidth(device) == found


def test_a_device_without_room_has_no_known_bandwidth(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(_: Device) -> float:
        raise OutOfMemory("a copy", 10, 5, device.name)

    monkeypatch.setattr(bandwidth, "_measured", {})
    monkeypatch.setattr(bandwidth, "_measure", no_room)
    assert memory_bandwidth(device) is None
    monkeypatch.setattr(bandwidth, "_measured", {})
    monkeypatch.undo()
    monkeypatch.setattr(bandwidth, "_measured", {})
    monkeypatch.setattr(type(device), "free_bytes", lambda _: 1000)
    assert memory_bandwidth(device) is None
