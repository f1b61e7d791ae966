"""Estimates draw on kept runs of this machine."""

from __future__ import annotations

from dataclasses import replace

import pytest

from solvers.running.estimate import EarlierTime, EstimateBasis, estimate_run
from solvers.running.request import Choice, MeasurementPlan, RunRequest
from solvers.running.store.kept_run import MachineFacts
from solvers.running.store.run_store import RunStore, earlier_times
from solvers.system import machine
from tests.solvers.fakes import diamond, fake_variant
from tests.solvers.running.store.kept import kept_run_of, kept_variant_of, record

HERE = MachineFacts(machine.cpu_name(), 2, "Linux 6")


@pytest.fixture
def store(tmp_path):
    return RunStore(tmp_path / "runs.sqlite3")


def test_a_recorded_run_makes_the_next_estimate_a_measured_one(store):
    record(store, fake_variant("fake"))
    request = RunRequest(diamond(), 0, None, (Choice(fake_variant("fake")),), plan=MeasurementPlan(0, 50))
    known = earlier_times(store, {"fake"})
    assert known == (EarlierTime("fake", {}, 5, 5, "", 10.0),)
    found = estimate_run(request, known)
    assert (found.basis, found.seconds) == (EstimateBasis.MEASURED, pytest.approx(0.5))


def test_only_the_variants_asked_for_and_the_newest_first(store):
    heap = replace(kept_variant_of("dijkstra-heap", 4.0, 6.0), started_utc="2026-11-20")
    newer = replace(kept_variant_of("dijkstra-heap", 7.0), started_utc="2026-11-21", parameters={"arity": 4})
    other = kept_variant_of("bf-serial", 1.0)
    store.add([kept_run_of("a", heap, other, machine=HERE), kept_run_of("b", newer, machine=HERE)])
    found = earlier_times(store, ["dijkstra-heap"])
    assert [(entry.total_ms, entry.parameters) for entry in found] == [(7.0, {"arity": 4}), (5.0, {})]
    assert len(earlier_times(store, ["dijkstra-heap", "bf-serial"])) == 3
    assert earlier_times(store, []) == ()


def test_other_machines_deleted_runs_and_runs_without_times_do_not_count(store):
    timed, untimed = kept_variant_of("bf-serial", 1.0), kept_variant_of("bf-serial")
    store.add([kept_run_of("other", timed), *(kept_run_of(name, timed, machine=HERE) for name in ("kept", "gone"))])
    store.add([kept_run_of("empty", untimed, machine=HERE)])
    store.delete(["gone"])
    assert len(earlier_times(store, ["bf-serial"])) == 1


def test_a_store_that_is_missing_or_no_store_says_nothing(store):
    assert earlier_times(store, ["bf-serial"]) == ()
    store.path.write_text("no database\n" * 100)
    assert earlier_times(store, ["bf-serial"]) == ()
    assert store.path.exists()
