"""The play bar: buttons, position, speed, a slider over the frontier's curve, and figures.

Its fields set how long the play-back lasts, and how fast it is.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import QEvent, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QComboBox,
    QMenu,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from gui.model.playback import SPEED_RANGE, FlowSteps, Pace, Playback
from gui.model.session import Session
from gui.panels.play_state import (
    FIT_TIP,
    FLOWS_TIP,
    LOOKS,
    OWN_SPEED,
    PACES,
    WATCHED_TIP,
    BarPart,
    Button,
    activity,
    dropped_parts,
    facts,
    fit_choices,
    fit_text,
    gathered_text,
    play_state,
    seconds_of,
    stride_text,
    trace_offer,
    where_text,
    whole_texts,
    widest_places,
    without_words,
)
from gui.panels.scrubber import Scrubber
from gui.style.forms import NO_MARGINS, STRETCH, column_of, fill_panel, row_of
from gui.style.icons import icon
from gui.style.quantity import QuantityBox, refuse
from gui.style.text import tool_tip
from gui.style.widgets import (
    GAP,
    ElidedLabel,
    PlainLabel,
    QuietLabel,
    keep_icon,
    mute,
    on_scheme_change,
)
from solvers.text import grouped

_SPACING = 2
_SEPARATOR = "   "  # between figures


class PlayBar(QWidget):
    """Controls a `Playback`, shows its position, and asks for a trace of the selected result's run.

    It hides where there is neither a trace nor a run that could be traced.
    """

    trace_requested = Signal()

    def __init__(self, playback: Playback, session: Session, parent: QWidget | None = None):
        super().__init__(parent)
        self._playback = playback
        self._session = session
        self.buttons: dict[Button, QToolButton] = {button: QToolButton() for button in Button}
        self.where = PlainLabel()
        self.watched = QuietLabel("watched run")
        self.facts = PlainLabel()
        self.stride = QuietLabel()
        self.scrubber = Scrubber()
        self.fit_box = FitBox()
        self.speed_box = SpeedBox()
        self.pace_button = QToolButton()
        self.paces: dict[Pace, QAction] = {}
        self.loop_button = QToolButton()
        self.offer = ElidedLabel(asks=True)
        mute(self.offer)
        self.trace_button = QPushButton("Trace")
        self._icons: dict[Button, str] = {}
        self._dropped: frozenset[BarPart] = frozenset()
        self._fact_widths: list[int] = []
        self._build()
        self._connect()
        self._restyle()
        self._follow_trace()
        self._follow_state()

    def _build(self) -> None:
        self.stride.setWordWrap(False)
        self.watched.setWordWrap(False)
        self.watched.setToolTip(tool_tip(WATCHED_TIP))
        self._build_paces()
        self.loop_button.setCheckable(True)
        self.loop_button.setToolTip("Loop")
        self.loop_button.setAccessibleName("Loop")
        for button in (*self.buttons.values(), self.pace_button, self.loop_button):
            button.setAutoRaise(True)
        keep_icon(self.pace_button, "clock")
        keep_icon(self.loop_button, "loop")
        keep_icon(self.trace_button, "trace")

        upper = row_of(
            *self.buttons.values(),
            GAP,
            self.where,
            GAP,
            self.watched,
            STRETCH,
            self.fit_box,
            GAP,
            self.speed_box,
            self.pace_button,
            self.loop_button,
            spacing=_SPACING,
        )
        # `_show_figures` divides the whole width
        lower = row_of((self.facts, 1), self.stride, spacing=0)
        self.player = QWidget()
        column_of(upper, self.scrubber, lower, parent=self.player, margins=NO_MARGINS, spacing=3)
        self.empty = QWidget()
        row_of(
            (self.offer, 1),
            self.trace_button,
            parent=self.empty,
            margins=(GAP, 2, 0, 2),
            spacing=2 * GAP,
        )
        fill_panel(self, self.empty, self.player)

    def _build_paces(self) -> None:
        """A menu that names what passes equally fast, on a button that names the present one."""
        menu, group = QMenu(self.pace_button), QActionGroup(self.pace_button)
        menu.setToolTipsVisible(True)
        for pace, words in PACES.items():
            action = self.paces[pace] = menu.addAction(words.name)
            action.setCheckable(True)
            action.setToolTip(tool_tip(words.tip))
            action.triggered.connect(lambda _=False, pace=pace: self._playback.set_pace(pace))
            group.addAction(action)
        self.pace_button.setMenu(menu)
        self.pace_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.pace_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.pace_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def minimumSizeHint(self) -> QSize:
        """Room for what is shown however narrow the bar is."""
        whole, savings = self._upper_widths()
        margins = self.width() - self._room
        return QSize(whole - sum(savings.values()) + margins, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self._fit()

    def _fit(self) -> None:
        """Show what there is room for: the row of controls first, then the figures."""
        self._fact_widths = []
        whole, savings = self._upper_widths()
        self._dropped = dropped_parts(whole, savings, self._room)
        has_iterations = not isinstance(self._playback.trace, FlowSteps)
        self.watched.setVisible(BarPart.WATCHED not in self._dropped and has_iterations)
        self.pace_button.setVisible(has_iterations)
        self.speed_box.setVisible(BarPart.SPEED not in self._dropped)
        self.loop_button.setVisible(BarPart.LOOP not in self._dropped)
        self.fit_box.setVisible(BarPart.DURATION not in self._dropped)
        style = Qt.ToolButtonStyle
        icon_only = BarPart.PACE_NAME in self._dropped
        self.pace_button.setToolButtonStyle(
            style.ToolButtonIconOnly if icon_only else style.ToolButtonTextBesideIcon
        )
        self._follow_position(self._playback.position)

    @property
    def _tip(self) -> str:
        return FLOWS_TIP if isinstance(self._playback.trace, FlowSteps) else WATCHED_TIP

    @property
    def _room(self) -> int:
        margins = self.contentsMargins()
        return self.width() - 2 * GAP - margins.left() - margins.right()

    def _upper_widths(self) -> tuple[int, dict[BarPart, int]]:
        """Width of the row of controls with all its parts, and what it saves to do without each."""
        metrics = self.where.fontMetrics()
        places = widest_places(self._playback.trace)
        where, short, shortest = (
            max(
                (metrics.horizontalAdvance(self._place_text(place, without)) for place in places),
                default=0,
            )
            for without in ((), (BarPart.WHERE_WORDS,), (BarPart.WHERE_WORDS, BarPart.TOTAL))
        )
        pace_name = metrics.horizontalAdvance(self.pace_button.text()) + GAP
        icon_width = self.loop_button.sizeHint().width()
        parts = {
            BarPart.WATCHED: self.watched.sizeHint().width() + GAP,
            BarPart.PACE_NAME: pace_name,
            BarPart.SPEED: self.speed_box.sizeHint().width() + _SPACING,
            BarPart.WHERE_WORDS: where - short,
            BarPart.LOOP: icon_width + _SPACING,
            BarPart.DURATION: self.fit_box.sizeHint().width() + GAP,
            BarPart.TOTAL: short - shortest,
        }
        steps = sum(button.sizeHint().width() + _SPACING for button in self.buttons.values())
        pace = icon_width + 3 * GAP  # and the arrow of its menu
        return steps + shortest + pace + 2 * GAP + sum(parts.values()), parts

    def _connect(self) -> None:
        playback = self._playback
        moves = {
            Button.FIRST: lambda: playback.seek(0),
            Button.BACK: lambda: playback.step(-1),
            Button.PLAY: playback.toggle,
            Button.FORWARD: lambda: playback.step(1),
            Button.LAST: lambda: playback.seek(playback.length - 1),
        }
        for button, move in moves.items():
            self.buttons[button].clicked.connect(move)
        self.scrubber.seek_requested.connect(self._seek)
        self.fit_box.chosen.connect(playback.fit)
        self.speed_box.valueChanged.connect(playback.set_speed)
        self.loop_button.toggled.connect(playback.set_loop)
        self.trace_button.clicked.connect(self.trace_requested)
        playback.trace_changed.connect(self._follow_trace)
        playback.moved.connect(self._follow_position)
        playback.state_changed.connect(self._follow_state)
        self._session.results.selection_changed.connect(self._follow_offer)
        self._session.results.changed.connect(self._follow_offer)
        self._session.unmeasured.follows_changed.connect(self._follow_offer)
        on_scheme_change(self._restyle)

    def _seek(self, position: int) -> None:
        self._playback.pause()
        self._playback.seek(position)

    def _follow_trace(self) -> None:
        trace = self._playback.trace
        self.speed_box.setSuffix(" steps/s" if isinstance(trace, FlowSteps) else " it/s")
        plays = bool(self._playback.length)
        self.player.setVisible(plays)
        self.empty.setVisible(not plays)
        policy = QSizePolicy.Policy
        self.setSizePolicy(policy.Preferred if plays else policy.Maximum, policy.Preferred)
        self.scrubber.show_values(activity(trace))
        self._follow_offer()
        self._fit()

    def _follow_offer(self) -> None:
        offer = trace_offer(self._session.results.selected)
        self.offer.show_text(offer.text)
        self.trace_button.setVisible(offer.can_trace)
        has_something = bool(self._playback.length) or offer.can_trace
        shows_flows = isinstance(self._playback.trace, FlowSteps)
        # which shows no iterations
        follows = self._session.unmeasured.follows
        self.setVisible(has_something and (shows_flows or not follows))

    def _follow_position(self, position: int) -> None:
        trace = self._playback.trace
        self.scrubber.show_position(position)
        where = where_text(trace, position)
        self.where.setText(self._place_text(where, self._dropped))
        self.where.setToolTip(tool_tip(f"{where}\n\n{self._tip}"))
        gathered = self._playback.gathered
        remark = ", ".join(filter(None, (gathered_text(trace, gathered), stride_text(trace))))
        self._show_figures(facts(trace, position, gathered), remark)
        self._follow_buttons()

    @staticmethod
    def _place_text(where: str, dropped: Collection[BarPart]) -> str:
        """Words for a position, without those that were dropped."""
        words = without_words(where) if BarPart.WHERE_WORDS in dropped else where
        return words.partition(" of ")[0] if BarPart.TOTAL in dropped else words

    def _show_figures(self, figures: Sequence[str], remark: str) -> None:
        """Show as many whole figures as there is room for, and then the remark; the
        tool tip has all.
        """
        metrics = self.facts.fontMetrics()
        widths = [metrics.horizontalAdvance(figure) for figure in figures]
        # the widest so far, so that figures do not come and go
        if len(widths) == len(self._fact_widths):
            widths = list(map(max, widths, self._fact_widths))
        self._fact_widths = widths
        gap = metrics.horizontalAdvance(_SEPARATOR)
        shown = whole_texts(widths, gap, self._room)
        words = _SEPARATOR.join(figures[:shown])
        if words != self.facts.text():
            self.facts.setText(words)
        rest = self._room - sum(widths) - gap * len(widths)
        fits = shown == len(widths) and metrics.horizontalAdvance(remark) <= rest
        self.facts.setToolTip(
            tool_tip(self._tip_of(figures, remark, shown == len(widths) and (fits or not remark)))
        )
        shown_remark = remark if fits else ""
        if shown_remark != self.stride.text():
            self.stride.setText(shown_remark)
        self.stride.setVisible(bool(shown_remark))  # empty, it would take room from the figures

    def _tip_of(self, figures: Sequence[str], remark: str, all_shown: bool) -> str:
        said = () if all_shown else (*figures, remark)
        return "\n\n".join(filter(None, (", ".join(filter(None, said)), self._tip)))

    def _follow_state(self) -> None:
        playback = self._playback
        with QSignalBlocker(self.speed_box):
            self.speed_box.setValue(playback.speed)
        with QSignalBlocker(self.loop_button):
            self.loop_button.setChecked(playback.loop)
        self.fit_box.show_seconds(playback.seconds)
        words = PACES[playback.pace]
        self.paces[playback.pace].setChecked(True)
        renamed = words.short != self.pace_button.text()
        self.pace_button.setText(words.short)
        self.pace_button.setToolTip(
            tool_tip(f"{words.name}: {words.tip[0].lower()}{words.tip[1:]}")
        )
        self.pace_button.setAccessibleName(f"Play-back: {words.name.lower()}")
        if renamed:
            self._fit()
        self._follow_buttons()

    def _follow_buttons(self) -> None:
        playback = self._playback
        looks = LOOKS[play_state(playback.length, playback.position, playback.playing)]
        for button, look in looks.items():
            widget = self.buttons[button]
            widget.setEnabled(look.enabled)
            if self._icons.get(button) != look.icon:  # drawing an icon at every step would be slow
                self._icons[button] = look.icon
                widget.setIcon(icon(look.icon))
            widget.setToolTip(tool_tip(look.label))
            widget.setAccessibleName(look.label)

    def _restyle(self) -> None:
        self._icons.clear()
        self._follow_buttons()


_WIDE_SPEED = "888 888"  # a faster play-back is scrolled in its field


class FitBox(QComboBox):
    """Duration of the whole run in seconds: those offered, or one that is typed."""

    chosen = Signal(float)

    def __init__(self) -> None:
        super().__init__()
        self._seconds: float | None = None
        self.setEditable(True)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setMinimumContentsLength(len(OWN_SPEED))
        self.setAccessibleName("Duration of the play-back")
        self.setToolTip(tool_tip(FIT_TIP))
        self.activated.connect(self._choose)
        field = self.lineEdit()
        assert field is not None  # the box is editable
        field.editingFinished.connect(self._take_text)

    def show_seconds(self, seconds: float | None) -> None:
        """Show a duration; None stands for a speed of its own."""
        if self.count() and seconds == self._seconds:
            return
        self._seconds = seconds
        self.blockSignals(True)
        self.clear()
        for choice in fit_choices(seconds):
            self.addItem(fit_text(choice), choice)
        self.setCurrentIndex(-1 if seconds is None else self.findData(seconds))
        self.setEditText(OWN_SPEED if seconds is None else fit_text(seconds))
        self.blockSignals(False)

    def _choose(self, index: int) -> None:
        self.chosen.emit(self.itemData(index))

    def _take_text(self) -> None:
        """Take a typed duration; what is none is replaced by the present one."""
        text = self.currentText()
        present = OWN_SPEED if self._seconds is None else fit_text(self._seconds)
        if text == present:
            return
        seconds = seconds_of(text)
        if seconds is None:
            refuse(self, text, ValueError("it takes a time above 0, such as 20 s or 1.5 min"))
            self.setEditText(present)
        else:
            self.chosen.emit(seconds)


class SpeedBox(QuantityBox):
    """Iterations per second, without trailing zeros, thousands apart: "60", "0.5", "17 623"."""

    def __init__(self) -> None:
        super().__init__()
        self.setRange(*SPEED_RANGE)
        self.setButtonSymbols(QAbstractSpinBox.ButtonSymbols.NoButtons)
        self.setDecimals(2)
        self.setStepType(QAbstractSpinBox.StepType.AdaptiveDecimalStepType)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setAccessibleName("Steps per second")
        self.setToolTip("Steps per second ([ slower, ] faster)")

    def sizeHint(self) -> QSize:
        """Room for six digits, whatever the range."""
        width = self.fontMetrics().horizontalAdvance(f"{_WIDE_SPEED}{self.suffix()}") + 4 * GAP
        return QSize(width, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def textFromValue(self, value: float) -> str:
        return grouped(value, ".4g") if value < 1000 else grouped(value, ".0f")
