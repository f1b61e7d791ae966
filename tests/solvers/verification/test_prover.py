"""Whoever is asked about a network, a wrong answer is refused, and so is one about a network that
is not what was said: each fault is planted, and all are asked that it concerns.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Hashable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solvers import all_sources, prepare, solve
from solvers.algorithms.hierarchy.batched_sweep import HierarchyRows
from solvers.errors import VerificationFailed, WrongAnswer
from solvers.features.all_sources.flows.flow_sweep import HierarchyFlows
from solvers.features.alternatives import simple_paths
from solvers.features.ends_on_roads import cut_roads
from solvers.features.router.router import Router
from solvers.graphs import following_arcs, road_changes, road_patch
from solvers.graphs.graph import Coordinates, Graph, Overlay, RoadPatch, Said
from solvers.graphs.hours import Hour, HourTable
from solvers.graphs.places import place_ends
from solvers.graphs.road_changes import RoadChanges
from solvers.graphs.road_data import RoadData
from solvers.graphs.road_patch import changed_graph
from solvers.graphs.searched import turn_search
from solvers.graphs.turn_rules import TurnCosts, TurnRules
from solvers.running import prepared_network
from solvers.running.engines import HierarchyEngine, SearchEngine
from solvers.verification.prover import NetworkProver
from tests.graphs import from_list
from tests.solvers.verification.changed import (
    FROM_0_TO_1,
    FROM_2_TO_3,
    HOURS,
    square,
    table_file,
    two_towns,
    weighed_at,
)

Ends = tuple[Hashable, Hashable, tuple[float, float]]
"""Ids of a source and a target, and a place on a road at the source."""

Ask = Callable[[Graph, Ends], Any]

_OF_A_ROUTER: dict[str, Callable[[Router, Any, Any], Any]] = {
    "distance": lambda router, a, b: router.distance(a, b),
    "path": lambda router, a, b: router.path(a, b),
    "distances": lambda router, a, b: router.distances(a),
    "tree": lambda router, a, b: router.tree(a),
    "within": lambda router, a, b: router.within(a, 1e6),
    "eccentricity": lambda router, a, b: router.eccentricity(a),
    "isochrone": lambda router, a, b: router.isochrone(a, [1e6]),
    "nearest": lambda router, a, b: router.nearest(a, [b]),
    "lengths": lambda router, a, b: router.lengths([(a, b)]),
    "table": lambda router, a, b: router.table([a], [b]),
    "rows of a table": lambda router, a, b: router.table([a]),
    "paths": lambda router, a, b: router.paths([(a, b)]),
    "simple paths": lambda router, a, b: router.shortest_simple_paths(a, b, 2),
    "alternatives": lambda router, a, b: router.alternatives(a, b, 2),
}


def _router(question: str, verify: Any = "all", source: int = 0) -> Ask:
    ask = _OF_A_ROUTER[question]
    return lambda graph, ends: ask(
        prepare(graph, device=None, verify=verify), ends[source], ends[1]
    )


_PROVED_IN_A_SAMPLE = "lengths", "table", "paths"
_NOT_OF_PLACES = "paths", "simple paths"

ASKED: dict[str, Ask] = {
    "run": lambda graph, ends: solve(graph, "dijkstra-heap", source=ends[0]),
    "run to a target": lambda graph, ends: solve(
        graph, "dijkstra-heap", source=ends[0], target=ends[1]
    ),
    "run of all pairs": lambda graph, ends: solve(graph, "fw-serial"),
    "run of several sources": lambda graph, ends: solve(graph, sources=[ends[0]], verify="all"),
    "all sources": lambda graph, ends: all_sources(graph, "eccentricity", device=None),
    "all targets": lambda graph, ends: all_sources(
        graph, "eccentricity", direction="in", device=None
    ),
    "betweenness": lambda graph, ends: all_sources(graph, "betweenness", device=None),
    **{name: _router(name) for name in _OF_A_ROUTER},
    **{f"sampled {name}": _router(name, "sample") for name in _PROVED_IN_A_SAMPLE},
    **{
        f"{name} of a place": _router(name, source=2)
        for name in _OF_A_ROUTER
        if name not in _NOT_OF_PLACES
    },
}


def refusals(graph: Graph, ends: Ends, asked: dict[str, Ask] = ASKED) -> dict[str, str]:
    """What each says is wrong; "" of those that answer."""
    return {name: _refusal(lambda ask=ask: ask(graph, ends)) for name, ask in asked.items()}


def others(found: dict[str, str], words: str) -> dict[str, str]:
    """Those that do not say that."""
    return {name: told for name, told in found.items() if not re.search(words, told)}


def _refusal(ask: Callable[[], Any]) -> str:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            ask()
        except VerificationFailed as error:
            return error.text
    return next((str(one.message) for one in caught if one.category is WrongAnswer), "")


def road_left_open(graph: Graph, monkeypatch: pytest.MonkeyPatch, _) -> Graph:
    def patched(patch: RoadPatch, *said, **fields):
        kept = replace(patch, closed=patch.closed[1:])
        return road_patch.patched(kept, *said, **fields)

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
    return weighed_at(graph)


def stale_cut(graph: Graph, monkeypatch: pytest.MonkeyPatch, tmp_path) -> Graph:
    stale = slowed_twice(graph, monkeypatch, tmp_path)
    points = place_ends().nearest(stale, [(0.0, 0.001)])
    return place_ends().cut(stale, points)[0]


def another_way_back(graph: Graph, monkeypatch: pytest.MonkeyPatch, _) -> Graph:
    """The road is cut there, and its parallel one back."""
    (point,) = place_ends().nearest(graph, [(0.001, 0.002)])
    backs = np.flatnonzero((graph.tails == point.head) & (graph.indices == point.tail))
    (back,) = {*backs.tolist()} - {point.back}
    return place_ends().cut(graph, [replace(point, back=back)])[0]


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
    another_way_back: "another road than 13 → 16 is cut as its way back",
    wrong_cut: "is not the part of its road",
}


@pytest.mark.parametrize("plant", PLANTED)
def test_a_network_that_is_not_what_was_said_is_refused(
    plant: Callable[..., Graph], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    graph = plant(square(), monkeypatch, tmp_path)
    ends = int(graph.ids[0]), int(graph.ids[2]), (0.0, 0.001)
    words = PLANTED[plant].replace("(", r"\(").replace(")", r"\)")
    words = f"Not the network of the question: .*{words}"
    asked = {
        name: ask
        for name, ask in ASKED.items()
        if plant is not arc_left_in or "place" not in name  # its arcs have no names
    }
    assert others(refusals(graph, ends, asked), words) == {}


@pytest.mark.parametrize("turns", [False, True])
def test_stale_weights_of_a_router_are_refused(
    turns: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted: an update, an hour and a closed road leave the network as it was before."""
    graph = square()
    if turns:
        graph = graph.with_turns(TurnRules.of({(0, 2): 7}), directed=True)

    def stale(network: Graph, weights: np.ndarray, said: Said | None = None) -> Graph:
        if network is not graph:  # what is searched, where there are turns
            return changed_graph(network, weights)
        none = np.empty(0, np.int64)
        told = road_patch.GivenWeights(weights) if said is None else said
        patch = RoadPatch(graph, none, none, graph.weights[none])
        return graph.with_overlay(Overlay((told,), graph.turns, patch))

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


def test_a_hierarchy_of_other_weights_proves_no_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: what answers keeps its weights, and proved bounds of these, after an update."""
    router = prepare(square(), device=None, verify="all")
    for _ in range(5):
        assert router.distance(10, 16) == 9
    monkeypatch.setattr(HierarchyEngine, "with_weights", lambda engine, *_: engine)
    router.update({(10, 13): 6})
    for _ in range(5):
        with pytest.raises(VerificationFailed, match="claimed, but"):
            router.distance(10, 16)


def test_arcs_of_closed_roads_are_no_path() -> None:
    graph = two_towns()
    ends = int(graph.ids[0]), int(graph.ids[1])
    (arc,) = np.flatnonzero((graph.tails == 0) & (graph.indices == 1))
    assert NetworkProver(graph).arcs(graph, np.array([arc])).verified
    closed = NetworkProver(RoadChanges().close(ends).apply(graph))
    told = closed.arcs(graph, np.array([arc])).text
    assert told == "Not a path: there is no arc {} → {}.".format(*ends)


def test_stale_turns_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: the U-turns of the network while a road was closed stay allowed."""
    graph = two_towns()
    a, b = int(graph.ids[0]), int(graph.ids[2])
    spread = np.array([[v / 1000, v % 3 / 1000] for v in range(graph.n)])
    graph = replace(graph, coordinates=Coordinates(spread, geographic=True))
    dead_end, far = ((int(graph.ids[v]), int(graph.ids[w])) for v, w in ((3, 4), (8, 9)))
    stale = RoadChanges().close(dead_end).apply(graph).turns
    search = replace(turn_search(), of_changed=lambda _: stale)
    monkeypatch.setattr(road_patch, "turn_search", lambda: search)
    changed = RoadChanges().slow(30.0, far).apply(graph)
    place = tuple(((spread[0] + spread[1]) / 2)[::-1].tolist())
    words = r"\d claimed; by allowed turns it is \d|is a U-turn, and no dead end is there"
    asked = {name: ask for name, ask in ASKED.items() if name != "simple paths"}  # makes none
    found = refusals(changed, (a, b, place), asked)
    assert others(found, words) == {}


@pytest.mark.parametrize("lost", ["sequences", "kinds"])
def test_other_rules_of_cut_roads_are_refused(lost: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: no forbidden turn is left, or no road is for destination only."""
    graph = two_towns()
    spread = np.array([[v / 1000, v % 3 / 1000] for v in range(graph.n)])
    rules = graph.turns
    assert rules is not None
    graph = replace(graph, coordinates=Coordinates(spread, geographic=True)).with_turns(
        replace(rules, for_destination=np.array([0]))
    )
    points = place_ends().nearest(graph, [tuple(((spread[0] + spread[1]) / 2)[::-1].tolist())])
    ends = {"source": int(graph.ids[0]), "target": int(graph.ids[2])}
    assert solve(place_ends().cut(graph, points)[0], "dijkstra-heap", **ends).verified

    def planted(cutting: Any, rules: TurnRules) -> TurnRules:
        found = right(cutting, rules)
        if lost == "kinds":
            return replace(found, for_destination=found.for_destination[:0])
        return TurnRules.of({}, no_u_turns=True)

    right = cut_roads._Cutting._rules
    monkeypatch.setattr(cut_roads._Cutting, "_rules", planted)
    with pytest.warns(WrongAnswer, match="other turns are forbidden"):
        solve(place_ends().cut(graph, points)[0], "dijkstra-heap", **ends)


def test_ways_back_by_the_weights_of_an_hour_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of two parallel roads, the other is lighter at 08:00, there and not back. From 0 nobody
    may drive on over 1 to 4 at once, and by both roads between 1 and 2 the way is shortest.
    """
    arcs = [(0, 1, 4), (1, 2, 5), (1, 2, 7), (1, 4, 1), (2, 1, 5), (2, 1, 7), (2, 3, 60)]
    graph = from_list(5, arcs)
    xy = np.array([[v, v % 2] for v in range(graph.n)]) / 500
    classes = np.array([0, 1, 0, 0, 0, 1, 0], np.uint8)
    names = np.zeros(graph.m, np.int32)
    graph = replace(
        graph,
        coordinates=Coordinates(xy, geographic=True),
        roads=RoadData((), None, ("",), names, class_of=classes),
        weight_unit="s",
    ).with_turns(TurnRules.of({(0, 3): 7}, TurnCosts(0, 0, 0, 0, around=50)))
    at_hour = weighed_at(graph, hour="08:00")
    points = place_ends().nearest(at_hour, [(0.001, 0.005)])  # of the road from 1 to 4
    ends = {"source": int(graph.ids[0]), "target": int(graph.ids[4])}
    for one in (at_hour, place_ends().cut(at_hour, points)[0]):
        found = solve(one, "dijkstra-heap", **ends)
        assert (found.distance, found.verified) == (13, True)
    monkeypatch.setattr(following_arcs, "_opposite_arcs", following_arcs._paired_by_weights)
    cut, _ = place_ends().cut(at_hour, points)
    with pytest.warns(WrongAnswer, match="23 s claimed; by allowed turns it is 13 s"):
        assert solve(cut, "dijkstra-heap", **ends).distance == 23


_NOT_PROVED = "are not those proved"


def _more(lengths: Any) -> Any:
    """Lengths of which the last is one too great."""
    lengths = np.array(lengths)
    lengths[..., -1] += 1
    return lengths


def _rows(right: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given: ((part, _more(rows)) for part, rows in right(*given))


def _summaries(right: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(*given: Any) -> Any:
        found = right(*given)
        found.totals[:] += 1
        return found

    return wrong


def _reversed(right: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given: right(*given)[::-1].copy()


def _lengthened(right: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given: _more(right(*given))


def _longer(right: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given: right(*given) + 1


def _paths(right: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(*given: Any) -> Any:
        vertices, first, lengths = right(*given)
        return vertices[::-1].copy(), first, lengths

    return wrong


def _second_longer(right: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(*given: Any) -> Any:
        first, second = right(*given)
        return [first, replace(second, length=second.length + 1)]

    return wrong


def _flows(right: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(*given: Any) -> Any:
        arcs = right(*given)
        arcs[arcs.argmax()] += 1
        return arcs

    return wrong


# whose method lies, how, what is told, and by whom
LIES: dict[str, tuple[Any, str, Callable[..., Any], str, str]] = {
    "a length": (HierarchyEngine, "length", _longer, _NOT_PROVED, "distance, distance of a place"),
    "lengths": (
        HierarchyEngine,
        "lengths",
        _lengthened,
        _NOT_PROVED,
        "lengths, lengths of a place",
    ),
    "a table": (
        HierarchyEngine,
        "table",
        _lengthened,
        _NOT_PROVED,
        "nearest, table, rows of a table, sampled table, table of a place",
    ),
    "a row": (
        HierarchyEngine,
        "row",
        _lengthened,
        "1[0-9] claimed, but",
        "distances, tree, within, eccentricity, isochrone, distances of a place",
    ),
    "a row of a search": (
        SearchEngine,
        "row",
        _lengthened,
        "[0-9]+ claimed, but",
        "isochrone of a place",
    ),
    "rows of a search": (
        SearchEngine,
        "rows",
        _rows,
        "10 claimed, but",
        "run of several sources",
    ),
    "paths": (
        HierarchyEngine,
        "paths",
        _paths,
        "does not have the length",
        "path, paths, sampled paths",
    ),
    "another simple path": (
        simple_paths,
        "shortest_simple_paths",
        _second_longer,
        "The path has the length 15 s, but 16 s is claimed",
        "simple paths",
    ),
    "numbers of rows": (
        HierarchyRows,
        "summarise",
        _summaries,
        "totals is",
        "all sources, all targets",
    ),
    "flows": (HierarchyFlows, "arc_flows", _flows, "Flow times weight|the flow of", "betweenness"),
}


@pytest.mark.parametrize("lie", LIES)
def test_wrong_answers_are_refused(lie: str, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = square()
    ends = int(graph.ids[0]), int(graph.ids[2]), (0.0, 0.001)
    owner, name, wrong, words, concerned = LIES[lie]
    asked = {one: ask for one, ask in ASKED.items() if one in concerned.split(", ")}
    assert set(refusals(graph, ends, asked).values()) == {""}
    monkeypatch.setattr(owner, name, wrong(getattr(owner, name)))
    found = refusals(graph, ends, asked)
    assert others(found, words) == {}
