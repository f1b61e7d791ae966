"""A graph known by its size only, for forecasts: whether a variant has room, and how long it may take."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from solvers.experiments.grid import GraphChoice
from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.weights import INT32, WeightType

_WITH_COORDINATES = ("road", "grid")


class SketchedGraph(Graph):
    """Stands for a graph that is not made yet: name, size and least weight, but no arcs.

    Weights are taken for 32-bit integers whose paths 32 bits hold.
    """

    _size: tuple[int, int]

    @classmethod
    def of(cls, choice: GraphChoice) -> SketchedGraph:
        low = choice.parameters.get("low", 1)
        sketch = cls(
            np.array([0, 1]), np.zeros(1, np.int32), np.array([low], np.int32), name=choice.key,
            coordinates=Coordinates(np.zeros((1, 2))) if _has_coordinates(choice) else None,
        )  # fmt: skip
        object.__setattr__(sketch, "_size", (max(1, choice.vertices), max(1, choice.arcs)))
        return sketch

    @property
    def n(self) -> int:
        return self._size[0]

    @property
    def m(self) -> int:
        return self._size[1]

    @property
    def distance_type(self) -> WeightType:
        return INT32

    @cached_property
    def out_degrees(self) -> NDArray[np.int64]:
        """The mean degree only."""
        return np.array([-(-self.m // self.n)], dtype=np.int64)


def _has_coordinates(choice: GraphChoice) -> bool:
    generator = choice.spec.generator
    return generator is None or generator.id in _WITH_COORDINATES
