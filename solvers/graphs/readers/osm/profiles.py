"""Profiles: which ways a car, a bicycle or a pedestrian may use, in which directions,
and how fast; tags and names.

Free-flow speeds: the limit where there is one, else a customary speed for the kind of
road. Defaults follow the OpenStreetMap wiki's page on access restrictions.

Speed limits, durations and directions are parsed as the OpenStreetMap wiki defines them
(pages Key:maxspeed, Key:duration and Key:oneway). Roads are shown by name and number,
or by the kind of road if they have neither.

What the values of tags mean to each profile is in ``resources/osm_profiles.toml``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

import msgspec

from solvers.errors import UnknownName
from solvers.system.files import RESOURCES

_ROUNDABOUTS = ("roundabout", "circular")
_FERRIES = ("ferry", "shuttle_train")
_FERRY_SPEED = 15.0  # km/h where the duration is unknown
_WALKING = 4.0
Tags = Mapping[str, str]

SPEED_RANGE = (1.0, 200.0)  # km/h; a limit outside is taken for an error
_KMH_PER_UNIT = {"": 1.0, "km/h": 1.0, "kmh": 1.0, "kph": 1.0, "mph": 1.609344, "knots": 1.852}
_SPEED = re.compile(r"(\d+(?:\.\d+)?)\s*(km/h|kmh|kph|mph|knots|)")
_ZONE = re.compile(r"(?:\w+:)?zone:?(\d+)")
_UNLIMITED = 120.0  # “none”: a customary speed where there is no limit
_WALK = 7.0
_CLOCK = re.compile(r"(?:(\d+):)?(\d+):(\d{2})")
_ISO = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?")
_MINUTES = re.compile(r"\d+(?:\.\d+)?")
_LONGEST = 14 * 24 * 3600.0  # seconds of a ferry

_MOST_CHARACTERS = 80
_NUMBER_FIRST = ("motorway", "trunk")  # known by their number
CLASSES = 8


@dataclass(frozen=True)
class Passage:
    """What a profile makes of a way."""

    forward: float = 0.0  # speed in km/h along the way; 0 where it may not be used
    backward: float = 0.0  # against it
    seconds: float = 0.0  # travel time of the whole way, if it is known (ferries); else 0
    nonsense: str = ""  # a value of ``maxspeed`` that is not a speed, or ""
    changing: bool = False  # left out because its direction changes with the time of day

    @property
    def usable(self) -> bool:
        return self.forward > 0.0 or self.backward > 0.0


CLOSED = Passage()


@dataclass(frozen=True)
class Profile:
    id: str
    title: str
    modes: tuple[str, ...]  # keys of access, the most specific first
    # km/h by the value of ``highway``; others may be used only where a key of ``modes``
    # but "access" allows it
    speeds: Mapping[str, float]
    other_speed: float  # km/h on such others
    keeps_limits: bool = False  # whether speed limits raise the customary speed, or only lower it
    obeys_oneway: bool = True
    # values of ``barrier`` that stop it, unless access is allowed there
    barriers: frozenset[str] = frozenset()

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys of the tags that decide over a way."""
        return (
            "highway",
            "route",
            "junction",
            "area",
            "motorroad",
            "duration",
            "maxspeed",
            "maxspeed:forward",
            "maxspeed:backward",
            "oneway",
            "cycleway",
            "cycleway:left",
            "cycleway:right",
            *self.modes,
            *(f"oneway:{mode}" for mode in self.modes[:-1]),
        )

    def is_stopped_at(self, tags: Tags) -> bool:
        """Whether a node with these tags, a gate or a bollard, stops it."""
        barrier = tags.get("barrier")
        allowed = self._access(tags)
        if barrier is None or allowed is True:
            return False
        return allowed is False or barrier in self.barriers

    def passage(self, tags: Tags) -> Passage:
        """What this profile makes of a way with these tags."""
        speed = self._customary_speed(tags)
        if speed == 0.0:
            return CLOSED
        way = self._direction(tags)
        if way is WayDirection.CHANGING:
            return Passage(changing=True)
        nonsense, speeds = "", []
        for side in ("forward", "backward"):
            limit, bad = self._limited(tags, side, speed)
            nonsense = nonsense or bad
            speeds.append(limit)
        there = speeds[0] if way is not WayDirection.BACKWARD else 0.0
        back = speeds[1] if way is not WayDirection.FORWARD else 0.0
        seconds = (duration(tags.get("duration", "")) or 0.0) if _is_ferry(tags) else 0.0
        return Passage(there, back, seconds, nonsense)

    def _customary_speed(self, tags: Tags) -> float:
        """Speed in km/h without a limit; 0 if the way may not be used."""
        allowed = self._access(tags)
        if allowed is False or (tags.get("motorroad") == "yes" and self.id != "car"):
            return 0.0
        if _is_ferry(tags):
            return _FERRY_SPEED
        kind = tags.get("highway", "")
        if tags.get("area") == "yes" and self.id != "foot":
            return 0.0
        speed = self.speeds.get(kind, 0.0)
        if (
            speed == 0.0
            and kind not in MEANINGS.no_roads
            and any(tags.get(mode) in MEANINGS.allowed for mode in self.modes[:-1])
        ):
            speed = self.other_speed
        if tags.get(self.modes[0]) == "dismount":
            speed = min(speed, _WALKING)
        return speed

    def _access(self, tags: Tags) -> bool | None:
        """What the most specific key says; None if none says anything."""
        for mode in self.modes:
            value = tags.get(mode)
            if value in MEANINGS.refused:
                return False
            if value in MEANINGS.allowed:
                return True
        return None

    def _limited(self, tags: Tags, side: str, customary: float) -> tuple[float, str]:
        """Speed in one direction, and a limit that is nonsense."""
        text = tags.get(f"maxspeed:{side}") or tags.get("maxspeed")
        if text is None or _is_ferry(tags):
            return customary, ""
        try:
            limit = speed_limit(text)
        except ValueError:
            return customary, text
        if limit is None:
            return customary, ""
        return (limit if self.keeps_limits else min(limit, customary)), ""

    def _direction(self, tags: Tags) -> WayDirection:
        for mode in self.modes[:-1]:
            own = direction(tags.get(f"oneway:{mode}"))
            if own is not None:
                return own
        if not self.obeys_oneway:
            return WayDirection.BOTH
        if self.id == "bicycle" and any(
            tags.get(key) in MEANINGS.bicycle_both_ways
            for key in ("cycleway", "cycleway:left", "cycleway:right")
        ):
            return WayDirection.BOTH
        given = direction(tags.get("oneway"))
        if given is not None:
            return given
        implied = tags.get("junction") in _ROUNDABOUTS or tags.get("highway") == "motorway"
        return WayDirection.FORWARD if implied else WayDirection.BOTH


class _Meanings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What ``resources/osm_profiles.toml`` holds."""

    allowed: frozenset[str]
    refused: frozenset[str]
    no_roads: frozenset[str]
    bicycle_both_ways: frozenset[str]
    undetermined: frozenset[str]
    implicit_limits: Mapping[str, float]
    rural_limits: Mapping[str, float]
    kinds: Mapping[str, str]
    classes: Mapping[str, int]
    places: tuple[str, ...]  # the most important first
    profiles: tuple[Profile, ...]


MEANINGS = msgspec.toml.decode((RESOURCES / "osm_profiles.toml").read_bytes(), type=_Meanings)

# what `road_name` says of roads without a name
UNNAMED = frozenset({*MEANINGS.kinds.values(), "road", "ferry", ""})


def _is_ferry(tags: Tags) -> bool:
    return "highway" not in tags and tags.get("route") in _FERRIES


def find_profile(profile_id: str) -> Profile:
    """The profile "car", "bicycle" or "foot"; raises `UnknownName`."""
    for profile in MEANINGS.profiles:
        if profile.id == profile_id:
            return profile
    raise UnknownName("profile", profile_id, [profile.id for profile in MEANINGS.profiles])


class WayClassifier:
    """What a profile makes of the ways of one file; remembered, because most ways are alike."""

    def __init__(self, profile: Profile):
        self._profile, self._keys = profile, profile.keys
        self._known: dict[tuple[str | None, ...], Passage] = {}

    def of(self, tags: Tags) -> Passage:
        key = tuple(map(tags.get, self._keys))
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._profile.passage(tags)
        return found


class WayDirection(Enum):
    """In which directions a way may be used."""

    BOTH = "both"
    FORWARD = "forward"
    BACKWARD = "backward"
    CHANGING = "changing"  # one way, at different times in different directions


_ONEWAY = {
    "yes": WayDirection.FORWARD,
    "true": WayDirection.FORWARD,
    "1": WayDirection.FORWARD,
    "-1": WayDirection.BACKWARD,
    "reverse": WayDirection.BACKWARD,
    "no": WayDirection.BOTH,
    "false": WayDirection.BOTH,
    "0": WayDirection.BOTH,
    "alternating": WayDirection.BOTH,
    "reversible": WayDirection.CHANGING,
}


def speed_limit(text: str) -> float | None:
    """A speed limit in km/h; None if the value is not a number, though a proper one.

    Of several values ("50;30") the least counts. Raises ValueError if it is nonsense:
    not a speed, or one outside `SPEED_RANGE`.
    """
    parts = [part.strip() for part in re.split(r"[;|]", text) if part.strip()]
    if not parts:
        raise ValueError(text)
    limits = [limit for part in parts if (limit := _one_limit(part)) is not None]
    return min(limits) if limits else None


def _one_limit(text: str) -> float | None:
    word = text.lower()
    if found := _SPEED.fullmatch(word):
        speed = float(found[1]) * _KMH_PER_UNIT[found[2]]
        if not SPEED_RANGE[0] <= speed <= SPEED_RANGE[1]:
            raise ValueError(text)
        return speed
    if word in MEANINGS.undetermined:
        return None
    if word in ("none", "no"):
        return _UNLIMITED
    if word == "walk":
        return _WALK
    if found := _ZONE.fullmatch(word):
        return _one_limit(found[1])
    country, _, kind = text.partition(":")
    if kind == "rural" and country in MEANINGS.rural_limits:
        return MEANINGS.rural_limits[country]
    if kind in MEANINGS.implicit_limits:
        return MEANINGS.implicit_limits[kind]
    raise ValueError(text)


def duration(text: str) -> float | None:
    """A duration in seconds: ``"1:30"`` (hours and minutes), ``"0:45:00"``,
    ``"PT1H30M"`` or minutes; else None.
    """
    text = text.strip()
    if found := _CLOCK.fullmatch(text):
        first, second, third = (int(part or 0) for part in found.groups())
        seconds = float(
            3600 * first + 60 * second + third if found[1] else 3600 * second + 60 * third
        )
    elif (found := _ISO.fullmatch(text)) and any(found.groups()):
        days, hours, minutes, rest = (int(part or 0) for part in found.groups())
        seconds = float(86400 * days + 3600 * hours + 60 * minutes + rest)
    elif _MINUTES.fullmatch(text):
        seconds = 60.0 * float(text)
    else:
        return None
    return seconds if 0.0 < seconds <= _LONGEST else None


def direction(text: str | None) -> WayDirection | None:
    """The meaning of a value of ``oneway``; None for none, and for one without a meaning."""
    return None if text is None else _ONEWAY.get(text.lower())


def road_name(tags: Tags) -> str:
    """``"A 13"``, ``"Landstrasse (17)"``, ``"Landstrasse"``, or the kind in words:
    ``"service road"``.
    """
    name, number = _printed(tags.get("name", "")), _printed(tags.get("ref", ""))
    kind = tags.get("highway", "")
    if number and (not name or kind in _NUMBER_FIRST):
        return number
    if name:
        return f"{name} ({number})" if number else name
    return MEANINGS.kinds.get(kind, "road") if kind else "ferry"


def road_class(tags: Tags) -> int:
    """0 for paths and tracks, up to 7 for motorways; ferries are as tertiary roads."""
    kind = tags.get("highway")
    return 3 if kind is None else MEANINGS.classes.get(kind.removesuffix("_link"), 0)


def _printed(text: str) -> str:
    """A tag's value on one line, cut to a moderate length; several numbers are
    separated by commas.
    """
    words = " ".join(
        "".join(c if c.isprintable() else " " for c in text.replace(";", ", ")).split()
    )
    return words if len(words) <= _MOST_CHARACTERS else words[: _MOST_CHARACTERS - 1] + "…"
