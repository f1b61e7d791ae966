"""Finds points of an experiment that were measured before, in the store of runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from solvers.contracts.results import Status
from solvers.devices.base import Device, kind_of_driver
from solvers.errors import StoreUnavailable
from solvers.experiments.experiment import Experiment, ExperimentScale, Measuring
from solvers.experiments.grid import Point, points_of
from solvers.experiments.measurement import Measurement
from solvers.host import machine
from solvers.running.store.kept_run import KeptRun, KeptVariant
from solvers.running.store.run_store import RunStore
from solvers.version import __version__

_SETTLED = (Status.OK, Status.NEGATIVE_CYCLE)


@dataclass(frozen=True)
class MeasuringPlace:
    """Where points are measured: processor, device and its driver, "" without a device."""

    cpu: str
    device: str = ""
    driver: str = ""

    @classmethod
    def here(cls, device: Device | None) -> MeasuringPlace:
        return cls(machine.cpu_name(), *(() if device is None else (device.name, device.driver)))


@dataclass(frozen=True)
class Resumption:
    """The kept runs of one experiment at one scale, newest first."""

    runs: tuple[KeptRun, ...] = ()

    @classmethod
    def of(cls, key: str, store: RunStore | None, measures_again: bool = False) -> Resumption:
        """None of them if everything is to be measured again, or the store cannot be read."""
        if store is None or measures_again:
            return cls()
        try:
            return cls(store.runs_of_experiment(key))
        except StoreUnavailable:
            return cls()

    def may_have(self, point: Point) -> bool:
        """Whether a variant of that size and those parameters was finished, on whatever machine and graph."""
        key = _size_of(point.series.variant.id, point.parameters, point.graph.vertices)
        return key in self._finished

    @cached_property
    def _finished(self) -> frozenset[tuple[object, ...]]:
        return frozenset(
            _size_of(kept.variant, kept.parameters, run.graph.vertices)
            for run in self.runs
            for kept in run.variants
            if kept.status in _SETTLED
        )

    def find(
        self, point: Point, graph_sha256: str, source_id: int, place: MeasuringPlace, measuring: Measuring
    ) -> Measurement | None:
        """The newest finished measurement of a point.

        Only one of the same graph, source, parameters, processor, device, driver and version of Tautline, with as many
        warm-ups and trials as are asked for now. A variant that was killed between its trials is measured anew as a
        whole: trials of two processes differ by more than chance.
        """
        for run in self.runs:
            same_machine = run.machine.cpu == place.cpu and run.app_version == __version__
            if not (same_machine and run.graph.sha256 == graph_sha256 and run.source == source_id):
                continue
            for kept in run.variants:
                if self._is_same(kept, point, place) and _is_measured(kept, measuring):
                    return Measurement.of(point, run, kept, is_earlier=True)
        return None

    @staticmethod
    def _is_same(kept: KeptVariant, point: Point, place: MeasuringPlace) -> bool:
        variant = point.series.variant
        where = (place.device, place.driver) if variant.runs_on.takes_device else ("", "")
        return (
            kept.variant == variant.id
            and kept.status in _SETTLED
            and dict(kept.parameters) == dict(point.parameters)
            and (kept.device, kept.driver) == where
        )


def _size_of(variant_id: str, parameters: Mapping[str, object], vertices: int) -> tuple[object, ...]:
    return variant_id, repr(sorted(parameters.items())), vertices


def _is_measured(kept: KeptVariant, measuring: Measuring) -> bool:
    """Whether it has the warm-ups and trials that are asked for."""
    plan, times = measuring.plan, kept.times()
    if sum(trial.is_warmup for trial in kept.trials) < (plan.warmups or 0):
        return False
    return plan.trials is None or len(times) >= plan.trials or _reached_limit(times, measuring)


def _reached_limit(times: Sequence[float], measuring: Measuring) -> bool:
    return sum(times) / 1e3 >= measuring.plan.limit_s


def elsewhere(
    experiment: Experiment, scale: ExperimentScale, store: RunStore | None, here: Sequence[Measurement]
) -> tuple[Measurement, ...]:
    """Kept measurements of other processors, devices and versions, such as imported ones; those of ``here`` are none.

    The points that have no fellow among those of this experiment today are left out.
    """
    points = [point for _, found in points_of(experiment, scale) for point in found]
    known = {_identity(found) for found in here}
    others: dict[tuple[object, ...], Measurement] = {}
    for run in Resumption.of(experiment.key(scale), store).runs:
        for kept in run.variants:
            point = next((one for one in points if _fits(one, run, kept)), None)
            if point is None or kept.status is not Status.OK:
                continue
            found = Measurement.of(point, run, kept, is_earlier=True)
            if _identity(found) not in known:
                others.setdefault(_identity(found), found)
    return tuple(sorted(others.values(), key=lambda one: points.index(one.point)))


def _fits(point: Point, run: KeptRun, kept: KeptVariant) -> bool:
    """Whether a kept variant is of this point: by size, as a graph that differs is to be seen."""
    same = kept.variant == point.series.variant.id and dict(kept.parameters) == dict(point.parameters)
    named = point.series.device in ("", kind_of_driver(kept.driver))
    return same and named and point.graph.vertices == run.graph.vertices


def _identity(found: Measurement) -> tuple[object, ...]:
    kept = found.kept
    where = (found.machine.cpu, kept.device, kept.driver, found.app_version)
    return (*where, kept.variant, repr(sorted(kept.parameters.items())), found.graph.sha256, found.source)
