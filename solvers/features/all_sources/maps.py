"""Numbers of every vertex of an all-sources run for colouring a picture, and their histogram."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import Enum
from functools import partial

import numpy as np
from numpy.typing import NDArray

from solvers.features.all_sources.answer import AllSources
from solvers.features.all_sources.betweenness import Flows
from solvers.features.all_sources.reductions import Reduction
from solvers.picture.scene.activity import NEVER, Legend
from solvers.picture.scene.colour_scale import without_rounding
from solvers.picture.scene.ramps import Ramp
from solvers.picture.scene.values import (
    BINS,
    DECADES,
    ValueMap,
    VertexValues,
    log_bins,
    rounded,
    short_distance,
)
from solvers.text import grouped, plural


class FlowView(Enum):
    """What a picture can show of flows; the value is the displayed name."""

    ROADS = "flows of roads"
    VERTICES = "betweenness"


def betweenness_map(flows: Flows) -> ValueMap:
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
    return ValueMap(
        "Betweenness",
        found,
        *log_bins(values[used], low, high),
        _count_text,
        Ramp.FLOWS,
        is_log=True,
    )


def _count_text(value: float) -> str:
    return grouped(rounded(value), ".10g")


def reduction_map(found: AllSources, reduction: Reduction) -> ValueMap:
    """Shades and histogram from the least to the greatest value, evenly; outliers may
    have the colours of the ends.
    """
    graph = found.graph
    numbers = found.values_of(reduction)
    values = numbers.astype(np.float64)
    high = float(values.max())
    low = without_rounding(float(values.min()), high)
    write = partial(value_text, reduction=reduction, unit=graph.weight_unit)
    title, unit = _title(found, reduction), reduction.unit(graph.weight_unit)
    shown = VertexValues.of(values, title, unit, lambda value: write(rounded(value)))
    bins = BINS if high > low else 1
    counts, edges = np.histogram(values, bins, (low, high if high > low else low + 1.0))
    shown = replace(shown, words_of=_words_of(numbers, write))
    return ValueMap(title, shown, counts, edges, write)


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
