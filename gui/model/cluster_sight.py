"""One look of the window at a cluster: its workers, and which of them is far slower than the others. No Qt."""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from solvers.cluster.chunks import SLOW
from solvers.cluster.workers import WorkerStatus
from solvers.errors import format_bytes
from solvers.text import plural, three_digits

_FEWEST = 3  # workers that compute, for a median that means something
_SILENT_S = 10.0


@dataclass(frozen=True)
class ClusterSight:
    """One look at a cluster.

    Attributes
    ----------
    workers : tuple of WorkerStatus
        By host and address.
    dashboard : str
        Web address of Dask's dashboard; "" if there is none.
    """

    workers: tuple[WorkerStatus, ...]
    dashboard: str = ""

    @property
    def hosts(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(worker.host for worker in self.workers))

    @property
    def words(self) -> str:
        """One line: "3 workers on 2 hosts, 3 cores, 1 GPU, 1.2 GB of memory used, 310 sources/s"."""
        gpus = sum(len(worker.gpus) for worker in self.workers)
        speed = sum(worker.sources_per_s for worker in self.workers)
        parts = [
            f"{plural(len(self.workers), 'worker')} on {plural(len(self.hosts), 'host')}",
            plural(sum(worker.cores for worker in self.workers), "core"),
            plural(gpus, "GPU") if gpus else "no GPU",
            f"{format_bytes(sum(worker.memory_used_bytes for worker in self.workers))} of memory used",
        ]
        return ", ".join(parts + ([f"{three_digits(speed)} sources/s"] if speed else []))

    def slowness(self, worker: WorkerStatus) -> float:
        """How many times slower it is than the median of those that compute; 0 if that is not known."""
        speeds = [one.sources_per_s for one in self.workers if one.sources_per_s > 0]
        if len(speeds) < _FEWEST or worker.sources_per_s <= 0:
            return 0.0
        return statistics.median(speeds) / worker.sources_per_s

    @property
    def slow(self) -> tuple[WorkerStatus, ...]:
        return tuple(worker for worker in self.workers if self.slowness(worker) >= SLOW)

    def remark(self, worker: WorkerStatus) -> str:
        """What is unusual about a worker; "" if nothing is."""
        if not worker.answered:
            silent = f" for {worker.silent_s:.0f} s" if worker.silent_s >= _SILENT_S else ""
            return f"No answer{silent}: it is busy, or has gone."
        if (times := self.slowness(worker)) >= SLOW:
            return f"{times:.0f} times slower than the median: look what else runs there, or leave it out."
        return ""
