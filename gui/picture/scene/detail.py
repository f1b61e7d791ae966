"""Detail of a close view: few enough vertices and arcs to draw each with id, head and weight. No Qt."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from gui.picture.scene.camera import Bounds, Camera
from gui.picture.scene.scene import DrawableGraph

MOST_VERTICES = 200
MOST_ARCS = 400  # drawn one by one; opposite arcs of equal weight count once
AREA_PER_VERTICES = 1_100.0  # square pixels needed per vertex with its id
SHORTEST_MEAN_EDGE = 14.0  # pixels
_OUTSIDE = 40.0  # margin in pixels around the view, so that arcs are drawn to vertices just outside


class ArcForm(Enum):
    """Shape of an arc."""

    ONE_WAY = "one way"  # straight, with a head
    BOTH_WAYS = "both ways"  # straight, no heads: an opposite arc of the same weight lies on it
    BENT = "bent"  # beside an opposite arc of another weight
    LOOP = "loop"


@dataclass(frozen=True)
class DetailArc:
    """One arc (the lightest of its parallels) drawn individually."""

    tail: int
    head: int
    weight: float
    form: ArcForm


@dataclass(frozen=True, eq=False)
class Detail:
    """The vertices in view, and the arcs between them (none if they are too many to tell apart)."""

    vertices: NDArray[np.int32]
    arcs: tuple[DetailArc, ...]
    bent: frozenset[tuple[int, int]] = field(init=False)
    plans: dict[Hashable, object] = field(default_factory=dict, repr=False)  # label places, cached by the painter

    def __post_init__(self) -> None:
        object.__setattr__(self, "bent", frozenset((a.tail, a.head) for a in self.arcs if a.form is ArcForm.BENT))


def detail_of(scene: DrawableGraph, camera: Camera) -> Detail | None:
    """The detail of a view; None if too much is visible, and of a contracted graph, whose edges are not arcs."""
    if scene.contracted or (scene.edges and scene.mean_length * camera.scale < SHORTEST_MEAN_EDGE):
        return None
    limit = int(min(MOST_VERTICES, camera.width * camera.height / AREA_PER_VERTICES))
    seen, around = camera.bounds, _OUTSIDE / camera.scale
    wide = Bounds(seen.x0 - around, seen.y0 - around, seen.x1 + around, seen.y1 + around)
    vertices = scene.grid.within(wide, limit + 1)
    if len(vertices) > limit:
        return None
    return Detail(vertices, _arcs_among(scene, vertices))


def _arcs_among(scene: DrawableGraph, vertices: NDArray[np.int32]) -> tuple[DetailArc, ...]:
    graph = scene.graph
    inside = set(vertices.tolist())
    least: dict[tuple[int, int], float] = {}
    for u in vertices.tolist():
        row = graph.row(u)
        for v, weight in zip(graph.indices[row].tolist(), graph.weights[row].tolist(), strict=True):
            if v in inside:
                least[u, v] = min(weight, least.get((u, v), weight))
                if len(least) > 2 * MOST_ARCS:
                    return ()
    arcs = []
    for (u, v), weight in least.items():
        opposite = least.get((v, u))
        if u == v:
            course = ArcForm.LOOP
        elif opposite is None:
            course = ArcForm.ONE_WAY
        elif opposite != weight and scene.curves is None:
            course = ArcForm.BENT
        elif opposite != weight:
            course = ArcForm.ONE_WAY  # with heads at both ends of a curve
        elif u < v:
            course = ArcForm.BOTH_WAYS
        else:
            continue
        arcs.append(DetailArc(u, v, float(weight), course))
    return tuple(arcs) if len(arcs) <= MOST_ARCS else ()
