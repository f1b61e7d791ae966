"""A made-up cluster for tests of the window: workers that are set by hand, without
processes and without Dask.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from gui.features.clusters.link import ClusterLink
from solvers.errors import TautpathError
from solvers.features.clusters.connection import Connection
from solvers.features.clusters.workers import WorkerStatus
from solvers.system.cancel import SILENT, Progress

WORKER = WorkerStatus(
    "node1",
    "tcp://10.0.0.1:4000",
    4242,
    1,
    (),
    200_000_000,
    8_000_000_000,
    1,
    12,
    3000,
    100.0,
    ("10:00:00 swept sources 0 to 255",),
    0.2,
    True,
)


def worker(number: int, **attributes: Any) -> WorkerStatus:
    """A worker of the host “node<number>”."""
    made = replace(WORKER, host=f"node{number}", address=f"tcp://10.0.0.{number}:4000")
    return replace(made, **attributes)


class MadeUpCluster:
    """Takes the place of `connected` and `HostWatch` in a link.

    Attributes
    ----------
    workers : tuple of WorkerStatus
        What the next look finds.
    refusal, loss : TautpathError or None
        Raised at connecting, and by the next look.
    gate : threading.Event
        Connecting waits for it; set at first.
    opened, closed : int
    dashboard : str
    asked, failure : list, TautpathError or None
        What tests of runs on it asked for, and what their next run raises.
    """

    def __init__(self, *workers: WorkerStatus):
        self.workers = workers or (worker(1), worker(2))
        self.refusal: TautpathError | None = None
        self.loss: TautpathError | None = None
        self.gate = threading.Event()
        self.gate.set()
        self.opened = self.closed = 0
        self.dashboard = ""
        self.asked: list[tuple[str, object]] = []
        self.failure: TautpathError | None = None

    def take_the_place_in(self, link: ClusterLink) -> None:
        link.open = self.connected
        link.watch = lambda connection: self  # type: ignore[assignment, return-value]

    @contextmanager
    def connected(self, cluster: Any, progress: Progress = SILENT) -> Iterator[Connection]:
        while not self.gate.wait(0.01):
            progress.checkpoint()
        progress.checkpoint()
        if self.refusal is not None:
            raise self.refusal
        self.opened += 1
        try:
            name = cluster if isinstance(cluster, str) else cluster.address.text
            yield Connection(SimpleNamespace(dashboard_link=self.dashboard), name)
        finally:
            self.closed += 1

    def look(self) -> tuple[WorkerStatus, ...]:
        if self.loss is not None:
            raise self.loss
        return self.workers
