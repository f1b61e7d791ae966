"""Base classes of the charts: header with controls, empty state, figure, restyling and
row selection.

`Switch` is a row of exclusive text buttons above a chart.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QObject, QPointF, Qt
from PySide6.QtGui import QFont, QKeyEvent, QResizeEvent, QShowEvent, QWheelEvent
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

from gui.charts.figure import Figure
from gui.charts.row_figure import Label, RowFigure, RowMarks
from gui.charts.scales import Scale
from gui.model.session import Session
from gui.model.settings import UNIT, VALUES, DisplayChoices
from gui.style.forms import NO_MARGINS, column_of, row_of, tool_button
from gui.style.text import on_type_size_change, scaled_px, tool_tip
from gui.style.theme import tokens
from gui.style.widgets import GAP, EmptyState, PlainLabel, on_scheme_change, scaled_font
from solvers.core.result import Result
from solvers.picture.colours import Tokens
from solvers.text import plural

_ROUTE = ("target", "path")  # of a result: what another target changes
_AROUND_ROWS = 60  # pixels of axis, a line of the legend and margins, in usual type
LEAST_ROWS = 2  # visible at once, whatever the chart's height


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
    """One chart. Subclasses build its figure from the session, both for the screen and
    for export.
    """

    title = ""
    empty_text = ""

    def __init__(self, session: Session, choices: DisplayChoices | None = None):
        super().__init__()
        self.session = session
        self.choices = choices or DisplayChoices(parent=self)
        self._switches: dict[str, Switch] = {}
        self.choices.changed.connect(self._follow_choice)
        self.figure: Figure | None = None
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
        self.empty = EmptyState(self.empty_text)
        self.view = pg.GraphicsView(background=None)
        self.view.setAntialiasing(True)
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.view.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        layout = column_of(
            self.controls, (self.empty, 1), parent=self, margins=(GAP, GAP, GAP, GAP), spacing=2
        )
        self.body = row_of((self.view, 1), spacing=0)
        layout.addLayout(self.body, 1)
        self.setAccessibleName(self.title)
        on_scheme_change(self.refresh)
        on_type_size_change(self.follow)
        on_type_size_change(self._fit_controls)

    def add_switch(self, name: str, tip: str) -> Switch:
        """Add buttons for the values of a choice of `DisplayChoices`."""
        switch = Switch(VALUES[name], tip)
        switch.show_choice(self.choices[name])
        switch.group.buttonClicked.connect(lambda: self.choices.choose(name, switch.chosen))
        self._switches[name] = switch
        self.controls.addWidget(switch)
        return switch

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_controls()

    def _fit_controls(self) -> None:
        """Show only the chosen ones of the switches where there is no room for all."""
        margins = self.contentsMargins()
        parts = [
            item.widget()
            for i in range(self.controls.count())
            if (item := self.controls.itemAt(i)) is not None
        ]
        switches = [part for part in parts if isinstance(part, Switch)]
        others = [
            part
            for part in parts
            if part is not None and not isinstance(part, Switch) and not part.isHidden()
        ]
        whole = sum(part.sizeHint().width() for part in others) + sum(
            switch.full_width for switch in switches
        )
        whole += self.controls.spacing() * (len(parts) - 1)
        room = self.width() - margins.left() - margins.right() - 2 * GAP
        for switch in switches:
            switch.set_compact(whole > room)

    def _follow_choice(self, name: str) -> None:
        if name in self._switches:
            self._switches[name].show_choice(self.choices[name])
            self.follow()

    def refresh(self) -> None:
        """Show the session in the figure: in the one there is if that only needs other
        contents, else in a new one.
        """
        self._stale = False
        if self.figure is None or not self.refill(self.figure):
            self.figure = self.make_figure(tokens())
            self.empty.setVisible(self.figure is None)
            self.view.setVisible(self.figure is not None)
            if self.figure is not None:
                self.view.setBackground(tokens().panel)
                self.view.setCentralItem(self.figure)
        if self.figure is not None:
            self.view.setMinimumHeight(self.needed_height())

    def refill(self, figure: Figure) -> bool:
        """Show the session in ``figure``, which is on screen; False if that takes another one."""
        return False

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
            self.follow()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self.empty.hide()  # its words may no longer hold
            self.session.window.once(self._catch_up)

    @abstractmethod
    def make_figure(self, t: Tokens) -> Figure | None:
        """The chart's figure in the colours of ``t``; None if there is nothing to draw."""

    def needed_height(self) -> int:
        """Least height in pixels at which labels do not touch."""
        return 120

    @property
    def is_empty(self) -> bool:
        return self.make_figure(tokens()) is None if self._stale else self.figure is None

    @property
    def export_title(self) -> str:
        """What is shown, for the title of exported pictures, which stand without the
        window's words.
        """
        return self.title

    @property
    def subtitle(self) -> str:
        """Graph and source, for the title of exported pictures."""
        graph = self.session.graph
        if graph is None:
            return ""
        size = f"{plural(graph.n, 'vertex', 'vertices')}, {plural(graph.m, 'arc')}"
        source = (
            ""
            if self.session.source is None
            else f"; source {graph.vertex_label(self.session.source)}"
        )
        return f"{graph.name}: {size}{source}"

    def figure_font(self) -> QFont:
        return scaled_font(self.font(), 0.92)


class RowChart(Chart):
    """A chart with one row per variant; hovering shows a tooltip, a click or Up and
    Down selects the variant.

    Rows scroll if they do not all fit; axis and legend stay in place. A subclass has
    rows of a type of its own.
    """

    def __init__(self, session: Session, choices: DisplayChoices | None = None):
        super().__init__(session, choices)
        self._words: dict[str, str] = {}
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.scroll_bar = QScrollBar(Qt.Orientation.Vertical)
        self.scroll_bar.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.scroll_bar.valueChanged.connect(self._place_rows)
        self.scroll_bar.hide()
        self.body.addWidget(self.scroll_bar)
        self.view.viewport().installEventFilter(self)
        scene = self.view.scene()
        scene.sigMouseMoved.connect(self._hover)
        scene.sigMouseClicked.connect(lambda event: self._click(event.scenePos()))
        session.results.changed.connect(self.follow_results)
        session.results.selection_changed.connect(self._follow_selection)

    @abstractmethod
    def rows(self) -> tuple[Any, ...]:
        """What the session has to show."""

    @abstractmethod
    def scale_of(self, rows: tuple[Any, ...]) -> Scale: ...

    @abstractmethod
    def marks_of(self, figure: RowFigure, rows: tuple[Any, ...]) -> RowMarks: ...

    @abstractmethod
    def fill(self, figure: RowFigure, rows: tuple[Any, ...]) -> None:
        """Show the rows in a figure with their scale and marks."""

    def make_figure(self, t: Tokens) -> RowFigure | None:
        rows = self.rows()
        if not rows:
            return None
        figure = RowFigure(self.scale_of(rows), self.figure_font(), t)
        figure.marks = self.marks_of(figure, rows)
        self.fill(figure, rows)
        return figure

    def refill(self, figure: Figure) -> bool:
        """Show the rows in the figure that there is, if scale, colours and font stay."""
        rows = self.rows()
        if not rows or not isinstance(figure, RowFigure) or figure.marks is None:
            return False
        if (figure.x_scale, figure.t, figure.text_font) != (
            self.scale_of(rows),
            tokens(),
            self.figure_font(),
        ):
            return False
        figure.marks.rows = rows
        self.fill(figure, rows)
        return True

    def show_rows(self, figure: RowFigure, rows: tuple[Any, ...], figures: Sequence[str]) -> None:
        """Show names and figures beside the marks, and keep the tooltips."""
        self._words = {row.variant_id: row.words for row in rows}
        names = [Label(row.variant_id, row.title, row.short_title) for row in rows]
        labels = [Label(row.variant_id, text) for row, text in zip(rows, figures, strict=True)]
        figure.show_rows(names, labels, self.session.results.selected_id)

    def _follow_choice(self, name: str) -> None:
        super()._follow_choice(name)
        if name == UNIT:
            self.follow()

    def words_of(self, variant_id: str) -> str:
        return self._words.get(variant_id, "")

    def needed_height(self) -> int:
        row = self.figure.row_px if isinstance(self.figure, RowFigure) else 0
        return min(len(self._keys), LEAST_ROWS) * row + scaled_px(_AROUND_ROWS)

    def refresh(self) -> None:
        """Show the session, and keep the scroll position."""
        before = self.figure
        super().refresh()
        if isinstance(self.figure, RowFigure) and self.figure is not before:
            self.figure.box.sigResized.connect(self._fit_rows)
        self._fit_rows()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Scroll the rows with the mouse wheel."""
        if isinstance(event, QWheelEvent) and self.scroll_bar.isVisibleTo(self):
            QApplication.sendEvent(self.scroll_bar, event)
            return True
        return super().eventFilter(watched, event)

    @property
    def _keys(self) -> tuple[str, ...]:
        return (
            self.figure.marks.keys
            if isinstance(self.figure, RowFigure) and self.figure.marks
            else ()
        )

    def _fit_rows(self, *_: object) -> None:
        if not isinstance(self.figure, RowFigure):
            self.scroll_bar.hide()
            return
        fitting = max(1, int(self.figure.box.height() / self.figure.row_px))
        self.scroll_bar.setRange(0, max(0, len(self._keys) - fitting))
        self.scroll_bar.setPageStep(fitting)
        self.scroll_bar.setVisible(self.scroll_bar.maximum() > 0)
        self._place_rows()

    def _place_rows(self) -> None:
        if isinstance(self.figure, RowFigure):
            content = len(self._keys) - self.scroll_bar.maximum()
            self.figure.show_from(self.scroll_bar.value(), max(1, content))

    def _follow_selection(self) -> None:
        """Highlight the selected row and scroll to it."""
        self._emphasise()
        if self.session.results.selected_id in self._keys:
            row = self._keys.index(self.session.results.selected_id)
            first, last = (
                self.scroll_bar.value(),
                self.scroll_bar.value() + self.scroll_bar.pageStep() - 1,
            )
            if self.scroll_bar.maximum() and not first <= row <= last:
                self.scroll_bar.setValue(
                    row if row < first else row - self.scroll_bar.pageStep() + 1
                )

    def _emphasise(self, hovered: str | None = None) -> None:
        if isinstance(self.figure, RowFigure):
            self.figure.emphasise(self.session.results.selected_id, hovered)

    def _row_at(self, scene: QPointF) -> str | None:
        return self.figure.row_at(scene) if isinstance(self.figure, RowFigure) else None

    def _hover(self, scene: QPointF) -> None:
        key = self._row_at(scene)
        self._emphasise(key)
        self.view.setCursor(
            Qt.CursorShape.PointingHandCursor if key else Qt.CursorShape.ArrowCursor
        )
        if key is not None:
            words = tool_tip(self.words_of(key))
            QToolTip.showText(
                self.view.mapToGlobal(self.view.mapFromScene(scene)), words, self.view
            )

    def _click(self, scene: QPointF) -> None:
        if (key := self._row_at(scene)) is not None:
            self.session.results.select(key)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = self._keys
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        if step is None or not keys:
            super().keyPressEvent(event)
            return
        now = (
            keys.index(self.session.results.selected_id)
            if self.session.results.selected_id in keys
            else -1
        )
        self.session.results.select(keys[min(max(0, now + step), len(keys) - 1)])


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

    def choose(self, choice: str) -> None:
        self.buttons[choice].click()
