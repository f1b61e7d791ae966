"""The hosts of a cluster for one experiment: which of them measure, how long that takes, and which point is next.

The largest group of equal hosts measures, or all. Points of one graph stay together while there are other graphs for
other hosts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from solvers.cluster.workers import Ended, ExclusiveHost, ExclusiveHosts
from solvers.errors import ClusterUnavailable, InputError
from solvers.experiments.forecast import GridForecast, PointForecast
from solvers.experiments.grid import GraphChoice, Point, by_graph, points_of
from solvers.experiments.measure import ExperimentRequest
from solvers.experiments.measurement import Equipment
from solvers.experiments.probe import is_worth_probing
from solvers.experiments.remote_points import (
    GraphLook,
    RemoteForecast,
    Surroundings,
    cancel_points,
    equipment_here,
    forecast_here,
    probe_here,
)
from solvers.experiments.spec import Experiment, ExperimentScale
from solvers.running.estimate import EarlierTime
from solvers.running.store.earlier_times import earlier_times
from solvers.running.store.kept_run import GraphFacts
from solvers.running.store.run_store import RunStore
from solvers.system.cancel import CancelToken

_WAIT_S = 0.1


@dataclass
class HostChoice:
    """The hosts that measure.

    Attributes
    ----------
    hosts : tuple of ExclusiveHost
    equipment : Equipment
        Of the hosts; of the first one where they may differ.
    others : dict
        By name, in what the hosts that are left out differ: "CPU: node1 has ..., node3 has ...".
    takes_any : bool
        Whether hosts that differ measure too.
    """

    hosts: tuple[ExclusiveHost, ...]
    equipment: Equipment
    others: dict[str, str]
    takes_any: bool

    def among(self, there: Sequence[ExclusiveHost]) -> tuple[ExclusiveHost, ...]:
        """Those of the hosts that measure."""
        names = {host.name for host in self.hosts}
        return tuple(host for host in there if host.name in names)

    def knows(self, host: ExclusiveHost) -> bool:
        return host.name in self.others or any(one.name == host.name for one in self.hosts)

    def admit(self, host: ExclusiveHost, equipment: Equipment | str) -> str:
        """Let a host that came later measure if it may; returns a sentence for the user."""
        if isinstance(equipment, str):
            self.others[host.name] = equipment
            return f"{host.name} measures nothing: {equipment}."
        if equipment != self.equipment:
            self.others[host.name] = _difference(self.equipment, self.hosts[0].name, equipment, host.name)
        if equipment == self.equipment or self.takes_any:
            self.hosts = (*self.hosts, host)
            return f"{host.name} has come and measures too."
        return f"{host.name} has come but measures nothing, as it differs in {self.others[host.name]}."

    def sentences(self, remedy: str) -> Iterator[str]:
        """Which hosts measure, and which do not and why; ``remedy`` says how those could: "--any-host lets it"."""
        names = [host.name for host in self.hosts]
        device = self.equipment.device if self.equipment.device != self.equipment.cpu else ""
        device = device and f", {device}"
        listed = ", ".join(names[:4]) + (f" and {len(names) - 4} others" if len(names) > 4 else "")
        if len(names) == 1:
            yield f"One host measures: {listed} ({self.equipment.cpu}{device}), one point at a time."
        else:
            yield f"{len(names)} hosts measure, one point at a time on each: {listed} ({self.equipment.cpu}{device})."
        if (crowded := next((host for host in self.hosts if host.workers > 1), None)) is not None:
            yield (
                f"{crowded.name} has {crowded.workers} workers, of which one measures: two measurements at a time on a "
                "machine would disturb each other."
            )
        for name, words in self.others.items():
            yield (
                f"{name} differs in {words}; it measures too, and what cannot be compared is marked."
                if self.takes_any
                else f"{name} measures nothing, as it differs in {words}. {remedy}."
            )


def choose_hosts(
    hosts: ExclusiveHosts, experiment: Experiment, around: Surroundings, token: CancelToken, *, takes_any: bool = False
) -> HostChoice:
    """Ask every host for its equipment, and choose.

    Raises
    ------
    ClusterUnavailable
        If no host answers, or none has the device.
    SchedulerUnreachable, Cancelled
    """
    there = hosts.find()
    ids = tuple(dict.fromkeys(one.variant.id for one in experiment.series))
    for host in there:
        hosts.start(host, host.name, equipment_here, around.device, ids)
    known: dict[str, Equipment] = {}
    failed: dict[str, str] = {}
    for ended in all_ended(hosts, token):
        if isinstance(ended.value, Equipment):
            known[ended.label] = ended.value
        else:
            failed[ended.label] = ended.value or ended.error
    if not known:
        raise ClusterUnavailable(
            hosts.connection.name, "; ".join(f"{name}: {why}" for name, why in failed.items()) or "it has no hosts"
        )
    return _choice(there, known, takes_any=takes_any)


def _choice(there: Sequence[ExclusiveHost], known: dict[str, Equipment], *, takes_any: bool) -> HostChoice:
    groups: dict[Equipment, list[ExclusiveHost]] = {}
    for host in there:
        if host.name in known:
            groups.setdefault(known[host.name], []).append(host)
    equipment = max(groups, key=lambda each: len(groups[each]))
    chosen, first = groups[equipment], groups[equipment][0].name
    others: dict[str, str] = {}
    for other, members in groups.items():
        if other != equipment:
            others |= {host.name: _difference(equipment, first, other, host.name) for host in members}
    measuring = [host for host in there if host.name in known and (takes_any or host in chosen)]
    return HostChoice(tuple(measuring), equipment, others, takes_any)


def _difference(one: Equipment, first: str, other: Equipment, second: str) -> str:
    what = one.differs_in(other) or "device"
    return f"{what}: {first} has {one.value(what) or 'none'}, {second} has {other.value(what) or 'none'}"


def all_ended(hosts: ExclusiveHosts, token: CancelToken) -> Iterator[Ended]:
    """The tasks that run now, as they end."""
    try:
        while hosts.busy:
            token.check("The experiment")
            yield from hosts.ended(_WAIT_S)
    finally:
        hosts.drop()


@dataclass
class HostPlan:
    """The chosen hosts, and what they are told.

    Attributes
    ----------
    hosts : ExclusiveHosts
    choice : HostChoice
        Which of the hosts measure.
    around : Surroundings
    """

    hosts: ExclusiveHosts
    choice: HostChoice
    around: Surroundings

    @classmethod
    def made(
        cls,
        hosts: ExclusiveHosts,
        experiment: Experiment,
        around: Surroundings,
        cancel: CancelToken,
        *,
        takes_any: bool = False,
    ) -> HostPlan:
        """Ask the hosts for their equipment, and choose.

        Raises
        ------
        InputError
            If a series names the interface of its device: hosts use one.
        ClusterUnavailable, SchedulerUnreachable, Cancelled
            As `choose_hosts`.
        """
        if any(one.device for one in experiment.series):
            raise InputError(
                f"{experiment.id} compares CUDA and OpenCL on one GPU, and hosts of a cluster use one of them: "
                "run it on one machine."
            )
        choice = choose_hosts(hosts, experiment, around, cancel, takes_any=takes_any)
        return cls(hosts, choice, around)

    def earlier_times(self, store: RunStore, experiment: Experiment) -> tuple[EarlierTime, ...]:
        """Times of its variants on processors such as the hosts', in earlier runs of this store."""
        return earlier_times(store, {one.variant.id for one in experiment.series}, self.choice.equipment.cpu)

    def forecast(
        self, experiment: Experiment, scale: ExperimentScale, cancel: CancelToken, earlier: Sequence[EarlierTime] = ()
    ) -> GridForecast:
        """The forecast as the first of the hosts makes it, where memory, cores and files are those that count.

        Raises
        ------
        ClusterUnavailable, SchedulerUnreachable, Cancelled
        """
        return self._asked(forecast_here, experiment, scale, cancel, earlier)

    def probed(
        self,
        request: ExperimentRequest,
        cancel: CancelToken,
        earlier: Sequence[EarlierTime] = (),
        tell: Callable[[str], None] = lambda words: None,
        *,
        always: bool = False,
    ) -> ExperimentRequest:
        """The request with a forecast that rests on a probe of the first host, where that is worth it or ``always``.

        Raises
        ------
        ClusterUnavailable, SchedulerUnreachable, Cancelled
        """
        if not is_worth_probing(request.forecast, always=always):
            return request
        tell(f"{self.choice.hosts[0].name} probes the smallest graphs")
        look = self._asked(probe_here, request.experiment, request.scale, cancel, earlier)
        return replace(request, forecast=look)

    def _asked(
        self,
        question: Callable[..., tuple[RemoteForecast, ...]],
        experiment: Experiment,
        scale: ExperimentScale,
        cancel: CancelToken,
        earlier: Sequence[EarlierTime],
    ) -> GridForecast:
        host = self.choice.hosts[0]
        self.hosts.start(host, host.name, question, experiment, scale, self.around, tuple(earlier))
        try:
            (ended,) = all_ended(self.hosts, cancel)
        finally:
            if cancel.cancelled:
                self.hosts.tell((host,), cancel_points, self.around.run)
        if ended.value is None:
            raise ClusterUnavailable(self.hosts.connection.name, f"{host.name}: {ended.error}")
        points = [point for _, found in points_of(experiment, scale) for point in found]
        told: tuple[RemoteForecast, ...] = ended.value
        return GridForecast(
            tuple(
                PointForecast(point, one.seconds, one.basis, one.reason, one.is_too_long)
                for point, one in zip(points, told, strict=True)
            )
        )


@dataclass(eq=False)
class PointGroup:
    """The points of one graph.

    Attributes
    ----------
    choice : GraphChoice
    waiting : list of Point
    look : GraphLook or None
        The graph as the first host has it; None until one has it.
    known_to : set of str
        Hosts that have it, the same.
    refused : dict
        By host, why it cannot measure on this graph.
    """

    choice: GraphChoice
    waiting: list[Point]
    look: GraphLook | None = None
    refused: dict[str, str] = field(default_factory=dict)
    known_to: set[str] = field(default_factory=set)

    @property
    def facts(self) -> GraphFacts:
        """Of the graph, when a host has it."""
        assert self.look is not None
        assert self.look.facts is not None
        return self.look.facts

    @property
    def source(self) -> int:
        """Id of the source vertex."""
        assert self.look is not None
        return self.look.source

    @property
    def source_name(self) -> str:
        assert self.look is not None
        return self.look.source_name

    @property
    def why_refused(self) -> str:
        """The hosts' reasons, each once."""
        reasons = dict.fromkeys(self.refused.values())
        return "; ".join(reasons)


class PointQueue:
    """The points that are not measured yet, by graph.

    A graph that is on one host only is made or read once, and the ratios of its points compare times of one machine.

    Parameters
    ----------
    points : sequence of Point
        In order of the experiment.
    """

    def __init__(self, points: Sequence[Point]):
        self.groups = [PointGroup(choice, list(found)) for choice, found in by_graph(points)]
        self._holds: dict[str, PointGroup] = {}

    def next_group(self, host: str) -> PointGroup | None:
        """The group of which a host takes the next point; None if nothing is left for it."""
        own = self._holds.get(host)
        if own is not None and own.waiting and host not in own.refused:
            return own
        open_ones = [group for group in self.groups if group.waiting and host not in group.refused]
        if not open_ones:
            return None
        held = {id(group) for name, group in self._holds.items() if name != host}
        free = next((group for group in open_ones if id(group) not in held), None)
        chosen = free or max(open_ones, key=lambda group: len(group.waiting))
        self._holds[host] = chosen
        return chosen

    def know(self, host: str, group: PointGroup, look: GraphLook) -> bool:
        """Take what a host says of a graph; False if it cannot measure on it: no such file, or another graph."""
        if look.facts is None:
            group.refused[host] = look.reason
        elif group.look is not None and group.facts.sha256 != look.facts.sha256:
            hashes = f"SHA-256 {look.facts.sha256[:8]}, not {group.facts.sha256[:8]}"
            group.refused[host] = f"{host} has another graph under the name {group.choice.title}: {hashes}"
        else:
            group.look = group.look or look
            group.known_to.add(host)
            return True
        return False

    def forget(self, host: str) -> None:
        """The worker of a host was started anew."""
        self._holds.pop(host, None)
        for group in self.groups:
            group.known_to.discard(host)

    def put_back(self, point: Point) -> None:
        next(group for group in self.groups if group.choice is point.graph).waiting.insert(0, point)

    def stranded(self, hosts: Iterable[str]) -> Iterator[PointGroup]:
        """Groups with waiting points that none of the hosts can measure."""
        names = list(hosts)
        for group in self.groups:
            if names and group.waiting and all(name in group.refused for name in names):
                yield group
