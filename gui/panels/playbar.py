"""The play bar: buttons, position, speed, a slider over the frontier's curve, and figures."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QDoubleSpinBox,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QSlider,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gui.model.playback import SPEED_RANGE, Pace, Playback
from gui.model.session import Session
from gui.panels.play_state import (
    LOOKS,
    PACE_TIPS,
    SPEED_STEPS,
    WATCHED_TIP,
    Button,
    activity,
    facts_text,
    play_state,
    slider_to_speed,
    speed_to_slider,
    stride_text,
    trace_offer,
    where_text,
)
from gui.panels.scrubber import Scrubber
from gui.style.common_widgets import GAP, PlainLabel, QuietLabel, on_scheme_change, tabular
from gui.style.icons import icon
from solvers.text import grouped


class PlayBar(QWidget):
    """Controls a `Playback` and shows its position.

    Signals
    -------
    trace_requested()
        The user asked to trace the selected result's run.
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
        self.speed_slider = QSlider(Qt.Orientation.Horizontal)
        self.speed_box = _SpeedBox()
        self.pace_button = QToolButton()
        self.loop_button = QToolButton()
        self.offer = QuietLabel()
        self.trace_button = QPushButton("Trace")
        self._icons: dict[Button, str] = {}
        self._build()
        self._connect()
        self._restyle()
        self._follow_trace()
        self._follow_state()

    # -- building ----------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        for label in (self.where, self.facts):
            label.setFont(tabular(label.font()))
        self.stride.setWordWrap(False)
        self.watched.setWordWrap(False)
        for label in (self.where, self.watched, self.facts):
            label.setToolTip(WATCHED_TIP)
        self.speed_slider.setRange(0, SPEED_STEPS)
        self.speed_slider.setMinimumWidth(48)
        self.speed_slider.setMaximumWidth(110)
        self.speed_slider.setToolTip("Speed, logarithmic scale ([ slower, ] faster)")
        self.speed_slider.setAccessibleName("Speed")
        self.speed_box.setRange(*SPEED_RANGE)
        self.speed_box.setDecimals(1)
        self.speed_box.setSuffix(" it/s")
        self.speed_box.setStepType(QAbstractSpinBox.StepType.AdaptiveDecimalStepType)
        self.speed_box.setKeyboardTracking(False)
        self.speed_box.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.speed_box.setAccessibleName("Iterations per second")
        self.speed_box.setToolTip("Iterations per second")
        self.pace_button.setCheckable(True)
        self.pace_button.setAccessibleName("Play by real time")
        self.loop_button.setCheckable(True)
        self.loop_button.setToolTip("Loop")
        self.loop_button.setAccessibleName("Loop")
        for button in (*self.buttons.values(), self.pace_button, self.loop_button):
            button.setAutoRaise(True)

        upper = QHBoxLayout()
        upper.setSpacing(2)
        for button in self.buttons.values():
            upper.addWidget(button)
        upper.addSpacing(GAP)
        upper.addWidget(self.where)
        upper.addSpacing(GAP)
        upper.addWidget(self.watched)
        upper.addStretch(1)
        upper.addWidget(self.speed_slider)
        upper.addSpacing(GAP)
        upper.addWidget(self.speed_box)
        upper.addWidget(self.pace_button)
        upper.addWidget(self.loop_button)
        lower = QHBoxLayout()
        lower.addWidget(self.facts)
        lower.addStretch(1)
        lower.addWidget(self.stride)
        self.player = QWidget()
        player_layout = QVBoxLayout(self.player)
        player_layout.setContentsMargins(0, 0, 0, 0)
        player_layout.setSpacing(3)
        player_layout.addLayout(upper)
        player_layout.addWidget(self.scrubber)
        player_layout.addLayout(lower)
        self.empty = QFrame()
        empty_layout = QHBoxLayout(self.empty)
        empty_layout.setContentsMargins(2 * GAP, GAP, 2 * GAP, GAP)
        empty_layout.addWidget(self.offer, 1)
        empty_layout.addWidget(self.trace_button)
        pages = QVBoxLayout(self)
        pages.setContentsMargins(GAP, GAP, GAP, GAP)
        pages.addWidget(self.empty)
        pages.addWidget(self.player)

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
        self.speed_slider.valueChanged.connect(lambda value: playback.set_speed(slider_to_speed(value)))
        self.speed_box.valueChanged.connect(playback.set_speed)
        self.pace_button.toggled.connect(lambda timed: playback.set_pace(Pace.TIME if timed else Pace.ITERATIONS))
        self.loop_button.toggled.connect(playback.set_loop)
        self.trace_button.clicked.connect(self.trace_requested)
        playback.trace_changed.connect(self._follow_trace)
        playback.moved.connect(self._follow_position)
        playback.state_changed.connect(self._follow_state)
        self._session.selection_changed.connect(self._follow_offer)
        self._session.results_changed.connect(self._follow_offer)
        on_scheme_change(self._restyle)

    def _seek(self, position: int) -> None:
        self._playback.pause()
        self._playback.seek(position)

    # -- following ---------------------------------------------------------------------------------------------------

    def _follow_trace(self) -> None:
        trace = self._playback.trace
        self.player.setVisible(bool(self._playback.length))
        self.empty.setVisible(not self._playback.length)
        self.scrubber.show_values(activity(trace))
        self.stride.setText(stride_text(trace))
        self.stride.setVisible(bool(self.stride.text()))
        self._follow_offer()
        self._follow_position(self._playback.position)

    def _follow_offer(self) -> None:
        offer = trace_offer(self._session.selected)
        self.offer.setText(offer.text)
        self.trace_button.setVisible(offer.can_trace)
        self._reserve_room(bool(self._session.results))

    def _reserve_room(self, results: bool) -> None:
        """Reserve the player's height once there are results, so that selections do not resize the canvas."""
        self.empty.setFrameShape(QFrame.Shape.StyledPanel if results else QFrame.Shape.NoFrame)
        self.empty.setMinimumHeight(self.player.sizeHint().height() if results else 0)

    def _follow_position(self, position: int) -> None:
        trace = self._playback.trace
        self.scrubber.show_position(position)
        self.where.setText(where_text(trace, position))
        self.facts.setText(facts_text(trace, position))
        self._follow_buttons()

    def _follow_state(self) -> None:
        playback = self._playback
        controls = (self.speed_slider, self.speed_box, self.pace_button, self.loop_button)
        for control in controls:
            control.blockSignals(True)
        if slider_to_speed(self.speed_slider.value()) != playback.speed:
            self.speed_slider.setValue(speed_to_slider(playback.speed))
        self.speed_box.setValue(playback.speed)
        self.pace_button.setChecked(playback.pace is Pace.TIME)
        self.pace_button.setToolTip(PACE_TIPS[playback.pace])
        self.loop_button.setChecked(playback.loop)
        for control in controls:
            control.blockSignals(False)
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
            widget.setToolTip(look.label)
            widget.setAccessibleName(look.label)

    def _restyle(self) -> None:
        self._icons.clear()
        self.pace_button.setIcon(icon("clock"))
        self.loop_button.setIcon(icon("loop"))
        self.trace_button.setIcon(icon("trace"))
        self._follow_buttons()


class _SpeedBox(QDoubleSpinBox):
    """Iterations per second, without trailing zeros: "60", "0.5"."""

    def textFromValue(self, value: float) -> str:
        return grouped(value, ".4g") if value < 1000 else grouped(value, ".0f")
