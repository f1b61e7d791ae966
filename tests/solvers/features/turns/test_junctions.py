"""Turns: what is searched for a network with forbidden turns answers as a search over arcs
does.

The oracle is NetworkX on the graph of the arcs travelled last, in which every turn that no
rule forbids is an edge.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers import all_sources, solve
from solvers.errors import ParameterError
from solvers.features.turns.u_turns import has_way_on, turn_costs, without_u_turns
from solvers.graphs.following_arcs import opposite_arcs
from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.road_changes import RoadChanges
from solvers.graphs.searched import searched_graph
from solvers.graphs.turn_rules import TurnCosts, TurnRules
from solvers.verification.networks import verify_path
from solvers.verification.paths import path_arcs, path_length, path_to, recover_predecessors
from solvers.verification.verify import verify_sssp
from tests.graphs import from_list, right_distances

Sequences = dict[tuple[int, ...], int]


@st.composite
def _roads(draw: st.DrawFn) -> Graph:
    """A small network of streets, some of them one-way, without parallel arcs."""
    n = draw(st.integers(3, 7))
    pairs = [(a, b) for a in range(n) for b in range(a + 1, n)]
    chosen = draw(st.lists(st.sampled_from(pairs), min_size=n - 1, max_size=2 * n, unique=True))
    arcs = []
    for a, b in chosen:
        ways = draw(st.sampled_from(("both", "both", "both", "there", "back")))
        weight = draw(st.integers(1, 9))
        if ways != "back":
            arcs.append((a, b, weight))
        if ways != "there":
            arcs.append((b, a, weight + draw(st.integers(0, 1))))
    places = np.array([[np.cos(2 * i), np.sin(2 * i) + i / 5] for i in range(n)])
    return replace(from_list(n, arcs), coordinates=Coordinates(places))


def _walks(graph: Graph, length: int) -> list[tuple[int, ...]]:
    walks = [(arc,) for arc in range(graph.m)]
    for _ in range(length - 1):
        walks = [
            (*walk, arc)
            for walk in walks
            for arc in range(*graph.row(int(graph.indices[walk[-1]])).indices(graph.m))
        ]
    return walks


def _draw_rules(draw: st.DrawFn, graph: Graph, longest: int) -> Sequences:
    """Forbidden sequences: by ``no_`` restrictions, and by ``only_`` ones, as all others."""
    found: Sequences = {}
    for relation in range(1, draw(st.integers(0, 4)) + 1):
        walks = _walks(graph, draw(st.integers(2, longest)))
        if not walks:
            continue
        walk = draw(st.sampled_from(walks))
        if draw(st.booleans()):
            found[walk] = relation
            continue
        tail = int(graph.indices[walk[-2]])
        others = range(*graph.row(tail).indices(graph.m))
        found.update({(*walk[:-1], arc): relation for arc in others if arc != walk[-1]})
    return found


def _oracle(
    graph: Graph,
    rules: Sequences,
    *,
    u_turns: bool,
    costs: TurnRules | None = None,
    visitors: frozenset[int] = frozenset(),
) -> np.ndarray:
    """Distances of all pairs, (n, n), by NetworkX over the arcs travelled last. Arcs of
    ``visitors`` are at the beginning or at the end of a way.
    """
    memory = max([2, *map(len, rules)]) - 1
    opposite, way_on = opposite_arcs(graph), has_way_on(graph)
    found = np.full((graph.n, graph.n), np.inf)
    for source in range(graph.n):
        states = nx.DiGraph()
        states.add_node(("", ()))
        waiting = [("", ())]
        while waiting:
            passed, state = waiting.pop()
            here = source if not state else int(graph.indices[state[-1]])
            for arc in range(*graph.row(here).indices(graph.m)):
                walk = (*state, arc)
                # roads so far, each kind once: "v", "o", "vo", "ov", "vov"
                kind = "v" if arc in visitors else "o"
                roads = passed if passed.endswith(kind) else passed + kind
                if "ovo" in roads:
                    continue
                if any(
                    walk[i:j] in rules for i in range(len(walk)) for j in range(i, len(walk) + 1)
                ):
                    continue
                is_u_turn = bool(state) and opposite[state[-1]] == arc
                if is_u_turn and not u_turns and way_on[state[-1]]:
                    continue
                cost = int(graph.weights[arc])
                if state and costs is not None:
                    turn = np.array([state[-1]]), np.array([arc])
                    cost += int(turn_costs(graph, costs, *turn)[0])
                following = (roads, walk[-memory:])
                if following not in states:
                    waiting.append(following)
                states.add_edge((passed, state), following, weight=cost)
        lengths = nx.single_source_dijkstra_path_length(states, ("", ()))
        for (_, state), length in lengths.items():
            here = source if not state else int(graph.indices[state[-1]])
            found[source, here] = min(found[source, here], length)
    return found


def _found(graph: Graph) -> np.ndarray:
    junctions = searched_graph(graph)
    rows = np.array([right_distances(junctions.searched, v) for v in range(graph.n)])
    return junctions.distances(rows)


@given(st.data())
def test_distances_are_those_over_arcs_without_u_turns(data: st.DataObject) -> None:
    graph = data.draw(_roads())
    sequences = _draw_rules(data.draw, graph, 4)
    rules = without_u_turns(graph, TurnRules.of(sequences), [graph.weights])
    opposite = opposite_arcs(graph)
    assert all(opposite[arc] >= 0 for arc in rules.u_turns)
    found = _found(graph.with_turns(rules))
    assert np.array_equal(found, _oracle(graph, sequences, u_turns=False))


@given(st.data())
def test_sequences_over_several_ways_are_forbidden(data: st.DataObject) -> None:
    graph = data.draw(_roads())
    sequences = _draw_rules(data.draw, graph, 4)
    found = _found(graph.with_turns(TurnRules.of(sequences)))
    assert np.array_equal(found, _oracle(graph, sequences, u_turns=True))


@given(st.data())
def test_turns_cost_what_their_angle_says(data: st.DataObject) -> None:
    graph = replace(data.draw(_roads()), weight_unit="s")
    sequences = _draw_rules(data.draw, graph, 3)
    costs = TurnCosts(*(data.draw(st.integers(0, 5)) for _ in range(5)))
    signals = np.array(data.draw(st.lists(st.integers(0, graph.m - 1), unique=True)), np.int64)
    rules = replace(TurnRules.of(sequences, costs), signals=np.sort(signals))
    found = _found(graph.with_turns(rules))
    assert np.array_equal(found, _oracle(graph, sequences, u_turns=False, costs=rules))


def _draw_visitors(draw: st.DrawFn, graph: Graph) -> np.ndarray:
    chosen = draw(st.lists(st.booleans(), min_size=graph.m, max_size=graph.m))
    return np.flatnonzero(chosen)


@given(st.data())
def test_no_path_passes_through_roads_for_destination_only(data: st.DataObject) -> None:
    graph = replace(data.draw(_roads()), weight_unit="s")
    sequences = _draw_rules(data.draw, graph, 4)
    costs = data.draw(st.sampled_from((None, TurnCosts(3, 2, 1, 0, 2))))
    visitors = _draw_visitors(data.draw, graph)
    rules = replace(TurnRules.of(sequences, costs), for_destination=visitors)
    if costs is None and data.draw(st.booleans()):
        rules = without_u_turns(graph, rules, [graph.weights])
    graph = graph.with_turns(rules)
    expected = _oracle(
        graph,
        sequences,
        u_turns=not rules.forbids_u_turns,
        costs=rules,
        visitors=frozenset(visitors.tolist()),
    )
    assert np.array_equal(_found(graph), expected)
    source = data.draw(st.integers(0, graph.n - 1))
    junctions = searched_graph(graph)
    lengths = right_distances(junctions.searched, source)
    lengths = np.where(np.isfinite(lengths), lengths, np.iinfo(np.int32).max).astype(np.int32)
    before = recover_predecessors(junctions.searched, source, lengths)
    for target in np.flatnonzero(np.isfinite(expected[source])).tolist():
        path = junctions.path(path_to(before, source, junctions.end(target)))
        assert verify_path(graph, path, int(expected[source, target])).verified


def test_a_path_through_a_road_for_destination_only_is_refused() -> None:
    """A street of four roads, whose second is for destination only."""
    graph = from_list(5, [(i, i + 1, 1) for i in range(4)], directed=False)
    ends = list(zip(graph.tails.tolist(), graph.indices.tolist(), strict=True))
    visitors = np.array([arc for arc, end in enumerate(ends) if set(end) == {1, 2}])
    graph = graph.with_turns(replace(TurnRules.of({}), for_destination=visitors))
    for path in ([0, 1, 2], [2, 1, 0], [1, 2, 3], [1, 2]):
        assert verify_path(graph, np.array(path), len(path) - 1).verified
    verdict = verify_path(graph, np.array([0, 1, 2, 3]), 3)
    assert not verdict.verified
    assert verdict.text == (
        f"Not a path: the turn into {graph.vertex_id(2)} → {graph.vertex_id(3)} leads on from "
        "roads for destination only, to which others led."
    )
    assert not np.isfinite(_found(graph)[0, 3:]).any()
    assert _found(graph)[0].tolist()[:3] == [0, 1, 2]


@given(st.data())
def test_paths_lead_over_junctions_by_allowed_turns(data: st.DataObject) -> None:
    graph = data.draw(_roads())
    sequences = _draw_rules(data.draw, graph, 4)
    graph = graph.with_turns(TurnRules.of(sequences))
    junctions = searched_graph(graph)
    source, target = (data.draw(st.integers(0, graph.n - 1)) for _ in range(2))
    lengths = right_distances(junctions.searched, source)
    end, kind = junctions.end(target), junctions.searched.distance_type
    distances = np.where(np.isinf(lengths), kind.infinity, lengths).astype(kind.dtype)
    row = recover_predecessors(junctions.searched, source, distances)
    found = path_to(row, source, end)
    if found is None:
        assert np.isinf(lengths[end])
        return
    path = junctions.path(found)
    assert (path[0], path[-1]) == (source, target)
    arcs = path_arcs(graph, path)
    assert path_length(graph, path) == lengths[end]
    assert np.array_equal(graph.tails[arcs], path[:-1])
    assert np.array_equal(graph.indices[arcs], path[1:])
    walk = tuple(arcs.tolist())
    assert not any(walk[i : i + len(one)] == one for one in sequences for i in range(len(walk)))
    before = junctions.predecessors(row)
    assert before[source] == -1
    if target != source:
        assert before[target] == path[-2]


def test_only_junctions_with_restrictions_are_split() -> None:
    """A cross of two streets, where nobody may turn left from the south to the west."""
    north, east, south, west, middle = range(5)
    graph = from_list(5, [(v, middle, 2) for v in range(4)], directed=False)
    into = int(np.flatnonzero((graph.tails == south) & (graph.indices == middle))[0])
    out = int(np.flatnonzero((graph.tails == middle) & (graph.indices == west))[0])
    graph = graph.with_turns(TurnRules.of({(into, out): 7}))
    junctions = searched_graph(graph)
    assert junctions.searched.n == graph.n + 2  # a copy and an end
    assert junctions.vertex_of.tolist() == [0, 1, 2, 3, 4, middle, middle]
    assert [junctions.end(v) for v in range(5)] == [0, 1, 2, 3, 6]
    assert junctions.searched.vertex_id(5) == graph.vertex_id(middle)
    found = _found(graph)
    assert found[south, north] == 4
    assert found[south, west] == 8  # by the dead end in the north, or that in the east
    assert found[east, west] == 4
    assert np.array_equal(np.diag(found), np.zeros(5))


def test_rules_are_part_of_the_hash_where_they_have_an_effect() -> None:
    graph = from_list(2, [(0, 1, 3)])
    assert graph.with_turns(TurnRules.of({})).sha256 == graph.sha256
    forbidden = graph.with_turns(TurnRules.of({}, TurnCosts()))
    assert forbidden.sha256 != graph.sha256


def _draw_changes(draw: st.DrawFn, graph: Graph) -> RoadChanges:
    numbers = st.lists(st.integers(0, graph.m - 1), min_size=1, max_size=4, unique=True)
    ends = [
        (graph.vertex_id(int(graph.tails[a])), graph.vertex_id(int(graph.indices[a])))
        for a in draw(numbers)
    ]
    half = (len(ends) + 1) // 2
    changes = RoadChanges().close(*ends[:half], one_way=draw(st.booleans()))
    return changes.slow(30.0, *ends[half:], one_way=True) if ends[half:] else changes


def _as_its_own(changed: Graph, sequences: Sequences) -> tuple[Graph, Sequences]:
    """A graph with changed roads, without the one that it was made from; its sequences."""
    new = {old: i for i, old in enumerate(changed.base.arcs.tolist())}
    kept = {
        tuple(new[a] for a in one): relation
        for one, relation in sequences.items()
        if all(a in new for a in one)
    }
    return changed.with_turns(None), kept


@given(st.data())
def test_changed_roads_keep_their_turns(data: st.DataObject) -> None:
    graph = data.draw(_roads())
    sequences = _draw_rules(data.draw, graph, 3)
    graph = graph.with_turns(TurnRules.of(sequences))
    changed = _draw_changes(data.draw, graph).apply(graph)
    plain, kept = _as_its_own(changed, sequences)
    expected = _found(plain.with_turns(TurnRules.of(kept)))
    assert np.array_equal(_found(changed), expected)
    junctions = searched_graph(changed)
    real = junctions.arc_of >= 0
    vertices = junctions.vertex_of
    assert np.array_equal(
        vertices[junctions.searched.tails[real]], changed.tails[junctions.arc_of[real]]
    )
    assert np.array_equal(
        vertices[junctions.searched.indices[real]], changed.indices[junctions.arc_of[real]]
    )


@pytest.mark.parametrize("dtype", [np.int64, np.float32, np.float64])
def test_other_weights_keep_their_type(dtype: type) -> None:
    graph = from_list(3, [(0, 1, 2), (1, 2, 3), (1, 0, 2)], dtype)
    graph = graph.with_turns(TurnRules.of({(0, 2): 1}))
    junctions = searched_graph(graph)
    assert junctions.searched.weights.dtype == dtype
    assert _found(graph)[0, 2] == np.inf


def _cross(costs: TurnCosts | None = None) -> Graph:
    """Two streets that cross, 4 s long each, where relation 7 forbids to turn from the
    south (2) to the west (3).
    """
    places = np.array([[0, 1], [1, 0], [0, -1], [-1, 0], [0, 0]], np.float64)
    graph = from_list(5, [(v, 4, 2) for v in range(4)], directed=False)
    graph = replace(graph, coordinates=Coordinates(places), weight_unit="s")
    ends = list(zip(graph.tails.tolist(), graph.indices.tolist(), strict=True))
    return graph.with_turns(TurnRules.of({(ends.index((2, 4)), ends.index((4, 3))): 7}, costs))


@pytest.mark.parametrize(
    ("path", "distance", "costs", "says"),
    [
        ([2, 4, 0], 4, None, ""),
        ([2, 4, 3], 4, None, "the turn into 22 → 19 is forbidden by relation 7"),
        ([2, 4, 0, 4, 3], 8, None, ""),
        ([2, 4, 0, 4, 3], 7, None, "length 8 s, but 7 s"),
        ([2, 3], 4, None, "there is no arc 16 → 19"),
        ([2, 4, 0, 4, 3], 8 + 9 + 3, TurnCosts(1, 3, 0, 0, 9), ""),
        ([2, 4, 0, 4, 3], 8, TurnCosts(1, 3, 0, 0, 9), "length 20 s, but 8 s"),
        ([2, 4, 2], 4, TurnCosts(), "is a U-turn"),
    ],
)
def test_a_forged_path_is_refused(
    path: list[int], distance: int, costs: TurnCosts | None, says: str
) -> None:
    verdict = verify_path(_cross(costs), np.array(path, np.int32), distance)
    assert verdict.verified == (not says), verdict.text
    assert says in verdict.text


def test_rows_are_proved_and_counted_of_junctions_only() -> None:
    graph = _cross(TurnCosts())
    answer = solve(graph, "fw-serial")
    assert answer.verdict.text == "All 5 rows proved."
    assert answer.verdict.rows == (0, 1, 2, 3, 4)


def test_distances_over_a_forbidden_turn_are_wrong() -> None:
    """Those of the network without its turns are refused for what is searched."""
    graph = _cross()
    junctions = searched_graph(graph)
    forged = right_distances(graph, 2).astype(np.int32)[junctions.vertex_of]
    verdict = verify_sssp(junctions.searched, 2, forged)
    assert not verdict.verified
    assert verdict.text == "Vertex 19: 4 claimed, but the shortest path has length 8."


def test_a_path_over_a_forbidden_turn_has_no_arcs() -> None:
    with pytest.raises(ParameterError, match="no turn into 22 → 19 is allowed"):
        path_arcs(_cross(), np.array([2, 4, 3]))


@given(st.data())
def test_numbers_of_all_sources_are_of_junctions(data: st.DataObject) -> None:
    graph = data.draw(_roads())
    graph = graph.with_turns(TurnRules.of(_draw_rules(data.draw, graph, 3)))
    distances = _found(graph)
    finite = np.isfinite(distances)
    for direction, axis in (("out", 1), ("in", 0)):
        found = all_sources(graph, ("eccentricity", "reach"), direction=direction, budget=9)
        assert found.verified, found.verdict
        assert np.array_equal(found.eccentricity, np.where(finite, distances, 0).max(axis=axis))
        assert np.array_equal(found.values("reach"), (distances <= 9).sum(axis=axis))


@given(st.data())
def test_betweenness_is_of_paths_over_junctions(data: st.DataObject) -> None:
    graph = data.draw(_roads())
    graph = graph.with_turns(TurnRules.of(_draw_rules(data.draw, graph, 3)))
    junctions = searched_graph(graph)
    searched = nx.MultiDiGraph()
    searched.add_nodes_from(range(junctions.searched.n))
    split = junctions.searched
    for tail, head, weight in zip(split.tails, split.indices, split.weights, strict=True):
        searched.add_edge(int(tail), int(head), weight=int(weight))
    passing = np.zeros(graph.n)
    for source in range(graph.n):
        for target in range(graph.n):
            end = junctions.end(target)
            if source == target or not nx.has_path(searched, source, end):
                continue
            paths = list(nx.all_shortest_paths(searched, source, end, weight="weight"))
            for path in paths:
                inner = junctions.path(np.array(path, np.int32))[1:-1]
                np.add.at(passing, inner, 1 / len(paths))
    found = all_sources(graph, ["betweenness"])
    assert found.verified, found.verdict
    assert found.betweenness == pytest.approx(passing)
    assert len(found.flows.arcs) == graph.m


def test_copies_and_ends_stand_behind_the_junctions_neighbours_by_neighbours() -> None:
    """Along a street of 40 junctions whose numbers are mixed."""
    order = np.random.default_rng(0).permutation(40)
    graph = from_list(
        40, [(*pair, 1) for pair in itertools.pairwise(order.tolist())], directed=False
    )
    junctions = searched_graph(graph.with_turns(TurnRules.of({}, TurnCosts())))
    assert junctions.vertex_of[:40].tolist() == list(range(40))
    place = np.argsort(order)[junctions.vertex_of[40:]]
    # from the middle to both ends: one step between neighbours, but for one jump
    assert np.count_nonzero(np.abs(np.diff(place)) > 1) <= 1


@pytest.mark.parametrize("variant", ["dijkstra-bidirectional", "dijkstra-target"])
def test_what_is_proved_on_the_way_is_counted_of_junctions(variant: str) -> None:
    graph = _cross(TurnCosts())
    answer = solve(graph, variant, source=graph.vertex_id(2), target=graph.vertex_id(3))
    counted = int(re.search(r"and (\d+) distances? on the way", answer.verdict.text)[1])
    assert counted < graph.n


def test_a_single_row_is_called_the_only_one() -> None:
    assert solve(from_list(1, []), "fw-serial").verdict.text == "The only row proved."
