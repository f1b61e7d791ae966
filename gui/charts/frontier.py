"""Frontier chart: size of the frontier per iteration for all traced results, with a play-back cursor."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from gui.charts.iteration_chart import IterationChart, Series
from gui.model.display_choices import ACTIVE, FRONTIER_QUANTITY, FRONTIER_SCALE, RELAXED
from solvers.core.result import Result
from solvers.core.trace import ActivityTrace

WORDS = {ACTIVE.lower(): "vertices active", RELAXED.lower(): "arcs relaxed"}


def series_of(results: Sequence[Result], quantity: str) -> tuple[Series, ...]:
    """One curve per result with an activity trace; ``quantity`` is "active" or "relaxed"."""
    traces = [(r.variant, r.trace) for r in results if isinstance(r.trace, ActivityTrace) and len(r.trace)]
    return tuple(
        Series(variant.id, variant.full_title, _values_of(trace, quantity), trace.stride) for variant, trace in traces
    )


_known: WeakKeyDictionary[ActivityTrace, dict[str, NDArray[np.float64]]] = WeakKeyDictionary()


def _values_of(trace: ActivityTrace, quantity: str) -> NDArray[np.float64]:
    """The quantity per iteration; kept with the trace, because the chart is made anew for every result."""
    values = _known.setdefault(trace, {})
    if quantity not in values:
        values[quantity] = getattr(trace, quantity) / trace.stride
    return values[quantity]


class FrontierChart(IterationChart):
    """Active vertices or relaxed arcs of every iteration."""

    title = "Frontier"
    empty_text = "Trace a run to see the size of its frontier per iteration."
    quantity_choice, scale_choice = FRONTIER_QUANTITY, FRONTIER_SCALE
    quantity_tip = "Quantity shown per iteration: active vertices or relaxed arcs"

    def series(self) -> tuple[Series, ...]:
        return series_of(self.session.results, self.chosen_quantity.lower())

    def heading_words(self) -> str:
        return f"{WORDS[self.chosen_quantity.lower()].capitalize()} by iteration of the watched run:"

    def hover_heading(self, iteration: int) -> str:
        return f"{super().hover_heading(iteration)}, {WORDS[self.chosen_quantity.lower()]}"
