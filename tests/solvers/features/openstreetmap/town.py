"""A small town as OpenStreetMap objects, written by osmium in every format.

::

    1 ---- 2 ---- 3 ---- 4          Main Street (B 1), 50 km/h, through 2 and 3
           |             |
           10 (bend)     |          Lane: 2 -> 10 -> 11, one way; Back Lane: 4 - 12 - 11, curved
           |             12
           11 -----------+
    20 ---- 21                      an island without a connection
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import osmium

Ways = Mapping[int, tuple[Sequence[int], Mapping[str, str]]]

PLACES = {
    1: (9.500, 47.100),
    2: (9.501, 47.100),
    3: (9.502, 47.100),
    4: (9.503, 47.100),
    10: (9.5012, 47.099),
    11: (9.501, 47.098),
    12: (9.5034, 47.0985),
    20: (9.51, 47.11),
    21: (9.511, 47.11),
}
WAYS: Ways = {
    100: ((1, 2, 3), {"highway": "primary", "name": "Main Street", "ref": "B 1", "maxspeed": "50"}),
    101: ((3, 4), {"highway": "primary", "name": "Main Street", "ref": "B 1", "maxspeed": "50"}),
    102: ((2, 10, 11), {"highway": "residential", "name": "Lane", "oneway": "yes"}),
    103: ((11, 12, 4), {"highway": "residential", "name": "Back Lane"}),
    104: ((20, 21), {"highway": "service"}),
}


def write_osm(
    path: Path,
    ways: Ways = WAYS,
    places: Mapping[int, tuple[float, float]] = PLACES,
    node_tags: Mapping[int, Mapping[str, str]] | None = None,
) -> Path:
    """Write nodes and ways to ``path``; osmium takes the format from its suffix."""
    path.unlink(missing_ok=True)
    writer = osmium.SimpleWriter(str(path))
    try:
        for node, place in places.items():
            tags: dict[str, str] = dict((node_tags or {}).get(node, {}))
            writer.add_node(osmium.osm.mutable.Node(id=node, location=place, tags=tags, version=1))
        for way, (nodes, way_tags) in ways.items():
            writer.add_way(
                osmium.osm.mutable.Way(id=way, nodes=list(nodes), tags=dict(way_tags), version=1)
            )
    finally:
        writer.close()
    return path


def write_two_villages(path: Path) -> Path:
    """Landstrasse in Vaduz, 1 - 2 - 3, and in Schaan, 20 - 21."""
    street = {"highway": "residential", "name": "Landstrasse"}
    villages = {
        30: {"place": "village", "name": "Vaduz"},
        31: {"place": "village", "name": "Schaan"},
    }
    places = PLACES | {30: (9.5005, 47.1001), 31: (9.5105, 47.1101)}
    ways = {1: ((1, 2), street), 2: ((2, 3), street), 3: ((20, 21), street)}
    return write_osm(path, ways, places, villages)
