"""The numbers by which a page draws as the window does, as a module of its script.

They have one home, which is a module of `solvers.picture` or of this package, and on the
page the names that they have there.
"""

from __future__ import annotations

import json
from types import ModuleType

from solvers import units
from solvers.features.page import matrix
from solvers.picture import display
from solvers.picture.raster import edge_buffers, lines, marks, pixel_colours
from solvers.picture.scene import activity, detail, lit_roads, scene

_HOMES: tuple[tuple[ModuleType, str], ...] = (
    (units, "METRES_PER_UNIT"),
    (display, "STRUCK_AT"),
    (matrix, "UNREACHABLE"),
    (lines, "UNITS OWNING_COVERAGE MOST_SHORT_DENSITY"),
    (pixel_colours, "STEPS MOST_SCALED_DENSITY"),
    (
        edge_buffers,
        "FADE_LENGTH LEAST_AREA LINE_WIDTHS LINE_GROWTH DOT_SHARE DOT_RANGE DOT_DENSITIES "
        "SIZED_DOT SIZED_GAIN LEAST_DOT MOST_DOT LONE_DOT FRONTIER_SHARE FRONTIER_RANGE",
    ),
    (
        marks,
        "CROWD SNAPPED_CROWDING FEW FEW_POWER MOST_RADIUS LINE_UPTO AREA_FROM AREA_OPACITY EMBER "
        "ADDING HOT_WHITE HALO HALO_OPACITY HALO_UPTO TRAIL_SIZE TRAIL_OPACITY TRAIL_POWER",
    ),
    (activity, "NEVER TRAIL_SHARE TRAIL_RANGE TRAIL_VERTICES"),
    (lit_roads, "LEVELS FAR_SPACING NEAR_SPACING ROAD_WIDTHS ROAD_STRENGTHS ROAD_POWERS"),
    (scene, "MOST_SCALE"),
    (detail, "AREA_PER_VERTICES"),
)


def page_rules() -> dict[str, object]:
    """The value of each constant, by its name."""
    return {name: getattr(home, name) for home, names in _HOMES for name in names.split()}


def rules_script() -> str:
    """The module ``rules.js``: ``export const FADE_LENGTH = 220.0;`` and so on."""
    lines = (f"export const {name} = {json.dumps(value)};" for name, value in page_rules().items())
    return "\n".join(lines) + "\n"
