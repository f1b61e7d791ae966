"""The toolbar: open, generate, end points, find, device, and the Run button in the accent colour."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPalette, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QToolBar, QToolButton, QWidget

from gui.model.forecast import Forecast
from gui.model.jobs import Jobs
from gui.model.session import Session
from gui.shell.commands import Commands
from gui.shell.device_box import DeviceBox
from gui.shell.fields import VertexField
from gui.shell.plan_button import PlanButton
from gui.shell.weights_box import WeightsBox
from gui.style import type_size
from gui.style.common_widgets import PlainLabel
from gui.style.fitting import first_fitting_level
from gui.style.icons import icon
from gui.style.plain_text import tool_tip
from gui.style.theme import tokens
from solvers.running.estimate import RunEstimate, rounded_duration
from solvers.text import plural

_ICON = QSize(20, 20)
_MARK = QSize(16, 16)
_RUN_WIDTH = 112
_BAR_MARGIN = 6
# What is dropped where the window is narrow or the type large, in this order.
_NO_FIELD_WORDS, _SHORTER_DEVICE, _NO_COMMAND_WORDS, _SHORT_DEVICE, _NO_SEARCH, _LEVELS = 1, 2, 3, 4, 5, 6


class RunButton(QPushButton):
    """Run button with the number of ticked variants; Cancel during a run.

    Signals
    -------
    widened()
        Its text needs another width.
    """

    widened = Signal()

    def __init__(
        self, session: Session, forecast: Forecast, jobs: Jobs, commands: Commands, parent: QWidget | None = None
    ):
        super().__init__(parent)
        self._session, self._forecast, self._jobs, self._commands = session, forecast, jobs, commands
        self.setObjectName("run button")
        type_size.on_change(self._fit_type)
        self._fit_type()
        self.setIconSize(_ICON)
        self.clicked.connect(self._press)
        for signal in (forecast.changed, jobs.changed):
            signal.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Update text, colours, icon and tooltip."""
        before = self.sizeHint().width()
        t = tokens()
        job = self._jobs.running("solve")
        count = len(self._session.chosen_ids)
        if job is not None:
            self.setText("Cancelling…" if job.cancelling else "Cancel")
            self.setEnabled(not job.cancelling)
            self.setToolTip("Stop the run; finished results are kept (Esc)")
        else:
            estimate = self._worth_telling()
            length = "" if estimate is None else f", ≈ {rounded_duration(estimate.seconds)}"
            self.setText(f"Run {count}{length}" if count else "Run")
            self.setEnabled(bool(count) and self._session.graph is not None)
            what = f"Run the {plural(count, 'ticked variant')} (F5)"
            length = "" if estimate is None else f". This will take {estimate.words}."
            self.setToolTip(tool_tip(self._why_not() or what + length))
        self._paint_with(t.accent if self.isEnabled() else t.raised, t.accent_text if self.isEnabled() else t.muted)
        self.setIcon(icon("cancel" if job is not None else "run", t.accent_text if self.isEnabled() else t.muted))
        if self.sizeHint().width() != before:
            self.widened.emit()

    def _fit_type(self) -> None:
        self.setMinimumWidth(type_size.px(_RUN_WIDTH))

    def _worth_telling(self) -> RunEstimate | None:
        """The estimate of a long run; None for a short one."""
        estimate = self._forecast.estimate if self._session.graph is not None else None
        return estimate if estimate is not None and estimate.is_worth_telling else None

    def _why_not(self) -> str:
        if self._session.graph is None:
            return "Open or generate a graph first"
        return "" if self._session.chosen_ids else "Tick at least one variant first"

    def _paint_with(self, background: str, text: str) -> None:
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.Button, QColor(background))
        palette.setColor(QPalette.ColorRole.ButtonText, QColor(text))
        self.setPalette(palette)

    def _press(self) -> None:
        self._commands["cancel" if self._jobs.running("solve") else "run"].trigger()


class EndpointsBar(QWidget):
    """Fields for source, target and search, with a swap button; vertices are given by their ids in the file."""

    def __init__(
        self, session: Session, commands: Commands, go_to: Callable[[int], object], parent: QWidget | None = None
    ):
        super().__init__(parent)
        self._session = session
        self._marks = {"source": PlainLabel(), "target": PlainLabel(), "find": PlainLabel()}
        self.source = VertexField(session, "source", session.set_source)
        self.target = VertexField(session, "target", session.set_target, lambda: session.set_target(None))
        self.target.setPlaceholderText("none")
        self.search = VertexField(session, "find", go_to, lambda: None)
        self.search.setPlaceholderText("Find vertex")
        swap = QToolButton()
        swap.setDefaultAction(commands["swap"])
        swap.setAutoRaise(True)
        swap.setIconSize(_ICON)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        row = QHBoxLayout(self)
        row.setContentsMargins(6, 0, 4, 0)
        row.setSpacing(5)
        self._words = [PlainLabel("Source"), PlainLabel("Target")]
        for widget in (self._marks["source"], self._words[0], self.source, swap):
            row.addWidget(widget)
        for widget in (self._marks["target"], self._words[1], self.target):
            row.addWidget(widget)
        row.addSpacing(14)
        row.addWidget(self._marks["find"])
        row.addWidget(self.search)
        session.graph_changed.connect(self.refresh)
        session.endpoints_changed.connect(self.refresh)
        self.recolour()
        self.refresh()

    def refresh(self) -> None:
        """Show the session's end points in the fields."""
        self.source.show_vertex(self._session.source)
        self.target.show_vertex(self._session.target)
        self.search.clear_error()
        for field in (self.source, self.target, self.search):
            field.setEnabled(self._session.graph is not None)

    def show_words(self, shown: bool) -> None:
        """Name the fields, or leave that to their marks."""
        for word in self._words:
            word.setVisible(shown)

    def show_search(self, shown: bool) -> None:
        """Show the field that finds a vertex; while it is hidden, `focus_search` shows it."""
        for widget in (self._marks["find"], self.search):
            widget.setVisible(shown)

    def focus_search(self) -> None:
        """Focus the search field."""
        self.show_search(True)
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def recolour(self) -> None:
        t = tokens()
        colours = {"source": t.source, "target": t.target, "find": t.muted}
        for name, label in self._marks.items():
            label.setPixmap(icon(name, colours[name]).pixmap(_MARK))
            label.setToolTip({"source": "Source", "target": "Target", "find": "Find vertex"}[name])


class ToolBar(QToolBar):
    """The window's toolbar."""

    def __init__(
        self, commands: Commands, endpoints: EndpointsBar, weights: WeightsBox, device: DeviceBox, plan: PlanButton,
        run: RunButton,
    ):  # fmt: skip
        super().__init__("Toolbar")
        self.setObjectName("toolbar")
        self.setMovable(False)
        self.setIconSize(_ICON)
        self._named: list[QToolButton] = []
        for action_id in ("open", "generate"):
            self._add_named(commands, action_id)
        self.addSeparator()
        self.addWidget(endpoints)
        self._weights, self._weights_action = weights, self.addWidget(weights)
        self.addSeparator()
        for action_id in ("live", "race"):
            self._add_named(commands, action_id)
        space = QWidget()
        space.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.addWidget(space)
        self._mark = PlainLabel()
        self.addWidget(self._mark)
        self.addWidget(device)
        self.addWidget(_gap())
        self.addWidget(plan)
        self.addWidget(_gap())
        self.addWidget(run)
        self._endpoints, self._device = endpoints, device
        for box in (run, device):
            box.widened.connect(self.fit)
        self.show_weights()
        self.recolour()

    def show_weights(self) -> None:
        """Show the choice of weights for a graph that has one."""
        self._weights_action.setVisible(self._weights.is_useful)
        self.fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            QTimer.singleShot(0, self, self.fit)  # the buttons hear of the font after the bar

    def fit(self) -> None:
        """Drop words, shorten the device's name, then drop the search field, until everything to Run has room.

        Qt would otherwise move what is rightmost, the Run button, into a menu.
        """
        first_fitting_level(_LEVELS, self._drop, lambda: self._wanted_width() <= self.width())

    def _drop(self, level: int) -> None:
        beside, alone = Qt.ToolButtonStyle.ToolButtonTextBesideIcon, Qt.ToolButtonStyle.ToolButtonIconOnly
        for button in self._named:
            button.setToolButtonStyle(beside if level < _NO_COMMAND_WORDS else alone)
        self._endpoints.show_words(level < _NO_FIELD_WORDS)
        self._device.shorten((level >= _SHORTER_DEVICE) + (level >= _SHORT_DEVICE))
        self._endpoints.show_search(level < _NO_SEARCH)

    def _wanted_width(self) -> int:
        layout = self.layout()
        assert layout is not None  # every toolbar has one
        items = [item for i in range(layout.count()) if (item := layout.itemAt(i)) is not None and not item.isEmpty()]
        margins = self.contentsMargins().left() + self.contentsMargins().right() + 2 * _BAR_MARGIN
        return margins + sum(item.sizeHint().width() + max(0, layout.spacing()) for item in items)

    def _add_named(self, commands: Commands, action_id: str) -> None:
        """Add a button with icon and text."""
        self.addAction(commands[action_id])
        button = self.widgetForAction(commands[action_id])
        assert isinstance(button, QToolButton)  # as a toolbar makes for every action
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._named.append(button)

    def recolour(self) -> None:
        self._mark.setPixmap(icon("device", tokens().muted).pixmap(_ICON))
        self._mark.setContentsMargins(0, 0, 6, 0)


def _gap() -> QWidget:
    gap = QWidget()
    gap.setFixedWidth(8)
    return gap
