"""Frontier and device charts, both by iteration for traced results.

Frontier: the size of the frontier, with a play-back cursor. Device: threads, warps, arcs and bytes per second, for
results with traced kernels.
"""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from gui.charts.iteration_chart import IterationChart, Level, Series, stride_of
from gui.model.settings import (
    ACTIVE,
    ARC_RATE,
    BYTE_RATE,
    DEVICE_QUANTITY,
    DEVICE_SCALE,
    FRONTIER_QUANTITY,
    FRONTIER_SCALE,
    RELAXED,
    THREADS,
    WARPS,
)
from gui.style.text import format_rate
from solvers.core.result import Result
from solvers.core.trace import ActivityTrace
from solvers.running.traced_run import DeviceActivity, device_activity
from solvers.text import format_count

FRONTIER_WORDS = {ACTIVE.lower(): "vertices active", RELAXED.lower(): "arcs relaxed"}


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
        return series_of(self.session.results.all, self.chosen_quantity.lower())

    def heading_words(self) -> str:
        return f"{FRONTIER_WORDS[self.chosen_quantity.lower()].capitalize()} by iteration of the watched run:"

    def hover_heading(self, iteration: int) -> str:
        return f"{super().hover_heading(iteration)}, {FRONTIER_WORDS[self.chosen_quantity.lower()]}"


DEVICE_WORDS = {
    THREADS: "Threads launched (pale) and useful",
    WARPS: "Warps launched (pale) and with a useful thread",
    ARC_RATE: "Arcs, or cells of a matrix, relaxed per second",
    BYTE_RATE: "Bytes asked for per second, at least",
}


def device_series(results: Sequence[Result], quantity: str) -> tuple[Series, ...]:
    """The curves of a quantity, of results for which it is known; threads and warps have a pale one of all launched."""
    found: list[Series] = []
    for result in results:
        activity = device_activity(result)
        if activity is not None:
            found += _curves(result, activity, quantity)
    return tuple(found)


def _curves(result: Result, activity: DeviceActivity, quantity: str) -> list[Series]:
    variant, trace = result.variant, result.trace
    assert trace is not None  # there is an activity
    stride = stride_of(trace)

    def curve(values: np.ndarray, words: str = "", *, faint: bool = False) -> Series:
        return Series(variant.id, f"{variant.full_title}{words}", np.nan_to_num(values), stride, faint)

    whole, part = {
        THREADS: (activity.threads, activity.useful),
        WARPS: (None if activity.is_cpu else activity.warps, activity.busy_warps),
        ARC_RATE: (None, activity.arcs_per_s),
        BYTE_RATE: (None, activity.bytes_per_s),
    }[quantity]
    if part is None or np.isnan(part).all():
        return []
    return [*([] if whole is None else [curve(whole, ", launched", faint=True)]), curve(part)]


class DeviceChart(IterationChart):
    """What kernels made of their device, by iteration."""

    title = "Device"
    empty_text = (
        "Trace a variant with kernels to see what it makes of its device: threads, warps, arcs and bytes per second. "
        "On a processor there are no warps."
    )
    quantity_choice, scale_choice = DEVICE_QUANTITY, DEVICE_SCALE
    shows_phases = True
    quantity_tip = "Quantity shown per iteration, in the watched run"

    def series(self) -> tuple[Series, ...]:
        return device_series(self.session.results.all, self.chosen_quantity)

    def heading_words(self) -> str:
        return f"{DEVICE_WORDS[self.chosen_quantity]}, by iteration, or phase, of the watched run on {self._devices()}:"

    def _devices(self) -> str:
        activities = filter(None, map(device_activity, self.session.results.all))
        names = {f"{a.device_name}{' (CPU)' if a.is_cpu else ''}": None for a in activities}
        return ", ".join(names)

    def value_words(self, value: float) -> str:
        if self.chosen_quantity == ARC_RATE:
            return format_rate(value, " arcs")
        return format_rate(value, "B") if self.chosen_quantity == BYTE_RATE else format_count(round(value))

    @property
    def shows_rates(self) -> bool:
        return self.chosen_quantity in (ARC_RATE, BYTE_RATE)

    def levels(self) -> tuple[Level, ...]:
        """The bandwidth of each device, as measured by a copy."""
        if self.chosen_quantity != BYTE_RATE:
            return ()
        found = {}
        for activity in filter(None, map(device_activity, self.session.results.all)):
            if activity.bandwidth:
                found[activity.device_name] = activity.bandwidth
        return tuple(Level(value, f"a copy on {name}: {format_rate(value, 'B')}") for name, value in found.items())
