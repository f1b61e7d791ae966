"""Many to many: the distances from each of some vertices to each of some others, by climbs alone.

Every source climbs once, and every target once against the arcs. A pair's distance is the least sum over the ancestors
that both have in common, which are those of the least depths. Nothing of the size of the graph is allocated. This is a
function and no variant: a variant answers for one source, one target or all pairs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import prange
from numpy.typing import NDArray

from solvers.algorithms.hierarchy.preparation import prepare
from solvers.algorithms.hierarchy.supergraph import Hierarchy
from solvers.algorithms.hierarchy.sweep import climb
from solvers.errors import ParameterError
from solvers.graphs.graph import Graph
from solvers.graphs.weights import WeightType
from solvers.system.cancel import SILENT, Progress
from solvers.system.jit import njit
from solvers.system.openmp import team

_NAME = "cch-matrix"
_PAIRS_A_LOOK = 1 << 18  # between two cancellation checks


def distance_matrix(
    graph: Graph, sources: NDArray[Any], targets: NDArray[Any], threads: int = 0, progress: Progress = SILENT
) -> NDArray[Any]:
    """Distances from each source to each target.

    Parameters
    ----------
    sources, targets : (k,) and (l,) integers
        Vertex indices; repeated ones are allowed.
    threads : int
        OpenMP threads; 0 for all cores.

    Returns
    -------
    (k, l) array of the distance type
        Infinity of that type where there is no path.

    Raises
    ------
    NegativeCycle
        If the graph has one, wherever it is.
    ParameterError
        For a vertex that is not in the graph, or too many threads.
    SeparatorsTooLarge, OutOfMemory, Unavailable, OrderFailed, Cancelled
    """
    ends = []
    for name, vertices in (("sources", sources), ("targets", targets)):
        chosen = np.asarray(vertices, dtype=np.int64)
        if len(chosen) and not 0 <= int(chosen.min()) <= int(chosen.max()) < graph.n:
            raise ParameterError(_NAME, name, vertices, f"vertices are numbered from 0 to {graph.n - 1}")
        ends.append(chosen)
    ready = prepare(graph, None, _NAME, progress, threads=threads)
    kind, hierarchy, metric = graph.distance_type, ready.hierarchy, ready.metric
    matrix = np.empty((len(ends[0]), len(ends[1])), kind.dtype)
    if not matrix.size:
        return matrix
    behind = _climbs(hierarchy, metric.down, kind, ends[1])
    rows = max(1, _PAIRS_A_LOOK // len(ends[1]))
    with team(threads, _NAME):
        for first in range(0, len(ends[0]), rows):
            progress.checkpoint(first, len(ends[0]))
            ahead = _climbs(hierarchy, metric.up, kind, ends[0][first : first + rows])
            _join(*ahead, *behind, kind.dtype.type(kind.infinity), matrix[first : first + rows])
    return matrix


def _climbs(
    hierarchy: Hierarchy, weights: NDArray[Any], kind: WeightType, vertices: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """Paths to the root and distances along them, by vertex and depth."""
    tree = hierarchy.tree
    paths = np.empty((len(vertices), tree.height), np.int32)
    reached = np.empty((len(vertices), tree.height), kind.dtype)
    infinity = kind.dtype.type(kind.infinity)
    for i, start in enumerate(tree.rank[vertices].tolist()):
        climb(
            start, tree.parent, tree.depth, hierarchy.up_first, hierarchy.up_depth, weights, infinity, paths[i],
            reached[i],
        )  # fmt: skip
    return paths, reached


@njit(cache=True, nogil=True, parallel=True)
def _join(
    paths_ahead: NDArray[np.int32],
    ahead: NDArray[Any],
    paths_behind: NDArray[np.int32],
    behind: NDArray[Any],
    infinity: Any,
    matrix: NDArray[Any],
) -> None:
    for i in prange(len(matrix)):
        _join_row(paths_ahead[i], ahead[i], paths_behind, behind, infinity, matrix[i])


@njit(cache=True, nogil=True)
def _join_row(
    path: NDArray[np.int32],
    ahead: NDArray[Any],
    paths_behind: NDArray[np.int32],
    behind: NDArray[Any],
    infinity: Any,
    row: NDArray[Any],
) -> None:
    for j in range(len(row)):
        best = infinity
        for k in range(len(path)):
            if path[k] < 0 or path[k] != paths_behind[j, k]:
                break
            if ahead[k] < infinity and behind[j, k] < infinity:
                best = min(best, ahead[k] + behind[j, k])
        row[j] = best
