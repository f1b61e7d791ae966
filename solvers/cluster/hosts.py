"""The workers of a cluster and what each of them does, for the command ``hosts`` and for the window."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from solvers.cluster.connection import Connection
from solvers.cluster.facts import WorkerFacts, WorkerTally, worker_facts, worker_tally

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
        except (OSError, TimeoutError, RuntimeError):
            return {}
        return answers

    def _logs(self, workers: list[str]) -> dict[str, tuple[str, ...]]:
        """Dask's own last lines, which hold what went wrong in a worker."""
        try:
            found = self._connection.client.get_worker_logs(n=5, workers=workers)
        except (OSError, TimeoutError, RuntimeError):
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
