"""The log of the sanitizer is read, and a run of it is judged by that."""

from __future__ import annotations

import os
import stat

import pytest

from solvers.core.variant import find_variant
from tests.sanitize import __main__ as program
from tests.sanitize.__main__ import details, table
from tests.sanitize.log import END, WRONG, marker, parse
from tests.sanitize.work import check, checked_variants, small_graphs

HEAD = "========= COMPUTE-SANITIZER"
RECORD = [
    "========= Invalid __global__ write of size 4 bytes",
    "=========     at relax+0x70 in edge.cu:12",
    "=========     by thread (0,0,0) in block (0,0,0)",
    "=========     Saved host backtrace up to driver entry point at kernel launch time",
    "========= ",
]
RACE = [
    "========= Error: Race reported between Write access at relax+0x70",
    "=========     and Read access at relax",
]


def test_records_belong_to_the_variant_that_ran():
    report = parse(
        [HEAD, marker("a"), marker("b"), *RECORD, *RECORD, END, "========= ERROR SUMMARY: 2 errors"]
    )
    assert report.errors == {"a": [], "b": ["Invalid __global__ write of size 4 bytes"] * 2}
    assert (report.total, report.complete, report.clean) == (2, True, False)


@pytest.mark.parametrize(
    ("lines", "summary", "errors", "total"),
    [
        ([], "ERROR SUMMARY: 0 errors", 0, 0),
        (RACE, "RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)", 1, 1),
        ([f"{WRONG}grid (int32): 1 of 25"], "ERROR SUMMARY: 0 errors", 1, 0),
    ],
    ids=["nothing", "a race", "a wrong answer, though the tool finds no error"],
)
def test_a_run_without_records_is_clean(lines, summary, errors, total):
    report = parse([HEAD, marker("a"), *lines, END, f"========= {summary}"])
    assert (len(report.errors["a"]), report.total, report.clean) == (errors, total, errors == 0)


def test_a_run_that_does_not_reach_its_end_is_not_clean_and_says_why():
    report = parse(
        [HEAD, "ModuleNotFoundError: No module named 'cupy'", "========= ERROR SUMMARY: 0 errors"]
    )
    assert not report.clean
    assert "memcheck: ModuleNotFoundError: No module named 'cupy'" in details({"memcheck": report})
    assert table(["a"], {"memcheck": report})[2] == "| a | not run |"


def test_the_table_has_a_row_for_every_variant_and_a_column_for_every_tool():
    found = parse([marker("a"), *RECORD, marker("b"), END, "========= ERROR SUMMARY: 1 error"])
    rows = table(["a", "b"], {"memcheck": found, "initcheck": found})
    assert rows[0] == "| variant | memcheck | initcheck |"
    assert rows[2:] == [
        "| a | 1 | 1 |",
        "| b | 0 | 0 |",
        "| all, by the tool's own count | 1 | 1 |",
    ]


def test_racy_variants_are_left_out():
    ids = {entry.id for entry in checked_variants()}
    assert "sssp-near-far" in ids
    assert not ids & {"da2cf-f-gpu-racy", "harish-narayanan-racy"}
    assert all(not entry.racy for entry in checked_variants())


@pytest.fixture
def tool(tmp_path):
    """A program in compute-sanitizer's place that runs a few lines of shell."""
    if os.name == "nt":
        pytest.skip("the tool is a shell script here")

    def make(script):
        path = tmp_path / "sanitizer"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    return make


def test_a_tool_that_finds_nothing_is_clean(tool):
    script = "echo '## variant bf-edge'; echo '## end'; echo '========= ERROR SUMMARY: 0 errors'"
    assert program.run_tool(tool(script), "memcheck", "int32", [], 60).clean


def test_a_tool_past_its_time_limit_keeps_what_it_found(tool):
    report = program.run_tool(
        tool("echo '## variant bf-edge'; exec sleep 60"), "memcheck", "int32", [], 0.5
    )
    assert not report.clean
    assert report.errors == {"bf-edge": []}
    assert report.rest[-1].endswith("the time limit")


def test_the_process_that_is_checked_ends_in_words_without_a_gpu(tool):
    report = program.run_tool(tool("echo 'no GPU'; exit 7"), "memcheck", "int32", [], 60)
    assert report.rest == ["no GPU", "ended with status 7 before the last variant"]


def test_without_compute_sanitizer_the_status_is_3(monkeypatch, capsys):
    monkeypatch.setattr(program.sys, "argv", ["sanitize", "--sanitizer", "no-such-program"])
    assert program.main() == 3
    assert "CUDA toolkit" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["sssp-near-far", "fw-tiled-shared"])
def test_right_answers_print_nothing(name, device, capsys):
    for graph in small_graphs(["int32"]):
        check(find_variant(name), graph, device)
    assert capsys.readouterr().out == ""


def test_a_wrong_answer_is_printed(device, capsys, monkeypatch):
    monkeypatch.setattr(
        "tests.sanitize.work.verify_sssp",
        lambda *_: type("V", (), {"verified": False, "text": "no"}),
    )
    check(find_variant("sssp-near-far"), next(small_graphs(["int32"])), device)
    assert capsys.readouterr().out.startswith(WRONG)
