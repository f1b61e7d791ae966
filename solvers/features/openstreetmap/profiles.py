"""Profiles: which ways a car, a bicycle or a pedestrian may use, in which directions,
and how fast.

Free-flow speeds: the limit where there is one, else a customary speed for the kind of
road. Access follows the hierarchy of keys of the OpenStreetMap wiki's page Key:access:
the most specific key decides, by direction before without one. Conditions are not read,
but counted.

What the values of tags mean to each profile is in ``profiles.toml``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property
from pathlib import Path

import msgspec

from solvers.errors import UnknownName
from solvers.features.openstreetmap.tags import (
    Tags,
    WayDirection,
    direction,
    duration,
    is_ferry,
    speed_limit,
)

_ROUNDABOUTS = ("roundabout", "circular")
_FERRY_SPEED = 15.0  # km/h where the duration is unknown
_WALKING = 4.0


class Access(IntEnum):
    """Whether a key of access lets a profile pass, the least first."""

    REFUSED = 0
    DESTINATION = 1  # only where the way begins or ends there: no through traffic
    ALLOWED = 2


@dataclass(frozen=True)
class Passage:
    """What a profile makes of a way."""

    forward: float = 0.0  # speed in km/h along the way; 0 where it may not be used
    backward: float = 0.0  # against it
    seconds: float = 0.0  # travel time of the whole way, if it is known (ferries); else 0
    # whether it is for those alone who have business there, along the way and against it
    for_destination: tuple[bool, bool] = (False, False)
    nonsense: str = ""  # a value of ``maxspeed`` that is not a speed, or ""
    changing: bool = False  # left out because its direction changes with the time of day
    unknown: str = ""  # a tag of access whose value has no meaning, or ""
    conditional_access: bool = False  # of conditions, which are not read
    conditional_speed: bool = False

    @property
    def usable(self) -> bool:
        return self.forward > 0.0 or self.backward > 0.0


CLOSED = Passage()
_SIDES = ("forward", "backward")


@dataclass(frozen=True)
class Profile:
    id: str
    title: str
    modes: tuple[str, ...]  # keys of access, the most specific first
    # km/h by the value of ``highway``; others may be used only where a key of ``modes``
    # but "access" allows it
    speeds: Mapping[str, float]
    other_speed: float  # km/h on such others
    passed_barriers: frozenset[str]  # values of ``barrier`` that let it pass
    keeps_limits: bool = False  # whether speed limits raise the customary speed, or only lower it
    obeys_oneway: bool = True
    obeys_turns: bool = True  # signs for all vehicles, not only those for its own
    uses_motorroads: bool = False
    crosses_areas: bool = False
    has_cycleways: bool = False  # whether ``cycleway`` opens one-way streets
    # values of access that are for those alone who have business there
    only_destination: frozenset[str] = frozenset()

    @cached_property
    def keys(self) -> frozenset[str]:
        """Keys of the tags that decide over a way, and those of conditions."""
        sides = ("left", "right", "both")
        return frozenset(
            (
                *("highway", "route", "junction", "area", "motorroad", "duration", "oneway"),
                *self._limit_keys,
                *("cycleway", *(f"cycleway:{side}" for side in sides)),
                *("cycleway:oneway", *(f"cycleway:{side}:oneway" for side in sides)),
                *self.access_keys,
                *(f"oneway:{mode}" for mode in self.modes[:-1]),
                *self._conditional_access,
                *self._conditional_speed,
            )
        )

    @cached_property
    def access_keys(self) -> tuple[str, ...]:
        """Keys of access, also by direction."""
        return (*self.modes, *(f"{mode}:{side}" for mode in self.modes for side in _SIDES))

    @property
    def _limit_keys(self) -> tuple[str, ...]:
        return ("maxspeed", *(f"maxspeed:{side}" for side in _SIDES))

    @cached_property
    def _conditional_access(self) -> frozenset[str]:
        plain = ("oneway",) if self.obeys_oneway else ()
        ways = (*plain, *(f"oneway:{mode}" for mode in self.modes[:-1]))
        return frozenset(f"{key}:conditional" for key in (*self.access_keys, *ways))

    @cached_property
    def _conditional_speed(self) -> frozenset[str]:
        return frozenset(f"{key}:conditional" for key in self._limit_keys)

    def is_stopped_at(self, tags: Tags) -> bool:
        """Whether a node with these tags stops it: a gate or a bollard, or one that nobody
        may pass.

        Access decides where it is tagged, but at crossings, where it is that of those who
        cross.
        """
        allowed = self._access(tags)
        if allowed is not None and tags.get("highway") not in MEANINGS.no_gates:
            return allowed is Access.REFUSED
        barrier = tags.get("barrier")
        return barrier is not None and not self._passes(barrier, tags)

    def _passes(self, barrier: str, tags: Tags) -> bool:
        lowered = MEANINGS.lowered.get(barrier, {})
        is_lowered = any(tags.get(key) in values for key, values in lowered.items())
        return is_lowered or barrier in self.passed_barriers

    def unknown_barrier(self, tags: Tags) -> str:
        """The kind of a barrier that stops it because nothing is known of it, or ""."""
        barrier = tags.get("barrier", "")
        known = barrier in MEANINGS.stopping_barriers or self._passes(barrier, tags)
        return "" if known or self._access(tags) is not None else barrier

    def has_conditions(self, tags: Tags) -> bool:
        """Whether access to a node depends on conditions or on the direction of a way, which
        are not read.
        """
        return not self._conditional_access.isdisjoint(tags) or any(
            key in tags for key in self.access_keys[len(self.modes) :]
        )

    def passage(self, tags: Tags) -> Passage:
        """What this profile makes of a way with these tags."""
        return replace(
            self._unconditional(tags),
            unknown=self._unknown(tags),
            conditional_access=not self._conditional_access.isdisjoint(tags),
            conditional_speed=not self._conditional_speed.isdisjoint(tags),
        )

    def _unconditional(self, tags: Tags) -> Passage:
        customary = [self._customary_speed(tags, side) for side in _SIDES]
        if not any(customary):
            return CLOSED
        way = self._direction(tags)
        if way is WayDirection.CHANGING:
            return Passage(changing=True)
        if way is WayDirection.BACKWARD:
            customary[0] = 0.0
        elif way is WayDirection.FORWARD:
            customary[1] = 0.0
        if not any(customary):
            return CLOSED
        speeds, nonsense = [], ""
        for side, speed in zip(_SIDES, customary, strict=True):
            limit, bad = self._limited(tags, side, speed)
            speeds.append(limit)
            nonsense = nonsense or bad
        seconds = (duration(tags.get("duration", "")) or 0.0) if is_ferry(tags) else 0.0
        there, back = (
            speed > 0 and self._access(tags, side) is Access.DESTINATION
            for side, speed in zip(_SIDES, speeds, strict=True)
        )
        return Passage(speeds[0], speeds[1], seconds, (there, back), nonsense)

    def _customary_speed(self, tags: Tags, side: str) -> float:
        """Speed in km/h in one direction without a limit; 0 if the way may not be used."""
        if self._access(tags, side) is Access.REFUSED:
            return 0.0
        if not self.uses_motorroads and tags.get("motorroad") == "yes":
            return 0.0
        if is_ferry(tags):
            return _FERRY_SPEED
        kind = tags.get("highway", "")
        if not self.crosses_areas and tags.get("area") == "yes":
            return 0.0
        speed = self.speeds.get(kind, 0.0)
        if speed == 0.0 and kind not in MEANINGS.no_roads and self._is_named(tags, side):
            speed = self.other_speed
        own = tags.get(f"{self.modes[0]}:{side}", tags.get(self.modes[0]))
        return min(speed, _WALKING) if own == "dismount" else speed

    def _is_named(self, tags: Tags, side: str) -> bool:
        """Whether a key of access allows it that is not for all alike."""
        return bool(self._access(tags, side, self.modes[:-1]))

    def _access(self, tags: Tags, side: str = "", modes: Sequence[str] = ()) -> Access | None:
        """What the most specific key says; None if none says anything.

        Of one key, that of a direction counts before the plain one.
        """
        for mode in modes or self.modes:
            for key in (f"{mode}:{side}", mode) if side else (mode,):
                found = self._meaning(tags.get(key))
                if found is not None:
                    return found
        return None

    def _meaning(self, value: str | None) -> Access | None:
        """Of a value of a key of access; of a list, which names who may pass, the greatest."""
        if value is None:
            return None
        parts = [_word(part) for part in value.split(";")]
        return max(
            (meant for part in parts if (meant := self._meaning_of(part)) is not None), default=None
        )

    def _meaning_of(self, word: str) -> Access | None:
        if word in self.only_destination:
            return Access.DESTINATION
        if word in self.modes[:-1]:  # as “access=foot”
            return Access.ALLOWED
        if word in MEANINGS.refused:
            return Access.REFUSED
        return Access.ALLOWED if word in MEANINGS.allowed else None

    def _unknown(self, tags: Tags) -> str:
        """A tag of access without a meaning, as ``access=perhaps``."""
        for key in self.access_keys:
            for part in tags.get(key, "").split(";"):
                word = _word(part)
                if word and word not in MEANINGS.unsaid and self._meaning_of(word) is None:
                    return f"{key}={part.strip()}"
        return ""

    def _limited(self, tags: Tags, side: str, customary: float) -> tuple[float, str]:
        """Speed in one direction, and a limit that is nonsense."""
        text = tags.get(f"maxspeed:{side}") or tags.get("maxspeed")
        if text is None or is_ferry(tags):
            return customary, ""
        try:
            limit = speed_limit(text)
        except ValueError:
            return customary, text
        if limit is None or customary == 0.0:
            return customary, ""
        return (limit if self.keeps_limits else min(limit, customary)), ""

    def _direction(self, tags: Tags) -> WayDirection:
        for mode in self.modes[:-1]:
            own = direction(tags.get(f"oneway:{mode}"))
            if own is not None:
                return own
        if not self.obeys_oneway:
            return WayDirection.BOTH
        given = direction(tags.get("oneway"))
        if given is None:
            implied = tags.get("junction") in _ROUNDABOUTS or tags.get("highway") == "motorway"
            given = WayDirection.FORWARD if implied else WayDirection.BOTH
        return WayDirection.BOTH if self._has_contraflow(tags, given) else given

    def _has_contraflow(self, tags: Tags, given: WayDirection) -> bool:
        """Whether it may also go against the direction of a one-way street."""
        against = "forward" if given is WayDirection.BACKWARD else "backward"
        if self._meaning(tags.get(f"{self.modes[0]}:{against}")):
            return True
        return self.has_cycleways and any(
            _opens(tags, f"cycleway{side}", given) for side in ("", ":left", ":right", ":both")
        )


def _opens(tags: Tags, cycleway: str, given: WayDirection) -> bool:
    """Whether a cycleway leads against the direction of its street."""
    kind = tags.get(cycleway)
    if kind in MEANINGS.bicycle_both_ways:
        return True
    own = None if kind in MEANINGS.no_cycleways else direction(tags.get(f"{cycleway}:oneway"))
    return own is not None and own is not given


def _word(text: str) -> str:
    return text.strip().lower()


class _Meanings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What ``profiles.toml`` holds."""

    allowed: frozenset[str]
    refused: frozenset[str]
    unsaid: frozenset[str]
    no_gates: frozenset[str]
    no_roads: frozenset[str]
    bicycle_both_ways: frozenset[str]
    no_cycleways: frozenset[str]
    stopping_barriers: frozenset[str]
    lowered: Mapping[str, Mapping[str, frozenset[str]]]
    profiles: tuple[Profile, ...]


MEANINGS = msgspec.toml.decode(Path(__file__).with_suffix(".toml").read_bytes(), type=_Meanings)


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
        self._known: dict[tuple[tuple[str, str], ...], Passage] = {}

    def of(self, tags: Tags) -> Passage:
        key = tuple(tag for tag in tags.items() if tag[0] in self._keys)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._profile.passage(tags)
        return found
