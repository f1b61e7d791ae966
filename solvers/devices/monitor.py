"""Measurements of a device: the bandwidth of its memory, and how long an NVIDIA GPU was
held below its clock.

The clock is read from the driver's management library (NVML) by NVIDIA's package
``nvidia-ml-py``, which the extras ``cuda12`` and ``cuda13`` bring. Without it, or where
the GPU has no such counters, nothing is known and nothing fails.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from solvers.devices.device import Device, KernelSource
from solvers.devices.kernel import distance_defines
from solvers.errors import TautpathError
from solvers.graphs.weights import INT32

log = logging.getLogger(__name__)

_WORD_BYTES = 8
_GPU_WORDS = 2**25  # 256 MiB, many times the last-level cache of any GPU
_CPU_WORDS = 2**22  # 32 MiB; a processor's memory is slower and must not be kept busy for long
_LEAST_WORDS = 2**16
_SHARE_OF_FREE = 8  # of the free memory, at most an eighth for each array
_COPIES = 5

_measured: dict[str, float | None] = {}
_lock = threading.Lock()


def memory_bandwidth(device: Device) -> float | None:
    """Bytes read and written per second by the fastest of a few copies; None if the
    device has no room or fails.

    Takes some 10 ms on a GPU and some 100 ms on a processor at the first call for a
    device, and compiles a kernel. Call it in a job.
    """
    with _lock:
        if device.key not in _measured:
            try:
                _measured[device.key] = _measure(device)
            except TautpathError:
                _measured[device.key] = None
        return _measured[device.key]


def bandwidth_of_all(devices: Sequence[Device]) -> float | None:
    """The sum of the `memory_bandwidth` of several devices; None if that of one is not known."""
    found = [memory_bandwidth(device) for device in devices]
    return sum(filter(None, found)) if found and None not in found else None


def _measure(device: Device) -> float | None:
    words = min(
        _CPU_WORDS if device.is_cpu else _GPU_WORDS,
        device.free_bytes() // _SHARE_OF_FREE // _WORD_BYTES,
    )
    if words < _LEAST_WORDS:
        return None
    program = device.compile(
        KernelSource.beside(__file__, "bandwidth.cu", **distance_defines(INT32))
    )
    block = min(device.max_block, 64 if device.is_cpu else 256)
    grid = (device.compute_units * (4 if device.is_cpu else 32),)
    with device.session() as session:
        source, target = session.empty(words, np.int64), session.empty(words, np.int64)
        session.fill(source, 1)
        times = []
        for _ in range(_COPIES + 1):  # the first touches the target's pages
            with session.timer() as timer:
                program.launch("copy", grid, (block,), np.int64(words), source, target)
            times.append(timer.ms)
    best = min(times[1:])
    return 2 * words * _WORD_BYTES / (best * 1e-3) if best > 0 else None


@dataclass(frozen=True)
class GpuClockSample:
    """Time since the driver was loaded during which the GPU was held below its clock."""

    hot_s: float  # because of heat
    power_s: float  # because of its power limit


def sample_gpu_clock(device: Device | None) -> GpuClockSample | None:
    """Read the GPU's counters; None for other devices, and where they cannot be read."""
    if device is None or device.kind != "cuda":
        return None
    library = _library()
    if library is None:
        return None
    try:
        import cupy

        bus = cupy.cuda.Device(int(device.key.partition(":")[2])).pci_bus_id
        handle = library.nvmlDeviceGetHandleByPciBusId(bus)
        return GpuClockSample(
            hot_s=_held_below_s(library, handle, library.NVML_PERF_POLICY_THERMAL),
            power_s=_held_below_s(library, handle, library.NVML_PERF_POLICY_POWER),
        )
    except Exception as error:
        # NVML's errors, and CUDA's: a driver without these counters must not end the
        # run
        log.info("limits of the GPU's clock are not known: %s", error)
        return None


@cache
def _library() -> Any | None:
    """NVIDIA's binding, connected to the driver once; None if it is missing or cannot connect."""
    try:
        import pynvml

        pynvml.nvmlInit()
    except Exception as error:  # ImportError, and NVML's own
        log.info("limits of GPUs' clocks are not known: %s", error)
        return None
    return pynvml


def _held_below_s(library: Any, handle: Any, policy: int) -> float:
    """Seconds during which one limit held the GPU below its application clocks; NVML
    counts nanoseconds.
    """
    return float(library.nvmlDeviceGetViolationStatus(handle, policy).violationTime) / 1e9
