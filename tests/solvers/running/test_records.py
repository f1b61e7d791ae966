"""CSV files: every trial as it was, aggregates apart, and the same fingerprint for the
same answer.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from solvers.core.problem import Phases
from solvers.core.result import Disturbance, DisturbanceKind, Status
from solvers.core.variant import Answers, Citation, RunsOn
from solvers.errors import FileNotWritten, OutOfMemory
from solvers.parameters import Parameter
from solvers.running import records
from solvers.running.records import write_all, write_iterations, write_summary, write_trials
from solvers.running.request import Choice, MeasurementPlan, RunRequest
from solvers.running.run import run
from solvers.system.cancel import CancelToken
from solvers.system.files import sweep_once
from tests.solvers.fakes import FakeDevice, diamond, fake_variant, solve_apsp, solve_sssp

TRIALS_HEADER = (
    "schema_version,run_id,timestamp_utc,app_version,experiment,paper,variant,algorithm,"
    "runs_on,device,driver,parameters,graph,graph_sha256,vertices,arcs,weight_type,"
    "source,target,trial,is_warmup,prepare_ms,h2d_ms,solve_ms,d2h_ms,total_ms,"
    "iterations,relaxations,peak_device_bytes,status,error,verified,wrong_vertices,"
    "target_distance,distances_sha256,disturbed,load,graph_upload_ms,host,distance_unit,chosen"
)


def results_of(*variants, target=3, trials=5, **options):
    choices, plan = tuple(Choice(v) for v in variants), MeasurementPlan(1, trials)
    request = RunRequest(diamond(), 0, target, choices, FakeDevice(), plan, **options)
    return list(run(request))


def timed(id, *solve_ms):
    """A variant whose trials take the given times, warm-up first."""
    times = iter(solve_ms)
    return fake_variant(
        id, lambda p: replace(solve_sssp(p), phases=Phases(prepare=1.0, solve=next(times)))
    )


def rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def trial_rows(folder, results, **options):
    write_trials(results, folder / "trials.csv", **options)
    return rows(folder / "trials.csv")


def test_trials_have_the_columns_that_were_promised(tmp_path):
    (row, *_) = trial_rows(tmp_path, results_of(fake_variant()))
    assert ",".join(row) == TRIALS_HEADER
    assert row["device"], "the processor is the device of variants without one"


def test_one_row_a_trial_warm_ups_included(tmp_path):
    variant = fake_variant(
        "bf",
        papers=(Citation("Bodra 2025", "Section “3”, flags"), Citation("Song 2024")),
        parameters=(Parameter("block", 256, "Threads."),),
        runs_on=RunsOn.GPU,
    )
    table = trial_rows(tmp_path, results_of(variant, trials=2), experiment="exp-1")
    assert [(r["trial"], r["is_warmup"]) for r in table] == [
        ("0", "true"),
        ("1", "false"),
        ("2", "false"),
    ]
    row = table[1]
    assert row["paper"] == "Bodra 2025, Section “3”, flags; Song 2024"
    assert (row["device"], row["driver"], row["runs_on"]) == ("Fake Nine", "driver 1.2", "gpu")
    assert json.loads(row["parameters"]) == {"block": 256}
    assert (row["source"], row["target"]) == ("10", "40")  # the file's ids, not ours
    assert [row[f"{p}_ms"] for p in ("prepare", "h2d", "solve", "d2h", "total")] == [
        "1.0",
        "2.0",
        "3.0",
        "4.0",
        "10.0",
    ]
    assert (row["status"], row["error"], row["verified"], row["wrong_vertices"]) == (
        "ok",
        "",
        "yes",
        "0",
    )
    assert (row["target_distance"], row["experiment"], row["vertices"], row["arcs"]) == (
        "5",
        "exp-1",
        "5",
        "5",
    )
    assert row["relaxations"] == ""
    assert len(row["graph_sha256"]) == len(row["distances_sha256"]) == 64
    assert all(None not in r and None not in r.values() for r in table)


def test_relaxations_are_the_trials_own_or_else_those_of_the_watched_run(tmp_path):
    counting = fake_variant("counting", lambda p: replace(solve_sssp(p), relaxations=7))
    table = trial_rows(tmp_path, results_of(counting, fake_variant(), trace=True, trials=1))
    assert [r["relaxations"] for r in table] == ["7", "7", "10", "10"]


def test_a_failed_trial_has_its_row_but_no_times(tmp_path):
    times = iter([5.0, 5.0])

    def solve(problem):
        try:
            return replace(solve_sssp(problem), phases=Phases(solve=next(times)))
        except StopIteration:
            raise OutOfMemory("the matrix", 10, 5) from None

    table = trial_rows(tmp_path, results_of(fake_variant(solve=solve)))
    assert [r["status"] for r in table] == ["ok", "ok", "out_of_memory"]
    assert table[2]["total_ms"] == ""
    assert "the matrix needs 10 B" in table[2]["error"]
    assert {r["verified"] for r in table} == {"not_run"}


def test_a_variant_that_never_ran_is_on_record(tmp_path):
    (row,) = trial_rows(tmp_path, results_of(fake_variant(runs_on=RunsOn.GPU, cuda_only=True)))
    assert (row["trial"], row["status"]) == ("", "not_applicable")
    assert "needs an NVIDIA GPU" in row["error"]


@pytest.mark.parametrize(("shift", "target", "cell"), [(0, 4, "inf"), (-9, 3, "-4")])
def test_distances_of_targets_are_numbers_also_below_zero_and_inf(tmp_path, shift, target, cell):
    (result,) = results_of(fake_variant(), target=target)
    shifted = replace(result, distances=result.distances + shift) if shift else result
    assert trial_rows(tmp_path, [shifted])[0]["target_distance"] == cell


def test_summary_is_of_timed_trials_only(tmp_path):
    results = results_of(
        timed("slow", 999, 4, 1, 3, 2), timed("fast", 999, 0.5, 0.5, 1.5, 1.5), trials=4
    )
    write_summary(results, tmp_path / "summary.csv", "slow")
    slow, slow_total, fast, fast_total = rows(tmp_path / "summary.csv")
    assert (slow["phase"], slow_total["phase"], slow["n"]) == ("solve", "total", "4")
    numbers = [float(slow[f"{name}_ms"]) for name in ("median", "mean", "min", "p25", "p75", "max")]
    assert numbers == [2.5, 2.5, 1, 1.75, 3.25, 4]  # quartiles by linear interpolation
    assert float(slow["sd_ms"]) == pytest.approx(1.2909944)  # of a sample: n - 1
    assert float(slow["ratio_to_baseline"]) == 1
    assert float(fast["ratio_to_baseline"]) == pytest.approx(0.4)
    assert float(fast_total["ratio_to_baseline"]) == pytest.approx(2.0 / 3.5)
    assert {r["baseline"] for r in (slow, fast)} == {"slow"}


def test_summary_of_one_trial_has_no_deviation_and_of_none_no_numbers(tmp_path):
    results = results_of(
        timed("once", 1, 1), fake_variant("cannot", runs_on=RunsOn.GPU, cuda_only=True), trials=1
    )
    write_summary(results, tmp_path / "summary.csv", "absent")
    once, _, cannot, _ = rows(tmp_path / "summary.csv")
    assert (once["n"], once["median_ms"], once["sd_ms"], once["ratio_to_baseline"]) == (
        "1",
        "1.0",
        "",
        "",
    )
    assert (cannot["n"], cannot["median_ms"], cannot["status"]) == ("0", "", "not_applicable")


def test_the_interval_of_the_median_is_in_the_summary_and_disturbances_are_in_both_tables(tmp_path):
    times = map(float, (900, 10, 11, 12, 13, 14, 15, 16, 17, 18))  # the first is the warm-up
    (result,) = results_of(timed("noisy", *times), trials=9)
    load = Disturbance(DisturbanceKind.LOAD, "Others were busy.")
    spread = Disturbance(DisturbanceKind.SPREAD, "They spread.")
    disturbed = replace(result, cold_ms=912.25, disturbances=(load, spread, load), load=1.23456)
    write_all([disturbed], tmp_path)
    solve, total = rows(tmp_path / "summary.csv")
    assert (solve["median_ms"], solve["ci_low_ms"], solve["ci_high_ms"]) == ("14.0", "11.0", "17.0")
    assert (total["ci_low_ms"], total["ci_high_ms"], total["cold_ms"]) == ("12.0", "18.0", "912.25")
    for row in (solve, total, *rows(tmp_path / "trials.csv")):
        assert (row["disturbed"], row["load"], row["schema_version"]) == (
            "load; spread",
            "1.235",
            "5",
        )


def test_what_is_not_known_is_empty(tmp_path):
    (result,) = results_of(fake_variant(), trials=5)
    write_all([replace(result, cold_ms=None, disturbances=(), load=None)], tmp_path)
    for row in rows(tmp_path / "summary.csv"):
        assert [
            row[name] for name in ("ci_low_ms", "ci_high_ms", "cold_ms", "disturbed", "load")
        ] == [""] * 5


def test_a_skipped_variant_keeps_its_trials_and_its_status(tmp_path):
    token = CancelToken()
    variant = fake_variant(solve=lambda p: token.skip() or solve_sssp(p))
    request = RunRequest(diamond(), 0, 3, (Choice(variant), Choice(fake_variant("after"))))
    write_all(list(run(request, cancel=token)), tmp_path)
    assert [row["status"] for row in rows(tmp_path / "summary.csv")] == ["skipped"] * 2 + ["ok"] * 2
    assert rows(tmp_path / "trials.csv")[0]["status"] == "skipped"


def test_iterations_are_those_of_the_watched_run(tmp_path):
    (result,) = results_of(fake_variant(), trace=True)
    write_iterations([result], tmp_path / "iterations.csv")
    table = rows(tmp_path / "iterations.csv")
    assert [r["iteration"] for r in table] == [str(k + 1) for k in range(result.iterations)]
    assert {(r["variant"], r["relaxed"], r["ms"]) for r in table} == {("fake", "5", "0.25")}
    assert [r["active"] for r in table] == ["3", "0"]


def test_all_files_are_written_into_a_folder_made_for_them(tmp_path):
    folder = tmp_path / "new" / "folder"
    assert [path.name for path in write_all(results_of(fake_variant()), folder)] == [
        "trials.csv",
        "summary.csv",
    ]
    watched = write_all(results_of(fake_variant(), trace=True), folder / "watched")
    assert sorted(path.name for path in watched) == ["iterations.csv", "summary.csv", "trials.csv"]
    assert sorted(folder.joinpath("watched").iterdir()) == sorted(watched)


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FileNotWritten):
        write_all([], tmp_path / "file" / "folder")


@pytest.mark.parametrize("answers", list(Answers))
def test_equal_answers_have_equal_fingerprints_in_any_type_and_a_cancelled_series_has_none(answers):
    variant = fake_variant(
        solve=solve_apsp if answers is Answers.APSP else solve_sssp, answers=answers
    )
    results = [
        result
        for dtype in (np.int32, np.int64, np.float32, np.float64)
        for result in run(RunRequest(diamond(dtype), 0, 3, (Choice(variant),)))
    ]
    assert len({result.fingerprint for result in results} - {""}) == 1
    assert replace(results[0], status=Status.CANCELLED).fingerprint == ""


def test_iterations_are_timed_to_the_nanosecond_without_the_noise_of_binary_fractions(tmp_path):
    (result,) = results_of(fake_variant(), trace=True)
    noisy = replace(result, trace=replace(result.trace, ms=np.full(len(result.trace), 0.1 + 0.2)))
    write_iterations([noisy], tmp_path / "iterations.csv")
    assert {r["ms"] for r in rows(tmp_path / "iterations.csv")} == {"0.3"}


def named(name):
    result = results_of(fake_variant(), trials=1)[0]
    return replace(result, graph=replace(result.graph, name=name))


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1"])
def test_a_text_that_a_spreadsheet_would_run_is_quoted(tmp_path, name):
    assert trial_rows(tmp_path, [named(name)])[0]["graph"] == f"'{name}"
    assert trial_rows(tmp_path, [named(name)], plain=True)[0]["graph"] == name


def test_tables_that_are_there_are_kept_and_the_next_have_a_number(tmp_path):
    (first, _), (second, _) = (write_all([named(name)], tmp_path) for name in "ab")
    watched = write_all(results_of(fake_variant(), trace=True), tmp_path)
    assert (first.name, second.name) == ("trials.csv", "trials-2.csv")
    assert [path.name for path in watched] == ["trials-3.csv", "summary-3.csv", "iterations-3.csv"]
    assert rows(first)[0]["graph"] == "a"
    assert rows(second)[0]["graph"] == "b"


def test_programs_that_write_at_once_into_one_folder_lose_nothing(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        written = list(pool.map(lambda k: write_all([named(f"graph {k}")], tmp_path), range(24)))
    assert len({path for paths in written for path in paths}) == 48
    assert {rows(trials)[0]["graph"] for trials, _ in written} == {f"graph {k}" for k in range(24)}


def test_a_program_killed_while_it_writes_leaves_no_empty_table(tmp_path):
    script = """
        import os, signal, sys
        from pathlib import Path
        from solvers.system.files import write_new_files

        def write_half(path):
            path.write_text("half")
            os.kill(os.getpid(), signal.SIGKILL if os.name != "nt" else signal.SIGTERM)

        def write_all(path):
            path.write_text("all")

        write_new_files(sys.argv[1], {"trials.csv": write_all, "summary.csv": write_half})
    """
    command = [sys.executable, "-c", textwrap.dedent(script), str(tmp_path)]
    assert subprocess.run(command, check=False, timeout=60).returncode != 0
    assert list(tmp_path.glob("*.csv")) == list(tmp_path.glob(".tautpath-*"))
    sweep_once.cache_clear()
    write_all([named("a")], tmp_path)
    assert sorted(os.listdir(tmp_path)) == ["summary.csv", "trials.csv"]


def test_a_table_that_fails_keeps_those_before_it(tmp_path, monkeypatch):
    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(records, "write_summary", fail)
    with pytest.raises(FileNotWritten, match="the disk is full"):
        write_all([named("a")], tmp_path)
    assert os.listdir(tmp_path) == ["trials.csv"]
    assert len(rows(tmp_path / "trials.csv")) > 0


def test_tables_are_numbered_where_the_file_system_has_no_links(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    write_all([named("a")], tmp_path)
    (tmp_path / "summary-2.csv").touch()
    third = write_all([named("b")], tmp_path)
    assert [path.name for path in third] == ["trials-3.csv", "summary-3.csv"]
    assert rows(third[0])[0]["graph"] == "b"
    assert sorted(os.listdir(tmp_path)) == [
        "summary-2.csv",
        "summary-3.csv",
        "summary.csv",
        "trials-3.csv",
        "trials.csv",
    ]


def test_a_warm_graph_is_told_and_not_compared_with_an_upload_in_every_trial(tmp_path):
    first, second = results_of(timed("cold", *[6.0] * 6), timed("warm", *[3.0] * 6))
    cold = replace(first, device_name="A device", peak_device_bytes=8)
    warm = replace(second, device_name="A device", peak_device_bytes=8, graph_upload_ms=2.5)
    write_all([cold, warm], tmp_path)
    assert {row["graph_upload_ms"] for row in rows(tmp_path / "trials.csv")} == {"", "2.5"}
    summary = {(row["variant"], row["phase"]): row for row in rows(tmp_path / "summary.csv")}
    assert summary["warm", "solve"]["ratio_to_baseline"] == "0.5"
    assert summary["warm", "total"]["ratio_to_baseline"] == ""
    assert summary["warm", "total"]["graph_upload_ms"] == "2.5"
