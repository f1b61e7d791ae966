"""Objects of an OpenStreetMap file, copied out of osmium's buffers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False)
class OsmObject:
    kind: str  # "n", "w" or "r", as osmium names nodes, ways and relations
    id: int
    tags: Mapping[str, str]
    place: tuple[float, float] | None = None  # longitude and latitude of a node, in degrees
    refs: tuple[int, ...] = ()  # ids of the nodes of a way
    members: tuple[tuple[str, str, int], ...] = ()  # kind, role and id of those of a relation

    @classmethod
    def of(cls, item: Any) -> OsmObject:
        """A copy of what osmium reads, which is gone at the next object."""
        kind, tags = item.type_str(), dict(item.tags)
        if kind == "w":
            return cls(kind, item.id, tags, refs=tuple(node.ref for node in item.nodes))
        if kind == "r":
            members = tuple((one.type, one.role, one.ref) for one in item.members)
            return cls(kind, item.id, tags, members=members)
        at = item.location
        return cls(kind, item.id, tags, (at.lon, at.lat) if at.valid() else None)
