"""Generator of synthetic road networks with towns, arterial roads, and a river with few bridges.

Junctions are the points of a jittered and distorted lattice. Every twelfth lattice line is an arterial road, every
fourth of those a motorway: unbroken, straighter and faster. Other streets are removed at random, more of them in the
country than in towns, unless the network would become disconnected. Streets are then subdivided by length into chains
of degree-2 vertices, which gives the 2.4 to 2.8 arcs per vertex of the DIMACS road graphs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.graphs.generators import SEED, Generator, road_kernels, terrain
from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.rows import rows_of_arcs
from solvers.host.observer import Observer
from solvers.parameters import Parameter

_PER_JUNCTION = 1.7  # vertices per junction, including the inner vertices of streets
_LEAST_SIDE_WITH_WATER = 24
_BANDS = 64
_MOST_JUNCTIONS = 2**18  # per band of rows; keeps the slowest pass at some 30 ms per band
_PASSES = 8
_SORTING = 1  # work after the passes, in units of a pass
_BRIDGES = (0.3, 0.52, 0.8)  # v coordinates at which bridges cross the river


def _make(parameters: Mapping[str, Any], observer: Observer) -> Graph:
    n, seed = parameters["vertices"], np.uint64(parameters["seed"])
    phase = terrain.phases(parameters["seed"])
    side = math.isqrt(round(n / _PER_JUNCTION))
    wet = parameters["water"] and side >= _LEAST_SIDE_WITH_WATER
    columns = rows = side
    if wet:
        rows = columns = round(side / math.sqrt(road_kernels.land_fraction(side, phase)))
    lattice = _Lattice(columns, rows, seed, phase, observer)
    lattice.build(wet)
    return lattice.graph(n, f"road-{n}-{parameters['seed']}")


@dataclass(frozen=True, eq=False)
class _Numbered:
    """The assignment of vertex numbers to junctions, streets and bridges.

    Attributes
    ----------
    number : (junctions,) int64
        Vertex number of each junction.
    cuts : (junctions, 2) int32
        Number of inner vertices of each street.
    bridge_cuts : (k + 1,) int64
        First inner vertex of each bridge, and the end of the last.
    """

    number: NDArray[np.int64]
    cuts: NDArray[np.int32]
    bridge_cuts: NDArray[np.int64]


class _Lattice:
    """The junctions, in rows, and the streets to the east and north of each.

    Parameters
    ----------
    columns, rows : int
    seed : uint64
    phase : (8,) float64
        Phases that determine the terrain.
    observer : Observer
    """

    def __init__(self, columns: int, rows: int, seed: np.uint64, phase: NDArray[np.float64], observer: Observer):
        self._columns, self._rows, self._seed, self._phase, self._observer = columns, rows, seed, phase, observer
        size = columns * rows
        self._xy = np.empty((size, 2))
        self._land = np.ones(size, dtype=np.bool_)
        self._streets = np.zeros((size, 2), dtype=np.uint8)
        self._bridges = np.empty((0, 2), dtype=np.int32)
        self._root = np.arange(size, dtype=np.int32)
        self._passes = 0

    def build(self, wet: bool) -> None:
        """Place junctions, and choose streets and bridges such that they form one connected network."""
        least_half_width = 1.4 / self._columns if wet else -1.0
        for first, last in self._bands():
            road_kernels.place_junctions(
                self._columns, self._rows, first, last, self._seed, self._phase, least_half_width, self._xy, self._land
            )
        for first, last in self._bands():
            road_kernels.choose_streets(
                self._columns, self._rows, first, last, self._seed, self._land, self._streets, self._root
            )
        if wet:
            self._bridges = road_kernels.find_bridges(
                self._columns, self._rows, np.array(_BRIDGES), self._phase, self._land, self._root
            )
        for first, last in self._bands():
            road_kernels.restore_streets(self._columns, self._rows, first, last, self._land, self._streets, self._root)
        self._keep_largest_component()

    def _keep_largest_component(self) -> None:
        """Remove all but the largest connected component: islets, and river banks without a bridge."""
        sizes = np.zeros(len(self._root), dtype=np.int32)
        for first, last in self._bands():
            road_kernels.count_components(self._columns, first, last, self._root, self._land, sizes)
        largest = int(np.argmax(sizes))
        for first, last in self._bands():
            road_kernels.remove_other_components(
                self._columns, first, last, largest, self._root, self._land, self._streets
            )

    def graph(self, n: int, name: str) -> Graph:
        """The network as a graph, with streets subdivided such that it has exactly ``n`` vertices."""
        bridges = self._bridges[self._land[self._bridges[:, 0]]] if len(self._bridges) else self._bridges
        inner = n - int(np.count_nonzero(self._land))
        numbered = self._numbered(bridges, inner)
        edges = n - 1 + road_kernels.cycles(self._land, self._streets, bridges)
        xy, tails, heads, weights = self._emitted(bridges, numbered, n, edges)
        rows = rows_of_arcs(n, tails, heads, weights, self._observer.checkpoint)
        ids = np.arange(1, n + 1, dtype=np.int64)
        return Graph(*rows, coordinates=Coordinates(xy), ids=ids, name=name, directed=False)

    def _numbered(self, bridges: NDArray[np.int32], inner: int) -> _Numbered:
        """Distribute ``inner`` vertices over streets and bridges, and number all vertices."""
        total = road_kernels.length_of_bridges(self._xy, bridges)
        for first, last in self._bands():
            total = road_kernels.add_lengths(self._columns, first, last, self._xy, self._streets, total)
        size = self._columns * self._rows
        numbered = _Numbered(
            np.zeros(size, dtype=np.int64),
            np.zeros((size, 2), dtype=np.int32),
            np.zeros(len(bridges) + 1, dtype=np.int64),
        )
        cut_length = road_kernels.cut_bridges(self._xy, bridges, inner, total, numbered.bridge_cuts)
        assigned = next_number = int(numbered.bridge_cuts[-1])
        for first, last in self._bands():
            cut_length, assigned, next_number = road_kernels.number_vertices(
                self._columns, first, last, self._xy, self._land, self._streets, inner, total, cut_length, assigned,
                next_number, numbered.number, numbered.cuts,
            )  # fmt: skip
        return numbered

    def _emitted(
        self, bridges: NDArray[np.int32], numbered: _Numbered, n: int, edges: int
    ) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
        """Coordinates (n, 2), and tails, heads and weights (2 * edges,) of the network."""
        xy = np.empty((n, 2))
        tails, heads, weights = np.empty((3, 2 * edges), dtype=np.int32)
        arcs = road_kernels.emit_bridges(
            self._xy, bridges, numbered.number, numbered.bridge_cuts, xy, tails, heads, weights
        )
        for first, last in self._bands():
            arcs = road_kernels.emit_streets(
                self._columns, first, last, self._seed, self._xy, self._land, self._streets, numbered.number,
                numbered.cuts, xy, tails, heads, weights, arcs,
            )  # fmt: skip
        return xy, tails, heads, weights

    def _bands(self) -> Iterator[tuple[int, int]]:
        """The row ranges ``(first, last)`` of one pass, with a check for cancellation after each."""
        step = max(1, min(self._rows // _BANDS, _MOST_JUNCTIONS // self._columns))
        for first in range(0, self._rows, step):
            last = min(first + step, self._rows)
            yield first, last
            self._observer.checkpoint(self._passes + last / self._rows, _PASSES + _SORTING)
        self._passes += 1


GENERATOR = Generator(
    id="road",
    title="Road network",
    idea="A synthetic road network with junctions, winding streets, faster arterial roads and motorways, and a river "
    "with few bridges. Weights grow with length; every road is two opposite arcs. Sparse and of large diameter, like "
    "the DIMACS road graphs.",
    parameters=(
        Parameter("vertices", 20_000, "Number of vertices.", low=16, high=100_000_000),
        SEED,
        Parameter("water", True, "Sea in the south and a river with few bridges (from about 1\u202f100 vertices)."),
    ),
    make=_make,
)
