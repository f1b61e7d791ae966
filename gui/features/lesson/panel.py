"""Lesson panel for small graphs: pseudo-code, the steps of the iteration with their
sums, and a table of distances.
"""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListWidget,
    QPushButton,
    QSizePolicy,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from gui.features.lesson.pseudocode import PseudocodeView
from gui.model.playback import Playback
from gui.model.session import Session
from gui.model.shown_run import DisplayedRun, SelectedRun
from gui.style.forms import (
    NO_MARGINS,
    STRETCH,
    column_of,
    fill_panel,
    row_of,
    split_of,
    tool_button,
)
from gui.style.paint import LEFT
from gui.style.tables import settle_table
from gui.style.text import on_type_size_change
from gui.style.theme import tokens
from gui.style.widgets import (
    ElidedLabel,
    EmptyState,
    PlainLabel,
    ScaledLabel,
    SchemeFollower,
    colour_of,
    dot_icon,
    on_scheme_change,
    soften_selection,
)
from solvers.core.labelling import VertexState, state_words
from solvers.core.pseudocode import BLOCKED_FLOYD_WARSHALL, Step
from solvers.core.result import Result
from solvers.core.trace import ActivityTrace, MatrixTrace, Work
from solvers.features.lesson.explanations import lesson_on
from solvers.features.lesson.lesson import Lesson, LessonStep, StepProgress, steps_of
from solvers.features.lesson.matrix_lesson import MatrixLesson
from solvers.features.lesson.pairs_lesson import pair_steps_of
from solvers.graphs.graph import Graph
from solvers.picture.scene.figure import SMALL_GRAPH

COLUMNS = ("Vertex", "Distance", "Before", "Predecessor", "State")
_SHORT_COLUMNS = ("Vertex", "Distance", "Before", "From", "State")
# columns that a narrow table leaves out first: picture and steps show them too
_STATE, _BEFORE = 4, 2
_DISTANCE = 1
_ROW_MARGIN = 6
_SCALES = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5)  # of the letters of the pseudo-code, tried in turn
_LEAST_STEPS, _MOST_ROWS = 2, 12  # of the steps, and of the table, that are kept visible
_BEGIN_SMALL, _BEGIN_HERE = "Begin with a small graph", "Watch the selected variant"
_NO_GRAPH = (
    "Follow a variant step by step: on a small graph of your own or of File > Samples, "
    "or begin with one click."
)
_NO_RUN = "Watch a variant, run it, or select its result, to follow it step by step."
_TOO_LARGE = f"Graphs of up to {SMALL_GRAPH} vertices can be followed step by step."
_ROWS = (
    "This variant solves one source after the other. Its rows are in View > Matrix; "
    "the steps of a row are those of a run from one source."
)
_NO_PHASES = "This variant records no matrix after each phase, so its steps cannot be shown."
_IN_PANELS = (
    "The matrix of this variant lies in panels, on several GPUs or in the host's memory, and is "
    "nowhere whole after a phase. Its three phases are those of the other tiled Floyd-Warshall "
    "variants, which can be followed."
)
_NO_DISTANCES = "This variant records no tentative distances, so its steps cannot be shown."


class LessonPanel(QWidget):
    """Follows the selected result or one of several side by side, at the iteration that
    is shown of it; a step within the iteration is selected.

    ``step_shown(object)``: The `Lesson` or `MatrixLesson` at the selected step; None while
    whole iterations are shown, and while no step can be seen.
    """

    step_shown = Signal(object)
    matrix_wanted = Signal()  # a lesson of a matrix has begun
    wanted = Signal()  # a step was asked for while the steps cannot be seen
    begin_requested = Signal()  # a small graph, or a variant watched on the open one

    def __init__(self, session: Session, playback: Playback):
        super().__init__()
        self._session, self._playback = session, playback
        self._lesson: Lesson | MatrixLesson | None = None  # of the whole iteration
        self._shown_lesson: Lesson | MatrixLesson | None = None  # the same, or at the selected step
        self._selected_run = SelectedRun(session, playback, self)
        self._run: DisplayedRun = self._selected_run
        self._stale, self._presented = False, False
        self._was_playing = playback.playing
        self._by_steps = False  # else the picture shows whole iterations
        self._fitted_to: object = None  # the pseudo-code whose height was left free
        self.steps: tuple[LessonStep, ...] = ()
        self.empty = EmptyState(_NO_GRAPH)
        self.begin_button = QPushButton(_BEGIN_SMALL)
        self.begin_button.clicked.connect(self.begin_requested)
        self.run_icon, self.run_title = PlainLabel(), ElidedLabel()
        self.code = PseudocodeView()
        self.list = self._make_list()
        self.table = self._make_table()
        self.count = ScaledLabel(factor=0.92)
        back, forward = "Previous step (Shift+N)", "Next step (N)"
        self.back_button = tool_button(tip=back, act=self.previous, name=back, icon="step-back")
        self.next_button = tool_button(
            tip=forward, act=self.next, name=forward, icon="step-forward"
        )
        self._lay_out()
        session.graph_changed.connect(self._follow)
        session.endpoints_changed.connect(self._follow)
        playback.state_changed.connect(self._follow_state)
        self._run.changed.connect(self._follow)
        on_scheme_change(self._mark_rows)
        on_type_size_change(self._fit)
        self.refresh()

    def follow_run(self, run: DisplayedRun | None) -> None:
        """Follow one of several runs side by side; None follows the selected result."""
        if self._run is (run or self._selected_run):
            return
        self._run.changed.disconnect(self._follow)
        self._run = run or self._selected_run
        self._run.changed.connect(self._follow)
        self._follow()

    def _make_list(self) -> QListWidget:
        view = QListWidget()
        view.setFrameShape(QFrame.Shape.NoFrame)
        view.setWordWrap(True)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        view.setAccessibleName("Steps of the iteration")
        view.currentRowChanged.connect(self._select)
        SchemeFollower(view, soften_selection)
        return view

    def _make_table(self) -> QTableWidget:
        table = QTableWidget(0, len(COLUMNS))
        table.setHorizontalHeaderLabels(list(COLUMNS))
        settle_table(table, "Distances and predecessors")
        table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        table.horizontalHeader().setStretchLastSection(True)
        return table

    def _lay_out(self) -> None:
        foot = row_of(self.back_button, self.next_button, (self.count, 1))
        middle = QWidget()
        column_of((self.list, 1), foot, parent=middle, margins=NO_MARGINS, spacing=2)
        self._body = split_of(Qt.Orientation.Vertical, (self.code, 0), (middle, 2), (self.table, 3))
        offer = row_of(STRETCH, self.begin_button, STRETCH)
        subject = row_of(self.run_icon, (self.run_title, 1))
        self.empty.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self._start = QWidget()
        column_of(STRETCH, self.empty, offer, STRETCH, parent=self._start, margins=NO_MARGINS)
        fill_panel(self, subject, (self._start, 1), (self._body, 1))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Divide the height so that the whole table of a very small graph is seen, and
        the width among its columns; the pseudo-code has smaller letters where only so all
        is seen.
        """
        line, rows = self.table.fontMetrics().height(), min(_MOST_ROWS, self.table.rowCount())
        room = self._body.height() - 2 * self._body.handleWidth()
        head = self.table.horizontalHeader().sizeHint().height() + 2
        steps = self.next_button.sizeHint().height() + 2 + _LEAST_STEPS * line
        rest = steps + head + rows * line

        def is_whole(scale: float) -> bool:
            self.code.set_scale(scale)
            return self.code.needed_height(with_title=False) + rest <= room

        self.code.set_scale(next(filter(is_whole, _SCALES), 1.0))
        titled = self.code.needed_height() + rest <= room  # else the title goes
        self.code.title.setVisible(titled)
        code = self.code.needed_height(with_title=titled)
        self.code.setMinimumHeight(code)  # less than Qt takes wrapped labels to need
        self.list.setMinimumHeight(_LEAST_STEPS * line)
        self.table.setMinimumHeight(head + line)
        spare = (room - code - steps - head) // max(1, rows)
        row = max(line, min(line + _ROW_MARGIN, spare))
        self.table.verticalHeader().setMinimumSectionSize(line)
        self.table.verticalHeader().setDefaultSectionSize(row)
        table = max(head + line, min(head + rows * row, room - code - steps))
        self._body.setSizes([code, room - code - table, table])
        self._fit_columns()
        if (selected := self.list.currentItem()) is not None:
            self.list.scrollToItem(selected)

    def _fit_columns(self) -> None:
        """Shorten heads, then hide columns, until the rest fits."""
        room = self._body.width() - self.table.verticalScrollBar().sizeHint().width()
        self._name_columns(COLUMNS)
        for column in (_BEFORE, _STATE):
            self.table.setColumnHidden(column, False)
        if self._needed_width() > room:
            self._name_columns(_SHORT_COLUMNS)
        for column in (_BEFORE, _STATE):
            self.table.setColumnHidden(column, self._needed_width() > room)
        self.table.resizeColumnsToContents()

    def _name_columns(self, names: tuple[str, ...]) -> None:
        shown = self._shown_lesson
        heads = [*names]
        if shown is not None:
            heads[_DISTANCE] = shown.quantity
        self.table.setHorizontalHeaderLabels(heads)

    def _needed_width(self) -> int:
        header = self.table.horizontalHeader()
        shown = (column for column in range(len(COLUMNS)) if not self.table.isColumnHidden(column))
        return sum(
            max(self.table.sizeHintForColumn(column), header.sectionSizeHint(column))
            for column in shown
        )

    @property
    def step(self) -> LessonStep | None:
        """The selected step; None without a lesson."""
        row = self.list.currentRow()
        return self.steps[row] if 0 <= row < len(self.steps) else None

    def next(self) -> None:
        """Go to the next step, after the last to the next iteration; from a whole
        iteration to its first step.
        """
        self._come_into_view()
        if not self._by_steps:
            self._select(0)
        elif self.list.currentRow() + 1 < len(self.steps):
            self._select(self.list.currentRow() + 1)
        elif self._lesson is not None and self._run.position < len(self._lesson.trace) - 1:
            self._run.step(1)
            self._select(0)

    def previous(self) -> None:
        """Go to the step before, before the first to the last one of the iteration before."""
        self._come_into_view()
        if self.list.currentRow() > 0:
            self._select(self.list.currentRow() - 1)
        elif self._lesson is not None and self._run.position > 0:
            self._run.step(-1)
            self._select(len(self.steps) - 1)

    def _come_into_view(self) -> None:
        """Pause, and ask to be seen if the steps are not."""
        self._playback.pause()
        if not self._followed:
            self.wanted.emit()

    def _select(self, row: int, *, by_steps: bool = True) -> None:
        """Go to a step of the iteration, which picture and table then show; else they
        show the whole iteration.
        """
        self._by_steps = by_steps and bool(self.steps)
        with QSignalBlocker(self.list):
            self.list.setCurrentRow(row)
        self._show_step()

    def _show_step(self) -> None:
        step, lesson, row = self.step, self._lesson, self.list.currentRow()
        if step is None or lesson is None:
            return
        if self._by_steps:
            lesson = replace(lesson, progress=StepProgress(self.steps, self.steps[: row + 1]))
        self._shown_lesson = lesson
        self.code.mark(step.step)
        self._tell_step()
        self.count.setText(f"Step {row + 1} of {len(self.steps)}")
        is_last = row == len(self.steps) - 1 and self._run.position >= len(lesson.trace) - 1
        self.back_button.setEnabled(row > 0 or self._run.position > 0)
        self.next_button.setEnabled(not (is_last and self._by_steps))
        self._fill_table(lesson)
        self._mark_rows()

    def set_presented(self, presented: bool) -> None:
        """Follow while the steps are shown by the picture, without the panel."""
        self._presented = presented
        self._follow_sight()

    def _follow_sight(self) -> None:
        if self._stale and self._followed:
            self.refresh()
        else:
            self._tell_step()

    def _tell_step(self) -> None:
        shown = self._shown_lesson
        seen = self._followed and shown is not None and shown.progress is not None
        self.step_shown.emit(shown if seen else None)

    @property
    def _followed(self) -> bool:
        return self._presented or self.isVisible()

    def _follow(self, *_: object) -> None:
        """Show the iteration now if it can be seen, else when it can."""
        if self._followed:
            self.refresh()
        else:
            self._stale = True

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._follow_sight()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._follow_sight()

    def _follow_state(self) -> None:
        """Show the whole iteration when playing begins and ends."""
        if self._playback.playing == self._was_playing:
            return
        self._was_playing = self._playback.playing
        if self._followed and self._lesson is not None:
            self._begin_iteration()

    def refresh(self) -> None:
        """Show the iteration that is shown of the run; a step of it stays selected."""
        self._stale = False
        result, graph = self._run.result, self._session.graph
        before, self._lesson, self._shown_lesson = self._lesson, None, None
        if graph is not None and result is not None and result.graph is graph:
            self._lesson = self._lesson_on(graph)
        self._show_subject(result)
        self._start.setVisible(self._lesson is None)
        is_small = graph is not None and graph.n <= SMALL_GRAPH
        self.begin_button.setText(_BEGIN_HERE if is_small else _BEGIN_SMALL)
        self.begin_button.setVisible(self._lesson is None and (result is None or not is_small))
        self._body.setVisible(self._lesson is not None)
        if self._lesson is None or result is None:
            self.empty.setText(self._reason(result))
            self.steps, self._by_steps = (), False
            self._tell_step()
            return
        self.code.show_text(result.variant.pseudocode)
        if isinstance(self._lesson, MatrixLesson):
            if before is None or before.trace is not self._lesson.trace:
                self.matrix_wanted.emit()
            self.steps = pair_steps_of(self._lesson, result.cycle)
        else:
            self.steps = steps_of(self._lesson, result.cycle)
        same = (
            before is not None
            and before.trace is self._lesson.trace
            and before.position == self._lesson.position
        )
        row = self.list.currentRow()
        self._fill_list()
        if same and self._by_steps and 0 <= row < len(self.steps):
            self._select(row)
        else:
            self._begin_iteration()

    def _lesson_on(self, graph: Graph) -> Lesson | MatrixLesson | None:
        played = self._run.trace
        fits = played is not None and len(played.first_active) == graph.n
        trace = played if fits else self._run.matrix_trace
        if trace is None:
            return None
        return lesson_on(graph, trace, self._run.position, self._session.source)

    def _show_subject(self, result: Result | None) -> None:
        """Name the run, if there are others beside it."""
        named = result if self._run is not self._selected_run else None
        self.run_icon.setVisible(named is not None)
        self.run_title.setVisible(named is not None)
        if named is not None:
            side = self.run_title.fontMetrics().ascent()
            self.run_icon.setPixmap(dot_icon(colour_of(named.variant)).pixmap(side, side))
            self.run_title.show_text(named.variant.full_title)

    def _reason(self, result: Result | None) -> str:
        """Why there is no lesson, and what helps."""
        graph = self._session.graph
        if graph is None:
            return _NO_GRAPH
        if graph.n > SMALL_GRAPH:
            return _TOO_LARGE
        if result is not None and isinstance(self._playback.trace, MatrixTrace):
            if self._playback.trace.work is Work.ROWS:
                return _ROWS
            in_panels = result.variant.pseudocode == BLOCKED_FLOYD_WARSHALL
            return _IN_PANELS if in_panels else _NO_PHASES
        return (
            _NO_DISTANCES
            if result is not None and isinstance(result.trace, ActivityTrace)
            else _NO_RUN
        )

    def _fill_list(self) -> None:
        with QSignalBlocker(self.list):
            self.list.clear()
            self.list.addItems([step.text for step in self.steps])

    def _begin_iteration(self) -> None:
        """Show the first step of the run; of another iteration its end or, while
        playing, mark the first step that improves a distance.
        """
        assert self._lesson is not None  # there are steps
        if self._playback.playing:
            improving = (i for i, step in enumerate(self.steps) if step.step is Step.IMPROVE)
            self._select(next(improving, 0), by_steps=False)
        elif self._run.position == 0 and len(self._lesson.trace) > 1:
            self._select(0)
        else:
            self._select(len(self.steps) - 1, by_steps=False)

    def _fill_table(self, lesson: Lesson | MatrixLesson) -> None:
        graph, words_of = lesson.graph, state_words(lesson.labelling)
        grown = self.table.rowCount() != graph.n or self._fitted_to is not self.code.lines
        self._fitted_to = self.code.lines
        self.table.setRowCount(graph.n)
        for vertex in range(graph.n):
            parent = int(lesson.parents[vertex])
            words = (
                graph.vertex_label(vertex),
                lesson.value(vertex),
                lesson.former_value(vertex) or ("∞" if vertex in lesson.improved else ""),
                "" if parent < 0 else graph.vertex_label(parent),
                words_of[lesson.vertex(vertex)],
            )
            for column, text in enumerate(words):
                item = self._item(vertex, column)
                if item.text() != text:
                    item.setText(text)
        head = self.table.horizontalHeaderItem(_DISTANCE)
        if head is not None:
            head.setText(lesson.quantity)
        if grown:
            self._fit()
        elif lesson.progress is None:  # in an iteration, columns stay as they are
            self._fit_columns()

    def _item(self, row: int, column: int) -> QTableWidgetItem:
        item = self.table.item(row, column)
        if item is None:
            item = QTableWidgetItem()
            item.setTextAlignment(LEFT)
            self.table.setItem(row, column, item)
        return item

    def _mark_rows(self) -> None:
        """Colour the rows: whose distance fell, what is at work, and the head of the
        selected step.
        """
        lesson, step, t = self._shown_lesson, self.step, tokens()
        if lesson is None or step is None:
            return
        head = step.arc[1] if step.arc is not None else None
        for vertex in range(lesson.graph.n):
            fell = vertex in lesson.improved
            back = t.selection if vertex == head else None
            for column in range(len(COLUMNS)):
                item = self._item(vertex, column)
                item.setBackground(QBrush(QColor(back)) if back else QBrush())
                muted = column == _STATE and lesson.vertex(vertex) is VertexState.UNREACHED
                gained = fell and column in (1, 3)
                colour = t.muted if muted else t.text
                item.setForeground(QColor(t.good if gained else colour))
                font = item.font()
                font.setBold(gained)
                item.setFont(font)
        if head is not None:
            self.table.scrollToItem(self._item(head, 0))
