"""Which machines the points of an experiment were measured on, and in what these differ.

Times of two machines can be compared only if the machines are equal: same processor, as many cores, same device with
the same driver. CUDA and OpenCL have each a driver of their own on one device, and are not told apart by it. Charts,
claims and reports say where machines differ.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from solvers.devices.base import kind_of_driver
from solvers.experiments.measurement import Measurement

THIS_MACHINE = "this machine"
_MOST_NAMED = 4  # hosts by name; more are counted


@dataclass(frozen=True)
class Equipment:
    """What decides how fast a machine is.

    Attributes
    ----------
    cpu : str
    cores : int or None
        Available ones; None if unknown.
    device, driver : str
        "" where nothing ran on a device.
    """

    cpu: str = ""
    cores: int | None = None
    device: str = ""
    driver: str = ""

    @classmethod
    def of(cls, found: Measurement) -> Equipment:
        return cls(found.machine.cpu, found.machine.cores, found.kept.device, found.kept.driver)

    def differs_in(self, other: Equipment) -> str:
        """The first property in which they differ, "" if none: "CPU"; what is unknown of either does not differ."""
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


def host_name(found: Measurement) -> str:
    return found.machine.host or THIS_MACHINE


def difference(measurements: Iterable[Measurement]) -> str:
    """In what the machines of some measurements differ: "CPU: A has …, B has …"; "" if they are equal."""
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
    """A sentence on the hosts of a chart or report; "" if everything was measured on one machine."""
    names = tuple(dict.fromkeys(host_name(found) for found in measurements))
    if words := difference(measurements):
        return f"The points come from {_named(names)}, which differ in {words}; times across them are not comparable."
    return f"The points come from {_named(names)}, equal in processor, cores and device." if len(names) > 1 else ""


def _named(names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"several runs on {names[0]}"
    if len(names) > _MOST_NAMED:
        return f"{len(names)} hosts"
    return f"{', '.join(names[:-1])} and {names[-1]}"
