"""Everything that a run of an experiment found: what reports, windows and commands show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from solvers.experiments.chart_data import ChartData
from solvers.experiments.charts import ChartMaker
from solvers.experiments.claims import Judgement, judge
from solvers.experiments.experiment import Experiment, ExperimentScale, Measuring
from solvers.experiments.experiment_run import ExperimentRun
from solvers.experiments.graph_picture import GraphPicture
from solvers.experiments.measurement import Measurement, Omission
from solvers.experiments.resumption import elsewhere


@dataclass(frozen=True)
class Findings:
    """What was measured, left out, drawn and judged.

    Attributes
    ----------
    experiment : Experiment
    scale : ExperimentScale
    measuring : Measuring
    measurements : sequence of Measurement
    omissions : sequence of Omission
    charts : sequence of ChartData
    judgements : sequence of Judgement
    others : sequence of Measurement
        Of other machines or versions, for comparison.
    pictures : mapping of str to GraphPicture
        Of the graphs, by their hashes.
    """

    experiment: Experiment
    scale: ExperimentScale
    measuring: Measuring
    measurements: Sequence[Measurement]
    omissions: Sequence[Omission]
    charts: Sequence[ChartData]
    judgements: Sequence[Judgement]
    others: Sequence[Measurement] = ()
    pictures: Mapping[str, GraphPicture] = field(default_factory=dict)


def findings_of(run: ExperimentRun, outcomes: Iterable[Measurement | Omission]) -> Findings:
    """Charts and verdicts of a run, whole or interrupted; takes up to a second, as it measures the device's memory."""
    request = run.request
    experiment, scale, ended = request.experiment, request.scale, list(outcomes)
    order = {id(one.point): place for place, one in enumerate(request.forecast.points)}
    measured = sorted((one for one in ended if isinstance(one, Measurement)), key=lambda one: order[id(one.point)])
    omissions = [one for one in ended if isinstance(one, Omission)]
    bandwidth = run.memory_bandwidth() if measured else None
    return Findings(
        experiment,
        scale,
        request.measuring,
        measured,
        omissions,
        ChartMaker(experiment, measured, bandwidth).all(),
        judge(experiment, scale, measured, omissions),
        elsewhere(experiment, scale, request.store, measured),
        run.pictures,
    )
