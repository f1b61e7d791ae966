"""What the arcs of a road network carry besides their weights: other weights, shapes on
the map, and names.

The places of the map, which belong to no arc, are kept with them.

Every array with one entry per arc is in the order of `Graph.indices`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from solvers.errors import ParameterError, UnknownName
from solvers.system.array_types import AnyArray, Float64s, Int32s, Int64s, UInt8s

_ACCENTS = re.compile("[\u0300-\u036f]")


@dataclass(frozen=True, eq=False)
class ArcColumn:
    """A value of every arc: one of the weights that a network can be solved with, or
    another attribute.
    """

    name: str  # as the user chooses it: "metres", "seconds"
    unit: str  # as `Graph.weight_unit`
    # (m,) of a weight type, NaN where unknown; or texts, of type object, None where unknown
    values: AnyArray

    @property
    def is_text(self) -> bool:
        return self.values.dtype == object

    def of_arcs(self, arcs: AnyArray) -> ArcColumn:
        """The values of some arcs, or rows, in that order."""
        return replace(self, values=self.values[arcs])


@dataclass(frozen=True, eq=False)
class Shapes:
    """Polylines of the arcs that are not straight, without their ends, which are the
    vertices' coordinates.

    Opposite arcs of one road share a shape.
    """

    points: Float64s  # (p, 2) in the unit of the graph's coordinates
    # (s + 1,) shape ``k`` has ``points[offsets[k]:offsets[k + 1]]``, at least one
    offsets: Int64s
    # (m,) ``k + 1`` for an arc along shape ``k``, ``-(k + 1)`` for one against it, 0
    # for a straight arc
    of_arc: Int32s

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def of(self, arc: int) -> Float64s:
        """Points of one arc from its tail to its head, (k, 2), without these; none if
        it is straight.
        """
        number = int(self.of_arc[arc])
        if number == 0:
            return self.points[:0]
        points = self.points[self.offsets[abs(number) - 1] : self.offsets[abs(number)]]
        return points if number > 0 else points[::-1]


@dataclass(frozen=True, eq=False)
class NamedPlaces:
    """Cities, villages, quarters and other named places of a map, the most prominent
    kinds first.
    """

    names: tuple[str, ...] = ()
    # (k, 2) longitude, latitude in degrees
    xy: Float64s = field(default_factory=lambda: np.empty((0, 2)))

    @cached_property
    def searched(self) -> tuple[str, ...]:
        """The names as `folded`."""
        return folded(self.names)


def folded(names: tuple[str, ...]) -> tuple[str, ...]:
    """Names without case and accents, in which a search finds "Zürich" for "zurich"."""
    text = unicodedata.normalize("NFKD", "\n".join(names).casefold())
    return tuple(_ACCENTS.sub("", text).split("\n")) if names else ()


@dataclass(frozen=True)
class RoadKinds:
    """How the file's format calls its roads."""

    classes: Mapping[str, int] = field(default_factory=dict)  # `RoadData.class_of`, by kind
    names: frozenset[str] = frozenset({""})  # what roads without a name are called


@dataclass(frozen=True, eq=False)
class RoadData:
    """What a road network's file says about its arcs."""

    # the weights to choose from; those of the graph need not be among them
    weights: tuple[ArcColumn, ...]
    shapes: Shapes | None  # None if every arc is straight
    names: tuple[str, ...]  # names of roads, each once; "" for a road without one
    name_of: Int32s  # (m,) index of each arc's name in ``names``
    # what the licence of the data asks to be shown with every picture; "" if nothing
    attribution: str = ""
    # (m,) from 0, a path, to 7, a motorway; None if no file tells it
    class_of: UInt8s | None = None
    places: NamedPlaces = NamedPlaces()
    kinds: RoadKinds = RoadKinds()

    @cached_property
    def searched(self) -> tuple[str, ...]:
        """The names of roads as `folded`."""
        return folded(self.names)

    def require_arcs(self, m: int) -> None:
        """Check that every array is for ``m`` arcs; raises `ParameterError`."""
        arrays = [self.name_of, *(column.values for column in self.weights)]
        arrays += [] if self.class_of is None else [self.class_of]
        arrays += [] if self.shapes is None else [self.shapes.of_arc]
        if any(len(array) != m for array in arrays):
            raise ParameterError(
                "Graph", "roads", m, "the data of roads are for another number of arcs"
            )

    def column(self, name: str) -> ArcColumn:
        """The weights of that name; raises `UnknownName`."""
        for column in self.weights:
            if column.name == name:
                return column
        raise UnknownName("column of weights", name, [column.name for column in self.weights])

    def column_of_unit(self, unit: str) -> ArcColumn | None:
        """The weights in that unit; None if there are none."""
        return next((column for column in self.weights if column.unit == unit), None)

    def name(self, arc: int) -> str:
        """Name of the road of one arc; "" if it has none."""
        return self.names[int(self.name_of[arc])]

    def of_arcs(self, arcs: Int64s) -> RoadData:
        """The data of some arcs, in that order; shapes and names are shared."""
        shapes = self.shapes
        return replace(
            self,
            weights=tuple(column.of_arcs(arcs) for column in self.weights),
            shapes=None if shapes is None else replace(shapes, of_arc=shapes.of_arc[arcs]),
            name_of=self.name_of[arcs],
            class_of=None if self.class_of is None else self.class_of[arcs],
        )
