"""Which device runs a point: the one chosen or, for a series that names CUDA or OpenCL, the same GPU through that."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from solvers.devices import discover
from solvers.devices.base import Device
from solvers.experiments.experiment import Experiment
from solvers.experiments.grid import Point

KINDS = ("cuda", "opencl")
_NAMES = {"cuda": "CUDA", "opencl": "OpenCL"}
_REMEDIES = {
    "cuda": "it takes an NVIDIA GPU, its driver and CuPy",
    "opencl": "install the OpenCL driver of the GPU, which comes with NVIDIA's driver",
}


@dataclass(frozen=True)
class PointDevices:
    """The device chosen, and those of the machine that may be the same one.

    Attributes
    ----------
    chosen : Device or None
    found : tuple of Device
    """

    chosen: Device | None
    found: tuple[Device, ...] = ()

    @classmethod
    def of_experiment(cls, experiment: Experiment, chosen: Device | None) -> PointDevices:
        """Queries the drivers only if a series names a kind of device."""
        names_kind = any(one.device for one in experiment.series)
        return cls(chosen, discover().devices if names_kind else ())

    def of(self, point: Point) -> Device | None:
        """The device that runs the point; None if it needs none, or there is none (see `missing`)."""
        if not point.series.variant.runs_on.takes_device:
            return None
        return self._as_kind(point.series.device)

    def missing(self, point: Point) -> str:
        """Why the device that the series names cannot be had; "" if it can, or if it names none."""
        kind = point.series.device
        if not kind or self._as_kind(kind) is not None:
            return ""
        if self.chosen is None:
            return f"no {_NAMES[kind]} device was found: {_REMEDIES[kind]}"
        return f"{self.chosen.name} cannot be used through {_NAMES[kind]} here: {_REMEDIES[kind]}"

    def _as_kind(self, kind: str) -> Device | None:
        """The chosen device through that interface; through which it was chosen if ``kind`` is ""."""
        if self.chosen is None or kind in ("", self.chosen.kind):
            return self.chosen
        return next((one for one in self.found if one.kind == kind and _is_same_gpu(one, self.chosen)), None)


def of_one_device(points: Iterable[Point]) -> list[Point]:
    """Those whose series name the same kind of device as the first."""
    found = list(points)
    return [point for point in found if point.series.device == found[0].series.device]


def _is_same_gpu(one: Device, other: Device) -> bool:
    return one.name == other.name and not one.is_cpu and not other.is_cpu
