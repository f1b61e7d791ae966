"""The hosts of a cluster for one experiment: which of them measure, and how long it takes there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from solvers.cluster.exclusive import ExclusiveHosts
from solvers.errors import ClusterUnavailable, InputError
from solvers.experiments.experiment import Experiment, ExperimentScale
from solvers.experiments.experiment_run import ExperimentRequest
from solvers.experiments.forecast import GridForecast, PointForecast
from solvers.experiments.grid import points_of
from solvers.experiments.host_choice import HostChoice, all_ended, choose_hosts
from solvers.experiments.probe import is_worth_probing
from solvers.experiments.remote_forecasts import RemoteForecast, forecast_here, probe_here
from solvers.experiments.remote_points import Surroundings, cancel_points
from solvers.host.observer import CancelToken
from solvers.running.estimate import EarlierTime
from solvers.running.store.earlier_times import earlier_times
from solvers.running.store.run_store import RunStore


@dataclass
class HostPlan:
    """The chosen hosts, and what they are told.

    Attributes
    ----------
    hosts : ExclusiveHosts
    choice : HostChoice
        Which of the hosts measure.
    around : Surroundings
    """

    hosts: ExclusiveHosts
    choice: HostChoice
    around: Surroundings

    @classmethod
    def made(
        cls,
        hosts: ExclusiveHosts,
        experiment: Experiment,
        around: Surroundings,
        cancel: CancelToken,
        *,
        takes_any: bool = False,
    ) -> HostPlan:
        """Ask the hosts for their equipment, and choose.

        Raises
        ------
        InputError
            If a series names the interface of its device: hosts use one.
        ClusterUnavailable, SchedulerUnreachable, Cancelled
            As `choose_hosts`.
        """
        if any(one.device for one in experiment.series):
            raise InputError(
                f"{experiment.id} compares CUDA and OpenCL on one GPU, and hosts of a cluster use one of them: "
                "run it on one machine."
            )
        choice = choose_hosts(hosts, experiment, around, cancel, takes_any=takes_any)
        return cls(hosts, choice, around)

    def earlier_times(self, store: RunStore, experiment: Experiment) -> tuple[EarlierTime, ...]:
        """Times of its variants on processors such as the hosts', in earlier runs of this store."""
        return earlier_times(store, {one.variant.id for one in experiment.series}, self.choice.equipment.cpu)

    def forecast(
        self, experiment: Experiment, scale: ExperimentScale, cancel: CancelToken, earlier: Sequence[EarlierTime] = ()
    ) -> GridForecast:
        """The forecast as the first of the hosts makes it, where memory, cores and files are those that count.

        Raises
        ------
        ClusterUnavailable, SchedulerUnreachable, Cancelled
        """
        return self._asked(forecast_here, experiment, scale, cancel, earlier)

    def probed(
        self,
        request: ExperimentRequest,
        cancel: CancelToken,
        earlier: Sequence[EarlierTime] = (),
        tell: Callable[[str], None] = lambda words: None,
        *,
        always: bool = False,
    ) -> ExperimentRequest:
        """The request with a forecast that rests on a probe of the first host, where that is worth it or ``always``.

        Raises
        ------
        ClusterUnavailable, SchedulerUnreachable, Cancelled
        """
        if not is_worth_probing(request.forecast, always=always):
            return request
        tell(f"{self.choice.hosts[0].name} probes the smallest graphs")
        look = self._asked(probe_here, request.experiment, request.scale, cancel, earlier)
        return replace(request, forecast=look)

    def _asked(
        self,
        question: Callable[..., tuple[RemoteForecast, ...]],
        experiment: Experiment,
        scale: ExperimentScale,
        cancel: CancelToken,
        earlier: Sequence[EarlierTime],
    ) -> GridForecast:
        host = self.choice.hosts[0]
        self.hosts.start(host, host.name, question, experiment, scale, self.around, tuple(earlier))
        try:
            (ended,) = all_ended(self.hosts, cancel)
        finally:
            if cancel.cancelled:
                self.hosts.tell((host,), cancel_points, self.around.run)
        if ended.value is None:
            raise ClusterUnavailable(self.hosts.connection.name, f"{host.name}: {ended.error}")
        points = [point for _, found in points_of(experiment, scale) for point in found]
        told: tuple[RemoteForecast, ...] = ended.value
        return GridForecast(
            tuple(
                PointForecast(point, one.seconds, one.basis, one.reason, one.is_too_long)
                for point, one in zip(points, told, strict=True)
            )
        )
