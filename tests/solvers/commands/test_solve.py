"""solve: what it prints and writes, how many trials it makes, and what it tells of them."""

from __future__ import annotations

import csv
import io
import json
import os
import sys

import numpy as np
import pytest

from solvers.core import variant
from solvers.core.variant import RunsOn
from solvers.errors import FileNotWritten
from solvers.running.estimate import EstimateBasis, RunEstimate, VariantEstimate
from tests.solvers.fakes import fake_variant, solve_keeping
from tests.solvers.made_up_variants import one_line, solve

pytestmark = pytest.mark.usefixtures("made_up_catalogue")


def test_a_warm_graph_is_asked_for_and_told(tautpath, diamond_file, tmp_path, device, monkeypatch):
    keeping = fake_variant("keeping", solve_keeping, runs_on=RunsOn.GPU)
    monkeypatch.setitem(variant._REGISTRY, "keeping", keeping)
    monkeypatch.setattr("solvers.devices.pick", lambda spec: device)
    asked = ("--variants", "keeping,good", "--warm-graph", "--csv", tmp_path / "out")
    status, out, err = tautpath(*solve(diamond_file, *asked))
    assert (status, err) == (0, "")
    assert [line.split(":")[0] for line in out.splitlines() if "upload" in line] == ["keeping"]
    table = (tmp_path / "out" / "trials.csv").read_text("utf-8").splitlines()
    assert table[0].endswith(",graph_upload_ms,host,distance_unit,chosen")
    assert [row.split(",")[-4] != "" for row in table[1:]] == [True] * 3 + [False] * 3


def test_ends_are_told_with_their_roads(tautpath, tmp_path):
    path = tmp_path / "way.osm"
    path.write_text(
        '<osm version="0.6"><node id="1" lat="0" lon="0"/><node id="2" lat="0" '
        'lon="0.01"/><way id="1"><nd ref="1"/>'
        '<nd ref="2"/><tag k="highway" v="residential"/><tag k="name" v="Feldgasse"/></way></osm>'
    )
    _, out, _ = tautpath(
        "solve", path, "--variants", "good", "--source", "1", "--target", "2", "--trials", "1"
    )
    assert "from 1 (Feldgasse) to 2 (Feldgasse);" in out


_STREET = (
    '<osm version="0.6"><node id="1" lat="0" lon="0"/><node id="2" lat="0" lon="0.01"/>'
    '<node id="3" lat="0" lon="0.02"/><way id="1"><nd ref="1"/><nd ref="2"/>'
    '<tag k="highway" v="residential"/><tag k="name" v="Feldgasse"/></way>'
    '<way id="2"><nd ref="2"/><nd ref="3"/><tag k="highway" v="residential"/></way></osm>'
)


def test_coordinates_are_ends_on_the_road(tautpath, tmp_path):
    path = tmp_path / "way.osm"
    path.write_text(_STREET)
    asked = ("--variants", "good", "--trials", "1", "--weights", "metres")
    ends = ("--source", "0.0001, 0.0025", "--target", "0.0, 0.015")
    status, out, _ = tautpath("solve", path, *asked, *ends, "--path", tmp_path / "p.geojson")
    assert status == 0
    assert "0.0001, 0.0025: on Feldgasse between 1 and 2, 11 m away." in out
    assert "Runs from or to points of roads are not kept" in out
    line = json.loads((tmp_path / "p.geojson").read_text())["features"][0]["geometry"]
    assert line["coordinates"] == [[0.0025, 0.0], [0.01, 0.0], [0.015, 0.0]]
    _, out, _ = tautpath("solve", path, *asked, *ends, "--json")
    found = json.loads(out)
    assert found["results"][0]["distance"] == pytest.approx(1390, abs=1)
    assert [point["between"] for point in found["points"]] == [[1, 2], [2, 3]]
    assert found["points"][0]["metres"] == pytest.approx(11.1, abs=0.1)


def test_coordinates_are_vertices_where_roads_are_changed(tautpath, tmp_path):
    path = tmp_path / "way.osm"
    path.write_text(_STREET)
    asked = ("--variants", "good", "--trials", "1", "--slow", "2-3=2")
    ends = ("--source", "0.0001, 0.0025", "--target", "3")
    status, out, _ = tautpath("solve", path, *asked, *ends)
    assert status == 0
    assert "0.0001, 0.0025: vertex 1 is the nearest, 278 m away." in out


def test_distances_are_float64_with_inf_in_id_order(tautpath, diamond_file, tmp_path):
    row, matrix = tmp_path / "row.npy", tmp_path / "matrix"
    assert tautpath(*solve(diamond_file, "--variants", "good", "--distances", row))[0] == 0
    assert np.load(row).tolist() == [0, 2, 4, 5, np.inf]
    assert np.load(row).dtype == np.float64
    assert tautpath(*solve(diamond_file, "--variants", "all-pairs", "--distances", matrix))[0] == 0
    assert np.load(matrix).shape == (5, 5)  # under the very name that was asked for


def test_csv_files_are_written_and_named(tautpath, diamond_file, tmp_path):
    options = ("--csv", tmp_path / "csv", "--trace", "--set", "good.block=64")
    status, out, _ = tautpath(*solve(diamond_file, "--variants", "good,other", *options))
    assert status == 0
    assert '""block"": 64' in (tmp_path / "csv" / "trials.csv").read_text("utf-8")
    assert sorted(os.listdir(tmp_path / "csv")) == ["iterations.csv", "summary.csv", "trials.csv"]
    assert f"wrote {tmp_path / 'csv' / 'trials.csv'}" in out
    with (tmp_path / "csv" / "trials.csv").open(encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == 2 * 3


def test_the_picture_is_drawn_by_whoever_can(tautpath, diamond_file, tmp_path):
    drawn = []
    arguments = solve(diamond_file, "--variants", "good", "--picture", tmp_path / "p.png")
    assert tautpath(*arguments, draw_picture=lambda *a: drawn.append(a))[0] == 0
    ((path, drawn_graph, results, source, target),) = drawn
    assert (path, drawn_graph.n, len(results), source, target) == (tmp_path / "p.png", 5, 1, 0, 3)


def test_a_picture_of_an_unknown_kind_is_refused_before_anything_runs(
    tautpath, diamond_file, tmp_path
):
    drawn = []
    arguments = solve(diamond_file, "--variants", "good", "--picture", tmp_path / "p.jpg")
    status, out, err = tautpath(*arguments, draw_picture=lambda *a: drawn.append(a))
    assert (status, out, drawn) == (2, "", [])
    assert one_line(err), err


@pytest.mark.parametrize("keep", [(), ("--no-keep",)])
def test_tables_that_fail_after_the_run_are_written_from_its_kept_run(
    tautpath, store, diamond_file, tmp_path, monkeypatch, keep
):
    def full(*_, **__):
        raise FileNotWritten(tmp_path, "the disk is full")

    with monkeypatch.context() as disk:
        disk.setattr("solvers.commands.solve.write_all", full)
        status, out, err = tautpath(
            *solve(diamond_file, "--variants", "good", "--csv", tmp_path / "tables", *keep)
        )
    assert (status, "good" in out, "the disk is full" in err) == (2, True, True)
    kept = [found.run.run_id for found in store.summaries()]
    assert [run_id in err for run_id in kept] == [True] * (not keep)
    for run_id in kept:
        assert tautpath("runs", "export", run_id, "--csv", tmp_path / "tables")[0] == 0
        assert (tmp_path / "tables" / "trials.csv").is_file()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("seconds", "told"), [(95.0, "about 2 min"), (9.0, "")])
def test_a_long_run_is_announced_on_a_terminal_only(
    tautpath, diamond_file, monkeypatch, seconds, told
):
    expected = RunEstimate((VariantEstimate("good", seconds, EstimateBasis.MODEL),))
    monkeypatch.setattr("solvers.commands.solve.estimate_run", lambda request, earlier: expected)
    status, _, err = tautpath(*solve(diamond_file, "--variants", "good"))
    assert (status, err) == (0, "")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert tautpath(*solve(diamond_file, "--variants", "good"))[0] == 0
    assert ("Expected to take" in terminal.getvalue()) == bool(told)
    assert told in terminal.getvalue()
