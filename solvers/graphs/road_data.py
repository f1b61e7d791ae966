"""What the arcs of a road network carry besides their weights: other weights, shapes on the map, and names.

Every array with one entry per arc is in the order of `Graph.indices`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.errors import ParameterError, UnknownName


@dataclass(frozen=True, eq=False)
class WeightColumn:
    """One of the weights that a network can be solved with."""

    name: str  # as the user chooses it: "metres", "seconds"
    unit: str  # as `Graph.weight_unit`
    values: NDArray[Any]  # (m,) of a weight type


@dataclass(frozen=True, eq=False)
class Shapes:
    """Polylines of the arcs that are not straight, without their ends, which are the vertices' coordinates.

    Opposite arcs of one road share a shape.

    Attributes
    ----------
    of_arc : (m,) int32
        ``k + 1`` for an arc along shape ``k``, ``-(k + 1)`` for one against it, 0 for a straight arc.
    """

    points: NDArray[np.float64]  # (p, 2) in the unit of the graph's coordinates
    offsets: NDArray[np.int64]  # (s + 1,) shape ``k`` has ``points[offsets[k]:offsets[k + 1]]``, at least one
    of_arc: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def of(self, arc: int) -> NDArray[np.float64]:
        """Points of one arc from its tail to its head, (k, 2), without these; none if it is straight."""
        number = int(self.of_arc[arc])
        if number == 0:
            return self.points[:0]
        points = self.points[self.offsets[abs(number) - 1] : self.offsets[abs(number)]]
        return points if number > 0 else points[::-1]


@dataclass(frozen=True, eq=False)
class RoadData:
    """What a road network's file says about its arcs."""

    weights: tuple[WeightColumn, ...]  # the weights to choose from; those of the graph need not be among them
    shapes: Shapes | None  # None if every arc is straight
    names: tuple[str, ...]  # names of roads, each once; "" for a road without one
    name_of: NDArray[np.int32]  # (m,) index of each arc's name in ``names``
    attribution: str = ""  # what the licence of the data asks to be shown with every picture; "" if nothing
    class_of: NDArray[np.uint8] | None = None  # (m,) from 0, a path, to 7, a motorway; None if no file tells it

    def require_arcs(self, m: int) -> None:
        """Check that every array is for ``m`` arcs; raises `ParameterError`."""
        arrays = [self.name_of, *(column.values for column in self.weights)]
        arrays += [] if self.class_of is None else [self.class_of]
        arrays += [] if self.shapes is None else [self.shapes.of_arc]
        if any(len(array) != m for array in arrays):
            raise ParameterError("Graph", "roads", m, "the data of roads are for another number of arcs")

    def column(self, name: str) -> WeightColumn:
        """The weights of that name; raises `UnknownName`."""
        for column in self.weights:
            if column.name == name:
                return column
        raise UnknownName("column of weights", name, [column.name for column in self.weights])

    def column_of_unit(self, unit: str) -> WeightColumn | None:
        """The weights in that unit; None if there are none."""
        return next((column for column in self.weights if column.unit == unit), None)

    def name(self, arc: int) -> str:
        """Name of the road of one arc; "" if it has none."""
        return self.names[int(self.name_of[arc])]

    def of_arcs(self, arcs: NDArray[np.int64]) -> RoadData:
        """The data of some arcs, in that order; shapes and names are shared."""
        shapes = self.shapes
        return replace(
            self,
            weights=tuple(replace(column, values=column.values[arcs]) for column in self.weights),
            shapes=None if shapes is None else replace(shapes, of_arc=shapes.of_arc[arcs]),
            name_of=self.name_of[arcs],
            class_of=None if self.class_of is None else self.class_of[arcs],
        )
