"""The table of tags of OpenStreetMap: what each profile makes of them, beside OSRM.

What the profiles do is asked of the program. What OSRM does was asked of its profiles in
Lua, as of its commit 4fc76cad0 of August 2026, and is kept in ``osrm_tags.csv``.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

from solvers.features.openstreetmap.profiles import MEANINGS, Passage, Profile
from tests.documentation.markdown import code, table

OPEN, CLOSED, VISITORS, ON_FOOT = "open", "closed", "destination", "on foot"
PASSES, STOPS = "passes", "stops"
PROFILES = tuple(profile.id for profile in MEANINGS.profiles)
_WALKING = 4.0  # km/h of a bicycle that is pushed


@dataclass(frozen=True)
class TagRow:
    """Tags of a way or a node, and what each profile of OSRM makes of them."""

    is_node: bool
    tags: dict[str, str]
    osrm: tuple[str, ...]

    @property
    def ours(self) -> tuple[str, ...]:
        return tuple(self._of(profile) for profile in MEANINGS.profiles)

    def _of(self, profile: Profile) -> str:
        if self.is_node:
            return STOPS if profile.is_stopped_at(self.tags) else PASSES
        found = profile.passage(self.tags)
        there, back = (_of_side(found, profile, side) for side in (0, 1))
        return there if there == back else f"{there} / {back}"


def _of_side(found: Passage, profile: Profile, side: int) -> str:
    speed = (found.forward, found.backward)[side]
    if speed == 0:
        return CLOSED
    if found.for_destination[side]:
        return VISITORS
    return ON_FOOT if profile.id == "bicycle" and speed <= _WALKING else OPEN


def tag_rows() -> list[TagRow]:
    """The rows of the table, in order."""
    with (Path(__file__).parent / "osrm_tags.csv").open(newline="") as file:
        return [
            TagRow(
                row["on"] == "node",
                dict(tag.split("=", 1) for tag in row["tags"].split(" & ")),
                tuple(row[profile] for profile in PROFILES),
            )
            for row in csv.DictReader(file)
        ]


def road_tag_reference() -> str:
    """Two tables, of roads and of nodes; cells that differ from OSRM's are bold."""
    parts = []
    for title, is_node in (("Roads", False), ("Nodes and barriers", True)):
        rows = []
        for row in tag_rows():
            if row.is_node == is_node:
                ours = (
                    f"**{own}**" if own != other else own
                    for own, other in zip(row.ours, row.osrm, strict=True)
                )
                tags = ", ".join(code(f"{key}={value}") for key, value in row.tags.items())
                rows.append((tags, *ours, *row.osrm))
        heads = ("Tags", *PROFILES, *(f"OSRM, {profile}" for profile in PROFILES))
        parts += [f"## {title}\n", table(heads, rows)]
    return "\n".join(parts)
