"""What tags of OpenStreetMap say whoever travels: speed limits, durations, directions, names.

Speed limits, durations and directions are parsed as the OpenStreetMap wiki defines them
(pages Key:maxspeed, Key:duration and Key:oneway). Roads are shown by name and number,
or by the kind of road if they have neither. Words are in ``tags.toml``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from pathlib import Path

import msgspec

Tags = Mapping[str, str]

_FERRIES = ("ferry", "shuttle_train")
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


class _Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What ``tags.toml`` holds."""

    undetermined: frozenset[str]
    implicit_limits: Mapping[str, float]
    rural_limits: Mapping[str, float]
    kinds: Mapping[str, str]
    classes: Mapping[str, int]
    places: tuple[str, ...]  # the most prominent kinds first


WORDS = msgspec.toml.decode(Path(__file__).with_suffix(".toml").read_bytes(), type=_Words)

# what `road_name` says of roads without a name
UNNAMED = frozenset({*WORDS.kinds.values(), "road", "ferry", ""})


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
    if word in WORDS.undetermined:
        return None
    if word in ("none", "no"):
        return _UNLIMITED
    if word == "walk":
        return _WALK
    if found := _ZONE.fullmatch(word):
        return _one_limit(found[1])
    country, _, kind = text.partition(":")
    if kind == "rural" and country in WORDS.rural_limits:
        return WORDS.rural_limits[country]
    if kind in WORDS.implicit_limits:
        return WORDS.implicit_limits[kind]
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


def is_ferry(tags: Tags) -> bool:
    return "highway" not in tags and tags.get("route") in _FERRIES


def signal_sides(tags: Tags) -> tuple[bool, bool]:
    """Whether traffic lights are for those who go along their way, and against it."""
    words = tags.get("traffic_signals:direction") or tags.get("direction")
    return words != "backward", words != "forward"


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
    return WORDS.kinds.get(kind, "road") if kind else "ferry"


def road_class(tags: Tags) -> int:
    """0 for paths and tracks, up to 7 for motorways; ferries are as tertiary roads."""
    kind = tags.get("highway")
    return 3 if kind is None else WORDS.classes.get(kind.removesuffix("_link"), 0)


def _printed(text: str) -> str:
    """A tag's value on one line, cut to a moderate length; several numbers are
    separated by commas.
    """
    words = " ".join(
        "".join(c if c.isprintable() else " " for c in text.replace(";", ", ")).split()
    )
    return words if len(words) <= _MOST_CHARACTERS else words[: _MOST_CHARACTERS - 1] + "…"
