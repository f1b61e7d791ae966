"""Preparing of hierarchies: after opening and on request, never beside a measurement,
and silently where it fails.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from gui.controllers import hierarchy
from gui.controllers.hierarchy import HierarchyController
from gui.model.jobs import JobContext, JobKind, Jobs
from gui.model.session import Session
from gui.model.settings import Settings
from solvers.errors import SeparatorsTooLarge
from solvers.graphs.generators import find
from solvers.graphs.graph import Graph
from solvers.running.prepared_network import PreparedNetwork, searched_network
from solvers.system.cancel import Progress
from tests.gui.windows import until_cancelled

PATIENCE_MS = 60_000


@pytest.fixture
def road() -> Graph:
    return find("road").generate({"vertices": 500})


@pytest.fixture
def bench(settings: Settings, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    settings.prepares_hierarchies = True
    made = Bench(settings, qtbot, monkeypatch)
    yield made
    made.jobs.shut_down(60)


class Bench:
    """The controller, and a job that lasts until it is let go or cancelled."""

    def __init__(self, settings: Settings, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch):
        self.session, self.jobs, self.qtbot = Session(), Jobs(), qtbot
        self.preparing = HierarchyController(self.session, self.jobs, settings)
        self.prepared: list[PreparedNetwork] = []
        self.notices: list[object] = []
        self.preparing.prepared.connect(lambda _, weights: self.prepared.append(weights))
        self.session.noticed.connect(self.notices.append)
        self.started = 0
        self.let_go = False
        self.error: Exception | None = None
        monkeypatch.setattr(hierarchy, "_prepare", self._prepare)

    def _prepare(self, graph: Graph, context: JobContext) -> PreparedNetwork:
        self.started += 1
        while not self.let_go:
            time.sleep(0.001)
            context.progress_for().checkpoint()
        if self.error is not None:
            raise self.error
        return searched_network(graph)

    def wait(self, condition: object) -> None:
        self.qtbot.waitUntil(condition, timeout=PATIENCE_MS)


def test_a_road_network_is_prepared_after_opening(bench: Bench, road: Graph) -> None:
    bench.session.open_graph(road)
    assert bench.preparing.running
    bench.let_go = True
    bench.wait(lambda: len(bench.prepared) == 1)
    assert bench.preparing.weights_of(road) is bench.prepared[0]
    bench.preparing.prepare()
    assert not bench.preparing.running, "it is done once"


@pytest.mark.skipif(
    sys.platform != "linux", reason="Threads have priorities of their own on Linux only."
)
def test_the_job_has_the_priority_of_the_window(
    settings: Settings, qtbot: QtBot, road: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a lower one it would hold the interpreter's lock while other programs have
    the processors.
    """
    priorities = []

    def prepare(graph: Graph, progress: Progress) -> PreparedNetwork:
        priorities.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))
        return searched_network(graph)

    monkeypatch.setattr(hierarchy, "network_with_hierarchy", prepare)
    settings.prepares_hierarchies = True
    session, jobs = Session(), Jobs()
    preparing = HierarchyController(session, jobs, settings)
    session.open_graph(road)
    qtbot.waitUntil(lambda: preparing.weights_of(road) is not None, timeout=PATIENCE_MS)
    assert priorities == [os.getpriority(os.PRIO_PROCESS, 0)]


def test_the_setting_keeps_it_from_starting_and_ends_it(bench: Bench, road: Graph) -> None:
    bench.session.open_graph(road)
    bench.preparing.set_quiet(False)
    assert bench.jobs.running(JobKind.HIERARCHY) is None
    bench.session.open_graph(road)
    assert bench.jobs.running(JobKind.HIERARCHY) is None
    bench.preparing.prepare()
    assert bench.preparing.running, "live mode asks for it all the same"
    bench.let_go = True
    bench.wait(lambda: not bench.jobs.all())


@pytest.mark.parametrize("kind", [JobKind.SOLVE, JobKind.EXPERIMENT])
def test_a_job_that_measures_ends_it_and_it_starts_again_afterwards(
    bench: Bench, road: Graph, kind: JobKind
) -> None:
    bench.session.open_graph(road)
    bench.wait(lambda: bench.started == 1)
    solving = bench.jobs.start(kind, "Measuring", until_cancelled)
    assert bench.jobs.running(JobKind.HIERARCHY) is None
    bench.preparing.prepare()
    assert bench.jobs.running(JobKind.HIERARCHY) is None
    solving.cancel()
    bench.wait(lambda: bench.started == 2)
    bench.let_go = True
    bench.wait(lambda: len(bench.prepared) == 1)


def test_a_refusal_is_not_told(bench: Bench, road: Graph) -> None:
    bench.error, bench.let_go = SeparatorsTooLarge("live", road.name, 10**9, road.m), True
    bench.session.open_graph(road)
    bench.wait(lambda: not bench.jobs.all())
    assert bench.notices == []
    bench.preparing.prepare()
    assert not bench.preparing.running, "it would be refused again"


def test_another_graph_takes_the_place_of_one_in_preparation(bench: Bench, road: Graph) -> None:
    bench.session.open_graph(road)
    other = find("road").generate({"vertices": 300})
    bench.session.open_graph(other)
    bench.let_go = True
    bench.wait(lambda: not bench.jobs.all())
    assert bench.preparing.weights_of(road) is None
    assert bench.preparing.weights_of(other) is not None


def test_what_was_prepared_before_ends_the_job_for_another_graph(bench: Bench, road: Graph) -> None:
    """Roads opened again: the job for the changed network replaced the hierarchy of the
    open one when it ended.
    """
    known = find("road").generate({"vertices": 300})
    bench.session.open_graph(road)
    bench.preparing.keep(known, weights := searched_network(known))
    bench.session.open_graph(known)
    assert not bench.jobs.all()
    assert bench.preparing.weights_of(known) is weights
