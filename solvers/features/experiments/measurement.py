"""What was measured at the points of an experiment, in this run or an earlier one, and
what was left out.

Points that were measured before are found in the store of runs. The trials and
summaries of an experiment are written as the CSV tables that every run has.

Times of two machines can be compared only if the machines are equal: same processor, as
many cores, same device with the same driver. CUDA and OpenCL have each a driver of
their own on one device, and are not told apart by it. Charts, claims and reports say
where machines differ.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from solvers.core.result import Disturbance, Result, Status
from solvers.core.result_view import ResultView
from solvers.core.samples import Ratio, median_interval, ratio_of_medians
from solvers.devices.device import Device, kind_of_driver
from solvers.errors import StoreUnavailable
from solvers.features.experiments.grid import Point, points_of
from solvers.features.experiments.spec import Experiment, ExperimentScale, Measuring
from solvers.features.kept_runs.store.run_store import RunStore
from solvers.running.kept_results import results_of
from solvers.running.kept_run import GraphFacts, KeptRun, KeptVariant, MachineFacts
from solvers.running.records import write_all
from solvers.system import machine
from solvers.version import __version__

_SETTLED = (Status.OK, Status.NEGATIVE_CYCLE)

THIS_MACHINE = "this machine"
_MOST_NAMED = 4  # hosts by name; more are counted


@dataclass(frozen=True)
class Measurement:
    point: Point
    run: KeptRun  # in which it was measured
    kept: KeptVariant  # with all its trials
    is_earlier: bool = False  # taken from the store instead of measured in this run

    @property
    def graph(self) -> GraphFacts:
        return self.run.graph

    @property
    def machine(self) -> MachineFacts:
        return self.run.machine

    @property
    def label(self) -> str:
        return self.point.series.label

    @property
    def is_timed(self) -> bool:
        """Whether its times may be compared: it ended well, and its answer is right
        unless it races by design.
        """
        kept, racy = self.kept, self.point.series.variant.racy
        right = kept.verdict is None or kept.verdict.verified or racy
        return kept.status is Status.OK and right and bool(kept.times())

    @property
    def on_gpu(self) -> bool:
        """Whether its kernels ran on a GPU, not on a processor through OpenCL."""
        return ResultView(self.kept).on_gpu

    @property
    def doubts(self) -> tuple[Disturbance, ...]:
        """What may have falsified its times."""
        return ResultView(self.kept).disturbances

    def ratio_to(self, other: Measurement, phase: str = "total") -> Ratio | None:
        """Median of ``other`` divided by its own; None without times of both."""
        own, base = (ResultView(one.kept, phase).sample for one in (self, other))
        return None if own is None or base is None else ratio_of_medians(own, base)

    def median(self, phase: str = "total") -> float | None:
        return self.kept.median(phase)

    def interval(self, phase: str = "total") -> tuple[float, float] | None:
        """The 95 % interval of the median in ms; None for fewer than six trials."""
        return median_interval(self.kept.times(phase))

    def spread(self, phase: str = "total") -> tuple[float, float]:
        """Its interval or, with fewer trials, the least and the greatest time."""
        times = self.kept.times(phase)
        return self.interval(phase) or (min(times), max(times))

    def value(self, name: str) -> Any:
        """Vertices, arcs or key of the graph, or a parameter of the variant; None if it
        has no such thing.
        """
        known: Mapping[str, Any] = {
            "vertices": self.graph.vertices,
            "arcs": self.graph.arcs,
            "graph": self.point.graph.key,
        }
        return known[name] if name in known else self.kept.parameters.get(name)

    def matches(self, where: Mapping[str, Any]) -> bool:
        return all(self.value(name) == wanted for name, wanted in where.items())


@dataclass(frozen=True)
class Omission:
    """A point that was not measured, and why; ``timed_out`` says that its time limit ended
    it, and so those of its series on larger graphs.
    """

    point: Point
    reason: str
    timed_out: bool = False


def timed(measurements: Iterable[Measurement]) -> list[Measurement]:
    """Those whose times may be compared."""
    return [found for found in measurements if found.is_timed]


def graph_order(measurements: Sequence[Measurement]) -> list[str]:
    """Hashes of the graphs, from the smallest to the largest."""
    sizes = {found.graph.sha256: (found.graph.vertices, found.graph.arcs) for found in measurements}
    return sorted(sizes, key=lambda digest: (*sizes[digest], digest))


@dataclass(frozen=True)
class Equipment:
    """What decides how fast a machine is."""

    cpu: str = ""
    cores: int | None = None  # available ones; None if unknown
    device: str = ""  # "" where nothing ran on a device
    driver: str = ""  # "" likewise

    @classmethod
    def here(cls, device: Device | None) -> Equipment:
        where = ("", "") if device is None else (device.name, device.driver)
        return cls(machine.cpu_name(), machine.cores(), *where)

    @classmethod
    def of(cls, found: Measurement) -> Equipment:
        return cls(
            found.machine.cpu, found.machine.cores, found.kept.device_name, found.kept.driver
        )

    def differs_in(self, other: Equipment) -> str:
        """The first property in which they differ, "" if none: "CPU"; what is unknown
        of either does not differ.
        """
        drivers = (self.driver, other.driver)
        pairs = (
            ("CPU", self.cpu, other.cpu),
            ("cores", self.cores, other.cores),
            ("device", self.device, other.device),
            ("driver", *(drivers if len(set(map(kind_of_driver, drivers))) == 1 else ("", ""))),
        )
        return next((name for name, one, two in pairs if one and two and one != two), "")

    def value(self, name: str) -> str:
        """What it has of a property that `differs_in` names."""
        known = {"CPU": self.cpu, "cores": self.cores, "device": self.device, "driver": self.driver}
        return str(known[name])


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

    def of_point(self, point: Point) -> Resumption:
        """What it has of a point, or of one that differs in the graph."""
        variant = point.series.variant.id
        same = (
            replace(run, variants=tuple(k for k in run.variants if k.variant == variant))
            for run in self.runs
        )
        return Resumption(tuple(run for run in same if run.variants))

    def may_have(self, point: Point) -> bool:
        """Whether a variant of that size and those parameters was finished, on whatever
        machine and graph.
        """
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
        self,
        point: Point,
        graph_sha256: str,
        source_id: int,
        place: Equipment,
        measuring: Measuring,
    ) -> Measurement | None:
        """The newest finished measurement of a point.

        Only one of the same graph, source, parameters, processor, device, driver and
        version of Tautpath, with as many warm-ups and trials as are asked for now. A
        variant that was killed between its trials is measured anew as a whole: trials
        of two processes differ by more than chance.
        """
        for run in self.runs:
            same_machine = run.machine.cpu == place.cpu and run.app_version == __version__
            if not (same_machine and run.graph.sha256 == graph_sha256 and run.source == source_id):
                continue
            for kept in run.variants:
                if self._is_same(kept, point, place) and _is_measured(kept, measuring):
                    return Measurement(point, run, kept, is_earlier=True)
        return None

    @staticmethod
    def _is_same(kept: KeptVariant, point: Point, place: Equipment) -> bool:
        variant = point.series.variant
        where = (place.device, place.driver) if variant.runs_on.takes_device else ("", "")
        return (
            kept.variant == variant.id
            and kept.status in _SETTLED
            and dict(kept.parameters) == dict(point.parameters)
            and (kept.device_name, kept.driver) == where
        )


def _size_of(
    variant_id: str, parameters: Mapping[str, object], vertices: int
) -> tuple[object, ...]:
    return variant_id, repr(sorted(parameters.items())), vertices


def _is_measured(kept: KeptVariant, measuring: Measuring) -> bool:
    """Whether it has the warm-ups and trials that are asked for."""
    plan, times = measuring.plan, kept.times()
    if sum(trial.is_warmup for trial in kept.trials) < (plan.warmups or 0):
        return False
    return plan.trials is None or len(times) >= plan.trials or sum(times) / 1e3 >= plan.limit_s


def elsewhere(
    experiment: Experiment,
    scale: ExperimentScale,
    store: RunStore | None,
    here: Sequence[Measurement],
) -> tuple[Measurement, ...]:
    """Kept measurements of other processors, devices and versions, such as imported
    ones; those of ``here`` are none.

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
            found = Measurement(point, run, kept, is_earlier=True)
            if _identity(found) not in known:
                others.setdefault(_identity(found), found)
    return tuple(sorted(others.values(), key=lambda one: points.index(one.point)))


def _fits(point: Point, run: KeptRun, kept: KeptVariant) -> bool:
    """Whether a kept variant is of this point: by size, as a graph that differs is to be seen."""
    same = kept.variant == point.series.variant.id and dict(kept.parameters) == dict(
        point.parameters
    )
    named = point.series.device in ("", kind_of_driver(kept.driver))
    return same and named and point.graph.vertices == run.graph.vertices


def _identity(found: Measurement) -> tuple[object, ...]:
    kept = found.kept
    where = (found.machine.cpu, kept.device_name, kept.driver, found.run.app_version)
    return (
        *where,
        kept.variant,
        repr(sorted(kept.parameters.items())),
        found.graph.sha256,
        found.run.source,
    )


def host_name(found: Measurement) -> str:
    """The host that measured it, `THIS_MACHINE` if it names none."""
    return found.machine.host or THIS_MACHINE


def difference(measurements: Iterable[Measurement]) -> str:
    """In what the machines of some measurements differ: "CPU: A has …, B has …"; "" if
    they are equal.
    """
    hosts: dict[Equipment, str] = {}
    for found in measurements:
        hosts.setdefault(Equipment.of(found), host_name(found))
    for one, other in itertools.combinations(hosts, 2):
        if name := one.differs_in(other):
            values: dict[str, str] = {}
            for equipment, host in hosts.items():
                if (value := equipment.value(name)) not in ("", "None"):
                    values.setdefault(value, host)
            return f"{name}: " + ", ".join(f"{host} has {value}" for value, host in values.items())
    return ""


def hosts_sentence(measurements: Sequence[Measurement]) -> str:
    """A sentence on the hosts of a chart or report; "" if everything was measured on
    one machine.
    """
    names = tuple(dict.fromkeys(host_name(found) for found in measurements))
    if words := difference(measurements):
        return (
            f"The points come from {_named(names)}, which differ in {words}; "
            "times across them are not comparable."
        )
    return (
        f"The points come from {_named(names)}, equal in processor, cores and device."
        if len(names) > 1
        else ""
    )


def _named(names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"several runs on {names[0]}"
    if len(names) > _MOST_NAMED:
        return f"{len(names)} hosts"
    return f"{', '.join(names[:-1])} and {names[-1]}"


def write_measurements(
    experiment: Experiment,
    scale: ExperimentScale,
    measurements: Sequence[Measurement],
    folder: Path | str,
) -> tuple[Path, ...]:
    """Write ``trials.csv`` and ``summary.csv``; the column "experiment" holds id and
    scale; raises FileNotWritten.
    """
    baseline = next(one.variant.id for one in experiment.series if one.label == experiment.baseline)
    return write_all(list(as_results(measurements)), folder, baseline, experiment.key(scale))


def as_results(measurements: Iterable[Measurement]) -> Iterator[Result]:
    """The measurements as results, for tables of their trials."""
    for found in measurements:
        (result,) = results_of(replace(found.run, variants=(found.kept,)))
        yield result
