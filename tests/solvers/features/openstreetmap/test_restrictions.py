"""Turn restrictions of OpenStreetMap files: which turns they forbid, and which are refused.

::

          1        7
          |10      |15
    4 --- 5 ------ 6 --- 2        Ways 13, 11 and 14 from west to east
      13  |12  11  |16  14
          3        8
"""

from __future__ import annotations

import json
import pickle
import warnings
from dataclasses import astuple
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from solvers import cli, prepare, read, solve, to_networkx
from solvers.core.variant import find_variant
from solvers.errors import OptionNotApplicable, ParameterError, TurnsLeftOut
from solvers.features.live.query import LiveQuery
from solvers.features.live.solver import LiveSolver
from solvers.features.turns.u_turns import dead_ends_text, restricted_turns
from solvers.graphs.graph import Graph
from solvers.graphs.readers import Reading, read_graph
from solvers.graphs.reading import ReadingOptions
from solvers.graphs.road_changes import RoadChanges
from solvers.graphs.searched import searched_graph
from solvers.graphs.turn_rules import TurnCosts, TurnOptions
from solvers.running.network_results import from_source, route
from solvers.running.prepared_network import network_with_hierarchy, searched_network
from solvers.running.request import Choice, RunRequest
from solvers.running.run import run
from solvers.verification import paths
from tests.data import data_file

PLACES = {1: (0, 1), 2: (2, 0), 3: (0, -1), 4: (-1, 0), 5: (0, 0), 6: (1, 0), 7: (1, 1), 8: (1, -1)}
WAYS = {
    10: (1, 5),
    11: (5, 6),
    12: (3, 5),
    13: (4, 5),
    14: (6, 2),
    15: (7, 6),
    16: (8, 6),
}
FROM_SOUTH, TO_WEST, AT_5 = ("from", "way", 12), ("to", "way", 13), ("via", "node", 5)
NO_LEFT = {"restriction": "no_left_turn"}


def relation(number: int, tags: dict[str, str], *members: tuple[str, str, int]) -> str:
    inside = "".join(f'<member type="{t}" ref="{ref}" role="{r}"/>' for r, t, ref in members)
    tags = {"type": "restriction", **tags}
    return f'<relation id="{number}">{inside}{_tags(tags)}</relation>'


def _tags(tags: dict[str, str]) -> str:
    return "".join(f'<tag k="{key}" v="{value}"/>' for key, value in tags.items())


def write(
    folder: Path,
    *relations: str,
    ways: dict[int, tuple[int, ...]] = WAYS,
    tags: dict[int, dict[str, str]] | None = None,
    signals: tuple[int, ...] = (),
) -> Path:
    nodes = "".join(
        f'<node id="{node}" lon="{9 + x / 1000}" lat="{y / 1000}">'
        f"{_tags({'highway': 'traffic_signals'}) if node in signals else ''}</node>"
        for node, (x, y) in PLACES.items()
    )
    roads = "".join(
        f'<way id="{way}">{"".join(f"""<nd ref="{node}"/>""" for node in refs)}'
        f"{_tags({'highway': 'residential', 'name': str(way), **(tags or {}).get(way, {})})}</way>"
        for way, refs in ways.items()
    )
    path = folder / "city.osm"
    path.write_text(f'<osm version="0.6">{nodes}{roads}{"".join(relations)}</osm>')
    return path


def city(folder: Path, *relations: str, profile: str = "car", **how: object) -> Reading:
    return read_graph(write(folder, *relations, **how), ReadingOptions(profile=profile))


def forbidden(graph: Graph) -> dict[tuple[int, ...], int]:
    """The nodes along the sequences that relations forbid, and these."""
    assert graph.turns is not None
    found = {}
    for arcs, number in graph.turns.forbidden.items():
        vertices = [int(graph.tails[arcs[0]]), *graph.indices[list(arcs)].tolist()]
        found[tuple(graph.ids[vertices].tolist())] = number
    return {nodes: number for nodes, number in found.items() if number}


def report(reading: Reading) -> str:
    assert reading.graph.turns is not None
    return str(reading.graph.turns.report)


VIA_11 = ("via", "way", 11)
_OF_77 = "(relation 77); mend them in the map"


@pytest.mark.parametrize(
    ("tags", "members", "sequences"),
    [
        (NO_LEFT, (FROM_SOUTH, AT_5, TO_WEST), [(3, 5, 4)]),
        (
            {"restriction": "only_straight_on"},
            (FROM_SOUTH, AT_5, ("to", "way", 10)),
            [(3, 5, 3), (3, 5, 4), (3, 5, 6)],
        ),
        ({"restriction": "no_u_turn"}, (FROM_SOUTH, AT_5, ("to", "way", 12)), [(3, 5, 3)]),
        (
            {"restriction": "no_entry"},
            (FROM_SOUTH, ("from", "way", 10), AT_5, TO_WEST),
            [(1, 5, 4), (3, 5, 4)],
        ),
        (
            {"restriction": "no_exit"},
            (FROM_SOUTH, AT_5, TO_WEST, ("to", "way", 10)),
            [(3, 5, 1), (3, 5, 4)],
        ),
        (
            {"restriction": "no_left_turn"},
            (FROM_SOUTH, VIA_11, ("to", "way", 15)),
            [(3, 5, 6, 7)],
        ),
        (
            {"restriction": "only_straight_on"},
            (("from", "way", 13), VIA_11, ("to", "way", 14)),
            [(4, 5, 1), (4, 5, 3), (4, 5, 4), (4, 5, 6, 5), (4, 5, 6, 7), (4, 5, 6, 8)],
        ),
    ],
    ids=["no", "only", "u-turn", "entry", "exit", "via way", "only via way"],
)
def test_a_restriction_forbids(
    tmp_path: Path, tags: dict[str, str], members: tuple, sequences: list[tuple[int, ...]]
) -> None:
    reading = city(tmp_path, relation(77, tags, *members))
    assert forbidden(reading.graph) == dict.fromkeys(sequences, 77)
    assert report(reading) == "1 turn restriction used"
    assert reading.graph.interpretation is not None
    assert reading.graph.interpretation.line.endswith("; 1 turn restriction used")
    assert not reading.report.warnings


@pytest.mark.parametrize(
    ("tags", "members", "says"),
    [
        (NO_LEFT, (FROM_SOUTH, AT_5), "1 refused: a member is missing"),
        (NO_LEFT, (FROM_SOUTH, TO_WEST), "1 refused: a member is missing"),
        (NO_LEFT, (FROM_SOUTH, AT_5, ("to", "way", 99)), "1 refused: a member is not in the file"),
        (NO_LEFT, (FROM_SOUTH, AT_5, ("to", "way", 14)), "1 refused: its ways do not meet"),
        (NO_LEFT, (FROM_SOUTH, ("via", "node", 6), TO_WEST), "1 refused: its ways do not meet"),
        (NO_LEFT, (FROM_SOUTH, ("via", "node", 99), TO_WEST), "1 refused: its ways do not meet"),
        (
            NO_LEFT,
            (FROM_SOUTH, ("via", "way", 14), TO_WEST),
            "1 refused: its ways do not meet",
        ),
        (
            NO_LEFT,
            (FROM_SOUTH, AT_5, VIA_11, TO_WEST),
            "1 refused: it has several members of one role",
        ),
        (
            NO_LEFT,
            (FROM_SOUTH, AT_5, TO_WEST, ("to", "way", 10)),
            "1 refused: it has several members of one role",
        ),
        ({"restriction": "no_turning"}, (FROM_SOUTH, AT_5, TO_WEST), "1 refused: its kind is"),
        ({"restriction": "sometimes"}, (FROM_SOUTH, AT_5, TO_WEST), "1 refused: its kind is"),
        ({**NO_LEFT, "except": "bicycle;motorcar"}, (FROM_SOUTH, AT_5, TO_WEST), ""),
        ({"restriction:hgv": "no_left_turn"}, (FROM_SOUTH, AT_5, TO_WEST), ""),
        (
            {"restriction:conditional": "no_left_turn @ (07:00-19:00)"},
            (FROM_SOUTH, AT_5, TO_WEST),
            "0 turn restrictions used; 1 conditional one ignored",
        ),
        (
            {**NO_LEFT, "hour_on": "07:00"},
            (FROM_SOUTH, AT_5, TO_WEST),
            "0 turn restrictions used; 1 conditional one ignored",
        ),
    ],
)
def test_a_restriction_has_no_effect_and_why_is_told(
    tmp_path: Path, tags: dict[str, str], members: tuple, says: str
) -> None:
    reading = city(tmp_path, relation(77, tags, *members))
    assert forbidden(reading.graph) == {}
    assert says in report(reading)
    assert bool(report(reading)) == bool(says)
    assert not reading.graph.has_turns
    if "refused" in says:
        assert report(reading).endswith(_OF_77)
        assert [number for number, _ in reading.graph.turns.report.refused] == [77]


@pytest.mark.parametrize(
    ("profile", "tags", "holds"),
    [
        ("car", NO_LEFT, True),
        ("bicycle", NO_LEFT, True),
        ("foot", NO_LEFT, False),
        ("bicycle", {**NO_LEFT, "except": "bicycle"}, False),
        ("car", {**NO_LEFT, "except": "bicycle"}, True),
        ("car", {"restriction:motorcar": "no_left_turn"}, True),
        ("bicycle", {"restriction:motorcar": "no_left_turn"}, False),
        ("foot", {"restriction:foot": "no_left_turn"}, True),
    ],
)
def test_restrictions_are_for_means_of_travel(
    tmp_path: Path, profile: str, tags: dict[str, str], holds: bool
) -> None:
    reading = city(tmp_path, relation(77, tags, FROM_SOUTH, AT_5, TO_WEST), profile=profile)
    assert forbidden(reading.graph) == ({(3, 5, 4): 77} if holds else {})


def test_what_one_way_and_closed_roads_rule_out_anyway(tmp_path: Path) -> None:
    into = relation(77, NO_LEFT, FROM_SOUTH, AT_5, TO_WEST)
    tags = {13: {"oneway": "yes"}}
    reading = city(tmp_path, into, tags=tags)
    assert report(reading) == "0 turn restrictions used; 1 without effect"
    reading = city(tmp_path, into, tags={13: {"access": "private"}})
    assert report(reading) == "0 turn restrictions used; 1 without effect"


def test_what_is_demanded_of_nobody_has_no_effect(tmp_path: Path) -> None:
    """Of a road for buses alone, or onto one: the map is right, as it is of buses."""
    into = relation(77, {"restriction": "only_left_turn"}, FROM_SOUTH, AT_5, TO_WEST)
    buses = {"vehicle": "no", "bus": "yes"}
    for closed in ((12,), (13,), (12, 13), (10, 11, 12, 13)):
        tags = dict.fromkeys(closed, buses)
        reading = city(tmp_path, into, tags=tags)
        assert report(reading) == "0 turn restrictions used; 1 without effect"


def test_what_would_close_a_junction_is_refused(tmp_path: Path) -> None:
    only = {"restriction": "only_left_turn"}
    reading = city(
        tmp_path, relation(77, only, FROM_SOUTH, AT_5, TO_WEST), tags={13: {"oneway": "yes"}}
    )
    assert forbidden(reading.graph) == {}
    assert report(reading).endswith(f"1 refused: it would close the junction {_OF_77}")
    reading = city(
        tmp_path,
        relation(77, only, FROM_SOUTH, AT_5, TO_WEST),
        relation(78, NO_LEFT, FROM_SOUTH, AT_5, TO_WEST),
    )
    assert forbidden(reading.graph) == {(3, 5, 4): 78}
    assert report(reading) == (
        f"1 turn restriction used; 1 refused: another one forbids what it demands {_OF_77}"
    )


def test_two_that_demand_allow_both(tmp_path: Path) -> None:
    """As the sign with two arrows is mapped."""
    reading = city(
        tmp_path,
        relation(77, {"restriction": "only_left_turn"}, FROM_SOUTH, AT_5, TO_WEST),
        relation(78, {"restriction": "only_straight_on"}, FROM_SOUTH, AT_5, ("to", "way", 10)),
    )
    assert set(forbidden(reading.graph)) == {(3, 5, 3), (3, 5, 6)}


def test_of_a_road_through_its_junction_the_named_direction_counts(tmp_path: Path) -> None:
    ways = {way: refs for way, refs in WAYS.items() if way not in (10, 12)}
    ways[12] = (3, 5, 1)
    reading = city(tmp_path, relation(77, NO_LEFT, FROM_SOUTH, AT_5, TO_WEST), ways=ways)
    assert forbidden(reading.graph) == {(3, 5, 4): 77}


def test_the_junction_of_a_restriction_is_a_vertex(tmp_path: Path) -> None:
    """Where two ways of one name meet and nothing else."""
    ways = {12: (3, 5), 13: (5, 4)}
    tags = {way: {"name": "Bend"} for way in ways}
    assert 5 not in city(tmp_path, ways=ways, tags=tags).graph.ids
    reading = city(tmp_path, relation(77, NO_LEFT, FROM_SOUTH, AT_5, TO_WEST), ways=ways, tags=tags)
    assert forbidden(reading.graph) == {(3, 5, 4): 77}


def test_paths_obey_restrictions(tmp_path: Path) -> None:
    path = write(tmp_path, relation(77, NO_LEFT, FROM_SOUTH, AT_5, TO_WEST))
    free, graph = read(path, turns="ignore", weights="metres"), read(path, weights="metres")
    direct = solve(free, source=3, target=4)
    assert direct.path == [3, 5, 4]
    answer = solve(graph, source=3, target=4)
    # to a dead end and back
    assert answer.path == [3, 5, 1, 5, 4]
    assert answer.distance == pytest.approx(2 * direct.distance, rel=0.01)
    assert answer.verified
    from_all = solve(graph, "dijkstra-heap", source=3)
    assert from_all.path_to(4) == answer.path
    assert len(from_all.distances) == graph.n == 8
    pairs = solve(graph, "auto")
    assert pairs.path_between(3, 4) == answer.path
    assert pairs.distances.shape == (8, 8)
    assert np.array_equal(pairs.distances[graph.vertex(3)], from_all.distances)
    rows = solve(graph, sources=[3, 4], verify="all")
    assert rows.path_between(3, 4) == answer.path
    assert rows.distances.shape == (2, 8)


def test_a_router_obeys_restrictions(tmp_path: Path) -> None:
    path = write(tmp_path, relation(77, NO_LEFT, FROM_SOUTH, AT_5, TO_WEST))
    graph = read(path, weights="metres")
    router = prepare(graph, verify="all")
    assert router.path(3, 4) == [3, 5, 1, 5, 4]
    there = router.distance(3, 4)
    assert router.distances(3)[graph.vertex(4)] == there
    assert router.table([3], [4, 3]).tolist() == [[there, 0]]
    assert router.lengths([(3, 4)]).tolist() == [there]
    assert router.paths([(3, 4), (4, 3)])[0] == [3, 5, 1, 5, 4]
    assert router.nearest(3, [4])[1].tolist() == [there]
    assert router.tree(3).predecessors[graph.vertex(4)] == graph.vertex(5)
    router.close([(5, 1)])
    assert router.path(3, 4)[:3] == [3, 5, 6]
    router.update(graph.weights / 10)
    assert router.distance(3, 4) == pytest.approx(there / 10)
    assert len(router.ids) == 8
    copy = pickle.loads(pickle.dumps(router))
    assert copy.path(3, 4) == router.path(3, 4)
    assert len(router.shortest_simple_paths(3, 4, 1)) == 0  # all pass 5 twice


def test_a_pickled_router_keeps_what_turns_cost(tmp_path: Path) -> None:
    router = prepare(read(write(tmp_path, signals=(5,)), turns="costs"))
    assert pickle.loads(pickle.dumps(router)).distance(3, 4) == router.distance(3, 4)


def test_turns_cost_time(tmp_path: Path) -> None:
    path = write(tmp_path, signals=(5,))
    plain = solve(read(path, turns="ignore"), source=3, target=4).distance
    for turns, more in (
        ("costs", 8 + 6),
        ("costs:left=20,signals=0", 20),
        ("costs:left=0,signals=0", 0),
        ("restrictions", 0),
    ):
        graph = read(path, turns=turns)
        answer = solve(graph, source=3, target=4)
        assert answer.distance == pytest.approx(plain + more)
        assert answer.path == [3, 5, 4]
        assert answer.verified
    for weights in ("metres", "unit"):
        graph = read(path, turns="costs", weights=weights)
        assert solve(graph, source=3, target=4).path == [3, 5, 4]
        assert graph.interpretation.line.endswith("turns cost nothing, as weights are not times")
    line = "turns cost: left 8 s, right 3 s"
    assert line in read(path, turns="costs").interpretation.line
    by_length = read(path, turns="costs", weights="metres")
    assert line in by_length.with_weights("seconds").interpretation.line


def test_u_turns_are_made_at_dead_ends(tmp_path: Path) -> None:
    """Not at 6, which would be nearer than the ends of the roads there."""
    ways = {way: refs for way, refs in WAYS.items() if way not in (10, 15)}
    reading = city(tmp_path, relation(77, NO_LEFT, FROM_SOUTH, AT_5, TO_WEST), ways=ways)
    assert solve(reading.graph, source=3, target=4).path in (
        [3, 5, 6, 8, 6, 5, 4],
        [3, 5, 6, 2, 6, 5, 4],
    )


def test_u_turns_are_made_at_ends_of_closed_roads_only(tmp_path: Path) -> None:
    """From 3 to 4 by the junction 6 and its dead end 8; where both roads on from 6 are closed,
    the junction is one itself.
    """
    ways = {way: refs for way, refs in WAYS.items() if way not in (10, 15)}
    graph = city(tmp_path, relation(77, NO_LEFT, FROM_SOUTH, AT_5, TO_WEST), ways=ways).graph
    source, target = graph.vertex(3), graph.vertex(4)
    router = prepare(graph)
    for closed, expected in (
        ((), ([3, 5, 6, 8, 6, 5, 4], [3, 5, 6, 2, 6, 5, 4])),
        (((6, 8),), ([3, 5, 6, 2, 6, 5, 4],)),
        (((6, 8), (6, 2)), ([3, 5, 6, 5, 4],)),
        (((6, 2),), ([3, 5, 6, 8, 6, 5, 4],)),
        ((), ([3, 5, 6, 8, 6, 5, 4], [3, 5, 6, 2, 6, 5, 4])),
    ):
        changed = RoadChanges().close(*closed).apply(graph) if closed else graph
        router.update(graph.weights / 10)
        router.close(closed)
        assert router.path(3, 4) in expected
        answer = solve(changed, source=3, target=4)
        assert answer.path in expected
        assert answer.verified
        for state in (searched_network(changed), network_with_hierarchy(changed)):
            live = LiveSolver(graph).solve(LiveQuery(changed, (source,), target, state))
            assert graph.ids[live.path].tolist() in expected
        copy = pickle.loads(pickle.dumps(router))
        assert copy.path(3, 4) in expected


def test_options_of_turns() -> None:
    assert astuple(TurnOptions.parse("restrictions")) == (True, None)
    assert TurnOptions.parse("ignore").restrictions is False
    assert TurnOptions.parse("costs:left=1").costs == TurnCosts(left=1)
    for wrong in ("often", "costs:left", "costs:back=3", "costs:left=-1", "costs:left=nan"):
        with pytest.raises(ParameterError):
            TurnOptions.parse(wrong)


def test_other_files_have_no_turns(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("from,to,km\n1,2,3\n")
    with pytest.raises(OptionNotApplicable, match="turns"):
        read(path, turns="ignore")


def test_ignored_restrictions_are_told(tmp_path: Path) -> None:
    path = write(tmp_path, relation(77, NO_LEFT, FROM_SOUTH, AT_5, TO_WEST))
    reading = read_graph(path, ReadingOptions(turns="ignore"))
    assert reading.graph.interpretation is not None
    assert reading.graph.interpretation.ignored == ("1 turn restriction",)
    assert searched_graph(reading.graph).searched is reading.graph


def test_the_turns_that_a_restricted_junction_allows(tmp_path: Path) -> None:
    graph = city(tmp_path, relation(77, NO_LEFT, FROM_SOUTH, AT_5, TO_WEST)).graph
    ((vertex, turns),) = restricted_turns(graph).items()
    assert graph.ids[vertex] == 5
    heads = [graph.ids[graph.indices[after]] for _, after in turns]
    assert sorted(heads) == [1, 6]
    assert {int(graph.ids[graph.tails[before]]) for before, _ in turns} == {3}


def test_live_answers_and_traces_are_of_junctions(tmp_path: Path) -> None:
    graph = city(tmp_path, relation(77, NO_LEFT, FROM_SOUTH, AT_5, TO_WEST)).graph
    source, target = graph.vertex(3), graph.vertex(4)
    choice = Choice(find_variant("dijkstra-heap"))
    (result,) = run(RunRequest(graph, source, target, (choice,), trace=True))
    assert graph.ids[result.path].tolist() == [3, 5, 1, 5, 4]
    assert result.graph is graph
    assert result.trace.first_active.shape == (graph.n,)
    assert result.trace.vertices.max() < graph.n
    assert graph.ids[route(result, graph.vertex(2))].tolist() == [3, 5, 6, 2]
    changed = RoadChanges().close((5, 1)).apply(graph)
    for network in (graph, changed):
        for state in (searched_network(network), network_with_hierarchy(network)):
            answer = LiveSolver(graph).solve(LiveQuery(network, (source,), target, state))
            (expected,) = run(RunRequest(network, source, target, (choice,)))
            assert np.array_equal(answer.distances, expected.distances)
            assert answer.path.tolist() == expected.path.tolist()
            assert answer.reached == 8 - (network is changed)
            assert answer.length == expected.target_distance
            assert answer.path_to(target).tolist() == (answer.path.tolist())


def test_the_matrix_of_a_traced_run_has_the_junctions(tmp_path: Path) -> None:
    graph = city(tmp_path, relation(77, NO_LEFT, FROM_SOUTH, AT_5, TO_WEST)).graph
    choice = Choice(find_variant("fw-serial"))
    (result,) = run(RunRequest(graph, graph.vertex(1), None, (choice,), trace=True))
    assert result.verdict.verified
    assert result.trace.n == graph.n
    assert result.trace.steps[-1].snapshot.shape == (graph.n, graph.n)
    assert np.array_equal(result.trace.steps[-1].snapshot, result.distances)
    other = from_source(result, graph.vertex(3))
    assert graph.ids[route(other, graph.vertex(4))].tolist() == [3, 5, 1, 5, 4]


def test_the_counts_of_restrictions_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(
        tmp_path,
        relation(77, NO_LEFT, FROM_SOUTH, AT_5, TO_WEST),
        relation(78, NO_LEFT, FROM_SOUTH, AT_5),
        relation(79, {"restriction:hgv": "no_left_turn"}, FROM_SOUTH, AT_5, TO_WEST),
    )
    assert cli.main(["info", str(path), "--json"]) == 0
    turns = json.loads(capsys.readouterr().out)["turns"]
    searched = searched_graph(read(path)).searched
    assert turns == {
        "read": 3,
        "used": 1,
        "idle": 0,
        "conditional": 0,
        "others": 1,
        "refused": [{"relation": 78, "reason": "a member is missing"}],
        "on_red": 0,
        "zones": 0,
        "for_destination": 0,
        "searched_vertices": searched.n,
        "searched_arcs": searched.m,
    }


ROUND = WAYS | {17: (7, 1), 18: (8, 3)}
"""Ways round the middle road, in the north and in the south."""
SLOW = {17: {"maxspeed": "20"}, 18: {"maxspeed": "10"}}


def test_no_through_traffic_on_roads_for_destination_only(tmp_path: Path) -> None:
    """The middle road leads from west to east, and is for destination only by car."""
    path = write(tmp_path, ways=ROUND, tags=SLOW | {11: {"motor_vehicle": "destination"}})
    graph = read(path)
    assert str(graph.turns.report) == "no through traffic on 1 road for destination only"
    for variant in ("dijkstra-heap", "dijkstra-bidirectional", "fw-serial", "bf-serial"):
        through = solve(graph, variant, source=4, target=2)
        assert through.verdict.verified
        assert list(through.path) == [4, 5, 1, 7, 6, 2]
    router = prepare(graph, verify="all")
    assert list(router.path(4, 2)) == [4, 5, 1, 7, 6, 2]
    for ends in ((4, 6), (5, 2), (5, 6), (6, 4)):  # which begin or end with it
        assert {(5, 6), (6, 5)} & set(pairwise(router.path(*ends)))
    lengths = router.table([4, 5], [2, 6])
    assert lengths[0, 0] > lengths[1, 0] + router.distance(4, 5)
    # from a point of the road, and to one
    place = (0.0, 9.0005)
    for ends in ((place, 2), (place, 4), (2, place), (4, place)):
        found = solve(graph, "dijkstra-heap", source=ends[0], target=ends[1]).distance
        assert router.distance(*ends) == pytest.approx(found)
        assert found < router.distance(4, 2) / 2
    for free in (read(path, profile="bicycle"), read(path, turns="ignore")):
        assert (5, 6) in pairwise(solve(free, "dijkstra-heap", source=4, target=2).path)
    assert "ignored: destination-only access of 1 road" in (
        read(path, turns="ignore").interpretation.line
    )


def test_what_is_behind_roads_for_destination_only_is_reached(tmp_path: Path) -> None:
    """Node 6 and what is beyond, of which nothing but such a road leads; there and back."""
    graph = read(write(tmp_path, tags={11: {"access": "destination"}}))
    for ends in ((4, 2), (2, 4), (1, 7)):
        found = solve(graph, "dijkstra-heap", source=ends[0], target=ends[1])
        assert found.verdict.verified
        assert np.isfinite(found.distance)


def test_roads_for_destination_only_in_one_direction(tmp_path: Path) -> None:
    tags = SLOW | {11: {"vehicle:backward": "destination"}}
    graph = read(write(tmp_path, ways=ROUND, tags=tags))
    assert list(solve(graph, "dijkstra-heap", source=4, target=2).path) == [4, 5, 6, 2]
    assert list(solve(graph, "dijkstra-heap", source=2, target=4).path) == [2, 6, 7, 1, 5, 4]


def test_changed_roads_keep_the_rule_of_roads_for_destination_only(tmp_path: Path) -> None:
    graph = read(write(tmp_path, ways=ROUND, tags=SLOW | {11: {"access": "customers"}}))
    for changes in (
        RoadChanges(),
        RoadChanges().close((1, 7)),
        RoadChanges().slow(9.0, (1, 7)),
        RoadChanges().close((1, 7)).close((3, 8)),
    ):
        changed = changes.apply(graph) if changes else graph
        found = solve(changed, "dijkstra-heap", source=4, target=2)
        assert found.verdict.verified
        assert (5, 6) not in pairwise(found.path or [])


def test_the_shared_case_of_roads_for_destination_only() -> None:
    graph = read(data_file("cases/t5-destination-only.osm"), weights="metres")
    found = solve(graph, "dijkstra-heap", source=4, target=5)
    assert found.verdict.verified
    assert found.distance == pytest.approx(3059.1, abs=0.05)


def _with_lights(folder: Path, x: float, **lights: str) -> dict[tuple[int, int], float]:
    """Times by costs along a street with lights at node 9, ``x`` of 222 m along it."""
    places = {1: 0.0, 2: 2.0, 3: -1.0, 4: 3.0, 5: 0.0, 6: 2.0, 9: x}
    nodes = "".join(
        f'<node id="{node}" lon="{9 + at / 1000}" lat="{(node in (5, 6)) / 1000}">'
        f"{_tags({'highway': 'traffic_signals', **lights}) if node == 9 else ''}</node>"
        for node, at in places.items()
    )
    ways = {10: (3, 1), 11: (1, 9, 2), 12: (2, 4), 13: (1, 5), 14: (2, 6)}
    roads = "".join(
        f'<way id="{way}">{"".join(f"""<nd ref="{node}"/>""" for node in refs)}'
        f"{_tags({'highway': 'residential'})}</way>"
        for way, refs in ways.items()
    )
    path = folder / "lights.osm"
    path.write_text(f'<osm version="0.6">{nodes}{roads}</osm>')
    router = prepare(read(path, turns="costs"), verify="all")
    plain = prepare(read(path))
    return {pair: router.distance(*pair) - plain.distance(*pair) for pair in ((3, 4), (4, 3))}


@pytest.mark.parametrize(
    ("x", "lights", "east", "west"),
    [
        (1.0, {}, 6, 6),  # between the junctions
        (1.8, {}, 6, 0),  # at the stop line of those who go east
        (0.2, {}, 0, 6),
        (1.8, {"traffic_signals:direction": "both"}, 6, 0),
        (1.0, {"traffic_signals:direction": "forward"}, 6, 0),
        (1.0, {"traffic_signals:direction": "backward"}, 0, 6),
        (0.2, {"traffic_signals:direction": "forward"}, 6, 0),
    ],
)
def test_lights_before_a_junction_cost(
    tmp_path: Path, x: float, lights: dict[str, str], east: int, west: int
) -> None:
    found = _with_lights(tmp_path, x, **lights)
    # a road in two parts is rounded twice, to tenths of a second
    assert found == pytest.approx({(3, 4): east, (4, 3): west}, abs=0.15)


def test_times_of_roads_and_costs_of_turns_add_up_to_the_length(tmp_path: Path) -> None:
    router = prepare(read(write(tmp_path, signals=(5,)), turns="costs"))
    place = (0.0, 9.0005)
    for ends in ((3, 4), (8, 1), (1, 2), (3, place), (place, 7)):
        path = router.path(*ends)
        assert path.turn_costs > 0
        assert path.sum("seconds") + path.turn_costs == pytest.approx(path.length, abs=0.11)
    assert prepare(read(write(tmp_path))).path(3, 4).turn_costs == 0
    assert (
        prepare(read(write(tmp_path), turns="costs", weights="metres")).path(3, 4).turn_costs == 0
    )


def test_that_turns_are_left_out_of_a_graph_of_networkx_is_told(tmp_path: Path) -> None:
    graph = read(write(tmp_path, relation(77, NO_LEFT, FROM_SOUTH, AT_5, TO_WEST)))
    with pytest.warns(TurnsLeftOut, match="city: rules for turns are left out"):
        made = to_networkx(graph)
    assert made.graph["turns"] == "rules for turns are left out: 1 turn restriction used"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "turns" not in to_networkx(read(write(tmp_path))).graph


def test_a_tree_says_that_its_predecessors_are_no_paths(tmp_path: Path) -> None:
    restricted = write(tmp_path, relation(77, NO_LEFT, FROM_SOUTH, AT_5, TO_WEST))
    assert prepare(read(restricted)).tree(3).note.startswith("Turns matter here")
    assert prepare(read(write(tmp_path))).tree(3).note == ""


def test_dead_ends_of_closed_roads_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Beyond 7, which is a dead end without the road to 1, one may turn round."""
    path = write(tmp_path, relation(77, NO_LEFT, FROM_SOUTH, AT_5, TO_WEST), ways=ROUND, tags=SLOW)
    graph = read(path)
    assert dead_ends_text(RoadChanges().slow(2.0, (7, 1)).apply(graph)) == ""
    told = dead_ends_text(RoadChanges().close((7, 1)).apply(graph))
    assert told == (
        "Closed roads make 2 dead ends, where paths may turn round: 1, 7. "
        "So a path may be shorter than before."
    )
    command = ["solve", str(path), "--source", "3", "--target", "4", "--variants", "dijkstra-heap"]
    assert cli.main([*command, "--no-keep", "--close", "7-1"]) == 0
    assert told in capsys.readouterr().out


def test_what_is_converted_has_no_restrictions_and_this_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, relation(77, NO_LEFT, FROM_SOUTH, AT_5, TO_WEST))
    assert cli.main(["convert", str(path), str(tmp_path / "city.gr")]) == 0
    assert "restrictions and costs are left out" in capsys.readouterr().err
    assert not read(tmp_path / "city.gr").has_turns


def test_a_result_with_a_forged_path_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = city(tmp_path, relation(77, NO_LEFT, FROM_SOUTH, AT_5, TO_WEST)).graph
    source, target = graph.vertex(3), graph.vertex(4)
    request = RunRequest(graph, source, target, (Choice(find_variant("dijkstra-heap")),))
    (found,) = run(request)
    assert found.ok
    path = np.array([source, graph.vertex(5), target], np.int32)
    monkeypatch.setattr(paths, "path_that_adds_up", lambda *_: path)
    (forged,) = run(request)
    assert not forged.ok
    assert forged.path is None
    assert forged.verdict.text == ("Not a path: the turn into 5 → 4 is forbidden by relation 77.")
