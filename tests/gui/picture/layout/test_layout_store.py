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


def test_another_version_lays_out_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph, store = bare(), LayoutStore(tmp_path)
    store.save(graph, "spring", positions_of(graph))
    monkeypatch.setattr(layout_store, "_VERSION", "2")
    monkeypatch.setattr(layout_store, "_EARLIER_NAMES", ())
    assert store.load(graph, "spring") is None


def test_layouts_named_by_a_hash_of_the_code_are_still_read(tmp_path: Path) -> None:
    graph, store = bare(), LayoutStore(tmp_path)
    store.save(graph, "spring", positions_of(graph))
    path = file_of(tmp_path)
    path.rename(path.with_name(f"{graph.sha256}-spring-2582ccfd1afc.positions"))
    assert np.array_equal(store.load(graph, "spring"), positions_of(graph))


@pytest.mark.parametrize("damage", ["empty", "cut", "flipped", "noise", "other graph", "npz", "folder"])
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
    elif damage == "other graph":
        LayoutStore(tmp_path / "other").save(bare(columns=31), "spring", positions_of(bare(columns=31)))
        path.write_bytes(file_of(tmp_path / "other").read_bytes())
    elif damage == "npz":
        with path.open("wb") as file:
            np.savez(file, positions=good)
    else:
        flipped = whole[:middle] + bytes([whole[middle] ^ 8]) + whole[middle + 1 :]
        path.write_bytes({"empty": b"", "cut": whole[:middle], "flipped": flipped, "noise": b"x" * 999}[damage])
    assert store.load(graph, "spring") is None
    if damage == "folder":
        path.rmdir()
    store.save(graph, "spring", good)
    assert np.array_equal(store.load(graph, "spring"), good)


def mutated(whole: bytes, random: np.random.Generator) -> bytes:
    """``whole`` with bytes flipped, cut out, put in, repeated or cut off: most often near the beginning or the end."""
    content = bytearray(whole)
    for _ in range(int(random.integers(1, 5))):
        near = int(min(len(content) - 1, random.exponential(60))) if content else 0
        at = (near, max(0, len(content) - 1 - near), int(random.integers(0, len(content) + 1)))[random.integers(0, 3)]
        length = int(random.integers(1, 40))
        match int(random.integers(0, 5)):
            case 0 if at < len(content):
                content[at] ^= 1 << int(random.integers(0, 8))
            case 1:
                del content[at : at + length]
            case 2:
                content[at:at] = random.bytes(length)
            case 3:
                content[at:at] = content[at : at + length]
            case _:
                content[at : at + length] = random.bytes(length)
    return bytes(content[: int(random.integers(0, len(content) + 1))] if random.random() < 0.1 else content)


def test_no_mutation_of_a_file_raises_or_gives_other_positions(tmp_path: Path) -> None:
    graph, store, random = bare(), LayoutStore(tmp_path), np.random.default_rng(12)
    good = positions_of(graph)
    store.save(graph, "spring", good)
    path = file_of(tmp_path)
    whole = path.read_bytes()
    unchanged = 0
    for _ in range(3000):
        content = mutated(whole, random)
        path.write_bytes(content)
        loaded = store.load(graph, "spring")
        if content == whole:
            unchanged += 1
            assert np.array_equal(loaded, good)
        else:
            assert loaded is None
            assert not path.exists()
    assert unchanged < 300


@pytest.mark.parametrize("error", [NotImplementedError, RuntimeError, MemoryError, SyntaxError, OSError])
def test_whatever_a_reader_raises_the_file_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    graph, store = bare(), LayoutStore(tmp_path)
    store.save(graph, "spring", positions_of(graph))

    def broken(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(layout_store.np, "fromfile", broken)
    assert store.load(graph, "spring") is None
    assert not any(tmp_path.iterdir())


def test_past_the_bound_what_was_not_asked_for_longest_goes(tmp_path: Path) -> None:
    graphs = [bare(weight=weight) for weight in (1, 2, 3, 4)]
    positions = positions_of(graphs[0])
    store = LayoutStore(tmp_path, most_bytes=3 * positions.nbytes + 300)
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
