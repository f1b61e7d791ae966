"""One tool's run: what the checked process prints, and a tool that fails or takes too long."""

from __future__ import annotations

import os
import stat

import pytest

from solvers.core.variant import find_variant
from tests.sanitize import __main__ as program
from tests.sanitize.log import WRONG
from tests.sanitize.work import check, small_graphs


@pytest.fixture
def tool(tmp_path):
    """A program in compute-sanitizer's place that runs a few lines of shell."""

    def make(script):
        path = tmp_path / "sanitizer"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    return make


@pytest.mark.skipif(os.name == "nt", reason="the tool is a shell script here")
def test_a_tool_that_finds_nothing_is_clean(tool):
    script = "echo '## variant bf-edge'; echo '## end'; echo '========= ERROR SUMMARY: 0 errors'"
    assert program.run_tool(tool(script), "memcheck", "int32", [], 60).clean


@pytest.mark.skipif(os.name == "nt", reason="the tool is a shell script here")
def test_a_tool_past_its_time_limit_keeps_what_it_found(tool):
    report = program.run_tool(tool("echo '## variant bf-edge'; exec sleep 60"), "memcheck", "int32", [], 0.5)
    assert not report.clean
    assert report.errors == {"bf-edge": []}
    assert report.rest[-1].endswith("the time limit")


@pytest.mark.skipif(os.name == "nt", reason="the tool is a shell script here")
def test_the_process_that_is_checked_ends_in_words_without_a_gpu(tool):
    report = program.run_tool(tool("echo 'no GPU'; exit 7"), "memcheck", "int32", [], 60)
    assert report.rest == ["no GPU", "ended with status 7 before the last variant"]


@pytest.mark.skipif(os.name == "nt", reason="the tool is a shell script here")
def test_without_compute_sanitizer_the_status_is_3(monkeypatch, capsys):
    monkeypatch.setattr(program.sys, "argv", ["sanitize", "--sanitizer", "no-such-program"])
    assert program.main() == 3
    assert "CUDA toolkit" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="the tool is a shell script here")
@pytest.mark.parametrize("name", ["sssp-near-far", "fw-tiled-shared"])
def test_right_answers_print_nothing(name, device, capsys):
    for graph in small_graphs(["int32"]):
        check(find_variant(name), graph, device)
    assert capsys.readouterr().out == ""


@pytest.mark.skipif(os.name == "nt", reason="the tool is a shell script here")
def test_a_wrong_answer_is_printed(device, capsys, monkeypatch):
    monkeypatch.setattr("tests.sanitize.work.verify_sssp", lambda *_: type("V", (), {"verified": False, "text": "no"}))
    check(find_variant("sssp-near-far"), next(small_graphs(["int32"])), device)
    assert capsys.readouterr().out.startswith(WRONG)
