"""Values of OpenStreetMap tags as numbers: speed limits, durations and directions.

Meanings follow the OpenStreetMap wiki (pages Key:maxspeed, Key:duration and Key:oneway).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum

Tags = Mapping[str, str]

SPEED_RANGE = (1.0, 200.0)  # km/h; a limit outside is taken for an error
_KMH_PER_UNIT = {"": 1.0, "km/h": 1.0, "kmh": 1.0, "kph": 1.0, "mph": 1.609344, "knots": 1.852}
_SPEED = re.compile(r"(\d+(?:\.\d+)?)\s*(km/h|kmh|kph|mph|knots|)")
_IMPLICIT = {  # the part of “DE:urban” after the country, where countries differ the most common limit
    "urban": 50.0, "rural": 90.0, "trunk": 100.0, "motorway": 120.0, "living_street": 10.0, "bicycle_road": 30.0,
    "nsl_single": 96.56, "nsl_dual": 112.65, "national": 80.0,
}  # fmt: skip
_RURAL = {"DE": 100.0, "AT": 100.0, "CH": 80.0, "NL": 80.0, "FR": 80.0, "LI": 80.0, "SE": 70.0, "NO": 80.0}
_ZONE = re.compile(r"(?:\w+:)?zone:?(\d+)")
_UNLIMITED = 120.0  # “none”: a customary speed where there is no limit
_WALK = 7.0
_UNDETERMINED = {"signals", "variable", "implicit", "default", "unposted", "unknown"}  # no fault, but no number
_CLOCK = re.compile(r"(?:(\d+):)?(\d+):(\d{2})")
_ISO = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?")
_MINUTES = re.compile(r"\d+(?:\.\d+)?")
_LONGEST = 14 * 24 * 3600.0  # seconds of a ferry


class WayDirection(Enum):
    """In which directions a way may be used."""

    BOTH = "both"
    FORWARD = "forward"
    BACKWARD = "backward"
    CHANGING = "changing"  # one way, at different times in different directions


_ONEWAY = {
    "yes": WayDirection.FORWARD, "true": WayDirection.FORWARD, "1": WayDirection.FORWARD, "-1": WayDirection.BACKWARD,
    "reverse": WayDirection.BACKWARD, "no": WayDirection.BOTH, "false": WayDirection.BOTH, "0": WayDirection.BOTH,
    "alternating": WayDirection.BOTH, "reversible": WayDirection.CHANGING,
}  # fmt: skip


def speed_limit(text: str) -> float | None:
    """A speed limit in km/h; None if the value is no number, though a proper one.

    Of several values ("50;30") the least counts.

    Raises
    ------
    ValueError
        If it is nonsense: not a speed, or one outside `SPEED_RANGE`.
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
    if word in _UNDETERMINED:
        return None
    if word in ("none", "no"):
        return _UNLIMITED
    if word == "walk":
        return _WALK
    if found := _ZONE.fullmatch(word):
        return _one_limit(found[1])
    country, _, kind = text.partition(":")
    if kind == "rural" and country in _RURAL:
        return _RURAL[country]
    if kind in _IMPLICIT:
        return _IMPLICIT[kind]
    raise ValueError(text)


def duration(text: str) -> float | None:
    """A duration in seconds: ``"1:30"`` (hours and minutes), ``"0:45:00"``, ``"PT1H30M"`` or minutes; else None."""
    text = text.strip()
    if found := _CLOCK.fullmatch(text):
        first, second, third = (int(part or 0) for part in found.groups())
        seconds = float(3600 * first + 60 * second + third if found[1] else 3600 * second + 60 * third)
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
