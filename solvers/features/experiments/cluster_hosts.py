"""Timed sweeps on the hosts of a cluster: the largest group of equal hosts measures,
one point at a time on each.

Points of one graph stay together while there are other graphs for other hosts.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from solvers.errors import ClusterUnavailable, InputError, NoWorkers, StoreUnavailable
from solvers.features.clusters.workers import Ended, ExclusiveHost, ExclusiveHosts
from solvers.features.experiments.forecast import GridForecast
from solvers.features.experiments.grid import GraphChoice, Point, by_graph, points_of
from solvers.features.experiments.measure import TOO_SLOW, ExperimentRequest, ExperimentRun
from solvers.features.experiments.measurement import Equipment, Measurement, Omission
from solvers.features.experiments.on_host import (
    HostOutcome,
    Surroundings,
    bandwidth_here,
    cancel_points,
    equipment_here,
    forecast_here,
    measure_point,
)
from solvers.features.experiments.probe import ExperimentHost, is_worth_probing, silent
from solvers.features.experiments.spec import ChartKind, Experiment
from solvers.running.kept_run import KeptRun, KeptVariant
from solvers.system.cancel import CancelToken
from solvers.text import plural

_WAIT_S = 0.1  # for outcomes, between two looks at pause and cancellation
_REFRESH_S = 5.0  # between two looks for hosts that have come or gone
_PATIENCE_S = 60.0  # without any host
_ATTEMPTS = 2  # of a point whose worker ends


class ClusterHosts(ExperimentHost):
    """The hosts of a cluster that measure; asks all of them for their equipment, and chooses.

    Raises InputError if a series names the interface of its device: hosts use one;
    ClusterUnavailable if no host answers, or none has the device; SchedulerUnreachable,
    Cancelled.

    ``tell``: hears what the user should know of hosts during the run: lost workers,
    missing files. ``takes_any``: whether hosts that differ measure too. ``crew``: those
    that measure and are there. ``equipment``: of the largest group of equal hosts.
    ``others``: by name, in what other hosts differ: "CPU: node1 has ..., node3 has
    ...".
    """

    def __init__(
        self,
        wanted: ExperimentRequest,
        cancel: CancelToken,
        hosts: ExclusiveHosts,
        around: Surroundings,
        tell: Callable[[str], None] = silent,
        *,
        takes_any: bool = False,
    ):
        if any(one.device for one in wanted.experiment.series):
            raise InputError(
                f"{wanted.experiment.id} compares CUDA and OpenCL on one GPU, and hosts of a "
                "cluster use one of them: run it on one machine."
            )
        self.hosts, self.around, self.tell, self.takes_any = hosts, around, tell, takes_any
        self.others: dict[str, str] = {}
        there = hosts.find()
        told = self._answers(cancel, there, equipment_here, around)
        groups: dict[Equipment, list[str]] = {}
        for host in there:
            if told[host.name].value is not None:
                groups.setdefault(told[host.name].value, []).append(host.name)
        if not groups:
            reasons = "; ".join(f"{name}: {ended.error}" for name, ended in told.items())
            raise ClusterUnavailable(hosts.connection.name, reasons or "it has no hosts")
        self.equipment = max(groups, key=lambda each: len(groups[each]))
        self._first = groups[self.equipment][0]
        for other, names in groups.items():
            self.others |= {
                name: self._difference(other, name) for name in names if other != self.equipment
            }
        self._names = {
            name
            for names in groups.values()
            for name in names
            if takes_any or name not in self.others
        }
        self.crew = tuple(host for host in there if host.name in self._names)
        super().__init__(wanted, cancel, cpu=self.equipment.cpu)

    def _difference(self, other: Equipment, name: str) -> str:
        what = self.equipment.differs_in(other) or "device"
        own = f"{self._first} has {self.equipment.value(what) or 'none'}"
        return f"{what}: {own}, {name} has {other.value(what) or 'none'}"

    def sentences(self, remedy: str) -> tuple[str, ...]:
        names, equipment = [host.name for host in self.crew], self.equipment
        device = f", {equipment.device}" if equipment.device not in ("", equipment.cpu) else ""
        listed = ", ".join(names[:4]) + (f" and {len(names) - 4} others" if len(names) > 4 else "")
        found = [
            (
                f"{len(names)} hosts measure, one point at a time on each: {listed} "
                f"({equipment.cpu}{device})."
            )
        ]
        if len(names) == 1:
            found = [f"One host measures: {listed} ({equipment.cpu}{device}), one point at a time."]
        if (crowded := next((host for host in self.crew if host.workers > 1), None)) is not None:
            found.append(
                f"{crowded.name} has {crowded.workers} workers, but only one measures: two "
                "measurements at a time on a machine would disturb each other."
            )
        for name, words in self.others.items():
            also = (
                f"{name} differs in {words}; it measures too, "
                "and what cannot be compared is marked."
            )
            found.append(
                also
                if self.takes_any
                else f"{name} measures nothing, as it differs in {words}. {remedy}."
            )
        return tuple(found)

    def look_again(self) -> None:
        """Forget hosts that have gone, and ask those that have come for their equipment."""
        there = self.hosts.find()
        self.crew = tuple(host for host in there if host.name in self._names)
        for host in there:
            if (
                host.name not in self._names
                and host.name not in self.others
                and self.hosts.is_free(host)
            ):
                self.hosts.start(host, None, equipment_here, self.around)

    def admit(self, ended: Ended) -> None:
        """Let a host that has come measure if it may, and tell the user; the next look finds it."""
        name, words = ended.host.name, ended.error
        if ended.value is not None and ended.value != self.equipment:
            words = self._difference(ended.value, name)
        if words:
            self.others[name] = words
        if ended.value is None:
            self.tell(f"{name} measures nothing: {words}.")
        elif words and not self.takes_any:
            self.tell(f"{name} joined, but measures nothing, as it differs in {words}.")
        else:
            self._names.add(name)
            self.tell(f"{name} joined, and measures too.")

    def forecast(self, experiment: Experiment) -> GridForecast:
        """As the first of the hosts makes it, where memory, cores and files are those
        that count.
        """
        return self._forecast(experiment, probes=False)

    def probed(
        self,
        request: ExperimentRequest,
        tell: Callable[[str], None] = silent,
        *,
        always: bool = False,
    ) -> ExperimentRequest:
        if not is_worth_probing(request.forecast, always=always):
            return request
        tell(f"{self._first} probes the smallest graphs")
        return replace(request, forecast=self._forecast(request.experiment, probes=True))

    def run(self, request: ExperimentRequest) -> ClusterExperimentRun:
        return ClusterExperimentRun(request=request, cancel=self.cancel, place=self)

    def _forecast(self, experiment: Experiment, *, probes: bool) -> GridForecast:
        asked = forecast_here, self.around, experiment, self.earlier, probes
        ended = next(iter(self._answers(self.cancel, self.crew[:1], *asked).values()), None)
        if ended is None or ended.value is None:
            reason = (
                f"{ended.host.name}: {ended.error}" if ended else "the hosts that measure have gone"
            )
            raise ClusterUnavailable(self.hosts.connection.name, reason)
        # it sent copies
        points = (point for _, found in points_of(experiment, self.wanted.scale) for point in found)
        return GridForecast(
            tuple(replace(one, point=p) for one, p in zip(ended.value.points, points, strict=True))
        )

    def _answers(
        self,
        cancel: CancelToken,
        asked: Iterable[ExclusiveHost],
        question: Callable[..., Any],
        *arguments: Any,
    ) -> dict[str, Ended]:
        found: dict[str, Ended] = {}
        for host in asked:
            self.hosts.start(host, None, question, *arguments)
        try:
            while self.hosts.busy:
                cancel.check("The experiment")
                found |= {ended.host.name: ended for ended in self.hosts.ended(_WAIT_S)}
        finally:
            self.hosts.tell(self.hosts.busy, cancel_points, self.around.run)
            self.hosts.drop()
        return found


@dataclass(eq=False)
class PointGroup:
    """The points of one graph, its hash as the first host has it, and by host why that
    cannot measure on it.
    """

    choice: GraphChoice
    waiting: list[Point]
    sha256: str = ""
    refused: dict[str, str] = field(default_factory=dict)


@dataclass(kw_only=True)
class ClusterExperimentRun(ExperimentRun):
    """One run of an experiment on a cluster; outcomes come in the order of their end."""

    place: ClusterHosts
    _bandwidth: float = field(default=0.0, init=False)

    def memory_bandwidth(self) -> float | None:
        return self._bandwidth or None

    def _measure_points(self, points: list[Point]) -> Iterator[Measurement | Omission]:
        place, hosts = self.place, self.place.hosts
        self._groups = [PointGroup(choice, found) for choice, found in by_graph(points)]
        self._holds: dict[str, PointGroup] = {}  # by host, the graph of its last point
        self._attempts, self._runs = Counter[int](), dict[tuple[str, str], list[KeptRun]]()
        self._refreshed = self._last_seen = time.monotonic()
        try:
            if place.equipment.device and any(
                one.kind is ChartKind.RATE for one in self.request.experiment.charts
            ):
                for host in place.crew[:1]:
                    hosts.start(host, bandwidth_here, bandwidth_here, place.around)
            while any(group.waiting for group in self._groups) or hosts.busy:
                self.cancel.check("The experiment")
                if not self.pause.is_paused:
                    self._start()
                for ended in hosts.ended(_WAIT_S):
                    yield from self._take(ended)
                yield from self._leave_out_refused()
                self._refresh()
        finally:
            hosts.tell(hosts.busy, cancel_points, place.around.run)
            hosts.drop()

    def _start(self) -> None:
        hosts = self.place.hosts
        for host in self.place.crew:
            if hosts.is_free(host) and (group := self._next_group(host.name)) is not None:
                point = group.waiting.pop(0)
                look = self._looks[id(point)]
                if not look.reason and self._progress.is_too_slow(point, group.choice.vertices):
                    look = replace(look, reason=TOO_SLOW, is_too_long=True)
                hosts.start(
                    host, point, measure_point, look, self._kept.of_point(point), self.place.around
                )
        names = [host.name for host in hosts.busy]
        words = (
            f"{plural(len(names), 'host')} measuring "
            f"({', '.join(names[:3])}{', …' if len(names) > 3 else ''})"
        )
        self._tell(words if names else "waiting", len(self.place.crew))

    def _next_group(self, host: str) -> PointGroup | None:
        """The graph of a host's next point: its own, else one that no other host has,
        else the one with most points.
        """
        own = self._holds.get(host)
        if own is not None and own.waiting and host not in own.refused:
            return own
        waiting = [group for group in self._groups if group.waiting and host not in group.refused]
        if waiting:
            free = (
                group
                for group in waiting
                if all(group is not held for held in self._holds.values())
            )
            self._holds[host] = next(free, None) or max(
                waiting, key=lambda group: len(group.waiting)
            )
        return self._holds[host] if waiting else None

    def _refresh(self) -> None:
        now = time.monotonic()
        if now - self._refreshed < _REFRESH_S:
            return
        self._refreshed = now
        self.place.look_again()
        if self.place.crew:
            self._last_seen = now
        elif now - self._last_seen > _PATIENCE_S and not self.place.hosts.busy:
            raise NoWorkers(self.place.hosts.connection.name, _PATIENCE_S)

    def _take(self, ended: Ended) -> Iterator[Measurement | Omission]:
        if ended.is_lost:  # its nanny may start the worker anew, at another address
            self._holds.pop(ended.host.name, None)
            self.place.crew = tuple(one for one in self.place.crew if one.name != ended.host.name)
            self._refreshed = min(self._refreshed, time.monotonic() - _REFRESH_S + 1.0)
        if isinstance(ended.label, Point):
            yield from self._take_point(ended.label, ended)
        elif ended.label is bandwidth_here:
            self._bandwidth = ended.value or 0.0
        elif not ended.is_lost:
            self.place.admit(ended)

    def _take_point(self, point: Point, ended: Ended) -> Iterator[Measurement | Omission]:
        group = next(one for one in self._groups if one.choice is point.graph)
        outcome = ended.value
        host = ended.host
        if isinstance(outcome, HostOutcome):
            sha256 = outcome.run.graph.sha256
            group.sha256 = group.sha256 or sha256
            if sha256 != group.sha256:
                hashes = f"SHA-256 {sha256[:8]}, not {group.sha256[:8]}"
                outcome = (
                    f"{host.name} has another graph under the name {group.choice.title}: {hashes}"
                )
        if isinstance(outcome, str):
            if host.name not in group.refused:
                self.place.tell(f"{host.name} measures nothing on {group.choice.title}: {outcome}.")
            group.refused[host.name] = outcome
            group.waiting.insert(0, point)
        elif outcome is not None:
            yield self._result(point, outcome)
        elif not ended.is_lost:
            yield self._omit(point, ended.error)
        elif self._attempts[id(point)] + 1 < _ATTEMPTS:
            self._attempts[id(point)] += 1
            words = f"{point.title} on {point.graph.title}"
            self.place.tell(
                f"The worker of {host.name} ended while it measured {words}; it is measured again."
            )
            group.waiting.insert(0, point)
        else:
            yield self._omit(
                point, f"its worker ended {_ATTEMPTS} times, perhaps for lack of memory"
            )

    def _leave_out_refused(self) -> Iterator[Omission]:
        """The points that none of the hosts can measure."""
        names = [host.name for host in self.place.crew]
        for group in self._groups:
            if names and not self.place.hosts.busy and all(name in group.refused for name in names):
                points, group.waiting = group.waiting, []
                yield from (
                    self._omit(point, "; ".join(dict.fromkeys(group.refused.values())))
                    for point in points
                )

    def _result(self, point: Point, outcome: HostOutcome) -> Measurement | Omission:
        found, run = outcome.found, outcome.run
        if outcome.picture is not None:
            self.pictures[run.graph.sha256] = outcome.picture
        if isinstance(found, Omission):
            if found.timed_out:
                self._progress.note_timeout(point, run.graph.vertices)
            return self._omit(point, found.reason)
        self._finish(point)
        return (
            replace(found, point=point) if found.is_earlier else self._keep(point, run, found.kept)
        )

    def _keep(self, point: Point, run: KeptRun, kept: KeptVariant) -> Measurement:
        """Add a point to the run of its graph and host; to another one if that has the
        variant already.
        """
        runs = self._runs.setdefault((run.graph.sha256, run.machine.host), [])
        free = (
            i
            for i, one in enumerate(runs)
            if all(known.variant != kept.variant for known in one.variants)
        )
        index = next(free, len(runs))
        if index == len(runs):
            runs.append(replace(run, started_utc=kept.started_utc))
        runs[index] = grown = replace(
            runs[index], variants=(*runs[index].variants, kept), ended_utc=kept.started_utc
        )
        if self.request.store is not None:
            try:
                self.request.store.add([grown])
                self.problem = None
            except StoreUnavailable as error:
                self.problem = error
        return Measurement(point, grown, kept)
