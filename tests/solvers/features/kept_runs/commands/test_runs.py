"""``solve`` keeps its runs, and ``runs`` lists, shows, compares, exports, imports and
deletes them.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest

from solvers.features.kept_runs.store.rows import VERSION
from solvers.features.kept_runs.store.run_store import RunStore
from solvers.system.disk_cache import FOLDER_VARIABLE
from tests.solvers.features.kept_runs.store.kept import kept_run_of, kept_variant_of

DIAMOND = "p sp 4 5\na 1 2 2\na 1 3 4\na 2 4 3\na 3 4 3\na 2 3 9\n"


@pytest.fixture
def graph(tmp_path):
    path = tmp_path / "diamond.gr"
    path.write_text(DIAMOND)
    return path


def solve(tautpath, graph, *options, source=1):
    return tautpath(
        "solve",
        graph,
        "--source",
        source,
        "--target",
        4,
        "--variants",
        "dijkstra-heap,bf-serial",
        "--trials",
        5,
        "--warmup",
        1,
        *options,
    )


def ok(ended):
    """The output of a command that succeeded."""
    status, out, _ = ended
    assert status == 0
    return out


def test_solve_keeps_the_run_with_the_options_that_read_its_graph(tautpath, graph, store):
    assert solve(tautpath, graph, "--undirected", "--weights", "unit")[0] == 0
    (summary,) = store.summaries()
    run = store.run(summary.run.run_id)
    assert run.complete
    assert run.origin == "command line"
    assert run.graph.source.path == str(graph)
    assert (run.graph.source.reading.undirected, run.graph.source.reading.weights) == (True, "unit")
    assert [(v.variant, len(v.trials)) for v in run.variants] == [
        ("dijkstra-heap", 6),
        ("bf-serial", 6),
    ]


def test_solve_keeps_nothing_if_told_so(tautpath, graph, store):
    assert solve(tautpath, graph, "--no-keep")[0] == 0
    assert not store.path.exists()


def test_solve_says_once_that_nothing_can_be_kept_and_still_answers(tautpath, graph, store):
    store.path.parent.write_text("a file where the folder should be")
    status, out, err = solve(tautpath, graph)
    assert status == 0
    assert "dijkstra-heap" in out
    assert err.count("cannot be kept") == 1
    assert str(store.path) in err


def test_solve_says_that_a_damaged_store_was_set_aside(tautpath, graph, store):
    store.path.parent.mkdir()
    store.path.write_bytes(b"no database" * 500)
    status, _, err = solve(tautpath, graph)
    assert (status, "runs-set-aside-" in err) == (0, True)
    assert len(store.summaries()) == 1


def test_runs_are_listed_and_shown(tautpath, graph, store):
    solve(tautpath, graph)
    (summary,) = store.summaries()
    run_id = summary.run.run_id
    _, out, _ = tautpath("runs")
    assert run_id in out
    _, out, _ = tautpath("runs", "list", "--json")
    assert tautpath("runs", "--json")[1] == out
    (described,) = json.loads(out)
    assert described["run_id"] == run_id
    assert [v["verified"] for v in described["variants"]] == [True, True]
    assert run_id in ok(tautpath("runs", "show", run_id[:5]))


def test_runs_go_to_another_machine_and_back(tautpath, graph, store, tmp_path, monkeypatch):
    solve(tautpath, graph)
    run_id = store.summaries()[0].run.run_id
    ok(tautpath("runs", "export", run_id, "--csv", tmp_path / "out"))
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "elsewhere"))
    out = ok(tautpath("runs", "import", tmp_path / "out" / "trials.csv"))
    assert run_id in out
    before, after = store.run(run_id), RunStore().run(run_id)
    assert [v.times() for v in after.variants] == [
        [pytest.approx(ms, abs=1e-6) for ms in v.times()] for v in before.variants
    ]
    assert after.origin == "trials.csv"


def test_runs_are_deleted(tautpath, store):
    store.add([kept_run_of(i, kept_variant_of("bf-serial", 1.0)) for i in ("aa1", "aa2", "b")])
    ok(tautpath("runs", "delete", "aa1", "b"))
    assert [s.run.run_id for s in store.summaries()] == ["aa2"]


def test_a_store_of_a_newer_version_is_listed_and_runs_are_kept_beside_it(tautpath, graph, store):
    assert solve(tautpath, graph)[0] == 0
    (theirs,) = store.summaries()
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    before = store.path.read_bytes()
    assert solve(tautpath, graph)[0] == 0
    status, out, err = tautpath("runs", "list", "--json")
    assert (status, bool(err)) == (0, True)
    assert theirs.run.run_id in {run["run_id"] for run in json.loads(out)}
    assert len(json.loads(out)) == 2
    assert tautpath("runs", "delete", theirs.run.run_id)[0] == 3
    assert store.path.read_bytes() == before


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE runs SET record = 'torn' WHERE run_id = 'bad'",
        "UPDATE runs SET record = replace(record, '\"arcs\":', '\"arcs\":-') WHERE run_id = 'bad'",
        "UPDATE runs SET record = x'ff00' WHERE run_id = 'bad'",
    ],
)
def test_a_malformed_run_is_told_and_left_out_by_every_command(tautpath, store, tmp_path, damage):
    store.add([kept_run_of(name, kept_variant_of("bf-serial", 1.0)) for name in ("bad", "good")])
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute(damage)
    told = "run bad is left out, as it cannot be read: "
    for action in ((), ("show", "good"), ("export", "good", "--csv", tmp_path / "out")):
        status, out, err = tautpath("runs", *action)
        assert (status, told in err) == (0, True)
        assert "bad" not in out
    assert tautpath("runs", "show", "bad")[0] == 3
    assert tautpath("runs", "delete", "good")[0] == 0


def test_a_time_that_no_clock_shows_is_listed_as_it_is(tautpath, store):
    """Earlier versions imported it."""
    when = "0001-01-01T00:00:00+14:00"
    store.add([kept_run_of("old", kept_variant_of("bf-serial", 1.0), started_utc=when)])
    assert when in ok(tautpath("runs"))
    assert when in ok(tautpath("runs", "show", "old"))
