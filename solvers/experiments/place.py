"""Where an experiment is measured: this machine, or the hosts of a cluster. Both answer the same questions.

On a cluster each host measures one point at a time; finished points are kept here as they come.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from solvers.cluster.workers import Ended, ExclusiveHost
from solvers.errors import NoWorkers, StoreUnavailable
from solvers.experiments.cluster_hosts import HostPlan, PointGroup, PointQueue
from solvers.experiments.forecast import GridForecast, GridSize, forecast, size_of_grid
from solvers.experiments.grid import Point
from solvers.experiments.measure import ExperimentRequest, ExperimentRun, LocalExperimentRun
from solvers.experiments.measurement import Measurement, MeasuringPlace, Omission
from solvers.experiments.probe import probed
from solvers.experiments.remote_points import (
    GraphLook,
    RemoteOutcome,
    bandwidth_here,
    cancel_points,
    equipment_here,
    look_at_graph,
    measure_point,
)
from solvers.experiments.spec import ChartKind, Experiment
from solvers.running.run import new_run_id
from solvers.running.store.earlier_times import earlier_times
from solvers.running.store.kept_run import KeptRun, KeptVariant
from solvers.running.store.run_store import RunStore
from solvers.system.cancel import CancelToken, Progress
from solvers.text import plural
from solvers.version import __version__


def _silent(words: str) -> None:
    return


class ExperimentPlace(ABC):
    """A place for one experiment.

    Parameters
    ----------
    wanted : ExperimentRequest
        What to run; its forecast is not looked at.
    cancel : CancelToken
        Ends forecasts, probes and the run.
    """

    def __init__(self, wanted: ExperimentRequest, cancel: CancelToken):
        self.wanted, self.cancel = wanted, cancel

    def sentences(self, remedy: str) -> tuple[str, ...]:
        """What is to be said of the place before the start; see `HostChoice.sentences`."""
        return ()

    def size(self) -> GridSize:
        """Number of points and their time, without looking at each of very many.

        Raises
        ------
        Cancelled, ClusterUnavailable
        """
        return size_of_grid(self.wanted.experiment, self.wanted.scale, self.forecast)

    def request(self) -> ExperimentRequest:
        """What is wanted, with a look at every point.

        Raises
        ------
        Cancelled, ClusterUnavailable
        """
        return replace(self.wanted, forecast=self.forecast(self.wanted.experiment))

    @abstractmethod
    def forecast(self, experiment: Experiment) -> GridForecast:
        """A look at every point of an experiment, such as a thinned one."""

    @abstractmethod
    def probed(
        self, request: ExperimentRequest, tell: Callable[[str], None] = _silent, *, always: bool = False
    ) -> ExperimentRequest:
        """The request with single trials in place of guesses, where that is worth it or ``always``.

        Raises
        ------
        Cancelled, ClusterUnavailable
        """

    @abstractmethod
    def run(self, request: ExperimentRequest) -> ExperimentRun:
        """The run of a request; `ExperimentRun.measure` begins it."""


class ThisMachine(ExperimentPlace):
    """Points are measured one after another in this process."""

    def __init__(self, wanted: ExperimentRequest, cancel: CancelToken):
        super().__init__(wanted, cancel)
        ids = {one.variant.id for one in wanted.experiment.series}
        self._earlier = earlier_times(wanted.store or RunStore(), ids)

    def forecast(self, experiment: Experiment) -> GridForecast:
        wanted = self.wanted
        return forecast(
            experiment, wanted.scale, wanted.files, wanted.device, self._earlier, wanted.measuring,
            Progress(self.cancel),
        )  # fmt: skip

    def probed(
        self, request: ExperimentRequest, tell: Callable[[str], None] = _silent, *, always: bool = False
    ) -> ExperimentRequest:
        return probed(request, self._earlier, self.cancel, tell, always=always)

    def run(self, request: ExperimentRequest) -> LocalExperimentRun:
        return LocalExperimentRun(request=request, cancel=self.cancel)


class ClusterHosts(ExperimentPlace):
    """Points are measured on the hosts of a cluster, one at a time on each.

    Parameters
    ----------
    wanted, cancel
    plan : HostPlan
    tell : callable(str)
        Hears what befalls hosts during the run.
    """

    def __init__(
        self, wanted: ExperimentRequest, cancel: CancelToken, plan: HostPlan, tell: Callable[[str], None] = _silent
    ):
        super().__init__(wanted, cancel)
        self.plan, self._tell = plan, tell
        self._earlier = plan.earlier_times(wanted.store or RunStore(), wanted.experiment)

    def sentences(self, remedy: str) -> tuple[str, ...]:
        return tuple(self.plan.choice.sentences(remedy))

    def forecast(self, experiment: Experiment) -> GridForecast:
        return self.plan.forecast(experiment, self.wanted.scale, self.cancel, self._earlier)

    def probed(
        self, request: ExperimentRequest, tell: Callable[[str], None] = _silent, *, always: bool = False
    ) -> ExperimentRequest:
        return self.plan.probed(request, self.cancel, self._earlier, tell, always=always)

    def run(self, request: ExperimentRequest) -> ClusterExperimentRun:
        return ClusterExperimentRun(request=request, cancel=self.cancel, plan=self.plan, tell=self._tell)


_WAIT_S = 0.1  # for outcomes, between two looks at pause and cancellation
_REFRESH_S = 5.0  # between two looks for hosts that have come or gone
_PATIENCE_S = 60.0  # without any host
_ATTEMPTS = 2  # of a point whose worker ends


@dataclass(frozen=True)
class Newcomer:
    """Label of the question to a host that came after the start."""


@dataclass(frozen=True)
class DeviceLimit:
    """Label of the question for the bandwidth of the device's memory."""


@dataclass(kw_only=True)
class ClusterExperimentRun(ExperimentRun):
    """One run of an experiment on a cluster; outcomes come in the order of their end.

    Attributes
    ----------
    plan : HostPlan
        The hosts; the request's forecast is theirs.
    tell : callable(str)
        Hears what the user should know of hosts: lost workers, missing files.
    """

    plan: HostPlan
    tell: Callable[[str], None] = lambda words: None
    _bandwidth: float = field(default=0.0, init=False)

    def memory_bandwidth(self) -> float | None:
        return self._bandwidth or None

    def _measure_points(self, points: list[Point]) -> Iterator[Measurement | Omission]:
        self._hosts, self._choice, self._around = self.plan.hosts, self.plan.choice, self.plan.around
        self._attempts: dict[int, int] = {}
        self._runs: dict[tuple[str, str], list[KeptRun]] = {}
        self._crew = self._choice.hosts
        self._refreshed = self._last_seen = time.monotonic()
        self._queue = PointQueue(points)
        try:
            self._ask_limit()
            while any(group.waiting for group in self._queue.groups) or self._hosts.busy:
                self.cancel.check("The experiment")
                if not self.pause.is_paused:
                    yield from self._start()
                for ended in self._hosts.ended(_WAIT_S):
                    yield from self._take(ended)
                yield from self._strand()
                self._refresh()
        finally:
            self._hosts.tell(self._hosts.busy, cancel_points, self._around.run)
            self._hosts.drop()

    # -- giving out --------------------------------------------------------------------------------------------------

    def _ask_limit(self) -> None:
        """Ask one host what its device's memory allows, where a chart compares rates with that."""
        draws_rate = any(chart.kind is ChartKind.RATE for chart in self.request.experiment.charts)
        if draws_rate and self._choice.equipment.device and self._queue.groups:
            self._hosts.start(self._crew[0], DeviceLimit(), bandwidth_here, self._around.device, self._variant_ids)

    @property
    def _variant_ids(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one.variant.id for one in self.request.experiment.series))

    def _start(self) -> Iterator[Omission]:
        for host in self._crew:
            while self._hosts.is_free(host) and (group := self._queue.next_group(host.name)) is not None:
                if host.name not in group.known_to:
                    self._hosts.start(host, group, look_at_graph, group.choice, self._around)
                    break
                point = group.waiting.pop(0)
                if (left_out := self._if_left_out(point, group.facts.vertices)) is not None:
                    yield left_out
                else:
                    self._hosts.start(host, point, measure_point, point, self._around)
        self._tell_progress()

    def _refresh(self) -> None:
        """Let hosts that have come measure too, if they are equal to the others, and forget those that have gone."""
        now = time.monotonic()
        if now - self._refreshed < _REFRESH_S:
            return
        self._refreshed = now
        there = self._hosts.find()
        self._crew = self._choice.among(there)
        for host in there:
            if not self._choice.knows(host) and self._hosts.is_free(host):
                self._hosts.start(host, Newcomer(), equipment_here, self._around.device, self._variant_ids)
        if self._crew:
            self._last_seen = now
        elif now - self._last_seen > _PATIENCE_S and not self._hosts.busy:
            raise NoWorkers(self._hosts.connection.name, _PATIENCE_S)

    # -- taking back -------------------------------------------------------------------------------------------------

    def _take(self, ended: Ended) -> Iterator[Measurement | Omission]:
        host, label = ended.host, ended.label
        if ended.is_lost:
            self._lose(host)
        if isinstance(label, Newcomer):
            if not ended.is_lost:
                self.tell(self._choice.admit(host, ended.value or ended.error))
        elif isinstance(label, DeviceLimit):
            self._bandwidth = ended.value or 0.0
        elif isinstance(label, PointGroup):
            yield from self._take_look(host, label, ended)
        elif ended.value is None:
            yield from self._try_again(label, host, ended)
        else:
            yield from self._outcome(label, host, ended.value)

    def _take_look(self, host: ExclusiveHost, group: PointGroup, ended: Ended) -> Iterator[Measurement]:
        if ended.is_lost:
            return  # the host comes back, or others take the group
        look = ended.value if ended.value is not None else GraphLook(None, reason=ended.error)
        is_first = group.look is None
        if not self._queue.know(host.name, group, look):
            self.tell(f"{host.name} measures nothing on {group.choice.title}: {group.refused[host.name]}.")
        elif is_first:
            if look.picture is not None:
                self.pictures[group.facts.sha256] = look.picture
            yield from self._resume(group)

    def _resume(self, group: PointGroup) -> Iterator[Measurement]:
        """What of a graph's points is in the store."""
        equipment = self._choice.equipment
        place = MeasuringPlace(equipment.cpu, equipment.device, equipment.driver)
        for point in list(group.waiting):
            found = self._earlier(point, group.facts.sha256, group.source, place)
            if found is not None:
                group.waiting.remove(point)
                yield found

    def _try_again(self, point: Point, host: ExclusiveHost, ended: Ended) -> Iterator[Omission]:
        if not ended.is_lost:
            yield self._omit(point, f"{host.name}: {ended.error}")
            return
        self._attempts[id(point)] = self._attempts.get(id(point), 0) + 1
        words = f"{point.title} on {point.graph.title}"
        if self._attempts[id(point)] >= _ATTEMPTS:
            yield self._omit(point, f"its worker ended {_ATTEMPTS} times, perhaps for lack of memory")
            return
        self.tell(f"The worker of {host.name} ended while it measured {words}; it is measured again.")
        self._queue.put_back(point)

    def _lose(self, host: ExclusiveHost) -> None:
        """Its worker may be started anew by its nanny, at another address."""
        self._queue.forget(host.name)
        self._crew = tuple(one for one in self._crew if one.name != host.name)
        self._refreshed = min(self._refreshed, time.monotonic() - _REFRESH_S + 1.0)

    def _outcome(self, point: Point, host: ExclusiveHost, outcome: RemoteOutcome) -> Iterator[Measurement | Omission]:
        group = next(group for group in self._queue.groups if group.choice is point.graph)
        kept = outcome.kept
        if kept is None:
            yield self._omit(point, outcome.reason)
        elif reason := self._why_unmeasured(point, kept, group.facts.vertices):
            yield self._omit(point, reason)
        else:
            self._finish(point)
            run = self._keep(host, group, outcome, kept)
            yield Measurement.of(point, run, kept, is_earlier=False)

    def _strand(self) -> Iterator[Omission]:
        """Leave out what no host can measure."""
        if self._hosts.busy:
            return
        for group in self._queue.stranded(host.name for host in self._crew):
            points, group.waiting = group.waiting, []
            yield from (self._omit(point, group.why_refused) for point in points)

    # -- the store ---------------------------------------------------------------------------------------------------

    def _keep(self, host: ExclusiveHost, group: PointGroup, outcome: RemoteOutcome, kept: KeptVariant) -> KeptRun:
        """Add a point to the run of its graph and host; another one if that has the variant already."""
        request, facts = self.request, group.facts
        runs = self._runs.setdefault((facts.sha256, host.name), [])
        place = next((i for i, run in enumerate(runs) if all(v.variant != kept.variant for v in run.variants)), None)
        if place is None:
            place = len(runs)
            runs.append(self._new_run(group, outcome, kept))
        run = runs[place]
        runs[place] = run = replace(run, variants=(*run.variants, kept), ended_utc=kept.started_utc)
        if request.store is not None:
            try:
                request.store.add([run])
            except StoreUnavailable as error:
                self.problem = error
            else:
                self.problem = None
        return run

    def _new_run(self, group: PointGroup, outcome: RemoteOutcome, kept: KeptVariant) -> KeptRun:
        request = self.request
        return KeptRun(
            new_run_id(), kept.started_utc, __version__, request.origin, group.facts, group.source, None,
            outcome.machine, name=request.title, experiment=request.key, source_name=group.source_name,
        )  # fmt: skip

    # -- progress ----------------------------------------------------------------------------------------------------

    def _tell_progress(self) -> None:
        names = [host.name for host in self._hosts.busy]
        words = f"{plural(len(names), 'host')} measuring ({', '.join(names[:3])}{', …' if len(names) > 3 else ''})"
        self._tell(words if names else "waiting", len(self._crew))
