"""The strip below the canvas in presentation mode: legend, scale bar and a thin scrubber, outside the graph."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from gui.canvas.area import CanvasArea
from gui.canvas.legend_strip import LegendStrip
from gui.model.playback import Playback
from gui.panels.play_state import LOOKS, Button, activity, play_state
from gui.panels.scrubber import Scrubber
from gui.style.common_widgets import on_scheme_change
from gui.style.icons import icon

_MARGINS = (12, 6, 12, 8)
_SPACING = 10
_THIN = 26  # height of the scrubber, in pixels


class PresentationFoot(QWidget):
    """Legend, play button and thin scrubber.

    Parameters
    ----------
    playback : Playback
    area : CanvasArea
    """

    def __init__(self, playback: Playback, area: CanvasArea, parent: QWidget | None = None):
        super().__init__(parent)
        self._playback = playback
        self.legend = LegendStrip(lambda: area.canvas)
        area.split_changed.connect(self.legend.follow)
        self.scrubber = Scrubber(height=_THIN)
        self.play_button = QToolButton()
        self.play_button.setAutoRaise(True)
        self.play_button.clicked.connect(playback.toggle)
        self.scrubber.seek_requested.connect(self._seek)
        self.setAutoFillBackground(True)
        row = QHBoxLayout(self)
        row.setContentsMargins(*_MARGINS)
        row.setSpacing(_SPACING)
        row.addWidget(self.legend)
        row.addWidget(self.play_button)
        row.addWidget(self.scrubber, 1)
        playback.trace_changed.connect(self._follow_trace)
        playback.moved.connect(self._follow_position)
        playback.state_changed.connect(self._follow_state)
        on_scheme_change(self._follow_state)
        self._follow_trace()

    def show_now(self) -> None:
        """Show the strip, up to date."""
        self.show()
        self._follow_trace()
        self.legend.follow()

    def _seek(self, position: int) -> None:
        self._playback.pause()
        self._playback.seek(position)

    def _follow_trace(self) -> None:
        if self.isHidden():
            return
        for part in (self.play_button, self.scrubber):
            part.setVisible(bool(self._playback.length))
        self.scrubber.show_values(activity(self._playback.trace))
        self._follow_position(self._playback.position)
        self._follow_state()

    def _follow_position(self, position: int) -> None:
        self.scrubber.show_position(position)

    def _follow_state(self) -> None:
        playback = self._playback
        look = LOOKS[play_state(playback.length, playback.position, playback.playing)][Button.PLAY]
        self.play_button.setIcon(icon(look.icon))
        self.play_button.setToolTip(look.label)
        self.play_button.setAccessibleName(look.label)
