"""Where an experiment is measured: this machine, or the hosts of a cluster. Both answer the same questions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace

from solvers.experiments.cluster_run import ClusterExperimentRun
from solvers.experiments.experiment import Experiment
from solvers.experiments.experiment_run import ExperimentRequest, ExperimentRun
from solvers.experiments.forecast import GridForecast, forecast
from solvers.experiments.host_plan import HostPlan
from solvers.experiments.large_grid import GridSize, size_of_grid
from solvers.experiments.local_run import LocalExperimentRun
from solvers.experiments.probe import probed
from solvers.host.observer import CancelToken, Observer
from solvers.running.store.earlier_times import earlier_times
from solvers.running.store.run_store import RunStore


def _silent(words: str) -> None:
    return


class ExperimentPlace(ABC):
    """A place for one experiment.

    Parameters
    ----------
    wanted : ExperimentRequest
        What to run; its forecast is not looked at.
    cancel : CancelToken
        Ends forecasts, probes and the run.
    """

    def __init__(self, wanted: ExperimentRequest, cancel: CancelToken):
        self.wanted, self.cancel = wanted, cancel

    def sentences(self, remedy: str) -> tuple[str, ...]:
        """What is to be said of the place before the start; see `HostChoice.sentences`."""
        return ()

    def size(self) -> GridSize:
        """Number of points and their time, without looking at each of very many.

        Raises
        ------
        Cancelled, ClusterUnavailable
        """
        return size_of_grid(self.wanted.experiment, self.wanted.scale, self.forecast)

    def request(self) -> ExperimentRequest:
        """What is wanted, with a look at every point.

        Raises
        ------
        Cancelled, ClusterUnavailable
        """
        return replace(self.wanted, forecast=self.forecast(self.wanted.experiment))

    @abstractmethod
    def forecast(self, experiment: Experiment) -> GridForecast:
        """A look at every point of an experiment, such as a thinned one."""

    @abstractmethod
    def probed(
        self, request: ExperimentRequest, tell: Callable[[str], None] = _silent, *, always: bool = False
    ) -> ExperimentRequest:
        """The request with single trials in place of guesses, where that is worth it or ``always``.

        Raises
        ------
        Cancelled, ClusterUnavailable
        """

    @abstractmethod
    def run(self, request: ExperimentRequest) -> ExperimentRun:
        """The run of a request; `ExperimentRun.measure` begins it."""


class ThisMachine(ExperimentPlace):
    """Points are measured one after another in this process."""

    def __init__(self, wanted: ExperimentRequest, cancel: CancelToken):
        super().__init__(wanted, cancel)
        ids = {one.variant.id for one in wanted.experiment.series}
        self._earlier = earlier_times(wanted.store or RunStore(), ids)

    def forecast(self, experiment: Experiment) -> GridForecast:
        wanted = self.wanted
        return forecast(
            experiment, wanted.scale, wanted.files, wanted.device, self._earlier, wanted.measuring,
            Observer(self.cancel),
        )  # fmt: skip

    def probed(
        self, request: ExperimentRequest, tell: Callable[[str], None] = _silent, *, always: bool = False
    ) -> ExperimentRequest:
        return probed(request, self._earlier, self.cancel, tell, always=always)

    def run(self, request: ExperimentRequest) -> LocalExperimentRun:
        return LocalExperimentRun(request=request, cancel=self.cancel)


class ClusterHosts(ExperimentPlace):
    """Points are measured on the hosts of a cluster, one at a time on each.

    Parameters
    ----------
    wanted, cancel
    plan : HostPlan
    tell : callable(str)
        Hears what befalls hosts during the run.
    """

    def __init__(
        self, wanted: ExperimentRequest, cancel: CancelToken, plan: HostPlan, tell: Callable[[str], None] = _silent
    ):
        super().__init__(wanted, cancel)
        self.plan, self._tell = plan, tell
        self._earlier = plan.earlier_times(wanted.store or RunStore(), wanted.experiment)

    def sentences(self, remedy: str) -> tuple[str, ...]:
        return tuple(self.plan.choice.sentences(remedy))

    def forecast(self, experiment: Experiment) -> GridForecast:
        return self.plan.forecast(experiment, self.wanted.scale, self.cancel, self._earlier)

    def probed(
        self, request: ExperimentRequest, tell: Callable[[str], None] = _silent, *, always: bool = False
    ) -> ExperimentRequest:
        return self.plan.probed(request, self.cancel, self._earlier, tell, always=always)

    def run(self, request: ExperimentRequest) -> ClusterExperimentRun:
        return ClusterExperimentRun(request=request, cancel=self.cancel, plan=self.plan, tell=self._tell)
