"""Names over the picture: of places, then of the greatest roads; each once, clear of
others, end points and legends.

Which names stand where is found once a view, and kept with the scene.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import numpy as np
from PySide6.QtCore import QPointF, QSizeF
from PySide6.QtGui import QFont, QFontMetricsF, QImage, QPaintEngine, QPainter

from gui.painting.cards import annotation_covers
from gui.painting.drawing import (
    PaintedView,
    cut_line,
    draw_haloed_text,
    road_lines,
    small_font,
)
from gui.painting.labels import Box
from solvers.picture.raster.edge_buffers import PixelSizes
from solvers.picture.scene.content import Layer
from solvers.picture.scene.scene import DrawableGraph, mercator_degrees
from solvers.system.array_types import Float64s, Int32s, UInt8s

_POINTS, _PLACE_POINTS = 8.5, 10.0
# of a halo
_AROUND = tuple((dx, dy) for dx in (-1.2, 0.0, 1.2) for dy in (-1.2, 0.0, 1.2) if dx or dy)
_MOST_NAMES, _MOST_TRIED, _MOST_ARCS = 28, 400, 50_000
_MOST_PLACES = 14
_PLACE_ROOM = 60.0  # pixels around the name of a place that those of other places keep clear of
_ACROSS, _DOWN = 22.0, 12.0  # pixels around a name that others keep clear of
# pixels about an end point for its marker, and to the right for its id
_END_ROOM, _ID_ROOM = 24.0, 110.0
# Pixels between neighbouring vertices, up to which only roads from a class on are named.
_LEAST_CLASSES = ((3.0, 5), (7.0, 4), (14.0, 3), (28.0, 2))
_MOST_VIEWS = 4

_kept: WeakKeyDictionary[DrawableGraph, _NamedArcs] = WeakKeyDictionary()

_Fonts = tuple[QFont, QFont]  # of roads, of places

_Place = Callable[..., bool]  # whether a name has room around a point, which it takes


@dataclass(eq=False)
class _NamedArcs:
    """Arcs of roads with a name, the greatest and longest first; and the names last
    drawn, by view.
    """

    tails: Int32s
    heads: Int32s
    names: Int32s
    classes: UInt8s
    middles: Float64s  # (k, 2) in the world, as if roads were straight
    places: Float64s  # (p, 2) in the world, of `RoadData.places`
    drawn: dict[object, QImage] = field(default_factory=dict)

    @classmethod
    def of(cls, scene: DrawableGraph) -> _NamedArcs:
        graph, roads = scene.graph, scene.graph.roads
        assert roads is not None
        # imported here: it reads a table that only maps need
        from solvers.graphs.readers.osm.tags import UNNAMED

        named = np.array([name not in UNNAMED for name in roads.names])
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


@dataclass(frozen=True)
class _Name:
    at: QPointF  # where its baseline begins
    text: str
    of_place: bool


def draw_road_names(view: PaintedView) -> None:
    """Draw the names; none in a close view, which has labels of its own, and where
    roads do not lie in their places.
    """
    content, scene = view.content, view.content.scene
    moved = scene.laid_out or scene.contracted
    if (
        scene.graph.roads is None
        or view.detail is not None
        or moved
        or not content.has(Layer.NAMES)
    ):
        return
    if (arcs := _kept.get(scene)) is None:
        arcs = _kept[scene] = _NamedArcs.of(scene)
    fonts = _fonts(view)
    if view.painter.paintEngine().type() != QPaintEngine.Type.Raster:
        for name in _placed(view, arcs, fonts):
            view.painter.setFont(fonts[name.of_place])
            draw_haloed_text(
                view.painter, name.at, name.text, _colour(view, name), view.tokens.canvas
            )
        return
    ratio = view.painter.deviceTransform().m11()  # of an export also its size of type
    area = None if view.over_legends is None else view.over_legends.getRect()
    key = (
        view.camera,
        _ends(view),
        view.content.road_marks,
        fonts[0].toString(),
        view.tokens,
        ratio,
        area,
    )
    if key not in arcs.drawn:
        if len(arcs.drawn) >= _MOST_VIEWS:
            arcs.drawn.clear()
        arcs.drawn[key] = _image(view, _placed(view, arcs, fonts), fonts, ratio)
    view.painter.drawImage(QPointF(0.0, 0.0), arcs.drawn[key])


def _fonts(view: PaintedView) -> _Fonts:
    roads, places = (
        small_font(view.painter, points * view.type_factor) for points in (_POINTS, _PLACE_POINTS)
    )
    places.setWeight(QFont.Weight.DemiBold)
    return roads, places


def _colour(view: PaintedView, name: _Name) -> str:
    return view.tokens.text if name.of_place else view.tokens.muted


def _ends(view: PaintedView) -> tuple[int, ...]:
    content = view.content
    ends = (
        (content.source, content.target, *content.more_sources)
        if content.has(Layer.MARKERS)
        else ()
    )
    return tuple(vertex for vertex in ends if vertex is not None)


def _image(view: PaintedView, placed: list[_Name], fonts: _Fonts, ratio: float) -> QImage:
    """The names with halos, of which glyphs shifted all around make a cheaper one than
    an outline does.
    """
    size = QSizeF(view.camera.width, view.camera.height) * ratio
    image = QImage(size.toSize(), QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    image.setDevicePixelRatio(ratio)
    with QPainter(image) as painter:
        for name in placed:
            painter.setFont(fonts[name.of_place])
            for colour, shifts in (
                (view.tokens.canvas, _AROUND),
                (_colour(view, name), ((0.0, 0.0),)),
            ):
                painter.setPen(colour)
                for dx, dy in shifts:
                    painter.drawText(name.at + QPointF(dx, dy), name.text)
    return image


def _placed(view: PaintedView, arcs: _NamedArcs, fonts: _Fonts) -> list[_Name]:
    camera = view.camera
    places = view.points_of(np.array(_ends(view), int)).tolist()
    taken = [Box(x - _END_ROOM, y - _END_ROOM, x + _ID_ROOM, y + _END_ROOM) for x, y in places]
    taken += [Box.around(x, y, _END_ROOM, _END_ROOM) for x, y in view.crosses()]
    if (area := view.over_legends) is not None:
        for cover in annotation_covers(
            view.painter.font(), area.width(), view.type_factor, scale=True
        ):
            left = area.left()
            taken.append(
                Box(
                    left + cover.left,
                    area.bottom() - cover.height,
                    left + cover.right,
                    area.bottom(),
                )
            )
    found: dict[str, _Name] = {}

    def place(text: str, at: QPointF, room: float, *, of_place: bool) -> bool:
        metrics = QFontMetricsF(fonts[of_place])
        width, height = metrics.horizontalAdvance(text), metrics.capHeight()
        box = Box.around(at.x(), at.y(), width + room, height + room * _DOWN / _ACROSS)
        if not box.inside(camera.width, camera.height) or any(
            box.overlaps(other) for other in taken
        ):
            return False
        taken.append(Box.around(at.x(), at.y(), width + _ACROSS, height + _DOWN))
        found[text] = _Name(at + QPointF(-width / 2, height / 2), text, of_place)
        return True

    _place_places(view, arcs, place)
    _place_roads(view, arcs, found, place)
    return list(found.values())


def _place_places(view: PaintedView, arcs: _NamedArcs, place: _Place) -> None:
    """The names of places, the most prominent kinds first."""
    roads = view.content.scene.graph.roads
    assert roads is not None
    points, count = view.camera.to_screen(arcs.places), 0
    for i in np.flatnonzero(view.camera.sees(points, points, 0.0))[:_MOST_TRIED].tolist():
        count += place(
            roads.places.names[i], QPointF(*points[i].tolist()), _PLACE_ROOM, of_place=True
        )
        if count == _MOST_PLACES:
            return


def _place_roads(
    view: PaintedView, arcs: _NamedArcs, found: Mapping[str, _Name], place: _Place
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
    straight = middles[seen].tolist()
    roads = list(zip(arcs.tails[seen].tolist(), arcs.heads[seen].tolist(), strict=True))
    lines = road_lines(scene, camera, roads)
    for arc, road, middle in zip(seen.tolist(), roads, straight, strict=True):
        name = scene.graph.roads.names[int(arcs.names[arc])]
        if name in found:
            continue
        place(
            name,
            cut_line(lines[road], 0.5)[-1] if road in lines else QPointF(*middle),
            _ACROSS,
            of_place=False,
        )
        if len(found) >= _MOST_NAMES:
            break
