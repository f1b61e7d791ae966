"""What an all-sources run can compute for each vertex, declared as data.

The definitions are those of NetworkX and igraph; where they differ, or where vertices do not reach each other, the
entries say which one holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.algorithms.row_summaries import RowSummaries
from solvers.errors import InputError, UnknownName


@dataclass(frozen=True)
class Reduction:
    """A number for each vertex, computed from the distances of its row.

    Attributes
    ----------
    name : str
        For the command line, the library and CSV columns.
    meaning : str
        One sentence for the user.
    power : int
        The values' unit is that of the weights to this power; 0 for counts.
    needs_budget : bool
    values : callable(RowSummaries, int, bool)
        From summaries, number of vertices, and whether closeness is corrected, to an array.
    """

    name: str
    meaning: str
    power: int
    needs_budget: bool
    values: Callable[[RowSummaries, int, bool], NDArray[Any]]

    def unit(self, weight_unit: str) -> str:
        """Unit of the values: "m", "1/m", or "" if it is unknown; "vertices" for counts."""
        if self.power == 0:
            return "vertices"
        if not weight_unit:
            return ""
        return weight_unit if self.power == 1 else f"1/{weight_unit}"

    def column(self, weight_unit: str) -> str:
        """Name of the CSV column, with the unit of the weights if it is known."""
        if self.power == 0 or not weight_unit:
            return self.name
        return f"{self.name}_{weight_unit}" if self.power == 1 else f"{self.name}_per_{weight_unit}"


def _eccentricity(summaries: RowSummaries, n: int, corrected: bool) -> NDArray[Any]:
    return summaries.farthest


def _closeness(summaries: RowSummaries, n: int, corrected: bool) -> NDArray[Any]:
    others = summaries.reached.astype(np.float64) - 1
    totals = summaries.totals.astype(np.float64)
    values = np.divide(others, totals, out=np.zeros(len(others)), where=totals > 0)
    return values * others / (n - 1) if corrected and n > 1 else values


def _reach(summaries: RowSummaries, n: int, corrected: bool) -> NDArray[Any]:
    return summaries.within


REDUCTIONS: tuple[Reduction, ...] = (
    Reduction(
        "eccentricity",
        "Greatest distance to a vertex that is reached, as igraph defines it; NetworkX refuses graphs where some "
        "vertex does not reach all others.",
        1,
        False,
        _eccentricity,
    ),
    Reduction(
        "closeness",
        "Number of other vertices reached, divided by the sum of their distances; 0 if none is. NetworkX measures "
        "distances to the vertex (direction “in”), and corrects by Wasserman and Faust unless told not to.",
        -1,
        False,
        _closeness,
    ),
    Reduction(
        "reach",
        "Number of vertices at a distance of at most the budget, the vertex itself included (igraph's "
        "neighborhood_size, with distances for numbers of arcs).",
        0,
        True,
        _reach,
    ),
)


def find_reductions(names: Iterable[str], *others: str) -> tuple[Reduction, ...]:
    """The reductions of those names, in their order, each once.

    Parameters
    ----------
    names : iterable of str
    *others
        Names that are no numbers of vertices, but known, too.

    Raises
    ------
    UnknownName
        Names similar ones.
    InputError
        If there are no names.
    """
    known = {reduction.name: reduction for reduction in REDUCTIONS}
    wanted = [name for name in dict.fromkeys(names) if name]
    for name in wanted:
        if name not in known and name not in others:
            raise UnknownName("reduction", name, (*known, *others))
    if not wanted:
        raise InputError(f"No reduction is named; there are {', '.join((*known, *others))}.")
    return tuple(known[name] for name in wanted if name in known)
