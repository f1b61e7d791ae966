"""Several ways between two vertices of a network, as they are shown. Vertices are indices
here.
"""

from __future__ import annotations

from dataclasses import dataclass

from solvers.system.array_types import Int32s, Int64s

MOST_ALTERNATIVES = 5


@dataclass(frozen=True, eq=False)
class Way:
    """One of several ways."""

    vertices: Int32s  # (k + 1,)
    arcs: Int64s  # (k,) of the network of the state, closed ones included
    length: int | float  # in the unit of the weights
    shared: float  # with the ways before it, as a share of the length of the shortest


@dataclass(frozen=True, eq=False)
class FoundWays:
    """The shortest way and alternatives to it; none where the target is unreachable."""

    ways: tuple[Way, ...]
    note: str  # what the alternatives are, and why there are not more
    # the best ways by other weights of a road network, "fastest" or "shortest"
    by_others: tuple[tuple[str, Way], ...] = ()

    @property
    def rows(self) -> tuple[tuple[str, Way], ...]:
        """The ways with their numbers from 1, and those that are the best by other weights."""
        return (*((str(k), way) for k, way in enumerate(self.ways, 1)), *self.by_others)
