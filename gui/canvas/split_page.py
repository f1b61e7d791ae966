"""The page of runs side by side: panes, below them the legend and, in a race, its bars."""

from __future__ import annotations

from PySide6.QtCore import QRect, Signal
from PySide6.QtGui import QMoveEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from gui.canvas.legend_strip import LegendStrip
from gui.canvas.race import RaceDisplay
from gui.canvas.race_strip import RaceStrip
from gui.canvas.split import SplitView
from gui.model.playback import Playback
from gui.style import type_size

_FOOT_MARGINS = (12, 2, 8, 2)
_LEAST_FOOT = 34  # for the zoom buttons, which lie in it
_LEAST_PICTURE = 130  # height of a pane's picture, in pixels, below which a race does without legend and bars


class SplitPage(QWidget):
    """Panes and what belongs to all of them; nothing lies over the graphs, which are small.

    Parameters
    ----------
    view : SplitView
    playback : Playback

    Signals
    -------
    resized()
        The place of the buttons changed.
    """

    resized = Signal()

    def __init__(self, view: SplitView, playback: Playback, parent: QWidget | None = None):
        super().__init__(parent)
        self.race_strip = RaceStrip()
        self.race = RaceDisplay(playback, view, self.race_strip)
        self.legend = LegendStrip(lambda: next(iter(view.canvases), None), low=True)
        self.foot = _Foot(self.legend)
        self._view, self._with_foot, self._tight = view, True, False
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(view, 1)
        column.addWidget(self.foot)
        column.addWidget(self.race_strip)
        view.panes_changed.connect(self.legend.follow)
        view.panes_changed.connect(self._fit)
        view.crowded_changed.connect(self._fit)
        type_size.on_change(self._fit)
        self.foot.resized.connect(self.resized)
        self.race_strip.resized.connect(self.resized)

    def set_covered(self, bottom: int) -> None:
        """Keep so many pixels at the bottom free."""
        layout = self.layout()
        assert layout is not None  # it was made with one
        layout.setContentsMargins(0, 0, 0, bottom)
        self._fit()

    def set_race(self, on: bool) -> None:
        """Show, or no longer show, a race."""
        self.race.set_on(on)
        self._fit()

    def show_foot(self, on: bool) -> None:
        """Show the legend below the panes, or leave it to others."""
        self._with_foot = on
        self.foot.setVisible(on and not self._tight)

    @property
    def tight(self) -> bool:
        """Whether a race has so little room that legend, buttons and bars give theirs to the pictures."""
        return self._tight

    def _fit(self) -> None:
        """Divide the height: in a tight race, and in one of long names, every header has the bar of its run."""
        crowded = self.race.on and any(pane.head.crowded for pane in self._view.panes)
        tight = self.race.on and self._picture_height(crowded) < type_size.px(_LEAST_PICTURE)
        for pane in self._view.panes:
            pane.head.set_two_rows(tight or crowded)
        self.race_strip.bars.setVisible(not (tight or crowded))
        if tight != self._tight:
            self._tight = tight
            self.show_foot(self._with_foot)
            self.resized.emit()

    def _picture_height(self, crowded: bool) -> int:
        """Height of a pane's picture with legend and bars, which a crowded header contains."""
        foot = self.foot.sizeHint().height() if self._with_foot else 0
        strip = self.race_strip.height_with(bars=not crowded)
        room = self.contentsRect().height() - self._margin_below() - foot - strip
        return self._view.picture_height(room, 2 if crowded else 1)

    def _margin_below(self) -> int:
        layout = self.layout()
        assert layout is not None  # it was made with one
        return layout.contentsMargins().bottom()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    @property
    def buttons_row(self) -> QRect:
        """Where the buttons of the view go: at the right end of the legend's row."""
        layout = self.layout()
        assert layout is not None  # it was made with one
        layout.activate()
        return self.foot.geometry()


class _Foot(QWidget):
    """The row of the legend.

    Signals
    -------
    resized()
        Its size or its place changed.
    """

    resized = Signal()

    def __init__(self, legend: LegendStrip):
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(*_FOOT_MARGINS)
        row.addWidget(legend)
        row.addStretch(1)
        self.setAutoFillBackground(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        type_size.on_change(self._grow)
        self._grow()

    def _grow(self) -> None:
        self.setMinimumHeight(type_size.px(_LEAST_FOOT))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    def moveEvent(self, event: QMoveEvent) -> None:
        super().moveEvent(event)
        self.resized.emit()
