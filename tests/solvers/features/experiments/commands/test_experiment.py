"""``experiment`` and ``experiments``: what they print and write, and what they refuse."""

from __future__ import annotations

import csv
import sqlite3
from contextlib import closing

from tests.solvers.features.experiments.samples import TEXT, write_experiment


def test_an_own_experiment_runs_and_writes_its_tables(tautpath, tmp_path, store):
    path = write_experiment(tmp_path)
    assert tautpath("experiment", path, "--dry-run")[0] == 0
    assert not store.path.exists()
    assert tautpath("experiment", path, "--csv", tmp_path / "out")[0] == 0
    with (tmp_path / "out" / "trials.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["experiment"] for row in rows} == {"own/small"}
    assert {(row["variant"], row["verified"]) for row in rows} == {
        ("dijkstra-array", "yes"),
        ("dijkstra-heap", "yes"),
    }
    assert len(store.runs_of_experiment("own/small")) == 4


def test_the_numbers_of_warmups_and_trials_can_be_given(tautpath, tmp_path, store):
    path = write_experiment(tmp_path)
    assert tautpath("experiment", path, "--warmups", "0", "--trials", "2")[0] == 0
    runs = store.runs_of_experiment("own/small")
    assert {tuple(t.is_warmup for t in one.trials) for run in runs for one in run.variants} == {
        (False, False)
    }
    assert (
        "taken from the store" in tautpath("experiment", path, "--warmup", "0", "--trials", "2")[1]
    )
    assert (
        "taken from the store"
        not in tautpath("experiment", path, "--warmups", "1", "--trials", "2")[1]
    )


def test_tables_that_are_imported_keep_their_experiment(tautpath, tmp_path, store):
    tautpath("experiment", write_experiment(tmp_path), "--csv", tmp_path, "--no-keep")
    assert store.runs_of_experiment("own/small") == ()
    with (tmp_path / "trials.csv").open() as file:
        run_ids = {row["run_id"] for row in csv.DictReader(file)}
    assert tautpath("runs", "import", tmp_path / "trials.csv")[0] == 0
    assert {run.run_id for run in store.runs_of_experiment("own/small")} == run_ids


def test_a_store_of_a_newer_version_is_read_and_said(tautpath, tmp_path, store):
    path = write_experiment(tmp_path)
    tautpath("experiment", path)
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute("PRAGMA user_version = 999")
    status, out, err = tautpath("experiment", path)
    assert status == 0
    assert err
    assert "taken from the store" in out


def test_how_its_files_were_read_is_printed(tautpath, tmp_path, store):
    (tmp_path / "small.gr").write_text("p sp 3 2\na 1 2 4\na 2 3 5\n")
    made, _, _ = TEXT.partition("[[chart]]")
    generated = made[made.index('generator = "random"') : made.index("[[series]]")]
    path = tmp_path / "own.toml"
    path.write_text(made.replace(generated, 'file = "small.gr"\n\n'))
    status, out, _ = tautpath("experiment", path, "--graphs", tmp_path, "--no-keep")
    assert status == 0
    assert any(line.endswith(": weights: column 3") for line in out.splitlines())
