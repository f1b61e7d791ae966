"""What is drawn of a chart: all of its lines or some of them, on linear or logarithmic axes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from solvers.experiments.chart_data import Axis, ChartData


@dataclass(frozen=True)
class ChartView:
    """Choices of a reader; the chart's own where None.

    Attributes
    ----------
    hidden : frozenset of int
        Indices of lines.
    x_log, y_log : bool or None
    """

    hidden: frozenset[int] = frozenset()
    x_log: bool | None = None
    y_log: bool | None = None

    def toggled(self, chart: ChartData, line: int) -> ChartView:
        """With that line hidden if it was shown, and shown if it was hidden; references of one name go together."""
        label = chart.lines[line].label
        same = {i for i, one in enumerate(chart.lines) if one.is_ideal and one.label == label}
        return replace(self, hidden=self.hidden ^ (same if line in same else {line}))


def can_be_log(chart: ChartData) -> tuple[bool, bool]:
    """Whether the x and the y axis can be logarithmic: numbers above 0, and no stacked bars."""
    marks = [mark for line in chart.lines for mark in line.marks]
    x = not chart.x.categories and bool(marks) and all(mark.x > 0 for mark in marks)
    return x, not chart.is_stacked and bool(marks) and all(mark.y > 0 for mark in marks)


def viewed(chart: ChartData, view: ChartView) -> ChartData:
    """The chart with those axes; hidden lines keep their place, without marks."""
    return replace(
        chart,
        x=_with_scale(chart.x, view.x_log),
        y=_with_scale(chart.y, view.y_log),
        lines=tuple(
            replace(line, marks=(), slope=None) if index in view.hidden else line
            for index, line in enumerate(chart.lines)
        ),
    )


def exported(chart: ChartData, view: ChartView) -> ChartData:
    """As `viewed`, but without the hidden lines: exactly what is drawn."""
    found = viewed(chart, view)
    return replace(found, lines=tuple(line for i, line in enumerate(found.lines) if i not in view.hidden))


def _with_scale(axis: Axis, is_log: bool | None) -> Axis:
    return axis if is_log is None else replace(axis, is_log=is_log)
