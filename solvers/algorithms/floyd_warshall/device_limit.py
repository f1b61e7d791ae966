"""A limit of the device memory that a run may use, for GPUs that others use too, and for trying what does not fit."""

from __future__ import annotations

from solvers.contracts.problem import Problem
from solvers.devices.base import Device
from solvers.parameters import Parameter

DEVICE_GB = Parameter("device_gb", 0.0, "memory that it may use on a GPU, in GB; 0: all that is free", low=0.0)


def allowed_bytes(problem: Problem, device: Device) -> int:
    """Device memory that the run may use: what is free, or less where `DEVICE_GB` says so."""
    limit = float(problem.parameters[DEVICE_GB.name])
    free = device.free_bytes()
    return min(free, int(limit * 1e9)) if limit else free
