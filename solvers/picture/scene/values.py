"""Values of vertices for colouring a picture, and their histogram. No Qt."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from solvers.picture.scene.activity import NEVER, Legend
from solvers.picture.scene.colour_scale import ColourScale
from solvers.picture.scene.ramps import Ramp
from solvers.system.array_types import Float64s, Int32s, Int64s, UInt8s
from solvers.text import format_distance, grouped
from solvers.units import to_public_unit

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

    @classmethod
    def of(
        cls,
        numbers: Float64s,
        title: str,
        unit: str = "",
        write: Callable[[float], str] = lambda value: grouped(value, ".4g"),
    ) -> VertexValues:
        """Shades of (n,) numbers, none of those that are not finite; outliers may have the
        colours of the ends.
        """
        known = np.isfinite(numbers)
        sample = numbers[known]
        low, high = (float(sample.min()), float(sample.max())) if len(sample) else (0.0, 0.0)
        colours = ColourScale.of(low, high, sample)
        shade = shades_between(np.where(known, numbers, low), colours.low, colours.high)
        ends = colours.ends(write(colours.low), write(colours.high))
        legend = Legend(title, colours.low, colours.high, unit, ends=ends)
        return cls(shade, np.where(known, 0, NEVER).astype(np.int32), legend)


@dataclass(frozen=True, eq=False)
class ValueMap:
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
        return shades_between((places[1:] + places[:-1]) / 2, low, high)


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


def shades_between(values: Float64s, low: float, high: float) -> UInt8s:
    per_unit = 255.0 / (high - low) if high > low else 0.0
    return np.clip((values - low) * per_unit, 0.0, 255.0).astype(np.uint8)


def bare_distance(distance: float, unit: str) -> str:
    """``"∞"``, ``"1,204"``, ``"0.38"``: short, in the public unit, which is not written."""
    if not np.isfinite(distance):
        return "∞"
    value = to_public_unit(distance, unit)
    if value.is_integer():
        return grouped(value, ".0f")
    return grouped(value, ".5g" if value == distance else ".1f")


def short_distance(value: float, unit: str) -> str:
    """A distance without the bracketed file unit, which is too long for a picture."""
    return format_distance(value, unit, exact=False)


def rounded(value: float) -> float:
    """``value`` rounded to four significant digits."""
    return value if value.is_integer() else float(f"{value:.4g}")
