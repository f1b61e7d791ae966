"""Paths and distances as CSV and Parquet."""

from __future__ import annotations

import csv
import sys

import numpy as np
import pytest

from solvers.errors import PackageMissing, ParameterError
from solvers.graphs.weights import FLOAT64
from solvers.running.answers.answer import DistancesAnswer
from solvers.running.answers.write import write_distances, write_distances_table, write_path, write_path_table
from tests.curved import ATTRIBUTION
from tests.solvers.running.answers.towns import distances_of, geographic_town, named_town, path_of, plane_town


def rows_of(path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_path_has_a_row_for_each_vertex_with_the_line_that_leads_to_it(tmp_path) -> None:
    first, second, third = rows_of(write_path_table(path_of(geographic_town(), 0, 1, 2), tmp_path / "p.csv"))
    assert (first["vertex"], first["longitude"], first["distance_ds"], first["wkt"]) == ("10", "0.0", "0", "")
    assert third == {
        "step": "2", "vertex": "30", "longitude": "7.0", "latitude": "0.0", "distance_ds": "30", "road": "Hill Road",
        "arc_ds": "20", "arc_dm": "83", "wkt": "LINESTRING (3.0 0.0, 4.0 3.0, 6.0 3.0, 7.0 0.0)",
        "attribution": ATTRIBUTION,
    }  # fmt: skip
    assert second["road"] == "Main Street"


def test_distances_have_a_row_for_each_vertex(tmp_path) -> None:
    answer = distances_of(plane_town(), [0, 10, None, 2**30 - 2], [0, 0, -1, 1])
    rows = rows_of(write_distances_table(answer, tmp_path / "d.csv"))
    found = [(row["vertex"], row["x"], row["distance_ds"], row["predecessor"]) for row in rows]
    assert found == [("10", "0.0", "0", ""), ("20", "3.0", "10", "10"), ("30", "7.0", "", ""),
                     ("40", "10.0", "1073741822", "20")]  # fmt: skip


def test_without_coordinates_there_are_no_columns_of_them(tmp_path) -> None:
    bare = plane_town(places=False)
    assert "x" not in rows_of(write_path_table(path_of(bare, 0, 1), tmp_path / "p.csv"))[0]
    assert list(rows_of(write_distances_table(distances_of(bare, [0] * 4), tmp_path / "d.csv"))[0]) == [
        "vertex", "distance_ds", "attribution"
    ]  # fmt: skip


def test_names_that_spreadsheets_would_run_are_marked_unless_plain(tmp_path) -> None:
    town = named_town("=1+1", "-", "Zürich", 'say "a, b"')
    answer = distances_of(town, [0, 1, 2, 3], [-1, 0, 0, 0])
    marked = rows_of(write_distances_table(answer, tmp_path / "d.csv"))
    assert [row["vertex"] for row in marked] == ["'=1+1", "'-", "Zürich", 'say "a, b"']
    assert marked[3]["predecessor"] == "'=1+1"
    assert rows_of(write_distances_table(answer, tmp_path / "d.csv", plain=True))[0]["vertex"] == "=1+1"


def test_parquet_holds_the_same_with_types_and_facts(tmp_path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    answer = DistancesAnswer(plane_town(), (0,), np.array([0, 0.1, np.inf, 3]), np.array([-1, 0, -1, 1]), "hand")
    assert answer.distances.dtype == FLOAT64.dtype
    table = parquet.read_table(write_distances(answer, tmp_path / "d.parquet"))
    assert table["distance_ds"].to_pylist() == [0.0, 0.1, None, 3.0]
    assert table["predecessor"].to_pylist() == [None, 10, None, 20]
    assert table.schema.metadata[b"graph"] == b"town"
    names = parquet.read_table(write_path(path_of(named_town("ä", "b", "c", "\udcff"), 0, 1), tmp_path / "p.parquet"))
    assert names["vertex"].to_pylist() == ["ä", "b"]
    assert names["wkt"].to_pylist() == [None, "LINESTRING (0.0 0.0, 3.0 0.0)"]


def test_parquet_without_pyarrow_names_the_command(tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(PackageMissing, match=r"^Writing d.parquet needs the package pyarrow: pip install "):
        write_distances(distances_of(plane_town(), [0] * 4), tmp_path / "d.parquet")


def test_other_names_are_refused_with_those_that_are_known(tmp_path) -> None:
    with pytest.raises(ParameterError, match=r"must end in .geojson or .gpx or .csv or .parquet"):
        write_path(path_of(plane_town(), 0, 1), tmp_path / "p.kml")
    with pytest.raises(ParameterError, match=r"must end in .csv or .parquet or .geojson"):
        write_distances(distances_of(plane_town(), [0] * 4), tmp_path / "d.gpx")
