"""Charts of an experiment: turns what was measured into tables that files and the window
draw.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from solvers.core.variant import Algorithm
from solvers.features.experiments.grid import graph_titles
from solvers.features.experiments.measurement import (
    Measurement,
    difference,
    graph_order,
    host_name,
    hosts_sentence,
    timed,
)
from solvers.features.experiments.spec import ChartKind, ChartSpec, Experiment, Published
from solvers.picture.charts.table import PHASE_COLOURS, Axis, ChartData, ChartMark, Line, Slope
from solvers.picture.colours import role
from solvers.picture.palette import Colour
from solvers.picture.variant_colours import variant_colours
from solvers.text import (
    format_count,
    format_duration,
    format_ratio,
    format_value,
    plural,
    three_digits,
)

LEAST_FOR_SLOPE = 5  # sizes: of fewer, its interval says nothing

_PHASES = {"prepare": "prepare", "h2d": "copy to device", "solve": "solve", "d2h": "copy back"}
_X_LABELS = {"vertices": "vertices", "arcs": "arcs", "graph": "graph"}
_BYTES_OF_RELAXATION = 8
_GIGA = 1e9


def slope_of(marks: Sequence[ChartMark]) -> Slope | None:
    """Least-squares slope of log y over log x with the interval of Student's t; None
    for fewer than five sizes.
    """
    usable = [mark for mark in marks if mark.x > 0 and mark.y > 0]
    if len({mark.x for mark in usable}) < LEAST_FOR_SLOPE:
        return None
    from scipy import stats  # imported here: it takes long

    found = stats.linregress(
        [math.log(mark.x) for mark in usable], [math.log(mark.y) for mark in usable]
    )
    half = float(stats.t.ppf(0.975, len(usable) - 2)) * float(found.stderr)
    return Slope(float(found.slope), float(found.slope) - half, float(found.slope) + half)


@dataclass(frozen=True)
class ChartMaker:
    experiment: Experiment
    measurements: Sequence[Measurement]
    # bytes per second that the device copies, for the limit of the rate
    bandwidth: float | None = None
    _timed: list[Measurement] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_timed", timed(self.measurements))

    def all(self) -> tuple[ChartData, ...]:
        """Every chart that has something to show."""
        made = (self.make(spec) for spec in self.experiment.charts)
        return tuple(
            chart for chart in made if any(line.marks for line in chart.lines if not line.is_ideal)
        )

    def make(self, spec: ChartSpec) -> ChartData:
        """One chart; without lines if nothing of it was measured."""
        makers: dict[ChartKind, Callable[[ChartSpec], ChartData]] = {
            ChartKind.TIME: self._time,
            ChartKind.SPEED_UP: self._speed_up,
            ChartKind.SCALING: self._scaling,
            ChartKind.EFFICIENCY: self._efficiency,
            ChartKind.PHASES: self._phases,
            ChartKind.WORK: self._work,
            ChartKind.RATE: self._rate,
        }
        return makers[spec.kind](spec)

    def _time(self, spec: ChartSpec) -> ChartData:
        lines = self._lines(spec, lambda found: self._time_mark(found, spec))
        if spec.x in ("vertices", "arcs"):
            lines = [_with_slope(line) for line in lines]
        return self._chart(
            spec, f"{_phase_words(spec.phase)}, ms", [*lines, *self._published(spec)]
        )

    def _time_mark(self, found: Measurement, spec: ChartSpec) -> ChartMark:
        median = found.median(spec.phase) or 0.0
        low, high = found.spread(spec.phase)
        words = f"{format_duration(median)} ({format_duration(low)} – {format_duration(high)})"
        return self._mark(found, spec, median, low, high, words)

    def _speed_up(self, spec: ChartSpec) -> ChartData:
        def mark(found: Measurement) -> ChartMark | None:
            base = self._baseline(found, spec)
            ratio = None if base is None else found.ratio_to(base, spec.phase)
            if ratio is None:
                return None
            unequal = difference((found, base)) if base is not None else ""
            words = format_ratio(ratio.value) + (
                f" across machines that differ in {unequal}" if unequal else ""
            )
            made = self._mark(found, spec, ratio.value, ratio.low, ratio.high, words)
            return replace(made, is_disturbed=made.is_disturbed or bool(unequal))

        lines = self._lines(spec, mark)
        return self._chart(
            spec, f"speed-up over {spec.baseline}", [*lines, _level(lines, 1.0, spec.baseline)]
        )

    def _baseline(self, found: Measurement, spec: ChartSpec) -> Measurement | None:
        """The baseline's measurement on the same graph; of its host and with its
        parameters, if there is one.
        """
        here = [
            one
            for one in self._timed
            if one.label == spec.baseline and one.graph.sha256 == found.graph.sha256
        ]
        near = [one for one in here if host_name(one) == host_name(found)] or here
        same = [one for one in near if one.kept.parameters == found.kept.parameters]
        return next(iter(same or near), None)

    def _scaling(self, spec: ChartSpec) -> ChartData:
        lines = self._lines(spec, lambda found: self._time_mark(found, spec))
        ideals = [_ideal_time(line) for line in lines if line.marks]
        return self._chart(
            spec, f"{_phase_words(spec.phase)}, ms", [*lines, *ideals, *self._published(spec)]
        )

    def _efficiency(self, spec: ChartSpec) -> ChartData:
        lines = [
            _efficiencies(line)
            for line in self._lines(spec, lambda found: self._time_mark(found, spec))
        ]
        return self._chart(spec, "efficiency", [*lines, _level(lines, 1.0, "ideal")])

    def _work(self, spec: ChartSpec) -> ChartData:
        def mark(found: Measurement) -> ChartMark | None:
            count = relaxations_of(found)
            if count is None or not found.graph.arcs:
                return None
            share = count / found.graph.arcs
            return self._mark(
                found, spec, share, share, share, f"{three_digits(share)} relaxations per arc"
            )

        return self._chart(spec, "relaxations per arc", self._lines(spec, mark))

    def _rate(self, spec: ChartSpec) -> ChartData:
        def mark(found: Measurement) -> ChartMark | None:
            count, solve = relaxations_of(found), found.median("solve")
            if count is None or not solve:
                return None
            low, high = (count / (ms * 1e-3) / _GIGA for ms in reversed(found.spread("solve")))
            rate = count / (solve * 1e-3) / _GIGA
            return self._mark(found, spec, rate, low, high, f"{three_digits(rate)} G relaxations/s")

        lines = self._lines(spec, mark)
        if self.bandwidth and any(line.marks for line in lines):
            limit = self.bandwidth / _BYTES_OF_RELAXATION / _GIGA
            lines.append(
                _level(lines, limit, f"memory limit, {_BYTES_OF_RELAXATION} B a relaxation")
            )
        return self._chart(spec, "10⁹ relaxations per second", lines, y_log=True)

    def _phases(self, spec: ChartSpec) -> ChartData:
        """Of the graph on which most was measured; of several the largest."""
        on_graph: dict[str, list[Measurement]] = {
            sha256: [] for sha256 in reversed(graph_order(self._timed))
        }
        for found in self._selected(spec):
            on_graph[found.graph.sha256].append(found)
        here = max(on_graph.values(), key=len, default=[])
        names = tuple(found.point.title for found in here)
        lines = []
        for phase, label in _PHASES.items():
            heights = [statistics.median(found.kept.times(phase)) for found in here]
            marks = (
                ChartMark(
                    i,
                    ms,
                    ms,
                    ms,
                    f"{names[i]}, {label}: {format_duration(ms)}",
                    point=_point_of(here[i]),
                )
                for i, ms in enumerate(heights)
            )
            lines.append(Line(label, PHASE_COLOURS[phase], 0, tuple(marks)))
        place = here[0].point.graph.title if here else ""
        title = f"{spec.title}: {place}" if place else spec.title
        return ChartData(
            title,
            Axis("", categories=names),
            Axis("time, ms"),
            tuple(lines),
            is_stacked=True,
            remark=hosts_sentence(here),
        )

    def _selected(self, spec: ChartSpec) -> list[Measurement]:
        return [found for found in self._timed if not spec.series or found.label in spec.series]

    def _lines(
        self, spec: ChartSpec, mark: Callable[[Measurement], ChartMark | None]
    ) -> list[Line]:
        """A line for each series and each combination of what is swept besides the x axis."""
        groups: dict[tuple[str, str], list[ChartMark]] = {}
        for found in self._selected(spec):
            made = mark(found)
            if made is not None:
                groups.setdefault((found.label, self._line_label(found, spec)), []).append(made)
        lines: list[Line] = []
        for (label, title), marks in groups.items():
            colour = self._colour(label)
            shape = sum(line.colour == colour for line in lines)
            lines.append(Line(title, colour, shape, tuple(sorted(marks, key=lambda one: one.x))))
        return lines

    def _colour(self, label: str) -> Colour:
        """That of the variant of a series."""
        return variant_colours(
            next(one.variant.id for one in self.experiment.series if one.label == label)
        )

    def _line_label(self, found: Measurement, spec: ChartSpec) -> str:
        others = [name for name in found.point.series.swept if name != spec.x]
        parts = [found.label, *(f"{name} {format_value(found.value(name))}" for name in others)]
        several = len({one.graph.sha256 for one in self._selected(spec)}) > 1
        if spec.x not in _X_LABELS and several:
            parts.append(found.point.graph.title)
        return ", ".join(parts)

    def _mark(
        self, found: Measurement, spec: ChartSpec, y: float, low: float, high: float, words: str
    ) -> ChartMark:
        trials = plural(len(found.kept.times()), "trial")
        told = f"{found.point.title} on {found.point.graph.title}: {words}, {trials}"
        told += f", on {found.machine.host}" if found.machine.host else ""
        told += "".join(f". {d.words}" for d in found.doubts)
        x = self._x(found.value(spec.x), spec)
        return ChartMark(x, y, low, high, told, bool(found.doubts), _point_of(found))

    def _x(self, value: Any, spec: ChartSpec) -> float:
        if spec.x == "graph":
            return float(self._categories(spec).index(value))
        return float(value) if isinstance(value, int | float) else 0.0

    def _categories(self, spec: ChartSpec) -> tuple[str, ...]:
        if spec.x != "graph":
            return ()
        names = dict.fromkeys(one.value("graph") for one in self._timed)
        return tuple(names)

    def _published(self, spec: ChartSpec) -> Iterable[Line]:
        """Values of the paper at places that the x axis has; total times only."""
        for entry in self.experiment.published:
            if spec.series and entry.series not in spec.series:
                continue
            marks = tuple(sorted(self._published_marks(entry, spec), key=lambda one: one.x))
            if marks:
                label = f"{entry.series}, {self.experiment.paper}"
                yield Line(label, self._colour(entry.series), 0, marks, is_published=True)

    def _published_marks(self, entry: Published, spec: ChartSpec) -> Iterable[ChartMark]:
        categories = self._categories(spec)
        for point in entry.points:
            where = point.at.get(spec.x)
            if where is None or (categories and where not in categories):
                continue
            doubt = "" if entry.exact else ", read off"
            words = f"{format_duration(point.ms)}{doubt}: {entry.source}, {entry.hardware}"
            yield ChartMark(
                self._x(where, spec),
                point.ms,
                point.ms,
                point.ms,
                f"{self.experiment.paper}: {words}",
            )

    def _chart(
        self, spec: ChartSpec, y_label: str, lines: Sequence[Line], *, y_log: bool = False
    ) -> ChartData:
        shown = tuple(line for line in lines if line.marks)
        categories = self._categories(spec)
        is_log = spec.log or y_log
        x_log = (
            not categories
            and all(mark.x > 0 for line in shown for mark in line.marks)
            and _is_wide(shown)
        )
        titles = graph_titles(self.experiment)
        ticks = tuple(titles.get(key, key) for key in categories)
        x = Axis(_X_LABELS.get(spec.x, spec.x), x_log and (spec.log or spec.x in _X_LABELS), ticks)
        remark = hosts_sentence(self._selected(spec))
        return ChartData(spec.title, x, Axis(y_label, is_log), shown, remark=remark)


def relaxations_of(found: Measurement) -> float | None:
    """Relaxations of one trial: counted, or n³ for Floyd-Warshall; None if unknown."""
    if found.kept.algorithm == Algorithm.FLOYD_WARSHALL:
        return float(found.graph.vertices) ** 3
    counted = [
        t.relaxations for t in found.kept.trials if t.relaxations is not None and not t.is_warmup
    ]
    return statistics.median(counted) if counted else found.kept.relaxations


def _point_of(found: Measurement) -> str:
    return f"{found.point.key} on {found.point.graph.key}"


def _phase_words(phase: str) -> str:
    return "total time" if phase == "total" else "solve time"


def _with_slope(line: Line) -> Line:
    slope = slope_of(line.marks)
    return Line(line.label, line.colour, line.shape, line.marks, slope=slope)


def _ideal_time(line: Line) -> Line:
    """The first time divided by how many times more units there are."""
    first = line.marks[0]
    marks = (ChartMark(m.x, first.y * first.x / m.x, 0.0, 0.0, "") for m in line.marks if m.x > 0)
    return Line("ideal", line.colour, 0, tuple(marks), is_ideal=True)


def _efficiencies(line: Line) -> Line:
    first = next((mark for mark in line.marks if mark.x == 1), None)
    if first is None:
        return Line(line.label, line.colour, line.shape, ())
    marks = []
    for mark in line.marks:
        share = first.y / (mark.y * mark.x)
        words = f"efficiency {three_digits(share)} with {format_count(int(mark.x))}: {mark.words}"
        low, high = first.y / (mark.high * mark.x), first.y / (mark.low * mark.x)
        marks.append(ChartMark(mark.x, share, low, high, words, mark.is_disturbed, mark.point))
    return Line(line.label, line.colour, line.shape, tuple(marks))


def _level(lines: Sequence[Line], y: float, label: str) -> Line:
    """A horizontal reference over the extent of the lines."""
    places = [mark.x for line in lines for mark in line.marks]
    ends = dict.fromkeys((min(places), max(places))) if places else {}
    return Line(
        label, role("muted"), 0, tuple(ChartMark(x, y, y, y, label) for x in ends), is_ideal=True
    )


def _is_wide(lines: Sequence[Line]) -> bool:
    places = [mark.x for line in lines for mark in line.marks]
    return bool(places) and max(places) >= 4 * min(places)
