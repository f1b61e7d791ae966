"""Reductions of an all-sources run: numbers for each vertex, and how many pairs are at
which distance.

The numbers for each vertex are declared as data. Their definitions are those of
NetworkX and igraph; where these differ, or vertices do not reach each other, the
entries say which one holds. The bins of distances are declared before the run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from solvers.errors import InputError, UnknownName
from solvers.system.array_types import AnyArray, Float64s, Int64s
from solvers.text import format_count, grouped
from solvers.units import public_unit, to_internal_unit

if TYPE_CHECKING:
    from solvers.algorithms.distance_rows import RowSummaries

HISTOGRAM, BETWEENNESS = "histogram", "betweenness"
"""Among the names of reductions."""

FORMS = "powers[:UNIT] or COUNT:WIDTH"
_POWERS = "powers"
_MOST_BINS = 1_000_000
_POWER_BINS = 64  # so that the last one begins above all 62-bit distances


@dataclass(frozen=True)
class Reduction:
    """A number for each vertex, computed from the distances of its row.

    ``values`` takes summaries, the number of vertices, and whether closeness is
    corrected; it returns an array.
    """

    name: str  # for the command line, the library and CSV columns
    meaning: str  # one sentence for the user
    power: int  # the values' unit is that of the weights to this power; 0 for counts
    needs_budget: bool
    values: Callable[[RowSummaries, int, bool], AnyArray]

    def unit(self, weight_unit: str) -> str:
        """Unit of the values: "m", "1/m", or "" if it is unknown; "vertices" for counts."""
        if self.power == 0:
            return "vertices"
        if not weight_unit:
            return ""
        return weight_unit if self.power == 1 else f"1/{weight_unit}"

    def column(self, weight_unit: str) -> str:
        """Name of the CSV column, with the public unit of the weights if it is known."""
        if self.power == 0 or not weight_unit:
            return self.name
        unit = public_unit(weight_unit)
        return f"{self.name}_{unit}" if self.power == 1 else f"{self.name}_per_{unit}"


def _eccentricity(summaries: RowSummaries, n: int, corrected: bool) -> AnyArray:
    return summaries.farthest


def _closeness(summaries: RowSummaries, n: int, corrected: bool) -> AnyArray:
    others = summaries.reached.astype(np.float64) - 1
    totals = summaries.totals.astype(np.float64)
    values = np.divide(others, totals, out=np.zeros(len(others)), where=totals > 0)
    return values * others / (n - 1) if corrected and n > 1 else values


def _reach(summaries: RowSummaries, n: int, corrected: bool) -> AnyArray:
    return summaries.within


REDUCTIONS: tuple[Reduction, ...] = (
    Reduction(
        "eccentricity",
        "Greatest distance to a vertex that is reached, as igraph defines it; NetworkX refuses "
        "graphs where some vertex does not reach all others.",
        1,
        False,
        _eccentricity,
    ),
    Reduction(
        "closeness",
        "Number of other vertices reached, divided by the sum of their distances; "
        "0 if none is. NetworkX measures distances to the vertex (direction “in”), "
        "and corrects by Wasserman and Faust unless told not to.",
        -1,
        False,
        _closeness,
    ),
    Reduction(
        "reach",
        "Number of vertices at a distance of at most the budget, the vertex itself included "
        "(igraph's neighborhood_size, with distances for numbers of arcs).",
        0,
        True,
        _reach,
    ),
)


CLOSENESS = REDUCTIONS[1]


def find_reductions(names: Iterable[str], *others: str) -> tuple[Reduction, ...]:
    """The reductions of those names, in their order, each once; ``others`` are known
    names that are no reductions.

    Raises UnknownName; InputError if there are no names.
    """
    known = {reduction.name: reduction for reduction in REDUCTIONS}
    wanted = [name for name in dict.fromkeys(names) if name]
    for name in wanted:
        if name not in known and name not in others:
            raise UnknownName("reduction", name, (*known, *others))
    if not wanted:
        raise InputError(f"No reduction is named; choose from {', '.join((*known, *others))}.")
    return tuple(known[name] for name in wanted if name in known)


@dataclass(frozen=True)
class DistanceBins:
    """Bins of distances; the last one has no end."""

    count: int
    # in the unit of the distances; powers: where the second bin begins, and each further
    # one at twice that
    width: float
    is_powers: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.count <= _MOST_BINS:
            raise InputError(f"A histogram has 1 to {_MOST_BINS} bins, not {self.count}.")
        if not (math.isfinite(self.width) and self.width > 0):
            raise InputError(f"The width of a bin is a number above 0, not {self.width:g}.")

    @property
    def lower(self) -> Float64s:
        """(count,) where bins begin."""
        if not self.is_powers:
            return self.width * np.arange(self.count, dtype=np.float64)
        return self.width * np.append(0.0, np.exp2(np.arange(self.count - 1, dtype=np.float64)))

    @property
    def equal_width(self) -> float:
        """Width of all bins but the last; 0 for powers."""
        return 0.0 if self.is_powers else self.width

    @property
    def text(self) -> str:
        """The text from which `parse_bins` makes these bins."""
        return f"{_POWERS}:{self.width!r}" if self.is_powers else f"{self.count}:{self.width!r}"


def parse_bins(text: str, unit: str = "") -> DistanceBins:
    """The bins that a text such as ``powers``, ``50:1000`` or ``20:5min`` declares for
    weights of that unit.

    Raises InputError.
    """
    kind, colon, width = text.strip().partition(":")
    if not (kind == _POWERS or (kind.isdecimal() and colon)):
        raise InputError(
            f"“{text}” does not define bins. The forms are {FORMS}, such as 50:1000 or 20:5min."
        )
    try:
        number = to_internal_unit(width if colon else 1.0, unit)
    except ValueError as error:
        raise InputError(f"“{text}” does not define bins: {error}.") from None
    return (
        DistanceBins(_POWER_BINS, number, is_powers=True)
        if kind == _POWERS
        else DistanceBins(int(kind), number)
    )


@dataclass(frozen=True, eq=False)
class Histogram:
    """Pairs of a source and another vertex that it reaches, by distance; with direction
    “in”, of the way back.

    Attributes
    ----------
    bins : DistanceBins
        In the public unit of the weights: ``bins.lower``, (count,), is where they begin.
    pairs : (count,) int64
    """

    bins: DistanceBins
    pairs: Int64s

    def __repr__(self) -> str:
        return f"Histogram({self.bins.text!r}, {format_count(int(self.pairs.sum()))} pairs)"

    @property
    def used(self) -> int:
        """Number of bins up to the last one that is not empty."""
        return int(np.flatnonzero(self.pairs)[-1]) + 1 if self.pairs.any() else 0

    def rows(self, unit: str) -> list[tuple[str, str, str]]:
        """Begin, pairs and share of the bins that are used, for display."""
        total = max(1, int(self.pairs.sum()))
        begins = [
            f"{grouped(begin, '.12g')} {public_unit(unit)}".strip()
            for begin in self.bins.lower[: self.used].tolist()
        ]
        if self.used == self.bins.count:
            begins[-1] += " and more"
        return [
            (begin, format_count(count), f"{100 * count / total:.2f} %")
            for begin, count in zip(begins, self.pairs.tolist(), strict=False)
        ]
