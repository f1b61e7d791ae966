"""Generator of synthetic road networks with towns, arterial roads, and a river with few bridges.

The pattern "towns" has the small separators and the mix of degrees of real roads; the
older pattern "lattice" has separators like those of a grid, and two to three times as
many arcs in a hierarchy. A pattern says where the junctions lie and which streets
exist; everything else is in `RoadNetwork`.

Streets are restored where the network would otherwise be disconnected, and subdivided
by length into chains of degree-2 vertices, such that the network has as many vertices
as wanted.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from solvers.graphs.csr import rows_of_arcs
from solvers.graphs.generators import SEED, Generator, road_kernels, road_towns, terrain
from solvers.graphs.generators.road_kernels import (
    ARTERIAL,
    MOTORWAY,
    STREAMS,
    STREET,
    Emitted,
    Lattice,
    Numbering,
)
from solvers.graphs.generators.terrain import EAST, NORTH, bend, density, is_water, join, neighbour
from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.random_numbers import unit
from solvers.parameters import Parameter
from solvers.system.array_types import Float64s, Int32s
from solvers.system.cancel import Progress
from solvers.system.jit import njit

_PER_JUNCTION = 1.7  # vertices per junction, including the inner vertices of streets
_ARTERIAL_EVERY, _ARTERIAL_FIRST = 12, 5
_MOTORWAY_EVERY = 48
_SPACING = 100.0  # between junctions, in the map's unit
_JITTER, _ARTERIAL_JITTER = 0.30, 0.10
_KEPT_IN_COUNTRY, _KEPT_IN_TOWN = 0.50, 0.95

_BANDS = 64
_MOST_JUNCTIONS = 2**18  # per band of rows; keeps the slowest pass at some 30 ms per band
_SORTING = 1  # work after the passes, in units of a pass
_BRIDGES = (0.3, 0.52, 0.8)  # v coordinates at which bridges cross the river

_LEAST_SIDE_WITH_WATER = 24
_TOWNS, _LATTICE = "towns", "lattice"


@njit
def place_on_lattice(lattice: Lattice, first: int, last: int, least_half_width: float) -> None:
    """Jitter, distort and scale the junctions of some rows.

    ``least_half_width`` is the river's least half width; below 0 there is no water.
    """
    side, seed, phase, xy, land = lattice[:5]
    for row in range(first, last):
        for column in range(side):
            j = row * side + column
            across = _ARTERIAL_JITTER if _line_class(column) > STREET else _JITTER
            along = _ARTERIAL_JITTER if _line_class(row) > STREET else _JITTER
            u = (column + 0.5 + across * (2 * unit(seed, 2 * j) - 1)) / side
            v = (row + 0.5 + along * (2 * unit(seed, 2 * j + 1) - 1)) / side
            if least_half_width > 0:
                land[j] = not is_water(
                    (column + 0.5) / side, (row + 0.5) / side, least_half_width, phase
                )
            x, y = bend(u, v, phase)
            xy[j, 0] = round(x * side * _SPACING)
            xy[j, 1] = round(y * side * _SPACING)


@njit
def choose_lattice_streets(lattice: Lattice, first: int, last: int) -> None:
    """Keep all arterial roads, and a random selection of the other streets that is
    denser in towns.
    """
    side, seed, land = lattice.side, lattice.seed, lattice.land
    for row in range(first, last):
        for column in range(side):
            j = row * side + column
            kept = _KEPT_IN_COUNTRY + (_KEPT_IN_TOWN - _KEPT_IN_COUNTRY) * density(
                seed + np.uint64(1), column, row
            )
            for direction in (EAST, NORTH):
                k = neighbour(side, j, direction)
                if k < 0 or not land[j] or not land[k]:
                    continue
                kind = _line_class(row if direction == EAST else column)
                if kind > STREET or unit(seed, STREAMS + 2 * j + direction) < kept:
                    lattice.streets[j, direction] = kind
                    join(lattice.root, j, k)


@njit
def _line_class(line: int) -> int:
    """Class of the road along a lattice line."""
    if line % _ARTERIAL_EVERY != _ARTERIAL_FIRST:
        return STREET
    return MOTORWAY if line % _MOTORWAY_EVERY == _ARTERIAL_FIRST + _ARTERIAL_EVERY else ARTERIAL


class RoadNetwork(ABC):
    """The junctions of a square lattice, in rows, and the streets to the east and north of each.

    Subclasses place the junctions and choose the streets.
    """

    # every how many rows one is an arterial road, and which is the first
    arterials: tuple[int, int]
    passes = 8

    def __init__(self, side: int, seed: np.uint64, phase: Float64s, progress: Progress):
        size = side * side
        self._lattice = Lattice(
            side,
            seed,
            phase,
            xy=np.empty((size, 2), dtype=np.int32),
            land=np.ones(size, dtype=np.bool_),
            streets=np.zeros((size, 2), dtype=np.uint8),
            root=np.arange(size, dtype=np.int32),
        )
        self._bridges = np.empty((0, 2), dtype=np.int32)
        self._progress = progress
        self._passes = 0

    @abstractmethod
    def _place(self, least_half_width: float) -> None:
        """Set the positions of all junctions, and which are on land; see
        `place_junctions` of a pattern.
        """

    @abstractmethod
    def _choose(self) -> None:
        """Set the classes of all streets, and join the sets of the junctions that they connect."""

    def build(self, wet: bool) -> None:
        """Place junctions, and choose streets and bridges such that they form one
        connected network.
        """
        self._place(1.4 / self._lattice.side if wet else -1.0)
        self._choose()
        if wet:
            self._bridges = road_kernels.find_bridges(
                self._lattice, np.array(_BRIDGES), *self.arterials
            )
        for first, last in self._bands():
            road_kernels.restore_streets(self._lattice, first, last)
        self._keep_largest_component()

    def _keep_largest_component(self) -> None:
        """Remove all but the largest connected component: islets, and river banks
        without a bridge.
        """
        sizes = np.zeros(len(self._lattice.root), dtype=np.int32)
        for first, last in self._bands():
            road_kernels.count_components(self._lattice, first, last, sizes)
        largest = int(np.argmax(sizes))
        for first, last in self._bands():
            road_kernels.remove_other_components(self._lattice, first, last, largest)

    def graph(self, n: int, name: str) -> Graph:
        """The network as a graph, with streets subdivided such that it has exactly
        ``n`` vertices.
        """
        land = self._lattice.land
        bridges = self._bridges[land[self._bridges[:, 0]]]
        numbering = self._numbered(bridges, n - int(np.count_nonzero(land)))
        edges = n - 1 + road_kernels.cycles(self._lattice, bridges)
        xy, tails, heads, weights = self._emitted(bridges, numbering, n, edges)
        rows = rows_of_arcs(n, tails, heads, weights, self._progress.checkpoint)
        ids = np.arange(1, n + 1, dtype=np.int64)
        return Graph(
            *rows,
            coordinates=Coordinates(xy),
            ids=ids,
            name=name,
            directed=False,
            assume_symmetric=True,
        )

    def _numbered(self, bridges: Int32s, inner: int) -> Numbering:
        """Distribute ``inner`` vertices over dead ends, streets and bridges, and number
        all vertices.
        """
        lattice = self._lattice
        dead_ends = min(inner, road_kernels.count_dead_ends(lattice.streets))
        inner -= dead_ends
        total = road_kernels.length_of_bridges(lattice.xy, bridges)
        for first, last in self._bands():
            total = road_kernels.add_lengths(lattice, first, last, total)
        numbering = Numbering(
            np.zeros(len(lattice.land), dtype=np.int32),
            np.zeros(lattice.streets.shape, dtype=np.int16),
            np.zeros(len(bridges) + 1, dtype=np.int64),
        )
        cut_length = road_kernels.cut_bridges(
            lattice.xy, bridges, inner, total, numbering.bridge_cuts
        )
        assigned = next_number = int(numbering.bridge_cuts[-1])
        for first, last in self._bands():
            cut_length, assigned, next_number, dead_ends = road_kernels.number_vertices(
                lattice,
                first,
                last,
                inner,
                total,
                cut_length,
                assigned,
                next_number,
                dead_ends,
                numbering,
            )
        return numbering

    def _emitted(self, bridges: Int32s, numbering: Numbering, n: int, edges: int) -> Emitted:
        emitted = Emitted(np.empty((n, 2)), *np.empty((3, 2 * edges), dtype=np.int32))
        arcs = road_kernels.emit_bridges(self._lattice, bridges, numbering, emitted)
        for first, last in self._bands():
            arcs = road_kernels.emit_streets(self._lattice, first, last, numbering, emitted, arcs)
        return emitted

    def _bands(self, rows: int = 0) -> Iterator[tuple[int, int]]:
        """Ranges ``(first, last)`` of the lattice's or other rows, in one pass; checks
        for cancellation after each.
        """
        rows = rows or self._lattice.side
        step = max(1, min(rows // _BANDS, _MOST_JUNCTIONS // self._lattice.side))
        for first in range(0, rows, step):
            last = min(first + step, rows)
            yield first, last
            self._progress.checkpoint(self._passes + last / rows, self.passes + _SORTING)
        self._passes += 1


class _TownRoads(RoadNetwork):
    arterials = road_towns.ARTERIAL_EVERY, road_towns.ARTERIAL_FIRST
    passes = RoadNetwork.passes + 1

    def _place(self, least_half_width: float) -> None:
        self._map = road_towns.empty_map(self._lattice.side)
        for first, last in self._bands(len(self._map)):
            road_towns.fill_map(self._lattice, first, last, self._map)
        for first, last in self._bands():
            road_towns.place_junctions(self._lattice, first, last, least_half_width, self._map)

    def _choose(self) -> None:
        shares = road_towns.crossing_shares()
        for first, last in self._bands():
            road_towns.choose_streets(self._lattice, first, last, self._map, shares)


class _LatticeRoads(RoadNetwork):
    """A jittered lattice, whose separators grow with the square root of its size.

    Every twelfth lattice line is an arterial road, every fourth of those a motorway:
    unbroken, straighter and faster. Other streets are removed at random, more of them
    in the country than in towns.
    """

    arterials = _ARTERIAL_EVERY, _ARTERIAL_FIRST

    def _place(self, least_half_width: float) -> None:
        for first, last in self._bands():
            place_on_lattice(self._lattice, first, last, least_half_width)

    def _choose(self) -> None:
        for first, last in self._bands():
            choose_lattice_streets(self._lattice, first, last)


def _make(parameters: Mapping[str, Any], progress: Progress) -> Graph:
    n = parameters["vertices"]
    seed = np.uint64(parameters["seed"])
    towns = parameters["pattern"] == _TOWNS
    phase = terrain.phases(parameters["seed"])
    side = math.isqrt(round(n / (road_towns.PER_JUNCTION if towns else _PER_JUNCTION)))
    wet = parameters["water"] and side >= _LEAST_SIDE_WITH_WATER
    land = road_kernels.land_fraction(side, phase) if wet else 1.0
    side = road_towns.side_of_lattice(n, land, seed) if towns else round(side / math.sqrt(land))
    network = (_TownRoads if towns else _LatticeRoads)(side, seed, phase, progress)
    network.build(wet)
    name = f"road-{n}-{parameters['seed']}" if towns else f"road-lattice-{n}-{parameters['seed']}"
    return network.graph(n, name)


GENERATOR = Generator(
    id="road",
    title="Road network",
    idea="A synthetic road network with junctions, winding streets, faster arterial roads and "
    "motorways, and a river with few bridges. Weights grow with length; every road is two "
    "opposite arcs. Sparse and of large diameter, like the DIMACS road graphs.",
    parameters=(
        Parameter("vertices", 20_000, "Number of vertices.", low=16, high=100_000_000),
        SEED,
        Parameter(
            "water",
            True,
            "Sea in the south and a river with few bridges (from about 1\u202f100 vertices).",
        ),
        Parameter(
            "pattern",
            _TOWNS,
            "towns: towns apart, few roads between regions, small separators as on real roads. "
            "lattice: one even network, whose separators are as large as a grid's.",
            choices=(_TOWNS, _LATTICE),
        ),
    ),
    make=_make,
)
