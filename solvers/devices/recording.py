"""A device that passes everything on to another, and tells of every launch; for traced runs only."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, cast

from solvers.devices.base import Device, KernelSource, Program

OnLaunch = Callable[[str, int, int], None]
"""Called with the name of a kernel, the number of blocks, and the threads in each."""


def recording(device: Device, on_launch: OnLaunch) -> Device:
    """``device``, with ``on_launch`` called for every launch of a program that is compiled on it from now on."""
    return cast(Device, _RecordingDevice(device, on_launch))


def recorded_with(device: Device, other: Device) -> Device:
    """``other``, recorded as ``device`` is; ``other`` itself if ``device`` is not recorded."""
    return device.with_other(other) if isinstance(device, _RecordingDevice) else other


def devices_recorded(device: Device) -> tuple[Device, ...]:
    """The devices that programs were compiled on: that of ``recording``, and those recorded with it."""
    return tuple(device.compiled.values()) if isinstance(device, _RecordingDevice) else ()


class _RecordingDevice:
    """Attributes and sessions are those of the device itself."""

    def __init__(self, device: Device, on_launch: OnLaunch):
        self._device, self._on_launch = device, on_launch
        self.compiled: dict[str, Device] = {}  # by key; shared with those recorded with it

    def with_other(self, other: Device) -> Device:
        found = _RecordingDevice(other, self._on_launch)
        found.compiled = self.compiled
        return cast(Device, found)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._device, name)

    def compile(self, source: KernelSource) -> Program:
        self.compiled[self._device.key] = self._device
        return _RecordingProgram(self._device.compile(source), self._on_launch)


class _RecordingProgram:
    def __init__(self, program: Program, on_launch: OnLaunch):
        self._program, self._on_launch = program, on_launch

    def __getattr__(self, name: str) -> Any:
        return getattr(self._program, name)

    def launch(
        self, kernel: str, grid: tuple[int, ...], block: tuple[int, ...], *arguments: Any, shared_bytes: int = 0
    ) -> None:
        if blocks := prod(grid):
            self._on_launch(kernel, blocks, prod(block))
        self._program.launch(kernel, grid, block, *arguments, shared_bytes=shared_bytes)
