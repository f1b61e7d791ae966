"""Contention rises until a run is wrong, in a fixed number of graphs; runs of all of them are reported together."""

from __future__ import annotations

import pytest

from solvers.contracts.catalog import find
from solvers.devices.base import Device
from solvers.errors import Cancelled
from solvers.graphs.graph import Graph
from solvers.host.observer import CancelToken, Observer
from solvers.running import contention
from solvers.running.contention import LEVELS, raise_contention
from solvers.running.data_race import RaceReport, WrongVertex

RACY = find("harish-narayanan-racy")
SMALL = ({"vertices": 20}, {"vertices": 20, "order": "scattered"}, {"vertices": 20, "lasts": 5, "order": "scattered"})


@pytest.fixture
def small_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contention, "LEVELS", SMALL)


def wrong_from(number: int, monkeypatch: pytest.MonkeyPatch) -> list[Graph]:
    """Have the runs on the ``number``-th graph and later be wrong; returns the graphs asked for."""
    seen: list[Graph] = []

    def count(graph: Graph, source: int, variant: object, device: object, runs: int, observer: Observer) -> RaceReport:
        seen.append(graph)
        for run in range(runs):
            observer.checkpoint(run, runs)
        wrong = int(len(seen) >= number)
        return RaceReport(runs, wrong, (wrong,) * runs, WrongVertex(0, 1, 3.0, 2.0) if wrong else None)

    monkeypatch.setattr(contention, "count_wrong_runs", count)
    return seen


@pytest.mark.parametrize("number", [1, 2, 3])
def test_it_stops_at_the_first_wrong_run(
    number: int, monkeypatch: pytest.MonkeyPatch, small_levels: None, device: Device
) -> None:
    seen = wrong_from(number, monkeypatch)
    levels = raise_contention(RACY, device, 4)
    assert [level.graph for level in levels] == seen
    assert len(levels) == number
    assert [level.report.wrong_runs for level in levels] == [0] * (number - 1) + [1]


def test_all_graphs_are_tried_where_no_run_is_wrong(
    monkeypatch: pytest.MonkeyPatch, small_levels: None, device: Device
) -> None:
    wrong_from(9, monkeypatch)
    progress: list[tuple[float, float]] = []
    levels = raise_contention(RACY, device, 4, Observer(on_progress=lambda done, total: progress.append((done, total))))
    assert [(level.writers, level.lasts) for level in levels] == [(18, 1), (18, 1), (14, 5)]
    assert [done for done, _ in progress] == sorted(done for done, _ in progress)
    assert {total for _, total in progress} == {12}


def test_the_runs_are_real(small_levels: None, device: Device) -> None:
    levels = raise_contention(RACY, device, 2)
    assert all(level.report.runs == 2 for level in levels)
    assert all(level.report.wrong_runs == 0 for level in levels[:-1])


def test_it_can_be_cancelled(small_levels: None, device: Device) -> None:
    token = CancelToken()
    with pytest.raises(Cancelled):
        raise_contention(RACY, device, 50, Observer(token, lambda done, total: token.cancel() if done >= 10 else None))


def test_contention_never_falls() -> None:
    lasts = [level.get("lasts", 1) for level in LEVELS]
    assert lasts == sorted(lasts)
