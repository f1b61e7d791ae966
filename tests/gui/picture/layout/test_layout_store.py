"""Layouts on disk: they come back as they were, damage is not noticed by anyone, and there is a bound."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from gui.picture.layout import layout_store
from gui.picture.layout.layout_store import LayoutStore
from solvers.graphs.graph import Graph
from tests.gui.pictures import street_grid

COLUMNS, ROWS = 30, 20


def bare(columns: int = COLUMNS, weight: int = 1) -> Graph:
    """A street grid without coordinates."""
    grid = street_grid(columns, ROWS)
    return Graph.from_arcs(grid.n, grid.tails, grid.indices, np.full(grid.m, weight, np.int32))


def positions_of(graph: Graph) -> np.ndarray:
    return np.random.default_rng(graph.n).normal(size=(graph.n, 2))


def file_of(folder: Path) -> Path:
    (path,) = folder.iterdir()
    return path


def test_a_layout_comes_back_as_it_was_for_the_same_graph_only(tmp_path: Path) -> None:
    graph, store = bare(), LayoutStore(tmp_path / "a" / "b")
    assert store.load(graph, "spring") is None
    store.save(graph, "spring", positions_of(graph))
    again = LayoutStore(tmp_path / "a" / "b")
    assert np.array_equal(again.load(bare(), "spring"), positions_of(graph))
    assert again.load(graph, "circular") is None
    assert again.load(bare(weight=2), "spring") is None
    assert graph.sha256 in file_of(tmp_path / "a" / "b").name


def test_another_version_of_the_code_lays_out_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph, store = bare(), LayoutStore(tmp_path)
    store.save(graph, "spring", positions_of(graph))
    monkeypatch.setattr(layout_store, "code_version", lambda: "newer")
    assert store.load(graph, "spring") is None


@pytest.mark.parametrize("damage", ["empty", "cut", "flipped", "noise", "shape", "nan", "folder"])
def test_damage_is_as_good_as_nothing_and_is_replaced(tmp_path: Path, damage: str) -> None:
    graph, store = bare(), LayoutStore(tmp_path)
    good = positions_of(graph)
    store.save(graph, "spring", good)
    path = file_of(tmp_path)
    whole = path.read_bytes()
    middle = len(whole) // 2
    if damage == "folder":
        path.unlink()
        path.mkdir()
    elif damage == "shape":
        np.savez(path, positions=good[:-1])
    elif damage == "nan":
        np.savez(path, positions=np.where(np.arange(2) == 1, np.nan, good))
    else:
        flipped = whole[:middle] + bytes([whole[middle] ^ 8]) + whole[middle + 1 :]
        path.write_bytes({"empty": b"", "cut": whole[:middle], "flipped": flipped, "noise": b"x" * 999}[damage])
    assert store.load(graph, "spring") is None
    if damage == "folder":
        path.rmdir()
    store.save(graph, "spring", good)
    assert np.array_equal(store.load(graph, "spring"), good)


def test_past_the_bound_what_was_not_asked_for_longest_goes(tmp_path: Path) -> None:
    graphs = [bare(weight=weight) for weight in (1, 2, 3, 4)]
    positions = positions_of(graphs[0])
    store = LayoutStore(tmp_path, most_bytes=3 * positions.nbytes + 3000)
    for age, graph in enumerate(graphs[:3]):
        store.save(graph, "spring", positions)
        written = max(tmp_path.iterdir(), key=lambda path: path.stat().st_mtime_ns)
        os.utime(written, (1000.0 + age, 1000.0 + age))
    assert store.load(graphs[0], "spring") is not None  # the oldest, but asked for just now
    store.save(graphs[3], "spring", positions)
    assert [store.load(graph, "spring") is not None for graph in graphs] == [True, False, True, True]


def test_what_is_larger_than_the_bound_or_quickly_made_is_not_kept(tmp_path: Path) -> None:
    graph, small = bare(), bare(columns=10)
    LayoutStore(tmp_path, most_bytes=1000).save(graph, "spring", positions_of(graph))
    LayoutStore(tmp_path).save(small, "spring", positions_of(small))
    assert not any(tmp_path.iterdir())


def test_a_folder_that_cannot_be_made_or_written_stops_nobody(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    graph, store = bare(), LayoutStore(tmp_path / "file" / "below")
    store.save(graph, "spring", positions_of(graph))
    assert store.load(graph, "spring") is None
