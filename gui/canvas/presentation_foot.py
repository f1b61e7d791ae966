"""The strip below the canvas in presentation mode: legend, scale bar and a thin scrubber, outside the graph."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QPainter, QPaintEvent, QPicture
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QWidget

from gui.canvas.area import CanvasArea
from gui.canvas.graph_canvas import GraphCanvas
from gui.model.playback import Playback
from gui.painting.picture import paint_legends
from gui.panels.play_state import LOOKS, Button, activity, play_state
from gui.panels.scrubber import Scrubber
from gui.style import type_size
from gui.style.common_widgets import on_scheme_change
from gui.style.icons import icon
from gui.style.theme import tokens

_MARGINS = (12, 6, 12, 8)
_SPACING = 10
_THIN = 26  # height of the scrubber, in pixels


class LegendStrip(QWidget):
    """Legend and scale bar of the canvas that commands act on, outside it."""

    def __init__(self, area: CanvasArea, parent: QWidget | None = None):
        super().__init__(parent)
        self._area = area
        self._followed: GraphCanvas | None = None
        self._legend = QPicture()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Legend")
        area.split_changed.connect(self.follow)

    def follow(self) -> None:
        """Show the legend as it is now, and follow the canvas."""
        canvas = self._area.canvas
        if canvas is not self._followed:
            self._followed = canvas
            canvas.framed.connect(self._refresh)
            canvas.view_changed.connect(self._refresh)
        self._refresh()

    def sizeHint(self) -> QSize:
        return self._place.size()

    @property
    def _place(self) -> QRect:
        return self._legend.boundingRect().adjusted(-1, -1, 1, 1)

    def _refresh(self) -> None:
        if not self.isVisible():
            return
        before, self._legend = self._place, self._drawn()
        if self._place.size() != before.size():
            self.updateGeometry()
        self.update()

    def _drawn(self) -> QPicture:
        """The legend as a recording, whose extent is known before it is painted."""
        recording = QPicture()
        frame, content = self._area.canvas.frame, self._area.canvas.content
        if frame is not None and content is not None:
            size = type_size.factor()
            painter = QPainter(recording)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.scale(size, size)
            camera = self._area.canvas.camera.enlarged(size)
            paint_legends(painter, frame, camera, content, tokens(), camera.height)
            painter.end()
        return recording

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.translate(-self._place.topLeft())
        painter.drawPicture(0, 0, self._legend)


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
        self.legend = LegendStrip(area)
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
