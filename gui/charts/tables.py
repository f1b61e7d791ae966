"""The tables of the board's charts, from the session and what is chosen to be shown.

Timing: a faint dot per trial, a strong one at the median, its interval, and the range.
Phases: one stacked bar per variant with the time of each phase. Frontier and device: a
curve per traced result over its iterations. Histogram: a number of every vertex or road.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from weakref import WeakKeyDictionary

import numpy as np

from gui.charts.chart import ChartSubject, stride_of
from gui.charts.rows import (
    PHASE_WORDS,
    PHASES,
    PhaseRow,
    TimingRow,
    phase_rows,
    timing_rows,
    with_live_row,
)
from gui.model.session import Session
from gui.model.settings import (
    ARC_RATE,
    BYTE_RATE,
    DEVICE_QUANTITY,
    DEVICE_SCALE,
    FRONTIER_QUANTITY,
    FRONTIER_SCALE,
    LOG,
    PHASE,
    PHASES_QUANTITY,
    SCALE,
    SHARES,
    SPEED_UP,
    THREADS,
    TIMING_QUANTITY,
    WARPS,
    DisplayChoices,
)
from gui.style.text import (
    align_decimals,
    count_tick,
    duration_tick,
    format_rate,
    in_unit,
    ratio_tick,
)
from solvers.core.result import Result
from solvers.core.trace import ActivityTrace
from solvers.core.variant import find_variant
from solvers.picture.charts.table import (
    PHASE_COLOURS,
    Axis,
    ChartData,
    ChartMark,
    Curve,
    HistogramBars,
    Line,
    span_of,
)
from solvers.picture.colours import role
from solvers.picture.palette import Colour
from solvers.picture.scene.ramps import ramp_colours
from solvers.picture.scene.values import ValueMap
from solvers.picture.variant_colours import variant_colours
from solvers.running.traced_run import DeviceActivity, device_activity
from solvers.system.array_types import Float64s
from solvers.text import format_count, plural

FRONTIER_WORDS = {"active": "vertices active", "relaxed": "arcs relaxed"}
DEVICE_WORDS = {
    THREADS: "Threads launched (pale) and useful",
    WARPS: "Warps launched (pale) and with a useful thread",
    ARC_RATE: "Arcs, or cells of a matrix, relaxed per second",
    BYTE_RATE: "Bytes requested per second, at least",
}

_known: WeakKeyDictionary[ActivityTrace, dict[str, Float64s]] = WeakKeyDictionary()


# -- rows


def timing_table(session: Session, choices: DisplayChoices) -> ChartData | None:
    """Times or speed-ups over the baseline, for total or solve time."""
    rows = shown_rows(session, choices)
    if not rows:
        return None
    unit, is_ratio = choices.unit([row.median for row in rows]), rows[0].is_ratio
    if is_ratio:
        write, title = ratio_tick, f"Speed-up, {choices[PHASE].lower()} time"
        figures = align_decimals([row.median_text.removesuffix("×") for row in rows], "×")
    else:
        write, title = partial(duration_tick, unit=unit), f"{choices[PHASE]} time, {unit.name}"
        figures = align_decimals([in_unit(row.median, unit) for row in rows])
    ends = [end for row in rows for end in (row.low, row.high)] + [1.0] * is_ratio
    lines = [_timing_line(place, row) for place, row in enumerate(rows)]
    if is_ratio:
        level = ChartMark(0, 1.0, 1.0, 1.0)
        lines.append(Line("", role("text"), 0, (level,), is_ideal=True))
    return ChartData(
        title,
        _axis_of(rows),
        Axis(title, choices.is_log, write=write, span=span_of(ends, is_log=choices.is_log)),
        tuple(lines),
        is_horizontal=True,
        figures=tuple(figures),
    )


def shown_rows(session: Session, choices: DisplayChoices) -> tuple[TimingRow, ...]:
    """The rows of the timing chart, with the trials so far of the variant being run."""
    results, phase = session.results, choices.phase
    is_ratio, baseline = choices[TIMING_QUANTITY] == SPEED_UP, results.baseline
    rows = timing_rows(results.all, phase, baseline, speed_up=is_ratio)
    running = results.run_state.running_variant
    reference = baseline.median(phase) if baseline is not None and is_ratio else None
    if running is None or (is_ratio and not reference):
        return rows
    live = results.run_state.live_trials
    return with_live_row(rows, find_variant(running), live, phase, reference)


def _axis_of(rows: Sequence[TimingRow | PhaseRow]) -> Axis:
    titles, shorts = tuple(row.title for row in rows), tuple(row.short_title for row in rows)
    return Axis("", categories=titles, shorts=shorts)


def _timing_line(place: int, row: TimingRow) -> Line:
    low, high = row.interval or (row.median, row.median)
    doubted = bool(row.disturbances)
    mark = ChartMark(place, row.median, low, high, row.words, doubted, row.variant_id, row.samples)
    return Line(row.title, variant_colours(row.variant_id), 0, (mark,))


def phases_table(session: Session, choices: DisplayChoices) -> ChartData | None:
    """Times of prepare, copy to device, solve and copy back, or their shares."""
    rows = phase_rows(session.results.all)
    if not rows:
        return None
    shares = choices[PHASES_QUANTITY] == SHARES
    unit = choices.unit([row.total for row in rows])
    lines = []
    for index, phase in enumerate(PHASES):
        heights = [row.parts[index] / ((row.total or 1.0) if shares else 1.0) for row in rows]
        marks = tuple(
            ChartMark(place, height, height, height, row.words, point=row.variant_id)
            for place, (height, row) in enumerate(zip(heights, rows, strict=True))
        )
        if any(heights):
            lines.append(Line(PHASE_WORDS[phase], PHASE_COLOURS[phase], 0, marks))
    axis = Axis("Share of the total", write=_percent, span=(0.0, 1.0))
    if not shares:
        span = span_of([row.total for row in rows], is_log=False)
        axis = Axis(f"Total, {unit.name}", write=partial(duration_tick, unit=unit), span=span)
    return ChartData(
        f"Phases, {unit.name}" if not shares else "Phases",
        _axis_of(rows),
        axis,
        tuple(lines),
        is_stacked=True,
        is_horizontal=True,
        figures=tuple(align_decimals([in_unit(row.total, unit) for row in rows])),
    )


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %"


# -- iterations


def frontier_table(session: Session, choices: DisplayChoices) -> ChartData | None:
    """Active vertices or relaxed arcs of every iteration."""
    quantity = choices[FRONTIER_QUANTITY].lower()
    words = f"{FRONTIER_WORDS[quantity].capitalize()} by iteration of the watched run"
    curves = frontier_curves(session.results.all, quantity)
    return _iteration_table(words, curves, is_log=choices[FRONTIER_SCALE] == LOG)


def frontier_curves(results: Sequence[Result], quantity: str) -> tuple[Curve, ...]:
    """One curve per result with an activity trace; ``quantity`` is "active" or "relaxed"."""
    found = []
    for result in results:
        trace = result.trace
        if not isinstance(trace, ActivityTrace) or not len(trace):
            continue
        in_cycle, name = bool(result.cycle), result.variant.full_title
        values = _values_of(trace, quantity)
        end = (len(values) - 1) * trace.stride + 1
        if in_cycle:
            name += f", negative cycle in iteration {format_count(end)}"
        found.append(
            Curve(
                name,
                variant_colours(result.variant.id),
                values,
                trace.stride,
                result.variant.id,
                in_cycle=in_cycle,
            )
        )
    return tuple(found)


def _values_of(trace: ActivityTrace, quantity: str) -> Float64s:
    """The quantity per iteration; kept with the trace, because the chart is made anew
    for every result.
    """
    values = _known.setdefault(trace, {})
    if quantity not in values:
        values[quantity] = getattr(trace, quantity) / trace.stride
    return values[quantity]


def device_table(session: Session, choices: DisplayChoices) -> ChartData | None:
    """What kernels made of their device, by iteration."""
    quantity, results = choices[DEVICE_QUANTITY], session.results.all
    activities = list(filter(None, map(device_activity, results)))
    names = dict.fromkeys(f"{a.device_name}{' (CPU)' if a.is_cpu else ''}" for a in activities)
    words = f"{DEVICE_WORDS[quantity]}, by iteration, or phase, of the watched run"
    levels = {}
    if quantity == BYTE_RATE:  # as measured by a copy
        levels = {one.device_name: one.bandwidth for one in activities if one.bandwidth}
    return _iteration_table(
        f"{words} on {', '.join(names)}" if names else words,
        device_curves(results, quantity),
        is_log=choices[DEVICE_SCALE] == LOG,
        is_rate=quantity in (ARC_RATE, BYTE_RATE),
        levels={f"a copy on {name}: {format_rate(v, 'B')}": v for name, v in levels.items()},
    )


def device_curves(results: Sequence[Result], quantity: str) -> tuple[Curve, ...]:
    """The curves of a quantity, of results for which it is known; threads and warps
    have a pale one of all launched.
    """
    found: list[Curve] = []
    for result in results:
        activity = device_activity(result)
        if activity is not None:
            found += _curves(result, activity, quantity)
    return tuple(found)


def _curves(result: Result, activity: DeviceActivity, quantity: str) -> list[Curve]:
    variant, trace = result.variant, result.trace
    assert trace is not None  # there is an activity

    def curve(values: np.ndarray, words: str = "", *, faint: bool = False) -> Curve:
        name, colour = f"{variant.full_title}{words}", variant_colours(variant.id)
        return Curve(name, colour, np.nan_to_num(values), stride_of(trace), variant.id, faint)

    whole, part = {
        THREADS: (activity.threads, activity.useful),
        WARPS: (None if activity.is_cpu else activity.warps, activity.busy_warps),
        ARC_RATE: (None, activity.arcs_per_s),
        BYTE_RATE: (None, activity.bytes_per_s),
    }[quantity]
    if part is None or np.isnan(part).all():
        return []
    return [*([] if whole is None else [curve(whole, ", launched", faint=True)]), curve(part)]


def _iteration_table(
    words: str,
    curves: tuple[Curve, ...],
    *,
    is_log: bool,
    is_rate: bool = False,
    levels: dict[str, float] | None = None,
) -> ChartData | None:
    """``levels``: what a device can do at most, by their words."""
    if not curves:
        return None
    levels, last = levels or {}, max(2.0, *(curve.end for curve in curves))
    top = max(2.0, *(float(curve.values.max()) for curve in curves), *levels.values())
    floor = 0.0
    if is_log:
        floor = _floor(curves) if is_rate else 0.95  # no tick is between that and one
    # where labels are whole numbers, also on a logarithmic axis
    write = partial(count_tick, size=floor if is_log else top)
    lines = tuple(
        Line(name, role("muted"), 0, (ChartMark(1.0, y, y, y, name),), is_ideal=True)
        for name, y in levels.items()
    )
    # room for the whole mark of a negative cycle
    beside = (0.03 if any(curve.in_cycle for curve in curves) else 0.01) * (last - 1)
    return ChartData(
        words,
        Axis("iteration", write=partial(count_tick, size=last), span=(1 - beside, last + beside)),
        Axis("", is_log, write=write, span=(floor, top * (1.3 if is_log else 1.05))),
        lines,
        curves=curves,
    )


def _floor(curves: tuple[Curve, ...]) -> float:
    """Lower end of a logarithmic axis of rates: the power of ten below most of them, so
    that outliers may leave it.
    """
    values = np.concatenate([c.values[c.values > 0] for c in curves] or [np.ones(1)])
    return float(10.0 ** np.floor(np.log10(np.quantile(values, 0.02)))) if len(values) else 0.8


def frontier_words(session: Session, choices: DisplayChoices, x: float) -> str:
    """The values of all curves at an iteration."""
    quantity = choices[FRONTIER_QUANTITY].lower()
    curves = frontier_curves(session.results.all, quantity)
    head = f"Iteration {{}} of the watched run, {FRONTIER_WORDS[quantity]}"
    return _words_at(curves, x, head, lambda value: format_count(int(value)))


def device_words(session: Session, choices: DisplayChoices, x: float) -> str:
    """The values of all curves at an iteration or phase."""
    quantity = choices[DEVICE_QUANTITY]
    curves = device_curves(session.results.all, quantity)

    def write(value: float) -> str:
        if quantity == ARC_RATE:
            return format_rate(value, " arcs")
        return format_rate(value, "B") if quantity == BYTE_RATE else format_count(round(value))

    return _words_at(curves, x, "Iteration {} of the watched run", write)


def _words_at(curves: Sequence[Curve], x: float, head: str, write: Callable[[float], str]) -> str:
    lines = [head.format(format_count(max(1, round(x))))]
    for curve in curves:
        k = round((x - 1) / curve.stride)
        if 0 <= k < len(curve.values):
            lines.append(f"{curve.label}: {write(float(curve.values[k]))}")
    return "\n".join(lines)


# -- the histogram


@dataclass
class ShownHistogram:
    """What colours the picture after an all-sources run, if there is something."""

    shown: ValueMap | None = None

    def table(self, _: Session, __: DisplayChoices) -> ChartData | None:
        shown = self.shown
        if shown is None:
            return None
        top = float(max(1, shown.counts.max()))
        light, dark = (ramp_colours(shown.ramp, is_dark) for is_dark in (False, True))
        colours = [Colour(_hex(light[shade]), _hex(dark[shade])) for shade in shown.bin_shades]
        title = f"{shown.things[1].capitalize()} by {shown.title[:1].lower()}{shown.title[1:]}"

        def write(place: float) -> str:
            return shown.write(10.0**place if shown.is_log else place)

        bars = HistogramBars(shown.places, shown.counts.astype(np.float64), colours)
        y = Axis("", write=partial(count_tick, size=top), span=(0.0, 1.05 * top))
        return ChartData(title, Axis(title, write=write), y, bars=bars)

    def words_at(self, _: Session, __: DisplayChoices, x: float) -> str:
        """Range and height of the bar at a coordinate; "" beside the bars."""
        shown = self.shown
        places = np.empty(0) if shown is None else shown.places
        if shown is None or not places[0] <= x <= places[-1]:
            return ""
        i = min(len(shown.counts) - 1, int(np.searchsorted(places, x, side="right")) - 1)
        low, high = (shown.write(float(f"{edge:.4g}")) for edge in shown.edges[i : i + 2])
        return f"{low} to {high}: {plural(int(shown.counts[i]), *shown.things)}"


def _hex(colour: Float64s) -> str:
    return "#{:02X}{:02X}{:02X}".format(*colour.round().astype(int))


TIMING = ChartSubject(
    "Timing",
    "Run variants to see their times here, one row per variant.",
    timing_table,
    (
        (TIMING_QUANTITY, "Quantity shown: times, or speed-up over the baseline"),
        (
            PHASE,
            "Time shown: total includes preparation and copies, solve is the algorithm alone",
        ),
        (SCALE, "Logarithmic or linear axis, also of the bars in the table"),
    ),
    has_rows=True,
)
PHASES_KIND = ChartSubject(
    "Phases",
    "Run variants to see how their time divides into preparing, copying and solving.",
    phases_table,
    ((PHASES_QUANTITY, "Quantity shown: times, or each phase's share of the total"),),
    has_rows=True,
)
FRONTIER = ChartSubject(
    "Frontier",
    "Trace a run to see the size of its frontier per iteration.",
    frontier_table,
    (
        (
            FRONTIER_QUANTITY,
            "Quantity shown per iteration: active vertices or relaxed arcs",
        ),
        (FRONTIER_SCALE, "Logarithmic or linear axis"),
    ),
    words_at=frontier_words,
)
_NEEDED = {
    THREADS: "threads of a kernel",
    WARPS: "warps of a GPU",
    ARC_RATE: "launches with times, which arcs per second need",
    BYTE_RATE: "launches with times, which bytes per second need",
}
DEVICE = ChartSubject(
    "Device",
    "Trace a variant with kernels to see how it uses its device: threads, warps, arcs and "
    "bytes per second. On a processor there are no warps.",
    device_table,
    (
        (DEVICE_QUANTITY, "Quantity shown per iteration, in the watched run"),
        (DEVICE_SCALE, "Logarithmic or linear axis"),
    ),
    has_phases=True,
    words_at=device_words,
    missing=lambda choices: f"No watched run has {_NEEDED[choices[DEVICE_QUANTITY]]}.",
)


def histogram_kind(histogram: ShownHistogram) -> ChartSubject:
    return ChartSubject(
        "Histogram",
        "Run > All sources shows the distribution of a value over all vertices.",
        histogram.table,
        words_at=histogram.words_at,
    )
