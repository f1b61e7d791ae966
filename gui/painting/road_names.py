"""Names of roads over the picture: the greatest roads first, each name once, clear of each other and of the end points.

Which names stand where is found once a view, and kept with the scene.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QSizeF
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPaintEngine, QPainter

from gui.painting.drawing import PaintedView, cut_line, draw_haloed_text, in_view, road_lines, small_font
from gui.painting.labels import Box
from gui.picture.raster.edge_buffers import Measures
from gui.picture.scene.content import Layer
from gui.picture.scene.scene import DrawableGraph
from solvers.graphs.readers.osm.profiles import UNNAMED

_POINTS = 8.5
_AROUND = tuple((dx, dy) for dx in (-1.2, 0.0, 1.2) for dy in (-1.2, 0.0, 1.2) if dx or dy)  # of a halo
_MOST_NAMES, _MOST_TRIED, _MOST_ARCS = 28, 400, 50_000
_ACROSS, _DOWN = 22.0, 12.0  # pixels around a name that others keep clear of
_END_ROOM, _ID_ROOM = 24.0, 110.0  # pixels about an end point for its marker, and to the right for its id
# Pixels between neighbouring vertices, up to which only roads from a class on are named.
_LEAST_CLASSES = ((3.0, 5), (7.0, 4), (14.0, 3), (28.0, 2))
_MOST_VIEWS = 4


@dataclass(eq=False)
class _NamedArcs:
    """Arcs of roads with a name, the greatest and longest first; and the names last drawn, by view."""

    tails: NDArray[np.int32]
    heads: NDArray[np.int32]
    names: NDArray[np.int32]
    classes: NDArray[np.uint8]
    middles: NDArray[np.float64]  # (k, 2) in the world, as if roads were straight
    drawn: dict[object, QImage] = field(default_factory=dict)

    @classmethod
    def of(cls, scene: DrawableGraph) -> _NamedArcs:
        graph, roads = scene.graph, scene.graph.roads
        assert roads is not None
        named = np.array([name not in UNNAMED for name in roads.names])
        classes = np.zeros(graph.m, np.uint8) if roads.class_of is None else roads.class_of
        arcs = np.flatnonzero(named[roads.name_of])
        ends = np.stack((scene.positions[graph.tails[arcs]], scene.positions[graph.indices[arcs]]))
        order = np.lexsort((-np.linalg.norm(ends[1] - ends[0], axis=1), -classes[arcs].astype(int)))[:_MOST_ARCS]
        arcs = arcs[order]
        middles = ends.mean(axis=0)[order]
        return cls(graph.tails[arcs], graph.indices[arcs], roads.name_of[arcs], classes[arcs], middles)


_kept: WeakKeyDictionary[DrawableGraph, _NamedArcs] = WeakKeyDictionary()


def draw_road_names(view: PaintedView) -> None:
    """Draw the names; none in a close view, which has labels of its own, and where roads do not lie in their places."""
    content, scene = view.content, view.content.scene
    moved = scene.laid_out or scene.contracted
    if scene.graph.roads is None or view.detail is not None or moved or not content.has(Layer.NAMES):
        return
    if (arcs := _kept.get(scene)) is None:
        arcs = _kept[scene] = _NamedArcs.of(scene)
    font = small_font(view.painter, _POINTS * view.type_factor)
    view.painter.setFont(font)
    if view.painter.paintEngine().type() != QPaintEngine.Type.Raster:
        for at, name in _placed(view, arcs, font):
            draw_haloed_text(view.painter, at, name, view.tokens.muted, view.tokens.canvas)
        return
    ratio = view.painter.device().devicePixelRatioF()
    key = view.camera, _ends(view), font.toString(), view.tokens, ratio
    if key not in arcs.drawn:
        if len(arcs.drawn) >= _MOST_VIEWS:
            arcs.drawn.clear()
        arcs.drawn[key] = _image(view, _placed(view, arcs, font), font, ratio)
    view.painter.drawImage(QPointF(0.0, 0.0), arcs.drawn[key])


def _ends(view: PaintedView) -> tuple[int, ...]:
    content = view.content
    ends = (content.source, content.target, *content.more_sources) if content.has(Layer.MARKERS) else ()
    return tuple(vertex for vertex in ends if vertex is not None)


def _image(view: PaintedView, placed: list[tuple[QPointF, str]], font: QFont, ratio: float) -> QImage:
    """The names with halos, of which glyphs shifted all around make a cheaper one than an outline does."""
    size = QSizeF(view.camera.width, view.camera.height) * ratio
    image = QImage(size.toSize(), QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    image.setDevicePixelRatio(ratio)
    with QPainter(image) as painter:
        painter.setFont(font)
        for colour, shifts in ((view.tokens.canvas, _AROUND), (view.tokens.muted, ((0.0, 0.0),))):
            painter.setPen(QColor(colour))
            for at, name in placed:
                for dx, dy in shifts:
                    painter.drawText(at + QPointF(dx, dy), name)
    return image


def _placed(view: PaintedView, arcs: _NamedArcs, font: QFont) -> list[tuple[QPointF, str]]:
    """All names that have room, and where they start."""
    scene, camera, metrics = view.content.scene, view.camera, QFontMetricsF(font)
    assert scene.graph.roads is not None
    spacing = Measures.of(scene, camera.scale).spacing
    least = next((rank for most, rank in _LEAST_CLASSES if spacing <= most), 0)
    seen = np.flatnonzero(in_view(camera.to_screen(arcs.middles), camera, 0.0) & (arcs.classes >= least))[:_MOST_TRIED]
    straight = camera.to_screen(arcs.middles[seen]).tolist()
    roads = list(zip(arcs.tails[seen].tolist(), arcs.heads[seen].tolist(), strict=True))
    lines = road_lines(scene, camera, roads)
    ends = np.array(_ends(view), int)
    places = view.points_of(ends).tolist()
    taken = [Box(x - _END_ROOM, y - _END_ROOM, x + _ID_ROOM, y + _END_ROOM) for x, y in places]
    found: dict[str, QPointF] = {}
    for arc, road, middle in zip(seen.tolist(), roads, straight, strict=True):
        name = scene.graph.roads.names[int(arcs.names[arc])]
        if name in found:
            continue
        at = cut_line(lines[road], 0.5)[-1] if road in lines else QPointF(*middle)
        width, height = metrics.horizontalAdvance(name), metrics.capHeight()
        box = Box.around(at.x(), at.y(), width + _ACROSS, height + _DOWN)
        if not box.inside(camera.width, camera.height) or any(box.overlaps(other) for other in taken):
            continue
        taken.append(box)
        found[name] = QPointF(at.x() - width / 2, at.y() + height / 2)
        if len(found) == _MOST_NAMES:
            break
    return [(at, name) for name, at in found.items()]
