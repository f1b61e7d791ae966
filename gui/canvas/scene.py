"""A graph made ready to be drawn: positions on a plane, opposite arcs merged, edges in spatial order, boxes to cull by.

Built once per graph, in a job; every frame reads it. Knows no Qt.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from gui.canvas.camera import Bounds
from solvers.graph import Coordinates, Graph
from solvers.observer import SILENT, Observer

BLOCK = 1024  # edges that share a bounding box
MOST_SCALE = 2e7  # pixels per world unit up to which float32 segments lie still
_LENGTH_CLASSES = 8  # halvings of the extent by which edges are grouped before they are sorted in space
_MORTON_BITS = 16
_METRES_PER_DEGREE = 111_195.0
_MERCATOR_LIMIT = 85.0  # degrees; past it Mercator runs off to infinity


@dataclass(frozen=True, eq=False)
class DrawableGraph:
    """What the raster and the overlay draw.

    Attributes
    ----------
    graph : Graph
    positions : (n, 2) float64
        World coordinates, y down, the longer side of the extent about 1; NaN for a vertex without a place.
    segments : (e, 4) float32
        Ends of every drawn edge, in spatial order.
    ends : (e, 2) int32
    boxes : (b, 4) float32
        x0, y0, x1, y1 of each run of `BLOCK` edges.
    bounds : Bounds
    mean_length : float
        Mean length of the drawn edges in world units.
    metres_per_unit : float
        At the middle of a geographic extent; 0 where positions have no known unit.
    laid_out : bool
        True where positions were computed rather than read.
    """

    graph: Graph
    positions: NDArray[np.float64]
    segments: NDArray[np.float32]
    ends: NDArray[np.int32]
    boxes: NDArray[np.float32]
    bounds: Bounds
    mean_length: float
    metres_per_unit: float
    laid_out: bool

    @property
    def edges(self) -> int:
        """Number of drawn edges: pairs of opposite arcs and parallel arcs count once, self-loops not."""
        return len(self.ends)


def build_scene(
    graph: Graph, positions: NDArray[np.float64] | None = None, observer: Observer = SILENT
) -> DrawableGraph:
    """Make ``graph`` drawable.

    Parameters
    ----------
    positions : (n, 2) float64, optional
        A layout, for a graph without coordinates (`gui.canvas.layout`).
    observer : Observer

    Raises
    ------
    ValueError
        Where the graph has no coordinates and none are given.
    Cancelled
    """
    laid_out = positions is not None
    if positions is None:
        if graph.coordinates is None:
            raise ValueError("a graph without coordinates needs a layout")
        projected, metres = project(graph.coordinates)
    else:
        projected, metres = np.array(positions, dtype=np.float64), 0.0
    observer.checkpoint(1, 10)
    placed, extent = _normalised(projected)
    observer.checkpoint(2, 10)
    ends = _drawn_edges(graph.indptr, graph.indices)
    observer.checkpoint(4, 10)
    segments = np.concatenate((placed[ends[:, 0]], placed[ends[:, 1]]), axis=1).astype(np.float32)
    observer.checkpoint(5, 10)
    order = np.argsort(_spatial_keys(segments), kind="stable")
    observer.checkpoint(8, 10)
    segments, ends = segments[order], ends[order]
    lengths = np.hypot(segments[:, 2] - segments[:, 0], segments[:, 3] - segments[:, 1])
    mean_length = float(np.nanmean(lengths)) if np.isfinite(lengths).any() else 0.0
    observer.checkpoint(9, 10)
    return DrawableGraph(
        graph, placed, segments, ends, _block_boxes(segments), Bounds.of(placed), mean_length, metres * extent, laid_out
    )


def project(coordinates: Coordinates) -> tuple[NDArray[np.float64], float]:
    """Coordinates on a plane, y down, and the metres of one unit there (0 where unknown).

    Longitude and latitude go through Web Mercator in degrees, so that shapes are true at every latitude.
    """
    xy = coordinates.xy
    if not coordinates.geographic:
        return np.column_stack((xy[:, 0], -xy[:, 1])), 0.0
    latitude = np.clip(xy[:, 1], -_MERCATOR_LIMIT, _MERCATOR_LIMIT)
    y = np.degrees(np.arctanh(np.sin(np.radians(latitude))))
    known = latitude[np.isfinite(latitude)]
    middle = (known.min() + known.max()) / 2 if len(known) else 0.0
    return np.column_stack((xy[:, 0], -y)), _METRES_PER_DEGREE * math.cos(math.radians(middle))


def _normalised(points: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Points centred on 0 with a longer side of 1, and the extent they had: float32 then resolves every pixel."""
    bounds = Bounds.of(points)
    extent = bounds.size or 1.0
    centre = np.array([(bounds.x0 + bounds.x1) / 2, (bounds.y0 + bounds.y1) / 2])
    return (points - centre) / extent, extent


@njit(cache=True, nogil=True)
def _drawn_edges(indptr, indices):
    """Each adjacent pair once: (tail, head) of the first arc that joins it; self-loops and repeats left out."""
    found = np.empty((indices.shape[0], 2), dtype=np.int32)
    count = 0
    for u in range(indptr.shape[0] - 1):
        for arc in range(indptr[u], indptr[u + 1]):
            v = indices[arc]
            if v == u or (arc > indptr[u] and indices[arc - 1] == v):
                continue
            if v < u:
                row = indices[indptr[v] : indptr[v + 1]]
                at = np.searchsorted(row, u)
                if at < row.shape[0] and row[at] == u:
                    continue
            found[count, 0], found[count, 1] = u, v
            count += 1
    return found[:count].copy()


@njit(cache=True, nogil=True)
def _spatial_keys(segments):
    """Sort keys: edges of like length together (long ones would spoil the boxes), then along a Morton curve."""
    cells = 1 << _MORTON_BITS
    keys = np.empty(segments.shape[0], dtype=np.uint64)
    for e in range(segments.shape[0]):
        x = 0.5 * (segments[e, 0] + segments[e, 2]) + 0.5
        y = 0.5 * (segments[e, 1] + segments[e, 3]) + 0.5
        if not (x == x and y == y):
            keys[e] = np.uint64(0xFFFFFFFFFFFFFFFF)
            continue
        length = max(abs(segments[e, 2] - segments[e, 0]), abs(segments[e, 3] - segments[e, 1]))
        level = 0
        while level < _LENGTH_CLASSES and length < 1.0 / (4 << level):
            level += 1
        column = np.uint64(min(cells - 1, max(0, int(x * cells))))
        row = np.uint64(min(cells - 1, max(0, int(y * cells))))
        code = np.uint64(0)
        for bit in range(_MORTON_BITS):
            shift = np.uint64(bit)
            code |= ((column >> shift) & np.uint64(1)) << np.uint64(2 * bit)
            code |= ((row >> shift) & np.uint64(1)) << np.uint64(2 * bit + 1)
        keys[e] = (np.uint64(level) << np.uint64(2 * _MORTON_BITS)) | code
    return keys


@njit(cache=True, nogil=True)
def _block_boxes(segments):
    count = (segments.shape[0] + BLOCK - 1) // BLOCK
    boxes = np.empty((count, 4), dtype=np.float32)
    for b in range(count):
        x0 = y0 = np.float32(np.inf)
        x1 = y1 = np.float32(-np.inf)
        for e in range(b * BLOCK, min(segments.shape[0], (b + 1) * BLOCK)):
            if segments[e, 0] == segments[e, 0] and segments[e, 2] == segments[e, 2]:
                x0 = min(x0, segments[e, 0], segments[e, 2])
                x1 = max(x1, segments[e, 0], segments[e, 2])
                y0 = min(y0, segments[e, 1], segments[e, 3])
                y1 = max(y1, segments[e, 1], segments[e, 3])
        boxes[b, 0], boxes[b, 1], boxes[b, 2], boxes[b, 3] = x0, y0, x1, y1
    return boxes


def visible_runs(scene: DrawableGraph, bounds: Bounds, longest: int) -> list[tuple[int, int]]:
    """Ranges (first, last) of edges whose boxes meet ``bounds``, neighbours joined, each at most ``longest`` edges."""
    boxes = scene.boxes
    seen = (
        (boxes[:, 0] <= bounds.x1)
        & (boxes[:, 2] >= bounds.x0)
        & (boxes[:, 1] <= bounds.y1)
        & (boxes[:, 3] >= bounds.y0)
    )
    blocks = np.flatnonzero(seen)
    runs: list[tuple[int, int]] = []
    for block in blocks:
        first, last = int(block) * BLOCK, min(scene.edges, (int(block) + 1) * BLOCK)
        if runs and runs[-1][1] == first and last - runs[-1][0] <= longest:
            runs[-1] = (runs[-1][0], last)
        else:
            runs.append((first, last))
    return runs
