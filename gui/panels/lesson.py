"""Lesson panel for small graphs: pseudo-code, the steps of the iteration with their
sums, and a table of distances.

The line of the pseudo-code that is at work is marked.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetricsF,
    QHideEvent,
    QPalette,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSizePolicy,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gui.model.playback import Playback
from gui.model.session import Session
from gui.style.forms import (
    NO_MARGINS,
    STRETCH,
    WrappedLabel,
    column_of,
    fill_panel,
    row_of,
    split_of,
    tool_button,
)
from gui.style.text import mono_font, on_type_size_change
from gui.style.theme import icon, tokens
from gui.style.widgets import (
    EmptyState,
    PlainLabel,
    QuietLabel,
    ScaledLabel,
    clear_layout,
    on_scheme_change,
    settle_table,
    soften_selection,
)
from solvers.core.pseudocode import Pseudocode, PseudocodeLine, Step
from solvers.core.result import Result
from solvers.core.trace import ActivityTrace, MatrixTrace
from solvers.picture.scene.lesson import (
    MOST_VERTICES,
    Lesson,
    LessonStep,
    VertexState,
    lesson_of,
    steps_of,
)

COLUMNS = ("Vertex", "Distance", "Before", "Predecessor", "State")
_SHORT_COLUMNS = ("Vertex", "Distance", "Before", "From", "State")
# columns that a narrow table leaves out first: picture and steps show them too
_STATE, _BEFORE = 4, 2
_ROW_MARGIN = 6
_LEAST_STEPS, _MOST_ROWS = 2, 12  # of the steps, and of the table, that are kept visible
_NO_GRAPH = (
    "Open a small graph, for example of File > Samples, "
    "and run a variant to follow it step by step."
)
_NO_RUN = "Run a variant, or select its result, to follow it step by step."
_TOO_LARGE = f"Graphs of up to {MOST_VERTICES} vertices can be followed step by step."
_ALL_PAIRS = (
    "Between all pairs there is no single frontier to follow: "
    "View > Matrix shows the steps of this run."
)
_NO_DISTANCES = "This variant records no tentative distances, so its steps cannot be shown."


class LessonPanel(QWidget):
    """Follows the selected result at the position of the play-back; a step within the
    iteration is selected.

    ``arc_shown(object)``: Tail and head, by index, of the arc of the selected step;
    None without one, and while none can be seen.
    """

    arc_shown = Signal(object)
    # the selected step in words, in a presentation; "" when there is none any more
    step_presented = Signal(str)
    wanted = Signal()  # a step was asked for while the steps cannot be seen
    sample_requested = Signal()

    def __init__(self, session: Session, playback: Playback, parent: QWidget | None = None):
        super().__init__(parent)
        self._session, self._playback = session, playback
        self._lesson: Lesson | None = None
        self._stale, self._presented = False, False
        self._fitted_to: object = None  # the pseudo-code whose height was left free
        self.steps: tuple[LessonStep, ...] = ()
        self.empty = EmptyState(_NO_GRAPH)
        self.sample_button = QPushButton("Open a small sample")
        self.sample_button.clicked.connect(self.sample_requested)
        self.code = PseudocodeView()
        self.list = self._make_list()
        self.table = self._make_table()
        self.count = ScaledLabel(factor=0.92)
        back, forward = "Previous step (Shift+N)", "Next step (N)"
        self.back_button = tool_button(tip=back, act=self.previous, name=back)
        self.next_button = tool_button(tip=forward, act=self.next, name=forward)
        self._lay_out()
        for signal in (
            session.graph_changed,
            session.results.changed,
            session.results.selection_changed,
            playback.trace_changed,
            playback.moved,
        ):
            signal.connect(self._follow)
        on_scheme_change(self._restyle)
        self._restyle()
        on_type_size_change(self._fit)
        self.refresh()

    def _make_list(self) -> QListWidget:
        view = QListWidget()
        view.setFrameShape(QFrame.Shape.NoFrame)
        view.setWordWrap(True)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        view.setAccessibleName("Steps of the iteration")
        view.currentRowChanged.connect(self._show_step)
        return view

    def _make_table(self) -> QTableWidget:
        table = QTableWidget(0, len(COLUMNS))
        table.setHorizontalHeaderLabels(list(COLUMNS))
        settle_table(table, "Distances and predecessors")
        table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        table.horizontalHeader().setStretchLastSection(True)
        return table

    def _lay_out(self) -> None:
        foot = row_of(self.back_button, self.next_button, (self.count, 1))
        middle = QWidget()
        column_of((self.list, 1), foot, parent=middle, margins=NO_MARGINS, spacing=2)
        self._body = split_of(Qt.Orientation.Vertical, (self.code, 0), (middle, 2), (self.table, 3))
        offer = row_of(STRETCH, self.sample_button, STRETCH)
        fill_panel(self, (self.empty, 1), offer, (self._body, 1))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Divide the height so that the whole table of a very small graph is seen, and
        the width among its columns.
        """
        line, rows = self.table.fontMetrics().height(), min(_MOST_ROWS, self.table.rowCount())
        room = self._body.height() - 2 * self._body.handleWidth()
        head = self.table.horizontalHeader().sizeHint().height() + 2
        steps = self.next_button.sizeHint().height() + 2 + _LEAST_STEPS * line
        code = self.code.needed_height()
        titled = code + steps + head + rows * line <= room  # else the title goes
        self.code.title.setVisible(titled)
        code = self.code.needed_height(with_title=titled)
        self.list.setMinimumHeight(_LEAST_STEPS * line)
        self.table.setMinimumHeight(head + line)
        spare = (room - code - steps - head) // max(1, rows)
        row = max(line, min(line + _ROW_MARGIN, spare))
        self.table.verticalHeader().setMinimumSectionSize(line)
        self.table.verticalHeader().setDefaultSectionSize(row)
        table = max(head + line, min(head + rows * row, room - code - steps))
        self._body.setSizes([code, room - code - table, table])
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Shorten heads, then hide columns, until the rest fits."""
        room = self._body.width() - self.table.verticalScrollBar().sizeHint().width()
        self.table.setHorizontalHeaderLabels(list(COLUMNS))
        for column in (_STATE, _BEFORE):
            self.table.setColumnHidden(column, False)
        if self._needed_width() > room:
            self.table.setHorizontalHeaderLabels(list(_SHORT_COLUMNS))
        for column in (_STATE, _BEFORE):
            self.table.setColumnHidden(column, self._needed_width() > room)

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
        """Go to the next step, after the last to the next iteration."""
        self._playback.pause()
        if self._comes_into_view():
            return
        if self.list.currentRow() + 1 < len(self.steps):
            self.list.setCurrentRow(self.list.currentRow() + 1)
        elif self._lesson is not None:
            self._playback.step(1)

    def previous(self) -> None:
        """Go to the step before, before the first to the last one of the iteration before."""
        self._playback.pause()
        if self._comes_into_view():
            return
        if self.list.currentRow() > 0:
            self.list.setCurrentRow(self.list.currentRow() - 1)
        elif self._lesson is not None and self._playback.position > 0:
            self._playback.step(-1)
            self.list.setCurrentRow(len(self.steps) - 1)

    def _comes_into_view(self) -> bool:
        """Ask to be seen if the steps are not; True if the step that is then shown is
        the first one seen.
        """
        if self._followed:
            return False
        is_new = self._stale
        self.wanted.emit()
        return is_new

    def _show_step(self, row: int) -> None:
        step = self.step
        if step is None or self._lesson is None:
            return
        self.code.mark(step.step)
        self._point_at(step)
        self.count.setText(f"Step {row + 1} of {len(self.steps)}")
        at_start = row == 0 and self._playback.position == 0
        at_end = row == len(self.steps) - 1 and self._playback.position >= self._playback.length - 1
        self.back_button.setEnabled(not at_start)
        self.next_button.setEnabled(not at_end)
        self._mark_rows()

    def set_presented(self, presented: bool) -> None:
        """Follow while the steps are shown by the picture and its caption, without the panel."""
        if self._presented and not presented:
            self.step_presented.emit("")
        self._presented = presented
        self._follow_sight()

    def _follow_sight(self) -> None:
        if self._stale and self._followed:
            self.refresh()
        elif self.step is not None:
            self._point_at(self.step)

    def _point_at(self, step: LessonStep) -> None:
        self.arc_shown.emit(step.arc if self._followed else None)
        if self._presented:
            self.step_presented.emit(step.text)

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

    def refresh(self) -> None:
        """Show the iteration at the position of the play-back."""
        self._stale = False
        result, graph, trace = (
            self._session.results.selected,
            self._session.graph,
            self._playback.trace,
        )
        self._lesson = None
        of_graph = graph is not None and result is not None and result.graph is graph
        if (
            graph is not None
            and of_graph
            and isinstance(trace, ActivityTrace)
            and len(trace.first_active) == graph.n
        ):
            self._lesson = lesson_of(graph, trace, self._playback.position)
        self.empty.setVisible(self._lesson is None)
        self.sample_button.setVisible(graph is None or graph.n > MOST_VERTICES)
        self._body.setVisible(self._lesson is not None)
        if self._lesson is None or result is None:
            self.empty.setText(self._reason(result))
            self.steps = ()
            self.arc_shown.emit(None)
            if self._presented:
                self.step_presented.emit("")
            return
        self.code.show_text(result.variant.pseudocode)
        self.steps = steps_of(self._lesson, result.cycle)
        self._fill_table(self._lesson)
        self._fill_list()

    def _reason(self, result: Result | None) -> str:
        """Why there is no lesson, and what helps."""
        graph = self._session.graph
        if graph is None:
            return _NO_GRAPH
        if graph.n > MOST_VERTICES:
            return _TOO_LARGE
        if result is not None and isinstance(self._playback.trace, MatrixTrace):
            return _ALL_PAIRS
        return (
            _NO_DISTANCES
            if result is not None and isinstance(result.trace, ActivityTrace)
            else _NO_RUN
        )

    def _fill_list(self) -> None:
        """List the steps, and select the first or, while playing, the first that
        improves a distance.
        """
        self.list.blockSignals(True)
        self.list.clear()
        for step in self.steps:
            self.list.addItem(QListWidgetItem(step.text))
        self.list.blockSignals(False)
        improving = next((i for i, step in enumerate(self.steps) if step.step is Step.IMPROVE), 0)
        self.list.setCurrentRow(improving if self._playback.playing else 0)

    def _fill_table(self, lesson: Lesson) -> None:
        graph = lesson.graph
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
                lesson.vertex(vertex).value,
            )
            for column, text in enumerate(words):
                self._item(vertex, column).setText(text)
        if grown:
            self._fit()
        else:
            self._fit_columns()

    def _item(self, row: int, column: int) -> QTableWidgetItem:
        item = self.table.item(row, column)
        if item is None:
            item = QTableWidgetItem()
            item.setTextAlignment(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
            self.table.setItem(row, column, item)
        return item

    def _mark_rows(self) -> None:
        """Colour the rows: whose distance fell, what is at work, and the head of the
        selected step.
        """
        lesson, step, t = self._lesson, self.step, tokens()
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

    def _restyle(self) -> None:
        soften_selection(self.list)
        self.back_button.setIcon(icon("step-back"))
        self.next_button.setIcon(icon("step-forward"))
        self._mark_rows()


_INDENT_PX = 16
_SIZE = 0.95  # of the panel's font
_LEAST_SCALE, _SCALE_STEP = 0.55, 0.05  # of that, in a narrow panel


class PseudocodeView(QWidget):
    """Shows one text, a label for each line."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._text: Pseudocode | None = None
        self._marked: int | None = None
        self.lines: tuple[PlainLabel, ...] = ()
        self.title = QuietLabel()
        self._place = QVBoxLayout()
        self._place.setSpacing(0)
        column_of(self.title, self._place, parent=self, margins=NO_MARGINS, spacing=2)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.setAccessibleName("Pseudo-code")
        on_scheme_change(self._restyle)
        on_type_size_change(self._resize_type)

    @property
    def marked(self) -> int | None:
        """Index of the marked line; None if none is."""
        return self._marked

    def show_text(self, text: Pseudocode | None) -> None:
        """Show another text, without a mark; None hides the view."""
        if text is self._text:
            return
        self._text, self._marked = text, None
        clear_layout(self._place)
        self.lines = () if text is None else tuple(self._label(line) for line in text.lines)
        for label in self.lines:
            self._place.addWidget(label)
        self._resize_type()
        self.title.setText("" if text is None else text.title)
        self.setVisible(text is not None)
        self._restyle()

    def mark(self, step: Step) -> None:
        """Mark the line that does ``step``."""
        marked = None if self._text is None else self._text.line_of(step)
        if marked != self._marked:
            self._marked = marked
            self._restyle()

    def needed_height(self, *, with_title: bool = True) -> int:
        """Height in pixels that the text takes at the present width, with its title or without."""
        if self._text is None:
            return 0
        title = self.title.heightForWidth(self.width()) + 2 if with_title else 0
        return title + sum(label.heightForWidth(self.width()) for label in self.lines)

    def _label(self, line: PseudocodeLine) -> PlainLabel:
        label = WrappedLabel(line.text)
        label.setContentsMargins(6 + _INDENT_PX * line.depth, 1, 6, 1)
        label.setFont(self._code_font())
        return label

    @staticmethod
    def _code_font(scale: float = 1.0) -> QFont:
        return mono_font(_SIZE * scale)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._resize_type()

    def _widest(self, font: QFont) -> float:
        metrics = QFontMetricsF(font)
        widths = (
            metrics.horizontalAdvance(f"{line.text()} ") + _margins(line) for line in self.lines
        )
        return max(widths, default=0.0)

    def _resize_type(self) -> None:
        """Give the lines the size of the type or, in a narrow panel, one in which the
        longest is not broken.
        """
        scale = 1.0
        while scale > _LEAST_SCALE and self._widest(self._code_font(scale)) > self.width():
            # letters have whole pixels: their width does not follow the size exactly
            scale -= _SCALE_STEP
        font = self._code_font(scale)
        for label in self.lines:
            label.setFont(font)

    def _restyle(self) -> None:
        t = tokens()
        for number, label in enumerate(self.lines):
            marked = number == self._marked
            palette = QPalette(self.palette())
            palette.setColor(QPalette.ColorRole.Window, QColor(t.accent if marked else t.panel))
            palette.setColor(
                QPalette.ColorRole.WindowText, QColor(t.accent_text if marked else t.text)
            )
            label.setPalette(palette)
            label.setAutoFillBackground(marked)


def _margins(label: PlainLabel) -> int:
    margins = label.contentsMargins()
    return margins.left() + margins.right()
