"""All that lies over the pixels of a picture, in the order of drawing."""

from __future__ import annotations

from collections.abc import Iterator

from solvers.picture.display import Mark
from solvers.picture.overlay.close_view import CloseView
from solvers.picture.overlay.lines import (
    climb_marks,
    cycle_marks,
    path_before_marks,
    path_marks,
    ring_marks,
    separator_marks,
    sign_marks,
    step_marks,
    way_marks,
)
from solvers.picture.overlay.markers import marker_marks
from solvers.picture.overlay.names import road_name_marks
from solvers.picture.overlay.roads import border_marks, border_point_marks, road_mark_marks
from solvers.picture.overlay.view import OverlayView
from solvers.picture.raster.frames import Frame
from solvers.system.feature import offered


def overlay_marks(view: OverlayView, frame: Frame) -> Iterator[Mark]:
    """Detail, path, negative cycle, source and target: all but the annotations."""
    isochrone = frame.isochrone
    close = None if view.detail is None else CloseView(view)
    yield from ring_marks(view)
    if isochrone is not None:
        yield from border_marks(view, isochrone)
    yield from step_marks(view)
    if close is not None:
        yield from close.arcs()
        if isochrone is not None:
            yield from close.border(isochrone)
    yield from separator_marks(view)
    yield from climb_marks(view)
    yield from path_before_marks(view)
    yield from way_marks(view)
    yield from path_marks(view, frame.path)
    if not frame.roads_drawn:
        yield from road_mark_marks(view)
    yield from cycle_marks(view)
    if close is not None:
        for marks_of in offered(lambda one: one.marks, "close_marks"):
            yield from marks_of(view, close.radius)
        yield from close.weights()
        yield from close.vertices()
    if isochrone is not None:
        yield from border_point_marks(view, isochrone)
        if close is not None:
            yield from close.border_points(isochrone)
    yield from road_name_marks(view)
    yield from marker_marks(view)
    yield from sign_marks(view)
