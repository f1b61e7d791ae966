"""What the jobs of an experiment work with: the look before the run, the place, the gate, and progress."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gui.dialogs.experiment_points import ForecastView
from gui.model.jobs import JobContext
from gui.model.quiet import Quiet
from solvers.cluster.connection import Connection
from solvers.cluster.workers import ExclusiveHosts
from solvers.core.variant import Variant
from solvers.errors import SchedulerUnreachable
from solvers.experiments.cluster_hosts import HostPlan
from solvers.experiments.forecast import GridSize
from solvers.experiments.measure import ExperimentProgress, ExperimentRequest
from solvers.experiments.place import ClusterHosts, ExperimentPlace, ThisMachine
from solvers.experiments.remote_points import Surroundings
from solvers.running.estimate import rounded_duration
from solvers.running.request import RunListener
from solvers.system.cancel import CancelToken

_PROGRESS_S = 1.0  # the window's thread works for about a millisecond each time


@dataclass(frozen=True)
class ExperimentLook:
    """What is known of the chosen experiment before it runs.

    Attributes
    ----------
    wanted : ExperimentRequest
        Its forecast is empty.
    address : str
        Of the cluster that measures; "" for this machine.
    takes_any : bool
        Whether hosts that differ from the others measure too.
    size : GridSize or None
        None before the first look.
    request : ExperimentRequest or None
        With a look at every point; None for a large grid that nobody has confirmed yet.
    view : ForecastView or None
        Of the request.
    remarks : tuple of str
        On the hosts.
    is_probed : bool
        Whether guesses were replaced already.
    """

    wanted: ExperimentRequest
    address: str
    takes_any: bool
    size: GridSize | None = None
    request: ExperimentRequest | None = None
    view: ForecastView | None = None
    remarks: tuple[str, ...] = ()
    is_probed: bool = False

    def with_request(self, request: ExperimentRequest, *, is_probed: bool) -> ExperimentLook:
        view = ForecastView.of(request.forecast, is_probed=is_probed)
        return replace(self, request=request, view=view, is_probed=is_probed)


def place_of(
    look: ExperimentLook,
    connection: Connection | None,
    hosts: Callable[[Connection], ExclusiveHosts],
    folders: Sequence[Path],
    context: JobContext,
) -> ExperimentPlace:
    """Where an experiment is measured; asks the hosts of a cluster for their equipment.

    Parameters
    ----------
    look : ExperimentLook
    connection : Connection or None
        To the cluster, if the window has one.
    hosts : callable
        `ExclusiveHosts`, or what stands for it.
    folders : sequence of Path
        In which hosts look for graph files.
    context : JobContext
        Its `show` hears what befalls hosts during the run.

    Raises
    ------
    InputError, ClusterUnavailable, SchedulerUnreachable, Cancelled
    """
    wanted = look.wanted
    if not look.address:
        return ThisMachine(wanted, context.cancel)
    if connection is None:
        raise SchedulerUnreachable(look.address, "the window is not connected to it")
    around = Surroundings.of(folders, "auto", wanted.measuring)
    plan = HostPlan.made(hosts(connection), wanted.experiment, around, context.cancel, takes_any=look.takes_any)
    return ClusterHosts(wanted, context.cancel, plan, context.show)


class QuietGate(RunListener):
    """Keeps the window's background work waiting while a point is measured."""

    def __init__(self, quiet: Quiet, cancel: CancelToken):
        self._quiet, self._cancel = quiet, cancel

    def measuring_begins(self, variant: Variant) -> None:
        self._quiet.begin(lambda: self._cancel.cancelled)

    def measuring_ends(self, variant: Variant) -> None:
        self._quiet.end()


class ProgressRelay:
    """Passes the progress of an experiment on as that of its job, at most once a second."""

    def __init__(self, context: JobContext):
        self._context = context
        self._last = (-1, 0.0)

    def __call__(self, progress: ExperimentProgress) -> None:
        done, at = self._last
        if progress.done == done and time.monotonic() - at < _PROGRESS_S:
            return
        self._last = (progress.done, time.monotonic())
        left = f", about {rounded_duration(progress.seconds_left)} left" if progress.seconds_left > 1 else ""
        words = f"point {min(progress.done + 1, progress.total)} of {progress.total}{left}: {progress.words}"
        self._context.progress(progress.fraction, words)
