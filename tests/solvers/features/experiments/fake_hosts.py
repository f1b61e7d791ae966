"""Hosts of a made-up cluster, whose tasks run in the test's process when their outcome
is asked for.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from solvers.features.clusters.workers import Ended, ExclusiveHost
from solvers.features.experiments.measurement import Equipment
from solvers.features.experiments.on_host import equipment_here
from solvers.system import machine

USUAL = Equipment("A CPU", 8)


@dataclass(frozen=True)
class _Named:
    name: str = "fake:8786"


class FakeHosts:
    """Stands for `ExclusiveHosts`.

    Parameters
    ----------
    equipment : mapping of str to Equipment or str
        The hosts; a str is the reason why a host cannot measure.

    Attributes
    ----------
    most_busy : int
        Greatest number of hosts that were busy at a time.
    told : list of str
        Hosts that were told something beside their tasks.
    answers : dict
        By host and function, what is returned in place of a call; "lost" for a worker
        that ends.
    """

    def __init__(self, **equipment: Equipment | str):
        self.equipment = equipment
        self.connection = _Named()
        self.most_busy, self.told = 0, list[str]()
        self.ran: list[tuple[str, str]] = []
        self.answers: dict[tuple[str, str], list[Any]] = {}
        self._running: dict[
            str, tuple[ExclusiveHost, Any, Callable[..., Any], tuple[Any, ...]]
        ] = {}

    def find(self) -> tuple[ExclusiveHost, ...]:
        return tuple(ExclusiveHost(name, f"tcp://{name}", 1) for name in self.equipment)

    def is_free(self, host: ExclusiveHost) -> bool:
        return host.name not in self._running

    @property
    def busy(self) -> tuple[ExclusiveHost, ...]:
        return tuple(host for host, *_ in self._running.values())

    def start(
        self, host: ExclusiveHost, label: Any, function: Callable[..., Any], *arguments: Any
    ) -> None:
        assert self.is_free(host)
        self._running[host.name] = host, label, function, arguments
        self.most_busy = max(self.most_busy, len(self._running))

    def tell(
        self, hosts: Iterable[ExclusiveHost], function: Callable[..., Any], *arguments: Any
    ) -> None:
        self.told += [host.name for host in hosts]

    def ended(self, wait_s: float) -> tuple[Ended, ...]:
        """All that was started."""
        tasks, self._running = list(self._running.values()), {}
        return tuple(self._run(*task) for task in tasks)

    def drop(self) -> None:
        self._running = {}

    def _run(
        self,
        host: ExclusiveHost,
        label: Any,
        function: Callable[..., Any],
        arguments: tuple[Any, ...],
    ) -> Ended:
        self.ran.append((host.name, function.__name__))
        have = self.equipment[host.name]
        if planned := self.answers.get((host.name, function.__name__)):
            value = planned.pop(0)
            if value == "lost":
                return Ended(host, label, error="its worker has ended", is_lost=True)
            return Ended(host, label, value)
        if isinstance(have, str):
            return Ended(host, label, error=have)
        if function is equipment_here:
            return Ended(host, label, have)
        with (
            patch.object(machine, "cpu_name", lambda: have.cpu),
            patch.object(machine, "cores", lambda: have.cores),
            patch.object(socket, "gethostname", lambda: host.name),
        ):
            return Ended(host, label, function(*arguments))
