"""How long an NVIDIA GPU was held below its clock, from the driver's management library (NVML).

The package ``nvidia-ml-py``, which the extras ``cuda12`` and ``cuda13`` bring, is NVIDIA's own binding. Without it, or
where the GPU keeps no such counters, nothing is known and nothing fails.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from solvers.devices.base import Device


@dataclass(frozen=True)
class GpuClockSample:
    """Time since the driver was loaded during which the GPU was held below its clock.

    Attributes
    ----------
    hot_s : float
        Because of heat.
    power_s : float
        Because of its power limit.
    """

    hot_s: float
    power_s: float


def sample(device: Device | None) -> GpuClockSample | None:
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
    except Exception:  # NVML's errors, and CUDA's: a driver without these counters must not end the run
        return None


@cache
def _library() -> Any | None:
    """NVIDIA's binding, connected to the driver once; None if it is missing or cannot connect."""
    try:
        import pynvml

        pynvml.nvmlInit()
    except Exception:  # ImportError, and NVML's own
        return None
    return pynvml


def _held_below_s(library: Any, handle: Any, policy: int) -> float:
    """Seconds during which one limit held the GPU below its application clocks; NVML counts nanoseconds."""
    return float(library.nvmlDeviceGetViolationStatus(handle, policy).violationTime) / 1e9
