"""How graphs for other programs name their coordinates; needs none of those programs' libraries."""

from __future__ import annotations

DEGREES = "epsg:4326"  # longitude and latitude, as OSMnx and GeoPandas name them
