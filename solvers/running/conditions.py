"""The state of the machine around the trials of a variant: one sample before, one after."""

from __future__ import annotations

from dataclasses import dataclass

import psutil

from solvers.devices import nvml
from solvers.devices.base import Device
from solvers.devices.nvml import GpuClockSample
from solvers.host import load
from solvers.host.load import CpuConditions, CpuSample


@dataclass(frozen=True)
class Conditions:
    """What happened on the machine during the trials.

    Attributes
    ----------
    cpu : CpuConditions
    gpu_hot, gpu_power_limited : float
        Fraction of the time during which heat, or its power limit, held an NVIDIA GPU below its clock; 0 if unknown.
    """

    cpu: CpuConditions
    gpu_hot: float = 0.0
    gpu_power_limited: float = 0.0


@dataclass(frozen=True)
class MachineSample:
    """Counters of the processor and, if kernels run on one, of the NVIDIA GPU; None if they cannot be read."""

    cpu: CpuSample | None
    gpu: GpuClockSample | None

    @classmethod
    def take(cls, device: Device | None) -> MachineSample:
        """Read the counters now; ``device`` is the one that the variant uses."""
        try:
            cpu = load.sample()
        except (psutil.Error, OSError):  # a system that hides its processes or counters
            cpu = None
        return cls(cpu, nvml.sample(device))

    def until(self, after: MachineSample) -> Conditions:
        """What happened between this sample and a later one."""
        cores = psutil.cpu_count() or 1
        if self.cpu is None or after.cpu is None:
            return Conditions(CpuConditions(cores))
        cpu = load.conditions_between(self.cpu, after.cpu, cores)
        wall = after.cpu.wall_s - self.cpu.wall_s
        if self.gpu is None or after.gpu is None or wall <= 0:
            return Conditions(cpu)
        return Conditions(cpu, (after.gpu.hot_s - self.gpu.hot_s) / wall, (after.gpu.power_s - self.gpu.power_s) / wall)
