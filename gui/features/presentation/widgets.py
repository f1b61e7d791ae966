"""Presentation mode: the caption line above the canvas and the foot below it.

The caption has graph, variant, iteration, time and verdict of what is shown. The foot
has legend, scale bar and a thin scrubber, outside the graph.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from gui.canvas.area import CanvasArea
from gui.canvas.split_page import LegendStrip
from gui.model.playback import Playback, Played
from gui.model.session import Session
from gui.model.settings import DisplayChoices
from gui.panels.play_state import LOOKS, Button, activity, play_state, where_text
from gui.panels.scrubber import Scrubber
from gui.style.forms import row_of, tool_button
from gui.style.icons import icon
from gui.style.paint import RIGHT, bold
from gui.style.text import escape_controls, on_type_size_change, scaled_square
from gui.style.widgets import (
    ElidedLabel,
    PlainLabel,
    ScaledLabel,
    colour_of,
    dot_icon,
    on_scheme_change,
)
from solvers.core.result import Result
from solvers.core.result_view import ResultView
from solvers.graphs.graph import Graph

_FOOT_MARGINS = (12, 6, 12, 8)
_SPACING = 10
_THIN = 26  # height of the scrubber, in pixels


class PresentationFoot(QWidget):
    """Legend, play button and thin scrubber."""

    def __init__(self, playback: Playback, area: CanvasArea):
        super().__init__()
        self._playback = playback
        self.legend = LegendStrip(lambda: area.canvases)
        area.split_changed.connect(self.legend.follow)
        self.scrubber = Scrubber(height=_THIN)
        self.play_button = tool_button(act=playback.toggle)
        self.scrubber.seek_requested.connect(self._seek)
        self.setAutoFillBackground(True)
        parts = self.legend, self.play_button, (self.scrubber, 1)
        row_of(*parts, parent=self, margins=_FOOT_MARGINS, spacing=_SPACING)
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


_SEPARATOR = "\u2002·\u2002"
_FACTOR = 1.25
_CAPTION_MARGINS = (16, 6, 16, 6)
_DOT = 16


@dataclass(frozen=True)
class Caption:
    """Text of the line: what is shown on the left, how far it is and how fast it was on
    the right.
    """

    subject: str
    figures: str


def caption_of(
    graph: Graph | None, result: Result | None, trace: Played | None, position: int, phase: str
) -> Caption:
    """Caption of a result at an iteration of its trace; the time is the median of
    ``phase``, as in the table.
    """
    if graph is None:
        return Caption("", "")
    if result is None:
        return Caption(escape_controls(graph.name), "")
    view = ResultView(result, phase)
    figures = (
        where_text(trace, position),
        "" if view.median is None else view.median_text,
        view.proof.value,
    )
    return Caption(
        f"{escape_controls(graph.name)}{_SEPARATOR}{result.variant.full_title}",
        _SEPARATOR.join(filter(None, figures)),
    )


class CaptionLine(QWidget):
    """Follows session and play-back."""

    def __init__(
        self,
        session: Session,
        playback: Playback,
        choices: DisplayChoices,
        area: CanvasArea,
    ):
        super().__init__()
        self._session, self._playback, self._choices = session, playback, choices
        self._area = area
        self._dot = PlainLabel()
        self.subject = ElidedLabel()
        self.figures = ScaledLabel(factor=_FACTOR)
        self.figures.setAlignment(RIGHT)
        parts = self._dot, (self.subject, 1), self.figures
        row_of(*parts, parent=self, margins=_CAPTION_MARGINS)
        self.setAutoFillBackground(True)
        for signal in (
            session.graph_changed,
            session.results.selection_changed,
            session.results.changed,
            playback.trace_changed,
            playback.moved,
            choices.changed,
            area.headline_changed,
        ):
            signal.connect(self._follow)
        on_type_size_change(self._fit)
        on_scheme_change(self._follow)
        self._fit()

    def _fit(self) -> None:
        self.subject.setFont(bold(self.figures.font()))
        self._follow()

    def _follow(self) -> None:
        if self.isHidden():
            return
        selected, trace = self._session.results.selected, self._playback.trace
        caption = caption_of(
            self._session.graph, selected, trace, self._playback.position, self._choices.phase
        )
        headline = self._area.headline
        self._dot.setVisible(selected is not None and not headline)
        if selected is not None:
            self._dot.setPixmap(dot_icon(colour_of(selected.variant)).pixmap(scaled_square(_DOT)))
        graph = self._session.graph
        self.subject.show_text(
            escape_controls(graph.name) if headline and graph is not None else caption.subject
        )
        self.figures.setText(headline or caption.figures)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._follow()
