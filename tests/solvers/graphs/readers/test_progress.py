"""Reading reports progress in small steps and stops soon after Cancel."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from solvers.errors import Cancelled
from solvers.graphs.graph import Coordinates
from solvers.graphs.readers import read_graph
from solvers.graphs.readers.assemble import mirrored
from solvers.graphs.readers.coordinates import place_missing
from solvers.graphs.readers.formats import Parsed
from solvers.graphs.readers.numbering import number_arcs, vertex_ids
from solvers.graphs.readers.table import Layout, Rows, _RowBuffer
from solvers.graphs.rows import SLICE
from solvers.host.observer import CancelToken, Observer

ARCS = 200_000


@pytest.fixture(params=["plain", "gzip"])
def road(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file of several blocks with coordinates beside."""
    text = "".join(f"a {k % 5000 + 1} {k % 4999 + 1} {k}\n" for k in range(ARCS)).encode()
    path = tmp_path / "road.gr"
    path.write_bytes(gzip.compress(text, 1) if request.param == "gzip" else text)
    (tmp_path / "road.co").write_text("".join(f"v {k + 1} {k} {k}\n" for k in range(5000)))
    return path


def test_progress_rises_to_the_end(road: Path) -> None:
    heard: list[float] = []

    read_graph(road, observer=Observer(on_progress=lambda done, total: heard.append(done / total)))

    assert len(heard) > 5
    assert heard == sorted(heard)
    assert heard[-1] == 1.0


@pytest.mark.parametrize("after", [1, 3, 6])
def test_cancel_stops_between_blocks_and_in_the_building(road: Path, after: int) -> None:
    token = CancelToken()
    heard: list[float] = []

    def cancel_later(done: float, total: float) -> None:
        heard.append(done)
        if len(heard) == after:
            token.cancel()

    with pytest.raises(Cancelled):
        read_graph(road, observer=Observer(token, cancel_later))

    assert len(heard) == after  # not one step more


def looks_while(work: Callable[[Callable[[], None]], object]) -> int:
    looks: list[int] = []
    work(lambda: looks.append(1))
    return len(looks)


def test_the_blocks_of_a_file_are_joined_one_by_one() -> None:
    """Joined all at once, 9 million arcs left Cancel waiting for a quarter of a second."""
    blocks = 7
    collector = _RowBuffer(Layout(ids=("tail", "head"), values=("weight",)))
    for k in range(blocks):
        ids, whole, _, _ = collector.buffers(1_000)
        ids[:2] = [[k, k + 1], [k, 2]]
        whole[:2, 0] = [5, 2**40 if k == 3 else 6]  # one block is wider than the others
        collector.keep(2)

    found: list[Rows] = []
    assert looks_while(lambda checkpoint: found.append(collector.rows(checkpoint))) == blocks
    assert found[0].ids.tolist() == [pair for k in range(blocks) for pair in ([k, k + 1], [k, 2])]
    assert (found[0].ids.dtype.name, found[0].values.dtype.name) == ("int32", "int64")
    assert found[0].values[:, 0].tolist() == [v for k in range(blocks) for v in (5, 2**40 if k == 3 else 6)]


def test_arcs_are_turned_round_slice_by_slice() -> None:
    tails = np.arange(2 * SLICE + 5, dtype=np.int32)
    heads = np.where(tails % 3 == 0, tails, tails + 1).astype(np.int32)  # every third is a self-loop
    weights = tails.astype(np.int64) * 7
    turn = tails != heads

    both: list[tuple[np.ndarray, ...]] = []
    assert looks_while(lambda look: both.append(mirrored(tails, heads, weights, look))) == 3
    np.testing.assert_array_equal(both[0][0], np.concatenate((tails, heads[turn])))
    np.testing.assert_array_equal(both[0][1], np.concatenate((heads, tails[turn])))
    np.testing.assert_array_equal(both[0][2], np.concatenate((weights, weights[turn])))


def test_vertices_without_coordinates_are_placed_slice_by_slice() -> None:
    n = SLICE + 9
    xy = np.full((n, 2), np.nan)
    xy[0] = (3.0, 4.0)
    alone = np.zeros(n + 1, dtype=np.int64)

    looks = looks_while(lambda look: place_missing(Coordinates(xy), alone, np.empty(0, dtype=np.int32), look))

    assert looks == 2 * 16


def test_ids_with_wide_gaps_are_united_range_by_range() -> None:
    rng = np.random.default_rng(3)
    ends = rng.integers(0, 400_000, (500_000, 2)) * 1_000_003
    parsed = Parsed(Rows(ends, np.empty((len(ends), 0))))

    found: list[np.ndarray] = []
    looks = looks_while(lambda look: found.append(vertex_ids(Path("gaps"), parsed, look)))

    assert found[0].tolist() == sorted(set(ends.ravel().tolist()))
    assert looks >= 500_000 / 2**17 + 1_000_000 / 2**19


def test_ids_with_wide_gaps_are_sought_slice_by_slice() -> None:
    """With 131,072 arcs a slice, Cancel waited for 0.2 s of bisection in two million ids."""
    rng = np.random.default_rng(3)
    arcs = 10 * 2**14 + 1
    ids = np.unique(rng.integers(0, 10**15, 1_000, dtype=np.int64))
    chosen = rng.integers(0, len(ids), (arcs, 2))
    parsed = Parsed(Rows(ids[chosen], np.empty((arcs, 0))))

    found: list[tuple[np.ndarray, np.ndarray]] = []
    looks = looks_while(lambda look: found.append(number_arcs(Path("gaps"), parsed, ids, look)))

    assert looks == 11
    np.testing.assert_array_equal(np.column_stack(found[0]), chosen)


def test_listed_vertices_are_sorted_slice_by_slice() -> None:
    listed = np.random.default_rng(3).permutation(500_000)
    vertices = Rows(listed[:, None], np.empty((len(listed), 2)))
    parsed = Parsed(Rows(np.zeros((0, 2), dtype=np.int64), np.empty((0, 0))), vertices=vertices)

    found: list[np.ndarray] = []
    looks = looks_while(lambda look: found.append(vertex_ids(Path("map"), parsed, look)))

    np.testing.assert_array_equal(found[0], np.arange(500_000))
    assert looks >= 500_000 / 2**17


def test_a_cancelled_reading_closes_its_file(road: Path) -> None:
    token = CancelToken()
    token.cancel()

    with pytest.raises(Cancelled):
        read_graph(road, observer=Observer(token))

    road.rename(road.with_name("moved.gr"))  # Windows refuses while a file is open
    assert threading.active_count() >= 1
