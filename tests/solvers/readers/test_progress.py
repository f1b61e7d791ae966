"""Reading reports progress in small steps and stops soon after Cancel."""

from __future__ import annotations

import gzip
import threading
from pathlib import Path

import pytest

from solvers.errors import Cancelled
from solvers.observer import CancelToken, Observer
from solvers.readers import read_graph

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


def test_a_cancelled_reading_closes_its_file(road: Path) -> None:
    token = CancelToken()
    token.cancel()

    with pytest.raises(Cancelled):
        read_graph(road, observer=Observer(token))

    road.rename(road.with_name("moved.gr"))  # Windows refuses while a file is open
    assert threading.active_count() >= 1
