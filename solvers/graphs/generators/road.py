"""Generator of synthetic road networks with towns, arterial roads, and a river with few bridges.

The pattern "towns" has the small separators and the mix of degrees of real roads; the older pattern "lattice" has
separators like those of a grid, and two to three times as many arcs in a hierarchy.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from solvers.graphs.generators import SEED, Generator, road_kernels, road_lattice, road_towns, terrain
from solvers.graphs.generators.road_network import RoadNetwork
from solvers.graphs.graph import Graph
from solvers.host.observer import Observer
from solvers.parameters import Parameter

_LEAST_SIDE_WITH_WATER = 24
_TOWNS, _LATTICE = "towns", "lattice"


class _TownRoads(RoadNetwork):
    arterials = road_towns.ARTERIAL_EVERY, road_towns.ARTERIAL_FIRST
    passes = RoadNetwork.passes + 1

    def _place(self, least_half_width: float) -> None:
        self._map = road_towns.empty_map(self._side)
        for first, last in self._bands(len(self._map)):
            road_towns.fill_map(self._side, first, last, self._seed, self._phase, self._map)
        for first, last in self._bands():
            road_towns.place_junctions(
                self._side, first, last, self._seed, self._phase, least_half_width, self._map, self._xy, self._land
            )

    def _choose(self) -> None:
        shares = road_towns.crossing_shares()
        for first, last in self._bands():
            road_towns.choose_streets(
                self._side, first, last, self._seed, self._map, shares, self._land, self._streets, self._root
            )


class _LatticeRoads(RoadNetwork):
    arterials = road_lattice.ARTERIAL_EVERY, road_lattice.ARTERIAL_FIRST

    def _place(self, least_half_width: float) -> None:
        for first, last in self._bands():
            road_lattice.place_junctions(
                self._side, self._side, first, last, self._seed, self._phase, least_half_width, self._xy, self._land
            )

    def _choose(self) -> None:
        for first, last in self._bands():
            road_lattice.choose_streets(
                self._side, self._side, first, last, self._seed, self._land, self._streets, self._root
            )


def _make(parameters: Mapping[str, Any], observer: Observer) -> Graph:
    n, seed, towns = parameters["vertices"], np.uint64(parameters["seed"]), parameters["pattern"] == _TOWNS
    phase = terrain.phases(parameters["seed"])
    side = math.isqrt(round(n / (road_towns.PER_JUNCTION if towns else road_lattice.PER_JUNCTION)))
    wet = parameters["water"] and side >= _LEAST_SIDE_WITH_WATER
    land = road_kernels.land_fraction(side, phase) if wet else 1.0
    side = road_towns.side_of_lattice(n, land, seed) if towns else round(side / math.sqrt(land))
    network = (_TownRoads if towns else _LatticeRoads)(side, seed, phase, observer)
    network.build(wet)
    name = f"road-{n}-{parameters['seed']}" if towns else f"road-lattice-{n}-{parameters['seed']}"
    return network.graph(n, name)


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
        Parameter(
            "pattern",
            _TOWNS,
            "towns: towns apart, few roads between regions, small separators as on real roads. lattice: one even "
            "network, whose separators are as large as a grid's.",
            choices=(_TOWNS, _LATTICE),
        ),
    ),
    make=_make,
)
