"""Coordinates as text: degrees to seven decimals, a centimetre; plane coordinates exactly."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from solvers.graphs.courses import path_course
from solvers.graphs.graph import Graph

DEGREE_DIGITS = 7


def number_texts(graph: Graph, points: NDArray[np.float64]) -> list[tuple[str, str]]:
    """The two numbers of each point, (p, 2), as text; longitude first."""
    assert graph.coordinates is not None  # callers have refused such graphs
    if graph.coordinates.geographic:
        points = points.round(DEGREE_DIGITS) + 0.0  # -0.0 is 0.0
    return [(repr(x), repr(y)) for x, y in points.tolist()]


def bracketed(pairs: Iterable[tuple[str, str]]) -> str:
    """Points as GeoJSON has them, without the outer brackets: ``[9.5, 47.1], [9.6, 47.2]``."""
    return ", ".join(f"[{x}, {y}]" for x, y in pairs)


def line_text(graph: Graph, arc: int) -> str:
    """The line of an arc along its curve, as Well-Known Text."""
    pairs = number_texts(graph, path_course(graph, np.array([arc])))
    return f"LINESTRING ({', '.join(' '.join(pair) for pair in pairs)})"
