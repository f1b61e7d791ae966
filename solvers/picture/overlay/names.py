"""Names over the picture: of places, then of the greatest roads; each once, clear of
others, end points and legends.

Which names stand where is found once a view, and kept with the scene.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import numpy as np

from solvers.picture.display import Box, Words, part_of_line, text_style
from solvers.picture.overlay.view import OverlayView
from solvers.picture.raster.edge_buffers import PixelSizes
from solvers.picture.scene.close_arcs import road_lines
from solvers.picture.scene.content import Layer
from solvers.picture.scene.projection import mercator_degrees
from solvers.picture.scene.scene import DrawableGraph
from solvers.system.array_types import Float64s, Int32s, UInt8s

_POINTS, _PLACE_POINTS = 8.5, 10.0
_CAPITALS = 0.73  # height of capitals, of the size of the type
_MOST_NAMES, _MOST_TRIED, _MOST_ARCS = 28, 400, 50_000
_MOST_PLACES = 14
_PLACE_ROOM = 60.0  # pixels around the name of a place that those of other places keep clear of
_ACROSS, _DOWN = 22.0, 12.0  # pixels around a name that others keep clear of
# pixels about an end point for its marker, and to the right for its label, at least
_END_ROOM, _ID_ROOM = 24.0, 86.0
# Pixels between neighbouring vertices, up to which only roads from a class on are named.
_LEAST_CLASSES = ((3.0, 5), (7.0, 4), (14.0, 3), (28.0, 2))
_MOST_VIEWS = 4
_STEP = 32  # pixels

_kept: WeakKeyDictionary[DrawableGraph, _NamedArcs] = WeakKeyDictionary()

_Place = Callable[..., bool]  # whether a name has room around a point, which it takes


@dataclass(eq=False)
class _NamedArcs:
    """Arcs of roads with a name, the greatest and longest first; and the names last
    placed, by view.
    """

    tails: Int32s
    heads: Int32s
    names: Int32s
    classes: UInt8s
    middles: Float64s  # (k, 2) in the world, as if roads were straight
    places: Float64s  # (p, 2) in the world, of `RoadData.places`
    placed: dict[object, list[Words]] = field(default_factory=dict)

    @classmethod
    def of(cls, scene: DrawableGraph) -> _NamedArcs:
        graph, roads = scene.graph, scene.graph.roads
        assert roads is not None
        named = np.array([name not in roads.kinds.names for name in roads.names])
        classes = np.zeros(graph.m, np.uint8) if roads.class_of is None else roads.class_of
        arcs = np.flatnonzero(named[roads.name_of])
        ends = np.stack((scene.positions[graph.tails[arcs]], scene.positions[graph.indices[arcs]]))
        order = np.lexsort(
            (-np.linalg.norm(ends[1] - ends[0], axis=1), -classes[arcs].astype(int))
        )[:_MOST_ARCS]
        arcs = arcs[order]
        middles = ends.mean(axis=0)[order]
        places = _in_world(scene, roads.places.xy)
        return cls(
            graph.tails[arcs],
            graph.indices[arcs],
            roads.name_of[arcs],
            classes[arcs],
            middles,
            places,
        )


def _in_world(scene: DrawableGraph, xy: Float64s) -> Float64s:
    """Where longitudes and latitudes are in the scene, by the vertices that lie farthest apart."""
    known = scene.graph.coordinates
    if known is None or not known.geographic or not len(xy):
        return np.empty((0, 2))
    found = []
    for axis, degrees in enumerate((known.xy[:, 0], mercator_degrees(known.xy[:, 1]))):
        first, last = int(np.nanargmin(degrees)), int(np.nanargmax(degrees))
        at = xy[:, 0] if axis == 0 else mercator_degrees(xy[:, 1])
        low, high = scene.positions[first, axis], scene.positions[last, axis]
        found.append(
            low + (high - low) * (at - degrees[first]) / ((degrees[last] - degrees[first]) or 1.0)
        )
    return np.column_stack(found)


def road_name_marks(view: OverlayView) -> Sequence[Words]:
    """The names; none in a close view, which has labels of its own, and where roads do not
    lie in their places.
    """
    content, scene = view.content, view.content.scene
    moved = scene.laid_out or scene.contracted
    if (
        scene.graph.roads is None
        or view.detail is not None
        or moved
        or not content.has(Layer.NAMES)
    ):
        return ()
    if (arcs := _kept.get(scene)) is None:
        arcs = _kept[scene] = _NamedArcs.of(scene)
    shown = view.camera, _ends(view), content.road_marks, view.clear_area, *_cards(view)
    key = *shown, view.type_factor, view.sizes.name, view.tokens
    if key not in arcs.placed:
        if len(arcs.placed) >= _MOST_VIEWS:
            arcs.placed.clear()
        arcs.placed[key] = _placed(view, arcs)
    return arcs.placed[key]


def _ends(view: OverlayView) -> tuple[int, ...]:
    content = view.content
    ends = (
        (content.source, content.target, *content.more_sources)
        if content.has(Layer.MARKERS)
        else ()
    )
    return tuple(vertex for vertex in ends if vertex is not None)


def _cards(view: OverlayView) -> list[Box]:
    """What lies over the picture, in steps, so that a legend's figures move no name."""
    return [
        Box(
            *(math.floor(low / _STEP) * _STEP for low in (card.x0, card.y0)),
            *(math.ceil(high / _STEP) * _STEP for high in (card.x1, card.y1)),
        )
        for card in view.cards
    ]


def _placed(view: OverlayView, arcs: _NamedArcs) -> list[Words]:
    sizes, tokens = view.sizes, view.tokens
    of_road, of_place = (text_style(size * view.type_factor) for size in (_POINTS, _PLACE_POINTS))
    styles = of_road, of_place._replace(weight=600)
    ends = _ends(view)
    labels = [sizes.width(view.content.scene.graph.vertex_label(end), styles[1]) for end in ends]
    taken = [
        Box(x - _END_ROOM, y - _END_ROOM, x + _END_ROOM + max(_ID_ROOM, label), y + _END_ROOM)
        for (x, y), label in zip(view.points_of(np.array(ends, int)).tolist(), labels, strict=True)
    ]
    taken += [Box.around(x, y, _END_ROOM, _END_ROOM) for x, y in view.crosses()]
    taken += _cards(view)
    found: dict[str, Words] = {}

    def place(text: str, at: Float64s, room: float, *, of_place: bool) -> bool:
        style, (x, y) = styles[of_place], at.tolist()
        width, height = sizes.width(text, style), _CAPITALS * style.size
        box = Box.around(x, y, width + room, height + room * _DOWN / _ACROSS)
        if not box.inside(view.area) or any(box.overlaps(other) for other in taken):
            return False
        taken.append(Box.around(x, y, width + _ACROSS, height + _DOWN))
        colour = tokens.text if of_place else tokens.muted
        at_left, below = x - width / 2, y + height / 2
        found[text] = Words(at_left, below, text, colour, style, halo=tokens.canvas)
        return True

    _place_places(view, arcs, place)
    _place_roads(view, arcs, found, place)
    return list(found.values())


def _place_places(view: OverlayView, arcs: _NamedArcs, place: _Place) -> None:
    """The names of places, the most prominent kinds first."""
    roads = view.content.scene.graph.roads
    assert roads is not None
    points, count = view.camera.to_screen(arcs.places), 0
    for i in np.flatnonzero(view.camera.sees(points, points, 0.0))[:_MOST_TRIED].tolist():
        count += place(roads.places.names[i], points[i], _PLACE_ROOM, of_place=True)
        if count == _MOST_PLACES:
            return


def _place_roads(
    view: OverlayView, arcs: _NamedArcs, found: Mapping[str, Words], place: _Place
) -> None:
    """The names of roads, the greatest first."""
    scene, camera = view.content.scene, view.camera
    assert scene.graph.roads is not None
    spacing = PixelSizes.of(scene, camera.scale).spacing
    least = next((rank for most, rank in _LEAST_CLASSES if spacing <= most), 0)
    middles = camera.to_screen(arcs.middles)
    seen = np.flatnonzero(camera.sees(middles, middles, 0.0) & (arcs.classes >= least))[
        :_MOST_TRIED
    ]
    roads = list(zip(arcs.tails[seen].tolist(), arcs.heads[seen].tolist(), strict=True))
    lines = road_lines(scene, camera, roads)
    for arc, road, middle in zip(seen.tolist(), roads, middles[seen], strict=True):
        name = scene.graph.roads.names[int(arcs.names[arc])]
        if name in found:
            continue
        place(
            name,
            part_of_line(lines[road], 0.5)[-1] if road in lines else middle,
            _ACROSS,
            of_place=False,
        )
        if len(found) >= _MOST_NAMES:
            break
