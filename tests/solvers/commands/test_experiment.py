"""``experiment`` and ``experiments``: what they print and write, and what they refuse."""

from __future__ import annotations

import csv
import json
import re
import sqlite3
from contextlib import closing

import pytest

from tests.solvers.experiments.samples import write_experiment


def test_an_own_experiment_runs_and_writes_its_tables(tautline, tmp_path, store):
    path = write_experiment(tmp_path)
    status, out, _ = tautline("experiment", path, "--csv", tmp_path / "out")
    assert status == 0
    assert "heap, arity 4" in out
    with (tmp_path / "out" / "trials.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["experiment"] for row in rows} == {"own/small"}
    assert {(row["variant"], row["verified"]) for row in rows} == {("dijkstra-array", "yes"), ("dijkstra-heap", "yes")}
    assert len(store.runs_of_experiment("own/small")) == 4
    assert "6 points taken from the store" in tautline("experiment", path)[1]


def test_the_numbers_of_warmups_and_trials_can_be_given(tautline, tmp_path, store):
    path = write_experiment(tmp_path)
    assert tautline("experiment", path, "--warmups", "0", "--trials", "2")[0] == 0
    runs = store.runs_of_experiment("own/small")
    assert {tuple(t.is_warmup for t in one.trials) for run in runs for one in run.variants} == {(False, False)}
    assert "taken from the store" in tautline("experiment", path, "--warmup", "0", "--trials", "2")[1]
    assert "taken from the store" not in tautline("experiment", path, "--warmups", "1", "--trials", "2")[1]


def test_tables_that_are_imported_keep_their_experiment(tautline, tmp_path, store):
    tautline("experiment", write_experiment(tmp_path), "--csv", tmp_path, "--no-keep")
    assert store.runs_of_experiment("own/small") == ()
    with (tmp_path / "trials.csv").open() as file:
        run_ids = {row["run_id"] for row in csv.DictReader(file)}
    assert tautline("runs", "import", tmp_path / "trials.csv")[0] == 0
    assert {run.run_id for run in store.runs_of_experiment("own/small")} == run_ids


def test_a_dry_run_says_what_would_run(tautline, tmp_path, store):
    status, out, _ = tautline("experiment", write_experiment(tmp_path), "--dry-run")
    assert status == 0
    assert out.count("about") == 7
    assert not store.path.exists()


def test_a_grid_of_a_million_runs_is_a_question(tautline, tmp_path):
    wide = ("degree = 3", "seed = { from = 1, to = 200000, steps = 200000 }, degree = 3")
    status, _, err = tautline("experiment", write_experiment(tmp_path, wide))
    assert status == 2
    assert re.search(r"own has 1.200.000 points, about \d+ h", err)
    assert "--yes" in err


@pytest.mark.parametrize(
    "arguments",
    [
        "bodra-2025-fig-3", "missing.toml", "bodra-2025-fig-2 --graphs nowhere", "bodra-2025-fig-2 --trials -1",
        "bodra-2025-fig-2 --warmups -1", "bodra-2025-fig-2 --longest-trial 0",
    ],
)  # fmt: skip
def test_bad_input_is_one_line_and_status_2(tautline, arguments, golden):
    status, _, err = tautline("experiment", *arguments.split())
    assert (status, err.count("\n")) == (2, 1)
    golden.check("experiment", arguments, err)


def test_a_fault_in_the_file_is_told_with_its_line(tautline, tmp_path):
    status, _, err = tautline("experiment", write_experiment(tmp_path, ("dijkstra-heap", "dijkstra-hep")))
    assert status == 2
    assert "own.toml, line 20: there is no variant “dijkstra-hep”" in err
    assert "Nearest: dijkstra-heap" in err


def test_a_store_of_a_newer_version_is_read_and_said(tautline, tmp_path, store):
    path = write_experiment(tmp_path)
    tautline("experiment", path)
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute("PRAGMA user_version = 999")
    status, out, err = tautline("experiment", path)
    assert status == 0
    assert "newer version" in err
    assert "taken from the store" in out


def test_the_list_says_what_runs_here(tautline):
    status, out, _ = tautline("experiments", "--json")
    assert status == 0
    found = {entry["id"]: entry for entry in json.loads(out)}
    assert found["bodra-2025-fig-2"]["points"] == 15
    assert "bodra-2025-fig-2" in tautline("experiments")[1]
