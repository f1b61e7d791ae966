"""The store of runs: what is kept comes back, nothing is deleted unasked, and no file
stops a run.
"""

from __future__ import annotations

import json
import os
import sqlite3
import stat
import subprocess
import sys
import tempfile
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from solvers.core.problem import Phases
from solvers.core.result import Disturbance, DisturbanceKind, Status, Trial, Verdict
from solvers.core.variant import Algorithm, RunsOn
from solvers.errors import StoreUnavailable, UnknownName
from solvers.features.kept_runs.store import database
from solvers.features.kept_runs.store.rows import (
    MIGRATIONS,
    VERSION,
    migrate,
    version_of,
)
from solvers.features.kept_runs.store.run_store import RunStore
from solvers.graphs.interpretation import Certainty, Decision, Interpretation
from solvers.graphs.reading import ReadingOptions
from solvers.graphs.road_changes import RoadChanges
from solvers.running.estimate import EarlierTime, EstimateBasis, estimate_run
from solvers.running.kept_run import (
    GraphFacts,
    GraphSource,
    KeptRun,
    KeptVariant,
    MachineFacts,
)
from solvers.running.request import Choice, MeasurementPlan, RunRequest
from solvers.system import machine
from solvers.system.disk_cache import FOLDER_VARIABLE
from tests.graphs import at_random
from tests.solvers.fakes import diamond, fake_variant
from tests.solvers.features.kept_runs.store.kept import kept_run_of, kept_variant_of, record


@pytest.fixture
def store(tmp_path):
    return RunStore(tmp_path / "data" / "runs.sqlite3")


def full_run() -> KeptRun:
    """A run in which every field has a value of its own."""
    reading = ReadingOptions("/graphs/harbour.co", True, "random:1:10:7")
    source = GraphSource(
        "/graphs/har\udcffbour.gr",
        reading,
        "road",
        {"vertices": 5, "water": False},
        RoadChanges().close((1, 2)).slow(2.5, (3, 4), one_way=True),
    )
    weights = Decision("column “länge”", Certainty.KNOWN, "its title")
    read_as = Interpretation(weights, "m", Decision("von"), Decision("nach"), ignored=("spur",))
    graph = GraphFacts("harbour – ünïcode", "a" * 64, 5, 9, "float64", "m", True, source, read_as)
    trials = (
        Trial(0, True, Phases(1.5, 2.5, 3.5, 4.5), iterations=3, relaxations=2**40),
        Trial(1, False, Phases(0.1, 0.2, 1 / 3, 0.4), iterations=4, relaxations=8),
        Trial(2, False, Phases(), Status.OUT_OF_MEMORY, "It needs 5 GB."),
    )
    variant = KeptVariant(
        "bf-vertex",
        Algorithm.BELLMAN_FORD,
        RunsOn.GPU,
        "Bodra 2025, Section 3",
        {"block": 128, "early_exit": False},
        "2026-11-20T10:00:01.000+00:00",
        2**62 - 5,
        "b" * 64,
        (10, -3, 2**60),
        (4, 5),
        status=Status.OUT_OF_MEMORY,
        error="It needs 5 GB.",
        device_name="NVIDIA H200",
        driver="driver 570",
        trials=trials,
        verdict=Verdict(False, 7, "7 rows are wrong.", (1, 5), 42),
        iterations=4,
        relaxations=8,
        peak_device_bytes=10**12,
        note="chose a heap",
        cold_ms=812.5,
        load=1.75,
        disturbances=(Disturbance(DisturbanceKind.SPREAD, "The times spread over 12 %."),),
        graph_upload_ms=3.25,
    )
    return KeptRun(
        "0123456789ab",
        "2026-11-20T10:00:00.000+00:00",
        "0.1.0",
        "window",
        graph,
        -10,
        2**60,
        MachineFacts("AMD EPYC", 64, "Linux 6.1", "node7"),
        (variant, kept_variant_of("dijkstra-heap", 1.0, 2.0)),
        "2026-11-20T10:02:00.000+00:00",
        "before the change",
        True,
    )


# -- what is kept comes back
# -----------------------------------------------------------------------------------------


def test_a_run_comes_back_as_it_was(store):
    store.add([full_run()])
    assert store.run("0123456789ab") == full_run()


def test_an_unreachable_target_and_missing_values_come_back(store):
    lone = kept_run_of(
        "a", kept_variant_of("fw-serial", target_distance=float("inf")), source=None, target=None
    )
    store.add([lone])
    assert store.run("a") == lone


def test_the_list_has_the_newest_first_with_medians_and_verdicts(store):
    wrong = kept_variant_of("da2cf-f-gpu-racy", 1.0, verdict=Verdict(False, 3, "3 are wrong"))
    older = kept_run_of("a", kept_variant_of("dijkstra-heap", 5.0, 3.0, 4.0), wrong)
    newer = kept_run_of(
        "b", kept_variant_of("bf-serial"), started_utc="2026-11-21T10:00:00.000+00:00"
    )
    store.add([older, newer])
    first, second = store.summaries()
    assert [first.run.run_id, second.run.run_id] == ["b", "a"]
    assert [v.median_ms for v in second.variants] == [4.0, 1.0]
    assert [v.verified for v in second.variants] == [None, False]
    assert second.fastest.variant == "dijkstra-heap", "a wrong answer is not the fastest"
    assert first.fastest is None


def test_an_unknown_run_is_refused_with_similar_ids(store):
    store.add([kept_run_of("0123456789ab")])
    with pytest.raises(UnknownName) as caught:
        store.run("0123456789ac")
    assert caught.value.nearest == ("0123456789ab",)


def test_an_empty_store_is_not_created_by_looking(store):
    assert store.prepare() == ""
    assert store.summaries() == ()
    assert not store.path.exists()


# -- names, pins, deletion
# -------------------------------------------------------------------------------------------


def test_names_and_the_baseline_are_kept(store):
    store.add(
        [kept_run_of("a"), kept_run_of("b"), kept_run_of("c", graph=at_random(9, 20, seed=1))]
    )
    store.rename("a", "before")
    for run_id in "cab":
        store.set_baseline(run_id)
    assert store.run("a").name == "before"
    assert [store.run(i).is_baseline for i in "abc"] == [False, True, True], "one baseline a graph"
    store.set_baseline("b", False)
    assert not store.run("b").is_baseline


def test_deleted_runs_come_back(store):
    runs = [kept_run_of(i, kept_variant_of("bf-serial", 1.0)) for i in "abc"]
    store.add(runs)
    store.delete(["a", "c"])
    assert [s.run.run_id for s in store.summaries()] == ["b"]
    assert not store.holds("a")
    deleted = store.summaries(deleted=True)
    assert [s.run.run_id for s in deleted] == ["a", "c"]
    assert all(s.deleted_utc for s in deleted)
    store.restore(["a", "c"])
    assert [s.run.run_id for s in store.summaries()] == ["a", "b", "c"]
    assert store.run("c") == runs[2]
    assert not store.summaries(deleted=True)


def test_what_was_deleted_over_thirty_days_ago_is_removed_with_its_trials(store):
    store.add([kept_run_of(i, kept_variant_of("bf-serial", 1.0)) for i in "ab"])
    store.delete(["a", "b"])
    with closing(sqlite3.connect(store.path)) as connection, connection:
        for run_id, days in (("a", 31), ("b", 29)):
            when = (datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="milliseconds")
            connection.execute("UPDATE runs SET deleted_utc = ? WHERE run_id = ?", (when, run_id))
    store.prepare()
    store.restore(["a", "b"])
    assert [s.run.run_id for s in store.summaries()] == ["b"]
    with closing(sqlite3.connect(store.path)) as connection:
        assert connection.execute("SELECT DISTINCT run_id FROM trials").fetchall() == [("b",)]


# -- the file
# --------------------------------------------------------------------------------------


def test_the_place_is_the_users_data_folder_or_the_one_that_a_variable_names(monkeypatch, tmp_path):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    assert RunStore().path == tmp_path / "runs.sqlite3"
    monkeypatch.delenv(FOLDER_VARIABLE)
    platformdirs = pytest.importorskip("platformdirs")
    assert RunStore().path == platformdirs.user_data_path("tautpath") / "runs.sqlite3"


def test_an_older_file_is_migrated_and_keeps_its_content_also_if_that_fails(store):
    store.add([full_run()])
    colour = "ALTER TABLE runs ADD COLUMN colour TEXT NOT NULL DEFAULT 'blue'"
    with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
        with pytest.raises(sqlite3.OperationalError):
            migrate(
                connection, (*MIGRATIONS, (colour, "ALTER TABLE nothing ADD COLUMN colour TEXT"))
            )
        assert store.run("0123456789ab") == full_run()
        migrate(connection, (*MIGRATIONS, (colour,)))
        assert version_of(connection) == VERSION + 1
        assert connection.execute("SELECT run_id, colour FROM runs").fetchall() == [
            ("0123456789ab", "blue")
        ]


def _make_corrupt(path):
    content = bytearray(path.read_bytes())
    content[4096 : len(content)] = os.urandom(len(content) - 4096)
    path.write_bytes(content)


def _make_text(path):
    path.write_text("This is not a database, whatever its name says. " * 50)


def _make_foreign(path):
    path.unlink()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE bookmarks (url TEXT)")


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (_make_corrupt, "is damaged"),
        (_make_text, "is damaged"),
        (_make_foreign, "is a file of another program"),
    ],
)
def test_a_file_that_cannot_be_used_is_renamed_and_said(store, damage, words):
    store.add(
        [full_run(), *(kept_run_of(f"r{i}", kept_variant_of("bf-serial", 1.0)) for i in range(50))]
    )
    damage(store.path)
    before = store.path.read_bytes()
    remark = store.prepare()
    assert words in remark
    (aside,) = store.path.parent.glob("runs-set-aside-*.sqlite3")
    assert aside.name in remark
    assert aside.read_bytes() == before, "nothing of it is lost"
    assert store.summaries() == ()
    store.add([full_run()])
    assert store.prepare() == ""
    assert store.run("0123456789ab") == full_run()


def test_a_place_that_is_no_folder_is_refused_in_words(tmp_path):
    (tmp_path / "file").write_text("x")
    store = RunStore(tmp_path / "file" / "runs.sqlite3")
    with pytest.raises(StoreUnavailable) as caught:
        store.add([full_run()])
    assert str(store.path) in str(caught.value)
    assert caught.value.reason


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="permissions do not bind this user"
)
def test_a_read_only_folder_is_refused_in_words(store):
    store.path.parent.mkdir()
    store.path.parent.chmod(0o500)
    try:
        with pytest.raises(StoreUnavailable):
            store.add([full_run()])
    finally:
        store.path.parent.chmod(0o700)


def test_a_store_that_cannot_be_written_is_still_listed(store, monkeypatch):
    """As in the folder of somebody else: the kind of refusal that permissions give,
    which do not bind every user.
    """
    store.add([full_run()])

    def refuse(path, **_):
        raise StoreUnavailable(path, "it is read-only")

    monkeypatch.setattr(database, "connect", refuse)
    assert store.prepare() == ""
    assert [s.run.run_id for s in store.summaries()] == ["0123456789ab"]
    assert store.run("0123456789ab") == full_run()
    with pytest.raises(StoreUnavailable, match="it is read-only"):
        store.rename("0123456789ab", "new")


_WRITER = """
import sys
from pathlib import Path
from solvers.features.kept_runs.store.run_store import RunStore
from tests.solvers.features.kept_runs.store.kept import record
store = RunStore(Path(sys.argv[1]))
for _ in range(10):
    print(record(store)[0], flush=True)
"""


def start_writer(store):
    return subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(store.path)], stdout=subprocess.PIPE, text=True
    )


def test_two_programs_write_at_once(store):
    """From the very beginning: both create the file."""
    writers = [start_writer(store) for _ in range(2)]
    written = [writer.communicate(timeout=120)[0].split() for writer in writers]
    assert [
        (len(ids), writer.returncode) for ids, writer in zip(written, writers, strict=True)
    ] == [(10, 0)] * 2
    summaries = store.summaries()
    assert len(summaries) == 20
    assert all(s.run.complete and s.variants[0].status is Status.OK for s in summaries)
    assert all(len(store.run(s.run.run_id).variants[0].trials) == 6 for s in summaries)
    assert store.prepare() == ""


# -- a newer version
# -------------------------------------------------------------------------------------------------

FUTURE = (
    "ALTER TABLE runs ADD COLUMN weather TEXT NOT NULL DEFAULT 'fair'",
    "CREATE TABLE forecasts (run_id TEXT REFERENCES runs ON DELETE CASCADE, words TEXT)",
)


def make_newer(store):
    """What the next version would make of the file, with a table that this one does not know."""
    with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
        migrate(connection, (*MIGRATIONS, FUTURE))
        connection.execute("INSERT INTO forecasts SELECT run_id, 'rain' FROM runs")


def become_newer(monkeypatch):
    """Be the next version from now on."""
    monkeypatch.setattr(database, "VERSION", VERSION + 1)
    monkeypatch.setattr(
        database, "migrate", lambda connection: migrate(connection, (*MIGRATIONS, FUTURE))
    )


def ids(store):
    return [summary.run.run_id for summary in store.summaries()]


def test_a_store_of_a_newer_version_is_read_and_left_as_it_is(store):
    theirs = full_run()
    store.add([theirs, kept_run_of("deleted")])
    store.delete(["deleted"])
    make_newer(store)
    before = store.path.read_bytes()
    remark = store.prepare()
    assert "was written by a newer version of Tautpath" in remark
    assert f"runs-schema-{VERSION}.sqlite3" in remark
    assert ids(store) == [theirs.run_id]
    assert store.run(theirs.run_id) == theirs
    own = kept_run_of(
        "own", kept_variant_of("bf-serial", 1.0), started_utc="2026-11-22T10:00:00.000+00:00"
    )
    store.add([own])
    recorded, _ = record(store)
    assert store.prepare() == remark
    assert sorted(ids(store)) == sorted([recorded, "own", theirs.run_id])
    assert store.run("own") == own
    store.rename("own", "mine")
    assert store.run("own").name == "mine"
    for change in (
        lambda: store.rename(theirs.run_id, "x"),
        lambda: store.delete([theirs.run_id, "own"]),
        lambda: store.set_baseline(theirs.run_id),
    ):
        with pytest.raises(StoreUnavailable, match="its runs are only read"):
            change()
    assert store.holds("own")
    assert store.path.read_bytes() == before
    assert not list(store.path.parent.glob("*set-aside*"))


def test_the_newer_version_takes_over_what_older_ones_kept_beside_its_store(store, monkeypatch):
    store.add([full_run()])
    make_newer(store)
    store.prepare()
    own = [kept_run_of(i, kept_variant_of("bf-serial", 1.0)) for i in "ab"]
    under_way = kept_run_of(
        "c", started_utc=datetime.now(UTC).isoformat(timespec="milliseconds"), ended_utc=""
    )
    store.add([*own, under_way])
    store.rename("a", "mine")
    beside = store.own_path
    with monkeypatch.context() as patch:
        become_newer(patch)
        assert store.prepare() == ""
        assert store.own_path == store.path
        assert store.run("a").name == "mine"
        assert store.run("b") == own[1]
        assert sorted(ids(store)) == sorted([full_run().run_id, "a", "b"]), (
            "the one under way stays in its file"
        )
        store.delete(["b"])
        store.prepare()
        assert not store.holds("b"), "it is taken over once"
    with closing(sqlite3.connect(beside)) as connection:
        assert version_of(connection) == VERSION
        assert connection.execute("SELECT run_id FROM runs").fetchall() == [("c",)]
        assert connection.execute("SELECT count(*) FROM trials").fetchone() == (0,)
    assert store.holds("a"), "the older version finds its runs in the store of the newer one"
    assert store.holds("c")


def test_what_a_newer_version_writes_differently_is_left_out(store):
    store.add([kept_run_of(i, kept_variant_of("bf-serial", 1.0)) for i in "abc"])
    make_newer(store)
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute("UPDATE runs SET record = 'none' WHERE run_id = 'b'")
    change_record(store, "variants", lambda kept: kept.update(status="levitated"))
    assert ids(store) == ["a", "c"]
    assert store.run("a").variants == ()
    assert "variant 0 of run a is left out" in store.unreadable["variant 0 of run a"]
    with pytest.raises(StoreUnavailable, match="run b is left out, as it cannot be read"):
        store.run("b")
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute("ALTER TABLE variants RENAME TO choices")
    store.add([kept_run_of("own")])
    assert ids(store) == ["own"]


def test_an_older_program_records_while_a_newer_one_takes_over(store, monkeypatch):
    store.add([full_run()])
    make_newer(store)
    older = start_writer(store)
    become_newer(monkeypatch)
    while older.poll() is None:
        assert store.prepare() == ""
    recorded = older.communicate()[0].split()
    assert older.returncode == 0
    store.prepare()
    assert sorted(ids(store)) == sorted([full_run().run_id, *recorded])
    assert all(len(store.run(run_id).variants[0].trials) == 6 for run_id in recorded)


# -- who may read it
# -------------------------------------------------------------------------------------------------

has_modes = pytest.mark.skipif(
    os.name == "nt", reason="Windows has no modes; the user's folders are private there"
)


def modes_below(folder):
    return {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()}


@has_modes
def test_only_its_owner_reads_a_new_store(store):
    before = os.umask(0)
    try:
        with closing(database.connect(store.own_path)) as connection:
            connection.execute("UPDATE runs SET name = ''")
            store.add([full_run()])
            assert modes_below(store.path.parent) == dict.fromkeys(
                ("runs.sqlite3", "runs.sqlite3-wal", "runs.sqlite3-shm"), 0o600
            )
    finally:
        os.umask(before)
    assert stat.S_IMODE(store.path.parent.stat().st_mode) == 0o700


@has_modes
@pytest.mark.parametrize("is_default", [True, False])
def test_an_existing_store_is_made_private_at_the_next_start(store, monkeypatch, is_default):
    """A folder that the user names may hold other things, for others."""
    store.add([full_run()])
    folder = store.path.parent
    (folder / "runs-set-aside-1.sqlite3").write_text("x")
    (folder / "other.txt").write_text("x")
    for file in (*folder.iterdir(), folder):
        file.chmod(0o755)
    if is_default:
        monkeypatch.setattr(database, "users_folder", lambda: folder)
    with closing(sqlite3.connect(store.path)) as connection:
        connection.execute("SELECT 1 FROM runs").fetchall()  # log and index are there
        store.prepare()
        found = modes_below(folder)
    assert found.pop("other.txt") == 0o755
    assert len(found) == 4
    assert set(found.values()) == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == (0o700 if is_default else 0o755)


@has_modes
@pytest.mark.parametrize("newer", [False, True])
def test_where_nothing_can_be_written_runs_are_still_read(newer):
    """As somebody else, since permissions do not bind the superuser."""
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        store = RunStore(Path(place) / "data" / "runs.sqlite3")
        store.add([full_run()])
        if newer:
            make_newer(store)
        store.path.chmod(0o444)
        store.path.parent.chmod(0o555)
        is_root = os.geteuid() == 0
        if is_root:
            os.seteuid(65534)
        try:
            assert bool(store.prepare()) is newer
            assert store.run("0123456789ab") == full_run()
            assert ids(store) == ["0123456789ab"]
            with pytest.raises(StoreUnavailable):
                store.add([kept_run_of("a")])
        finally:
            if is_root:
                os.seteuid(0)
            store.path.parent.chmod(0o755)


# -- earlier times for estimates
# -------------------------------------------------------------------------------------

HERE = MachineFacts(machine.cpu_name(), 2, "Linux 6")


def test_a_recorded_run_makes_the_next_estimate_a_measured_one(store):
    run_id, _ = record(store, fake_variant("fake"))
    request = RunRequest(
        diamond(), 0, None, (Choice(fake_variant("fake")),), plan=MeasurementPlan(0, 50)
    )
    known = store.earlier_times({"fake"})
    graph = diamond()
    time = EarlierTime(
        "fake", {}, 5, 5, "", 10.0, source=10, graph_sha256=graph.sha256, run_id=run_id
    )
    assert known == (time,)
    found = estimate_run(request, known)
    assert (found.basis, found.seconds) == (EstimateBasis.MEASURED, pytest.approx(0.5))


def test_only_the_variants_asked_for_and_the_newest_first(store):
    heap = replace(kept_variant_of("dijkstra-heap", 4.0, 6.0), started_utc="2026-11-20")
    newer = replace(
        kept_variant_of("dijkstra-heap", 7.0), started_utc="2026-11-21", parameters={"arity": 4}
    )
    other = kept_variant_of("bf-serial", 1.0)
    store.add([kept_run_of("a", heap, other, machine=HERE), kept_run_of("b", newer, machine=HERE)])
    found = store.earlier_times(["dijkstra-heap"])
    assert [(entry.total_ms, entry.parameters) for entry in found] == [
        (7.0, {"arity": 4}),
        (5.0, {}),
    ]
    assert len(store.earlier_times(["dijkstra-heap", "bf-serial"])) == 3
    assert store.earlier_times([]) == ()


def test_other_machines_deleted_runs_and_runs_without_times_do_not_count(store):
    timed, untimed = kept_variant_of("bf-serial", 1.0), kept_variant_of("bf-serial")
    store.add(
        [
            kept_run_of("other", timed),
            *(kept_run_of(name, timed, machine=HERE) for name in ("kept", "gone")),
        ]
    )
    store.add([kept_run_of("empty", untimed, machine=HERE)])
    store.delete(["gone"])
    assert len(store.earlier_times(["bf-serial"])) == 1


def test_a_store_that_is_missing_or_no_store_says_nothing(store):
    assert store.earlier_times(["bf-serial"]) == ()
    store.path.parent.mkdir()
    store.path.write_text("no database\n" * 100)
    assert store.earlier_times(["bf-serial"]) == ()
    assert store.path.exists()


@pytest.mark.parametrize(
    ("path", "turns"), [("a/town.osm.pbf", "ignore"), ("town.csv", ""), ("", "")]
)
def test_runs_of_the_first_versions_were_read_without_turns(store, path, turns):
    """Their rows do not say it; of other files than extracts, none may be given."""
    plain = kept_run_of("a")
    store.add([replace(plain, graph=replace(plain.graph, source=GraphSource(path)))])
    change_record(store, "runs", lambda record: record["graph"]["source"]["reading"].pop("turns"))
    assert store.run("a").graph.source.reading.turns == turns


def change_record(store, table, change, run_id="a"):
    """Change the JSON text of the first row of a run."""
    with closing(sqlite3.connect(store.path)) as connection, connection:
        where = f"FROM {table} WHERE run_id = ?"
        (text,) = connection.execute(f"SELECT record {where}", (run_id,)).fetchone()
        record = json.loads(text)
        change(record)
        connection.execute(
            f"UPDATE {table} SET record = ? WHERE run_id = ?", (json.dumps(record), run_id)
        )


# -- former schemas, and damaged rows
# -------------------------------------------------------------------------------------------------

FORMER_ROWS = Path(__file__).with_name("rows_of_schema_6.sql")


@pytest.fixture
def former(store):
    """A store that the version with schema 6 has written: a run with every field, one of a
    matrix, one that was deleted, and one that was killed.
    """
    store.path.parent.mkdir()
    with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
        migrate(connection, MIGRATIONS[:6])
        connection.executescript(FORMER_ROWS.read_text("utf-8"))
    return store


def test_runs_of_the_former_schema_are_read_as_they_were(former):
    assert sorted(ids(former)) == ["0123456789ab", "killed", "unreached"]
    assert [one.run.run_id for one in former.summaries(deleted=True)] == ["deleted"]
    assert former.run("0123456789ab") == full_run()
    matrix = former.run("unreached")
    assert matrix.variants[0].target_distance == float("inf")
    assert (matrix.source_name, matrix.experiment) == ("Harbour", "bodra-2025-fig-2/small")
    killed = former.run("killed")
    assert not killed.complete
    assert killed.variants[0].status is None
    assert [trial.phases.solve for trial in killed.variants[0].trials] == [9.0, 2.0]
    assert former.unreadable == {}
    former.add([full_run()])
    assert former.run("0123456789ab") == full_run()
    with closing(sqlite3.connect(former.path)) as connection:
        assert version_of(connection) == VERSION


def test_a_former_store_that_cannot_be_written_is_read(former, monkeypatch):
    def refuse(path, **_):
        raise StoreUnavailable(path, "it is read-only")

    monkeypatch.setattr(database, "connect", refuse)
    assert former.run("0123456789ab") == full_run()
    with closing(sqlite3.connect(former.path)) as connection:
        assert version_of(connection) == 6


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE runs SET vertices = 'many' WHERE run_id = 'unreached'",
        "UPDATE runs SET reading = '{' WHERE run_id = 'unreached'",
        "UPDATE runs SET graph_sha256 = 'short' WHERE run_id = 'unreached'",
        "UPDATE runs SET weight_type = 'int7' WHERE run_id = 'unreached'",
    ],
)
def test_a_malformed_field_of_a_former_store_costs_its_run_only(former, damage):
    with closing(sqlite3.connect(former.path)) as connection, connection:
        connection.execute(damage)
    assert sorted(ids(former)) == ["0123456789ab", "killed"]
    (sentence,) = former.unreadable.values()
    assert sentence.startswith("run unreached is left out, as it cannot be read: ")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda run: run.update(source="ten"), "source: Expected int | null, got str"),
        (lambda run: run.update(source=10**30), "source: Expected int <= 9223372036854775807"),
        (lambda run: run["graph"].update(arcs=-1), "graph.arcs: Expected int >= 0"),
        (lambda run: run["graph"].update(sha256="abc"), "graph.sha256: Expected str matching"),
        (lambda run: run["graph"].update(weight_type="int7"), "not int7"),
        (lambda run: run["graph"]["source"].update(roads={"roads": [1]}), "each road has"),
        (lambda run: run.pop("graph"), "'graph'"),
        (lambda run: run["machine"].update(cores="2"), "machine.cores: Expected int"),
    ],
)
def test_each_field_of_a_run_is_checked_when_it_is_read(store, change, words):
    store.add([kept_run_of(name, kept_variant_of("bf-serial", 1.0)) for name in "ab"])
    change_record(store, "runs", change)
    assert ids(store) == ["b"]
    assert words in store.unreadable["run a"]
    with pytest.raises(StoreUnavailable, match="run a is left out, as it cannot be read"):
        store.run("a")
    assert len(store.earlier_times(["bf-serial"], "Test processor")) == 1


@pytest.mark.parametrize(
    ("table", "change", "left"),
    [
        ("variants", lambda kept: kept.update(algorithm="Guessing"), (1, 0)),
        ("variants", lambda kept: kept.update(path=[2**63]), (1, 0)),
        ("variants", lambda kept: kept.update(status="levitated"), (1, 0)),
        ("trials", lambda trial: trial["phases"].update(solve=-1.0), (2, 1)),
        ("trials", lambda trial: trial.update(relaxations=10**30), (2, 1)),
    ],
)
def test_a_variant_or_trial_that_cannot_be_read_is_left_out_and_told(store, table, change, left):
    store.add([kept_run_of("a", kept_variant_of("dijkstra-heap", 1.0), kept_variant_of("auto"))])
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute("DELETE FROM trials WHERE position = 0 AND trial = 1")
        connection.execute("DELETE FROM trials WHERE position = 1")
        connection.execute("DELETE FROM variants WHERE position = 1")
    change_record(store, table, change)
    run = store.run("a")
    assert len(run.variants) == left[0] - 1
    assert sum(len(one.trials) for one in run.variants) == 0
    assert len(store.unreadable) == 1
    assert "of run a is left out, as it cannot be read: " in next(iter(store.unreadable.values()))


@pytest.mark.parametrize("column", ["status = 'levitated'", "verified = x'ff'", "record = x'00'"])
def test_the_list_survives_a_damaged_variant(store, column):
    store.add([kept_run_of(name, kept_variant_of("bf-serial", 1.0)) for name in "ab"])
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute(f"UPDATE variants SET {column} WHERE run_id = 'a'")
    assert ids(store) == ["a", "b"]
    store.run("a")


def test_a_full_disk_is_said_and_changes_nothing(former, monkeypatch):
    connect = sqlite3.connect

    def nearly_full(*place, **options):
        connection = connect(*place, **options)
        connection.execute("PRAGMA max_page_count = 20")
        return connection

    before = ids_in(former)
    with monkeypatch.context() as patch:
        patch.setattr(database.sqlite3, "connect", nearly_full)
        with pytest.raises(StoreUnavailable, match="the disk is full"):
            former.add([kept_run_of("b", kept_variant_of("bf-serial", *range(1, 5000)))])
    assert ids_in(former) == before


def ids_in(store):
    with closing(sqlite3.connect(store.path)) as connection:
        return connection.execute("SELECT run_id FROM runs ORDER BY run_id").fetchall()


def test_what_sqlite_rolled_back_by_itself_hides_no_reason(store):
    """As it does on some full disks: "cannot rollback" was said then."""
    store.path.parent.mkdir()
    with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
        with pytest.raises(sqlite3.OperationalError, match="syntax error"):
            migrate(connection, (("CREATE TABLE runs (run_id)", "ROLLBACK", "no SQL"),))
        assert version_of(connection) == 0
