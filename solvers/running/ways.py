"""Several ways between two vertices of a network, as they are shown. Vertices are indices
here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from solvers.system.array_types import Int32s, Int64s
from solvers.system.feature import offered

if TYPE_CHECKING:
    from solvers.running.prepared_network import PreparedNetwork

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


FindWays = Callable[["PreparedNetwork", int, int, int], FoundWays | None]
"""Finds the shortest way and up to so many alternatives, from a source to a target; None where
no hierarchy answers, or no feature finds any.
"""


def way_finder() -> FindWays:
    """What finds ways, one question after the other."""
    makers: list[Callable[[], FindWays]] = offered(lambda one: one.ways, "WayFinder")
    return makers[0]() if makers else lambda *_: None
