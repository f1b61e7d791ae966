"""Scenes with vertices moved by dragging, for the same graph and view. No Qt."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gui.picture.scene.camera import Bounds
from gui.picture.scene.edge_order import ordered_edges
from gui.picture.scene.scene import DrawableGraph
from gui.picture.scene.vertex_grid import VertexGrid
from solvers.system.threads import thread_team

MOST_VERTICES = 1_000  # of a graph whose vertices can be dragged: every move builds a new scene


def with_vertex_at(scene: DrawableGraph, vertex: int, x: float, y: float) -> DrawableGraph:
    """``scene`` with one vertex moved to world coordinates; the scene is not recentred, so that the view can stay.

    The result has no scale in metres.
    """
    positions: NDArray[np.float64] = scene.positions.copy()
    positions[vertex] = x, y
    with thread_team() as team:
        edges = ordered_edges(scene.graph, positions, team)
        grid = VertexGrid.of(positions, team)
    count = len(edges.ends)
    return replace(
        scene, positions=positions, segments=edges.segments, ends=edges.ends, boxes=edges.boxes, lengths=edges.lengths,
        grid=grid, bounds=Bounds.of(positions), mean_length=float(edges.lengths.sum()) / count if count else 0.0,
        metres_per_unit=0.0, laid_out=True,
    )  # fmt: skip
