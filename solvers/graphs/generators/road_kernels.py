"""Compiled passes of the road generator that serve every pattern; each processes a
range of rows of the lattice.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from solvers.graphs.generators.terrain import (
    EAST,
    NORTH,
    coast,
    find,
    is_water,
    join,
    neighbour,
    river,
)
from solvers.graphs.random_numbers import unit
from solvers.system.array_types import AnyArray, Bools, Float64s, Int16s, Int32s, Int64s, UInt8s
from solvers.system.jit import njit

NONE, STREET, ARTERIAL, MOTORWAY, DEAD_END = 0, 1, 2, 3, 4

_COST = np.array([0.0, 1.0, 0.6, 0.4])  # per unit of length, by class of road
_BULGE = 0.14  # of a street's length
STREAMS = 10**12  # offset between the random counters of different purposes


class Lattice(NamedTuple):
    """The junctions of a square lattice, and the streets to the east and north of each.

    The index of a junction is ``row * side + column``.
    """

    side: int  # number of rows, and of columns
    seed: Any  # uint64
    phase: Float64s  # (8,); determines the terrain
    xy: Int32s  # (junctions, 2)
    land: Bools  # (junctions,)
    streets: UInt8s  # (junctions, 2) classes of the streets
    root: Int32s  # (junctions,) sets of connected junctions


class Numbering(NamedTuple):
    """The vertex numbers of junctions, streets and bridges."""

    number: Int32s  # (junctions,) vertex number of each junction
    cuts: Int16s  # (junctions, 2) number of inner vertices of each street
    bridge_cuts: Int64s  # (k + 1,) first inner vertex of each bridge, and the end of the last


class Emitted(NamedTuple):
    """The vertices and arcs of the graph; every street is two arcs."""

    xy: Float64s  # (n, 2)
    tails: Int32s  # (m,)
    heads: Int32s  # (m,)
    weights: Int32s  # (m,)


@njit
def _is_road(kind: int) -> bool:
    """Whether a street leads from one junction to the next."""
    return kind != NONE and kind != DEAD_END


@njit
def land_fraction(side: int, phase: Float64s) -> float:
    """Fraction of the map that is land, sampled at 128 x 128 points."""
    land = 0
    for row in range(128):
        for column in range(128):
            land += not is_water((column + 0.5) / 128, (row + 0.5) / 128, 1.4 / side, phase)
    return land / 128**2


@njit
def find_bridges(lattice: Lattice, heights: Float64s, every: int, offset: int) -> Int32s:
    """Bridges for the arterial roads nearest the given ``heights``: (k, 2), junctions
    on the west and east bank.

    Arterial roads lie on every ``every``-th row from row ``offset`` on.
    """
    side, phase, land = lattice.side, lattice.phase, lattice.land
    bridges = np.empty((len(heights), 2), dtype=np.int32)
    count = 0
    taken = -1
    for height in heights:
        steps = round((height * side - offset) / every)
        row = offset + every * steps
        middle = int(river((row + 0.5) / side, phase) * side)
        if (
            row == taken
            or row < 0
            or row >= side
            or coast((middle + 0.5) / side, phase) * side > row - 2
        ):
            continue
        west = east = middle
        while west >= 0 and not land[row * side + west]:
            west -= 1
        while east < side and not land[row * side + east]:
            east += 1
        if west < 0 or east >= side:
            continue
        bridges[count] = (row * side + west, row * side + east)
        join(lattice.root, bridges[count, 0], bridges[count, 1])
        taken = row
        count += 1
    return bridges[:count]


@njit
def restore_streets(lattice: Lattice, first: int, last: int) -> None:
    """Restore removed streets that connect two components of the network."""
    side, land, streets = lattice.side, lattice.land, lattice.streets
    for j in range(first * side, last * side):
        for direction in (EAST, NORTH):
            k = neighbour(side, j, direction)
            if (
                k >= 0
                and land[j]
                and land[k]
                and not _is_road(streets[j, direction])
                and join(lattice.root, j, k)
            ):
                streets[j, direction] = STREET


@njit
def count_components(lattice: Lattice, first: int, last: int, sizes: Int32s) -> None:
    """Count the junctions of some rows into the sizes of their connected components,
    indexed by root.
    """
    for j in range(first * lattice.side, last * lattice.side):
        if lattice.land[j]:
            sizes[find(lattice.root, j)] += 1


@njit
def remove_other_components(lattice: Lattice, first: int, last: int, largest: int) -> None:
    """Remove the junctions and streets of some rows that are not in the largest
    connected component.
    """
    for j in range(first * lattice.side, last * lattice.side):
        if lattice.land[j] and find(lattice.root, j) != largest:
            lattice.land[j] = False
            lattice.streets[j] = NONE


@njit
def count_dead_ends(streets: UInt8s) -> int:
    count = 0
    for j in range(len(streets)):
        count += (streets[j, EAST] == DEAD_END) + (streets[j, NORTH] == DEAD_END)
    return count


@njit
def cycles(lattice: Lattice, bridges: Int32s) -> int:
    """Cycle rank of the connected network: edges - vertices + 1, which inner vertices
    and dead ends do not change.
    """
    return int(
        np.count_nonzero(lattice.streets)
        - count_dead_ends(lattice.streets)
        + len(bridges)
        - np.count_nonzero(lattice.land)
        + 1
    )


@njit
def _length(xy: Int32s, j: int, k: int) -> float:
    return math.hypot(xy[j, 0] - xy[k, 0], xy[j, 1] - xy[k, 1])


@njit
def length_of_bridges(xy: Int32s, bridges: Int32s) -> float:
    total = 0.0
    for bridge in bridges:
        total += _length(xy, bridge[0], bridge[1])
    return total


@njit
def add_lengths(lattice: Lattice, first: int, last: int, total: float) -> float:
    """``total`` plus the lengths of the streets of some rows."""
    side = lattice.side
    for j in range(first * side, last * side):
        for direction in (EAST, NORTH):
            if _is_road(lattice.streets[j, direction]):
                total += _length(lattice.xy, j, j + (1 if direction == EAST else side))
    return total


@njit
def cut_bridges(
    xy: Int32s, bridges: Int32s, inner: int, total: float, bridge_cuts: Int64s
) -> float:
    """Assign the bridges' part of the ``inner`` vertices in ``bridge_cuts``; return the
    bridges' total length.
    """
    cut_length = 0.0
    for b in range(len(bridges)):
        cut_length += _length(xy, bridges[b, 0], bridges[b, 1])
        bridge_cuts[b + 1] = int(inner * (cut_length / total))
    return cut_length


@njit
def number_vertices(
    lattice: Lattice,
    first: int,
    last: int,
    inner: int,
    total: float,
    cut_length: float,
    assigned: int,
    next_number: int,
    dead_ends: int,  # dead ends still to be numbered; each has one vertex, counted in ``cuts``
    numbering: Numbering,  # output, but for the bridges
) -> tuple[float, int, int, int]:
    """Distribute ``inner`` vertices over streets by length; number each junction, then
    its streets' inner vertices.

    Processes some rows. The values returned are passed to the next call under the same
    names.

    ``total`` and ``cut_length``: length of all streets and bridges, and of those
    already subdivided. ``assigned`` and ``next_number``: inner vertices already
    assigned; the next free vertex number.
    """
    side, streets, cuts = lattice.side, lattice.streets, numbering.cuts
    for j in range(first * side, last * side):
        if not lattice.land[j]:
            continue
        numbering.number[j] = next_number
        next_number += 1
        for direction in (EAST, NORTH):
            if _is_road(streets[j, direction]):
                cut_length += _length(lattice.xy, j, j + (1 if direction == EAST else side))
                # At the last street this equals inner, because both sums add in the same order.
                due = int(inner * (cut_length / total))
                cuts[j, direction] = due - assigned
                next_number += due - assigned
                assigned = due
            elif streets[j, direction] == DEAD_END and dead_ends > 0:
                cuts[j, direction] = 1
                next_number += 1
                dead_ends -= 1
    return cut_length, assigned, next_number, dead_ends


@njit
def emit_bridges(lattice: Lattice, bridges: Int32s, numbering: Numbering, emitted: Emitted) -> int:
    """Emit the vertices and arcs of the bridges, before all others; return the number of arcs."""
    number, cuts = numbering.number, numbering.bridge_cuts
    arcs = 0
    for b in range(len(bridges)):
        j, k = bridges[b]
        arcs = _emit_street(
            lattice.xy[j],
            lattice.xy[k],
            0.0,
            ARTERIAL,
            number[j],
            number[k],
            cuts[b],
            cuts[b + 1] - cuts[b],
            emitted,
            arcs,
        )
    return arcs


@njit
def emit_streets(
    lattice: Lattice, first: int, last: int, numbering: Numbering, emitted: Emitted, arcs: int
) -> int:
    """Emit the vertices and arcs of some rows after the first ``arcs``; return the new
    number of arcs.
    """
    side, seed, junctions = lattice.side, lattice.seed, lattice.xy
    number, cuts, xy = numbering.number, numbering.cuts, emitted.xy
    for j in range(first * side, last * side):
        if not lattice.land[j]:
            continue
        xy[number[j], 0], xy[number[j], 1] = junctions[j, 0], junctions[j, 1]
        inner = number[j] + 1
        for direction in (EAST, NORTH):
            kind = lattice.streets[j, direction]
            k = j + (1 if direction == EAST else side)
            if kind == DEAD_END:
                if cuts[j, direction]:
                    part = 2 * unit(seed, 2 * STREAMS + 2 * j + direction) - 1
                    start, stop = (j, k) if part > 0 else (k, j)
                    arcs = _emit_dead_end(
                        junctions[start],
                        junctions[stop],
                        0.3 + 0.4 * abs(part),
                        number[start],
                        inner,
                        emitted,
                        arcs,
                    )
                    inner += 1
            elif kind:
                bulge = 0.0
                if kind == STREET and cuts[j, direction]:
                    bulge = _BULGE * (2 * unit(seed, 2 * STREAMS + 2 * j + direction) - 1)
                arcs = _emit_street(
                    junctions[j],
                    junctions[k],
                    bulge,
                    kind,
                    number[j],
                    number[k],
                    inner,
                    cuts[j, direction],
                    emitted,
                    arcs,
                )
                inner += cuts[j, direction]
    return arcs


@njit
def _emit_street(
    start: AnyArray,
    stop: AnyArray,
    bulge: float,
    kind: int,
    tail: int,
    head: int,
    inner: int,
    count: int,
    emitted: Emitted,
    arcs: int,
) -> int:
    """Emit one street as a curved chain of ``count`` inner vertices; return the new
    number of arcs.
    """
    xy, tails, heads, weights = emitted
    dx, dy = stop[0] - start[0], stop[1] - start[1]
    x, y, here = start[0], start[1], tail
    for step in range(1, count + 2):
        t = step / (count + 1)
        swing = 4 * t * (1 - t) * bulge
        next_x = round(start[0] + t * dx - swing * dy)
        next_y = round(start[1] + t * dy + swing * dx)
        there = head if step == count + 1 else inner + step - 1
        if step <= count:
            xy[there, 0] = next_x
            xy[there, 1] = next_y
        weight = max(1, round(_COST[kind] * math.hypot(next_x - x, next_y - y)))
        tails[arcs], heads[arcs], weights[arcs] = here, there, weight
        tails[arcs + 1], heads[arcs + 1], weights[arcs + 1] = there, here, weight
        arcs += 2
        x, y, here = next_x, next_y, there
    return arcs


@njit
def _emit_dead_end(
    start: Int32s, stop: Int32s, part: float, tail: int, head: int, emitted: Emitted, arcs: int
) -> int:
    """Emit the vertex ``head``, a part of the way from ``start`` to ``stop``, and the
    street to it.
    """
    end = emitted.xy[head]
    for axis in range(2):
        end[axis] = round(start[axis] + part * (stop[axis] - start[axis]))
    return _emit_street(start, end, 0.0, STREET, tail, head, head, 0, emitted, arcs)
