"""What is asked before an experiment runs: where it is measured, how long that takes,
and a short probe.

Where nothing is known of a variant, one trial of the smallest points replaces a guess
from sizes. A guess does not know the device, its other load and what has to be
compiled, and may leave out what it runs in a second. The probe takes the smallest graph
and, where that is quick, the largest that is expected to be quick too, whose times also
show how the variant grows here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from solvers.errors import Cancelled, TautpathError
from solvers.features.experiments.forecast import (
    GridForecast,
    GridSize,
    PointForecast,
    forecast,
    size_of_grid,
)
from solvers.features.experiments.graphs import GraphFiles
from solvers.features.experiments.grid import GraphChoice, Point, PointDevices
from solvers.features.experiments.measure import (
    ExperimentRequest,
    ExperimentRun,
    TimeLimit,
    source_of,
)
from solvers.features.experiments.spec import Experiment
from solvers.features.kept_runs.store.run_store import RunStore
from solvers.graphs.graph import Graph
from solvers.running.estimate import EarlierTime, EstimateBasis
from solvers.running.request import Choice, MeasurementPlan, RunRequest
from solvers.running.run import run
from solvers.system.cancel import CancelToken, Progress

WORTH_PROBING_S = 5.0
"""Grids that are guessed to take less, with nothing left out for its time, run without a probe."""

_TRIAL_S = 4.0  # a warm-up or trial that takes longer is stopped
_QUICK_MS = 500.0
# growth of the time over that of the number of arcs or vertices, in a logarithmic plot
_STEEPEST = 2.0
_MOST_ARCS = 20_000_000  # reading more takes longer than it tells
_PLAN = MeasurementPlan(warmups=1, trials=1)


def silent(words: str) -> None:
    """Tells nobody."""


class ExperimentHost:
    """Where an experiment is measured: this machine, whose points are measured one
    after another in this process.

    The forecast of what is ``wanted`` is ignored. Earlier times of the processor
    ``cpu`` are looked up; "" is that of this machine.
    """

    def __init__(self, wanted: ExperimentRequest, cancel: CancelToken, cpu: str = ""):
        self.wanted, self.cancel = wanted, cancel
        store = wanted.store or RunStore()
        series = wanted.experiment.series
        self.earlier = store.earlier_times({one.variant.id for one in series}, cpu)

    def sentences(self, remedy: str) -> tuple[str, ...]:
        """What is to be said of the place before the start: which hosts of a cluster
        measure, and which not and why.

        ``remedy`` says how those could: "--any-host lets it".
        """
        return ()

    def size(self) -> GridSize:
        """Number of points and their time, without looking at each of very many.

        Raises Cancelled, ClusterUnavailable.
        """
        return size_of_grid(self.wanted.experiment, self.wanted.scale, self.forecast)

    def request(self) -> ExperimentRequest:
        """What is wanted, with a look at every point; raises Cancelled, ClusterUnavailable."""
        return replace(self.wanted, forecast=self.forecast(self.wanted.experiment))

    def forecast(self, experiment: Experiment) -> GridForecast:
        """A look at every point of an experiment, such as a thinned one."""
        wanted, progress = self.wanted, Progress(self.cancel)
        return forecast(
            experiment,
            wanted.scale,
            wanted.files,
            wanted.device,
            self.earlier,
            wanted.measuring,
            progress,
        )

    def probed(
        self,
        request: ExperimentRequest,
        tell: Callable[[str], None] = silent,
        *,
        always: bool = False,
    ) -> ExperimentRequest:
        """The request with single trials in place of guesses, where that is worth it or ``always``.

        Raises Cancelled, ClusterUnavailable.
        """
        return probed(request, self.earlier, self.cancel, tell, always=always)

    def run(self, request: ExperimentRequest) -> ExperimentRun:
        """The run of a request; `ExperimentRun.measure` begins it."""
        return ExperimentRun(request=request, cancel=self.cancel)


def has_guesses(look: GridForecast) -> bool:
    """Whether the time of any point that may run is a guess from sizes."""
    return any(_is_guessed(one) for one in look.points)


def is_worth_probing(look: GridForecast, *, always: bool = False) -> bool:
    """Whether guesses decide what runs, or predict a long wait; any guess is enough if
    ``always``.
    """
    guessed = [one for one in look.points if _is_guessed(one)]
    if always:
        return bool(guessed)
    return (
        any(one.is_too_long for one in guessed)
        or sum(one.seconds for one in guessed) > WORTH_PROBING_S
    )


def probed(
    request: ExperimentRequest,
    earlier: Sequence[EarlierTime],  # what its forecast rests on so far
    cancel: CancelToken,
    tell: Callable[[str], None] = silent,  # hears what is probed
    *,
    always: bool = False,
) -> ExperimentRequest:
    """The request with a forecast that rests on a probe, where that is worth it or
    ``always``; else as it is.

    Raises Cancelled.
    """
    if not is_worth_probing(request.forecast, always=always):
        return request
    found = [*_Probe(request, cancel, tell).times()]
    look = forecast(
        request.experiment,
        request.scale,
        request.files,
        request.device,
        (*earlier, *found),
        request.measuring,
    )
    return replace(request, forecast=look)


def _is_guessed(one: PointForecast) -> bool:
    return one.basis is EstimateBasis.MODEL and (one.is_too_long or not one.reason)


class _Probe:
    def __init__(
        self, request: ExperimentRequest, cancel: CancelToken, tell: Callable[[str], None]
    ):
        self._files: GraphFiles = request.files
        self._devices = PointDevices.of_experiment(request.experiment, request.device)
        self._cancel, self._tell = cancel, tell
        self._points = [one.point for one in request.forecast.points if _is_guessed(one)]
        self._graphs: dict[int, Graph | None] = {}

    def times(self) -> Iterator[EarlierTime]:
        """Times of the smallest points of every variant on every device."""
        variants = dict.fromkeys(
            (point.series.variant.id, point.series.device) for point in self._points
        )
        for variant_id, device in variants:
            same = [
                p
                for p in self._points
                if (p.series.variant.id, p.series.device) == (variant_id, device)
            ]
            yield from self._times_of(
                sorted(same, key=lambda point: (point.graph.vertices, point.graph.arcs))
            )

    def _times_of(self, points: Sequence[Point]) -> Iterator[EarlierTime]:
        """The smallest graph and, if that was quick, the largest that must be quick
        too; with the same parameters.
        """
        first = points[0]
        same = [point for point in points if point.parameters == first.parameters]
        smallest = self._time_of(first)
        if smallest is None:
            return
        yield smallest
        larger = [point for point in same if self._is_quick(point, first, smallest.total_ms)]
        if larger and (found := self._time_of(larger[-1])) is not None:
            yield found

    def _is_quick(self, point: Point, probed: Point, ms: float) -> bool:
        """Whether a point on a larger graph takes little time, since a smaller one took ``ms``."""
        growth = max(
            point.graph.arcs / max(1, probed.graph.arcs),
            point.graph.vertices / max(1, probed.graph.vertices),
        )
        return growth > 1 and ms * growth**_STEEPEST <= _QUICK_MS

    def _time_of(self, point: Point) -> EarlierTime | None:
        graph = self._graph(point.graph)
        if graph is None:
            return None
        self._tell(f"probing {point.title} on {point.graph.title}")
        choice = Choice(point.series.variant, point.parameters)
        source = source_of(graph, point.graph)
        asked = RunRequest(
            graph, source, None, (choice,), self._devices.of(point), _PLAN, verify=False
        )
        (result,) = run(asked, cancel=self._cancel, listener=TimeLimit(self._cancel, _TRIAL_S))
        self._cancel.forget_skip()  # set by the time limit, it would end what follows
        self._cancel.check("The experiment")
        known = EarlierTime.of(result)
        return None if known is None else replace(known, is_probe=True)

    def _graph(self, choice: GraphChoice) -> Graph | None:
        """The graph; None if it cannot be made, which the run will say, or is too large
        for a probe.
        """
        if id(choice) not in self._graphs:
            made: Graph | None = None
            if choice.arcs <= _MOST_ARCS:
                try:
                    made, _ = self._files.make(choice, Progress(self._cancel))
                    source_of(made, choice)
                except Cancelled:
                    raise
                except (TautpathError, MemoryError):
                    made = None
            self._graphs[id(choice)] = made
        return self._graphs[id(choice)]
