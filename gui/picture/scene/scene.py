"""Drawable form of a graph: positions, merged opposite arcs, spatially ordered edges, boxes for culling.

Built once per graph in a job, read by every frame. No Qt.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gui.picture.scene.camera import Bounds
from gui.picture.scene.curves import RoadCurves, curved_edges
from gui.picture.scene.edge_order import BLOCK, ordered_edges
from gui.picture.scene.projection import placed
from gui.picture.scene.ring_scale import RingScale
from gui.picture.scene.vertex_grid import VertexGrid
from gui.picture.scene.vertex_sizes import NO_SIZES, vertex_sizes
from solvers.graphs.graph import Coordinates, Graph
from solvers.system.cancel import SILENT, Observer
from solvers.system.threads import thread_team

MOST_SCALE = 2e7  # pixels per world unit up to which float32 segments do not jitter
_NEAR_SHARE = 0.1
_MOST_SIZED = (
    200_000  # vertices of a graph with coordinates whose degrees are counted: nearly all larger ones are roads
)


@dataclass(frozen=True, eq=False)
class DrawableGraph:
    """The data that raster and overlay draw.

    Attributes
    ----------
    graph : Graph
    positions : (n, 2) float64
        World coordinates, y down, the longer side of the extent about 1; NaN for a vertex without a place.
    segments : (e, 4) float32
        Ends of every drawn segment, in spatial order: an edge, or a piece of a curved road.
    ends : (e, 2) int32
        Vertices that the halves of each segment belong to; its ends, if the road is straight.
    boxes : (b, 4) float32
        Bounding box x0, y0, x1, y1 of each block of `BLOCK` edges.
    lengths : (b,) float32
        Sum of the edge lengths of each block.
    grid : VertexGrid
        Finds vertices by position.
    bounds : Bounds
    mean_length : float
        Mean length of the drawn edges, along their curves, in world units.
    metres_per_unit : float
        At the middle of a geographic extent; 0 if positions have no known unit.
    laid_out : bool
        True if positions were computed, False if read from a file.
    contracted : int
        Vertices left out, with their edges; shortcuts take the place of paths through them.
    curves : RoadCurves or None
        None if every edge is drawn straight.
    sizes : (n,) float32 or (0,)
        Radius of each vertex relative to one of mean degree; empty unless the graph has hubs.
    rings : RingScale or None
        Of a ring layout.
    """

    graph: Graph
    positions: NDArray[np.float64]
    segments: NDArray[np.float32]
    ends: NDArray[np.int32]
    boxes: NDArray[np.float32]
    lengths: NDArray[np.float32]
    grid: VertexGrid
    bounds: Bounds
    mean_length: float
    metres_per_unit: float
    laid_out: bool
    contracted: int = 0
    curves: RoadCurves | None = None
    sizes: NDArray[np.float32] = field(default_factory=lambda: NO_SIZES)
    rings: RingScale | None = None

    def draws_like(self, other: DrawableGraph) -> bool:
        """Whether edges and vertices are drawn in the same places: graphs may differ in closed and slowed roads."""
        return self.segments is other.segments and self.positions is other.positions

    @property
    def vertices(self) -> int:
        """Number of drawn vertices."""
        return self.graph.n - self.contracted

    @property
    def edges(self) -> int:
        """Number of drawn edges: opposite and parallel arcs count once; self-loops and unplaced edges do not."""
        return len(self.ends) if self.curves is None else self.curves.count

    @cached_property
    def spacing(self) -> float:
        """Typical distance of near neighbours, whether an edge joins them or not; infinite without two vertices.

        A tenth of the vertices are nearer to another one. Quadratic: for graphs of which each vertex is drawn.
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
    def roads(self) -> NDArray[np.int32]:
        """Vertices at the ends of the edge that each segment belongs to, (e, 2)."""
        return self.ends if self.curves is None else self.curves.roads


def build_scene(
    graph: Graph, positions: NDArray[np.float64] | None = None, observer: Observer = SILENT
) -> DrawableGraph:
    """Build the drawable form of ``graph``.

    Parameters
    ----------
    positions : (n, 2) float64, optional
        A layout, for a graph without coordinates (`gui.picture.layout.stress`).
    observer : Observer

    Raises
    ------
    ValueError
        If the graph has no coordinates and none are given.
    Cancelled
    """
    laid_out = positions is not None
    points = graph.coordinates if positions is None else positions
    if points is None:
        raise ValueError("a graph without coordinates needs a layout")
    with thread_team() as team:
        observer.checkpoint(0, 10)
        shapes = graph.roads.shapes if graph.roads is not None and not laid_out else None
        if shapes is not None and isinstance(points, Coordinates):
            points = Coordinates(np.concatenate((points.xy, shapes.points)), points.geographic)
        everywhere, bounds, metres = placed(points, team, observer)
        where, curves = everywhere[: graph.n], None
        observer.checkpoint(2, 10)
        if shapes is None:
            edges = ordered_edges(graph, where, team, observer)
        else:
            edges, curves = curved_edges(graph, shapes, where, everywhere[graph.n :], team, observer)
        observer.checkpoint(8, 10)
        grid = VertexGrid.of(where, team, observer)
    observer.checkpoint(10, 10)
    counted = curves is None and (laid_out or graph.n <= _MOST_SIZED)
    scene = DrawableGraph(
        graph, where, edges.segments, edges.ends, edges.boxes, edges.lengths, grid, bounds, edges.mean_length, metres,
        laid_out, curves=curves, sizes=vertex_sizes(edges.ends, graph.n) if counted else NO_SIZES,
    )  # fmt: skip
    if curves is None or not scene.edges:
        return scene
    return replace(scene, mean_length=edges.mean_length * scene.strokes / scene.edges)


def visible_blocks(scene: DrawableGraph, bounds: Bounds) -> NDArray[np.int64]:
    """Numbers of the blocks of edges whose boxes meet ``bounds``, ascending."""
    x0, y0, x1, y1 = scene.boxes.T
    return np.flatnonzero((x0 <= bounds.x1) & (x1 >= bounds.x0) & (y0 <= bounds.y1) & (y1 >= bounds.y0))


def visible_runs(scene: DrawableGraph, bounds: Bounds, longest: int) -> list[tuple[int, int]]:
    """Ranges (first, last) of segments whose boxes meet ``bounds``, joined up to ``longest`` of them."""
    blocks = visible_blocks(scene, bounds)
    most = max(1, longest // BLOCK)
    runs = np.split(blocks, np.flatnonzero(np.diff(blocks) != 1) + 1) if len(blocks) else []
    pieces = [run[at : at + most] for run in runs for at in range(0, len(run), most)]
    return [(int(piece[0]) * BLOCK, min(scene.strokes, (int(piece[-1]) + 1) * BLOCK)) for piece in pieces]


def block_edges(scene: DrawableGraph, blocks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number of edges of each block: `BLOCK`, except for the last."""
    return np.minimum(scene.strokes - blocks * BLOCK, BLOCK)
