"""Reopening a kept run: the same table, chart and path as after the run itself."""

from __future__ import annotations

import csv
from dataclasses import fields, replace

import numpy as np
import pytest

from solvers.commands.solve import parse_choices
from solvers.contracts.catalog import Answers
from solvers.contracts.results import Status
from solvers.errors import UnknownVertex
from solvers.graphs.graph import Graph
from solvers.graphs.labelled import LabelledGraph
from solvers.graphs.readers import read_graph
from solvers.running.plan import MeasurementPlan
from solvers.running.records import write_all
from solvers.running.runner import RunRequest, run
from solvers.running.store.conversion import kept_variant, results_on, with_distances
from solvers.running.store.recorder import RunRecorder
from solvers.running.store.run_store import RunStore
from solvers.running.store.tables import results_of
from solvers.running.trials_file import read_trials
from tests.data import data_file
from tests.graphs import at_random, with_negative_cycle
from tests.solvers.fakes import diamond
from tests.solvers.running.store.kept import kept_run_of, kept_variant_of


def solved(graph: Graph, *ids: str, source=0, target=3, store: RunStore):
    """Real variants, recorded; returns the results and the kept run."""
    request = RunRequest(graph, source, target, parse_choices(",".join(ids)), plan=MeasurementPlan(1, 2))
    recorder = RunRecorder(store, request, "window")
    results = list(recorder.record(run(request, listener=recorder, run_id=recorder.run_id)))
    return results, store.run(recorder.run_id)


@pytest.fixture
def store(tmp_path):
    return RunStore(tmp_path / "runs.sqlite3")


def test_a_reopened_run_shows_what_the_run_itself_showed(store):
    graph = diamond()
    results, kept = solved(graph, "dijkstra-heap", "bf-serial", "dijkstra-target", "fw-serial", store=store)
    for before, after in zip(results, results_on(graph, kept), strict=True):
        for name in (
            "variant", "parameters", "source", "target", "device_name", "status", "trials", "iterations", "relaxations",
            "verdict", "target_distance", "note", "run_id", "timestamp_utc", "cold_ms", "load", "disturbances",
        ):  # fmt: skip
            assert getattr(after, name) == getattr(before, name), name
        assert after.path.tolist() == before.path.tolist()
        assert after.median("solve") == before.median("solve")


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float64])
def test_distances_are_computed_anew_and_have_the_stored_hash(store, dtype):
    graph = at_random(60, 200, seed=3, dtype=dtype)
    results, kept = solved(graph, "dijkstra-heap", "dijkstra-target", target=17, store=store)
    heap, one_path = with_distances(results_on(graph, kept))
    assert heap.distances.dtype == results[0].distances.dtype
    assert np.array_equal(heap.distances, results[0].distances)
    assert np.array_equal(heap.predecessors, results[0].predecessors)
    assert one_path.distances is None
    assert one_path.target_distance == results[1].target_distance


def test_distances_with_another_hash_are_not_invented(store):
    graph = diamond()
    _, kept = solved(graph, "dijkstra-heap", store=store)
    (variant,) = kept.variants
    changed = replace(kept, variants=(replace(variant, distances_sha256="0" * 64),))
    (result,) = with_distances(results_on(graph, changed))
    assert result.distances is None
    assert result.target_distance == 5


def test_an_unreachable_target_and_a_negative_cycle_come_back(store):
    _, kept = solved(diamond(), "dijkstra-heap", target=4, store=store)
    (result,) = with_distances(results_on(diamond(), kept))
    assert result.target_distance == float("inf")
    assert result.path is None
    graph, _ = with_negative_cycle("of three")
    before, kept = solved(graph, "bf-serial", target=1, store=store)
    assert before[0].status is Status.NEGATIVE_CYCLE
    (after,) = with_distances(results_on(graph, kept))
    assert after.cycle == before[0].cycle


def test_a_killed_variant_is_shown_as_cancelled_with_its_trials(store):
    kept = kept_run_of("a", kept_variant_of("bf-serial", 1.0, 2.0, status=None), ended_utc="")
    (result,) = results_on(diamond(), kept)
    assert result.status is Status.CANCELLED
    assert result.times("solve") == [1.0, 2.0]


def test_variants_that_are_not_in_the_catalogue_are_left_out_of_the_window_but_not_of_tables(tmp_path):
    kept = kept_run_of("a", kept_variant_of("bf-of-the-future", 1.0), kept_variant_of("bf-serial", 2.0))
    assert [r.variant.id for r in results_on(diamond(), kept)] == ["bf-serial"]
    trials, *_ = write_all(results_of(kept), tmp_path)
    assert trials.read_text("utf-8").count("bf-of-the-future") == 2


def test_a_vertex_that_the_graph_lacks_is_named():
    with pytest.raises(UnknownVertex):
        results_on(diamond(), kept_run_of("a", kept_variant_of("bf-serial", 1.0, path=(10, 11, 40))))


def test_tables_of_a_kept_run_are_those_of_the_run_itself(store, tmp_path):
    results, kept = solved(diamond(), "dijkstra-heap", "fw-serial", "dijkstra-target", store=store)
    for name, of in (("before", results), ("after", results_of(kept)), ("shown", results_on(diamond(), kept))):
        write_all(of, tmp_path / name)
    for table in ("trials.csv", "summary.csv"):
        before, after, shown = ((tmp_path / name / table).read_text("utf-8") for name in ("before", "after", "shown"))
        assert after == before
        assert shown == before


@pytest.mark.data
def test_new_york_reopens_with_its_path(store):
    graph = read_graph(data_file("dimacs/USA-road-d.NY.gr.gz")).graph
    results, kept = solved(graph, "dijkstra-heap", target=graph.n - 1, store=store)
    (after,) = with_distances(results_on(graph, kept))
    assert np.array_equal(after.distances, results[0].distances)
    assert np.array_equal(after.path, results[0].path)
    assert store.path.stat().st_size < 200_000, "the distances alone would be a megabyte"


def test_kept_variant_of_all_pairs_has_hash_and_path(store):
    results, _ = solved(diamond(), "fw-serial", store=store)
    assert results[0].variant.answers is Answers.APSP
    kept = kept_variant(results[0])
    assert kept.path == (10, 20, 40)
    assert len(kept.distances_sha256) == 64


def test_names_of_vertices_are_kept_and_a_number_is_not_taken_for_a_name(store, tmp_path):
    plain = diamond()
    attributes = {f.name: getattr(plain, f.name) for f in fields(plain) if f.init}
    attributes["ids"] = np.arange(plain.n)
    graph = LabelledGraph(**attributes, labels=("=A", "3", "b", "Zürich", "e"), numbered=True)
    results, kept = solved(graph, "dijkstra-heap", store=store)
    assert (kept.source_text, kept.target_text, kept.source, kept.target) == ("=A", "Zürich", 0, 3)
    (again,) = results_on(graph, kept)
    assert (again.source, again.target, again.path.tolist()) == (0, 3, results[0].path.tolist())
    for part, found in (("own", results), ("stored", results_of(kept))):
        write_all(found, tmp_path / part)
        with (tmp_path / part / "trials.csv").open(encoding="utf-8", newline="") as file:
            row = next(csv.DictReader(file))
        assert (row["source"], row["target"]) == ("'=A", "Zürich")
    imported = read_trials(tmp_path / "own" / "trials.csv")[0]
    assert (imported.source, imported.target_text) == (None, "Zürich")
