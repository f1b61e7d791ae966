"""Drawable form of a graph: positions, merged opposite arcs, spatially ordered edges,
boxes for culling. No Qt.

Built once per graph in a job, read by every frame. Coordinates are projected to world
positions (Mercator, centred on 0, y down, longer side 1). Vertices are sized by degree
in graphs with hubs, such as social networks. A scene with vertices moved by dragging is
a new one, for the same graph and view.

The detail of a close view is its few vertices and arcs, each of which is drawn with id,
head and weight.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property, partial

import numpy as np

from solvers.graphs.graph import Coordinates, Graph
from solvers.picture.scene.activity import RingScale
from solvers.picture.scene.camera import Bounds, Camera
from solvers.picture.scene.edges import BLOCK, RoadCurves, curved_edges, ordered_edges
from solvers.picture.scene.vertex_grid import VertexGrid
from solvers.system.array_types import Float32s, Float64s, Int32s, Int64s
from solvers.system.cancel import SILENT, Progress
from solvers.system.jit import njit
from solvers.system.kept import same
from solvers.system.threads import ThreadTeam, split_evenly, thread_team

MOST_SCALE = 2e7  # pixels per world unit up to which float32 segments do not jitter
_NEAR_SHARE = 0.1
# vertices of a graph with coordinates whose degrees are counted: nearly all larger ones
# are roads
_MOST_SIZED = 200_000

PIECE = 250_000  # vertices between two cancellation checks
_METRES_PER_DEGREE = 111_195.0
_MERCATOR_LIMIT = 85.0  # degrees; Mercator diverges towards the poles
_AS_IT_IS, _FLIPPED, _MERCATOR = 0, 1, 2

HUB = 8.0  # greatest degree relative to the mean, from which sizes show something; roads have less
LEAST_SIZED = 30
_SIZES = (0.45, 12.0)  # radius relative to that of a vertex of mean degree, least and greatest
NO_SIZES: Float32s = np.empty(0, np.float32)

MOST_MOVABLE = 1_000  # of a graph whose vertices can be dragged: every move builds a new scene

MOST_DETAILED = 200  # vertices
MOST_ARCS = 400  # drawn one by one; opposite arcs of equal weight count once
AREA_PER_VERTICES = 1_100.0  # square pixels needed per vertex with its id
SHORTEST_MEAN_EDGE = 14.0  # pixels
_MOST_SCANNED = 20_000  # arcs of vertices in view and beyond, among which those in view are found
_OUTSIDE = 40.0  # margin in pixels around the view, so that arcs are drawn to vertices just outside
_MOST_BOWS = 4.0  # of the outermost of parallel arcs


@dataclass(frozen=True, eq=False)
class Projection:
    """Web Mercator in degrees, y down, shifted by ``origin`` and divided by ``extent``."""

    origin: Float64s  # (2,)
    extent: float

    def positions(self, xy: Float64s) -> Float64s:
        """World coordinates of longitudes and latitudes, (k, 2)."""
        found: Float64s = (_mercator(xy) - self.origin) / self.extent
        return found

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Latitude and longitude of a point of the world."""
        longitude, down = np.array((x, y)) * self.extent + self.origin
        return math.degrees(math.atan(math.sinh(math.radians(-down)))), float(longitude)


@dataclass(frozen=True, eq=False)
class DrawableGraph:
    """The data that raster and overlay draw."""

    graph: Graph
    # (n, 2): world coordinates, y down, the longer side of the extent about 1; NaN for
    # a vertex without a place
    positions: Float64s
    # (e, 4): ends of every drawn segment, in spatial order: an edge, or a piece of a curved road
    segments: Float32s
    # (e, 2): vertices that the halves of each segment belong to; its ends, if the road is straight
    ends: Int32s
    boxes: Float32s  # (b, 4): bounding box x0, y0, x1, y1 of each block of `BLOCK` edges
    lengths: Float32s  # (b,): sum of the edge lengths of each block
    grid: VertexGrid  # finds vertices by position
    bounds: Bounds
    mean_length: float  # mean length of the drawn edges, along their curves, in world units
    # at the middle of a geographic extent; 0 if positions have no known unit
    metres_per_unit: float
    laid_out: bool  # positions were computed, not read from a file
    # vertices left out, with their edges; shortcuts take the place of paths through
    # them
    contracted: int = 0
    curves: RoadCurves | None = None  # None if every edge is drawn straight
    # (n,) or (0,): radius of each vertex relative to one of mean degree; empty unless
    # the graph has hubs
    sizes: Float32s = field(default_factory=lambda: NO_SIZES)
    rings: RingScale | None = None  # of a ring layout

    def draws_like(self, other: DrawableGraph) -> bool:
        """Whether edges and vertices are drawn in the same places: graphs may differ in
        closed and slowed roads.
        """
        return same(self.drawn_parts, other.drawn_parts)

    @property
    def drawn_parts(self) -> tuple[Float32s, VertexGrid]:
        """What tells where edges and vertices are drawn."""
        return self.segments, self.grid

    @cached_property
    def projection(self) -> Projection | None:
        """How places on the map become positions; None for a layout and plane coordinates."""
        places, points = self.graph.coordinates, self.positions
        drawn_there = not self.laid_out and bool(np.isfinite(points).any())
        if places is None or not places.geographic or not drawn_there:
            return None
        axis = int(np.argmax(np.nanmax(points, axis=0) - np.nanmin(points, axis=0)))
        ends = [int(find(points[:, axis])) for find in (np.nanargmin, np.nanargmax)]
        low, high = points[ends]
        if low[axis] == high[axis]:
            return None
        first, last = _mercator(places.xy[ends])
        extent = float((last - first)[axis] / (high - low)[axis])
        return Projection(first - low * extent, extent)

    @property
    def vertices(self) -> int:
        return self.graph.n - self.contracted

    @property
    def edges(self) -> int:
        """Number of drawn edges: opposite and parallel arcs count once; self-loops and
        unplaced edges do not.
        """
        return len(self.ends) if self.curves is None else self.curves.count

    @cached_property
    def spacing(self) -> float:
        """Typical distance of near neighbours, whether an edge joins them or not;
        infinite without two vertices.

        A tenth of the vertices are nearer to another one. Quadratic: for graphs of
        which each vertex is drawn.
        """
        points = self.positions[np.isfinite(self.positions).all(axis=1)]
        if len(points) < 2:
            return math.inf
        apart = np.hypot(*(points[:, None, :] - points[None, :, :]).transpose(2, 0, 1))
        np.fill_diagonal(apart, math.inf)
        return float(np.quantile(apart.min(axis=1), _NEAR_SHARE))

    @property
    def strokes(self) -> int:
        """Number of drawn segments: of a curved road, several."""
        return len(self.ends)

    @property
    def roads(self) -> Int32s:
        """Vertices at the ends of the edge that each segment belongs to, (e, 2)."""
        return self.ends if self.curves is None else self.curves.roads


def build_scene(
    graph: Graph, positions: Float64s | None = None, progress: Progress = SILENT
) -> DrawableGraph:
    """Build the drawable form of ``graph``, at (n, 2) positions of a layout if it has
    no coordinates.

    Raises ValueError if the graph has no coordinates and no positions are given;
    Cancelled.
    """
    laid_out = positions is not None
    points = graph.coordinates if positions is None else positions
    if points is None:
        raise ValueError("a graph without coordinates needs a layout")
    with thread_team() as team:
        progress.checkpoint(0, 10)
        shapes = graph.roads.shapes if graph.roads is not None and not laid_out else None
        if shapes is not None and isinstance(points, Coordinates):
            points = Coordinates(np.concatenate((points.xy, shapes.points)), points.geographic)
        everywhere, bounds, metres = placed(points, team, progress)
        where, curves = everywhere[: graph.n], None
        progress.checkpoint(2, 10)
        if shapes is None:
            edges = ordered_edges(graph, where, team, progress)
        else:
            edges, curves = curved_edges(
                graph, shapes, where, everywhere[graph.n :], team, progress
            )
        progress.checkpoint(8, 10)
        grid = VertexGrid.of(where, team, progress)
    progress.checkpoint(10, 10)
    counted = curves is None and (laid_out or graph.n <= _MOST_SIZED)
    scene = DrawableGraph(
        graph,
        where,
        edges.segments,
        edges.ends,
        edges.boxes,
        edges.lengths,
        grid,
        bounds,
        edges.mean_length,
        metres,
        laid_out,
        curves=curves,
        sizes=vertex_sizes(edges.ends, graph.n) if counted else NO_SIZES,
    )
    if curves is None or not scene.edges:
        return scene
    return replace(scene, mean_length=edges.mean_length * scene.strokes / scene.edges)


def on_graph(scene: DrawableGraph, graph: Graph) -> DrawableGraph:
    """The same scene for its network with other roads closed, or cut at other points: all
    roads stay drawn, and points lie on them.
    """
    known, projection = scene.graph.uncut.n, scene.projection
    positions, curves = scene.positions, scene.curves
    if scene.graph.cut is not None:
        positions = positions[:known]
    if graph.cut is not None and graph.coordinates is not None:
        if projection is not None:
            new = projection.positions(graph.coordinates.xy[known:])
        else:  # a layout has no place on a road
            new = np.array([_middle(positions, graph, point) for point in range(known, graph.n)])
        positions = np.concatenate((positions, new))
    shapes_before, shapes = (
        None if each.roads is None else each.roads.shapes for each in (graph.uncut, graph)
    )
    if curves is not None and shapes is not None and len(curves.points) != len(shapes.points):
        assert shapes_before is not None
        assert projection is not None  # roads are curved on the map
        points = curves.points[: len(shapes_before.points)]
        more = projection.positions(shapes.points[len(points) :])
        curves = replace(curves, points=np.concatenate((points, more)))
    return replace(scene, graph=graph, positions=positions, curves=curves)


def _middle(positions: Float64s, graph: Graph, point: int) -> Float64s:
    """The middle between the ends of a point's road, as far as no other point lies on it."""
    ahead, behind = graph.indices[graph.row(point)], graph.tails[graph.indices == point]
    neighbours = np.unique(np.concatenate((ahead, behind)))
    placed_ones = positions[neighbours[neighbours < len(positions)]]
    return placed_ones.mean(axis=0) if len(placed_ones) else np.full(2, np.nan)


def visible_blocks(scene: DrawableGraph, bounds: Bounds) -> Int64s:
    """Numbers of the blocks of edges whose boxes meet ``bounds``, ascending."""
    x0, y0, x1, y1 = scene.boxes.T
    return np.flatnonzero(
        (x0 <= bounds.x1) & (x1 >= bounds.x0) & (y0 <= bounds.y1) & (y1 >= bounds.y0)
    )


def visible_runs(scene: DrawableGraph, bounds: Bounds, longest: int) -> list[tuple[int, int]]:
    """Ranges (first, last) of segments whose boxes meet ``bounds``, joined up to
    ``longest`` of them.
    """
    blocks = visible_blocks(scene, bounds)
    most = max(1, longest // BLOCK)
    runs = np.split(blocks, np.flatnonzero(np.diff(blocks) != 1) + 1) if len(blocks) else []
    pieces = [run[at : at + most] for run in runs for at in range(0, len(run), most)]
    return [
        (int(piece[0]) * BLOCK, min(scene.strokes, (int(piece[-1]) + 1) * BLOCK))
        for piece in pieces
    ]


def visible_edges(scene: DrawableGraph, seen: Bounds) -> Int64s:
    """Indices of the segments whose boxes meet the view."""
    found = [np.empty(0, np.int64)]
    for first, last in visible_runs(scene, seen, 1 << 20):
        x0, y0, x1, y1 = scene.segments[first:last].T
        inside = (np.minimum(x0, x1) <= seen.x1) & (np.maximum(x0, x1) >= seen.x0)
        inside &= (np.minimum(y0, y1) <= seen.y1) & (np.maximum(y0, y1) >= seen.y0)
        found.append(np.flatnonzero(inside) + first)
    return np.concatenate(found)


def block_edges(scene: DrawableGraph, blocks: Int64s) -> Int64s:
    """Number of edges of each block: `BLOCK`, except for the last."""
    return np.minimum(scene.strokes - blocks * BLOCK, BLOCK)


def placed(
    points: Float64s | Coordinates, team: ThreadTeam, progress: Progress = SILENT
) -> tuple[Float64s, Bounds, float]:
    """World positions of a graph's vertices, from coordinates of the file (y up) or a
    layout (y down).

    Longitude and latitude go through Web Mercator in degrees, which preserves shapes at
    every latitude.

    Returns
    -------
    positions : (n, 2) float64
        Centred on 0 with a longer side of 1, so that float32 resolves every pixel; NaN
        for vertices without a place.
    bounds : Bounds
    metres_per_unit : float
        At the middle of a geographic extent; 0 if unknown.
    """
    if isinstance(points, Coordinates):
        xy, geographic = points.xy, points.geographic
        way = _MERCATOR if geographic else _FLIPPED
    else:
        xy, geographic, way = np.asarray(points, dtype=np.float64), False, _AS_IT_IS
    positions = np.empty((len(xy), 2))
    runs = split_evenly(len(xy), max(team.threads, -(-len(xy) // PIECE)))
    extents = np.full((len(runs) + 1, 4), np.nan)
    team.run(
        (partial(_project, xy, way, positions, extents[i], *run) for i, run in enumerate(runs)),
        progress,
    )
    known = extents[np.isfinite(extents[:, 0])]
    if not len(known):
        return positions, Bounds(-0.5, -0.5, 0.5, 0.5), 0.0
    (x0, y0), (x1, y1) = known[:, :2].min(axis=0), known[:, 2:].max(axis=0)
    extent = float(max(x1 - x0, y1 - y0)) or 1.0
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    team.run_over(runs, _normalise, positions, x, y, extent, progress=progress)
    ends = ((x0 - x) / extent, (y0 - y) / extent, (x1 - x) / extent, (y1 - y) / extent)
    bounds = Bounds(*(float(end) for end in ends))
    return positions, bounds, extent * _metres_per_degree(y0, y1) if geographic else 0.0


def _mercator(xy: Float64s) -> Float64s:
    return np.stack((xy[:, 0], mercator_degrees(xy[:, 1])), axis=1)


def mercator_degrees(latitudes: Float64s) -> Float64s:
    """Web Mercator's ordinate in degrees, y down, as of `placed`."""
    limited = np.clip(latitudes, -_MERCATOR_LIMIT, _MERCATOR_LIMIT)
    return -np.degrees(np.arctanh(np.sin(np.radians(limited))))


def _metres_per_degree(y0: float, y1: float) -> float:
    """Metres per Mercator degree at the middle latitude of an extent, given by its
    Mercator bounds.
    """
    south, north = (math.degrees(math.atan(math.sinh(math.radians(y)))) for y in (y0, y1))
    return _METRES_PER_DEGREE * math.cos(math.radians((south + north) / 2))


@njit
def _project(
    xy: Float64s, way: int, positions: Float64s, extent: Float64s, first: int, last: int
) -> None:
    """Vertices ``first .. last - 1``; writes their bounds to ``extent``, which stays
    NaN if none has a place.
    """
    x0 = y0 = np.inf
    x1 = y1 = -np.inf
    for v in range(first, last):
        x, y = xy[v, 0], xy[v, 1]
        if way == _MERCATOR:
            y = -math.degrees(
                math.atanh(math.sin(math.radians(min(_MERCATOR_LIMIT, max(-_MERCATOR_LIMIT, y)))))
            )
        elif way == _FLIPPED:
            y = -y
        if not (np.isfinite(x) and np.isfinite(xy[v, 1])):
            x = y = np.nan
        positions[v, 0], positions[v, 1] = x, y
        if x == x:
            x0, y0, x1, y1 = min(x0, x), min(y0, y), max(x1, x), max(y1, y)
    if x1 >= x0:
        extent[0], extent[1], extent[2], extent[3] = x0, y0, x1, y1


@njit
def _normalise(
    positions: Float64s, x: float, y: float, extent: float, first: int, last: int
) -> None:
    for v in range(first, last):
        positions[v, 0] = (positions[v, 0] - x) / extent
        positions[v, 1] = (positions[v, 1] - y) / extent


def vertex_sizes(ends: Int32s, n: int) -> Float32s:
    """(n,) radii relative to a vertex of mean degree, with areas proportional to
    degrees; (0,) if these hardly differ.

    ``ends`` are the (e, 2) ends of the edges, each edge once.
    """
    if n < LEAST_SIZED or not len(ends):
        return NO_SIZES
    degrees = np.bincount(ends.reshape(-1), minlength=n)
    mean = 2.0 * len(ends) / int(np.count_nonzero(degrees))
    if float(degrees.max()) < HUB * mean:
        return NO_SIZES
    return np.clip(np.sqrt(degrees / mean), *_SIZES).astype(np.float32)


def with_vertex_at(scene: DrawableGraph, vertex: int, x: float, y: float) -> DrawableGraph:
    """``scene`` with one vertex moved to world coordinates; the scene is not recentred,
    so that the view can stay.

    The result has no scale in metres.
    """
    positions: Float64s = scene.positions.copy()
    positions[vertex] = x, y
    with thread_team() as team:
        edges = ordered_edges(scene.graph, positions, team)
        grid = VertexGrid.of(positions, team)
    count = len(edges.ends)
    return replace(
        scene,
        positions=positions,
        segments=edges.segments,
        ends=edges.ends,
        boxes=edges.boxes,
        lengths=edges.lengths,
        grid=grid,
        bounds=Bounds.of(positions),
        mean_length=float(edges.lengths.sum()) / count if count else 0.0,
        metres_per_unit=0.0,
        laid_out=True,
    )


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
