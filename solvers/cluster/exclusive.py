"""Tasks that have a host to themselves: at most one on each machine at a time, however many workers it has.

One worker of each host gets a resource token of Dask, and each of these tasks takes the token while it runs. So the
tasks of two clients do not meet on a host either; the second waits.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from solvers.cluster.connection import Connection
from solvers.cluster.facts import WorkerFacts, worker_facts
from solvers.errors import SchedulerUnreachable

TOKEN = "measuring"
_LOOK_S = 1.0  # between two looks for workers that have gone


@dataclass(frozen=True)
class ExclusiveHost:
    """A machine of the cluster.

    Attributes
    ----------
    name : str
    worker : str
        Address of the worker that runs the tasks.
    workers : int
        Worker processes on this machine.
    """

    name: str
    worker: str
    workers: int


@dataclass(frozen=True)
class Ended:
    """A task that has ended.

    Attributes
    ----------
    host : ExclusiveHost
    label : Any
        Given at its start.
    value : Any
        What it returned; None if it did not.
    error : str
        Why it did not return; "" if it did.
    is_lost : bool
        Whether its worker has gone.
    """

    host: ExclusiveHost
    label: Any
    value: Any = None
    error: str = ""
    is_lost: bool = False


@dataclass
class ExclusiveHosts:
    """The hosts of a connected cluster, each with room for one task. Used by one thread.

    Parameters
    ----------
    connection : Connection
    """

    connection: Connection
    _facts: dict[str, WorkerFacts] = field(default_factory=dict)
    _running: dict[str, tuple[ExclusiveHost, Any, Any]] = field(default_factory=dict)  # by host: label and future
    _wake: threading.Event = field(default_factory=threading.Event)
    _looked: float = 0.0

    def find(self) -> tuple[ExclusiveHost, ...]:
        """The hosts there are now, by name; on each, one worker has the token.

        Raises
        ------
        SchedulerUnreachable
        """
        known = self.connection.workers()
        unknown = [address for address in known if address not in self._facts]
        self._facts |= self._ask(worker_facts, unknown) if unknown else {}
        by_host: dict[str, list[str]] = {}
        for address in sorted(known):
            if address in self._facts:
                by_host.setdefault(self._facts[address].host, []).append(address)
        holders = {address for address, told in known.items() if told.get("resources", {}).get(TOKEN)}
        found = []
        for name, addresses in sorted(by_host.items()):
            chosen = next((address for address in addresses if address in holders), addresses[0])
            if chosen not in holders:
                self._ask(_give_token, [chosen])
            found.append(ExclusiveHost(name, chosen, len(addresses)))
        return tuple(found)

    def is_free(self, host: ExclusiveHost) -> bool:
        return host.name not in self._running

    @property
    def busy(self) -> tuple[ExclusiveHost, ...]:
        return tuple(host for host, _, _ in self._running.values())

    def start(self, host: ExclusiveHost, label: Any, function: Callable[..., Any], *arguments: Any) -> None:
        """Start a task on a free host.

        Parameters
        ----------
        host : ExclusiveHost
        label : Any
            Comes back with the outcome.
        function : callable
            Of a module that the workers have.
        *arguments
            Sent to the worker.

        Raises
        ------
        SchedulerUnreachable
        """
        assert self.is_free(host)
        try:
            future = self.connection.client.submit(
                function, *arguments, workers=[host.worker], resources={TOKEN: 1}, pure=False, retries=0
            )
        except (OSError, RuntimeError) as error:
            raise SchedulerUnreachable(self.connection.name, str(error)) from error
        self._running[host.name] = host, label, future
        future.add_done_callback(lambda _: self._wake.set())

    def tell(self, hosts: Iterable[ExclusiveHost], function: Callable[..., Any], *arguments: Any) -> None:
        """Call a short function in the workers of some hosts at once, beside their tasks; does not wait for it."""
        workers = [host.worker for host in hosts]
        if not workers:
            return
        try:
            self.connection.client.run(_call, function, *arguments, workers=workers, wait=False, on_error="ignore")
        except (OSError, RuntimeError):
            return  # who has gone runs nothing

    def ended(self, wait_s: float) -> tuple[Ended, ...]:
        """The tasks that have ended, waiting for the first for at most ``wait_s``.

        Raises
        ------
        SchedulerUnreachable
        """
        self._wake.wait(wait_s)
        self._wake.clear()  # before the look, so that what ends during it wakes the next call
        lost = self._lost()
        found = [self._ended(name, name in lost) for name, (_, _, f) in list(self._running.items()) if f.done()]
        found += [self._ended(name, True) for name in lost if name in self._running]
        return tuple(found)

    def drop(self) -> None:
        """Forget all tasks; what runs is not waited for."""
        futures = [future for _, _, future in self._running.values()]
        self._running.clear()
        try:
            self.connection.client.cancel(futures)
        except (OSError, RuntimeError, TimeoutError):
            return  # the scheduler is gone, and the tasks with it

    def _lost(self) -> set[str]:
        """Names of hosts whose worker has gone while it ran a task."""
        if time.monotonic() - self._looked < _LOOK_S:
            return set()
        self._looked = time.monotonic()
        known = self.connection.workers()
        return {name for name, (host, _, _) in self._running.items() if host.worker not in known}

    def _ended(self, name: str, is_lost: bool) -> Ended:
        host, label, future = self._running.pop(name)
        if future.status == "finished":
            return Ended(host, label, future.result())
        if is_lost or future.status in ("cancelled", "lost"):
            future.cancel()
            return Ended(host, label, error="its worker has ended", is_lost=True)
        error = future.exception()
        is_lost = type(error).__name__ == "KilledWorker"
        return Ended(host, label, error=f"{type(error).__name__}: {error}", is_lost=is_lost)

    def _ask(self, question: Callable[..., Any], workers: Sequence[str]) -> dict[str, Any]:
        """The answers of those workers that gave one."""
        try:
            answers = self.connection.client.run(question, workers=list(workers), on_error="ignore")
        except (OSError, RuntimeError, TimeoutError) as error:
            raise SchedulerUnreachable(self.connection.name, str(error)) from error
        return dict(answers)


async def _call(function: Callable[..., Any], *arguments: Any) -> None:
    """In a worker: Dask waits for all but coroutines."""
    function(*arguments)


async def _give_token(dask_worker: Any) -> None:
    """In a worker: let it take one of these tasks at a time."""
    if not dask_worker.state.total_resources.get(TOKEN):
        await dask_worker.set_resources(**{TOKEN: 1})
