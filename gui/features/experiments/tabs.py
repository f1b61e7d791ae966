"""Tabs of the page of an experiment: points, claims and charts.

Points have their expected or measured time. In charts, hover and hide are linked across
charts; axes may be logarithmic, and what is drawn can be exported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QHeaderView,
    QScrollArea,
    QToolButton,
    QToolTip,
    QTreeWidgetItem,
    QWidget,
)

from gui.style.forms import NO_MARGINS, as_html, column_of, row_of, scrolling, tool_button
from gui.style.paint import bold, scaled_font
from gui.style.tables import make_tree
from gui.style.text import escape_controls, tool_tip
from gui.style.theme import tokens
from gui.style.widgets import EmptyState, PlainLabel, QuietLabel, clear_layout, on_scheme_change
from solvers.features.experiments.chart_files import ChartView, can_be_log, exported, viewed
from solvers.features.experiments.claims import ClaimVerdict, Judgement
from solvers.features.experiments.forecast import GridForecast, PointForecast
from solvers.features.experiments.measurement import Measurement, Omission
from solvers.features.experiments.probe import has_guesses, is_worth_probing
from solvers.picture.charts.table import ChartData
from solvers.running.estimate import EstimateBasis
from solvers.text import format_duration, plural, rounded_duration

MOST_LISTED = 1000
"""Rows of more points would keep the window waiting; the others are counted."""

_GRAPH, _VARIANT, _STATE = range(3)
_LEAST_ROWS = 10

_NO_CLAIMS = "Start the experiment to compare the paper's claims with the measurements."

_NO_CHARTS = "Start the experiment: its charts are drawn when it ends."
HEIGHT = 360  # pixels of a chart


@dataclass(frozen=True)
class ForecastView:
    """What a page shows of a forecast; made in a job, as forecasts may have a million points."""

    points: tuple[PointForecast, ...]  # the first of them; ``others`` counts the rest
    others: int
    words: str  # one line on all of them
    is_runnable: bool
    has_guesses: bool
    will_probe: bool  # whether the start replaces guesses by single trials

    @classmethod
    def of(cls, look: GridForecast, *, is_probed: bool = False) -> ForecastView:
        """The view; what is still a guess after a probe stays one."""
        shown = look.points[:MOST_LISTED]
        return cls(
            shown,
            len(look.points) - len(shown),
            look.words,
            bool(look.runnable),
            not is_probed and has_guesses(look),
            not is_probed and is_worth_probing(look),
        )


class ExperimentPoints(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.tree = make_tree(("Graph", "Variant", "Time"), "Points")
        self.tree.setRootIsDecorated(False)
        self.tree.setIndentation(14)
        self.tree.header().setStretchLastSection(True)
        for column in (_GRAPH, _VARIANT):
            self.tree.header().setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        self.tree.setMinimumHeight(_LEAST_ROWS * self.tree.fontMetrics().lineSpacing())
        self._items: dict[int, QTreeWidgetItem] = {}
        column_of(self.tree, parent=self, margins=NO_MARGINS)

    def show_forecast(self, view: ForecastView | None) -> None:
        """List the points with their expected time, or why they are left out; none
        without a view.
        """
        self.tree.clear()
        self._items.clear()
        for one in () if view is None else view.points:
            words = one.reason or f"about {rounded_duration(one.seconds)}"
            if one.basis is EstimateBasis.MODEL and not one.reason:
                words += ", guessed"
            item = QTreeWidgetItem(
                [
                    escape_controls(one.point.graph.title),
                    escape_controls(one.point.title),
                    escape_controls(words),
                ]
            )
            item.setToolTip(
                _STATE, tool_tip(words if one.reason else f"{words}: {one.basis.words}")
            )
            _mute(item, bool(one.reason))
            self._items[id(one.point)] = item
        items = list(self._items.values())
        if view is not None and view.others:
            items.append(QTreeWidgetItem([f"and {plural(view.others, 'other point')}"]))
        self.tree.addTopLevelItems(items)

    def show_outcome(self, outcome: Measurement | Omission) -> None:
        item = self._items.get(id(outcome.point))
        if item is None:
            return
        words = outcome.reason if isinstance(outcome, Omission) else _measured_words(outcome)
        item.setText(_STATE, escape_controls(words))
        item.setToolTip(_STATE, tool_tip(words))
        _mute(item, isinstance(outcome, Omission))
        self.tree.scrollToItem(item)


def _mute(item: QTreeWidgetItem, on: bool) -> None:
    item.setForeground(_STATE, QColor(tokens().muted if on else tokens().text))


def _measured_words(found: Measurement) -> str:
    median = found.median()
    if median is None:
        return found.kept.error or "no trial ended well"
    words = f"{format_duration(median)}, {plural(len(found.kept.times()), 'trial')}"
    if not found.is_timed:
        words += ", the answer is wrong"
    if found.machine.host:
        words += f", on {found.machine.host}"
    return words + (", from the store" if found.is_earlier else "")


def claims_html(judgements: Sequence[Judgement]) -> str:
    """The claims with verdict, figure and source, in the colours of the scheme."""
    t = tokens()
    if not judgements:
        return f'<p style="color:{t.muted}">{_NO_CLAIMS}</p>'
    colours = {ClaimVerdict.HOLDS: t.good, ClaimVerdict.FAILS: t.bad}
    parts = []
    for found in judgements:
        colour, words = colours.get(found.verdict, t.muted), as_html(found.verdict.value)
        verdict = f'<b style="color:{colour}">{words}</b>'
        taken = f"Measured {as_html(found.figure)}; taken" if found.figure else "Taken"
        reason = (
            f"<br>{as_html(found.reason[:1].upper() + found.reason[1:])}." if found.reason else ""
        )
        remark = f"<br>{as_html(found.remark)}" if found.remark else ""
        told = f"{taken} as {as_html(found.needed)}.{reason}{remark}"
        parts.append(
            f'<p style="margin:10px 0 0 0">{verdict} &nbsp;{as_html(found.claim.text)} '
            f'<span style="color:{t.muted}">({as_html(found.claim.source)})</span></p>'
            f'<p style="margin:2px 0 0 0;color:{t.muted}">{told}</p>'
        )
    return "".join(parts)


class ExperimentCharts(QScrollArea):
    """The charts one below the other, as wide as there is room. A point lit in one is
    lit in all.
    """

    export_requested = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Charts")
        holder = QWidget()
        self._column = column_of(parent=holder)
        scrolling(holder, self)
        self.drawings: list[ChartDrawing] = []
        self.show_charts(())

    def show_charts(self, charts: Sequence[ChartData]) -> None:
        clear_layout(self._column)
        self.drawings = [ChartDrawing(chart) for chart in charts]
        for drawing in self.drawings:
            drawing.hovered.connect(self._light)
            drawing.key_clicked.connect(self._toggle)
            drawing.export_requested.connect(self.export_requested)
            self._column.addWidget(drawing)
            if drawing.remark:
                self._column.addWidget(QuietLabel(escape_controls(drawing.remark)))
        if not charts:
            self._column.addWidget(EmptyState(_NO_CHARTS))

    @property
    def drawn(self) -> tuple[ChartData, ...]:
        """Every chart as it is drawn: without hidden lines, on the axes chosen."""
        return tuple(drawing.drawn for drawing in self.drawings)

    def _light(self, point: str, label: str) -> None:
        for drawing in self.drawings:
            drawing.light(point, label)

    def _toggle(self, label: str, hide: bool) -> None:
        for drawing in self.drawings:
            drawing.show_line(label, not hide)


class ChartDrawing(QWidget):
    """One chart, with buttons for its axes and its export."""

    # the measured point and the label of the line under the pointer; "" for none
    hovered = Signal(str, str)
    # label of a line whose name was clicked, and whether it is to be hidden
    key_clicked = Signal(str, bool)
    export_requested = Signal(object)

    def __init__(self, chart: ChartData):
        super().__init__()
        # imported here: pyqtgraph is slow, and few sessions open an experiment
        from gui.charts.plot import ChartPlot

        self._chart = chart
        self.view = ChartView()
        self._lit = ("", "")
        self.plot = ChartPlot()
        self.plot.setMinimumHeight(HEIGHT)
        self.setAccessibleName(chart.title)
        title = PlainLabel(chart.title)
        title.setFont(bold(title.font()))
        title.setWordWrap(True)
        column_of(
            row_of((title, 1), *self._tools()), (self.plot, 1), parent=self, margins=NO_MARGINS
        )
        self.plot.scene().sigMouseMoved.connect(self._hover)
        self.plot.name_clicked.connect(self._click_name)
        on_scheme_change(self._load)
        self._load()

    @property
    def remark(self) -> str:
        """What is to be said below it; "" for nothing."""
        return self._chart.remark

    @property
    def drawn(self) -> ChartData:
        return exported(self._chart, self.view)

    def show_view(self, view: ChartView) -> None:
        self.view = view
        self._load()

    def show_line(self, label: str, shown: bool) -> None:
        """Show or hide the line of that name, where the chart has one; a baseline's
        reference of that name stays.
        """
        named = [i for i, line in enumerate(self._chart.lines) if line.label == label]
        measured = [i for i in named if not self._chart.lines[i].is_ideal]
        for index in measured or named[:1]:
            if (index in self.view.hidden) is shown:
                self.show_view(self.view.toggled(self._chart, index))

    def light(self, point: str, label: str) -> None:
        """Ring the marks of a measured point, and tint those of the line with that name."""
        if (point, label) != self._lit:
            self._lit = (point, label)
            self.plot.light(point, label)

    def _load(self) -> None:
        t, font = tokens(), scaled_font(self.font(), 0.92)
        self.plot.setBackground(t.panel)
        self.plot.show_chart(viewed(self._chart, self.view), t, font, self.view.hidden)
        self._lit = ("", "")

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.hovered.emit("", "")

    def _hover(self, scene: QPointF) -> None:
        name, mark = self.plot.name_at(scene), self.plot.mark_at(scene)
        shape = Qt.CursorShape
        self.plot.setCursor(shape.ArrowCursor if name is None else shape.PointingHandCursor)
        point = label = words = ""
        if name is not None:
            label = self._chart.lines[name].label
            words = f"{label}. Click to {'show' if name in self.view.hidden else 'hide'} it."
        elif mark is not None:
            point, label = mark.mark.point, self._chart.lines[mark.line].label
            words = mark.mark.words
        self.hovered.emit(point, label)
        place = self.plot.mapToGlobal(self.plot.mapFromScene(scene))
        QToolTip.showText(place, tool_tip(words) if words else "", self.plot)

    def _click_name(self, index: int) -> None:
        self.key_clicked.emit(self._chart.lines[index].label, index not in self.view.hidden)

    def _tools(self) -> tuple[QToolButton, ...]:
        self.x_button, self.y_button = self._scale_button("x"), self._scale_button("y")
        self.export_button = tool_button(
            "Export…",
            "Write this chart as it is drawn: PNG, SVG, PDF, CSV or pgfplots",
            lambda: self.export_requested.emit(self.drawn),
            name=f"Export {self._chart.title}",
        )
        for button, axis, possible in zip(
            (self.x_button, self.y_button),
            (self._chart.x, self._chart.y),
            can_be_log(self._chart),
            strict=True,
        ):
            button.setChecked(axis.is_log)
            button.setVisible(possible)
            button.toggled.connect(self._take_scales)
        return self.x_button, self.y_button, self.export_button

    def _scale_button(self, axis: str) -> QToolButton:
        tip, chart = f"Logarithmic {axis} axis", self._chart.title
        button = tool_button(f"Log {axis}", tip, name=f"{tip} of {chart}")
        button.setCheckable(True)
        return button

    def _take_scales(self) -> None:
        x_log, y_log = self.x_button.isChecked(), self.y_button.isChecked()
        self.show_view(ChartView(self.view.hidden, x_log, y_log))
