"""The command line: what it prints, what it writes, how it ends."""

from __future__ import annotations

import csv
import json
import logging
import os
import shlex
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from solvers import cli
from solvers.core import variant
from solvers.core.variant import find_variant
from tests.solvers.fakes import solve_sssp
from tests.solvers.made_up_variants import solve

pytestmark = pytest.mark.usefixtures("made_up_catalogue")

ROOT = Path(__file__).resolve().parents[2]


# -- what it tells of its work
# ---------------------------------------------------------------------------------------


def test_verbose_tells_what_was_decided_and_quiet_does_not(tautpath, diamond_file):
    quiet = tautpath(*solve(diamond_file, "--variants", "by-choice"))
    assert quiet[2] == ""
    status, out, err = tautpath("-v", *solve(diamond_file, "--variants", "by-choice"))
    assert status == 0
    assert (
        "tautpath: INFO solvers.running.run: by-choice: good was chosen: the test says so."
        in err.splitlines()
    )
    assert "DEBUG" not in err
    assert out.splitlines()[0] == quiet[1].splitlines()[0]
    assert "INFO" not in out


@pytest.mark.parametrize("given", [("-vv", ()), ("-v", ("-v",)), ("--verbose", ("--verbose",))])
def test_verbose_twice_tells_each_step(tautpath, diamond_file, given):
    before, after = given
    _, _, err = tautpath(before, *solve(diamond_file, "--variants", "broken", *after))
    assert "tautpath: DEBUG solvers.running.run: broken ended" in err
    assert "tautpath: ZeroDivisionError: division by zero" in err.splitlines()


@pytest.mark.parametrize("given", [("-q", ()), (None, ("--quiet",))])
def test_quiet_shows_no_progress_at_a_terminal(tautpath, diamond_file, monkeypatch, given):
    before, after = given
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    arguments = solve(diamond_file, "--variants", "good")
    assert "%]" in tautpath(*arguments)[2]
    status, out, err = tautpath(*filter(None, (before,)), *arguments, *after)
    assert (status, err) == (0, "")
    assert "good" in out


def test_after_a_command_nothing_listens_to_the_log(tautpath, diamond_file):
    tautpath("-vv", "info", diamond_file)
    assert logging.getLogger("solvers").level == logging.NOTSET
    assert [type(handler) for handler in logging.getLogger("solvers").handlers] == [
        logging.NullHandler
    ]


def test_nothing_is_printed_while_a_trial_is_timed(tautpath, diamond_file, monkeypatch, capsys):
    """What a variant logs is written after the trial."""
    seen = []

    def solve_and_log(problem):
        logging.getLogger("solvers.made_up").info("deep inside")
        seen.append("deep inside" in capsys.readouterr().err)
        return solve_sssp(problem)

    monkeypatch.setitem(
        variant._REGISTRY, "good", replace(find_variant("good"), function=solve_and_log)
    )
    status, _, err = tautpath("-v", *solve(diamond_file, "--variants", "good"))
    assert status == 0
    assert "deep inside" in err
    assert len(seen) == 3, "a warm-up and two trials"
    assert seen[0] is False


# -- how it ends when something is wrong
# -----------------------------------------------------------------------------


def test_ctrl_c_keeps_what_is_finished_and_writes_it_whole(tautpath, diamond_file, tmp_path):
    before = signal.getsignal(signal.SIGINT)
    status, out, err = tautpath(
        *solve(
            diamond_file,
            "--variants",
            "good,interrupting,other",
            "--csv",
            tmp_path / "csv",
            "--distances",
            tmp_path / "d.npy",
        )
    )
    assert (status, err) == (130, "tautpath: interrupted.\n")
    assert signal.getsignal(signal.SIGINT) is before
    assert "cancelled" in out
    assert "other" not in out
    with (tmp_path / "csv" / "trials.csv").open(encoding="utf-8") as file:
        assert [r["status"] for r in csv.DictReader(file)] == ["ok", "ok", "ok", "cancelled"]
    assert sorted(os.listdir(tmp_path / "csv")) == ["summary.csv", "trials.csv"]
    assert not (tmp_path / "d.npy").exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)])
def test_other_signals_keep_what_is_finished_too(
    tautpath, diamond_file, tmp_path, monkeypatch, number
):
    before = signal.getsignal(number)

    def signalled(problem):
        signal.raise_signal(number)
        return solve_sssp(problem)

    entry = replace(find_variant("interrupting"), function=signalled)
    monkeypatch.setitem(variant._REGISTRY, "interrupting", entry)
    status, _, err = tautpath(
        *solve(diamond_file, "--variants", "good,interrupting,other", "--csv", tmp_path / "csv")
    )
    assert (status, err) == (128 + number, "tautpath: interrupted.\n")
    assert signal.getsignal(number) is before
    with (tmp_path / "csv" / "trials.csv").open(encoding="utf-8") as file:
        assert [r["status"] for r in csv.DictReader(file)] == ["ok", "ok", "ok", "cancelled"]
    assert sorted(os.listdir(tmp_path / "csv")) == ["summary.csv", "trials.csv"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
def test_a_signal_that_the_caller_ignores_stays_ignored(tautpath, diamond_file, monkeypatch):
    """As ``nohup`` has it."""

    def hung_up(problem):
        signal.raise_signal(signal.SIGHUP)
        return solve_sssp(problem)

    entry = replace(find_variant("interrupting"), function=hung_up)
    monkeypatch.setitem(variant._REGISTRY, "interrupting", entry)
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert tautpath(*solve(diamond_file, "--variants", "interrupting"))[0] == 0
    finally:
        signal.signal(signal.SIGHUP, before)


# -- the other commands
# ----------------------------------------------------------------------------------------------


def test_variants_json_has_what_programs_need(tautpath):
    status, out, _ = tautpath("variants", "--json")
    listed = {entry["id"]: entry for entry in json.loads(out)}
    assert status == 0
    good = listed["good"]
    assert (good["title"], good["problem"], good["runs_on"]) == ("GOOD", "sssp", "serial")
    assert (good["available"], good["reason"], good["papers"]) == (True, "", [])
    (block,) = good["parameters"]
    assert (block["name"], block["default"], block["meaning"]) == (
        "block",
        256,
        "Threads in a block.",
    )
    assert block["range"] == "a whole number from 32 to 1\u202f024"
    assert listed["all-pairs"]["problem"] == "apsp"


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("so", ["solve"]),
        ("solve --pro", ["--profile"]),
        ("solve --profile b", ["bicycle"]),
        ("runs exp", ["export"]),
        ("completion f", ["fish"]),
        ("solve --csv ", []),  # files
    ],
)
def test_bash_completes_commands_options_and_values(
    tautpath, typed: str, offered: list[str]
) -> None:
    words = ["tautpath", *typed.split(" ")]
    given = (
        f"COMP_WORDS=({shlex.join(words)}); COMP_CWORD={len(words) - 1}; _tautpath; echo "
        f'"${{COMPREPLY[@]}}"'
    )
    bash = shutil.which("bash") or pytest.skip("bash is not on this machine")
    script = tautpath("completion", "bash")[1]
    done = subprocess.run(
        [bash, "--norc", "-ec", script + given], capture_output=True, text=True, check=False
    )
    assert (done.stdout.split(), done.stderr) == (offered, "")
    assert tautpath("completion", "zsh")[1].endswith(script)


def test_fish_is_told_of_options_with_their_help(tautpath) -> None:
    lines = tautpath("completion", "fish")[1].splitlines()
    car = (
        "complete -c tautpath -n '__fish_seen_subcommand_from solve' -l 'profile' -xa 'car bicycle "
        "foot' -d 'means of"
    )
    assert any(line.startswith(car) for line in lines)
    assert any("file\\'s column" in line for line in lines)


def test_info_for_programs_is_an_object(tautpath, diamond_file):
    status, out, _ = tautpath("info", diamond_file, "--json")
    found = json.loads(out)
    assert (status, found["vertices"], found["arcs"], found["warnings"]) == (0, 5, 5, [])
    assert (found["graph"], found["directed"], found["weight_type"]) == ("diamond", True, "int32")
    assert len(found["graph_sha256"]) == 64


def test_info_tells_weights_of_roads_in_seconds(tautpath, tmp_path):
    path = tmp_path / "way.osm"
    path.write_text(
        '<osm version="0.6"><node id="1" lat="0" lon="0"/><node id="2" lat="0" lon="0.01"/><way '
        'id="1"><nd ref="1"/><nd ref="2"/><tag k="highway" v="residential"/><tag k="maxspeed" '
        'v="36"/></way></osm>'
    )
    found = json.loads(tautpath("info", path, "--json")[1])
    assert (found["weight_unit"], found["least_weight"]) == ("s", found["greatest_weight"])
    assert 100 < found["least_weight"] < 200  # 1.1 km
    assert f"weights       {found['least_weight']:g} " in tautpath("info", path)[1]


def test_generate_writes_a_graph_that_reads_back(tautpath, tmp_path):
    path = tmp_path / "road.gr.gz"
    status, out, _ = tautpath(
        "generate", "road", "--vertices", 300, "--seed", 7, "--water", "false", "-o", path
    )
    assert status == 0
    assert f"wrote {path}" in out
    assert "300" in tautpath("info", path)[1]


def test_version_and_help_end_well(tautpath):
    assert tautpath("--version")[:2] == (0, "Tautpath 1.0.0\n")
    status, out, _ = tautpath("--help")
    assert status == 0
    assert all(name in out for name in cli.COMMANDS)


@pytest.mark.skipif(os.name == "nt", reason="pipes break otherwise on Windows")
def test_a_reader_that_has_seen_enough_is_no_error(tmp_path):
    program = "import sys; from solvers import cli; sys.exit(cli.main(['variants', '--json']))"
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=120) == 0
