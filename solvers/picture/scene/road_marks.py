"""Roads that a feature tells apart by a line over them. No Qt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from solvers.system.array_types import Bools, Int32s


@dataclass(frozen=True, eq=False)
class RoadMarks:
    """Roads of one kind, by the indices of their ends. Compared by identity, so keep one value
    as long as it is shown.
    """

    ends: Int32s  # (k, 2): in the direction that is meant, where only one is
    one_way: Bools  # (k,)
    words: str  # what they are, for the legend
    colour: str  # the name of one of the `Tokens`
    dashes: tuple[float, ...]
    sign: Callable[[int], str] | None = None  # what stands beside a road; None: a cross on it
