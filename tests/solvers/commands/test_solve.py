"""solve: what it prints and writes, how many trials it makes, and what it tells of them."""

from __future__ import annotations

import csv
import io
import os
import re
import sys

import numpy as np
import pytest

from solvers.core import variant
from solvers.core.variant import RunsOn
from solvers.running.estimate import EstimateBasis, RunEstimate, VariantEstimate
from solvers.running.trials import Conditions
from solvers.system.machine import CpuConditions
from tests.solvers.fakes import fake_variant, solve_keeping
from tests.solvers.graphs.readers.town import PLACES, write_osm
from tests.solvers.made_up_variants import one_line, solve

pytestmark = pytest.mark.usefixtures("made_up_catalogue")


LOADED = "--variants good --source 1 --trials 4"


@pytest.mark.parametrize("options", [
    "--variants good,other --source 1 --target 4 --trials 2 --warmup 1",
    "--variants good,by-choice --source 1 --trials 2",
    "--variants all-pairs --trials 1",
    "--variants good --source 1 --target 5 --trials 1",
    "--variants good --source 1 --warmup 1",
    "--variants good --source 1 --trials 3",
    "--variants good --source 1 --most-trials 7",
    "--variants good --source 1 --time-limit 2.5",
    LOADED,
    *(f"--variants good --source 1 {refused}"
      for refused in ("--trials 0", "--trials -1", "--warmup -1", "--time-limit 0", "--most-trials 0")),
])  # fmt: skip
def test_what_is_printed(tautline, diamond_file, golden, monkeypatch, options):
    conditions = Conditions(CpuConditions(2, load=1.9 if options == LOADED else 0.0))
    monkeypatch.setattr("solvers.running.trials.MachineSample.until", lambda before, after: conditions)
    status, out, err = tautline("solve", diamond_file, *options.split())
    assert (status, bool(out)) == ((2, False) if err else (0, True))
    first_time = re.compile(r"(\t\d+\t)[\d.]+ \w+(?=\t)")  # measured: the made-up times begin after it
    golden.check("solve", options, first_time.sub(r"\1COLD", out) + err)


def test_a_warm_graph_is_asked_for_and_told(tautline, diamond_file, tmp_path, device, monkeypatch):
    keeping = fake_variant("keeping", solve_keeping, runs_on=RunsOn.GPU)
    monkeypatch.setitem(variant._REGISTRY, "keeping", keeping)
    monkeypatch.setattr("solvers.running.request.pick", lambda spec: device)
    asked = ("--variants", "keeping,good", "--warm-graph", "--csv", tmp_path / "out")
    status, out, err = tautline(*solve(diamond_file, *asked))
    assert (status, err) == (0, "")
    assert "2 trials after 1 warm-up, the graph stays on the device; kernels on" in out
    assert "keeping: The graph stayed on the device; the times do not contain its upload, which took" in out
    assert "good: The graph" not in out
    table = (tmp_path / "out" / "trials.csv").read_text("utf-8").splitlines()
    assert table[0].endswith(",graph_upload_ms,host,distance_unit")
    assert [row.split(",")[-3] != "" for row in table[1:]] == [True] * 3 + [False] * 3


def test_ends_are_told_with_their_roads(tautline, tmp_path):
    path = tmp_path / "way.osm"
    path.write_text(
        '<osm version="0.6"><node id="1" lat="0" lon="0"/><node id="2" lat="0" lon="0.01"/><way id="1"><nd ref="1"/>'
        '<nd ref="2"/><tag k="highway" v="residential"/><tag k="name" v="Feldgasse"/></way></osm>'
    )
    _, out, _ = tautline("solve", path, "--variants", "good", "--source", "1", "--target", "2", "--trials", "1")
    assert "from 1 (Feldgasse) to 2 (Feldgasse);" in out


def test_distances_are_float64_with_inf_in_id_order(tautline, diamond_file, tmp_path):
    row, matrix = tmp_path / "row.npy", tmp_path / "matrix"
    assert tautline(*solve(diamond_file, "--variants", "good", "--distances", row))[0] == 0
    assert np.load(row).tolist() == [0, 2, 4, 5, np.inf]
    assert np.load(row).dtype == np.float64
    assert tautline(*solve(diamond_file, "--variants", "all-pairs", "--distances", matrix))[0] == 0
    assert np.load(matrix).shape == (5, 5)  # under the very name that was asked for


@pytest.mark.parametrize(("variant_id", "status"), [("wrong", 1), ("one-path", 0)])
def test_wrong_distances_and_those_of_one_path_are_not_written(tautline, diamond_file, tmp_path, variant_id, status):
    ended, _, err = tautline(*solve(diamond_file, "--variants", variant_id, "--distances", tmp_path / "d.npy"))
    assert ended == status
    assert "no variant that computes all distances was solved and verified" in err
    assert not (tmp_path / "d.npy").exists()


def test_csv_files_are_written_and_named(tautline, diamond_file, tmp_path):
    options = ("--csv", tmp_path / "csv", "--trace", "--set", "good.block=64")
    status, out, _ = tautline(*solve(diamond_file, "--variants", "good,other", *options))
    assert status == 0
    assert '""block"": 64' in (tmp_path / "csv" / "trials.csv").read_text("utf-8")
    assert sorted(os.listdir(tmp_path / "csv")) == ["iterations.csv", "summary.csv", "trials.csv"]
    assert f"wrote {tmp_path / 'csv' / 'trials.csv'}" in out
    with (tmp_path / "csv" / "trials.csv").open(encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == 2 * 3


def test_the_picture_is_drawn_by_whoever_can(tautline, diamond_file, tmp_path):
    drawn = []
    arguments = solve(diamond_file, "--variants", "good", "--picture", tmp_path / "p.png")
    assert tautline(*arguments, draw_picture=lambda *a: drawn.append(a))[0] == 0
    ((path, drawn_graph, results, source, target),) = drawn
    assert (path, drawn_graph.n, len(results), source, target) == (tmp_path / "p.png", 5, 1, 0, 3)


def test_a_picture_of_an_unknown_kind_is_refused_before_anything_runs(tautline, diamond_file, tmp_path):
    drawn = []
    arguments = solve(diamond_file, "--variants", "good", "--picture", tmp_path / "p.jpg")
    status, out, err = tautline(*arguments, draw_picture=lambda *a: drawn.append(a))
    assert (status, out, drawn) == (2, "", [])
    assert one_line(err), err
    assert "p.jpg: its name must end in .png or .svg." in err


@pytest.mark.parametrize("option", ["--distances", "--csv"])
def test_a_place_that_cannot_be_written_is_refused_before_anything_is_solved(tautline, diamond_file, tmp_path, option):
    (tmp_path / "file").touch()
    status, out, err = tautline(*solve(diamond_file, "--variants", "good", option, tmp_path / "file" / "below"))
    assert status == 2
    assert out == ""
    assert one_line(err)
    assert "Cannot write" in err


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("seconds", "told"), [(95.0, "about 2 min"), (9.0, "")])
def test_a_long_run_is_announced_on_a_terminal_only(tautline, diamond_file, monkeypatch, seconds, told):
    expected = RunEstimate((VariantEstimate("good", seconds, EstimateBasis.MODEL),))
    monkeypatch.setattr("solvers.commands.solve.estimate_run", lambda request, earlier: expected)
    status, _, err = tautline(*solve(diamond_file, "--variants", "good"))
    assert (status, err) == (0, "")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert tautline(*solve(diamond_file, "--variants", "good"))[0] == 0
    assert ("Expected to take" in terminal.getvalue()) == bool(told)
    assert told in terminal.getvalue()


def test_ends_may_be_coordinates_and_places_and_the_distance_is_told(tautline, tmp_path):
    tags = {30: {"place": "village", "name": "Zürs"}}
    town = write_osm(tmp_path / "town.osm", places=PLACES | {30: (9.5032, 47.1002)}, node_tags=tags)
    options = ("--variants", "good", "--source", "N47.1 E9.5001", "--target", "zurs", "--trials", "1")
    status, out, _ = tautline("solve", town, *options)
    assert status == 0
    assert "47.1, 9.5001: vertex 1 is the nearest, 8 m away.\nZürs: vertex 4 is the nearest, 27 m away.\n" in out
    assert re.search(r"from 1 \(.+\) to 4( \(.+\))?;", out)
