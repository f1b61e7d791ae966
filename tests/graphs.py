"""Graphs for tests: small ones made by hand, each with one difficulty, random ones, and
the right answers to all.

The answers come from the plainest method there is, and `tests/test_graphs.py` holds it
against SciPy and NetworkX where these can answer: both drop or add up what a multigraph
with zero weights needs kept.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from solvers.graphs.graph import Graph
from solvers.graphs.weights import FLOAT32, FLOAT64, WeightType
from tests.weight_types import chosen_types

Arc = tuple[int, int, float]

DTYPES = chosen_types()


def from_list(
    n: int, arcs: Sequence[Arc], dtype: Any = np.int32, *, directed: bool = True, name: str = "test"
) -> Graph:
    """A graph from ``(tail, head, weight)`` triples; both arcs of each where it is undirected.

    Its vertices are called 10, 13, 16 ... so that an index shown in place of an id is
    found out.
    """
    if not directed:
        arcs = [*arcs, *((head, tail, weight) for tail, head, weight in arcs)]
    tails, heads, weights = (np.array([arc[i] for arc in arcs]) for i in range(3))
    return _from_columns(n, tails, heads, weights, dtype, directed=directed, name=name)


def _from_columns(
    n: int,
    tails: NDArray[Any],
    heads: NDArray[Any],
    weights: NDArray[Any],
    dtype: Any,
    *,
    directed: bool,
    name: str,
) -> Graph:
    ids = 10 + 3 * np.arange(n, dtype=np.int64)
    return Graph.from_arcs(
        n,
        tails.astype(np.int32),
        heads.astype(np.int32),
        weights.astype(dtype),
        ids=ids,
        directed=directed,
        name=name,
    )


def right_distances(graph: Graph, source: int) -> NDArray[np.float64]:
    """Distances from ``source``, inf where unreachable: relax every arc, n - 1 times,
    in integers where they are.

    Every variant is held against the same few graphs, so answers are kept by what a
    graph holds.
    """
    held = b"".join(array.tobytes() for array in (graph.indptr, graph.indices, graph.weights))
    key = (hashlib.sha256(held).digest(), graph.n, graph.weights.dtype.name, source)
    if key not in _answers:
        _answers[key] = _relaxed(graph, source)
    return _answers[key].copy()


_answers: dict[tuple[Any, ...], NDArray[np.float64]] = {}


def _relaxed(graph: Graph, source: int) -> NDArray[np.float64]:
    whole = graph.weight_type.is_integer
    infinity = np.iinfo(np.int64).max // 2 if whole else np.inf
    distances = np.full(graph.n, infinity, dtype=np.int64 if whole else np.float64)
    distances[source] = 0
    weights = graph.weights.astype(distances.dtype)
    for _ in range(graph.n):
        before = distances.copy()
        open_arcs = before[graph.tails] < infinity
        through = before[graph.tails[open_arcs]] + weights[open_arcs]
        np.minimum.at(distances, graph.indices[open_arcs], through)
        if np.array_equal(distances, before):
            break
    return np.where(distances >= infinity, np.inf, distances.astype(np.float64))


def right_matrix(graph: Graph) -> NDArray[np.float64]:
    """Distances between all pairs, (n, n)."""
    return np.array([right_distances(graph, source) for source in range(graph.n)]).reshape(
        graph.n, graph.n
    )


def as_solved(right: NDArray[np.float64], kind: WeightType) -> NDArray[Any]:
    """Right distances (or a matrix of them) as a solver of type ``kind`` hands them over.

    Sums of float32 weights are float64.
    """
    kind = FLOAT64 if kind is FLOAT32 else kind
    reached = np.isfinite(right)
    answer = np.full(right.shape, kind.infinity, dtype=kind.dtype)
    answer[reached] = right[reached].astype(kind.dtype)
    return answer


# --- by hand
# --------------------------------------------------------------------------------------

_GRID = [(5 * y + x, 5 * y + x + 1, 1 + (x * y) % 4) for y in range(5) for x in range(4)] + [
    (5 * y + x, 5 * y + x + 5, 2 + (x + y) % 3) for y in range(4) for x in range(5)
]

_PAST_INFINITY = [(v, 3, 2**28 + v) for v in (0, 1, 2, 4, 5)] + [
    (u, v, 2**30 - 2) for u, v in ((0, 1), (1, 2), (2, 4), (4, 5))
]

# name: (n, arcs, directed)
_BY_HAND: dict[str, tuple[int, Sequence[Arc], bool]] = {
    "one vertex": (1, [], True),
    "one vertex and a loop": (1, [(0, 0, 3)], True),
    "no arcs": (5, [], True),
    "a path": (7, [(i, i + 1, i + 1) for i in range(6)], True),
    "a path against the numbering": (7, [(0, 6, 1), *((i + 1, i, 2) for i in range(1, 6))], True),
    "two components": (6, [(0, 1, 4), (1, 2, 1), (3, 4, 2), (4, 5, 2)], False),
    "a source that nothing leaves": (4, [(1, 0, 1), (1, 2, 1), (2, 3, 1)], True),
    "the detour is shorter": (4, [(0, 3, 10), (0, 1, 2), (1, 2, 2), (2, 3, 2), (0, 2, 5)], True),
    "parallel arcs": (
        3,
        [(0, 1, 7), (0, 1, 2), (0, 1, 5), (1, 2, 3), (1, 2, 3), (2, 0, 1), (2, 0, 9)],
        True,
    ),
    "self-loops": (4, [(0, 0, 1), (0, 1, 2), (1, 1, 0), (1, 2, 2), (2, 2, 9), (2, 3, 1)], True),
    "zero weights": (5, [(0, 1, 0), (1, 2, 0), (2, 3, 4), (3, 4, 0)], False),
    "a cycle of zeros": (
        6,
        [(0, 1, 5), (1, 2, 0), (2, 3, 0), (3, 1, 0), (3, 4, 1), (5, 4, 0), (4, 5, 0)],
        True,
    ),
    "zeros out of reach": (5, [(0, 1, 1), (2, 3, 0), (3, 2, 0), (3, 4, 1)], True),
    "ties": (
        6,
        [(0, 1, 2), (0, 2, 2), (0, 3, 2), (1, 4, 2), (2, 4, 2), (3, 4, 2), (4, 5, 1), (1, 5, 3)],
        True,
    ),
    "a hub": (
        40,
        [(0, i, 40 - i) for i in range(1, 40)] + [(i, 39, 1) for i in range(1, 39)],
        True,
    ),
    "a grid": (25, _GRID, False),
    "complete": (
        9,
        [(i, j, 1 + (i * 7 + j * 3) % 11) for i in range(9) for j in range(9) if i != j],
        True,
    ),
    # No shortest path passes 2^30 - 1, the infinity of int32, but other ways do: solved
    # in int32 all the same.
    "ways past infinity": (6, _PAST_INFINITY, False),
    # Shortest paths might pass it: it must be solved in int64.
    "heavy": (40, [(i, i + 1, 63_730_080) for i in range(39)] + [(39, 0, 1)], True),
}

_NEGATIVE: dict[str, tuple[int, Sequence[Arc], bool]] = {
    "a negative arc": (4, [(0, 1, 4), (0, 2, 5), (2, 1, -3), (1, 3, 2)], True),
    "negative into the unreachable": (5, [(0, 1, 1), (2, 1, -9), (2, 3, -4), (3, 4, -4)], True),
    "below zero": (5, [(0, 1, -5), (1, 2, -5), (2, 3, 1), (0, 4, 3), (3, 4, 2)], True),
    "a cycle that weighs nothing": (
        5,
        [(0, 1, 3), (1, 2, -2), (2, 3, 5), (3, 1, -3), (3, 4, -1)],
        True,
    ),
}

# name: (n, arcs, whether vertex 0 reaches the negative cycle)
_NEGATIVE_CYCLES: dict[str, tuple[int, Sequence[Arc], bool]] = {
    "of three": (5, [(0, 1, 1), (1, 2, 2), (2, 3, -4), (3, 1, 1), (3, 4, 1)], True),
    "of two, far away": (9, [(i, i + 1, 2) for i in range(8)] + [(8, 7, -3)], True),
    "a loop": (3, [(0, 1, 1), (1, 1, -2), (1, 2, 1)], True),
    "out of reach": (5, [(0, 1, 1), (2, 3, -1), (3, 2, 0), (3, 4, 1)], False),
}

_NEED_INT64 = ("ways past infinity", "heavy")
BY_HAND = tuple(name for name in _BY_HAND if "int64" in DTYPES or name not in _NEED_INT64)
NEGATIVE = tuple(_NEGATIVE)
NEGATIVE_CYCLES = tuple(_NEGATIVE_CYCLES)


def by_hand(name: str, dtype: Any = np.int32) -> Graph:
    """The graph of that name among `BY_HAND` and `NEGATIVE`, in the weight type ``dtype``.

    In floating point every weight is a tenth, so that sums are rounded; but a quarter
    where weights cancel to nothing, which tenths do not.
    """
    n, arcs, directed = (_BY_HAND | _NEGATIVE)[name]
    tenths = name != "a cycle that weighs nothing"
    return from_list(
        n, _scaled(arcs, dtype, 0.1 if tenths else 0.25), dtype, directed=directed, name=name
    )


def with_negative_cycle(name: str, dtype: Any = np.int32) -> tuple[Graph, bool]:
    """The graph of that name among `NEGATIVE_CYCLES`, and whether vertex 0 reaches its cycle."""
    n, arcs, in_reach = _NEGATIVE_CYCLES[name]
    return from_list(n, _scaled(arcs, dtype), dtype, name=name), in_reach


def _scaled(arcs: Sequence[Arc], dtype: Any, fraction: float = 0.1) -> list[Arc]:
    scale = _scale(dtype, fraction)
    return [(tail, head, weight * scale) for tail, head, weight in arcs]


def _scale(dtype: Any, fraction: float = 0.1) -> float:
    return fraction if np.dtype(dtype).kind == "f" else 1


# --- at random
# --------------------------------------------------------------------------------------


def at_random(
    n: int, m: int, seed: int, dtype: Any = np.int32, *, directed: bool = True, low: int = 0
) -> Graph:
    """``m`` arcs (or edges) between any vertices, loops and parallels included, weights
    from ``low`` to 99.
    """
    generator = np.random.default_rng(seed)
    tails, heads = generator.integers(0, n, (2, m))
    weights = generator.integers(low, 100, m) * _scale(dtype)
    if not directed:
        tails, heads = np.concatenate((tails, heads)), np.concatenate((heads, tails))
        weights = np.concatenate((weights, weights))
    name = f"random {n}/{m}"
    return _from_columns(n, tails, heads, weights, dtype, directed=directed, name=name)


def hill(n: int, m: int, seed: int, dtype: Any = np.int32) -> Graph:
    """Negative weights but no negative cycle: each arc also pays the climb between the
    heights of its ends.
    """
    generator = np.random.default_rng(seed)
    tails, heads = generator.integers(0, n, (2, m))
    height = generator.integers(0, 60, n)
    weights = generator.integers(0, 40, m) + height[heads] - height[tails]
    weights = weights * _scale(dtype)
    return _from_columns(n, tails, heads, weights, dtype, directed=True, name=f"hill {n}/{m}")


@st.composite
def graphs(
    draw: Callable[..., Any], *, negative: bool = False, dtypes: Sequence[str] = DTYPES
) -> Graph:
    """Any small multigraph without a negative cycle; hypothesis shrinks it arc by arc."""
    n = draw(st.integers(1, 12))
    vertex = st.integers(0, n - 1)
    arcs = draw(st.lists(st.tuples(vertex, vertex, st.integers(0, 20)), max_size=40))
    if negative:
        height = draw(st.lists(st.integers(0, 30), min_size=n, max_size=n))
        arcs = [(u, v, w + height[v] - height[u]) for u, v, w in arcs]
    dtype = draw(st.sampled_from(list(dtypes)))
    directed = negative or draw(st.booleans())
    return from_list(n, arcs, dtype, directed=directed, name="drawn")
