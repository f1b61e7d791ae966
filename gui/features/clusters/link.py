"""The window's connection to a cluster, and what it knows of the workers. No widgets.

A thread holds the connection and looks at the workers about once a second. One look is
a `ClusterStatus`: the workers, and which of them is far slower than the others.
"""

from __future__ import annotations

import logging
import statistics
import threading
from dataclasses import dataclass
from enum import Enum
from functools import partial

from PySide6.QtCore import QObject, Signal

from gui.model.window_thread import WindowThread, keep_while_running
from solvers.errors import Cancelled
from solvers.features.all_sources.on_cluster.chunks import SLOW
from solvers.features.clusters.connection import ClusterOptions, Connection, connected
from solvers.features.clusters.workers import HostWatch, WorkerStatus
from solvers.system.cancel import CancelToken, Progress
from solvers.system.quiet import Quiet
from solvers.text import format_bytes, plural, three_digits

log = logging.getLogger(__name__)

LOOK_S = 1.0


class LinkState(Enum):
    """Where the connection stands."""

    NONE = "none"
    CONNECTING = "connecting"
    CONNECTED = "connected"
    LOST = "lost"
    FAILED = "failed"


class ClusterLink(QObject):
    """One connection at most; looks wait while something is measured. Its signals come
    in the window's thread.

    Tests put others in the place of ``open`` and ``watch``.
    """

    changed = Signal()  # `state` is another
    seen = Signal(object)  # a new `ClusterStatus`

    def __init__(self, window: WindowThread, quiet: Quiet, parent: QObject):
        super().__init__(parent)
        self.open, self.watch = connected, HostWatch
        self.state = LinkState.NONE
        self.options: ClusterOptions | None = None
        self.problem: Exception | None = None
        self.status: ClusterStatus | None = None
        self._window, self._quiet = window, quiet
        self._attempt: _Attempt | None = None
        self._connection: Connection | None = None

    @property
    def connection(self) -> Connection | None:
        """The connection, while there is one; may be used in any thread."""
        return self._connection

    def connect_to(self, options: ClusterOptions) -> None:
        """Connect in the thread; what was connected before is left."""
        self.disconnect_from()
        self.options, self.problem, self.status = options, None, None
        attempt = self._attempt = _Attempt(options)
        attempt.thread = threading.Thread(
            target=self._run, args=(attempt,), name="cluster", daemon=True
        )
        self._become(LinkState.CONNECTING)
        attempt.thread.start()

    def disconnect_from(self) -> None:
        """Leave the cluster; worker processes that were started for it end."""
        if self._attempt is not None:
            self._attempt.stop()
            keep_while_running(self._attempt.thread, self)
        self._attempt = self._connection = None
        self.problem = self.status = None
        self._become(LinkState.NONE)

    def shut_down(self, timeout_s: float) -> None:
        """Leave the cluster and wait for the thread, when the window closes."""
        attempt = self._attempt
        self.disconnect_from()
        if attempt is not None:
            attempt.thread.join(timeout_s)

    def _become(self, state: LinkState) -> None:
        if state is not self.state:
            self.state = state
            self.changed.emit()

    def _arrive(self, attempt: _Attempt) -> None:
        if attempt is self._attempt:
            self._connection = attempt.connection
            self._become(LinkState.CONNECTED)

    def _look(self, attempt: _Attempt, status: ClusterStatus) -> None:
        if attempt is self._attempt:
            self.status = status
            self.seen.emit(status)

    def _end(self, attempt: _Attempt, error: Exception) -> None:
        if attempt is self._attempt:
            was_connected = self._connection is not None
            self._attempt = self._connection = None
            self.problem = error
            self._become(LinkState.LOST if was_connected else LinkState.FAILED)

    def _run(self, attempt: _Attempt) -> None:
        try:
            with self.open(attempt.options, Progress(attempt.cancel)) as connection:
                attempt.connection = connection
                self._window.post(partial(self._arrive, attempt))
                watch = self.watch(connection)
                while not attempt.stopped.is_set():
                    with self._quiet.working(attempt.stopped.is_set):
                        workers = watch.look()
                    status = ClusterStatus(workers, connection.dashboard)
                    self._window.post(partial(self._look, attempt, status))
                    attempt.stopped.wait(LOOK_S)
        except Cancelled:
            return
        except Exception as error:  # any failure: the window goes on and shows it
            log.info("the connection to the cluster ended", exc_info=True)
            if not attempt.stopped.is_set():
                self._window.post(partial(self._end, attempt, error))


class _Attempt:
    """One thread's part of the link."""

    def __init__(self, options: ClusterOptions):
        self.options = options
        self.cancel, self.stopped = CancelToken(), threading.Event()
        self.connection: Connection | None = None
        self.thread: threading.Thread = threading.current_thread()

    def stop(self) -> None:
        self.cancel.cancel()
        self.stopped.set()


_FEWEST = 3  # workers that compute, for a median that means something
_SILENT_S = 10.0


@dataclass(frozen=True)
class ClusterStatus:
    workers: tuple[WorkerStatus, ...]  # by host and address
    dashboard: str = ""  # web address of Dask's dashboard; "" if there is none

    @property
    def hosts(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(worker.host for worker in self.workers))

    @property
    def words(self) -> str:
        """One line: "3 workers on 2 hosts, 3 cores, 1 GPU, 1.2 GB of memory used, 310
        sources/s".
        """
        gpus = sum(len(worker.gpus) for worker in self.workers)
        speed = sum(worker.sources_per_s for worker in self.workers)
        parts = [
            f"{plural(len(self.workers), 'worker')} on {plural(len(self.hosts), 'host')}",
            plural(sum(worker.cores for worker in self.workers), "core"),
            plural(gpus, "GPU") if gpus else "no GPU",
            (
                f"{format_bytes(sum(worker.memory_used_bytes for worker in self.workers))} of "
                "memory used"
            ),
        ]
        return ", ".join(parts + ([f"{three_digits(speed)} sources/s"] if speed else []))

    def slowness(self, worker: WorkerStatus) -> float:
        """How many times slower it is than the median of those that compute; 0 if that
        is not known.
        """
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
            return f"No answer{silent}: it is busy, or has ended."
        if (times := self.slowness(worker)) >= SLOW:
            return (
                f"{times:.0f} times slower than the median: "
                "check what else runs there, or leave it out."
            )
        return ""
