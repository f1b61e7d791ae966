"""The caption line of presentation mode: graph, variant, iteration, time and verdict of what is shown."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from gui.model.display_choices import DisplayChoices
from gui.model.playback import Playback
from gui.model.session import Session
from gui.panels.hero import proof_word
from gui.panels.play_state import where_text
from gui.style import type_size
from gui.style.common_widgets import (
    ElidedLabel,
    PlainLabel,
    ScaledLabel,
    colour_of,
    dot_icon,
    on_scheme_change,
    tabular,
)
from gui.style.plain_text import visible
from solvers.core.result import Result
from solvers.core.trace import ActivityTrace, MatrixTrace
from solvers.graphs.graph import Graph
from solvers.text import format_duration

_SEPARATOR = "\u2002·\u2002"
_FACTOR = 1.25
_MARGINS = (16, 6, 16, 6)
_DOT = 16


@dataclass(frozen=True)
class Caption:
    """Text of the line: what is shown on the left, how far it is and how fast it was on the right."""

    subject: str
    figures: str


def caption_of(
    graph: Graph | None, result: Result | None, trace: ActivityTrace | MatrixTrace | None, position: int, phase: str
) -> Caption:
    """The caption of a result at a position of its trace.

    Parameters
    ----------
    graph : Graph or None
    result : Result or None
    trace : ActivityTrace or MatrixTrace, optional
        What the play-back shows.
    position : int
        Recorded iteration.
    phase : str
        Whose median is the time, as in the results table.
    """
    if graph is None:
        return Caption("", "")
    if result is None:
        return Caption(visible(graph.name), "")
    median = result.median(phase)
    figures = (
        where_text(trace, position),
        "" if median is None else format_duration(median),
        proof_word(result),
    )
    return Caption(
        f"{visible(graph.name)}{_SEPARATOR}{result.variant.full_title}", _SEPARATOR.join(filter(None, figures))
    )


class CaptionLine(QWidget):
    """Follows session and play-back.

    Parameters
    ----------
    session, playback, choices
    """

    def __init__(self, session: Session, playback: Playback, choices: DisplayChoices, parent: QWidget | None = None):
        super().__init__(parent)
        self._session, self._playback, self._choices = session, playback, choices
        self._override = ""
        self._dot = PlainLabel()
        self.subject = ElidedLabel()
        self.figures = ScaledLabel(factor=_FACTOR)
        self.figures.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        row = QHBoxLayout(self)
        row.setContentsMargins(*_MARGINS)
        row.addWidget(self._dot)
        row.addWidget(self.subject, 1)
        row.addWidget(self.figures)
        self.setAutoFillBackground(True)
        for signal in (
            session.graph_changed, session.selection_changed, session.results_changed, playback.trace_changed,
            playback.moved, choices.changed,
        ):  # fmt: skip
            signal.connect(self._follow)
        type_size.on_change(self._fit)
        on_scheme_change(self._follow)
        self._fit()

    def say(self, words: str) -> None:
        """Show ``words`` on the right in place of one run's figures, for several runs; "" ends that."""
        self._override = words
        self._follow()

    def _fit(self) -> None:
        font = tabular(self.figures.font())
        font.setWeight(QFont.Weight.DemiBold)
        self.subject.setFont(font)
        self._follow()

    def _follow(self) -> None:
        if self.isHidden():
            return
        selected, trace = self._session.selected, self._playback.trace
        caption = caption_of(self._session.graph, selected, trace, self._playback.position, self._choices.phase)
        self._dot.setVisible(selected is not None and not self._override)
        if selected is not None:
            self._dot.setPixmap(dot_icon(colour_of(selected.variant)).pixmap(_DOT, _DOT))
        graph = self._session.graph
        self.subject.show_text(visible(graph.name) if self._override and graph is not None else caption.subject)
        self.figures.setText(self._override or caption.figures)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._follow()
