"""Who may use which way, in which direction, how fast."""

from __future__ import annotations

import re

import pytest

from solvers.graphs.readers.osm.profiles import Passage, duration, find_profile, road_name, speed_limit


def passage(profile: str, **tags: str) -> Passage:
    """What a profile makes of a way; a double underscore stands for a colon."""
    return find_profile(profile).passage({key.replace("__", ":"): value for key, value in tags.items()})


@pytest.mark.parametrize(
    ("text", "kmh"),
    [
        ("50", 50.0), ("50 km/h", 50.0), ("30 mph", 48.28032), ("10 knots", 18.52), ("none", 120.0), ("walk", 7.0),
        ("DE:urban", 50.0), ("AT:rural", 100.0), ("CH:rural", 80.0), ("DE:zone:30", 30.0), ("zone20", 20.0),
        ("IT:motorway", 120.0), ("80;50", 50.0), ("signals", None), ("variable; 60", 60.0),
    ],
)  # fmt: skip
def test_speed_limits(text: str, kmh: float | None) -> None:
    assert speed_limit(text) == (None if kmh is None else pytest.approx(kmh))


@pytest.mark.parametrize("text", ["fast", "0", "5000", "-30", " ", "50 furlongs", "nan", "1e9", "DE:quickly", "٣٠٠٠"])
def test_nonsense_is_no_speed_limit(text: str) -> None:
    with pytest.raises(ValueError, match=re.escape(text.split(";")[0])):
        speed_limit(text)
    assert passage("car", highway="residential", maxspeed=text) == Passage(30.0, 30.0, nonsense=text)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("00:20", 1200), ("1:30", 5400), ("0:00:45", 45), ("PT1H30M", 5400), ("P1DT2H", 93_600), ("25", 1500),
     ("soon", None), ("0", None), ("PT", None), ("99999:00", None)],
)  # fmt: skip
def test_durations_of_ferries(text: str, seconds: float | None) -> None:
    assert duration(text) == seconds


@pytest.mark.parametrize(
    ("tags", "both"),
    [
        ({"oneway": "yes"}, (True, False)),
        ({"oneway": "-1"}, (False, True)),
        ({"oneway": "no", "junction": "roundabout"}, (True, True)),
        ({"junction": "roundabout"}, (True, False)),
        ({"junction": "circular"}, (True, False)),
        ({"oneway": "alternating"}, (True, True)),
        ({"oneway": "maybe"}, (True, True)),
        ({}, (True, True)),
    ],
)
def test_directions_of_a_car(tags: dict[str, str], both: tuple[bool, bool]) -> None:
    found = passage("car", highway="residential", **tags)

    assert (found.forward > 0, found.backward > 0) == both


def test_a_motorway_is_one_way_and_reversible_lanes_are_left_out() -> None:
    assert passage("car", highway="motorway", maxspeed="100") == Passage(100.0, 0.0)
    assert passage("car", highway="primary", oneway="reversible") == Passage(changing=True)


def test_limits_may_differ_by_direction() -> None:
    found = passage("car", highway="primary", maxspeed="70", maxspeed__backward="50")

    assert (found.forward, found.backward) == (70.0, 50.0)


@pytest.mark.parametrize(
    ("profile", "tags", "usable"),
    [
        ("car", {"highway": "footway"}, False),
        ("car", {"highway": "track"}, False),
        ("car", {"highway": "track", "motor_vehicle": "yes"}, True),
        ("car", {"highway": "residential", "access": "private"}, False),
        ("car", {"highway": "residential", "access": "no", "motorcar": "destination"}, True),
        ("car", {"highway": "residential", "vehicle": "no"}, False),
        ("car", {"highway": "construction", "motor_vehicle": "yes"}, False),
        ("car", {"highway": "service", "area": "yes"}, False),
        ("car", {"route": "ferry"}, True),
        ("car", {"route": "ferry", "motor_vehicle": "no"}, False),
        ("car", {"route": "bus"}, False),
        ("bicycle", {"highway": "motorway"}, False),
        ("bicycle", {"highway": "cycleway"}, True),
        ("bicycle", {"highway": "footway"}, False),
        ("bicycle", {"highway": "footway", "bicycle": "yes"}, True),
        ("bicycle", {"highway": "trunk", "motorroad": "yes"}, False),
        ("bicycle", {"highway": "residential", "vehicle": "no"}, False),
        ("foot", {"highway": "steps"}, True),
        ("foot", {"highway": "motorway"}, False),
        ("foot", {"highway": "residential", "vehicle": "no"}, True),
        ("foot", {"highway": "path", "foot": "no"}, False),
        ("foot", {"highway": "pedestrian", "area": "yes"}, True),
    ],
)
def test_access(profile: str, tags: dict[str, str], usable: bool) -> None:
    assert passage(profile, **tags).usable == usable


def test_one_way_streets_that_bicycles_may_use_both_ways() -> None:
    street = {"highway": "residential", "oneway": "yes"}

    assert passage("bicycle", **street).backward == 0
    assert passage("bicycle", **street, oneway__bicycle="no").backward > 0
    assert passage("bicycle", **street, cycleway="opposite_lane").backward > 0
    assert passage("foot", **street).backward > 0


def test_limits_slow_bicycles_but_do_not_speed_them_up() -> None:
    assert passage("bicycle", highway="residential", maxspeed="10").forward == 10.0
    assert passage("bicycle", highway="residential", maxspeed="50").forward == 18.0
    assert passage("bicycle", highway="path", bicycle="dismount").forward == 4.0


@pytest.mark.parametrize(
    ("tags", "name"),
    [
        ({"highway": "motorway", "ref": "A 13", "name": "Rheintalautobahn"}, "A 13"),
        ({"highway": "primary", "ref": "17;B 2", "name": "Landstrasse"}, "Landstrasse (17, B 2)"),
        ({"highway": "primary", "ref": "17"}, "17"),
        ({"highway": "service"}, "service road"),
        ({"highway": "something"}, "road"),
        ({"route": "ferry"}, "ferry"),
        ({"highway": "path", "name": "a\u202eb\n\tc"}, "a b c"),
        ({"highway": "path", "name": "x" * 200}, "x" * 79 + "…"),
    ],
)
def test_names(tags: dict[str, str], name: str) -> None:
    assert road_name(tags) == name
