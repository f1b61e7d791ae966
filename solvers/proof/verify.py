"""Verification of distances after each run, independent of every solver, in O(n + m).

Single-source distances are correct if and only if

* the source has distance 0,
* no arc (u, v) has ``d[u] + w < d[v]`` (no distance is too long, and every reachable vertex is reached), and
* every reached vertex is connected to the source by *tight* arcs, those with ``d[u] + w == d[v]`` (no distance is too
  short).

The third condition is checked by a breadth-first search from the source. It would not suffice that each vertex has a
tight arc into it: the vertices of a cycle of weight zero have one at any distance. The search visits every arc out of a
reached vertex, so it checks the second condition as well.

If a condition fails, the reference solver computes the distances, and the wrong vertices are counted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.contracts.results import Verdict
from solvers.graphs.graph import Graph
from solvers.graphs.weights import to_float, weight_type
from solvers.host.jit import njit
from solvers.host.observer import SILENT, Observer
from solvers.proof.reference import reference_distances

# A single-source solver adds weights from the start of a path, as the verifier does, so the two differ by the rounding
# of one addition, half a unit in the last place (eps / 2 of the sum) each. Four units leave a margin.
_ONE_ADDITION = 4.0

# An all-pairs solver may add the parts of a path in any order. The rounding errors of k additions grow like the square
# root of k (a random walk), and a path has fewer than n arcs; four times that is ample.
_PER_ROOT_OF_N = 4.0

# Vertices plus arcs up to which an all-pairs proof checks every row rather than a sample: some seconds of work, and
# enough for every row of p2p-Gnutella04 (10,876 vertices).
_MAX_FULL_CHECK = 600_000_000

# Wrong cells are counted exactly in at most this many failed rows.
_MAX_COUNTED_ROWS = 64

_PROVED, _SOURCE_NOT_ZERO, _NOT_RELAXED, _NOT_CONNECTED = range(4)


def verify_sssp(graph: Graph, source: int, distances: NDArray[Any], observer: Observer = SILENT) -> Verdict:
    """Verify the distances from ``source``.

    Parameters
    ----------
    graph : Graph
    source : int
        Vertex index.
    distances : (n,) array of a weight type
        May be wider than the graph's weight type.
    observer : Observer
        Checked for cancellation.

    Returns
    -------
    Verdict
        Its ``words`` describe the first failure and refer to vertices by the file's ids.

    Raises
    ------
    Cancelled
    """
    observer.checkpoint()
    if distances.shape != (graph.n,):
        return Verdict(
            False, graph.n, f"{graph.n:,} distances are asked for, but the answer has shape {distances.shape}."
        )
    failure = _TightArcSearch(graph, distances.dtype, _ONE_ADDITION).failure(source, distances)
    if failure[0] == _PROVED:
        return Verdict(True, 0, f"All {graph.n:,} distances proved.")
    observer.checkpoint()
    right = reference_distances(graph, source, observer)
    words = _describe_failure(graph, source, distances, right, failure)
    return Verdict(False, _count_wrong(graph, distances, right), words)


def verify_apsp(
    graph: Graph,
    matrix: NDArray[Any],
    rows: int | None = None,
    seed: int = 0,
    observer: Observer = SILENT,
) -> Verdict:
    """Verify an all-pairs matrix row by row: all rows if that takes seconds, else a random sample.

    Parameters
    ----------
    graph : Graph
    matrix : (n, n) array of a weight type
        Rows are sources, columns targets.
    rows : int, optional
        Number of rows to check; by default chosen by the size of the graph.
    seed : int
        Random seed of the sample.
    observer : Observer
        Receives progress and is checked for cancellation.

    Returns
    -------
    Verdict
        ``wrong_vertices`` counts wrong cells in the checked rows; from the 65th failed row on, one per row.

    Raises
    ------
    Cancelled
    """
    n = graph.n
    if matrix.shape != (n, n):
        return Verdict(False, n * n, f"An answer of shape ({n}, {n}) is asked for, but it has shape {matrix.shape}.")
    if rows is None:
        rows = n if n * (n + graph.m) <= _MAX_FULL_CHECK else max(1, _MAX_FULL_CHECK // (n + graph.m))
    sampled = rows < n
    chosen = np.sort(np.random.default_rng(seed).choice(n, rows, replace=False)) if sampled else np.arange(n)
    search = _TightArcSearch(graph, matrix.dtype, _PER_ROOT_OF_N * (math.sqrt(n) + 1))
    first, failed_rows, wrong = "", 0, 0
    for done, row in enumerate(chosen.tolist()):
        observer.checkpoint(done, len(chosen))
        failure = search.failure(row, matrix[row])
        if failure[0] == _PROVED:
            continue
        failed_rows += 1
        if failed_rows > _MAX_COUNTED_ROWS:
            wrong += 1
            continue
        right = reference_distances(graph, row, observer)
        wrong += _count_wrong(graph, matrix[row], right)
        first = first or f"Row {int(graph.ids[row])}: {_describe_failure(graph, row, matrix[row], right, failure)}"
    checked = f"{len(chosen):,} of {n:,} rows (chosen with seed {seed})" if sampled else f"all {n:,} rows"
    words = (
        f"{first} {failed_rows:,} rows of {checked} are wrong."
        if failed_rows
        else f"{checked[0].upper()}{checked[1:]} proved."
    )
    return Verdict(not failed_rows, wrong, words, tuple(chosen.tolist()), seed if sampled else None)


def verify_target(
    graph: Graph, source: int, target: int, distances: NDArray[Any], observer: Observer = SILENT
) -> Verdict:
    """Verify the answer of a one-path variant: the target's distance, and every other finite distance.

    A search that stops early leaves most vertices at infinity, which states nothing, except at the target, where it
    states that there is no path. The finite distances and the target's are therefore compared with the reference
    distances; then tight arcs between vertices with finite distances must lead from the source to the target.

    Parameters
    ----------
    graph : Graph
    source, target : int
        Vertex indices.
    distances : (n,) array of a weight type
    observer : Observer
        Checked for cancellation.

    Raises
    ------
    Cancelled
    """
    observer.checkpoint()
    if distances.shape != (graph.n,):
        return Verdict(
            False, graph.n, f"{graph.n:,} distances are asked for, but the answer has shape {distances.shape}."
        )
    name = int(graph.ids[target])
    right = reference_distances(graph, source, observer)
    if right is None:
        return Verdict(
            False, 1, f"Source {int(graph.ids[source])} reaches a negative cycle, so no distance is correct."
        )
    claimed = np.isfinite(to_float(distances))
    claimed[target] = True
    wrong = claimed & _differing(graph, distances, right)
    if wrong.any():
        first = target if wrong[target] else int(np.argmax(wrong))
        words = f"Vertex {int(graph.ids[first])}: {_words(distances[first])} claimed; it is {_words(right[first])}."
        return Verdict(False, int(wrong.sum()), words)
    others = f"and {int(claimed.sum()) - 1:,} distances on the way"
    if not np.isfinite(to_float(right[target : target + 1]))[0]:
        return Verdict(True, 0, f"Proved that {name} cannot be reached, {others}.")
    if not _TightArcSearch(graph, distances.dtype, _ONE_ADDITION).reaches(source, target, distances):
        return Verdict(False, 1, f"The distances given do not make a path to {name} of length {_words(right[target])}.")
    return Verdict(True, 0, f"A shortest path to {name} proved, {others}.")


def verify_cycle(graph: Graph, cycle: Sequence[int]) -> Verdict:
    """Verify that ``cycle`` (vertex indices in order, the first not repeated) is a cycle of negative weight.

    The lightest of parallel arcs is used. The verdict's ``words`` state the cycle's weight.
    """
    vertices = [int(v) for v in cycle]
    if not vertices or len(set(vertices)) != len(vertices) or not all(0 <= v < graph.n for v in vertices):
        return Verdict(False, len(vertices), "A cycle has at least one vertex, and none of them twice.")
    weights = []
    for tail, head in zip(vertices, [*vertices[1:], vertices[0]], strict=True):
        row = graph.row(tail)
        parallel = graph.weights[row][graph.indices[row] == head]
        if not len(parallel):
            missing = f"there is no arc {int(graph.ids[tail])} → {int(graph.ids[head])}"
            return Verdict(False, len(vertices), f"Not a cycle: {missing}.")
        weights.append(parallel.min().item())
    total = math.fsum(weights)
    if total >= 0:
        return Verdict(False, len(vertices), f"The cycle's weight is {total:,.10g}, which is not negative.")
    return Verdict(True, 0, f"A cycle of {len(vertices):,} vertices and weight {total:,.10g}.")


class _TightArcSearch:
    """Breadth-first search along tight arcs, with working memory that is reused for many sources."""

    def __init__(self, graph: Graph, dtype: np.dtype[Any], roundings: float):
        kind = weight_type(dtype)
        self._arcs = (graph.indptr, graph.indices, graph.weights)
        self._infinity = kind.dtype.type(kind.infinity)
        self._tolerance = 0 if kind.is_integer else roundings * float(np.finfo(kind.dtype).eps)
        self._queue = np.empty(graph.n, dtype=np.int32)
        self._reached = np.empty(graph.n, dtype=np.bool_)

    def failure(self, source: int, distances: NDArray[Any]) -> tuple[int, int, int, int]:
        """``(condition, tail, head, arc)`` of the first failed condition; ``_PROVED`` if none fails."""
        found: tuple[int, int, int, int] = _first_failure(
            *self._arcs, source, distances, self._infinity, self._tolerance, self._queue, self._reached
        )
        return found

    def reaches(self, source: int, target: int, distances: NDArray[Any]) -> bool:
        """Whether tight arcs between vertices with finite distances lead from source to target."""
        _follow_tight_arcs(*self._arcs, source, distances, self._infinity, self._tolerance, self._queue, self._reached)
        return bool(self._reached[target])


@njit(cache=True, nogil=True)
def _follow_tight_arcs(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    weights: NDArray[Any],
    source: int,
    distances: NDArray[Any],
    infinity: Any,
    tolerance: float,
    queue: NDArray[np.int32],
    reached: NDArray[np.bool_],
) -> None:
    """Mark in ``reached`` the vertices that tight arcs lead to. ``tolerance`` as in `_first_failure`."""
    reached[:] = False
    reached[source] = distances[source] == 0
    queue[0] = source
    followed, queued = 0, int(reached[source])
    while followed < queued:
        u = queue[followed]
        followed += 1
        for arc in range(indptr[u], indptr[u + 1]):
            v = indices[arc]
            allowed = tolerance * (abs(distances[u]) + abs(weights[arc]))
            is_tight = abs(distances[u] + weights[arc] - distances[v]) <= allowed
            if is_tight and not reached[v] and distances[v] < infinity:
                reached[v] = True
                queue[queued] = v
                queued += 1


@njit(cache=True, nogil=True)
def _first_failure(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    weights: NDArray[Any],
    source: int,
    distances: NDArray[Any],
    infinity: Any,
    tolerance: float,
    queue: NDArray[np.int32],
    reached: NDArray[np.bool_],
) -> tuple[int, int, int, int]:
    """Search the tight arcs breadth first. ``tolerance`` is relative; the integer 0 for integer distances."""
    if distances[source] != 0:
        return _SOURCE_NOT_ZERO, source, source, -1
    n = indptr.shape[0] - 1
    reached[:] = False
    reached[source] = True
    queue[0] = source
    settled, queued = 0, 1
    while settled < queued:
        u = queue[settled]
        settled += 1
        for arc in range(indptr[u], indptr[u + 1]):
            v = indices[arc]
            offered = distances[u] + weights[arc]
            allowed = tolerance * (abs(distances[u]) + abs(weights[arc]))
            if distances[v] > offered + allowed:
                return _NOT_RELAXED, u, v, arc
            if not reached[v] and distances[v] >= offered - allowed:
                reached[v] = True
                queue[queued] = v
                queued += 1
    for v in range(n):
        if not reached[v] and not distances[v] >= infinity:  # "not >=" rather than "<": catches NaN
            return _NOT_CONNECTED, -1, v, -1
    return _PROVED, -1, -1, -1


def _describe_failure(
    graph: Graph,
    source: int,
    distances: NDArray[Any],
    right: NDArray[Any] | None,
    failure: tuple[int, int, int, int],
) -> str:
    """A sentence on the first failure."""
    condition, tail, head, arc = failure
    if right is None:
        return f"Source {int(graph.ids[source])} reaches a negative cycle, so no distance is correct."
    claimed = _words(distances[head])
    if condition == _SOURCE_NOT_ZERO:
        return f"Source {int(graph.ids[source])}: {claimed} claimed, but it is at distance 0 from itself."
    name = int(graph.ids[head])
    if condition == _NOT_RELAXED:
        offered = _words(distances[tail] + graph.weights[arc])
        return f"Vertex {name}: {claimed} claimed, but {int(graph.ids[tail])} → {name} gives {offered}."
    if right[head] >= weight_type(right.dtype).infinity:
        return f"Vertex {name}: {claimed} claimed, but source {int(graph.ids[source])} does not reach it."
    return f"Vertex {name}: {claimed} claimed, but the shortest path has length {_words(right[head])}."


def _words(distance: Any) -> str:
    kind = weight_type(np.asarray(distance).dtype)
    if distance >= kind.infinity:
        return "unreachable"
    return f"{int(distance):,}" if kind.is_integer else f"{float(distance):,.9g}"


def _count_wrong(graph: Graph, distances: NDArray[Any], right: NDArray[Any] | None) -> int:
    """Number of distances that differ from the reference; all finite ones if there is no reference.

    At least 1, because it is called only after a proof has failed.
    """
    if right is None:
        return max(1, int(np.isfinite(to_float(distances)).sum()))
    return max(1, int(_differing(graph, distances, right).sum()))


def _differing(graph: Graph, distances: NDArray[Any], right: NDArray[Any]) -> NDArray[np.bool_]:
    """Which distances differ from the reference by more than rounding errors, (n,)."""
    if weight_type(distances.dtype).is_integer and weight_type(right.dtype).is_integer:
        unreachable = distances >= weight_type(distances.dtype).infinity
        return np.where(unreachable, right < weight_type(right.dtype).infinity, distances != right)
    relative, absolute = _float_tolerance(graph, distances.dtype)
    return ~np.isclose(to_float(distances), to_float(right), rtol=relative, atol=absolute)


def _float_tolerance(graph: Graph, dtype: np.dtype[Any]) -> tuple[float, float]:
    """Relative and absolute tolerance of distances; the latter is not 0 only if large sums can cancel."""
    eps = float(np.finfo(dtype).eps) if dtype.kind == "f" else 0.0
    relative = _PER_ROOT_OF_N * (math.sqrt(graph.n) + 1) * eps
    return relative, relative * graph.path_bound if graph.has_negative_weights else 0.0
