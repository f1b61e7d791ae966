"""Which hosts of a cluster measure an experiment: the largest group of equal ones, or all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from solvers.cluster.exclusive import Ended, ExclusiveHost, ExclusiveHosts
from solvers.errors import ClusterUnavailable
from solvers.experiments.experiment import Experiment
from solvers.experiments.machines import Equipment
from solvers.experiments.remote_forecasts import equipment_here
from solvers.experiments.remote_points import Surroundings
from solvers.host.observer import CancelToken

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
            token.raise_if_cancelled("The experiment")
            yield from hosts.ended(_WAIT_S)
    finally:
        hosts.drop()
