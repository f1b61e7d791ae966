"""The toolbar: the menu, the open graph, modes, end points, the search, device, and the Run
button.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFont,
    QKeySequence,
    QMouseEvent,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QShortcut,
)
from PySide6.QtWidgets import (
    QApplication,
    QMenu,
    QMenuBar,
    QPushButton,
    QSizePolicy,
    QToolBar,
    QToolButton,
    QWidget,
)

from gui.model.forecast import Forecast
from gui.model.jobs import JobKind, Jobs
from gui.model.session import Session
from gui.shell.commands import Commands
from gui.shell.plan_button import PlanButton
from gui.shell.side_bars import ModeSwitch
from gui.shell.toolbar_fields import (
    FIELD_WIDTH,
    MARGINS,
    SHORT_FIELD,
    DeviceBox,
    GraphChip,
    SearchButton,
    VertexField,
    WeightsBox,
    paint_bar,
    settle_bar,
)
from gui.style.forms import NO_MARGINS, row_of, tool_button
from gui.style.icons import icon
from gui.style.paint import scaled_font
from gui.style.text import (
    first_fitting_level,
    on_type_size_change,
    scaled_px,
    scaled_square,
    tool_tip,
)
from gui.style.theme import tokens
from gui.style.widgets import PlainLabel, set_colours
from solvers.text import plural, rounded_duration

if TYPE_CHECKING:
    from solvers.running.estimate import RunEstimate

_ICON, _MARK = 20, 16
_LONGEST_RUN = "Run 88, ≈ 85 min"  # with which the button does not grow when a forecast arrives
_LEAST_RUN = "Run 88"
_RUN_PADDING = 24
_BAR_MARGIN, _GAP = 6, 8
_NAME = 1.15  # size of the program's name
# What is dropped where the window is narrow or the type large, in this order.
_SHORTER_DEVICE, _NO_FIELD_WORDS, _NO_FACTS, _NO_NAME, _NO_HINT, _SHORT_DEVICE, _SHORT_GRAPH = (
    range(1, 8)
)
_NO_PLAN_WORDS, _COMPACT, _TIGHT, _NO_MODES = 8, 9, 10, 11


class RunButton(QPushButton):
    """Run button with the number of ticked variants; Cancel during a run."""

    widened = Signal()  # its text needs another width

    def __init__(
        self,
        session: Session,
        forecast: Forecast,
        jobs: Jobs,
        start: Callable[[], object],
        cancel: Callable[[], object],
    ):
        super().__init__()
        self._session, self._forecast, self._jobs = session, forecast, jobs
        self._start, self._cancel = start, cancel
        self.setObjectName("run button")
        self._longest = _LONGEST_RUN
        on_type_size_change(self._fit_type)
        self._fit_type()
        self.clicked.connect(self._press)
        for signal in (forecast.changed, jobs.changed, session.endpoints_changed):
            signal.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Update text, colours, icon and tooltip."""
        before = self.sizeHint().width()
        t = tokens()
        job = self._jobs.running(JobKind.SOLVE)
        count = len(self._session.choices.ids)
        if job is not None:
            self.setText("Cancelling…" if job.cancelling else "Cancel")
            self.setEnabled(not job.cancelling)
            self.setToolTip("Stop the run; finished results are kept (Esc)")
        else:
            estimate = self._worth_telling()
            length = "" if estimate is None else f", ≈ {rounded_duration(estimate.seconds)}"
            self.setText(f"Run {count}{length}" if count else "Run")
            self.setEnabled(bool(count) and self._session.graph is not None)
            what = f"Run the {plural(count, 'ticked variant')}{self._from_which()} (F5)"
            length = "" if estimate is None else f". This will take {estimate.words}."
            self.setToolTip(tool_tip(self._why_not() or what + length))
        self._paint_with(
            t.accent if self.isEnabled() else t.raised,
            t.accent_text if self.isEnabled() else t.muted,
        )
        self.setIcon(
            icon(
                "cancel" if job is not None else "run",
                t.accent_text if self.isEnabled() else t.muted,
            )
        )
        if self.sizeHint().width() != before:
            self.widened.emit()

    def show_compact(self, compact: bool) -> None:
        """Grow when a forecast arrives, rather than keep room for it."""
        self._longest = _LEAST_RUN if compact else _LONGEST_RUN
        self._fit_type()

    def _fit_type(self) -> None:
        text = self.fontMetrics().horizontalAdvance(self._longest)
        self.setIconSize(scaled_square(_ICON))
        self.setMinimumWidth(text + scaled_px(_ICON + _RUN_PADDING))

    def _worth_telling(self) -> RunEstimate | None:
        """The estimate of a long run; None for a short one."""
        estimate = self._forecast.estimate if self._session.graph is not None else None
        return estimate if estimate is not None and estimate.is_worth_telling else None

    def _from_which(self) -> str:
        graph, sources = self._session.graph, self._session.sources
        if graph is None or len(sources) <= 1:
            return ""
        return f" from {graph.vertex_label(sources[0])}, the first of {len(sources)} sources"

    def _why_not(self) -> str:
        if self._session.graph is None:
            return "Open or generate a graph first"
        return "" if self._session.choices.ids else "Tick at least one variant first"

    def _paint_with(self, background: str, text: str) -> None:
        roles = QPalette.ColorRole
        set_colours(self, {roles.Button: background, roles.ButtonText: text})

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """The second click of a double-click does nothing: it would cancel the run that
        the first has started.
        """
        event.accept()

    def _press(self) -> None:
        self._cancel() if self._jobs.running(JobKind.SOLVE) else self._start()


class EndpointsBar(QWidget):
    """Fields for source and target, with a swap button; they take what
    `solvers.graphs.search.find` does.
    """

    def __init__(self, session: Session, commands: Commands):
        super().__init__()
        self._session = session
        self._marks = {"source": PlainLabel(), "target": PlainLabel()}
        self.source = VertexField(session, "source", session.set_source)
        self.target = VertexField(
            session, "target", session.set_target, lambda: session.set_target(None)
        )
        self.target.setPlaceholderText("none")
        swap = QToolButton()
        swap.setDefaultAction(commands["swap"])
        swap.setAutoRaise(True)
        self._swap = swap
        on_type_size_change(self._fit_icons)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self._words = [PlainLabel("Source"), PlainLabel("Target")]
        self.more = tool_button(
            tip="Add a source: distances and paths count the nearest one",
            name="Add a source",
            icon="zoom-in",
        )
        of_source = self._marks["source"], self._words[0], self.source, self.more, swap
        of_target = self._marks["target"], self._words[1], self.target
        row_of(*of_source, *of_target, parent=self, margins=(6, 0, 4, 0), spacing=5)
        session.graph_changed.connect(self.refresh)
        session.endpoints_changed.connect(self.refresh)
        self.recolour()
        self.refresh()

    def refresh(self) -> None:
        """Show the session's end points in the fields."""
        self.source.show_vertex(self._session.source)
        self.target.show_vertex(self._session.target)
        for field in (self.source, self.target):
            field.setEnabled(self._session.graph is not None)
        self.more.setEnabled(self._session.graph is not None and self._session.has_room)

    def show_words(self, shown: bool) -> None:
        """Name the fields, or leave that to their marks."""
        for word in self._words:
            word.setVisible(shown)

    def show_compact(self, compact: bool) -> None:
        """Have short fields, and no button for a further source, which the menu of a
        vertex offers too.
        """
        for field in (self.source, self.target):
            field.setFixedWidth(scaled_px(SHORT_FIELD if compact else FIELD_WIDTH))
        self.more.setVisible(not compact)

    def _fit_icons(self) -> None:
        self._swap.setIconSize(scaled_square(_ICON))
        self.recolour()

    def recolour(self) -> None:
        t = tokens()
        colours = {"source": t.source, "target": t.target}
        for name, label in self._marks.items():
            label.setPixmap(icon(name, colours[name]).pixmap(scaled_square(_MARK)))
            label.setToolTip(tool_tip(name.capitalize()))


class MenuButton(QToolButton):
    """The name of the program; a click, F10 or Alt with the letter of a menu opens the menus."""

    def __init__(self) -> None:
        super().__init__()
        self.setText("Tautpath")
        self.setIcon(icon("tautpath"))
        self.setAutoRaise(True)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setAccessibleName("Menu")
        self.setMenu(QMenu(self))
        self._bar: QMenuBar | None = None
        self._letters: list[QShortcut] = []
        on_type_size_change(self._fit_type)
        self._fit_type()

    def use(self, bar: QMenuBar) -> None:
        """Offer the menus of a bar while it is hidden."""
        self._bar = bar
        self.menu().addActions(bar.actions())
        QShortcut(QKeySequence(Qt.Key.Key_F10), bar.window(), self._open_by_key)
        for action in bar.actions():
            menu, key = action.menu(), QKeySequence.mnemonic(action.text())
            if isinstance(menu, QMenu) and key.count():
                self._letters.append(QShortcut(key, self, partial(self._open, menu)))

    def show_bar(self, shown: bool) -> None:
        """Show the bar, which then opens its menus by their letters itself, or hide it."""
        assert self._bar is not None
        self._bar.setVisible(shown)
        for letter in self._letters:
            letter.setEnabled(not shown)

    def _open_by_key(self) -> None:
        if self._bar is not None and self._bar.isVisible():
            self._bar.setActiveAction(self._bar.actions()[0])
        else:
            self.showMenu()

    def _open(self, menu: QMenu) -> None:
        menu.popup(self.mapToGlobal(self.rect().bottomLeft()))

    def _fit_type(self) -> None:
        self.setIconSize(scaled_square(_ICON))
        font = scaled_font(QApplication.font(), _NAME)
        font.setWeight(QFont.Weight.Bold)
        self.setFont(font)


class ToolBar(QToolBar):
    """The window's toolbar, a card."""

    def __init__(
        self,
        menu: MenuButton,
        graph: GraphChip,
        modes: ModeSwitch,
        endpoints: EndpointsBar,
        weights: WeightsBox,
        search: SearchButton,
        device: DeviceBox,
        plan: PlanButton,
        run: RunButton,
    ):
        super().__init__("Toolbar")
        # once the buttons have received the font
        self._fit_later = QTimer(self, singleShot=True, interval=0)
        self._fit_later.timeout.connect(self.fit)
        self._has_width = False  # of its own: before the window lays it out, it has none
        self._level = 0  # of what is dropped
        self.setObjectName("toolbar")
        self.setMovable(False)
        on_type_size_change(self._fit_icons)
        self._fit_icons()
        self._gaps = [_gap() for _ in range(5)]
        self._menu_action = self.addWidget(menu)
        for part in (self._gaps[0], graph, self._gaps[1]):
            self.addWidget(part)
        self._modes_action = self.addWidget(modes)
        self.addWidget(endpoints)
        self.addWidget(search)
        # Takes its room from the search or the space, so that its coming moves no
        # button from under the pointer.
        self._weights, beside = weights, QWidget()
        row_of(_GAP, weights, parent=beside, margins=NO_MARGINS, spacing=0)
        self._weights_action = self.addWidget(beside)
        space = QWidget()
        space.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._space_action = self.addWidget(space)
        self.addWidget(self._gaps[2])
        self.addWidget(device)
        self.addWidget(self._gaps[3])
        self._plan_action = self.addWidget(plan)
        self.addWidget(self._gaps[4])
        self.addWidget(run)
        self._graph, self._modes, self._endpoints, self._search = graph, modes, endpoints, search
        self._device, self._plan, self._menu, self._run = device, plan, menu, run
        for box in (run, device):
            box.widened.connect(self.fit)
        self.show_weights()

    def _fit_icons(self) -> None:
        self.setIconSize(scaled_square(_ICON))

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_bar(self)

    def show_menu(self, shown: bool) -> None:
        """Show the button of the menus, or leave it out."""
        self._menu_action.setVisible(shown)
        self.fit()

    def show_weights(self) -> None:
        """Show the choice of weights for a graph that has one."""
        self.fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._has_width = True
        self.fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit_later.start()

    def fit(self) -> None:
        """Drop words, shorten names and leave out what menus have too, until everything
        to Run has room.

        Qt would otherwise move what is rightmost, the Run button, into a menu. The
        choice of weights has its room also while it is hidden: what is dropped does not
        depend on the graph.
        """
        if not self._has_width:
            return
        settle_bar(self)
        # of the bar with its modes, so that nothing below it moves when they are left out
        self._gaps[0].setMinimumHeight(self._modes.sizeHint().height())
        self._level = first_fitting_level(
            _NO_MODES + 1,
            self._drop,
            lambda: self._wanted_width() <= self.width(),
            near=self._level,
        )
        layout = self.layout()
        assert layout is not None  # every toolbar has one
        layout.activate()  # now, so that no event finds Run where it was

    def _drop(self, level: int) -> None:
        self._endpoints.show_words(level < _NO_FIELD_WORDS)
        self._device.shorten((level >= _SHORTER_DEVICE) + (level >= _SHORT_DEVICE))
        self._search.show_hint(level < _NO_HINT)
        self._space_action.setVisible(level >= _NO_HINT)  # which the search fills else
        self._graph.shorten((level >= _NO_FACTS) + (level >= _SHORT_GRAPH))
        beside, alone = (
            Qt.ToolButtonStyle.ToolButtonTextBesideIcon,
            Qt.ToolButtonStyle.ToolButtonIconOnly,
        )
        self._plan.setToolButtonStyle(beside if level < _NO_PLAN_WORDS else alone)
        self._compact = level >= _COMPACT
        self._endpoints.show_compact(self._compact)
        self._run.show_compact(level >= _TIGHT)
        self._modes_action.setVisible(level < _NO_MODES)
        for gap in self._gaps:
            gap.setFixedWidth(1 if self._compact else _GAP)
        # the caret's room, so that it costs no other part its words
        self._gaps[0].setFixedWidth(1)
        self._menu.setToolButtonStyle(beside if level < _NO_NAME else alone)
        self._plan_action.setVisible(not self._compact)
        self._weights_action.setVisible(self._weights.is_useful and not self._compact)

    def _wanted_width(self) -> int:
        layout = self.layout()
        assert layout is not None  # every toolbar has one
        items = [
            item
            for i in range(layout.count())
            if (item := layout.itemAt(i)) is not None and not item.isEmpty()
        ]
        widths = [item.sizeHint().width() for item in items]
        if not self._weights_action.isVisible() and not self._compact:
            widths.append(self._weights.sizeHint().width() + _GAP)
        return (
            MARGINS[0]
            + MARGINS[2]
            + _BAR_MARGIN
            + sum(widths)
            + len(widths) * max(0, layout.spacing())
        )


def _gap() -> QWidget:
    gap = QWidget()
    gap.setFixedWidth(_GAP)
    return gap
