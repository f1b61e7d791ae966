"""Reading trials.csv: what was written comes back, and whatever is wrong is named by
line and column.
"""

from __future__ import annotations

import csv
from dataclasses import replace

import pytest

from solvers.core.result import Status, StoredAnswer
from solvers.errors import FileFormatError, FileMissing, OutOfMemory
from solvers.features.kept_runs.store.run_store import RunStore
from solvers.features.kept_runs.trials_file import is_trials_file, read_trials
from solvers.graphs.graph import Graph
from solvers.running.kept_results import results_of, results_on
from solvers.running.records import write_all, write_trials
from solvers.running.request import Choice, MeasurementPlan, RunRequest
from solvers.running.run import run
from solvers.units import TENTHS_OF_SECONDS
from tests.solvers.fakes import diamond, fake_variant, solve_sssp


def refuse(problem):
    raise OutOfMemory("the matrix", 10**12, 10**9)


def results_for(*variants, graph: Graph | None = None, target=3):
    choices, plan = tuple(Choice(v) for v in variants), MeasurementPlan(1, 3)
    return list(run(RunRequest(graph or diamond(), 0, target, choices, plan=plan)))


@pytest.fixture
def table(tmp_path):
    """A real trials.csv: two runs, one with a variant that failed."""
    path = tmp_path / "trials.csv"
    first = results_for(fake_variant("dijkstra-heap"), fake_variant("bf-serial", refuse))
    second = results_for(fake_variant("dijkstra-heap"), target=4)
    write_trials([*first, *second], path)
    return path


def test_a_written_table_comes_back(table):
    first, second = read_trials(table)
    heap, serial = first.variants
    assert (heap.variant, serial.variant) == ("dijkstra-heap", "bf-serial")
    assert heap.times("total") == [10.0, 10.0, 10.0]
    assert [t.is_warmup for t in heap.trials] == [True, False, False, False]
    assert (heap.verdict.verified, heap.target_distance) == (True, 5)
    assert (serial.status, serial.error) == (
        Status.OUT_OF_MEMORY,
        "the matrix needs 1 TB; this machine has 1 GB free.",
    )
    assert second.variants[0].target_distance == float("inf")
    assert (first.source, first.target, second.target) == (10, 40, 99)
    assert first.graph.sha256 == diamond().sha256
    assert first.origin == "trials.csv"
    assert first.machine.cpu


def test_reading_and_writing_again_gives_the_same_file(table, tmp_path):
    runs = read_trials(table)
    write_trials([result for found in runs for result in results_of(found)], tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_text("utf-8") == table.read_text("utf-8")


def test_distances_are_in_seconds_in_the_file_and_in_tenths_on_the_graph(tmp_path):
    roads = replace(diamond(), weight_unit=TENTHS_OF_SECONDS)
    path = tmp_path / "trials.csv"
    write_trials(results_for(fake_variant("dijkstra-heap"), graph=roads), path)
    with path.open(encoding="utf-8", newline="") as file:
        assert {(row["target_distance"], row["distance_unit"]) for row in csv.DictReader(file)} == {
            ("0.5", "s")
        }
    (kept,) = read_trials(path)
    assert (kept.variants[0].target_distance, kept.graph.weight_unit) == (0.5, "s")
    assert results_on(roads, kept)[0].target_distance == 5
    write_trials(results_of(kept), tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_text("utf-8") == path.read_text("utf-8")


def test_tables_of_earlier_versions_hold_tenths(tmp_path):
    roads = replace(diamond(), weight_unit=TENTHS_OF_SECONDS)
    path = tmp_path / "trials.csv"
    write_trials(results_for(fake_variant("dijkstra-heap"), graph=roads), path)
    with path.open(encoding="utf-8", newline="") as file:
        rows = [
            {**row, "schema_version": "4", "target_distance": "5"} for row in csv.DictReader(file)
        ]
    columns = [name for name in rows[0] if name != "distance_unit"]
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, columns, extrasaction="ignore")
        table.writeheader()
        table.writerows(rows)
    (kept,) = read_trials(path)
    assert (results_on(roads, kept)[0].target_distance, kept.graph.weight_unit) == (5, "")


def test_it_goes_through_the_store_unchanged(table, tmp_path):
    store = RunStore(tmp_path / "runs.sqlite3")
    runs = read_trials(table)
    store.add(runs)
    store.add(read_trials(table))
    assert len(store.summaries()) == 2, "opened twice, it is there once"
    written = write_all(
        [r for found in runs for r in results_of(store.run(found.run_id))], tmp_path / "out"
    )
    assert written[0].read_text("utf-8") == table.read_text("utf-8")


def test_names_that_spreadsheets_would_run_come_back(tmp_path):
    graph = diamond()
    named = Graph(
        graph.indptr, graph.indices, graph.weights, ids=graph.ids, name="=cmd|' /C calc'!A0"
    )
    write_trials(results_for(fake_variant("auto"), graph=named), tmp_path / "trials.csv")
    (found,) = read_trials(tmp_path / "trials.csv")
    assert found.graph.name == "=cmd|' /C calc'!A0"


def test_columns_in_another_order_and_unknown_ones_are_read(table, tmp_path):
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    other = tmp_path / "other.csv"
    with other.open("w", encoding="utf-8-sig", newline="") as file:
        written = csv.DictWriter(file, ["colour", *reversed(rows[0])])
        written.writeheader()
        written.writerows({"colour": "blue", **row} for row in rows)
    assert [r.variants for r in read_trials(other)] == [r.variants for r in read_trials(table)]


def test_it_is_told_from_a_graph(table, tmp_path):
    (tmp_path / "edges.csv").write_text("source,target,weight\n1,2,3\n")
    assert is_trials_file(table)
    assert not is_trials_file(tmp_path / "edges.csv")
    assert not is_trials_file(tmp_path)
    assert not is_trials_file(tmp_path / "missing.csv")


def _changed(table, line, column, value):
    """The table with one cell of one line (the header is line 1) replaced."""
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    rows[line - 1][rows[0].index(column)] = value
    with table.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("solve_ms", "fast", "“fast” is not a time in ms"),
        ("solve_ms", "-1", "“-1” is not a time in ms"),
        ("solve_ms", "nan", "“nan” is not a time in ms"),
        ("solve_ms", "", "a time in ms is missing"),
        ("prepare_ms", "inf", "“inf” is not a time in ms"),
        ("is_warmup", "maybe", "“maybe” is not true or false"),
        ("status", "fine", "“fine” is not one of ok, "),
        ("trial", "1.5", "“1.5” is not a count"),
        ("trial", "0", "trial 0 of dijkstra-heap occurs twice"),
        ("parameters", "{", "“{” is not a JSON object"),
        ("parameters", "[1]", "“[1]” is not a JSON object"),
        ("vertices", "-5", "“-5” is not a count"),
        ("graph_sha256", "abc", "“abc” is not a SHA-256"),
        ("weight_type", "int128", "“int128” is not one of int32"),
        ("algorithm", "Guessing", "“Guessing” is not one of Bellman-Ford"),
        ("runs_on", "paper", "“paper” is not one of serial"),
        ("verified", "perhaps", "“perhaps” is not yes, no"),
        ("schema_version", "99", "99 is newer than this version"),
        ("variant", "", "an id is missing"),
        ("vertices", str(10**30), "is not a count"),
        ("source", str(2**63), "is not an id of 64 bits"),
        ("target_distance", "nan", "“nan” is not a number"),
        ("timestamp_utc", "0001-01-01T00:00:00+14:00", "is not a time after the year 1"),
    ],
)
def test_a_wrong_cell_is_named_by_line_and_column(table, column, value, words):
    line = 3 if column in ("solve_ms", "prepare_ms", "is_warmup", "status", "trial") else 2
    _changed(table, line, column, value)
    with pytest.raises(FileFormatError) as caught:
        read_trials(table)
    assert caught.value.line == line
    assert str(caught.value).startswith(f"trials.csv, line {line}: column {column}: ")
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "header has no column variant"),
        (b"a;b\n1;2\n", "header has no column variant"),
        (b"\xff\xfe", "not UTF-8"),
    ],
)
def test_a_file_of_another_kind_is_refused(tmp_path, content, words):
    (tmp_path / "trials.csv").write_bytes(content)
    with pytest.raises(FileFormatError) as caught:
        read_trials(tmp_path / "trials.csv")
    assert words in str(caught.value)
    assert "trials.csv as" in str(caught.value)


def test_a_torn_line_a_header_alone_and_a_missing_file_are_refused(table, tmp_path):
    whole = table.read_text("utf-8").splitlines(keepends=True)
    (tmp_path / "torn.csv").write_text("".join(whole[:3]) + whole[3][:40], "utf-8")
    (tmp_path / "head.csv").write_text(whole[0], "utf-8")
    with pytest.raises(FileFormatError, match="line 4") as caught:
        read_trials(tmp_path / "torn.csv")
    assert "cells, but the header has" in str(caught.value)
    with pytest.raises(FileFormatError, match="a header but no trials"):
        read_trials(tmp_path / "head.csv")
    with pytest.raises(FileMissing):
        read_trials(tmp_path / "missing.csv")


def test_iterations_of_a_variant_are_those_of_its_last_trial(tmp_path):
    counts = iter((9, 5, 6, 7))

    def count(problem):
        solution = solve_sssp(problem)
        return type(solution)(solution.distances, next(counts), solution.phases)

    write_trials(results_for(fake_variant("auto", count)), tmp_path / "trials.csv")
    (found,) = read_trials(tmp_path / "trials.csv")
    assert found.variants[0].iterations == 7


def test_a_warm_graph_and_a_host_come_back(tmp_path):
    (result,) = results_for(fake_variant("dijkstra-heap"))
    path = tmp_path / "trials.csv"
    write_trials(
        [replace(result, graph_upload_ms=2.5, stored=StoredAnswer(cpu="A CPU", host="node7"))], path
    )
    (found,) = read_trials(path)
    assert found.machine.host == "node7"
    assert found.variants[0].graph_upload_ms == 2.5
