"""A chart of the board: header with controls, empty state and plot, which follow the
session; what the pointer and keys do with rows and iterations.

The plot is made when there is first something to show: pyqtgraph takes long to import.
`Switch` is a row of exclusive text buttons above a chart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPointF, Qt
from PySide6.QtGui import QColor, QKeyEvent, QResizeEvent, QShowEvent, QWheelEvent
from PySide6.QtWidgets import (
    QApplication,
    QButtonGroup,
    QHBoxLayout,
    QScrollBar,
    QSizePolicy,
    QToolButton,
    QToolTip,
    QWidget,
)

from gui.model.playback import Playback
from gui.model.session import Session
from gui.model.settings import UNIT, VALUES, DisplayChoices
from gui.style.forms import NO_MARGINS, column_of, row_of, tool_button
from gui.style.paint import faded, scaled_font
from gui.style.text import on_type_size_change, scaled_px, tool_tip
from gui.style.theme import tokens
from gui.style.widgets import GAP, EmptyState, PlainLabel, on_scheme_change
from solvers.core.result import Result
from solvers.core.trace import ActivityTrace, MatrixTrace
from solvers.picture.charts.table import ChartData
from solvers.running.answers.answer import PathAnswer
from solvers.text import plural

if TYPE_CHECKING:
    from gui.charts.plot import ChartPlot

_ROUTE = ("target", "path")  # of a result: what another target changes
_AROUND_ROWS = 62  # pixels of axis, its label and margins, in usual type
_ROWS_FIRST, _LEGEND_PX = 4, 100  # rows that come before a legend of that height
_LEAST_ROWS = 2  # visible at once, whatever the chart's height
LOW_PX = 200  # height in usual type below which rows come before the legend
_LEAST_PX = 170  # height of a chart of curves


@dataclass(frozen=True)
class ChartSubject:
    """What one chart of the board shows."""

    title: str
    empty_text: str
    # what the session has to show, by the choices; None for nothing
    table: Callable[[Session, DisplayChoices], ChartData | None]
    switches: tuple[tuple[str, str], ...] = ()  # names of choices, and their tips
    has_rows: bool = False  # of variants, which can be selected
    has_phases: bool = False  # its iterations are also phases of all-pairs runs
    # what a tool tip says at an iteration, or at a value of a histogram; "" for nothing
    words_at: Callable[[Session, DisplayChoices, float], str] | None = None
    # what is missing of what is chosen, after ``empty_text``
    missing: Callable[[DisplayChoices], str] | None = None


def _measured_parts(session: Session) -> list[object]:
    """All that the results hold, but for what another target changes, and which of them
    is the baseline.
    """
    names = [field.name for field in fields(Result) if field.name not in _ROUTE]
    baseline = session.results.baseline
    return [
        None if baseline is None else baseline.variant,
        *(getattr(result, name) for result in session.results.all for name in names),
    ]


class Chart(QWidget):
    """One chart, whose table is made from the session for the screen and for files."""

    def __init__(
        self,
        session: Session,
        kind: ChartSubject,
        choices: DisplayChoices | None = None,
        playback: Playback | None = None,
    ):
        super().__init__()
        self.session, self.kind, self.title = session, kind, kind.title
        self.choices, self._playback = choices or DisplayChoices(parent=self), playback
        self.choices.changed.connect(self._follow_choice)
        self.table: ChartData | None = None  # as shown
        self._stale = False
        self._parts: list[object] = []  # of the results that were followed last
        self.controls = QHBoxLayout()
        self.controls.setSpacing(GAP)
        self.heading = PlainLabel(self.title)
        font = self.heading.font()
        font.setBold(True)
        self.heading.setFont(font)
        self.controls.addWidget(self.heading)
        self.controls.addStretch(1)
        self.switches = {name: self._add_switch(name, tip) for name, tip in kind.switches}
        self.empty = EmptyState(kind.empty_text)
        layout = column_of(
            self.controls, (self.empty, 1), parent=self, margins=(GAP, GAP, GAP, GAP), spacing=2
        )
        self.body = row_of(spacing=0)
        layout.addLayout(self.body, 1)
        self.setAccessibleName(self.title)
        if kind.has_rows:
            self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        on_scheme_change(self.refresh)
        on_type_size_change(self.follow)
        on_type_size_change(self._fit_controls)
        session.results.changed.connect(self.follow_results)
        session.results.selection_changed.connect(self._emphasise)
        session.results.run_state_changed.connect(self._follow_run)
        self.refresh()

    @cached_property
    def view(self) -> ChartPlot:
        """The plot, made at the first call."""
        from gui.charts.plot import ChartPlot

        view = ChartPlot()
        self.body.addWidget(view, 1)
        if self.kind.words_at is not None:
            view.scene().sigMouseMoved.connect(self._tell)
        return view

    @cached_property
    def rows(self) -> ChartRows | None:
        """What the pointer does with rows, if there are any."""
        return ChartRows(self) if self.kind.has_rows else None

    @cached_property
    def playhead(self) -> IterationCursor | None:
        """The play-back's position, in a chart over iterations."""
        return None if self._playback is None else IterationCursor(self, self._playback)

    @property
    def is_drawn(self) -> bool:
        """Whether there was anything to show yet."""
        return "view" in vars(self)

    def _add_switch(self, name: str, tip: str) -> Switch:
        """Add buttons for the values of a choice of `DisplayChoices`."""
        switch = Switch(VALUES[name], tip)
        switch.show_choice(self.choices[name])
        switch.group.buttonClicked.connect(lambda: self.choices.choose(name, switch.chosen))
        self.controls.addWidget(switch)
        return switch

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_controls()
        if self.is_drawn:
            self._fit_legend()

    def _fit_controls(self) -> None:
        """Show only the chosen ones of the switches where there is no room for all."""
        parts = [
            item.widget()
            for i in range(self.controls.count())
            if (item := self.controls.itemAt(i)) is not None
        ]
        switches = self.switches.values()
        others = [
            part
            for part in parts
            if part is not None and part not in switches and not part.isHidden()
        ]
        whole = sum(part.sizeHint().width() for part in others)
        whole += sum(switch.full_width for switch in switches)
        whole += self.controls.spacing() * (len(parts) - 1)
        for switch in switches:
            switch.set_compact(whole > self.width() - 2 * GAP)

    def _fit_legend(self) -> None:
        height, rows = self.view.height(), 0 if self.table is None else len(self.table.x.categories)
        beside = height - scaled_px(_AROUND_ROWS) - min(rows, _ROWS_FIRST) * self.view.row_px
        low = height < scaled_px(LOW_PX) or beside < scaled_px(_LEGEND_PX)
        self.view.shorten_legend(self.kind.has_rows and low)

    def _follow_choice(self, name: str) -> None:
        if name in self.switches:
            self.switches[name].show_choice(self.choices[name])
        if name in self.switches or (name == UNIT and self.kind.has_rows):
            self.follow()

    def _follow_run(self) -> None:
        """Show new trials of the variant being run."""
        if self.kind.has_rows and self.make_table() != self.table:
            self.follow()

    def make_table(self) -> ChartData | None:
        """What the session has to show now."""
        return self.kind.table(self.session, self.choices)

    def refresh(self) -> None:
        """Show the session."""
        self._stale = False
        self.table = self.make_table()
        self.empty.setVisible(self.table is None)
        if self.kind.missing is not None:
            self.empty.setText(f"{self.kind.empty_text}\n\n{self.kind.missing(self.choices)}")
        if self.table is None and not self.is_drawn:
            return
        self.view.setVisible(self.table is not None)
        if self.table is not None:
            self.view.setBackground(tokens().panel)
            self._fit_legend()
            self.view.show_chart(self.table, tokens(), scaled_font(self.font(), 0.92))
            if self.rows is not None:
                self.rows.fit()
            self.view.setMinimumHeight(self._needed_height())
        if self.playhead is not None:
            self.playhead.follow()
        self._emphasise()

    def follow(self) -> None:
        """Refresh in a turn of its own if visible, else when next shown; at once in a
        window that is not shown yet.
        """
        self._stale = True
        if self.isVisible():
            self.session.window.once(self._catch_up)
        elif not self.window().isVisible():
            self.refresh()

    def _catch_up(self) -> None:
        """Refresh, if something has changed since that was last done and this is still visible."""
        if self._stale and self.isVisible():
            self.refresh()

    def follow_results(self) -> None:
        """Follow the session's results, unless only their paths differ, as after the
        target was moved.
        """
        shown = _measured_parts(self.session)
        if len(shown) != len(self._parts) or any(
            a is not b for a, b in zip(shown, self._parts, strict=True)
        ):
            self._parts = shown
            if self.isVisible() and self.kind.has_rows:
                self._follow_run()  # a trace, for one, changes no row
            else:
                self.follow()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self.empty.hide()  # its words may no longer hold
            self.session.window.once(self._catch_up)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        rows = self.rows if self.is_drawn else None
        if rows is None or step is None or not rows.step(step):
            super().keyPressEvent(event)

    def _needed_height(self) -> int:
        """Least height in pixels at which labels do not touch."""
        if self.rows is None:
            return _LEAST_PX
        rows = min(len(self.rows.keys), _LEAST_ROWS)
        return rows * self.view.row_px + scaled_px(_AROUND_ROWS)

    def _emphasise(self) -> None:
        """Show what is selected."""
        if self.table is None:
            return
        if self.rows is not None:
            self.rows.follow_selection()
        elif self.table.curves:
            self.view.emphasise_curve(self.session.results.selected_id)

    def to_export(self) -> ChartData | None:
        """The table with graph and answer below its title, as files stand without the
        window's words.
        """
        table, graph = self.make_table(), self.session.graph
        if table is None or graph is None:
            return table
        size = f"{plural(graph.n, 'vertex', 'vertices')}, {plural(graph.m, 'arc')}"
        source, result = self.session.source, self.session.shown_result
        words = "" if source is None else f"; source {graph.vertex_label(source)}"
        if result is not None and (answer := PathAnswer.of_result(result)) is not None:
            words = f"; {answer.ends_text}: {answer.short_text}"
        return replace(table, subtitle=f"{graph.name}: {size}{words}")

    def _tell(self, scene: QPointF) -> None:
        if self.table is None or self.kind.words_at is None:
            return
        self.show_tip(
            scene, self.kind.words_at(self.session, self.choices, float(self.view.at(scene).x()))
        )

    def show_tip(self, scene: QPointF, words: str) -> None:
        """Show words beside a point of the plot; "" shows none."""
        place = self.view.mapToGlobal(self.view.mapFromScene(scene))
        QToolTip.showText(place, tool_tip(words) if words else "", self.view)


class ChartRows(QObject):
    """The rows of a chart, one per variant: hovering shows words, a click or Up and Down
    selects; they scroll if they do not all fit, while axis and legend stay.
    """

    def __init__(self, chart: Chart):
        super().__init__(chart)
        self._chart, self._view = chart, chart.view
        self.keys: tuple[str, ...] = ()
        self._words: tuple[str, ...] = ()
        self.hovered: str | None = None
        self.scroll_bar = QScrollBar(Qt.Orientation.Vertical)
        self.scroll_bar.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.scroll_bar.valueChanged.connect(self._place)
        self.scroll_bar.hide()
        chart.body.addWidget(self.scroll_bar)
        self._view.viewport().installEventFilter(self)
        self._view.box.sigResized.connect(self.fit)
        scene = self._view.scene()
        scene.sigMouseMoved.connect(self._hover)
        scene.sigMouseClicked.connect(lambda event: self._click(event.scenePos()))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Scroll the rows with the mouse wheel."""
        if isinstance(event, QWheelEvent) and self.scroll_bar.isVisibleTo(self._chart):
            QApplication.sendEvent(self.scroll_bar, event)
            return True
        return False

    def fit(self, *_: object) -> None:
        """Take over the rows of the table, as many as fit."""
        table = self._chart.table
        if table is None:
            self.scroll_bar.hide()
            return
        by_row = {round(m.x): m for one in table.lines if not one.is_ideal for m in one.marks}
        marks = [by_row[row] for row in range(len(table.x.categories))]
        self.keys = tuple(mark.point for mark in marks)
        self._words = tuple(mark.words for mark in marks)
        fitting = max(1, int(self._view.box.height() / self._view.row_px))
        self.scroll_bar.setRange(0, max(0, len(self.keys) - fitting))
        self.scroll_bar.setPageStep(fitting)
        self.scroll_bar.setVisible(self.scroll_bar.maximum() > 0)
        self._place()

    def follow_selection(self) -> None:
        """Lay a stripe behind the selected row, and scroll to it."""
        self._lay_stripes()
        selected, bar = self._chart.session.results.selected_id, self.scroll_bar
        if selected in self.keys and bar.maximum():
            row, first = self.keys.index(selected), bar.value()
            if row < first:
                bar.setValue(row)
            elif row >= first + bar.pageStep():
                bar.setValue(row - bar.pageStep() + 1)

    def step(self, by: int) -> bool:
        """Select the next or the previous row; False without any."""
        results = self._chart.session.results
        if not self.keys:
            return False
        now = self.keys.index(results.selected_id) if results.selected_id in self.keys else -1
        results.select(self.keys[min(max(0, now + by), len(self.keys) - 1)])
        return True

    def words_of(self, variant_id: str) -> str:
        return dict(zip(self.keys, self._words, strict=True)).get(variant_id, "")

    def _place(self) -> None:
        self._view.show_rows(
            self.scroll_bar.value(), max(1, len(self.keys) - self.scroll_bar.maximum())
        )
        self._lay_stripes()

    def _lay_stripes(self) -> None:
        selection = tokens().selection
        wanted = ((self.hovered, 0.35), (self._chart.session.results.selected_id, 0.75))
        self._view.emphasise(
            {
                name: (self.keys.index(key), QColor(faded(selection, opacity)))
                for name, (key, opacity) in zip(("hovered", "selected"), wanted, strict=True)
                if key in self.keys
            }
        )

    def _key_at(self, scene: QPointF) -> str | None:
        row = None if self._chart.table is None else self._view.row_at(scene)
        return None if row is None else self.keys[row]

    def _hover(self, scene: QPointF) -> None:
        key = self._key_at(scene)
        if key != self.hovered:
            self.hovered = key
            self._lay_stripes()
        cursor = Qt.CursorShape.PointingHandCursor if key else Qt.CursorShape.ArrowCursor
        self._view.setCursor(cursor)
        if key is not None:
            self._chart.show_tip(scene, self.words_of(key))

    def _click(self, scene: QPointF) -> None:
        if (key := self._key_at(scene)) is not None:
            self._chart.session.results.select(key)


class IterationCursor(QObject):
    """The play-back's position in a chart over iterations; a click or drag seeks it."""

    def __init__(self, chart: Chart, playback: Playback):
        super().__init__(chart)
        self._chart, self._playback = chart, playback
        self.iteration: float | None = None
        playback.trace_changed.connect(self.follow)
        playback.moved.connect(self.follow)
        scene = chart.view.scene()
        scene.sigMouseClicked.connect(lambda event: self._seek(event.scenePos()))

    def follow(self, *_: object) -> None:
        """Move to the play-back's position, counted from 1; be unseen without a trace."""
        trace = self._trace()
        has_one = trace is not None and len(trace) and self._chart.table is not None
        self.iteration = (
            float(self._playback.position * stride_of(trace) + 1) if has_one and trace else None
        )
        self._chart.view.show_cursor(self.iteration, tokens())

    def _trace(self) -> ActivityTrace | MatrixTrace | None:
        """The trace of the play-back, if the chart can show it."""
        trace = self._playback.trace
        if isinstance(trace, MatrixTrace):
            return trace if self._chart.kind.has_phases else None
        return trace if isinstance(trace, ActivityTrace) else None

    def _seek(self, scene: QPointF) -> None:
        trace = self._trace()
        if self._chart.table is not None and trace is not None:
            iteration = self._chart.view.at(scene).x()
            self._playback.pause()
            self._playback.seek(max(0, round((iteration - 1) / stride_of(trace))))


def stride_of(trace: ActivityTrace | MatrixTrace) -> int:
    """Iterations that each kept one represents; of an all-pairs run every phase is kept."""
    return trace.stride if isinstance(trace, ActivityTrace) else 1


class Switch(QWidget):
    """Row of exclusive text buttons; compact, only the chosen one, on which a click
    chooses the next.
    """

    def __init__(self, choices: tuple[str, ...], tip: str):
        super().__init__()
        self.group = QButtonGroup(self)
        self.buttons: dict[str, QToolButton] = {}
        self._compact = False
        self._last = choices[0]
        self._tip = tip
        for choice in choices:
            button = self.buttons[choice] = tool_button(choice, tip)
            button.setCheckable(True)
            button.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
            self.group.addButton(button)
        row_of(*self.buttons.values(), parent=self, margins=NO_MARGINS, spacing=0)
        self.buttons[choices[0]].setChecked(True)
        self.group.buttonClicked.connect(self._follow_click)

    @property
    def chosen(self) -> str:
        return next(choice for choice, button in self.buttons.items() if button.isChecked())

    def show_choice(self, choice: str) -> None:
        """Check a button without acting as if it had been pressed."""
        self.buttons[choice].setChecked(True)
        self._show_buttons()

    def set_compact(self, compact: bool) -> None:
        if compact != self._compact:
            self._compact = compact
            self._show_buttons()

    @property
    def full_width(self) -> int:
        return sum(button.sizeHint().width() for button in self.buttons.values())

    def _follow_click(self) -> None:
        if self._compact and self.chosen == self._last:
            choices = list(self.buttons)
            self.buttons[choices[(choices.index(self._last) + 1) % len(choices)]].setChecked(True)
        self._show_buttons()

    def _show_buttons(self) -> None:
        self._last = self.chosen
        others = ", ".join(choice for choice in self.buttons if choice != self._last)
        for choice, button in self.buttons.items():
            button.setVisible(not self._compact or choice == self._last)
            button.setToolTip(
                tool_tip(
                    f"{self._tip}; a click changes to: {others}" if self._compact else self._tip
                )
            )
