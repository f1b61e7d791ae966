"""Drawable form of a graph: positions, merged opposite arcs, spatially ordered edges,
boxes for culling. No Qt.

Built once per graph in a job, read by every frame. Coordinates are projected to world
positions (Mercator, centred on 0, y down, longer side 1). Vertices are sized by degree
in graphs with hubs, such as social networks. A scene with vertices moved by dragging is
a new one, for the same graph and view.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from solvers.graphs.graph import Coordinates, Graph
from solvers.picture.scene.activity import RingScale
from solvers.picture.scene.camera import Bounds
from solvers.picture.scene.edges import BLOCK, RoadCurves, curved_edges, ordered_edges
from solvers.picture.scene.projection import Projection, placed
from solvers.picture.scene.vertex_grid import VertexGrid
from solvers.system.array_types import Float32s, Float64s, Int32s, Int64s
from solvers.system.cancel import SILENT, Progress
from solvers.system.kept import same
from solvers.system.threads import thread_team

MOST_SCALE = 2e7  # pixels per world unit up to which float32 segments do not jitter
_NEAR_SHARE = 0.1
# vertices of a graph with coordinates whose degrees are counted: nearly all larger ones
# are roads
_MOST_SIZED = 200_000


HUB = 8.0  # greatest degree relative to the mean, from which sizes show something; roads have less
LEAST_SIZED = 30
_SIZES = (0.45, 12.0)  # radius relative to that of a vertex of mean degree, least and greatest
NO_SIZES: Float32s = np.empty(0, np.float32)

MOST_MOVABLE = 1_000  # of a graph whose vertices can be dragged: every move builds a new scene


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
        places = self.graph.coordinates
        if places is None or not places.geographic or self.laid_out:
            return None
        return Projection.of(places.xy, self.positions)

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
