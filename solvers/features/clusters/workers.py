"""The workers of a cluster: their machines and work, and tasks that have one of the
machines to themselves.

The command ``hosts`` and the window show the machines and the work. `TaskCounter`
counts the work in each worker.

`ExclusiveHosts` runs at most one task on each machine at a time, however many workers
it has. One worker of each host gets a resource token of Dask, and each of these tasks
takes the token while it runs. So the tasks of two clients do not meet on a host either;
the second waits.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from solvers.errors import SchedulerUnreachable, TautpathError
from solvers.features.clusters import nvidia_gpus
from solvers.features.clusters.connection import Connection, versions
from solvers.system import machine

log = logging.getLogger(__name__)

_ANSWER_S = 2.0  # for a worker to send its numbers; one that compiles answers later
_LAST_WORDS = 20  # lines that are kept
_RECENT_S = 30.0  # over which throughput is measured

TOKEN = "measuring"
_LOOK_S = 1.0  # between two looks for workers that have gone


@dataclass(frozen=True)
class WorkerFacts:
    """Properties that do not change while a worker lives."""

    host: str  # name of its machine
    pid: int
    cores: int  # that the process may use
    memory_bytes: int  # of its machine, or of the control group
    cpu: str  # model of the processor
    gpus: tuple[str, ...]  # names of the NVIDIA GPUs that it sees through CuPy
    versions: Mapping[str, str]


@dataclass(frozen=True)
class WorkerTally:
    """The work of a worker since it was started."""

    tasks: int
    sources: int
    busy_s: float
    sources_per_s: float  # over the last half minute
    last_words: tuple[str, ...]  # last lines of its log, the newest last


class TaskCounter:
    """Counts the tasks of this process; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tasks = self._sources = 0
        self._busy_s = 0.0
        self._recent: deque[tuple[float, int]] = deque()
        self._words: deque[str] = deque(maxlen=_LAST_WORDS)

    def add(self, sources: int, seconds: float) -> None:
        """Count a finished task of that many sources."""
        with self._lock:
            self._tasks += 1
            self._sources += sources
            self._busy_s += seconds
            self._recent.append((time.monotonic(), sources))

    def say(self, line: str) -> None:
        """Keep a log line, with the time of day in UTC."""
        with self._lock:
            self._words.append(f"{time.strftime('%H:%M:%S', time.gmtime())} {line}")

    def tally(self) -> WorkerTally:
        with self._lock:
            now = time.monotonic()
            while self._recent and self._recent[0][0] < now - _RECENT_S:
                self._recent.popleft()
            speed = sum(count for _, count in self._recent) / _RECENT_S
            return WorkerTally(self._tasks, self._sources, self._busy_s, speed, tuple(self._words))


COUNTER = TaskCounter()
"""Of this process."""


def worker_facts() -> WorkerFacts:
    """In a worker: facts about this process."""
    return WorkerFacts(
        socket.gethostname(),
        os.getpid(),
        machine.cores(),
        machine.memory().total_bytes,
        machine.cpu_name(),
        tuple(device.name for device in nvidia_gpus()),
        versions(),
    )


def worker_tally() -> WorkerTally:
    """In a worker: what this process has done."""
    return COUNTER.tally()


@dataclass(frozen=True)
class WorkerStatus:
    """One worker process, from its facts and tally and from its scheduler."""

    address: str  # at which other workers reach it
    host: str
    pid: int
    cores: int  # tasks that it runs at a time
    gpus: tuple[str, ...]
    memory_used_bytes: int  # of the process
    memory_bytes: int  # its limit, or else that of its machine
    running: int  # tasks that it runs now
    tasks: int  # finished since it was started
    sources: int
    sources_per_s: float
    last_words: tuple[str, ...]
    silent_s: float  # since its scheduler last heard from it
    answered: bool  # if not, the counts are 0


class HostWatch:
    """Looks at the workers of a connected cluster; facts that do not change are asked for once.

    Each look takes up to some seconds, so the window makes it in a job.
    """

    def __init__(self, connection: Connection):
        self._connection = connection
        self._facts: dict[str, WorkerFacts] = {}

    def look(self) -> tuple[WorkerStatus, ...]:
        """Every worker, ordered by host and address. Raises `SchedulerUnreachable`."""
        workers = self._connection.workers()
        unknown = [address for address in workers if address not in self._facts]
        if unknown:
            self._facts |= {
                k: v
                for k, v in self._ask(worker_facts, unknown).items()
                if isinstance(v, WorkerFacts)
            }
        tallies = self._ask(worker_tally, list(workers))
        logs = self._logs(list(workers))
        found = [
            _status(
                address,
                known,
                self._facts.get(address),
                tallies.get(address),
                logs.get(address, ()),
            )
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
                client._run,
                question,
                workers=workers,
                on_error="return",
                callback_timeout=_ANSWER_S,
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
            address: tuple(
                text
                for level, text in reversed(list(lines))
                if level in ("WARNING", "ERROR", "CRITICAL")
            )
            for address, lines in found.items()
        }


def look_at_hosts(connection: Connection) -> tuple[WorkerStatus, ...]:
    """`HostWatch.look`, once."""
    return HostWatch(connection).look()


def _status(
    address: str,
    known: dict[str, Any],
    facts: WorkerFacts | None,
    tally: Any,
    troubles: tuple[str, ...],
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


@dataclass(frozen=True)
class ExclusiveHost:
    """A machine of the cluster, the address of its worker that runs the tasks, and how
    many workers it has.
    """

    name: str
    worker: str
    workers: int


@dataclass(frozen=True)
class Ended:
    """A task that has ended: its label, and what it returned, or else why not;
    ``is_lost`` if its worker has gone.
    """

    host: ExclusiveHost
    label: Any
    value: Any = None
    error: str = ""
    is_lost: bool = False


@dataclass
class ExclusiveHosts:
    """The hosts of a connected cluster, each with room for one task. Used by one thread.

    Every method but ``is_free``, ``tell`` and ``drop`` raises `SchedulerUnreachable` if
    the connection is lost.
    """

    connection: Connection
    _facts: dict[str, WorkerFacts] = field(default_factory=dict)
    # by host: label and future
    _running: dict[str, tuple[ExclusiveHost, Any, Any]] = field(default_factory=dict)
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
            holders = (
                address for address in addresses if known[address].get("resources", {}).get(TOKEN)
            )
            if (chosen := next(holders, None)) is None:
                self._ask(_give_token, [chosen := addresses[0]])
            found.append(ExclusiveHost(name, chosen, len(addresses)))
        return tuple(found)

    def is_free(self, host: ExclusiveHost) -> bool:
        return host.name not in self._running

    @property
    def busy(self) -> tuple[ExclusiveHost, ...]:
        return tuple(host for host, _, _ in self._running.values())

    def start(
        self, host: ExclusiveHost, label: Any, function: Callable[..., Any], *arguments: Any
    ) -> None:
        """Start a task on a free host; ``function`` is one of a module that the workers have."""
        assert self.is_free(host)
        try:
            future = self.connection.client.submit(
                function,
                *arguments,
                workers=[host.worker],
                resources={TOKEN: 1},
                pure=False,
                retries=0,
            )
        except (OSError, RuntimeError) as error:
            raise SchedulerUnreachable(self.connection.name, str(error)) from error
        self._running[host.name] = host, label, future
        future.add_done_callback(lambda _: self._wake.set())

    def tell(
        self,
        hosts: Iterable[ExclusiveHost],
        message: Callable[..., Coroutine[Any, Any, None]],
        *arguments: Any,
    ) -> None:
        """Call a coroutine in the workers of some hosts at once, beside their tasks;
        does not wait for it.
        """
        if workers := [host.worker for host in hosts]:
            with suppress(OSError, RuntimeError):  # who has gone runs nothing
                self.connection.client.run(
                    message, *arguments, workers=workers, wait=False, on_error="ignore"
                )

    def ended(self, wait_s: float) -> tuple[Ended, ...]:
        """The tasks that have ended, waiting for the first for at most ``wait_s``."""
        self._wake.wait(wait_s)
        self._wake.clear()  # before the look, so that what ends during it wakes the next call
        lost = self._lost()
        done = [
            name for name, (_, _, future) in self._running.items() if future.done() or name in lost
        ]
        return tuple(self._ended(name, name in lost) for name in done)

    def drop(self) -> None:
        """Forget all tasks; what runs is not waited for."""
        futures = [future for _, _, future in self._running.values()]
        self._running.clear()
        # the scheduler is gone, and the tasks with it
        with suppress(OSError, RuntimeError, TimeoutError):
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
        words = (
            str(error).removesuffix(".")
            if isinstance(error, TautpathError)
            else f"{type(error).__name__}: {error}"
        )
        return Ended(host, label, error=words, is_lost=type(error).__name__ == "KilledWorker")

    def _ask(self, question: Callable[..., Any], workers: Sequence[str]) -> dict[str, Any]:
        """The answers of those workers that gave one."""
        try:
            return dict(
                self.connection.client.run(question, workers=list(workers), on_error="ignore")
            )
        except (OSError, RuntimeError, TimeoutError) as error:
            raise SchedulerUnreachable(self.connection.name, str(error)) from error


async def _give_token(dask_worker: Any) -> None:
    """In a worker: let it take one of these tasks at a time."""
    if not dask_worker.state.total_resources.get(TOKEN):
        await dask_worker.set_resources(**{TOKEN: 1})
