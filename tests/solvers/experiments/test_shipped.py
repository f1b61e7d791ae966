"""The experiments that come with the program: each is complete, and runs at a tiny scale."""

from __future__ import annotations

from dataclasses import replace

import pytest

from solvers.contracts.catalog import RunsOn
from solvers.errors import DeviceUnavailable
from solvers.experiments.charts import ChartMaker
from solvers.experiments.claims import judge
from solvers.experiments.experiment import Experiment, ExperimentScale, GraphSpec, Measuring, SeriesSpec
from solvers.experiments.experiment_run import ExperimentRequest
from solvers.experiments.findings import Findings
from solvers.experiments.forecast import forecast
from solvers.experiments.graph_files import GraphFiles
from solvers.experiments.local_run import LocalExperimentRun
from solvers.experiments.measurement import Measurement
from solvers.experiments.report import report_html
from solvers.experiments.shipped import shipped
from solvers.graphs import generators
from solvers.running.device_choice import find_device
from solvers.running.plan import MeasurementPlan

NAMES = [experiment.id for experiment in shipped()]
FIGURES = {
    "bodra-2025": ("fig-1", "fig-2", "table", "ell", "opencl"),
    "martin-2009": ("fig-6", "fig-7"),
    "cholla-2025": ("roads", "dense"),
    "song-2025": ("fig-2-3", "table-3", "table-4"),
    "wang-2024": tuple(f"fig-{number}" for number in range(1, 9)),
}
_TINY = {"vertices": (24,), "degree": (4,)}
_WITH_RANKS = ("song-2025-table-4", "wang-2024-fig-2")  # the start of ranks takes seconds


def test_every_figure_and_table_and_the_future_work_of_the_papers_has_an_experiment():
    assert sorted(NAMES) == sorted(f"{paper}-{figure}" for paper, figures in FIGURES.items() for figure in figures)


@pytest.mark.parametrize("name", NAMES)
def test_an_experiment_says_what_it_is_and_can_fail(name):
    experiment = next(one for one in shipped() if one.id == name)
    assert experiment.question
    assert experiment.method
    assert experiment.citation
    assert experiment.place
    assert experiment.charts
    assert experiment.claims
    for scale in ExperimentScale:
        assert 3 <= experiment.size(scale) <= 60
    assert all(entry.hardware and entry.source for entry in experiment.published)


def test_published_values_lie_on_graphs_of_the_experiment():
    for experiment in shipped():
        specs = [spec for spec in experiment.graphs if ExperimentScale.PAPER in spec.scales]
        sizes = {spec.vertices for spec in specs} | {n for spec in specs for n in spec.parameters.get("vertices", ())}
        for entry in experiment.published:
            assert {point.at["vertices"] for point in entry.points if "vertices" in point.at} <= sizes, experiment.id


def tiny(experiment: Experiment) -> Experiment:
    """The same comparison on one graph of 24 vertices, with one value of each parameter, in one trial."""
    roads = any(spec.generator is not None and spec.generator.id == "road" for spec in experiment.graphs)
    family = generators.find("road" if roads else "random")
    parameters = {"vertices": (24,)} if roads else _TINY
    graph = GraphSpec("tiny", (ExperimentScale.SMALL,), family, parameters)
    ranks = experiment.id in _WITH_RANKS
    series = [one for one in experiment.series if ranks or one.variant.runs_on is not RunsOn.MPI]
    how = {ExperimentScale.SMALL: Measuring(MeasurementPlan(warmups=0 if ranks else 1, trials=1), 60.0)}
    labels = [one.label for one in series]
    published = tuple(entry for entry in experiment.published if entry.series in labels)
    few = tuple(map(_first_values, series))
    return replace(experiment, graphs=(graph,), series=few, measuring=how, published=published)


def _first_values(one: SeriesSpec) -> SeriesSpec:
    return replace(one, parameters={name: values[:1] for name, values in one.parameters.items()})


@pytest.mark.parametrize("name", NAMES)
def test_an_experiment_runs_at_a_tiny_scale_and_is_reported(name):
    experiment, scale = tiny(next(one for one in shipped() if one.id == name)), ExperimentScale.SMALL
    try:
        device = find_device("opencl", [one.variant for one in experiment.series])
    except DeviceUnavailable as error:
        pytest.skip(str(error))
    files = GraphFiles()
    look = forecast(experiment, scale, files, device)
    request = ExperimentRequest(experiment, scale, look, files, experiment.measuring[scale], device)
    found = list(LocalExperimentRun(request=request).measure())
    measured = [one for one in found if isinstance(one, Measurement)]
    here = [one.label for one in experiment.series if one.device in ("", "opencl")]
    assert sorted(one.label for one in measured) == sorted(here), found
    assert all(one.is_timed for one in measured)
    charts = ChartMaker(experiment, measured).all()
    judgements = judge(experiment, scale, measured)
    assert len(judgements) == len(experiment.claims)
    page = report_html(Findings(experiment, scale, request.measuring, measured, [], charts, judgements))
    assert all(one.device == "cuda" for one in experiment.series if one.label not in here)
    assert all(chart.title.partition(":")[0] in page for chart in charts)
