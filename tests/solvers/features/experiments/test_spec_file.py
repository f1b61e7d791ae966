"""Experiments from TOML: what is read, where each fault is found, and the shipped ones
at a tiny scale.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from solvers.core.variant import RunsOn
from solvers.errors import DeviceUnavailable, FileFormatError, UnknownName
from solvers.features.experiments.charts import ChartMaker
from solvers.features.experiments.claims import judge
from solvers.features.experiments.grid import points_of, swept_values
from solvers.features.experiments.measure import ExperimentRun
from solvers.features.experiments.measurement import Measurement
from solvers.features.experiments.report import Findings, report_html
from solvers.features.experiments.spec import (
    Experiment,
    ExperimentScale,
    GraphSpec,
    Measuring,
    SeriesSpec,
)
from solvers.features.experiments.spec_file import find_experiment, read_experiment, shipped
from solvers.graphs import generators
from solvers.running.request import MeasurementPlan, find_device
from tests.quick import THOROUGH
from tests.solvers.features.experiments.samples import TEXT, request_on, sample, write_experiment


def test_every_combination_of_graphs_variants_and_parameters_is_a_point(tmp_path):
    experiment = sample(tmp_path)
    found = points_of(experiment, ExperimentScale.SMALL)
    assert [graph.vertices for graph, _ in found] == [20, 40]
    assert [[point.title for point in points] for _, points in found] == [
        ["scan", "heap, arity 2", "heap, arity 4"]
    ] * 2
    assert experiment.size(ExperimentScale.SMALL) == sum(len(points) for _, points in found)


def test_numbers_are_grouped_in_titles_and_not_in_keys(tmp_path):
    (_, (graph, found)) = points_of(
        sample(tmp_path, ("[20, 40]", "[20, 16384]"), ("arity = [2, 4]", "arity = 4")),
        ExperimentScale.SMALL,
    )
    assert (graph.key, graph.title) == ("random, vertices 16384", "random, vertices 16\u202f384")
    assert [(point.key, point.title) for point in found] == [("scan", "scan"), ("heap", "heap")]


def test_a_parameter_may_follow_another(tmp_path):
    experiment = sample(tmp_path, ("degree = 3", 'degree = "vertices / 5"'))
    assert [graph.arcs for graph, _ in points_of(experiment, ExperimentScale.SMALL)] == [
        20 * 4,
        40 * 8,
    ]


def test_a_graph_or_series_of_one_scale_is_left_out_of_the_other(tmp_path):
    experiment = sample(
        tmp_path, ('variant = "dijkstra-array"', 'variant = "dijkstra-array"\nscale = "paper"')
    )
    assert experiment.size(ExperimentScale.SMALL) == 4
    assert experiment.size(ExperimentScale.PAPER) == 6


@pytest.mark.parametrize(
    ("given", "values"),
    [
        (7, (7,)),
        ([1, 2, 8], (1, 2, 8)),
        ({"from": 1, "to": 16, "steps": 5, "spacing": "log"}, (1, 2, 4, 8, 16)),
        ({"from": 0, "to": 1.0, "steps": 3}, (0, 0.5, 1.0)),
        ({"from": 1, "to": 2, "steps": 5}, (1, 2)),
    ],
)
def test_values_are_listed_or_spaced_over_a_range(given, values):
    assert swept_values(given) == pytest.approx(values)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([], "empty"),
        ({"from": 1}, "numbers “from” and “to”"),
        ({"from": 1, "to": float("nan")}, "numbers “from” and “to”"),
        ({"from": 0, "to": 8, "steps": 3, "spacing": "log"}, "above 0"),
        ({"from": 1, "to": 8, "step": 3}, "no “step”"),
        ({"from": 1, "to": 8, "steps": 1}, "steps"),
    ],
)
def test_a_range_that_says_nothing_is_refused(given, words):
    with pytest.raises(ValueError, match=words):
        swept_values(given)


# What is replaced, and by what; the texts of the errors are kept in ``tests/golden``.
FAULTS = {
    "unknown variant": ('"dijkstra-heap"', '"dijkstra-heep"'),
    "unknown parameter": ("arity = [2, 4]", "arety = [2, 4]"),
    "value out of range": ("arity = [2, 4]", "arity = [2, 3]"),
    "unknown generator": ('"random"', '"randam"'),
    "unknown graph parameter": ("degree = 3", "degrees = 3"),
    "unknown series": ('series = "scan"\nsource', 'series = "scam"\nsource'),
    "unknown baseline": ('baseline = "scan"', 'baseline = "skan"'),
    "unknown key": ("question =", "qestion ="),
    "unknown chart": ('kind = "time"', 'kind = "tyme"'),
    "unknown x axis": ('kind = "time"', 'kind = "time"\nx = "arety"'),
    "claim without a figure": ("at_least = 0.000001", ""),
    "claim of an unknown parameter": ("arity = 4 }", "arty = 4 }"),
    "published without a place": ("{ vertices = 40, time = 0.5 }", "{ time = 0.5 }"),
    "a bound that is no number": ("at_least = 0.000001", "at_least = nan"),
    "a bound without an end": ("at_least = 0.000001", "at_most = -inf"),
    "a time without an end": ("time = 0.5", "time = inf"),
    "text for a number": ("trials = 2", 'trials = "two"'),
    "fewer trials than one": ("trials = 2", "trials = -3"),
    "two series of one label": ('label = "heap"', 'label = "scan"'),
    "invalid TOML": ("[small]", "[small"),
    "a list without its end": ("arity = [2, 4] }", "arity = [2, 4"),
    "a text without its end": ('label = "scan"', 'label = """scan"'),
    "a parameter in a table of its own": (
        "parameters = { arity = [2, 4] }",
        "[series.parameters]\narety = 2",
    ),
    "a parameter with dots": ("parameters = { arity = [2, 4] }", "parameters.arety = 2"),
    "a key in a text": (
        'baseline = "scan"',
        'method = """\nbaseline = 3\n[[series]]"""\nbaseline = "skan"',
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named_with_its_line_and_the_nearest_name(tmp_path, golden, fault):
    with pytest.raises(FileFormatError) as error:
        read_experiment(write_experiment(tmp_path, FAULTS[fault]))
    golden.check("files of experiments that are refused", fault, str(error.value))


def test_all_that_is_kept_was_said(golden):
    golden.require_no_others("files of experiments that are refused", list(FAULTS))


def test_an_experiment_without_graphs_is_refused(tmp_path):
    with pytest.raises(FileFormatError, match="at least one"):
        read_experiment(write_experiment(tmp_path, text='id = "own"\ntitle = "Nothing"\n'))


def test_a_file_that_is_missing_or_no_text_is_refused(tmp_path):
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    for name, words in (("missing.toml", "no such file"), ("binary.toml", "not UTF-8 text")):
        with pytest.raises(FileFormatError, match=f"(?i){words}"):
            find_experiment(str(tmp_path / name))


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(UnknownName) as error:
        find_experiment("bodra-fig-2")
    assert "bodra-2025-fig-2" in error.value.nearest


def test_the_sample_itself_is_right(tmp_path):
    experiment = sample(tmp_path)
    assert [one.label for one in experiment.series] == ["scan", "heap"]
    assert experiment.published[0].points[0].ms == 500
    assert experiment.measuring[ExperimentScale.SMALL].plan.trials == 2
    assert TEXT.count("[[") == 6


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
    names = [experiment.id for experiment in shipped()]
    assert sorted(names) == sorted(
        f"{paper}-{figure}" for paper, figures in FIGURES.items() for figure in figures
    )


@pytest.mark.parametrize("experiment", shipped(), ids=lambda experiment: experiment.id)
def test_an_experiment_says_what_it_is_and_can_fail(experiment):
    for part in ("question", "method", "citation", "place", "charts", "claims"):
        assert getattr(experiment, part), part
    for scale in ExperimentScale:
        assert 3 <= experiment.size(scale) <= 60
    assert all(entry.hardware and entry.source for entry in experiment.published)


def test_published_values_lie_on_graphs_of_the_experiment():
    for experiment in shipped():
        specs = [spec for spec in experiment.graphs if ExperimentScale.PAPER in spec.scales]
        sizes = {spec.vertices for spec in specs} | {
            n for spec in specs for n in spec.parameters.get("vertices", ())
        }
        for entry in experiment.published:
            assert {
                point.at["vertices"] for point in entry.points if "vertices" in point.at
            } <= sizes, experiment.id


def tiny(experiment: Experiment) -> Experiment:
    """The same comparison on one graph of 24 vertices, with one value of each
    parameter, in one trial.
    """
    roads = any(
        spec.generator is not None and spec.generator.id == "road" for spec in experiment.graphs
    )
    family = generators.find("road" if roads else "random")
    parameters = {"vertices": (24,)} if roads else _TINY
    graph = GraphSpec("tiny", (ExperimentScale.SMALL,), family, parameters)
    ranks = experiment.id in _WITH_RANKS
    series = [one for one in experiment.series if ranks or one.variant.runs_on is not RunsOn.MPI]
    how = {
        ExperimentScale.SMALL: Measuring(MeasurementPlan(warmups=0 if ranks else 1, trials=1), 60.0)
    }
    labels = [one.label for one in series]
    published = tuple(entry for entry in experiment.published if entry.series in labels)
    few = tuple(map(_first_values, series))
    return replace(experiment, graphs=(graph,), series=few, measuring=how, published=published)


def _first_values(one: SeriesSpec) -> SeriesSpec:
    return replace(one, parameters={name: values[:1] for name, values in one.parameters.items()})


def with_other_kinds_of_charts():
    """Ids of experiments with a kind of chart that none before has."""
    chosen, seen = set(), set()
    for experiment in shipped():
        kinds = {chart.kind for chart in experiment.charts}
        if not kinds <= seen:
            chosen.add(experiment.id)
        seen |= kinds
    return chosen


@pytest.mark.parametrize("whole", shipped(), ids=lambda experiment: experiment.id)
def test_an_experiment_runs_at_a_tiny_scale_and_is_reported(whole):
    """With its charts drawn where a kind of them was not drawn before; in `make test-all`
    everywhere.
    """
    experiment, scale = tiny(whole), ExperimentScale.SMALL
    try:
        device = find_device("opencl", [one.variant for one in experiment.series])
    except DeviceUnavailable as error:
        pytest.skip(str(error))
    request = request_on(experiment, device)
    found = list(ExperimentRun(request=request).measure())
    measured = [one for one in found if isinstance(one, Measurement)]
    here = [one.label for one in experiment.series if one.device in ("", "opencl")]
    assert sorted(one.label for one in measured) == sorted(here), found
    assert all(one.is_timed for one in measured)
    charts = ChartMaker(experiment, measured).all()
    drawn = charts if THOROUGH or whole.id in with_other_kinds_of_charts() else ()
    judgements = judge(experiment, scale, measured)
    assert len(judgements) == len(experiment.claims)
    page = report_html(
        Findings(experiment, scale, request.measuring, measured, [], drawn, judgements)
    )
    assert all(one.device == "cuda" for one in experiment.series if one.label not in here)
    assert all(chart.title and any(line.marks for line in chart.lines) for chart in charts)
    assert all(chart.title.partition(":")[0] in page for chart in drawn)
