"""Detail of a close view: its few vertices and arcs, each of which is drawn with id, head and
weight. No Qt.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

import numpy as np

from solvers.picture.scene.camera import Bounds, Camera
from solvers.picture.scene.scene import DrawableGraph, visible_edges
from solvers.system.array_types import Int32s, Int64s

MOST_DETAILED = 200  # vertices
MOST_ARCS = 400  # drawn one by one; opposite arcs of equal weight count once
AREA_PER_VERTICES = 1_100.0  # square pixels needed per vertex with its id
SHORTEST_MEAN_EDGE = 14.0  # pixels
_MOST_SCANNED = 20_000  # arcs of vertices in view and beyond, among which those in view are found
_OUTSIDE = 40.0  # margin in pixels around the view, so that arcs are drawn to vertices just outside
_MOST_BOWS = 4.0  # of the outermost of parallel arcs


class ArcForm(Enum):
    ONE_WAY = "one way"  # straight, with a head
    BOTH_WAYS = "both ways"  # straight, no heads: an opposite arc of the same weight lies on it
    BENT = "bent"  # beside an opposite arc of another weight
    LOOP = "loop"


@dataclass(frozen=True)
class DetailArc:
    """One arc drawn individually.

    ``bow``: how many bends it lies beside the lightest of its parallels, 0 for that;
    along curved roads only the lightest is drawn.
    """

    tail: int
    head: int
    weight: float
    form: ArcForm
    bow: float = 0.0


@dataclass(frozen=True, eq=False)
class Detail:
    """The vertices in view, and the arcs between them, or from and to others (none if
    they are too many to tell apart).
    """

    vertices: Int32s
    arcs: tuple[DetailArc, ...]
    beyond: Int32s = field(default_factory=lambda: np.empty(0, np.int32))  # out of view
    # label places, cached by the painter
    plans: dict[Hashable, object] = field(default_factory=dict, repr=False)

    @cached_property
    def ends(self) -> Int32s:
        """All ends of its arcs."""
        return np.concatenate((self.vertices, self.beyond))


def detail_of(scene: DrawableGraph, camera: Camera) -> Detail | None:
    """The detail of a view; None if too much is visible, and of a contracted graph,
    whose edges are not arcs.
    """
    if scene.contracted or (scene.edges and scene.mean_length * camera.scale < SHORTEST_MEAN_EDGE):
        return None
    limit = int(min(MOST_DETAILED, camera.width * camera.height / AREA_PER_VERTICES))
    seen, around = camera.bounds, _OUTSIDE / camera.scale
    wide = Bounds(seen.x0 - around, seen.y0 - around, seen.x1 + around, seen.y1 + around)
    vertices = scene.grid.within(wide, limit + 1)
    if len(vertices) > limit:
        return None
    edges = visible_edges(scene, seen) if scene.curves is None else np.empty(0, np.int64)
    if len(edges) <= MOST_ARCS and (reaching := _reaching(scene, vertices, edges)) is not None:
        return reaching
    inside = set(vertices.tolist())
    return Detail(vertices, _arcs_among(scene, vertices, lambda _, v: v in inside))


def _reaching(scene: DrawableGraph, vertices: Int32s, edges: Int64s) -> Detail | None:
    """The detail with arcs to vertices out of view; None without any, and if they are too many."""
    roads = scene.ends[edges]
    beyond = np.setdiff1d(roads, vertices).astype(np.int32)
    ends = np.concatenate((vertices, beyond))
    if not len(beyond) or int(scene.graph.out_degrees[ends].sum()) > _MOST_SCANNED:
        return None
    inside, pairs = set(vertices.tolist()), set(map(tuple, np.sort(roads).tolist()))

    def is_seen(u: int, v: int) -> bool:
        return (min(u, v), max(u, v)) in pairs or (u in inside and v in inside)

    arcs = _arcs_among(scene, ends, is_seen)
    return Detail(vertices, arcs, beyond) if arcs else None


def _arcs_among(
    scene: DrawableGraph, vertices: Int32s, drawn: Callable[[int, int], bool]
) -> tuple[DetailArc, ...]:
    graph = scene.graph.uncut
    weights: dict[tuple[int, int], list[float]] = {}
    for u in vertices.tolist():
        row = graph.row(u)
        for v, weight in zip(graph.indices[row].tolist(), graph.weights[row].tolist(), strict=True):
            if drawn(u, v):
                weights.setdefault((u, v), []).append(weight)
                if len(weights) > 2 * MOST_ARCS:
                    return ()
    ordered = {ends: sorted(each) for ends, each in weights.items()}
    arcs: list[DetailArc] = []
    for (u, v), each in ordered.items():
        opposite = ordered.get((v, u))
        form = _form(u, v, each[0], None if opposite is None else opposite[0])
        if scene.curves is not None:
            form = ArcForm.ONE_WAY if form is ArcForm.BENT else form  # heads at both ends
            each = each[:1]
        is_drawn_once = form is ArcForm.BOTH_WAYS and u > v
        if not is_drawn_once:
            arcs.append(DetailArc(u, v, float(each[0]), form))
        arcs += _parallels(u, v, each, opposite, form)
    return tuple(arcs) if len(arcs) <= MOST_ARCS else ()


def _form(u: int, v: int, weight: float, opposite: float | None) -> ArcForm:
    """That of the lightest arc between two vertices, beside the lightest opposite one."""
    if u == v:
        return ArcForm.LOOP
    if opposite is None:
        return ArcForm.ONE_WAY
    return ArcForm.BENT if opposite != weight else ArcForm.BOTH_WAYS


def _parallels(
    u: int, v: int, weights: list[float], opposite: list[float] | None, form: ArcForm
) -> Iterator[DetailArc]:
    """The arcs of ascending ``weights`` but the lightest, which has that form; of many the
    bows are flatter.
    """
    step = min(1.0, _MOST_BOWS / len(weights))
    if form is ArcForm.BOTH_WAYS:
        if weights != opposite:
            form = ArcForm.ONE_WAY
        elif u > v:
            return
    for place, weight in enumerate(weights[1:], 1):
        yield DetailArc(u, v, float(weight), form, place * step)
