"""Sizes of a close view, in which arcs and vertices are drawn one by one. The window and
pages draw by them. No Qt.
"""

from __future__ import annotations

from enum import IntEnum

SMALL_GRAPH = 100  # vertices, at most, of one whose distances and weights are all written
RADIUS_RANGE = (2.5, 8.0)  # logical pixels, of a vertex
FIGURE_RADIUS = 19.0  # of a vertex in a small graph, at most
FIGURE_VERTICES = 64  # of a small graph
RADIUS_SHARE = 0.13  # of the mean edge
SPACING_SHARE = 0.44  # of the distance of near neighbours
BEND_SHARE, MOST_BEND = 0.2, 34.0  # of a bent arc's length; pixels
BOW_ROOM = 14.0  # pixels beside a bent arc, for its weight
ID_INSIDE = 9.0  # disc radius from which an id is tried inside,
ID_SHARE = 1.7  # where it is narrower than so many radii
MARKER_RADIUS = 8.5  # of source and target, at least
MARKER_ROOM = 1.25  # extent relative to it: a triangle's tip, and the ring of an active marker

ARC_WIDTHS = (1.3, 2.6, 2.0, 3.4)  # of an iteration's arcs, by `ArcState`
OUTLINE, LESSON_OUTLINE, ACTIVE_OUTLINE = 1.4, 1.6, 2.2  # widths, of vertices


class ArcState(IntEnum):
    """State of an arc, in ascending order of importance."""

    IDLE = 0
    TREE = 1  # gives its head its tentative distance
    RELAXED = 2
    IMPROVED = 3


def is_figure(disc: float) -> bool:
    """Whether discs of that radius may have ids inside, so that markers are shapes
    around them, not pins.
    """
    return disc >= ID_INSIDE


def id_fits(width: float, radius: float) -> bool:
    """Whether an id so wide fits inside its disc or marker."""
    return radius >= ID_INSIDE and width < ID_SHARE * radius
