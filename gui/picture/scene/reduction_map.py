"""Numbers of an all-sources run as shades of the picture and as a histogram. No Qt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from gui.picture.scene.activity import Legend
from gui.picture.scene.vertex_values import VertexValues
from solvers.running.all_sources.reductions import Reduction
from solvers.running.all_sources.run import AllSources
from solvers.text import format_distance, plural

_BINS = 60
_DIGITS = 4  # significant, of a word in the legend


@dataclass(frozen=True, eq=False)
class ReductionMap:
    """One number of each vertex, for display.

    Attributes
    ----------
    title : str
        "Eccentricity", "Reach within 3 km".
    values : VertexValues
    counts : (k,) int64
        Vertices in each bin of the histogram.
    edges : (k + 1,) float64
    write : callable(float)
        A value in words, with its unit.
    """

    title: str
    values: VertexValues
    counts: NDArray[np.int64]
    edges: NDArray[np.float64]
    write: Callable[[float], str]


def reduction_map(found: AllSources, reduction: Reduction) -> ReductionMap:
    """Shades from the least to the greatest value, evenly, and the histogram over the same range."""
    graph = found.graph
    numbers = found.values_of(reduction)
    values = numbers.astype(np.float64)
    low, high = float(values.min()), float(values.max())
    per_unit = 255.0 / (high - low) if high > low else 0.0
    shade = ((values - low) * per_unit).astype(np.uint8)
    write = partial(value_text, reduction=reduction, unit=graph.weight_unit)
    title = _title(found, reduction)
    legend = Legend(
        title, low, high, reduction.unit(graph.weight_unit), ends=(write(_rounded(low)), write(_rounded(high)))
    )
    bins = _BINS if high > low else 1
    counts, edges = np.histogram(values, bins, (low, high if high > low else low + 1.0))
    return ReductionMap(
        title, VertexValues(shade, np.zeros(graph.n, np.int32), legend, _words_of(numbers, write)), counts, edges, write
    )


def value_text(value: float, reduction: Reduction, unit: str) -> str:
    """A value with its unit; closeness as the inverse of the mean distance, which can be read."""
    if reduction.power == 0:
        return plural(round(value), "vertex", "vertices")
    if reduction.power == 1:
        return format_distance(value, unit).split(" (")[0]
    return "0" if value == 0 else f"1 / {format_distance(_rounded(1.0 / value), unit).split(' (')[0]}"


def _words_of(numbers: NDArray[np.generic], write: Callable[[float], str]) -> Callable[[int], str]:
    return lambda vertex: write(numbers[vertex].item())


def _title(found: AllSources, reduction: Reduction) -> str:
    if not reduction.needs_budget or found.request.budget is None:
        return reduction.name.capitalize()
    within = format_distance(found.request.budget, found.graph.weight_unit).split(" (")[0]
    return f"{reduction.name.capitalize()} within {within}"


def _rounded(value: float) -> float:
    return value if value.is_integer() else float(f"{value:.{_DIGITS}g}")
