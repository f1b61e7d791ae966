"""Prominence of the open graph's roads: after its hierarchy, in the background, and
ended with the graph.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gui.canvas.content import ContentBuilder, PictureOptions
from gui.controllers.hierarchy import HierarchyController
from gui.features.prominence import controller as controller_module
from gui.features.prominence.controller import ProminenceController
from gui.model.jobs import Jobs
from gui.model.playback import Playback
from gui.model.session import Session
from gui.model.settings import Settings
from gui.model.shown_run import SelectedRun
from solvers.errors import SeparatorsTooLarge, TautpathError
from solvers.features.prominence import flows as prominence
from solvers.features.prominence.roads import Prominence
from solvers.graphs.generators import find
from solvers.graphs.graph import Graph
from solvers.graphs.road_data import RoadData
from solvers.picture.scene.content import Layer
from solvers.picture.scene.scene import DrawableGraph, build_scene

PATIENCE_MS = 60_000


class Bench:
    def __init__(self, settings: Settings, qtbot: QtBot):
        self.session, self.jobs, self.options, self.qtbot = (
            Session(),
            Jobs(),
            PictureOptions(),
            qtbot,
        )
        self.hierarchy = HierarchyController(self.session, self.jobs, settings)
        self.scene: DrawableGraph | None = None
        self.controller = ProminenceController(
            self.session, self.jobs, self.hierarchy, self.options, lambda: self.scene, self.session
        )
        self.session.graph_changed.connect(self.controller.follow_graph)
        self.notices: list[object] = []
        self.session.noticed.connect(self.notices.append)

    def wait_for_jobs(self) -> None:
        self.qtbot.waitUntil(lambda: not self.jobs.all(), timeout=PATIENCE_MS)


@pytest.fixture
def bench(settings: Settings, qtbot: QtBot) -> Iterator[Bench]:
    settings.prepares_hierarchies = True
    made = Bench(settings, qtbot)
    yield made
    made.jobs.shut_down(60)  # a job that went on would write its flows into the next test's folder


@pytest.fixture
def road() -> Graph:
    return find("road").generate({"vertices": 400})


def test_roads_get_their_prominence_after_the_hierarchy(bench: Bench, road: Graph) -> None:
    bench.session.open_graph(road)
    assert bench.options.prominence is None
    bench.qtbot.waitUntil(lambda: bench.options.prominence is not None, timeout=PATIENCE_MS)
    assert bench.options.prominence.graph is road
    bench.session.open_graph(find("road").generate({"vertices": 60}))
    assert bench.options.prominence is None


def test_levels_of_the_drawn_roads_are_found_in_the_job(
    bench: Bench, road: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[threading.Thread] = []
    real = Prominence.on

    def on(self: Prominence, scene: DrawableGraph) -> np.ndarray:
        threads.append(threading.current_thread())
        return real(self, scene)

    monkeypatch.setattr(Prominence, "on", on)
    bench.scene = build_scene(road)
    bench.session.open_graph(road)
    bench.qtbot.waitUntil(lambda: bench.options.prominence is not None, timeout=PATIENCE_MS)
    bench.wait_for_jobs()
    assert threads  # twice if flows were not on disk: of the first sources, and of all
    assert threading.main_thread() not in threads


def test_flows_on_disk_need_no_hierarchy(bench: Bench, road: Graph, settings: Settings) -> None:
    prominence.sampled_flows(road)
    settings.prepares_hierarchies = False
    bench.session.open_graph(road)
    bench.wait_for_jobs()
    assert bench.options.prominence is not None


def test_classes_of_roads_need_neither_flows_nor_hierarchy(
    bench: Bench, road: Graph, settings: Settings
) -> None:
    settings.prepares_hierarchies = False
    classes = (np.arange(road.m) % 8).astype(np.uint8)
    roads = RoadData((), None, ("",), np.zeros(road.m, np.int32), class_of=classes)
    bench.session.open_graph(replace(road, roads=roads))
    bench.wait_for_jobs()
    found = bench.options.prominence
    assert found.words == "class of road"
    assert (np.diff([found.levels[classes == rank].min() for rank in range(8)]) > 0).all()


def test_without_a_hierarchy_nothing_is_computed(bench: Bench, settings: Settings) -> None:
    settings.prepares_hierarchies = False
    # whose flows no other test leaves on disk
    bench.session.open_graph(find("road").generate({"vertices": 300}))
    bench.wait_for_jobs()
    assert bench.options.prominence is None


def test_a_graph_without_positions_has_none(bench: Bench, road: Graph) -> None:
    prominence.sampled_flows(road)
    bench.session.open_graph(Graph(road.indptr, road.indices, road.weights))
    bench.wait_for_jobs()
    assert bench.options.prominence is None


@pytest.mark.parametrize(
    "error", [SeparatorsTooLarge("flows", "a graph", 1, 2), RuntimeError("a fault")]
)
def test_a_refusal_is_silent_and_a_fault_is_not(
    bench: Bench, road: Graph, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: object) -> np.ndarray:
        raise error

    monkeypatch.setattr(controller_module, "sampled_flows", fail)
    bench.session.open_graph(road)
    bench.qtbot.waitUntil(lambda: bench.hierarchy.weights_of(road) is not None, timeout=PATIENCE_MS)
    bench.wait_for_jobs()
    assert bench.options.prominence is None
    assert bool(bench.notices) == (not isinstance(error, TautpathError))


def test_the_layer_switches_it(bench: Bench, road: Graph) -> None:
    prominence.sampled_flows(road)
    bench.session.open_graph(road)
    bench.qtbot.waitUntil(lambda: bench.options.prominence is not None, timeout=PATIENCE_MS)
    run, scene = SelectedRun(bench.session, Playback()), build_scene(road)
    builder = ContentBuilder(bench.session, run, bench.options)
    assert builder.content(scene).shown_prominence is bench.options.prominence
    bench.options.set_layer(Layer.PROMINENCE, False)
    assert builder.content(scene).shown_prominence is None
    bench.options.set_layer(Layer.PROMINENCE, True)
    assert (
        builder.content(
            build_scene(road, np.random.default_rng(0).random((road.n, 2)))
        ).shown_prominence
        is None
    )


@pytest.mark.parametrize("others", [False, True])
def test_a_graph_with_hubs_is_coloured_by_community_until_something_else_is_shown(
    bench: Bench, qtbot: QtBot, others: bool
) -> None:
    leaves = np.arange(2, 200)
    graph = Graph.from_arcs(200, leaves % 2, leaves, np.ones(198, np.int32))
    bench.session.open_graph(graph)
    bench.wait_for_jobs()
    found = bench.options.communities
    assert found is not None
    other = replace(found)
    bench.options.set_values(other if others else None)
    scene = build_scene(graph, positions=np.random.default_rng(1).random((200, 2)))
    content = ContentBuilder(
        bench.session, SelectedRun(bench.session, Playback()), bench.options
    ).content(scene)
    assert content.values is (other if others else found)
    bench.options.set_layer(Layer.PROMINENCE, False)
    content = ContentBuilder(
        bench.session, SelectedRun(bench.session, Playback()), bench.options
    ).content(scene)
    assert content.values is (other if others else None)
    bench.session.open_graph(find("road").generate({"vertices": 400}))
    assert bench.options.communities is None
