"""The one place of results: who won, the table and, below it, the charts; before the
first run, a picture of them.

The line above the results says which variant won, by how much, and whether it is
proved; during a run, its trials. Another line says which stored run is shown.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QByteArray, QLineF, QPointF, QSize, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPaintEvent, QPalette, QPen, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from gui.charts.board import ChartBoard
from gui.model.session import Session
from gui.model.settings import DisplayChoices
from gui.panels.path import cycle_text
from gui.panels.results_table import ResultsPanel
from gui.shell.keys import stops_within, tab_through
from gui.style.forms import NO_MARGINS, WrappedLabel, column_of, row_of, split_of, tint, tool_button
from gui.style.paint import smooth_painter
from gui.style.text import scaled_px, short_title, tool_tip
from gui.style.theme import tokens
from gui.style.widgets import (
    GAP,
    Heading,
    PlainLabel,
    SchemeFollower,
    colour_of,
    dot_icon,
    keep_styled,
    set_colours,
)
from solvers.core.result import Result, Status, Trial
from solvers.core.variant import Variant, find_variant
from solvers.running.answers.fastest import fastest
from solvers.running.kept_run import KeptRun
from solvers.text import capitalised, long_time, plural

_MOST = 0.55  # of the height, for a table of many rows, unless the user divides it


class ResultsPlace(QWidget):
    """Headline over table and charts, which the user can divide; charts are hidden
    while they have nothing to show.
    """

    def __init__(
        self, session: Session, choices: DisplayChoices, table: ResultsPanel, charts: ChartBoard
    ):
        super().__init__()
        self._session, self._charts = session, charts
        self.hero = Headline(session, choices)
        # the charts alone change with the room: the headline above grows and shrinks
        self.splitter = split_of(Qt.Orientation.Vertical, (table, 0), (charts, 1))
        self._is_divided = False  # by the user
        self.splitter.splitterMoved.connect(self._take_division)
        column_of(
            StoredRunBar(session),
            self.hero,
            (self.splitter, 1),
            parent=self,
            margins=NO_MARGINS,
            spacing=0,
        )
        session.results.changed.connect(self._follow)
        charts.arranged.connect(self._follow)
        tab_through(*stops_within(table), *stops_within(charts))
        # also while they are hidden: their coming moves nothing
        self.setMinimumWidth(charts.minimumSizeHint().width())
        self._table = table
        session.results.run_state_changed.connect(self._divide)
        session.results.selection_changed.connect(self._divide)
        self._follow()

    @property
    def division(self) -> QByteArray | None:
        """How the user divided table and charts; None if that was left to the table's rows."""
        return self.splitter.saveState() if self._is_divided else None

    @division.setter
    def division(self, division: QByteArray | None) -> None:
        self._is_divided = division is not None and self.splitter.restoreState(division)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._divide()

    def _take_division(self) -> None:
        self._is_divided = True

    def _follow(self) -> None:
        self._charts.setVisible(bool(self._session.results.all) or self._charts.values is not None)
        self._divide()

    def _divide(self) -> None:
        """Give the table the height of its rows, and the charts the rest, unless the user
        divided them.
        """
        before = self.splitter.sizes()
        height = sum(before)
        if self._is_divided or not height or self._charts.isHidden():
            return
        table = min(self._table.needed(), int(_MOST * height))
        if before != [table, height - table]:
            self.splitter.setSizes([table, height - table])


_HEADLINE = 1.35
_DOT = 16
_STRIP_HEIGHT = 20
_MOST_NAMED = 9  # vertices of a negative cycle, named in the headline
_MOST_LINES = 2  # of the headline with whole names


class Headline(QWidget):
    """Follows results and run; a click selects the variant that it is about."""

    def __init__(self, session: Session, choices: DisplayChoices):
        super().__init__()
        self._session, self._choices = session, choices
        self._variant: Variant | None = None
        self._words: tuple[str, ...] = ("", "")
        self._dot = PlainLabel()
        self.headline = Heading(_HEADLINE)
        self.remark, self.doubts = WrappedLabel(), WrappedLabel()
        self.trials = TrialStrip()
        grid = QGridLayout(self)
        grid.setContentsMargins(GAP, GAP, GAP, 0)
        grid.setHorizontalSpacing(GAP)
        grid.setVerticalSpacing(2)
        grid.addWidget(self._dot, 0, 0, Qt.AlignmentFlag.AlignVCenter)
        grid.addWidget(self.headline, 0, 1)
        grid.addWidget(self.remark, 1, 1)
        grid.addWidget(self.doubts, 2, 1)
        grid.addWidget(self.trials, 3, 1)
        grid.setColumnStretch(1, 1)
        grid.setRowStretch(0, 1)  # room for further lines of the headline is the headline's
        preferred = QSizePolicy.Policy.Preferred
        self.setSizePolicy(preferred, preferred)  # a headline of three lines is tall
        for signal in (session.results.changed, session.results.run_state_changed, choices.changed):
            signal.connect(self._follow)
        keep_styled(self._follow)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._variant is not None:
            self._session.results.select(self._variant.id)

    def _follow(self) -> None:
        running = self._session.results.run_state.running_variant
        self.trials.setVisible(running is not None)
        if running is not None:
            self._show_run(find_variant(running))
            return
        found = fastest(
            self._session.results.all, self._session.results.baseline, self._choices.phase
        )
        cycle = next((r for r in self._session.results.all if r.cycle), None)
        self.setVisible(found is not None or cycle is not None)
        if found is None and cycle is not None:
            self._show_cycle(cycle)
        elif found is not None:
            mark = "✓ " if found.is_proved else ""
            words = (found.headline(), found.headline(short_title))
            is_good = found.is_proved and not found.is_uncertain
            colour = tokens().good if is_good else tokens().muted
            doubts = capitalised("; ".join(found.doubts))
            self._show(found.variant, words, f"{mark}{found.evidence}", colour, doubts)

    def _show_cycle(self, result: Result) -> None:
        """Say which cycle leaves the question without an answer."""
        graph, source = result.graph, result.source
        start = "the source" if source is None else graph.vertex_label(source)
        said = cycle_text(graph, start, result)
        way = " → ".join(map(str, said.ids)) if len(said.ids) <= _MOST_NAMED else ""
        words = f"{said.heading}: {way}" if way else said.heading
        self._show(result.variant, (words, said.heading), said.facts, tokens().cycle)

    def _show_run(self, variant: Variant) -> None:
        trials, left = (
            self._session.results.run_state.live_trials,
            len(self._session.results.run_state.queued),
        )
        timed = sum(not trial.is_warmup for trial in trials)
        done = plural(timed, "trial") if timed else "warming up"
        rest = f", then {plural(left, 'variant')} more" if left else ""
        self.setVisible(True)
        words = tuple(f"Measuring {name}" for name in (variant.full_title, short_title(variant)))
        self._show(variant, words, f"{done}{rest}", tokens().muted)
        self.trials.show_trials(trials, self._choices.phase, colour_of(variant))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_headline()

    def _fit_headline(self) -> None:
        """Say the headline with initials where it would take more than two lines."""
        metrics, whole = self.headline.fontMetrics(), self._words[0]
        room = self.width() - 3 * GAP - self._dot.sizeHint().width()
        height = metrics.boundingRect(0, 0, room, 0, Qt.TextFlag.TextWordWrap, whole).height()
        self.headline.setText(whole if height <= _MOST_LINES * metrics.height() else self._words[1])
        self.headline.setToolTip(tool_tip("" if self.headline.text() == whole else whole))

    def _show(
        self, variant: Variant, words: tuple[str, ...], remark: str, colour: str, doubts: str = ""
    ) -> None:
        """Show ``words``, whole and short, beside the dot of a variant."""
        self._variant, self._words = variant, words
        side = scaled_px(_DOT)
        self._dot.setPixmap(dot_icon(colour_of(variant)).pixmap(side, side))
        self._fit_headline()
        self.remark.setText(remark)
        tint(self.remark, colour)
        self.doubts.setText(doubts)
        self.doubts.setVisible(bool(doubts))
        tint(self.doubts, tokens().warning)


class TrialStrip(QWidget):
    """A dot for each finished trial of the variant being measured, placed by its time;
    warm-ups are hollow.
    """

    def __init__(self) -> None:
        super().__init__()
        self._times: list[tuple[float, bool]] = []
        self._colour = QColor()
        self.setAccessibleName("Trials so far")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(120, _STRIP_HEIGHT)

    def show_trials(self, trials: Sequence[Trial], phase: str, colour: QColor) -> None:
        self._times = [
            (getattr(t.phases, phase), t.is_warmup) for t in trials if t.status is Status.OK
        ]
        self._colour = colour
        self.update()

    def places(self) -> list[float]:
        """Horizontal pixels of the dots, from 0 ms at the left to the slowest trial at
        the right.
        """
        slowest = max((ms for ms, _ in self._times), default=0.0) or 1.0
        return [6.0 + ms / slowest * (self.width() - 12.0) for ms, _ in self._times]

    def paintEvent(self, event: QPaintEvent) -> None:
        with smooth_painter(self) as painter:
            middle = self.height() / 2
            painter.setPen(QPen(QColor(tokens().grid), 1.5))
            painter.drawLine(QLineF(0.0, middle, self.width(), middle))
            painter.setPen(QPen(self._colour, 1.6))
            for x, (_, is_warmup) in zip(self.places(), self._times, strict=True):
                painter.setBrush(Qt.BrushStyle.NoBrush if is_warmup else self._colour)
                painter.drawEllipse(QPointF(x, middle), 4.5, 4.5)


class StoredRunBar(QWidget):
    """Says that the results are those of a stored run; hidden if they are of this
    session. Its button removes them.
    """

    def __init__(self, session: Session):
        super().__init__()
        self._session = session
        self.setAutoFillBackground(True)
        self.label = WrappedLabel()
        tip = "Remove these results from the window; the run stays in the list of runs"
        self.close_button = tool_button(
            tip=tip, act=session.results.clear, name="Close the stored run", icon="close"
        )
        row_of((self.label, 1), self.close_button, parent=self, margins=(2 * GAP, 2, 2, 2))
        session.results.changed.connect(self._follow)
        window = QPalette.ColorRole.Window
        SchemeFollower(self, lambda bar: set_colours(bar, {window: tokens().selection}))
        self._follow()

    def _follow(self) -> None:
        run = self._session.results.stored_run
        self.setVisible(run is not None)
        if run is not None:
            self.label.setText(stored_run_text(run))


def stored_run_text(run: KeptRun) -> str:
    """``"Stored run of 22 Nov 2026, 14:05: 1 → 264346, AMD EPYC"``, with the user's name of it."""
    name = f" “{run.name}”" if run.name else ""
    where = "".join(f", {name}" for name in (run.machine.cpu, run.machine.host) if name)
    ended = "" if run.complete else ", interrupted"
    return f"Stored run{name} of {long_time(run.started_utc)}: {run.ends}{where}{ended}"
