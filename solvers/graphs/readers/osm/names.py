"""Names of roads as they are shown: name and number, or the kind of road where it has neither."""

from __future__ import annotations

from solvers.graphs.readers.osm.tags import Tags

_MOST_CHARACTERS = 80
_NUMBER_FIRST = ("motorway", "trunk")  # known by their number
_KINDS = {
    "motorway": "motorway", "motorway_link": "motorway slip road", "trunk": "trunk road", "trunk_link": "slip road",
    "primary": "primary road", "primary_link": "slip road", "secondary": "secondary road",
    "secondary_link": "slip road", "tertiary": "tertiary road", "tertiary_link": "slip road",
    "unclassified": "minor road", "residential": "residential street", "living_street": "living street",
    "service": "service road", "footway": "footway", "cycleway": "cycleway", "pedestrian": "pedestrian street",
    "track": "track", "path": "path", "steps": "steps", "bridleway": "bridleway",
}  # fmt: skip


def road_name(tags: Tags) -> str:
    """``"A 13"``, ``"Landstrasse (17)"``, ``"Landstrasse"``, or the kind in words: ``"service road"``."""
    name, number = _printed(tags.get("name", "")), _printed(tags.get("ref", ""))
    kind = tags.get("highway", "")
    if number and (not name or kind in _NUMBER_FIRST):
        return number
    if name:
        return f"{name} ({number})" if number else name
    return _KINDS.get(kind, "road") if kind else "ferry"


def _printed(text: str) -> str:
    """A tag's value on one line, cut to a moderate length; several numbers are separated by commas."""
    words = " ".join("".join(c if c.isprintable() else " " for c in text.replace(";", ", ")).split())
    return words if len(words) <= _MOST_CHARACTERS else words[: _MOST_CHARACTERS - 1] + "…"
