"""Graphs with changed roads that are not what was said of their network are refused, wherever
answers are proved; those that are, are not. An answer is right by the arcs of its own graph, so
nothing else finds these.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from solvers import all_sources, prepare, read, solve
from solvers.errors import VerificationFailed, WrongAnswer
from solvers.features.ends_on_roads import cut_roads
from solvers.features.router.router import Router
from solvers.graphs import road_changes, road_patch
from solvers.graphs.arc_columns import ArcColumn
from solvers.graphs.changed_arcs import RoadArea
from solvers.graphs.graph import Coordinates, Graph, RoadPatch
from solvers.graphs.hours import Hour, HourTable
from solvers.graphs.places import place_ends
from solvers.graphs.road_changes import RoadChange, RoadChanges
from solvers.graphs.road_data import RoadData
from solvers.graphs.road_patch import changed_graph
from solvers.graphs.turn_rules import TurnRules
from solvers.running import prepared_network
from solvers.verification.changed_roads import changed_roads_failure
from tests.graphs import from_list

CLASSES = ("path", "service")
FROM_0_TO_1, FROM_1_TO_2, FROM_2_TO_3 = (10, 13), (13, 16), (16, 19)
HOURS = HourTable("hours", CLASSES, {"07:00": np.array([1.5, 1.0]), "08:00": np.array([0.7, 3.0])})


def square(dtype: str = "int32") -> Graph:
    """A ring of four roads, two of them parallel, with a class for each arc."""
    roads = [(0, 1, 4), (1, 2, 5), (1, 2, 7), (2, 3, 6), (3, 0, 9), (2, 2, 1)]
    graph = from_list(4, roads, dtype, directed=False)
    places = Coordinates(np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) / 500, geographic=True)
    classes = (np.arange(graph.m) % 2).astype(np.uint8)
    data = RoadData((), None, ("",), np.zeros(graph.m, np.int32), class_of=classes)
    return replace(graph, coordinates=places, roads=data, weight_unit="s")


def table_file(tmp_path) -> str:
    path = tmp_path / "hours.csv"
    path.write_text("class,07:00,08:00\npath,1.5,0.7\nservice,1,3\n")
    return str(path)


def road_left_open(graph: Graph, monkeypatch: pytest.MonkeyPatch, _) -> Graph:
    def patched(patch: RoadPatch, **fields):
        kept = replace(patch, closed=patch.closed[1:])
        return road_patch.patched(kept, **fields)

    monkeypatch.setattr(road_changes, "patched", patched)
    return RoadChanges().close(FROM_2_TO_3).apply(graph)


def arc_left_in(graph: Graph, monkeypatch: pytest.MonkeyPatch, _) -> Graph:
    """Its patch is right."""
    found = RoadChanges().close(FROM_2_TO_3).apply(graph)
    return replace(
        found, indptr=graph.indptr, indices=graph.indices, weights=graph.weights, roads=graph.roads
    )


def road_open_again(graph: Graph, monkeypatch: pytest.MonkeyPatch, _) -> Graph:
    closed = RoadChanges().close(FROM_2_TO_3).apply(graph)
    return RoadChanges().close(FROM_0_TO_1).apply(graph, closed)


def all_open_again(graph: Graph, monkeypatch: pytest.MonkeyPatch, tmp_path) -> Graph:
    """Only the hour is left."""
    hour = Hour.of(table_file(tmp_path), "08:00")
    closed = RoadChanges(hour=hour).close(FROM_2_TO_3).apply(graph)
    return RoadChanges(hour=hour).apply(graph, closed)


def slowed_twice(graph: Graph, monkeypatch: pytest.MonkeyPatch, _) -> Graph:
    changes = RoadChanges().slow(3.0, FROM_2_TO_3)
    return changes.apply(graph, changes.apply(graph))


def last_hour(graph: Graph, monkeypatch: pytest.MonkeyPatch, tmp_path) -> Graph:
    one, other = (Hour.of(table_file(tmp_path), at) for at in ("07:00", "08:00"))
    before = RoadChanges(hour=one).apply(graph)
    return RoadChanges(hour=other).close(FROM_0_TO_1).apply(graph, before)


def last_hour_alone(graph: Graph, monkeypatch: pytest.MonkeyPatch, tmp_path) -> Graph:
    one, other = (Hour.of(table_file(tmp_path), at) for at in ("07:00", "08:00"))
    return RoadChanges(hour=other).apply(graph, RoadChanges(hour=one).apply(graph))


def hour_that_was_left(graph: Graph, monkeypatch: pytest.MonkeyPatch, tmp_path) -> Graph:
    hour = Hour.of(table_file(tmp_path), "08:00")
    return RoadChanges().slow(2.0, FROM_0_TO_1).apply(graph, RoadChanges(hour=hour).apply(graph))


def wrong_table(graph: Graph, monkeypatch: pytest.MonkeyPatch, _) -> Graph:
    wrong = lambda table, graph, hour: graph.weights + 1  # noqa: E731
    monkeypatch.setattr(HourTable, "weights_at", wrong)
    return HOURS.at(graph, "07:00")


def stale_cut(graph: Graph, monkeypatch: pytest.MonkeyPatch, tmp_path) -> Graph:
    stale = slowed_twice(graph, monkeypatch, tmp_path)
    points = place_ends().nearest(stale, [(0.0, 0.001)])
    return place_ends().cut(stale, points)[0]


def wrong_cut(graph: Graph, monkeypatch: pytest.MonkeyPatch, _) -> Graph:
    def divided(value, shares, *, from_head=False):
        return np.full(len([*shares]) + 1, value, value.dtype)

    monkeypatch.setattr(cut_roads, "divided", divided)
    points = place_ends().nearest(graph, [(0.0, 0.001)])
    return place_ends().cut(graph, points)[0]


PLANTED = {
    road_left_open: "16 → 19 is open, but closed by what was said (1 road closed)",
    arc_left_in: "16 → 19 is open, but closed by what was said (1 road closed)",
    road_open_again: "16 → 19 is missing, but open by what was said (1 road closed)",
    all_open_again: "16 → 19 is missing, but open by what was said (at 08:00)",
    slowed_twice: "16 → 19 weighs 54 s, not 18 s by what was said (1 road slowed)",
    last_hour: "weighs .* by what was said (at 08:00, 1 road closed)",
    last_hour_alone: "weighs .* by what was said (at 08:00)",
    hour_that_was_left: "weighs .* by what was said (1 road slowed)",
    wrong_table: "weighs .* by what was said (at 07:00)",
    stale_cut: "16 → 19 weighs 54 s, not 18 s by what was said (1 road slowed)",
    wrong_cut: "is not the part of its road",
}


def pattern(words: str) -> str:
    return "Not the network of the question: .*" + words.replace("(", r"\(").replace(")", r"\)")


@pytest.mark.parametrize("plant", PLANTED)
def test_what_was_not_said_is_refused_wherever_answers_are_proved(
    plant: Callable[..., Graph], monkeypatch: pytest.MonkeyPatch, tmp_path
) -> None:
    graph, words = plant(square(), monkeypatch, tmp_path), pattern(PLANTED[plant])
    source, target = (int(graph.ids[v]) for v in (0, 2))
    for algorithm, ends in (
        ("dijkstra-heap", {"source": source}),
        ("dijkstra-heap", {"source": source, "target": target}),
        ("fw-serial", {}),
    ):
        with pytest.warns(WrongAnswer, match=words):
            assert solve(graph, algorithm, **ends).verified is False
    with pytest.warns(WrongAnswer, match=words):
        solve(graph, sources=[source], verify="all")
    with pytest.warns(WrongAnswer, match=words):
        assert all_sources(graph, "eccentricity").verified is False
    _require_refused(prepare(graph, device=None, verify="all"), source, target, words)
    with pytest.raises(VerificationFailed, match=words):
        prepare(graph, device=None).table([source], [target])


def _require_refused(router: Router, source: int, target: int, words: str) -> None:
    for question in (
        lambda: router.distance(source, target),
        lambda: router.path(source, target),
        lambda: router.distances(source),
        lambda: router.lengths([(source, target)]),
        lambda: router.table([source], [target]),
        lambda: router.paths([(source, target)]),
    ):
        with pytest.raises(VerificationFailed, match=words):
            question()


@pytest.mark.parametrize("turns", [False, True])
def test_stale_weights_of_a_router_are_refused(
    turns: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted: an update, an hour and a closed road leave the network as it was before."""
    graph = square()
    if turns:
        graph = replace(graph, directed=True, turns=TurnRules.of({(0, 2): 7}))

    def stale(network: Graph, weights: np.ndarray, said: object = None) -> Graph:
        if network is not graph:  # what is searched, where there are turns
            return changed_graph(network, weights)
        none = np.empty(0, np.int64)
        told = weights if said is None else said
        return replace(graph, base=RoadPatch(graph, none, none, graph.weights[none], (told,)))

    changes: dict[str, Callable[[Router], Router | None]] = {
        r"weighs .* \(other weights\)": lambda router: router.update({(16, 19): 60}),
        r"is open, but closed .* \(other weights\)": lambda router: router.close([(16, 19)]),
        r"weighs .* \(at 08:00\)": lambda router: router.at("08:00", HOURS),
    }
    for words, change in changes.items():
        router = prepare(graph, device=None, verify="all")
        with monkeypatch.context() as planted:
            planted.setattr(prepared_network, "changed_graph", stale)
            router = change(router) or router
        with pytest.raises(VerificationFailed, match=words):
            router.distance(10, 16)
        with pytest.raises(VerificationFailed, match=words):
            router.distance((0.0, 0.001), 16)


def changed_graphs(graph: Graph, tmp_path) -> list[Graph]:
    hour = Hour.of(table_file(tmp_path), "08:00")
    area = RoadArea.of(np.array([FROM_1_TO_2, FROM_2_TO_3]), 0.3)
    several = (
        RoadChanges(hour=hour)
        .with_area(area)
        .with_roads([RoadChange(*FROM_1_TO_2, 2.5, one_way=True)])
        .close(FROM_0_TO_1, one_way=True)
    )
    at_hour = RoadChanges(hour=hour).apply(graph)
    slowed = RoadChanges().slow(1 / 3, FROM_1_TO_2).apply(graph)
    weights = np.where(np.arange(graph.m) == 2, np.inf, graph.weights + 0.25)
    others = changed_graph(slowed, weights)
    infinity = graph.distance_type.infinity
    one_closed = changed_graph(graph, np.where(np.arange(graph.m) == 3, infinity, graph.weights))
    cut, _ = place_ends().cut(
        slowed, place_ends().nearest(slowed, [(0.0, 0.001), (0.0, 0.0013), (0.001, 0.0)])
    )
    return [
        graph,
        at_hour,
        slowed,
        others,
        cut,
        several.apply(graph),
        several.apply(graph, at_hour),
        several.apply(slowed),
        RoadChanges(hour=hour).apply(graph, at_hour),
        RoadChanges().slow(30.0, FROM_0_TO_1).apply(others),
        RoadChanges().close(FROM_1_TO_2).apply(cut),
        HOURS.at(RoadChanges().close(FROM_2_TO_3).apply(graph), "07:00"),
        HOURS.at(one_closed, "08:00"),
        changed_graph(cut, cut.weights * 2),
    ]


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_what_was_said_is_not_refused(dtype: str, tmp_path) -> None:
    for graph in changed_graphs(square(dtype), tmp_path):
        assert changed_roads_failure(graph) is None


def test_speeds_of_arcs_are_not_refused() -> None:
    graph = square("float64")
    metres = ArcColumn("length", "m", np.arange(1.0, graph.m + 1))
    graph = replace(graph, attributes=(metres,))
    speeds = HourTable("speeds", (("10", "13"), ("13", "16")), {"08:00": np.array([30.0, 17.0])})
    assert changed_roads_failure(speeds.at(graph, "08:00")) is None


def test_roads_with_names_are_not_refused() -> None:
    graph = read([("a", "b", 3), ("b", "c", 4)])
    changes = RoadChanges().close(("a", "b")).slow(2.0, ("b", "c"))
    assert changed_roads_failure(changes.apply(graph)) is None


def test_a_patch_of_which_nothing_was_said_is_refused() -> None:
    graph = square()
    patch = RoadPatch(graph, np.array([2]), np.empty(0, np.int64), graph.weights[:0])
    failure = changed_roads_failure(road_patch.patched(patch))
    assert failure is not None
    assert "is missing, but open" in failure.text


def test_a_graph_is_derived_once(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = RoadChanges().close(FROM_0_TO_1).apply(square())
    assert changed_roads_failure(graph) is None
    monkeypatch.setattr("solvers.verification.changed_roads._failure", None)
    assert changed_roads_failure(graph) is None
