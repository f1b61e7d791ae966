"""Forty graphs of eight kinds, 300 to a million vertices, and others by which estimates were
judged since, to judge estimates on kinds that they were not fitted to; and graphs of other
kinds, other seeds and other sizes, to which nothing is fitted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy.spatial import KDTree

from solvers.graphs.generators import find
from solvers.graphs.graph import Coordinates, Graph
from solvers.system.array_types import AnyArray
from tests.benchmarks.graphs import good_source, graph_of

_SEED, _OTHER_SEED, _THIRD_SEED = 64, 2_911, 3_011
_SPREAD = 1e6  # greatest wide weight, the least being 1; their logarithms are even
_EXPONENT = 0.6  # of the expected degree, by rank, in scale-free graphs

# Kinds that are searched from the last vertex: it lies in the pocket of a graph that has one.
_FROM_THE_LAST = ("small reach", "from a corner")
GIVEN = "given"  # kind of graphs that somebody named

Made = tuple[Graph, int]


@dataclass(frozen=True)
class KindGraph:
    """A graph of one kind, and how it is made, with its source."""

    kind: str
    name: str
    make: Callable[[], Made]


def all_kinds() -> tuple[KindGraph, ...]:
    """All forty, small ones first, so that a run that ends early has some of every kind."""
    ranked = [
        (place / (len(kind) - 1), graph) for kind in _by_kind() for place, graph in enumerate(kind)
    ]
    return tuple(graph for _, graph in sorted(ranked, key=lambda pair: pair[0]))


def fresh_graphs() -> tuple[KindGraph, ...]:
    """Graphs to which nothing is fitted: kinds of `all_kinds` with another seed, shape, size
    or source, and ten other kinds.
    """
    again: dict[str, tuple[str, dict[str, Any]]] = {
        "road 20000": ("road", {"vertices": 20_000}),
        "road 600000": ("road", {"vertices": 600_000}),
        "grid 260x260": ("grid", {"rows": 260, "columns": 260, "high": 20}),
        "grid 120x900": ("grid", {"rows": 120, "columns": 900}),
        "random 3000 40": ("random", {"vertices": 3_000, "degree": 40}),
        "random 15000 4": ("random", {"vertices": 15_000, "degree": 4}),
        "random 250000 14": ("random", {"vertices": 250_000, "degree": 14}),
        "rmat 11": ("rmat", {"scale": 11}),
        "rmat 16": ("rmat", {"scale": 16}),
    }
    found = [
        KindGraph("a third seed", name, partial(_seeded, *given, _THIRD_SEED))
        for name, given in again.items()
    ]
    return (*found, *_in_families(_FRESH_SIZES))


def seen_graphs() -> tuple[KindGraph, ...]:
    """Graphs by which earlier estimates were judged, and to which is fitted since: fourteen
    other kinds than those of `all_kinds`, and four of these with other seeds and sizes.
    """
    again: dict[str, tuple[int, str, dict[str, Any]]] = {
        "road 12000": (_SEED, "road", {"vertices": 12_000}),
        "road 60000": (_OTHER_SEED, "road", {"vertices": 60_000}),
        "road 400000": (_SEED, "road", {"vertices": 400_000}),
        "grid 1500x80": (_OTHER_SEED, "grid", {"rows": 1_500, "columns": 80}),
        "grid 2000x60": (_SEED, "grid", {"rows": 2_000, "columns": 60}),
        "grid 70x2500": (_OTHER_SEED, "grid", {"rows": 70, "columns": 2_500, "high": 9}),
        "grid 450x450": (_SEED, "grid", {"rows": 450, "columns": 450, "high": 5}),
        "random 60000 12": (_SEED, "random", {"vertices": 60_000, "degree": 12}),
        "random 90000 20": (_OTHER_SEED, "random", {"vertices": 90_000, "degree": 20}),
        "random 400000 5": (_SEED, "random", {"vertices": 400_000, "degree": 5}),
        "rmat 13": (_SEED, "rmat", {"scale": 13}),
        "rmat 15": (_OTHER_SEED, "rmat", {"scale": 15}),
        "rmat 17": (_SEED, "rmat", {"scale": 17}),
    }
    found = [
        KindGraph(family, name, partial(_seeded, family, given, seed))
        for name, (seed, family, given) in again.items()
    ]
    found.extend(replace(given_graph(spec), kind=spec.partition(":")[0]) for spec in _SEEN_SPECS)
    return (*found, *_in_families(_SEEN_SIZES))


def _in_families(sizes: Sizes) -> Iterator[KindGraph]:
    for family, each in sizes.items():
        name = family.__name__.replace("_", " ")
        yield from (_made(name, family, *size) for size in each)


def given_graph(spec: str) -> KindGraph:
    """A graph that somebody named, as `graph_of` reads it."""
    return KindGraph(GIVEN, spec, partial(_of_spec, spec))


def _by_kind() -> Iterator[list[KindGraph]]:
    specs = {
        "road": ("road:300", "road:3000", "road:26000", "road:150000", "road:1000000"),
        "grid": ("grid:18x18", "grid:60x60", "grid:200x150", "grid:300x700", "grid:1000x1000"),
        "random": (
            *("random:500:8", "random:2000:128", "random:10000:8", "random:10000:32"),
            *("random:40000:3", "random:30000:128", "random:200000:8", "random:1000000:3"),
        ),
        "rmat": ("rmat:9", "rmat:12", "rmat:14:8", "rmat:16", "rmat:19:8"),
    }
    for kind, listed in specs.items():
        yield [KindGraph(kind, spec, partial(_of_spec, spec)) for spec in listed]
    yield [_made("small world", small_world, n) for n in (400, 6_000, 60_000, 400_000)]
    yield [_made("scale-free", scale_free, n) for n in (300, 4_000, 50_000, 500_000)]
    wide = ("grid:20x20", "random:5000:8", "road:40000", "rmat:15", "random:300000:6")
    yield [KindGraph("wide weights", f"wide {one}", partial(_widened, one)) for one in wide]
    reach = ((5_000, 50), (40_000, 400), (200_000, 1_500), (1_000_000, 8_000))
    yield [_made("small reach", small_reach, n, pocket) for n, pocket in reach]


def small_world(n: int) -> Graph:
    """A ring whose vertices are joined to the three next ones, 5 % of the edges moved
    (Watts and Strogatz 1998).
    """
    draw = np.random.default_rng(_SEED)
    tails = np.repeat(np.arange(n), 3)
    heads = (tails + np.tile([1, 2, 3], n)) % n
    moved = draw.random(len(tails)) < 0.05
    heads[moved] = draw.integers(0, n, np.count_nonzero(moved))
    return _undirected(n, tails, heads, f"small-world-{n}")


def scale_free(n: int) -> Graph:
    """Edges between vertices drawn by expected degrees that follow a power law (Chung and
    Lu 2002), five a vertex.
    """
    draw = np.random.default_rng(_SEED)
    share = np.cumsum((np.arange(n) + 1.0) ** -_EXPONENT)
    ends = np.searchsorted(share, draw.random((2, 5 * n)) * share[-1])
    tails, heads = draw.permutation(n)[ends]
    return _undirected(n, tails, heads, f"scale-free-{n}")


def small_reach(n: int, pocket: int) -> Graph:
    """A random graph whose last vertices lead nowhere but to one another."""
    draw = np.random.default_rng(_SEED)
    tails = np.repeat(np.arange(n), 4)
    heads = draw.integers(0, n, 4 * n)
    inside = tails >= n - pocket
    heads[inside] = draw.integers(n - pocket, n, np.count_nonzero(inside))
    weights = draw.integers(1, 100, len(tails)).astype(np.int32)
    return Graph.from_arcs(n, tails, heads, weights, name=f"small-reach-{n}-{pocket}")


def triangulated(side: int) -> Graph:
    """A grid with one diagonal a cell, of lengths of roads on hills."""
    at = np.arange(side * side).reshape(side, side)
    tails = np.concatenate([at[:, :-1].ravel(), at[:-1].ravel(), at[:-1, :-1].ravel()])
    heads = np.concatenate([at[:, 1:].ravel(), at[1:].ravel(), at[1:, 1:].ravel()])
    return _undirected(side * side, tails, heads, f"triangulated-{side}")


def cube(side: int) -> Graph:
    """A grid of three dimensions."""
    at = np.arange(side**3).reshape(side, side, side)
    tails = np.concatenate([at[:-1].ravel(), at[:, :-1].ravel(), at[:, :, :-1].ravel()])
    heads = np.concatenate([at[1:].ravel(), at[:, 1:].ravel(), at[:, :, 1:].ravel()])
    return _undirected(side**3, tails, heads, f"cube-{side}")


def hypercube(dimensions: int) -> Graph:
    """Vertices whose numbers differ in one bit are joined."""
    n = 1 << dimensions
    tails = np.tile(np.arange(n), dimensions)
    heads = tails ^ np.repeat(1 << np.arange(dimensions), n)
    keep = tails < heads
    return _undirected(n, tails[keep], heads[keep], f"hypercube-{dimensions}")


def tree(n: int) -> Graph:
    """Each vertex is joined to an earlier one."""
    heads = np.arange(1, n)
    tails = (np.random.default_rng(_SEED).random(n - 1) * heads).astype(np.int64)
    return _undirected(n, tails, heads, f"tree-{n}")


def ring(n: int) -> Graph:
    """A ring whose vertices have numbers at random, with a hundred shortcuts."""
    draw = np.random.default_rng(_SEED)
    place = draw.permutation(n)
    tails = np.concatenate([place, draw.integers(0, n, 100)])
    heads = np.concatenate([np.roll(place, 1), draw.integers(0, n, 100)])
    return _undirected(n, tails, heads, f"ring-{n}")


def communities(n: int) -> Graph:
    """Groups of fifty, ten edges a vertex within and one in ten to another group."""
    draw = np.random.default_rng(_SEED)
    tails = np.repeat(np.arange(n), 10)
    heads = tails - tails % 50 + draw.integers(0, 50, len(tails))
    out = draw.random(len(tails)) < 0.01
    heads[out] = draw.integers(0, n, np.count_nonzero(out))
    return _undirected(n, tails, np.minimum(heads, n - 1), f"communities-{n}")


def preferential(n: int) -> Graph:
    """Each vertex is joined to four ends of earlier edges (Barabási and Albert 1999)."""
    draw = np.random.default_rng(_SEED)
    tails = np.repeat(np.arange(1, n), 4)
    heads = np.empty(len(tails), np.int64)
    picks = (draw.random(len(tails)) * 2 * np.maximum(1, 4 * (tails - 1))).astype(np.int64)
    for first in range(0, len(tails), 4):  # an end of an earlier edge, of which heads are known
        for edge in range(first, first + 4):
            of = picks[edge] // 2
            heads[edge] = 0 if not first else (heads if picks[edge] % 2 else tails)[of]
    return _undirected(n, tails, heads, f"preferential-{n}")


def strip(length: int, width: int) -> Graph:
    """A long grid with both diagonals of each cell, numbered along its length."""
    at = np.arange(length * width).reshape(width, length)
    pairs = [
        (at[:, :-1], at[:, 1:]),
        (at[:-1], at[1:]),
        (at[:-1, :-1], at[1:, 1:]),
        (at[:-1, 1:], at[1:, :-1]),
    ]
    tails, heads = (np.concatenate([pair[end].ravel() for pair in pairs]) for end in (0, 1))
    return _undirected(length * width, tails, heads, f"strip-{length}-{width}")


def beam(length: int, side: int) -> Graph:
    """A long grid of three dimensions."""
    at = np.arange(length * side * side).reshape(side, length, side)
    tails = np.concatenate([at[:-1].ravel(), at[:, :-1].ravel(), at[:, :, :-1].ravel()])
    heads = np.concatenate([at[1:].ravel(), at[:, 1:].ravel(), at[:, :, 1:].ravel()])
    return _undirected(at.size, tails, heads, f"beam-{length}-{side}")


def near_points(n: int, times_as_long: int) -> Graph:
    """Points at random in a rectangle, joined within a distance, seven a vertex in the mean;
    with coordinates, numbered at random.
    """
    draw = np.random.default_rng(_OTHER_SEED)
    xy = draw.random((n, 2)) * (times_as_long, 1)
    pairs = KDTree(xy).query_pairs(
        math.sqrt(7 * times_as_long / (math.pi * n)), output_type="ndarray"
    )
    graph = _undirected(n, pairs[:, 0], pairs[:, 1], f"near-points-{n}-{times_as_long}")
    return replace(graph, coordinates=Coordinates(xy))


def caterpillar(n: int) -> Graph:
    """A path of a third of the vertices, numbered along it, each with two leaves."""
    path = np.arange(0, n - 2, 3)
    tails = np.concatenate([path[:-1], path, path])
    heads = np.concatenate([path[1:], path + 1, path + 2])
    return _undirected(n - n % 3, tails, heads, f"caterpillar-{n}")


def acyclic(n: int) -> Graph:
    """Arcs to six vertices whose numbers are greater by at most a hundredth of all."""
    draw = np.random.default_rng(_OTHER_SEED)
    tails = np.repeat(np.arange(n - 1), 6)
    heads = np.minimum(n - 1, tails + draw.integers(1, n // 100, len(tails)))
    weights = draw.integers(1, 1_000, len(tails)).astype(np.int32)
    return Graph.from_arcs(n, tails, heads, weights, name=f"acyclic-{n}")


def heavy_weights(scale: int) -> Graph:
    """An R-MAT graph whose weights follow a power law, the mean being twice the median."""
    graph = find("rmat").generate({"scale": scale, "seed": _OTHER_SEED})
    draw = np.random.default_rng(_OTHER_SEED)
    weights = (100 * (1 + draw.pareto(1.5, graph.m))).clip(1, 1e6).astype(np.int32)
    return replace(graph, weights=weights, name=f"heavy-weights-{scale}")


def dense_blocks(n: int) -> Graph:
    """Groups of two hundred, forty edges a vertex within and one to any."""
    draw = np.random.default_rng(_OTHER_SEED)
    tails = np.repeat(np.arange(n), 20)
    heads = tails - tails % 200 + draw.integers(0, 200, len(tails))
    away = draw.integers(0, n, n)
    heads = np.concatenate([np.minimum(heads, n - 1), away])
    return _undirected(n, np.concatenate([tails, np.arange(n)]), heads, f"dense-blocks-{n}")


def honeycomb(rows: int, columns: int) -> Graph:
    """A grid without every other upright edge, so that vertices have three arcs."""
    at = np.arange(rows * columns).reshape(rows, columns)
    row, column = np.indices((rows - 1, columns))
    upright = (row + column) % 2 == 0
    tails = np.concatenate([at[:, :-1].ravel(), at[:-1][upright]])
    heads = np.concatenate([at[:, 1:].ravel(), at[1:][upright]])
    return _undirected(at.size, tails, heads, f"honeycomb-{rows}x{columns}")


def shuffled_grid(side: int) -> Graph:
    """A square grid whose vertices have numbers at random."""
    at = np.random.default_rng(_THIRD_SEED).permutation(side * side).reshape(side, side)
    return _grid(at, f"shuffled-grid-{side}")


def one_way_scale_free(n: int) -> Graph:
    """Arcs one way to vertices drawn by expected degrees that follow a power law, eight a
    vertex.
    """
    draw = np.random.default_rng(_THIRD_SEED)
    share = np.cumsum((np.arange(n) + 1.0) ** -_EXPONENT)
    tails = np.repeat(np.arange(n), 8)
    heads = draw.permutation(n)[np.searchsorted(share, draw.random(len(tails)) * share[-1])]
    weights = draw.integers(1, 100, len(tails)).astype(np.int32)
    return Graph.from_arcs(n, tails, heads, weights, name=f"one-way-scale-free-{n}")


def unit_weights(n: int, degree: int) -> Graph:
    """A random graph each of whose weights is 1."""
    graph = find("random").generate({"vertices": n, "degree": degree, "seed": _THIRD_SEED})
    return replace(graph, weights=np.ones(graph.m, np.int32), name=f"unit-weights-{n}-{degree}")


def real_weights(n: int, degree: int) -> Graph:
    """A random graph with weights of an exponential distribution, as floating-point numbers."""
    graph = find("random").generate({"vertices": n, "degree": degree, "seed": _THIRD_SEED})
    weights = np.random.default_rng(_THIRD_SEED).exponential(size=graph.m)
    return replace(graph, weights=weights, name=f"real-weights-{n}-{degree}")


def two_sides(n: int, degree: int) -> Graph:
    """Half of the vertices have edges to vertices of the other half."""
    draw = np.random.default_rng(_THIRD_SEED)
    tails = np.repeat(np.arange(n // 2), degree)
    return _undirected(n, tails, draw.integers(n // 2, n, len(tails)), f"two-sides-{n}-{degree}")


def spider(legs: int, length: int) -> Graph:
    """Paths that begin at one vertex, numbered path by path."""
    tails = np.arange(legs * length)
    return _undirected(
        1 + len(tails),
        np.where(tails % length, tails, 0),
        1 + tails,
        f"spider-{legs}-{length}",
    )


def whiskers(scale: int, length: int) -> Graph:
    """An R-MAT graph with a path at every hundredth vertex."""
    inner = find("rmat").generate({"scale": scale, "seed": _THIRD_SEED})
    roots = np.arange(0, inner.n, 100)
    added = inner.n + np.arange(len(roots) * length).reshape(len(roots), length)
    before = np.column_stack((roots, added[:, :-1]))
    tails = np.concatenate((inner.tails, before.ravel()))
    heads = np.concatenate((inner.indices, added.ravel()))
    n = inner.n + added.size
    return _undirected(n, tails, heads, f"whiskers-{scale}-{length}")


def crowded_points(n: int) -> Graph:
    """Points at random in a square, joined within a distance, thirty a vertex in the mean;
    without coordinates, numbered from left to right.
    """
    draw = np.random.default_rng(_THIRD_SEED)
    xy = draw.random((n, 2))
    xy = xy[np.argsort(xy[:, 0])]
    pairs = KDTree(xy).query_pairs(math.sqrt(30 / (math.pi * n)), output_type="ndarray")
    return _undirected(n, pairs[:, 0], pairs[:, 1], f"crowded-points-{n}")


def from_a_corner(rows: int, columns: int) -> Graph:
    """A grid that is searched from its last vertex."""
    at = np.arange(rows * columns).reshape(rows, columns)
    return _grid(at, f"from-a-corner-{rows}x{columns}")


_SEEN_SPECS = (
    *("road:9000", "road:45000", "road:90000:lattice", "road:250000"),
    *("grid:25x25", "grid:130x110", "grid:40x4000", "grid:550x380"),
    *("random:700:20", "random:6000:16", "random:20000:6", "random:120000:16"),
    *("random:500000:5", "rmat:10", "rmat:13:24", "rmat:15:8", "rmat:18"),
)
Sizes = dict[Callable[..., Graph], tuple[tuple[int, ...], ...]]
_SEEN_SIZES: Sizes = {
    triangulated: ((70,), (500,)),
    cube: ((20,), (70,)),
    hypercube: ((12,), (17,)),
    tree: ((8_000,), (300_000,)),
    ring: ((20_000,), (200_000,)),
    communities: ((20_000,), (200_000,)),
    preferential: ((10_000,), (100_000,)),
    strip: ((2_000, 30), (3_000, 70)),
    beam: ((400, 10), (1_500, 12)),
    near_points: ((8_000, 1), (120_000, 25)),
    caterpillar: ((9_000,), (150_000,)),
    acyclic: ((10_000,), (200_000,)),
    heavy_weights: ((13,), (16,)),
    dense_blocks: ((8_000,), (60_000,)),
}
_FRESH_SIZES: Sizes = {
    honeycomb: ((100, 120), (300, 1_000)),
    shuffled_grid: ((90,), (400,)),
    one_way_scale_free: ((6_000,), (150_000,)),
    unit_weights: ((12_000, 6), (150_000, 10)),
    real_weights: ((7_000, 10), (100_000, 6)),
    two_sides: ((9_000, 8), (300_000, 6)),
    spider: ((60, 150), (3_000, 50)),
    whiskers: ((12, 100), (16, 30)),
    crowded_points: ((6_000,), (80_000,)),
    from_a_corner: ((150, 150), (500, 600)),
}


def _grid(at: AnyArray, name: str) -> Graph:
    """A grid by the numbers of its vertices, (rows, columns)."""
    tails = np.concatenate([at[:, :-1].ravel(), at[:-1].ravel()])
    heads = np.concatenate([at[:, 1:].ravel(), at[1:].ravel()])
    return _undirected(at.size, tails, heads, name)


def _undirected(n: int, tails: AnyArray, heads: AnyArray, name: str) -> Graph:
    weights = np.random.default_rng(_SEED).integers(1, 100, len(tails)).astype(np.int32)
    return Graph.from_arcs(
        n,
        np.concatenate((tails, heads)),
        np.concatenate((heads, tails)),
        np.concatenate((weights, weights)),
        name=name,
        directed=False,
        assume_symmetric=True,
    )


def _made(kind: str, family: Callable[..., Graph], *size: int) -> KindGraph:
    def make() -> Made:
        graph = family(*size)
        return graph, graph.n - 1 if kind in _FROM_THE_LAST else good_source(graph)

    name = f"{kind} {':'.join(map(str, size))}"
    return KindGraph(kind, name, make)


def _seeded(family: str, given: dict[str, Any], seed: int = _SEED) -> Made:
    graph = find(family).generate(given | {"seed": seed})
    return graph, good_source(graph)


def _of_spec(spec: str) -> Made:
    graph = graph_of(spec)
    return graph, good_source(graph)


def _widened(spec: str) -> Made:
    """A graph with weights from 1 to a million, equal for both directions of an edge."""
    graph, source = _of_spec(spec)
    ends = graph.tails.astype(np.uint64), graph.indices.astype(np.uint64)
    least, most = np.minimum(*ends), np.maximum(*ends)
    mixed = (least * np.uint64(0x9E3779B97F4A7C15)) ^ (most * np.uint64(0xBF58476D1CE4E5B9))
    mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0x94D049BB133111EB)
    weights = _SPREAD ** ((mixed >> np.uint64(11)) * 2.0**-53)
    name = f"{graph.name}-wide"
    return replace(graph, weights=weights.astype(np.int32), name=name), source
