"""The workers of a cluster and what each of them does, and tasks that have one of its machines to themselves.

What the workers do is for the command ``hosts`` and for the window.

`ExclusiveHosts` runs at most one task on each machine at a time, however many workers it has. One worker of each host
gets a resource token of Dask, and each of these tasks takes the token while it runs. So the tasks of two clients do not
meet on a host either; the second waits.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Coroutine, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from solvers.cluster.connection import Connection
from solvers.cluster.worker_facts import WorkerFacts, WorkerTally, worker_facts, worker_tally
from solvers.errors import SchedulerUnreachable, TautlineError

log = logging.getLogger(__name__)

_ANSWER_S = 2.0  # for a worker to tell its numbers; one that compiles answers later


@dataclass(frozen=True)
class WorkerStatus:
    """One worker process.

    Attributes
    ----------
    address : str
        At which other workers reach it.
    host : str
        Name of its machine.
    pid : int
    cores : int
        Tasks that it runs at a time.
    gpus : tuple of str
        Names of NVIDIA GPUs that it sees.
    memory_used_bytes, memory_bytes : int
        Of the process, and its limit, or else that of its machine.
    running : int
        Tasks that it runs now.
    tasks, sources : int
        Finished since it was started.
    sources_per_s : float
        Over the last half minute.
    last_words : tuple of str
        Last lines of its log, the newest last.
    silent_s : float
        Time since its scheduler last heard from it, in seconds.
    answered : bool
        Whether it told its numbers; if not, the counts are 0.
    """

    address: str
    host: str
    pid: int
    cores: int
    gpus: tuple[str, ...]
    memory_used_bytes: int
    memory_bytes: int
    running: int
    tasks: int
    sources: int
    sources_per_s: float
    last_words: tuple[str, ...]
    silent_s: float
    answered: bool


class HostWatch:
    """Looks at the workers of a connected cluster; facts that do not change are asked for once.

    Each look takes up to some seconds: a job, where the window looks.

    Parameters
    ----------
    connection : Connection
    """

    def __init__(self, connection: Connection):
        self._connection = connection
        self._facts: dict[str, WorkerFacts] = {}

    def look(self) -> tuple[WorkerStatus, ...]:
        """Every worker, ordered by host and address.

        Raises
        ------
        SchedulerUnreachable
        """
        workers = self._connection.workers()
        unknown = [address for address in workers if address not in self._facts]
        if unknown:
            self._facts |= {k: v for k, v in self._ask(worker_facts, unknown).items() if isinstance(v, WorkerFacts)}
        tallies = self._ask(worker_tally, list(workers))
        logs = self._logs(list(workers))
        found = [
            _status(address, known, self._facts.get(address), tallies.get(address), logs.get(address, ()))
            for address, known in workers.items()
        ]
        return tuple(sorted(found, key=lambda worker: (worker.host, worker.address)))

    def _ask(self, question: Any, workers: list[str]) -> dict[str, Any]:
        """Answers by worker; without those that are busy or have gone."""
        if not workers:
            return {}
        client = self._connection.client
        try:
            answers: dict[str, Any] = client.sync(
                client._run, question, workers=workers, on_error="return", callback_timeout=_ANSWER_S
            )
        except (OSError, TimeoutError, RuntimeError) as error:
            log.info("workers did not answer: %s", error)
            return {}
        return answers

    def _logs(self, workers: list[str]) -> dict[str, tuple[str, ...]]:
        """Dask's own last lines, which hold what went wrong in a worker."""
        try:
            found = self._connection.client.get_worker_logs(n=5, workers=workers)
        except (OSError, TimeoutError, RuntimeError) as error:
            log.info("workers gave no log: %s", error)
            return {}
        return {
            address: tuple(text for level, text in reversed(list(lines)) if level in ("WARNING", "ERROR", "CRITICAL"))
            for address, lines in found.items()
        }


def look_at_hosts(connection: Connection) -> tuple[WorkerStatus, ...]:
    """`HostWatch.look`, once."""
    return HostWatch(connection).look()


def _status(
    address: str, known: dict[str, Any], facts: WorkerFacts | None, tally: Any, troubles: tuple[str, ...]
) -> WorkerStatus:
    answered = isinstance(tally, WorkerTally)
    counts = tally if answered else WorkerTally(0, 0, 0.0, 0.0, ())
    metrics = known.get("metrics", {})
    return WorkerStatus(
        address,
        facts.host if facts else str(known.get("host", "")),
        facts.pid if facts else 0,
        int(known.get("nthreads", 1)),
        facts.gpus if facts else (),
        int(metrics.get("memory", 0)),
        int(known.get("memory_limit") or (facts.memory_bytes if facts else 0)),
        int(metrics.get("task_counts", {}).get("executing", 0)),
        counts.tasks,
        counts.sources,
        counts.sources_per_s,
        counts.last_words or troubles,
        max(0.0, time.time() - float(known.get("last_seen", time.time()))),
        answered,
    )


TOKEN = "measuring"
_LOOK_S = 1.0  # between two looks for workers that have gone


@dataclass(frozen=True)
class ExclusiveHost:
    """A machine of the cluster, the address of its worker that runs the tasks, and how many workers it has."""

    name: str
    worker: str
    workers: int


@dataclass(frozen=True)
class Ended:
    """A task that has ended: its label, and what it returned, or else why not; ``is_lost`` if its worker has gone."""

    host: ExclusiveHost
    label: Any
    value: Any = None
    error: str = ""
    is_lost: bool = False


@dataclass
class ExclusiveHosts:
    """The hosts of a connected cluster, each with room for one task. Used by one thread.

    Every method but ``is_free``, ``tell`` and ``drop`` raises `SchedulerUnreachable` if the connection is lost.
    """

    connection: Connection
    _facts: dict[str, WorkerFacts] = field(default_factory=dict)
    _running: dict[str, tuple[ExclusiveHost, Any, Any]] = field(default_factory=dict)  # by host: label and future
    _wake: threading.Event = field(default_factory=threading.Event)
    _looked: float = 0.0

    def find(self) -> tuple[ExclusiveHost, ...]:
        """The hosts there are now, by name; on each, one worker has the token."""
        known = self.connection.workers()
        if unknown := [address for address in known if address not in self._facts]:
            self._facts |= self._ask(worker_facts, unknown)
        by_host: dict[str, list[str]] = {}
        for address in sorted(known):
            if address in self._facts:
                by_host.setdefault(self._facts[address].host, []).append(address)
        found = []
        for name, addresses in sorted(by_host.items()):
            holders = (address for address in addresses if known[address].get("resources", {}).get(TOKEN))
            if (chosen := next(holders, None)) is None:
                self._ask(_give_token, [chosen := addresses[0]])
            found.append(ExclusiveHost(name, chosen, len(addresses)))
        return tuple(found)

    def is_free(self, host: ExclusiveHost) -> bool:
        return host.name not in self._running

    @property
    def busy(self) -> tuple[ExclusiveHost, ...]:
        return tuple(host for host, _, _ in self._running.values())

    def start(self, host: ExclusiveHost, label: Any, function: Callable[..., Any], *arguments: Any) -> None:
        """Start a task on a free host; ``function`` is one of a module that the workers have."""
        assert self.is_free(host)
        try:
            future = self.connection.client.submit(
                function, *arguments, workers=[host.worker], resources={TOKEN: 1}, pure=False, retries=0
            )
        except (OSError, RuntimeError) as error:
            raise SchedulerUnreachable(self.connection.name, str(error)) from error
        self._running[host.name] = host, label, future
        future.add_done_callback(lambda _: self._wake.set())

    def tell(
        self, hosts: Iterable[ExclusiveHost], message: Callable[..., Coroutine[Any, Any, None]], *arguments: Any
    ) -> None:
        """Call a coroutine in the workers of some hosts at once, beside their tasks; does not wait for it."""
        if workers := [host.worker for host in hosts]:
            with suppress(OSError, RuntimeError):  # who has gone runs nothing
                self.connection.client.run(message, *arguments, workers=workers, wait=False, on_error="ignore")

    def ended(self, wait_s: float) -> tuple[Ended, ...]:
        """The tasks that have ended, waiting for the first for at most ``wait_s``."""
        self._wake.wait(wait_s)
        self._wake.clear()  # before the look, so that what ends during it wakes the next call
        lost = self._lost()
        done = [name for name, (_, _, future) in self._running.items() if future.done() or name in lost]
        return tuple(self._ended(name, name in lost) for name in done)

    def drop(self) -> None:
        """Forget all tasks; what runs is not waited for."""
        futures = [future for _, _, future in self._running.values()]
        self._running.clear()
        with suppress(OSError, RuntimeError, TimeoutError):  # the scheduler is gone, and the tasks with it
            self.connection.client.cancel(futures)

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
        words = str(error).removesuffix(".") if isinstance(error, TautlineError) else f"{type(error).__name__}: {error}"
        return Ended(host, label, error=words, is_lost=type(error).__name__ == "KilledWorker")

    def _ask(self, question: Callable[..., Any], workers: Sequence[str]) -> dict[str, Any]:
        """The answers of those workers that gave one."""
        try:
            return dict(self.connection.client.run(question, workers=list(workers), on_error="ignore"))
        except (OSError, RuntimeError, TimeoutError) as error:
            raise SchedulerUnreachable(self.connection.name, str(error)) from error


async def _give_token(dask_worker: Any) -> None:
    """In a worker: let it take one of these tasks at a time."""
    if not dask_worker.state.total_resources.get(TOKEN):
        await dask_worker.set_resources(**{TOKEN: 1})
