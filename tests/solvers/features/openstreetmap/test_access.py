"""Access to roads by tags: which keys decide, by direction, in lists, at nodes and barriers;
and what is not read but counted.

The oracle of random tags is a plain evaluator of the rules of Key:access, written from the
words of the wiki and the data of the profiles alone.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers import read, solve
from solvers.features.openstreetmap.profiles import MEANINGS, Passage, Profile, find_profile
from solvers.graphs.graph import Graph
from solvers.graphs.readers import Reading, read_graph
from solvers.graphs.reading import ReadingOptions
from tests.data import data_file
from tests.solvers.features.openstreetmap.test_restrictions import (
    FROM_SOUTH,
    TO_WEST,
    relation,
    report,
)
from tests.solvers.features.openstreetmap.test_restrictions import write as write_city
from tests.solvers.features.openstreetmap.town import PLACES, WAYS, Ways, write_osm

PROFILES = ("car", "bicycle", "foot")
OPEN, NO, VISITORS = "open", "closed", "destination"
_VALUES = (
    *("yes", "no", "private", "destination", "delivery", "permissive", "agricultural", "forestry"),
    *("dismount", "use_sidepath", "customers", "foot", "motorcar", "unknown", "perhaps"),
)


def passage(profile: str, **tags: str) -> Passage:
    """What a profile makes of a way; a double underscore stands for a colon."""
    return find_profile(profile).passage(
        {key.replace("__", ":"): value for key, value in tags.items()}
    )


def both(found: Passage) -> tuple[str, str]:
    """For whom a way is, along it and against it."""
    return tuple(
        NO if speed == 0 else VISITORS if visitors else OPEN
        for speed, visitors in zip(
            (found.forward, found.backward), found.for_destination, strict=True
        )
    )


def _plainly(profile: Profile, tags: dict[str, str], side: str) -> str:
    """Who may use a residential street in one direction, by the words of the wiki."""
    for mode in profile.modes:
        candidates = [tags[key] for key in (f"{mode}:{side}", mode) if key in tags]
        for text in candidates:
            words = [word.strip() for word in text.split(";")]
            visitors = [word for word in words if word in profile.only_destination]
            others = [word for word in words if word not in profile.only_destination]
            if any(w in MEANINGS.allowed or w in profile.modes[:-1] for w in others):
                return OPEN
            if visitors:
                return VISITORS
            if any(word in MEANINGS.refused for word in others):
                return NO
    return OPEN


@given(st.data())
def test_the_most_specific_key_decides_by_direction_before_without_one(data: st.DataObject) -> None:
    profile = find_profile(data.draw(st.sampled_from(PROFILES)))
    keys = ("access", "vehicle", "motor_vehicle", "motorcar", "bicycle", "foot", "psv")
    keys = tuple(f"{key}{side}" for key in keys for side in ("", ":forward", ":backward"))
    lists = st.lists(st.sampled_from(_VALUES), min_size=1, max_size=3).map(";".join)
    tags = data.draw(st.dictionaries(st.sampled_from(keys), lists, max_size=5))
    found = profile.passage({"highway": "residential", **tags})
    expected = tuple(_plainly(profile, tags, side) for side in ("forward", "backward"))
    assert both(found) == expected, tags


@pytest.mark.parametrize(
    ("profile", "tags", "expected"),
    [
        ("car", {"motor_vehicle__backward": "no"}, (OPEN, NO)),
        ("car", {"access__forward": "no"}, (NO, OPEN)),
        ("car", {"motorcar__backward": "private", "motor_vehicle": "yes"}, (OPEN, NO)),
        ("car", {"motor_vehicle__backward": "no", "motorcar": "yes"}, (OPEN, OPEN)),
        ("car", {"access": "no", "vehicle__forward": "yes"}, (OPEN, NO)),
        ("car", {"bicycle__backward": "no", "foot": "no"}, (OPEN, OPEN)),
        ("foot", {"foot__backward": "no"}, (OPEN, NO)),
        ("foot", {"vehicle__backward": "no"}, (OPEN, OPEN)),
        ("bicycle", {"vehicle__forward": "no", "bicycle__forward": "dismount"}, (OPEN, OPEN)),
        ("car", {"motor_vehicle": "forestry;agricultural"}, (NO, NO)),
        ("car", {"motor_vehicle": "agricultural; forestry"}, (NO, NO)),
        ("car", {"motor_vehicle": "private;no"}, (NO, NO)),
        ("car", {"access": "no;destination"}, (VISITORS, VISITORS)),
        ("car", {"access": "Delivery ; yes"}, (OPEN, OPEN)),
        ("car", {"access": "destination"}, (VISITORS, VISITORS)),
        ("car", {"motor_vehicle__backward": "destination"}, (OPEN, VISITORS)),
        ("bicycle", {"access": "destination"}, (OPEN, OPEN)),
        ("foot", {"access": "foot;bicycle"}, (OPEN, OPEN)),
        ("car", {"access": "foot;bicycle"}, (NO, NO)),
    ],
)
def test_access_by_direction_and_in_lists(
    profile: str, tags: dict[str, str], expected: tuple[str, str]
) -> None:
    assert both(passage(profile, highway="residential", **tags)) == expected


def test_a_track_that_one_direction_is_allowed_on() -> None:
    assert both(passage("car", highway="track", motor_vehicle__forward="yes")) == (OPEN, NO)
    assert both(passage("car", highway="track", motorcar="destination")) == (VISITORS, VISITORS)


def test_a_profile_says_which_values_are_for_destination_only() -> None:
    strict = replace(find_profile("car"), only_destination=frozenset({"private"}))
    street = {"highway": "service", "access": "private"}
    assert both(strict.passage(street)) == (VISITORS, VISITORS)
    assert both(strict.passage(street | {"access": "destination"})) == (OPEN, OPEN)


@pytest.mark.parametrize(
    "tags",
    [
        {"oneway__bicycle": "no"},
        {"bicycle__backward": "yes"},
        {"cycleway": "opposite"},
        {"cycleway__left": "opposite_track"},
        {"cycleway__both": "opposite_lane"},
        {"cycleway__left__oneway": "-1"},
        {"cycleway__left": "lane", "cycleway__left__oneway": "no"},
        {"cycleway__right__oneway": "no"},
        {"cycleway__oneway": "no", "cycleway": "lane"},
    ],
)
def test_contraflow_of_bicycles(tags: dict[str, str]) -> None:
    street = {"highway": "residential", "oneway": "yes"}
    assert both(passage("bicycle", **street, **tags)) == (OPEN, OPEN)
    assert both(passage("car", **street, **tags)) == (OPEN, NO)


@pytest.mark.parametrize(
    "tags",
    [
        {},
        {"cycleway": "lane"},
        {"cycleway__left": "no", "cycleway__left__oneway": "-1"},
        {"cycleway__right": "separate", "cycleway__right__oneway": "no"},
        {"cycleway__right__oneway": "yes"},
        {"bicycle__backward": "no", "bicycle": "yes"},
        {"oneway__bicycle": "yes", "cycleway": "opposite"},
    ],
)
def test_no_contraflow_without_a_sign(tags: dict[str, str]) -> None:
    assert both(passage("bicycle", highway="residential", oneway="yes", **tags)) == (OPEN, NO)


def test_contraflow_on_a_street_drawn_the_other_way() -> None:
    street = {"highway": "residential", "oneway": "-1"}
    assert both(passage("bicycle", **street)) == (NO, OPEN)
    assert both(passage("bicycle", **street, cycleway__left__oneway="yes")) == (OPEN, OPEN)
    assert both(passage("bicycle", **street, bicycle__forward="designated")) == (OPEN, OPEN)
    assert both(passage("bicycle", **street, cycleway__left__oneway="-1")) == (NO, OPEN)


@pytest.mark.parametrize(
    ("profile", "tags", "stops"),
    [
        ("car", {"access": "no"}, True),
        ("car", {"motor_vehicle": "no"}, True),
        ("bicycle", {"motor_vehicle": "no"}, False),
        ("car", {"access": "no", "motorcar": "yes"}, False),
        ("car", {"highway": "crossing", "access": "no"}, False),
        ("bicycle", {"highway": "crossing", "bicycle": "no"}, False),
        ("car", {"barrier": "gate"}, False),
        ("car", {"barrier": "gate", "access": "private"}, True),
        ("car", {"barrier": "gate", "access": "destination"}, False),
        ("car", {"barrier": "bollard"}, True),
        ("car", {"barrier": "bollard", "bollard": "rising"}, False),
        ("car", {"barrier": "bollard", "motor_vehicle": "yes"}, False),
        ("bicycle", {"barrier": "bollard"}, False),
        ("car", {"barrier": "kerb"}, True),
        ("car", {"barrier": "kerb", "kerb": "lowered"}, False),
        ("car", {"barrier": "fence", "sensory": "audible"}, False),
        ("bicycle", {"barrier": "stile"}, True),
        ("foot", {"barrier": "stile"}, False),
        ("foot", {"barrier": "wall"}, True),
        ("car", {"barrier": "height_restrictor"}, False),
        ("foot", {"barrier": "portcullis"}, True),
        ("car", {"name": "x"}, False),
    ],
)
def test_what_stops_at_a_node(profile: str, tags: dict[str, str], stops: bool) -> None:
    assert find_profile(profile).is_stopped_at(tags) is stops


def test_kinds_of_barriers_are_known_once() -> None:
    """To each profile a kind either lets pass or stops."""
    for profile in MEANINGS.profiles:
        known = MEANINGS.stopping_barriers | profile.passed_barriers
        assert {"bollard", "gate", "stile", "wall", "kerb"} <= known
    car = find_profile("car")
    assert not car.passed_barriers & MEANINGS.stopping_barriers


@pytest.mark.parametrize("suffix", ["osm", "osm.pbf"])
def test_a_node_that_nobody_may_pass_ends_its_road(tmp_path: Path, suffix: str) -> None:
    tags = {10: {"motor_vehicle": "no"}, 12: {"access": "no", "foot": "yes"}}
    path = write_osm(tmp_path / f"town.{suffix}", node_tags=tags)
    ids = {who: set(_read(path, profile=who).graph.ids.tolist()) for who in PROFILES}
    assert {10, 12} <= ids["car"]
    assert (10 in ids["bicycle"], 12 in ids["bicycle"]) == (False, True)
    assert not ids["foot"] & {10, 12}


def _read(path: Path, **how: Any) -> Reading:
    return read_graph(path, ReadingOptions(**how))


def _line(reading: Reading) -> str:
    return reading.graph.interpretation.line


def test_conditions_are_counted(tmp_path: Path) -> None:
    more = {
        100: {"access:conditional": "no @ (Mo-Fr 07:00-09:00)"},
        101: {"maxspeed:conditional": "30 @ (22:00-06:00)", "maxspeed": "50"},
        102: {"oneway:conditional": "no @ (Su)", "maxspeed:forward:conditional": "20 @ wet"},
        103: {"motor_vehicle:backward:conditional": "no @ (Su)", "foot:conditional": "no @ (Su)"},
        104: {"bicycle:conditional": "no @ (Su)", "access": "no"},
    }
    ways: Ways = {way: (nodes, tags | more[way]) for way, (nodes, tags) in WAYS.items()}
    gates = {12: {"barrier": "gate", "access:conditional": "no @ night"}}
    path = write_osm(tmp_path / "town.osm", ways, node_tags=gates)
    assert (
        "ignored: conditional access of 3 roads, conditional speed limits of 2 roads, "
        "conditions or directions of 1 barrier" in _line(_read(path))
    )
    assert "ignored: conditional access of 2 roads, " in _line(_read(path, profile="foot"))
    assert "ignored" not in _line(_read(write_osm(tmp_path / "town.osm")))


def test_what_is_unknown_is_told_with_a_count(tmp_path: Path) -> None:
    ways: Ways = {
        way: (nodes, tags | {"access": "perhaps" if way < 102 else "unknown"})
        for way, (nodes, tags) in WAYS.items()
    }
    nodes = {12: {"barrier": "portcullis"}, 20: {"barrier": "gate"}}
    path = write_osm(tmp_path / "town.osm", ways, PLACES | {99: (9.5, 47.0)}, nodes)
    assert _read(path).report.warnings[:2] == (
        "2 roads have an unknown value of access, such as “access=perhaps” of way 100; "
        "it is left out there.",
        "1 barrier is of an unknown kind, such as “portcullis” of node 12; nobody passes there.",
    )
    nodes = {99: {"barrier": "portcullis"}}  # on no road
    path = write_osm(tmp_path / "town.osm", places=PLACES | {99: (9.5, 47.0)}, node_tags=nodes)
    assert not any("barrier" in text for text in _read(path).report.warnings)


def test_a_road_without_length_warns_of_nothing(tmp_path: Path) -> None:
    places = PLACES | {3: PLACES[2]}
    ways: Ways = {
        1: ((1, 2), {"highway": "service", "name": "a"}),
        2: ((2, 3), {"highway": "service", "oneway": "yes"}),
        3: ((3, 4), {"highway": "service", "name": "b"}),
        4: ((2, 11), {"highway": "service"}),
        5: ((3, 12), {"highway": "service"}),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        graph = _read(write_osm(tmp_path / "town.osm", ways, places)).graph
    assert graph.m == 9
    assert int(graph.weights.min()) == 1


def _history(folder: Path, name: str) -> Path:
    """A town in four versions: node 12 moved, node 10 lost its bollard, and of the ways
    102 was one-way, 103 was a footway, 104 is deleted and 105 is no road any more.
    """
    path = folder / name
    path.unlink(missing_ok=True)
    import osmium

    with osmium.SimpleWriter(str(path)) as writer:

        def node(number: int, version: int, place: Any, **tags: str) -> None:
            writer.add_node(
                osmium.osm.mutable.Node(
                    id=number, version=version, location=place, visible=True, tags=tags
                )
            )

        for number, place in PLACES.items():
            if number == 12:
                node(number, 1, (9.6, 47.2))
            if number == 10:
                node(number, 1, place, barrier="bollard")
            node(number, 2, place)
        street = {"highway": "residential"}
        versions: list[tuple[int, int, Any, dict[str, str], bool]] = [
            (102, 1, (2, 10, 11), street | {"oneway": "yes"}, True),
            (102, 2, (2, 10, 11), street, True),
            (103, 1, (11, 12, 4), {"highway": "footway"}, True),
            (103, 2, (11, 12, 4), street, True),
            (104, 1, (20, 21), street, True),
            (104, 2, (), {}, False),
            (105, 1, (1, 11), street, True),
            (105, 2, (1, 11), {"waterway": "stream"}, True),
        ]
        for way in (100, 101):
            writer.add_way(
                osmium.osm.mutable.Way(
                    id=way, version=1, nodes=list(WAYS[way][0]), tags=WAYS[way][1]
                )
            )
        for number, version, nodes, tags, visible in versions:
            writer.add_way(
                osmium.osm.mutable.Way(
                    id=number, version=version, nodes=list(nodes), tags=tags, visible=visible
                )
            )
    return path


@pytest.mark.parametrize("name", ["town.osh", "town.osh.pbf", "town.osm", "town.osm.pbf"])
def test_of_a_file_of_history_the_newest_versions_are_read(tmp_path: Path, name: str) -> None:
    now: Ways = {
        100: WAYS[100],
        101: WAYS[101],
        102: (WAYS[102][0], {"highway": "residential"}),
        103: (WAYS[103][0], {"highway": "residential"}),
    }
    expected = _read(write_osm(tmp_path / "now.osm", now)).graph
    reading = _read(_history(tmp_path, name))
    found = reading.graph
    assert found.ids.tolist() == expected.ids.tolist()
    assert found.weights.tolist() == expected.weights.tolist()
    told = [text for text in reading.report.warnings if "history" in text]
    assert told == ["6 old versions were left out: this is a file of the history of its objects."]


def test_roads_that_stand_in_a_file_twice_are_told(tmp_path: Path) -> None:
    """As extracts that were joined without merging them; a newer version may close a road."""
    path = write_osm(tmp_path / "town.osm")
    second = '<way id="100"><nd ref="1"/><nd ref="2"/><tag k="highway" v="primary"/></way>'
    path.write_text(path.read_text().replace("</osm>", f"{second}</osm>"))
    told = [text for text in _read(path).report.warnings if "several times" in text]
    assert len(told) == 1
    assert told[0].startswith("1 road is in the file several times, such as way 100")


def test_restrictions_of_one_mode_by_their_type(tmp_path: Path) -> None:
    def read_one(kind: str, profile: str, **tags: str) -> str:
        relations = relation(
            77,
            {"type": kind, "restriction": "no_left_turn", **tags},
            FROM_SOUTH,
            ("via", "node", 5),
            TO_WEST,
        )
        return report(_read(write_city(tmp_path, relations), profile=profile))

    for kind in ("restriction:motorcar", "restriction:motor_vehicle", "restriction:vehicle"):
        assert read_one(kind, "car") == "1 turn restriction used"
    assert read_one("restriction:vehicle", "bicycle") == "1 turn restriction used"
    assert read_one("restriction:foot", "foot") == "1 turn restriction used"
    assert read_one("restriction:motorcar", "bicycle") == ""
    assert read_one("restriction:hgv", "car") == ""
    assert read_one("restriction:motorcar", "car", hour_on="7:00") == (
        "0 turn restrictions used; 1 conditional one ignored"
    )
    assert read_one("restriction", "foot") == ""


def test_turns_at_red_lights_are_no_faults_of_the_map(tmp_path: Path) -> None:
    on_red = relation(
        77, {"restriction": "no_right_turn_on_red"}, FROM_SOUTH, ("via", "node", 5), TO_WEST
    )
    told = report(_read(write_city(tmp_path, on_red)))
    assert told == "0 turn restrictions used; 1 of turns at red lights ignored"


@pytest.mark.parametrize(
    ("name", "source", "target", "metres"),
    [
        ("t5-directional-access.osm", 2, 1, 3000.0),
        ("t5-access-by-direction.osm", 2, 1, float("inf")),
        ("t5-access-lists.osm", (0.0, 0.0), (0.0, 0.0179864), 4118.0),
    ],
)
def test_shared_cases_of_access(name: str, source: Any, target: Any, metres: float) -> None:
    graph = read(data_file(f"cases/{name}"), weights="metres")
    found = solve(graph, "dijkstra-heap", source=source, target=target)
    assert found.verdict.verified
    assert found.distance == pytest.approx(metres, abs=1.0)


def test_shared_cases_of_what_is_counted() -> None:
    file = data_file("cases/t5-conditional-access.osm")
    assert "ignored: conditional access of 1 road" in _line(_read(file))
    graph: Graph = read(data_file("cases/t5-type-restriction-motorcar.osm"))
    assert solve(graph, "dijkstra-heap", source=1, target=4).distance == 144.0
