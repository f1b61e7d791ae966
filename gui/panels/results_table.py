"""Panel with the results table: one row per variant with its time as a bar, compared
with a baseline.

The row above the table has the baseline, display choices, hidden columns and copying.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt
from PySide6.QtGui import (
    QActionGroup,
    QColor,
    QFontMetrics,
    QGuiApplication,
    QKeySequence,
    QResizeEvent,
    QShortcut,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QMenu,
    QSizePolicy,
    QTableView,
    QToolButton,
    QWidget,
)

from gui.model.session import Session
from gui.model.settings import AUTOMATIC, PHASE, SCALE, UNIT, VALUES, DisplayChoices
from gui.panels.results_model import ResultsDelegate, ResultsModel
from gui.panels.results_rows import CROSS, Column, describe, verdict_mark
from gui.style.empty_picture import TIMES, EmptyPicture
from gui.style.forms import NO_MARGINS, fill_panel, row_of, tool_button
from gui.style.tables import settle_table
from gui.style.text import (
    first_fitting_level,
    on_type_size_change,
    scaled_px,
    short_title,
    tool_tip,
    type_scale,
)
from gui.style.theme import tokens
from gui.style.widgets import (
    GAP,
    ElidedBox,
    PlainLabel,
    QuietLabel,
    colour_of,
    dot_icon,
    on_scheme_change,
)
from solvers.core.result import Status
from solvers.core.variant import Variant
from solvers.picture.variant_colours import variant_colour
from solvers.text import plural

EMPTY_TEXT = (
    "Tick variants, choose a source and press Run.\n"
    "\n"
    "Times, speed-ups and verdicts appear here as they arrive."
)
ASIDE_TEXT = (
    "Press Run to solve for these end points and roads.\n\n"
    "The earlier results are kept: they return with Undo (Ctrl+Z), "
    "or when end points and roads are as they were."
)

# Columns hidden first in a narrow table; each row's tooltip still has their values.
FIRST_HIDDEN = (Column.RANGE, Column.RELAXATIONS, Column.ITERATIONS)
# Columns are hidden for good bars, but not names shortened; they get shorter than they
# should be for names of one line.
SHORT_BAR_PX, LEAST_BAR_PX, GOOD_BAR_PX = 40, 64, 120
MOST_BAR_SHARE = 0.4  # of the table's width
CELL_MARGIN, ROW_MARGIN = 10, 7
LEAST_VARIANT_PX = 70
DOT_ROOM, SORT_MARK_ROOM, MARK_ROOM = 20, 20, 20
LEAST_ROWS = 11  # rows kept visible before the line below the table is shown

MENU_TITLES = {PHASE: "Time", UNIT: "Unit", SCALE: "Scale"}
_LEAST_LETTERS = 4  # of the baseline
# What is left out for lack of room, in this order.
_ONE_CHOICE, _NO_COLUMN_WORD, _NO_COPY, _SIGN, _NO_CHOICE, _LEVELS = 1, 2, 3, 4, 5, 6


class ResultsPanel(QWidget):
    """Baseline and display choices, the table, and a line with all figures of the
    selected result.
    """

    def __init__(self, session: Session, choices: DisplayChoices | None = None):
        super().__init__()
        self._session = session
        self._choices = choices or DisplayChoices(parent=self)
        self._following = False
        self.model = ResultsModel(self._choices, self)
        self._delegate = ResultsDelegate(self)
        self.empty = EmptyPicture(EMPTY_TEXT, TIMES)
        self.table = self._make_table()
        self.detail = QuietLabel(selectable=True)
        self.controls = ResultsControls(self._choices)
        self.controls.baseline.activated.connect(self._choose_baseline)
        self.controls.more_button.toggled.connect(self._fit_columns)
        self.controls.copy_button.clicked.connect(self.copy)
        fill_panel(self, self.controls, self.empty, self.table, self.detail)
        shortcut = QShortcut(QKeySequence.StandardKey.Copy, self, self.copy)
        shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)

        session.results.changed.connect(self._follow_results)
        session.results.selection_changed.connect(self._follow_selection)
        session.results.run_state_changed.connect(self._follow_run)
        self._choices.changed.connect(self._follow_choice)
        on_type_size_change(self._fit_type)
        on_scheme_change(self.controls.recolour)
        self._follow_results()

    def copy(self) -> None:
        """Copy the table to the clipboard as tab-separated values."""
        QGuiApplication.clipboard().setText(self.model.as_tsv())

    def _make_table(self) -> QTableView:
        table = QTableView()
        table.setModel(self.model)
        table.setItemDelegate(self._delegate)
        settle_table(table, "Results")
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setWordWrap(False)
        table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        table.verticalHeader().setDefaultSectionSize(table.fontMetrics().height() + ROW_MARGIN)
        header = table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setMinimumSectionSize(24)
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        table.setSortingEnabled(True)
        self.model.modelReset.connect(self._span_outcomes)
        header.sortIndicatorChanged.connect(self._follow_sorting)
        table.selectionModel().currentRowChanged.connect(self._select_row)
        table.verticalScrollBar().rangeChanged.connect(self._fit_columns)  # it comes, or goes
        return table

    def _select_row(self, current: QModelIndex) -> None:
        if not self._following and current.isValid():
            self._session.results.select(self.model.rows[current.row()].variant.id)

    def _choose_baseline(self, index: int) -> None:
        self._session.results.set_baseline(self.controls.baseline.itemData(index))

    def _follow_sorting(self) -> None:
        self._fit_columns()
        self._follow_selection()

    def _follow_choice(self, name: str) -> None:
        if name in MENU_TITLES:
            self._follow_results()

    def _follow_run(self) -> None:
        """Show new trials of the variant being run; results that have just arrived are
        shown already.
        """
        if self._fill():
            self._show_rows()

    def _follow_results(self) -> None:
        self._fill()
        self._show_rows()

    def _fill(self) -> bool:
        """Whether the rows have changed."""
        self._following = True
        changed = self.model.show(self._session)
        self._following = False
        return changed

    def _show_rows(self) -> None:
        self._delegate.fit_axis([row.bar for row in self.model.rows], self._choices.is_log)
        unit = self._choices[UNIT]
        self.controls.show_choices(self.model.unit.name if unit == AUTOMATIC else unit)
        self.empty.setText(ASIDE_TEXT if self._session.results.has_aside else EMPTY_TEXT)
        some = bool(self.model.rows)
        for widget in (self.controls, self.table):
            widget.setVisible(some)
        self.empty.setVisible(not some)
        timed = [
            r.variant
            for r in self._session.results.all
            if r.median(self._choices.phase) is not None
        ]
        baseline = self._session.results.baseline
        self.controls.show_baselines(timed, None if baseline is None else baseline.variant)
        self._fit_columns()
        self._follow_selection()

    def _span_outcomes(self) -> None:
        """Give the texts that stand in place of figures the room of all figures."""
        self.table.clearSpans()
        for i, row in enumerate(self.model.rows):
            if row.outcome:
                self.table.setSpan(i, Column.BAR, 1, len(Column) - Column.BAR)

    def _follow_selection(self) -> None:
        row = self.model.row_of(self._session.results.selected_id)
        self._following = True
        if row >= 0:
            flags = (
                QItemSelectionModel.SelectionFlag.ClearAndSelect
                | QItemSelectionModel.SelectionFlag.Rows
            )
            self.table.selectionModel().setCurrentIndex(self.model.index(row, 0), flags)
        else:
            self.table.selectionModel().clear()
        self._following = False
        selected = self._session.results.selected
        self.detail.setText(describe(selected, self._choices.phase) if selected is not None else "")
        self._fit_detail()

    def _fit_type(self) -> None:
        self.table.verticalHeader().setDefaultSectionSize(
            self.table.fontMetrics().height() + ROW_MARGIN
        )
        self._fit_columns()
        self._fit_detail()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit_columns()  # if a scroll bar comes or goes by its height, the bar tells
        self._fit_detail()

    def _fit_detail(self) -> None:
        """Show the line if the rows leave room for it; always if the selected result failed."""
        selected = self._session.results.selected
        wrong = selected is not None and (
            selected.status is not Status.OK or verdict_mark(selected) == CROSS
        )
        self.detail.setVisible(selected is not None and (wrong or self.height() >= self.needed()))

    def needed(self) -> int:
        """Height for the rows, of which many are scrolled, and the line below them."""
        rows = min(LEAST_ROWS, len(self.model.rows))
        return (
            self.controls.sizeHint().height()
            + self.table.horizontalHeader().height()
            + rows * self.table.verticalHeader().defaultSectionSize()
            + self.detail.heightForWidth(self.width() - 2 * GAP)
            + 4 * GAP
        )

    def _fit_columns(self) -> None:
        """Give every column the width its widest text needs, and the bars what is left.

        If not all fit, the least important columns are hidden and a button offers to
        show them; then names are shortened, then heads, then the bars go if the type is
        large; names that still have no room are elided. Speed-ups are always shown.
        """
        bar = self.table.verticalScrollBar()
        room = (
            self.width()
            - 2 * GAP
            - (bar.sizeHint().width() if bar.maximum() > bar.minimum() else 0)
        )
        self.model.use_short_heads(False)
        widths = {column: self._needed_width(column) for column in Column}
        content = columns_with_room(
            {**widths, Column.BAR: max(widths[Column.BAR], GOOD_BAR_PX)}, room
        )
        self._offer_hidden([column for column in Column if column not in content])
        if self.controls.more_button.isChecked():
            content = set(Column)
        short = sum(widths[c] for c in content) > room
        self.model.use_short_names(short)
        widths[Column.VARIANT] = self._name_width(short=short)
        if sum(widths[c] for c in content) > room and not self.controls.more_button.isChecked():
            self.model.use_short_heads(True)
            widths |= {
                column: self._needed_width(column)
                for column in (Column.BAR, Column.MEDIAN, Column.SPEED_UP)
            }
            if sum(widths[c] for c in content) > room and type_scale() > 1.0:
                content.discard(Column.BAR)  # the chart below has the same bars
                self._offer_hidden([column for column in Column if column not in content])
        self.controls.fit(self.width() - 2 * GAP)
        rest = room - sum(widths[c] for c in content)
        if self.controls.more_button.isChecked():
            rest = max(0, rest)
        to_bars = max(
            SHORT_BAR_PX - widths[Column.BAR], min(rest, int(room * MOST_BAR_SHARE) - LEAST_BAR_PX)
        )
        widths[Column.BAR] += to_bars
        # aligns the last column with the table's edge
        to_edge = widths[Column.VARIANT] + rest - to_bars
        widths[Column.VARIANT] = max(LEAST_VARIANT_PX, to_edge)
        for column in Column:
            self.table.setColumnHidden(column, column not in content)
            self.table.setColumnWidth(column, widths[column])

    def _offer_hidden(self, hidden: list[Column]) -> None:
        self.controls.offer_hidden(
            [str(self.model.headerData(c, Qt.Orientation.Horizontal)) for c in hidden]
        )
        scrolling = bool(hidden) and self.controls.more_button.isChecked()
        policy = (
            Qt.ScrollBarPolicy.ScrollBarAsNeeded
            if scrolling
            else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        )
        self.table.setHorizontalScrollBarPolicy(policy)

    def _needed_width(self, column: Column) -> int:
        if column is Column.VARIANT:
            return self._name_width(short=False)
        header = QFontMetrics(self.table.horizontalHeader().font())
        body = self.table.fontMetrics()
        head = header.horizontalAdvance(
            str(self.model.headerData(column, Qt.Orientation.Horizontal))
        )
        if column == self.table.horizontalHeader().sortIndicatorSection():
            head += scaled_px(SORT_MARK_ROOM)
        if column is Column.BAR:
            return max(LEAST_BAR_PX, head + CELL_MARGIN)
        cells = [
            body.horizontalAdvance(self.model.text_of(row, column))
            for row in self.model.rows
            if not row.outcome
        ]
        mark = (
            scaled_px(MARK_ROOM)
            if column is Column.MEDIAN and any(row.is_disturbed for row in self.model.rows)
            else 0
        )
        return max(head, max(cells, default=0) + mark) + CELL_MARGIN

    def _name_width(self, *, short: bool) -> int:
        body = self.table.fontMetrics()
        names = [
            body.horizontalAdvance(self.model.name_of(row, short=short)) + scaled_px(DOT_ROOM)
            for row in self.model.rows
        ]
        return max(names, default=LEAST_VARIANT_PX) + CELL_MARGIN


def columns_with_room(widths: Mapping[Column, int], room: int) -> set[Column]:
    """The columns that fit into ``room`` pixels, least important ones dropped first."""
    content = set(Column)
    for column in FIRST_HIDDEN:
        if sum(widths[c] for c in content) <= room:
            break
        content.discard(column)
    return content


class ResultsControls(QWidget):
    """Leaves out words until the name of the baseline has room."""

    def __init__(self, choices: DisplayChoices):
        super().__init__()
        self._choices = choices
        self._words: Sequence[str] = ()
        self._hidden: Sequence[str] = ()
        self.baseline = ElidedBox()
        self.baseline.setToolTip("Variant that speed-ups are relative to")
        self.baseline.setSizeAdjustPolicy(
            ElidedBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.baseline.setMinimumContentsLength(_LEAST_LETTERS)
        self.label = PlainLabel()
        self.label.setBuddy(self.baseline)
        tip = (
            "Time shown (total includes preparation and copies, solve is the algorithm "
            "alone), its unit and its scale"
        )
        self.display_button = tool_button(tip=tip, name="Time, unit and scale")
        self.display_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.display_button.setMenu(self._make_display_menu())
        self.more_button = tool_button()
        self.more_button.setCheckable(True)
        self.copy_button = tool_button(
            tip="Copy the table as tab-separated values (Ctrl+C)", name="Copy table", icon="copy"
        )
        buttons = self.display_button, self.more_button, self.copy_button
        self._row = row_of(
            self.label, (self.baseline, 1), *buttons, parent=self, margins=NO_MARGINS
        )
        # words give way to the panel's width
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def _make_display_menu(self) -> QMenu:
        menu = QMenu(self)
        for name, title in MENU_TITLES.items():
            menu.addSection(title)
            group = QActionGroup(menu)
            for value in VALUES[name]:
                action = menu.addAction(value)
                action.setCheckable(True)
                action.setObjectName(f"{name} {value}")
                group.addAction(action)
                action.triggered.connect(self._chooser(name, value))
        return menu

    def _chooser(self, name: str, value: str) -> Callable[[], None]:
        return lambda: self._choices.choose(name, value)

    def show_choices(self, unit: str) -> None:
        """Show the choices, with the name of the unit in use."""
        self._words = self._choices[PHASE], unit, self._choices[SCALE].lower()
        for action in self.display_button.menu().actions():
            name, _, value = action.objectName().partition(" ")
            if value:
                action.setChecked(self._choices[name] == value)

    def show_baselines(self, variants: Sequence[Variant], chosen: Variant | None) -> None:
        """List the variants that others can be compared with."""
        box, ids = self.baseline, [variant.id for variant in variants]
        if ids[: box.count()] != [box.itemData(index) for index in range(box.count())]:
            box.clear()
        for variant in variants[box.count() :]:
            box.addItem(dot_icon(colour_of(variant)), variant.full_title, variant.id)
            box.setItemData(box.count() - 1, (short_title(variant),), ElidedBox.FORMS_ROLE)
        box.setCurrentIndex(-1 if chosen is None else box.findData(chosen.id))

    def offer_hidden(self, heads: Sequence[str]) -> None:
        """Offer to show the columns with these heads, which have no room."""
        self._hidden = heads
        self.more_button.setVisible(bool(heads))
        self.more_button.setAccessibleName(f"Show {', '.join(heads)}")
        self.more_button.setToolTip(
            tool_tip(f"Hidden for lack of room: {', '.join(heads)}. Press to show them and scroll")
        )

    def fit(self, room: int) -> None:
        """Leave out as many words as the name of the baseline needs in ``room`` pixels."""
        box = self.baseline
        name = max(box.room_for(box.forms(box.currentIndex())[-1]), box.minimumSizeHint().width())
        others = (self.label, self.display_button, self.more_button, self.copy_button)

        def fits() -> bool:
            shown = (
                widget.sizeHint().width() + self._row.spacing()
                for widget in others
                if not widget.isHidden()
            )
            return name + sum(shown) <= room

        first_fitting_level(_LEVELS, self._leave_out, fits)

    def _leave_out(self, level: int) -> None:
        words = self._words[:1] if level >= _ONE_CHOICE else self._words
        choices = "" if level >= _NO_CHOICE else " · ".join(words)
        self.display_button.setText(choices)
        count = len(self._hidden)
        self.more_button.setText(
            f"+{count if level >= _NO_COLUMN_WORD else plural(count, 'column')}"
        )
        self.copy_button.setVisible(level < _NO_COPY)
        self.label.setText("1×" if level >= _SIGN else "Baseline")
        self.label.setToolTip(
            tool_tip("Baseline, whose speed-up is 1.00×" if level >= _SIGN else "")
        )

    def recolour(self) -> None:
        for index in range(self.baseline.count()):
            # also of one that was deleted
            colour = variant_colour(self.baseline.itemData(index), tokens().dark)
            self.baseline.setItemIcon(index, dot_icon(QColor(colour)))
