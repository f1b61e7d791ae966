"""Differences between distances: counts, words, and the table."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from solvers.errors import Cancelled, ParameterError
from solvers.features.closed_roads.differences import Differences, write_differences
from solvers.graphs.weights import INT32, INT64
from solvers.system.cancel import CancelToken, Progress
from tests import graphs

FAR, FARTHER = INT32.infinity, INT64.infinity
GRAPH = graphs.from_list(6, [(0, 1, 1)])


def six() -> Differences:
    """One vertex of each kind, the second side in the wider type."""
    before = np.array([0, 5, 8, 4, FAR, FAR], np.int32)
    after = np.array([0, 9, 6, FARTHER, 3, FARTHER], np.int64)
    return Differences(GRAPH, before, after)


def test_each_vertex_is_counted_once() -> None:
    found = six()
    assert (found.farther, found.nearer, found.cut_off, found.connected, found.greatest) == (
        1,
        1,
        1,
        1,
        4,
    )
    assert found.text == (
        "1 vertex farther, by 4 at most; 1 vertex nearer; 1 vertex cut off; 1 vertex now reachable"
    )
    same = Differences(GRAPH, found.before, found.before)
    assert (same.text, same.greatest) == ("all distances as before", 0)


def test_every_vertex_has_a_row(tmp_path: Path) -> None:
    write_differences(six(), tmp_path / "d.csv")
    with (tmp_path / "d.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["vertex", "before", "after", "difference", "change"]
    ids = [str(i) for i in GRAPH.ids.tolist()]
    assert rows[1:] == [
        [ids[0], "0", "0", "0", "same"],
        [ids[1], "5", "9", "4", "farther"],
        [ids[2], "8", "6", "-2", "nearer"],
        [ids[3], "4", "", "", "cut off"],
        [ids[4], "", "3", "", "now reachable"],
        [ids[5], "", "", "", "unreachable"],
    ]


def test_a_cancelled_table_is_not_left_behind(tmp_path: Path) -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        write_differences(six(), tmp_path / "d.csv", Progress(token))
    assert list(tmp_path.iterdir()) == []


def test_both_sides_are_of_the_graph() -> None:
    with pytest.raises(ParameterError, match="after"):
        Differences(GRAPH, np.zeros(6, np.int32), np.zeros(5, np.int32))
