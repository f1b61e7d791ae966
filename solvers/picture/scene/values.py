"""Values of vertices for colouring a picture: of a run, or of anything else that gives
each vertex a number. No Qt.

Differences between distances show who is farther than before, and by how much. The
numbers of an all-sources run are also given as a histogram.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from solvers.picture.scene.activity import NEVER, Legend
from solvers.picture.scene.colour_scale import ColourScale, without_rounding
from solvers.picture.scene.ramps import Ramp
from solvers.running.all_sources.betweenness import Flows
from solvers.running.all_sources.reductions import Reduction
from solvers.running.all_sources.run import AllSources
from solvers.running.differences import Differences
from solvers.system.array_types import Float64s, Int32s, Int64s, UInt8s
from solvers.text import format_distance, grouped, plural

BINS = 60
DECADES = 4  # of the scale of flows, down from the greatest


class Shading(Protocol):
    """What colours the vertices and their roads: an `Activity` or `VertexValues`."""

    @property
    def reveal(self) -> Int32s:
        """(n,) recorded iteration from which each vertex is coloured, or NEVER; empty
        if none is.
        """

    @property
    def shade(self) -> UInt8s:
        """(n,) index into the 256 colours of the legend's ramp."""

    @property
    def legend(self) -> Legend | None: ...


@dataclass(frozen=True, eq=False)
class VertexValues:
    """Shades that do not depend on a run. Compared by identity, so keep one value as
    long as it is shown.
    """

    shade: UInt8s  # (n,)
    reveal: Int32s  # (n,): 0 for a vertex with a value, `activity.NEVER` for one without
    legend: Legend
    words_of: Callable[[int], str] | None = None  # a vertex's value in words, for its card


def difference_values(differences: Differences) -> VertexValues | None:
    """The colours; None if no distance has changed.

    Vertices with the same distance as before have no colour. One that is cut off has
    the colour of the greatest increase, one that has become reachable that of the
    greatest decrease.
    """
    values = differences.values
    finite = values[np.isfinite(values)]
    differ = ~np.isnan(values) & (values != 0)
    if not differ.any():
        return None
    both_ways = bool((values[differ] < 0).any())
    most = float(np.abs(finite).max(initial=0.0)) or 1.0
    low = -most if both_ways else 0.0
    shares = (np.clip(np.nan_to_num(values, nan=0.0), low, most) - low) / (most - low)
    unit = differences.graph.weight_unit
    legend = (
        Legend("nearer or farther than before by", low, most, unit, ramp=Ramp.DIFFERENCES)
        if both_ways
        else Legend("farther than before by", low, most, unit, ramp=Ramp.INCREASES)
    )
    return VertexValues(
        (shares * 255).astype(np.uint8), np.where(differ, 0, NEVER).astype(np.int32), legend
    )


@dataclass(frozen=True, eq=False)
class ReductionMap:
    """One number of each vertex or road, for display."""

    title: str  # "Eccentricity", "Reach within 3 km"
    values: VertexValues | None  # None for roads
    counts: Int64s  # (k,): vertices in each bin of the histogram
    edges: Float64s  # (k + 1,)
    write: Callable[[float], str]  # a value in words, with its unit
    ramp: Ramp = Ramp.DISTANCES
    is_log: bool = False  # edges are of equal ratios
    things: tuple[str, str] = ("vertex", "vertices")  # what is counted

    @property
    def places(self) -> Float64s:
        """(k + 1,) edges of the bins on the axis: logarithms of those of equal ratios."""
        return np.log10(self.edges) if self.is_log else self.edges

    @property
    def bin_shades(self) -> UInt8s:
        """(k,) shade of each bin: of the values in its middle."""
        places = self.places
        legend = None if self.values is None or self.is_log else self.values.legend
        low, high = (places[0], places[-1]) if legend is None else (legend.low, legend.high)
        return _shades((places[1:] + places[:-1]) / 2, low, high)


class FlowView(Enum):
    """What a picture can show of flows; the value is the displayed name."""

    ROADS = "flows of roads"
    VERTICES = "betweenness"


def betweenness_map(flows: Flows) -> ReductionMap:
    """Betweenness of the vertices and its histogram, by orders of magnitude; vertices
    of 0 have no colour.
    """
    values = flows.vertices
    used = values > 0
    high = float(values.max(initial=0.0))
    low = high / 10.0**DECADES
    shade = (
        np.round(255 * np.clip(np.log10(np.where(used, values, high) / low) / DECADES, 0.0, 1.0))
        if high
        else used
    )
    ends = (f"\N{LESS-THAN OR EQUAL TO} {_count_text(low)}", _count_text(high))
    legend = Legend("betweenness", low, high, "", ramp=Ramp.FLOWS, ends=ends)
    reveal = np.where(used, 0, NEVER).astype(np.int32)
    found = VertexValues(shade.astype(np.uint8), reveal, legend, _words_of(values, _count_text))
    return ReductionMap(
        "Betweenness",
        found,
        *log_bins(values[used], low, high),
        _count_text,
        Ramp.FLOWS,
        is_log=True,
    )


def log_bins(values: Float64s, low: float, high: float) -> tuple[Int64s, Float64s]:
    """Counts in bins of equal ratios, and their edges; smaller values than ``low`` are
    in the first.
    """
    if not high > low > 0:
        return np.array([len(values)]), np.array([0.5, 2.0])
    counts, edges = np.histogram(
        np.log10(np.clip(values, low, high)), BINS, (math.log10(low), math.log10(high))
    )
    return counts, 10.0**edges


def _count_text(value: float) -> str:
    return grouped(rounded(value), ".10g")


def reduction_map(found: AllSources, reduction: Reduction) -> ReductionMap:
    """Shades and histogram from the least to the greatest value, evenly; outliers may
    have the colours of the ends.
    """
    graph = found.graph
    numbers = found.values_of(reduction)
    values = numbers.astype(np.float64)
    high = float(values.max())
    low = without_rounding(float(values.min()), high)
    colours = ColourScale.of(low, high, values)
    shade = _shades(values, colours.low, colours.high)
    write = partial(value_text, reduction=reduction, unit=graph.weight_unit)
    title = _title(found, reduction)
    legend = Legend(
        title,
        colours.low,
        colours.high,
        reduction.unit(graph.weight_unit),
        ends=colours.ends(write(rounded(colours.low)), write(rounded(colours.high))),
    )
    bins = BINS if high > low else 1
    counts, edges = np.histogram(values, bins, (low, high if high > low else low + 1.0))
    return ReductionMap(
        title,
        VertexValues(shade, np.zeros(graph.n, np.int32), legend, _words_of(numbers, write)),
        counts,
        edges,
        write,
    )


def _shades(values: Float64s, low: float, high: float) -> UInt8s:
    per_unit = 255.0 / (high - low) if high > low else 0.0
    return np.clip((values - low) * per_unit, 0.0, 255.0).astype(np.uint8)


def value_text(value: float, reduction: Reduction, unit: str) -> str:
    """A value with its unit; closeness as the inverse of the mean distance, which can be read."""
    if reduction.power == 0:
        return plural(round(value), "vertex", "vertices")
    if reduction.power == 1:
        return short_distance(value, unit)
    return "0" if value == 0 else f"1 / {short_distance(rounded(1.0 / value), unit)}"


def _words_of(numbers: NDArray[np.generic], write: Callable[[float], str]) -> Callable[[int], str]:
    return lambda vertex: write(numbers[vertex].item())


def _title(found: AllSources, reduction: Reduction) -> str:
    if not reduction.needs_budget or found.request.budget is None:
        return reduction.name.capitalize()
    within = short_distance(found.request.budget, found.graph.weight_unit)
    return f"{reduction.name.capitalize()} within {within}"


def short_distance(value: float, unit: str) -> str:
    """A distance without the bracketed file unit, which is too long for a picture."""
    return format_distance(value, unit, exact=False)


def rounded(value: float) -> float:
    """``value`` rounded to four significant digits."""
    return value if value.is_integer() else float(f"{value:.4g}")
