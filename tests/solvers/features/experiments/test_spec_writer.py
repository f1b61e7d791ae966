"""Own experiments from a run: what is written is read as what was ticked."""

from __future__ import annotations

import pytest

from solvers.core.variant import find_variant
from solvers.errors import InputError
from solvers.features.experiments.grid import points_of
from solvers.features.experiments.spec import ExperimentScale
from solvers.features.experiments.spec_file import read_experiment
from solvers.features.experiments.spec_writer import write_experiment
from solvers.graphs.generators import find
from solvers.graphs.reading import ReadingOptions
from solvers.running.kept_run import GraphSource
from solvers.running.request import Choice, MeasurementPlan, RunRequest

PARAMETERS = find("random").settle({"vertices": 30, "degree": 3})
GENERATED = GraphSource(generator="random", parameters=PARAMETERS)


def request_of(*choices, plan=MeasurementPlan(2, 7)):  # noqa: B008 (frozen)
    return RunRequest(find("random").generate(PARAMETERS), 4, 9, choices, plan=plan)


def ticked(variant_id, **parameters):
    return Choice(find_variant(variant_id), parameters)


def test_graph_source_variants_and_parameters_come_back(tmp_path):
    request = request_of(ticked("dijkstra-heap", arity=8), ticked("bf-serial"), ticked("astar"))
    path = tmp_path / "My Comparison.toml"
    write_experiment(path, 'A "quoted" title', request, GENERATED)
    experiment = read_experiment(path)
    assert (experiment.id, experiment.title) == ("my-comparison", 'A "quoted" title')
    ((graph, points),) = points_of(experiment, ExperimentScale.SMALL)
    assert dict(graph.parameters) == PARAMETERS
    assert graph.spec.source == "5", "the id of vertex 4"
    assert [(point.series.variant.id, dict(point.parameters)) for point in points] == [
        ("dijkstra-heap", {"arity": 8}),
        ("bf-serial", {"early_exit": True}),
    ]
    plan = experiment.measuring[ExperimentScale.SMALL].plan
    assert (plan.warmups, plan.trials) == (2, 7)
    assert experiment.baseline == points[0].series.label


def test_a_file_is_named_with_how_it_was_read(tmp_path):
    source = GraphSource("/somewhere/roads.gr.gz", ReadingOptions(undirected=True, weights="unit"))
    write_experiment(tmp_path / "own.toml", "Own", request_of(ticked("bf-serial")), source)
    (graph,) = read_experiment(tmp_path / "own.toml").graphs
    assert (graph.file, graph.undirected, graph.weights) == ("roads.gr", True, "unit")
    assert (graph.vertices, graph.arcs) == (30, 90)


@pytest.mark.parametrize(
    ("choice", "source", "words"),
    [
        ("bf-serial", GraphSource(), "neither a file nor a generator"),
        ("astar", GENERATED, "all distances"),
    ],
)
def test_what_cannot_be_repeated_is_refused_and_nothing_is_written(tmp_path, choice, source, words):
    with pytest.raises(InputError, match=words):
        write_experiment(tmp_path / "own.toml", "Own", request_of(ticked(choice)), source)
    assert list(tmp_path.iterdir()) == []
