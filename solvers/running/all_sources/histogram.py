"""How many pairs of vertices are at which distance: bins that are declared before the run, and what is in them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from solvers.errors import InputError
from solvers.graphs.graph import Graph
from solvers.host.observer import SILENT, Observer
from solvers.running.answers.columns import TableColumn, write_columns
from solvers.text import format_count, grouped

HISTOGRAM = "histogram"
"""Among the names of reductions."""

FORMS = "powers[:UNIT] or COUNT:WIDTH"
_POWERS = "powers"
_MOST_BINS = 1_000_000
_POWER_BINS = 64  # so that the last one begins above all 62-bit distances


@dataclass(frozen=True)
class DistanceBins:
    """Bins of distances; the last one has no end.

    Attributes
    ----------
    count : int
    width : float
        Of a bin, in the unit of the weights; for powers, where the second bin begins: at this distance, then at twice
        as much, and so on.
    is_powers : bool
    """

    count: int
    width: float
    is_powers: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.count <= _MOST_BINS:
            raise InputError(f"A histogram has 1 to {_MOST_BINS} bins, not {self.count}.")
        if not (math.isfinite(self.width) and self.width > 0):
            raise InputError(f"The width of a bin is a number above 0, not {self.width:g}.")

    @property
    def lower(self) -> NDArray[np.float64]:
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
        """What `parse_bins` makes these bins of."""
        return f"{_POWERS}:{self.width!r}" if self.is_powers else f"{self.count}:{self.width!r}"


def parse_bins(text: str) -> DistanceBins:
    """The bins that a text such as ``powers`` or ``50:1000`` declares.

    Raises
    ------
    InputError
    """
    kind, colon, width = text.strip().partition(":")
    try:
        if kind == _POWERS:
            return DistanceBins(_POWER_BINS, float(width) if colon else 1.0, is_powers=True)
        return DistanceBins(int(kind), float(width))
    except ValueError:
        raise InputError(f"“{text}” declares no bins. The forms are {FORMS}, such as 50:1000.") from None


@dataclass(frozen=True, eq=False)
class Histogram:
    """Pairs of a source and another vertex that it reaches, by distance; with direction “in”, of the way back.

    Attributes
    ----------
    bins : DistanceBins
    pairs : (bins.count,) int64
    """

    bins: DistanceBins
    pairs: NDArray[np.int64]

    @property
    def used(self) -> int:
        """Number of bins up to the last one that is not empty."""
        return int(np.flatnonzero(self.pairs)[-1]) + 1 if self.pairs.any() else 0

    def rows(self, unit: str) -> list[tuple[str, str, str]]:
        """Begin, pairs and share of the bins that are used, for display."""
        total = max(1, int(self.pairs.sum()))
        begins = [f"{grouped(begin, '.12g')} {unit}".strip() for begin in self.bins.lower[: self.used].tolist()]
        if self.used == self.bins.count:
            begins[-1] += " and more"
        return [
            (begin, format_count(count), f"{100 * count / total:.2f} %")
            for begin, count in zip(begins, self.pairs.tolist(), strict=False)
        ]


def write_histogram(found: Histogram, graph: Graph, path: Path, observer: Observer = SILENT) -> Path:
    """Write begin, end and pairs of every bin as CSV or, by the name of the file, Parquet; the last bin has no end.

    Raises
    ------
    PackageMissing, FileNotWritten, Cancelled
    """
    unit = f"_{graph.weight_unit}" if graph.weight_unit else ""
    lower = found.bins.lower
    has_end = np.arange(len(lower)) < len(lower) - 1
    columns = [
        TableColumn(f"from{unit}", lower),
        TableColumn(f"to{unit}", np.append(lower[1:], 0.0), has_end),
        TableColumn("pairs", found.pairs),
    ]
    return write_columns(columns, path, {"graph": graph.name, "unit": graph.weight_unit}, observer)
