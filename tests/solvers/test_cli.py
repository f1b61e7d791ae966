"""The command line: what it prints, what it writes, how it ends."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from solvers import cli
from solvers.contracts import catalog
from solvers.contracts.catalog import Algorithm, Answers, RunsOn, Variant
from solvers.contracts.mapping import WorkMapping
from solvers.contracts.problem import NegativeCycle
from solvers.errors import OutOfMemory
from solvers.graphs.writers import write_dimacs
from solvers.host.load import CpuConditions
from solvers.parameters import Parameter
from solvers.running.conditions import Conditions
from solvers.running.estimate import EstimateBasis, RunEstimate, VariantEstimate
from tests.solvers.fakes import diamond, fake_variant, solve_apsp, solve_keeping, solve_sssp

ROOT = Path(__file__).resolve().parents[2]


def interrupting(problem):
    signal.raise_signal(signal.SIGINT)
    return solve_sssp(problem)


def exhausted(problem):
    raise OutOfMemory("the matrix", 10, 5)


def unallocated(problem):
    raise MemoryError


def circling(problem):
    raise NegativeCycle(problem.graph, (0, 1), -1)


def wrong(problem):
    solution = solve_sssp(problem)
    solution.distances[3] += 1
    return solution


def noted(problem):
    return replace(solve_sssp(problem), note="good was chosen: the test says so.")


@pytest.fixture(autouse=True)
def fakes(monkeypatch):
    """A catalogue of our own, so that these tests are about the command line."""
    catalog.variants()

    def declare(id, solve, answers=Answers.SSSP, **more):
        options = {"algorithm": Algorithm.BELLMAN_FORD, "runs_on": RunsOn.SERIAL, "idea": "An idea.", **more}
        options["mapping"] = WorkMapping.CORE_BY_VERTEX
        return Variant(id=id, title=id.upper(), answers=answers, function=solve, **options)

    block = Parameter("block", 256, "Threads in a block.", 32, 1024)
    known = [
        declare("good", solve_sssp, parameters=(block,)),
        declare("other", solve_sssp),
        declare("all-pairs", solve_apsp, Answers.APSP),
        declare("one-path", solve_sssp, Answers.TARGET),
        declare("by-choice", noted, runs_on=RunsOn.ANY),
        declare("wrong", wrong),
        declare("broken", lambda p: 1 / 0),
        declare("exhausted", exhausted),
        declare("unallocated", unallocated),
        declare("circling", circling),
        declare("interrupting", interrupting),
        declare("cuda", solve_sssp, runs_on=RunsOn.GPU, cuda_only=True),
    ]
    monkeypatch.setattr(catalog, "_REGISTRY", {v.id: v for v in known})
    monkeypatch.setattr("solvers.running.device_choice.pick", pick_nothing)


def pick_nothing(spec):
    from solvers.errors import DeviceUnavailable

    raise DeviceUnavailable(f"No device “{spec}”.")


@pytest.fixture
def graph(tmp_path):
    path = tmp_path / "diamond.gr"
    write_dimacs(diamond(), path)
    return str(path)


@pytest.fixture
def tautline(capsys):
    """Run a command: exit status, stdout, stderr."""

    def call(*argv, **hooks):
        status = cli.main([str(a) for a in argv], **hooks)
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


def one_line(err):
    return err.startswith("tautline: ") and err.count("\n") == 1


# -- solve -----------------------------------------------------------------------------------------------------------


def solve(graph, *more):
    return ("solve", graph, "--source", 1, "--target", 4, "--trials", 2, "--warmup", 1, *more)


def test_solve_prints_a_table_and_the_path(tautline, graph):
    status, out, err = tautline(*solve(graph, "--variants", "good,other"))
    assert (status, err) == (0, "")
    header, first, second = out.splitlines()[1:4]
    times = ("median", "95 % interval", "min – max", "trials", "cold", "solve", "speed-up")
    for word in (*times, "iterations", "relaxed", "proved", "distance"):
        assert word in header
    assert first.split()[:2] == ["good", "Bellman-Ford"]
    assert "10.0 ms" in first
    assert "1.00×" in first
    assert second.rstrip().endswith("5")
    assert "path: 3 vertices, length 5" in out
    assert "5 vertices, 5 arcs; from 1 to 4; 2 trials after 1 warm-up" in out


def test_a_warm_graph_is_asked_for_and_told(tautline, graph, tmp_path, device, monkeypatch):
    keeping = fake_variant("keeping", solve_keeping, runs_on=RunsOn.GPU)
    monkeypatch.setitem(catalog._REGISTRY, "keeping", keeping)
    monkeypatch.setattr("solvers.running.device_choice.pick", lambda spec: device)
    asked = ("--variants", "keeping,good", "--warm-graph", "--csv", tmp_path / "out")
    status, out, err = tautline(*solve(graph, *asked))
    assert (status, err) == (0, "")
    assert "2 trials after 1 warm-up, the graph stays on the device; kernels on" in out
    assert "keeping: The graph stayed on the device; the times do not contain its upload, which took" in out
    assert "good: The graph" not in out
    table = (tmp_path / "out" / "trials.csv").read_text("utf-8").splitlines()
    assert table[0].endswith(",graph_upload_ms,host")
    assert [row.split(",")[-2] != "" for row in table[1:]] == [True] * 3 + [False] * 3


def test_all_pairs_need_no_source(tautline, graph):
    status, out, _ = tautline("solve", graph, "--variants", "all-pairs", "--trials", 1)
    assert status == 0
    assert "yes" in out


def test_unreachable_target_is_said(tautline, graph):
    status, out, _ = tautline("solve", graph, "--source", 1, "--target", 5, "--variants", "good")
    assert status == 0
    assert "5 cannot be reached from 1" in out
    assert "unreachable" in out


def test_distances_are_float64_with_inf_in_id_order(tautline, graph, tmp_path):
    row, matrix = tmp_path / "row.npy", tmp_path / "matrix"
    assert tautline(*solve(graph, "--variants", "good", "--distances", row))[0] == 0
    assert np.load(row).tolist() == [0, 2, 4, 5, np.inf]
    assert np.load(row).dtype == np.float64
    assert tautline(*solve(graph, "--variants", "all-pairs", "--distances", matrix))[0] == 0
    assert np.load(matrix).shape == (5, 5)  # under the very name that was asked for


def test_wrong_distances_are_not_written(tautline, graph, tmp_path):
    status, _, err = tautline(*solve(graph, "--variants", "wrong", "--distances", tmp_path / "d.npy"))
    assert status == 1
    assert "no variant that computes all distances was solved" in err
    assert not (tmp_path / "d.npy").exists()


def test_one_path_has_no_distances_to_write(tautline, graph, tmp_path):
    _, _, err = tautline(*solve(graph, "--variants", "one-path", "--distances", tmp_path / "d.npy"))
    assert "no variant that computes all distances was solved and verified" in err
    assert not (tmp_path / "d.npy").exists()


def test_a_choice_is_explained(tautline, graph):
    _, out, _ = tautline(*solve(graph, "--variants", "good,by-choice"))
    assert "by-choice: good was chosen: the test says so." in out.splitlines()


def test_csv_files_are_written_and_named(tautline, graph, tmp_path):
    status, out, _ = tautline(*solve(graph, "--variants", "good,other", "--csv", tmp_path / "csv", "--trace"))
    assert status == 0
    assert sorted(os.listdir(tmp_path / "csv")) == ["iterations.csv", "summary.csv", "trials.csv"]
    assert f"wrote {tmp_path / 'csv' / 'trials.csv'}" in out
    with (tmp_path / "csv" / "trials.csv").open(encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == 2 * 3


def test_parameters_are_set_by_name(tautline, graph, tmp_path):
    assert tautline(*solve(graph, "--variants", "good", "--set", "good.block=64", "--csv", tmp_path))[0] == 0
    assert '""block"": 64' in (tmp_path / "trials.csv").read_text("utf-8")


def test_the_picture_is_drawn_by_whoever_can(tautline, graph, tmp_path):
    drawn = []
    arguments = solve(graph, "--variants", "good", "--picture", tmp_path / "p.png")
    assert tautline(*arguments, draw_picture=lambda *a: drawn.append(a))[0] == 0
    ((path, drawn_graph, results, source, target),) = drawn
    assert (path, drawn_graph.n, len(results), source, target) == (tmp_path / "p.png", 5, 1, 0, 3)


def test_a_picture_of_an_unknown_kind_is_refused_before_anything_runs(tautline, graph, tmp_path):
    drawn = []
    arguments = solve(graph, "--variants", "good", "--picture", tmp_path / "p.jpg")
    status, out, err = tautline(*arguments, draw_picture=lambda *a: drawn.append(a))
    assert (status, out, drawn) == (2, "", [])
    assert one_line(err), err
    assert "p.jpg: its name must end in .png or .svg." in err


def test_no_progress_where_stderr_is_no_terminal(tautline, graph):
    assert tautline(*solve(graph, "--variants", "good"))[2] == ""


# -- how it ends when something is wrong -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--variants", "god", "--source", "1"), "There is no variant “god”. Nearest: good"),
        (("--variants", "good"), "good needs a source: give --source ID."),
        (("--variants", "one-path", "--source", "1"), "one-path needs a target: give --target ID."),
        (("--variants", "good", "--source", "6"), "There is no vertex “6”. Nearest: 5."),
        (("--variants", "good", "--source", "one"), "“one” is not a vertex id"),
        (("--variants", "good", "--source", "1", "--set", "good.block=7"), "a whole number from 32 to 1 024"),
        (("--variants", "good", "--source", "1", "--set", "good.blok=7"), "Nearest: block"),
        (("--variants", "good", "--source", "1", "--set", "other.x=7"), "no chosen variant “other”"),
        (("--variants", "good", "--source", "1", "--set", "nonsense"), "--set takes ID.PARAM=VALUE"),
        (("--variants", "good", "--source", "1", "--trials", "0"), "at least one timed trial"),
        (("--variants", ",", "--source", "1"), "--variants is empty"),
        (("--source", "1"), "required: --variants"),
        (("--variants", "good", "--source", "1", "--picture", "p.png"), "--picture needs the window's libraries"),
        (("--variants", "good", "--source", "1", "--csv", os.devnull), "Cannot write"),
    ],
)
def test_bad_input_is_one_line_and_status_2(tautline, graph, arguments, words):
    status, _, err = tautline("solve", graph, *arguments)
    assert status == 2
    assert one_line(err), err
    assert words in err


def test_a_file_that_is_not_there_is_status_2(tautline, tmp_path):
    status, _, err = tautline("info", tmp_path / "nowhere.gr")
    assert status == 2
    assert one_line(err)
    assert "nowhere.gr" in err


@pytest.mark.parametrize(
    ("variant", "status", "words"),
    [
        ("wrong", 1, "wrong: the answer is wrong: "),
        ("broken", 1, "ZeroDivisionError"),
        ("circling", 1, "Negative cycle of 2 vertices"),
        ("exhausted", 3, "the matrix needs 10 B"),
        ("unallocated", 3, "unallocated ran out of memory: the system refused an allocation."),
        ("cuda", 3, "cuda needs an NVIDIA GPU"),
    ],
)
def test_a_failed_variant_leaves_the_others_standing(tautline, graph, variant, status, words):
    ended, out, err = tautline(*solve(graph, "--variants", f"{variant},good"))
    assert ended == status
    assert one_line(err), err
    assert words in err
    assert "Traceback" not in err
    assert "10.0 ms" in next(line for line in out.splitlines() if line.startswith("good"))


def test_a_device_asked_for_by_name_and_not_there_is_status_3(tautline, graph):
    status, _, err = tautline(*solve(graph, "--variants", "cuda", "--device", "cuda:7"))
    assert (status, err) == (3, "tautline: No device “cuda:7”.\n")
    assert tautline(*solve(graph, "--variants", "good", "--device", "cuda:7"))[0] == 0  # good needs none


def test_ctrl_c_keeps_what_is_finished_and_writes_it_whole(tautline, graph, tmp_path):
    before = signal.getsignal(signal.SIGINT)
    status, out, err = tautline(
        *solve(
            graph, "--variants", "good,interrupting,other", "--csv", tmp_path / "csv", "--distances", tmp_path / "d.npy"
        )
    )
    assert (status, err) == (130, "tautline: interrupted.\n")
    assert signal.getsignal(signal.SIGINT) is before
    assert "cancelled" in out
    assert "other" not in out
    with (tmp_path / "csv" / "trials.csv").open(encoding="utf-8") as file:
        assert [r["status"] for r in csv.DictReader(file)] == ["ok", "ok", "ok", "cancelled"]
    assert sorted(os.listdir(tmp_path / "csv")) == ["summary.csv", "trials.csv"]
    assert not (tmp_path / "d.npy").exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)])
def test_other_signals_keep_what_is_finished_too(tautline, graph, tmp_path, monkeypatch, number):
    before = signal.getsignal(number)

    def signalled(problem):
        signal.raise_signal(number)
        return solve_sssp(problem)

    entry = replace(catalog.find("interrupting"), function=signalled)
    monkeypatch.setitem(catalog._REGISTRY, "interrupting", entry)
    status, _, err = tautline(*solve(graph, "--variants", "good,interrupting,other", "--csv", tmp_path / "csv"))
    assert (status, err) == (128 + number, "tautline: interrupted.\n")
    assert signal.getsignal(number) is before
    with (tmp_path / "csv" / "trials.csv").open(encoding="utf-8") as file:
        assert [r["status"] for r in csv.DictReader(file)] == ["ok", "ok", "ok", "cancelled"]
    assert sorted(os.listdir(tmp_path / "csv")) == ["summary.csv", "trials.csv"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
def test_a_signal_that_the_caller_ignores_stays_ignored(tautline, graph, monkeypatch):
    """As ``nohup`` has it."""

    def hung_up(problem):
        signal.raise_signal(signal.SIGHUP)
        return solve_sssp(problem)

    entry = replace(catalog.find("interrupting"), function=hung_up)
    monkeypatch.setitem(catalog._REGISTRY, "interrupting", entry)
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert tautline(*solve(graph, "--variants", "interrupting"))[0] == 0
    finally:
        signal.signal(signal.SIGHUP, before)


def test_unknown_commands_and_options_are_one_line(tautline):
    for arguments in (("solv",), ("variants", "--nope"), ("generate",), ()):
        status, _, err = tautline(*arguments)
        assert status == 2
        assert one_line(err), err


# -- the other commands ----------------------------------------------------------------------------------------------


def test_variants_json_has_what_programs_need(tautline):
    status, out, _ = tautline("variants", "--json")
    listed = {entry["id"]: entry for entry in json.loads(out)}
    assert status == 0
    good = listed["good"]
    assert (good["title"], good["problem"], good["runs_on"]) == ("GOOD", "sssp", "serial")
    assert (good["available"], good["reason"], good["papers"]) == (True, "", [])
    (block,) = good["parameters"]
    assert (block["name"], block["default"], block["meaning"]) == ("block", 256, "Threads in a block.")
    assert block["range"] == "a whole number from 32 to 1\u202f024"
    assert listed["all-pairs"]["problem"] == "apsp"


def test_variants_lists_all_with_availability(tautline, monkeypatch):
    monkeypatch.setattr("solvers.commands.variants.discover", lambda: type("Found", (), {"devices": ()}))
    _, out, _ = tautline("variants")
    rows = {line.split()[0]: line for line in out.splitlines()}
    assert rows["good"].endswith("yes")
    assert "cuda needs an NVIDIA GPU" in rows["cuda"]


def test_devices_lists_keys(tautline):
    status, out, _ = tautline("devices", "--json")
    assert status == 0
    assert all(entry["key"].startswith(entry["kind"]) for entry in json.loads(out))
    assert tautline("devices")[0] == 0


def test_info_says_what_the_reader_found(tautline, graph):
    status, out, _ = tautline("info", graph)
    facts = dict(line.split(maxsplit=1) for line in out.splitlines())
    assert status == 0
    assert (facts["vertices"], facts["arcs"]) == ("5", "5")
    assert len(facts["sha256"]) == 64


def test_info_shows_warnings(tautline, tmp_path):
    path = tmp_path / "short.gr"
    path.write_text("p sp 3 5\na 1 2 7\na 2 3 4\n")
    out = tautline("info", path)[1]
    assert "warning: " in out


def test_generate_writes_a_graph_that_reads_back(tautline, tmp_path):
    path = tmp_path / "road.gr.gz"
    status, out, _ = tautline("generate", "road", "--vertices", 300, "--seed", 7, "--water", "false", "-o", path)
    assert status == 0
    assert f"wrote {path}" in out
    assert "300" in tautline("info", path)[1]


def test_generate_refuses_what_the_family_does(tautline, tmp_path):
    path = tmp_path / "road.gr"
    status, _, err = tautline("generate", "road", "--vertices", "few", "-o", path)
    assert status == 2
    assert one_line(err)
    assert tautline("generate", "road", "-o", tmp_path / "nowhere" / "road.gr")[0] == 2
    assert os.listdir(tmp_path) == []


def test_version_and_help_end_well(tautline):
    assert tautline("--version")[:2] == (0, "Tautline 0.1.0\n")
    status, out, _ = tautline("--help")
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


@pytest.mark.parametrize("option", ["--distances", "--csv"])
def test_a_place_that_cannot_be_written_is_refused_before_anything_is_solved(tautline, graph, tmp_path, option):
    (tmp_path / "file").touch()
    status, out, err = tautline(*solve(graph, "--variants", "good", option, tmp_path / "file" / "below"))
    assert status == 2
    assert out == ""
    assert one_line(err)
    assert "Cannot write" in err


def test_trials_are_as_many_as_the_precision_needs_unless_counted(tautline, graph):
    arguments = ("solve", graph, "--source", 1, "--variants", "good")
    _, out, _ = tautline(*arguments, "--warmup", 1)
    assert "up to 200 trials after 1 warm-up, 10 s a variant at most" in out
    ten_trials = r"10\.0 ms\s+10\.0 ms – 10\.0 ms\s+10\.0 ms – 10\.0 ms\s+10\s"
    assert re.search(ten_trials, out), "at least six, and a tenth of a second"
    _, out, _ = tautline(*arguments, "--trials", 3)
    assert "3 trials after warm-ups as needed" in out
    assert re.search(r"10\.0 ms\s+–\s+10\.0 ms – 10\.0 ms\s+3\s", out), "three have no interval"
    _, out, _ = tautline(*arguments, "--most-trials", 7)
    assert "up to 7 trials" in out
    assert re.search(r"10\.0 ms – 10\.0 ms\s+7\s", out)
    _, out, _ = tautline(*arguments, "--time-limit", 2.5)
    assert "2.5 s a variant at most" in out


@pytest.mark.parametrize(
    "option",
    [
        ("--trials", 0),
        ("--trials", -1),
        ("--warmup", -1),
        ("--time-limit", 0),
        ("--precision", 0),
        ("--most-trials", 0),
    ],
)
def test_a_plan_that_cannot_be_is_refused(tautline, graph, option):
    status, out, err = tautline("solve", graph, "--source", 1, "--variants", "good", *option)
    assert (status, out) == (2, "")
    assert err.startswith("tautline: run: parameter")
    assert err.count("\n") == 1


def test_disturbed_times_are_marked_and_explained_below(tautline, graph, monkeypatch):
    loaded = Conditions(CpuConditions(2, load=1.9))
    monkeypatch.setattr("solvers.running.conditions.MachineSample.until", lambda before, after: loaded)
    _, out, _ = tautline(*solve(graph, "--variants", "good"))
    assert "10.0 ms * " in out
    assert "*good: Other programs kept 1.90 of 2 cores busy." in out.splitlines()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("seconds", "told"), [(95.0, "about 2 min"), (9.0, "")])
def test_a_long_run_is_announced_on_a_terminal_only(tautline, graph, monkeypatch, seconds, told):
    expected = RunEstimate((VariantEstimate("good", seconds, EstimateBasis.MODEL),))
    monkeypatch.setattr("solvers.commands.solve.estimate_run", lambda request, earlier: expected)
    status, _, err = tautline(*solve(graph, "--variants", "good"))
    assert (status, err) == (0, "")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert tautline(*solve(graph, "--variants", "good"))[0] == 0
    assert ("Expected to take" in terminal.getvalue()) == bool(told)
    assert told in terminal.getvalue()
