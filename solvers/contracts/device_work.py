"""What a variant's kernels do in one iteration: their names, and the bytes that their threads ask for. Data only.

The bytes are counted from the text of the kernels: every array element that a thread must read or write, once for each
thread that does. They are a lower bound: words that all threads share, and what depends on chance, are left out. Caches
may serve part of them, so they are what the threads ask for, not what the memory delivers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar

from numpy.typing import NDArray

Count = TypeVar("Count", float, NDArray[Any])


@dataclass(frozen=True)
class Bytes:
    """Bytes read or written for one thing.

    Attributes
    ----------
    fixed : int
        Of ids, offsets and flags.
    values : int
        Number of distances and weights, whose size is that of the distance type.
    """

    fixed: int = 0
    values: int = 0

    def of(self, value_bytes: int) -> int:
        """The bytes, with ``value_bytes`` for each distance or weight."""
        return self.fixed + self.values * value_bytes


_NONE = Bytes()


@dataclass(frozen=True)
class Traffic:
    """Bytes that one iteration asks for, by what they are asked for.

    Attributes
    ----------
    vertex, arc : Bytes
        For each vertex and each arc of the graph.
    active, relaxed : Bytes
        For each vertex of the frontier, and for each arc that leaves one.
    reached, reached_arc : Bytes
        For each vertex that had a distance before the iteration, and for each arc that leaves one.
    unsettled, unsettled_arc : Bytes
        For each vertex that has not been in the frontier yet, and for each arc that leads to one.
    improved : Bytes
        For each vertex whose distance falls.
    """

    vertex: Bytes = _NONE
    arc: Bytes = _NONE
    active: Bytes = _NONE
    relaxed: Bytes = _NONE
    reached: Bytes = _NONE
    reached_arc: Bytes = _NONE
    unsettled: Bytes = _NONE
    unsettled_arc: Bytes = _NONE
    improved: Bytes = _NONE

    def needed(self) -> frozenset[str]:
        """Names of the counts that `total` uses."""
        return frozenset(field.name for field in fields(self) if getattr(self, field.name) != _NONE)

    def total(self, counts: Mapping[str, Count], value_bytes: int) -> Count | int:
        """Bytes of an iteration with these counts; or of many, with arrays of one value for each."""
        return sum(counts[name] * getattr(self, name).of(value_bytes) for name in sorted(self.needed()))


@dataclass(frozen=True)
class DeviceWork:
    """The kernels of one iteration, as a timed run launches them.

    Attributes
    ----------
    relaxing : tuple of str
        Names of the kernels that relax, one for each layout: its threads are what the variant's mapping speaks of.
        Empty if a timed run makes several iterations in a launch, so that launches say nothing about an iteration.
    others : tuple of str
        Names of the kernels launched beside it in every iteration.
    traffic : Traffic or None
        For the graph as rows or a list of arcs; None if it cannot be told from the counts of a trace.
    """

    relaxing: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    traffic: Traffic | None = None
