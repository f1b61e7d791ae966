"""The window's connection to a cluster, held by a thread that looks at the workers about once a second. No widgets."""

from __future__ import annotations

import threading
from enum import Enum

from PySide6.QtCore import QObject, Signal

from gui.model.cluster_sight import ClusterSight
from gui.model.emissions import Emissions, keep_while_running
from gui.model.quiet import Quiet
from solvers.cluster.connection import ClusterOptions, Connection, connected
from solvers.cluster.workers import HostWatch
from solvers.errors import Cancelled
from solvers.system.cancel import CancelToken, Observer

LOOK_S = 1.0


class LinkState(Enum):
    """Where the connection stands."""

    NONE = "none"
    CONNECTING = "connecting"
    CONNECTED = "connected"
    LOST = "lost"
    FAILED = "failed"


class ClusterLink(QObject):
    """One connection at most; looks wait while something is measured.

    Parameters
    ----------
    quiet : Quiet

    Attributes
    ----------
    open, watch : callable
        `connected` and `HostWatch`; tests put others in their place.

    Signals (all in the window's thread)
    -------
    changed()
        `state` is another.
    seen(object)
        A new `ClusterSight`.
    """

    changed = Signal()
    seen = Signal(object)
    _arrived = Signal(object)
    _looked = Signal(object, object)
    _ended = Signal(object, object)

    def __init__(self, quiet: Quiet, parent: QObject | None = None):
        super().__init__(parent)
        self.open, self.watch = connected, HostWatch
        self.state = LinkState.NONE
        self.options: ClusterOptions | None = None
        self.problem: Exception | None = None
        self.sight: ClusterSight | None = None
        self._quiet = quiet
        self._attempt: _Attempt | None = None
        self._connection: Connection | None = None
        self._emissions = Emissions()
        self._arrived.connect(self._arrive)
        self._looked.connect(self._look)
        self._ended.connect(self._end)
        self.destroyed.connect(self._emissions.end)

    @property
    def connection(self) -> Connection | None:
        """The connection, while there is one; may be used in any thread."""
        return self._connection

    def connect_to(self, options: ClusterOptions) -> None:
        """Connect in the thread; what was connected before is left."""
        self.disconnect_from()
        self.options, self.problem, self.sight = options, None, None
        attempt = self._attempt = _Attempt(options)
        attempt.thread = threading.Thread(target=self._run, args=(attempt,), name="cluster", daemon=True)
        self._become(LinkState.CONNECTING)
        attempt.thread.start()

    def disconnect_from(self) -> None:
        """Leave the cluster; worker processes that were started for it end."""
        if self._attempt is not None:
            self._attempt.stop()
            keep_while_running(self._attempt.thread, self)
        self._attempt = self._connection = None
        self.problem = self.sight = None
        self._become(LinkState.NONE)

    def shut_down(self, timeout_s: float) -> None:
        """Leave the cluster and wait for the thread, when the window closes."""
        attempt = self._attempt
        self.disconnect_from()
        if attempt is not None:
            attempt.thread.join(timeout_s)
        self._emissions.end()

    def _become(self, state: LinkState) -> None:
        if state is not self.state:
            self.state = state
            self.changed.emit()

    # -- in the window's thread --------------------------------------------------------------------------------------

    def _arrive(self, attempt: _Attempt) -> None:
        if attempt is self._attempt:
            self._connection = attempt.connection
            self._become(LinkState.CONNECTED)

    def _look(self, attempt: _Attempt, sight: ClusterSight) -> None:
        if attempt is self._attempt:
            self.sight = sight
            self.seen.emit(sight)

    def _end(self, attempt: _Attempt, error: Exception) -> None:
        if attempt is self._attempt:
            was_connected = self._connection is not None
            self._attempt = self._connection = None
            self.problem = error
            self._become(LinkState.LOST if was_connected else LinkState.FAILED)

    # -- in the thread -----------------------------------------------------------------------------------------------

    def _run(self, attempt: _Attempt) -> None:
        try:
            with self.open(attempt.options, Observer(attempt.cancel)) as connection:
                attempt.connection = connection
                self._emissions.emit(self._arrived, attempt)
                watch = self.watch(connection)
                while not attempt.stopped.is_set():
                    with self._quiet.working(attempt.stopped.is_set):
                        workers = watch.look()
                    sight = ClusterSight(workers, connection.dashboard)
                    self._emissions.emit(self._looked, attempt, sight)
                    attempt.stopped.wait(LOOK_S)
        except Cancelled:
            return
        except Exception as error:  # whatever it is, the window goes on and says it
            if not attempt.stopped.is_set():
                self._emissions.emit(self._ended, attempt, error)


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
