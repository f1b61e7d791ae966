"""What compute-sanitizer prints is divided among the variants, and nothing that it finds is lost."""

from __future__ import annotations

from tests.sanitize.__main__ import details, table
from tests.sanitize.log import END, WRONG, marker, parse
from tests.sanitize.work import checked_variants

HEAD = "========= COMPUTE-SANITIZER"
RECORD = [
    "========= Invalid __global__ write of size 4 bytes",
    "=========     at relax+0x70 in edge.cu:12",
    "=========     by thread (0,0,0) in block (0,0,0)",
    "=========     Saved host backtrace up to driver entry point at kernel launch time",
    "========= ",
]
RACE = ["========= Error: Race reported between Write access at relax+0x70", "=========     and Read access at relax"]


def test_records_belong_to_the_variant_that_ran():
    report = parse([HEAD, marker("a"), marker("b"), *RECORD, *RECORD, END, "========= ERROR SUMMARY: 2 errors"])
    assert report.errors == {"a": [], "b": ["Invalid __global__ write of size 4 bytes"] * 2}
    assert (report.total, report.complete, report.clean) == (2, True, False)


def test_a_run_without_records_is_clean():
    assert parse([HEAD, marker("a"), END, "========= ERROR SUMMARY: 0 errors"]).clean


def test_races_are_counted_by_their_own_summary():
    summary = "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)"
    report = parse([HEAD, marker("a"), *RACE, END, summary])
    assert (len(report.errors["a"]), report.total, report.clean) == (1, 1, False)


def test_a_wrong_answer_is_an_error_though_the_tool_finds_none():
    report = parse([HEAD, marker("a"), f"{WRONG}grid (int32): 1 of 25", END, "========= ERROR SUMMARY: 0 errors"])
    assert not report.clean


def test_a_run_that_does_not_reach_its_end_is_not_clean_and_says_why():
    report = parse([HEAD, "ModuleNotFoundError: No module named 'cupy'", "========= ERROR SUMMARY: 0 errors"])
    assert not report.clean
    assert "memcheck: ModuleNotFoundError: No module named 'cupy'" in details({"memcheck": report})
    assert table(["a"], {"memcheck": report})[2] == "| a | not run |"


def test_the_table_has_a_row_for_every_variant_and_a_column_for_every_tool():
    found = parse([marker("a"), *RECORD, marker("b"), END, "========= ERROR SUMMARY: 1 error"])
    rows = table(["a", "b"], {"memcheck": found, "initcheck": found})
    assert rows[0] == "| variant | memcheck | initcheck |"
    assert rows[2:] == ["| a | 1 | 1 |", "| b | 0 | 0 |", "| all, by the tool's own count | 1 | 1 |"]


def test_racy_variants_are_left_out():
    ids = {entry.id for entry in checked_variants()}
    assert "sssp-near-far" in ids
    assert not ids & {"da2cf-f-gpu-racy", "harish-narayanan-racy"}
    assert all(not entry.racy for entry in checked_variants())
