"""The page of runs side by side: panes, below them the legend and, in a race, its bars.

A race has clocks and flags in the panes. The legend and the scale bar are those of a
canvas, drawn outside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, QRect, QSize, Signal
from PySide6.QtGui import QMoveEvent, QPainter, QPaintEvent, QPicture, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.canvas.graph_canvas import GraphCanvas
from gui.canvas.pane import Pane
from gui.canvas.race_bars import RaceStrip
from gui.canvas.split import SplitView
from gui.model.playback import Pace, Playback, run_clock
from gui.model.race import Racer, ms_per_second, slow_motion, standings, time_scale
from gui.painting.display import QtTextSizes, paint_marks
from gui.painting.picture import view_of
from gui.style.forms import NO_MARGINS, STRETCH, column_of, row_of
from gui.style.text import on_type_size_change, scaled_px, short_title, type_scale
from gui.style.theme import tokens
from gui.style.widgets import on_scheme_change, smooth_painter
from solvers.core.labelling import Labelling
from solvers.picture.overlay.annotations import BUTTONS_WIDTH, legends_of, lesson_strip_size
from solvers.picture.overlay.cards import key_rows, key_strip
from solvers.picture.overlay.legend import ROW_HEIGHT, legend_row
from solvers.picture.scene.camera import Margins

_FOOT_MARGINS = (12, 2, 8, 2)
_LEAST_FOOT = 46  # for the zoom buttons, which lie in it, clear of what is below
_ABOVE = 6  # pixels between the headers and what is above them
# height of a pane's picture, in pixels, below which a race does without legend and bars
_LEAST_PICTURE = 130


class SplitPage(QWidget):
    """Panes and what belongs to all of them; nothing lies over the graphs, which are small."""

    resized = Signal()  # the place of the buttons changed

    def __init__(self, view: SplitView, playback: Playback):
        super().__init__()
        self.race_strip = RaceStrip()
        self.race = RaceDisplay(playback, view, self.race_strip)
        self.legend = LegendStrip(lambda: view.canvases, low=True)
        self.foot = _Foot(self.legend)
        self._view, self._with_foot, self._tight = view, True, False
        self._column = column_of(
            (view, 1), self.foot, self.race_strip, parent=self, margins=NO_MARGINS, spacing=0
        )
        view.panes_changed.connect(self.legend.follow)
        view.panes_changed.connect(self._fit)
        view.crowded_changed.connect(self._fit)
        on_type_size_change(self._fit)
        self.foot.resized.connect(self.legend.follow)
        for moved in (self.foot.resized, self.legend.room_changed):
            moved.connect(self.resized)
        self.race_strip.resized.connect(self.resized)

    def set_covered(self, margins: Margins) -> None:
        self._column.setContentsMargins(*map(int, margins._replace(top=margins.top + _ABOVE)))
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
    def has_buttons(self) -> bool:
        """Whether there is room for the buttons beside the legend, which a tight race
        leaves out, too.
        """
        return not self._tight and self.legend.leaves_room

    def _fit(self) -> None:
        """Divide the height: in a tight race, and in one of long names, every header
        has the bar of its run.
        """
        crowded = self.race.on and any(pane.head.crowded for pane in self._view.panes)
        tight = self.race.on and self._picture_height(crowded) < scaled_px(_LEAST_PICTURE)
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
        return self._column.contentsMargins().bottom()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    @property
    def buttons_row(self) -> QRect:
        """Where the buttons of the view go: at the right end of the legend's row."""
        self._column.activate()
        return self.foot.geometry()


class _Foot(QWidget):
    resized = Signal()  # its size or its place changed

    def __init__(self, legend: LegendStrip):
        super().__init__()
        row_of(legend, STRETCH, parent=self, margins=_FOOT_MARGINS)
        self.setAutoFillBackground(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        on_type_size_change(self._grow)
        self._grow()

    def _grow(self) -> None:
        self.setMinimumHeight(scaled_px(_LEAST_FOOT))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    def moveEvent(self, event: QMoveEvent) -> None:
        super().moveEvent(event)
        self.resized.emit()


class RaceDisplay(QObject):
    """Follows the play-back while a race is on."""

    def __init__(self, playback: Playback, view: SplitView, strip: RaceStrip):
        super().__init__(view)
        self._playback, self._view, self._strip = playback, view, strip
        self.on = False
        strip.hide()
        playback.ticked.connect(self._follow)
        playback.state_changed.connect(self._follow)
        view.panes_changed.connect(self._follow)

    def set_on(self, on: bool) -> None:
        """Show, or no longer show, clocks, flags and bars."""
        self.on = on
        self._strip.setVisible(on)
        self._view.set_timed(on)
        self._follow()

    def _follow(self) -> None:
        running = [pane for pane in self._view.panes if pane.displayed_run.trace is not None]
        for pane in self._view.panes:
            if not self.on or pane not in running:
                pane.show_standing(None)
        if not self.on:
            return
        missing = len(self._view.panes) - len(running)
        found = standings([_racer(pane) for pane in running], self._view.elapsed_ms)
        for pane, standing in zip(running, found, strict=True):
            pane.show_standing(standing)
        self._strip.show_race(found, self._words(missing))

    def _words(self, missing: int) -> str:
        count = len(self._view.panes)
        if missing:
            return f"Recording the runs: {count - missing} of {count}"
        if self._playback.pace is not Pace.TIME:
            return "Choose equal time in the play bar to race by real time"
        return slow_motion(ms_per_second(self._playback) * self._view.leader_scale)


def _racer(pane: Pane) -> Racer:
    result, trace = pane.result, pane.displayed_run.trace
    assert result is not None  # a pane with a trace has its result
    total = float(run_clock(trace)[-1]) * time_scale(result)
    return Racer(result.variant.id, result.variant.full_title, total, short_title(result.variant))


class LegendStrip(QWidget):
    """Legend and scale bar of the canvas that commands act on, the first, outside it.

    A ``low`` strip is one row without cards; where that cannot show all, it is as on
    the canvas.
    """

    room_changed = Signal()  # there is room for the buttons beside it now, or no longer

    def __init__(
        self,
        canvases_of: Callable[[], Sequence[GraphCanvas]],
        *,
        low: bool = False,
    ):
        super().__init__()
        self._canvases_of, self._low = canvases_of, low
        self._followed: GraphCanvas | None = None
        self._legend = QPicture()
        self.leaves_room = True  # for the buttons, in the row of a low strip
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Legend")
        on_scheme_change(self._refresh)
        on_type_size_change(self._refresh)

    def follow(self) -> None:
        """Show the legend as it is now, and follow the canvas."""
        canvas = next(iter(self._canvases_of()), None)
        if canvas is not self._followed and canvas is not None:
            canvas.frames.framed.connect(self._refresh)
            canvas.view.moved.connect(self._refresh)
        self._followed = canvas
        self._refresh()

    def sizeHint(self) -> QSize:
        return self._place.size()

    @property
    def _place(self) -> QRect:
        return self._legend.boundingRect().adjusted(-1, -1, 1, 1)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.follow()

    def _refresh(self) -> None:
        if not self.isVisible():
            return
        before, self._legend = (self._place, self.leaves_room), self._drawn()
        if self._place.size() != before[0].size():
            self.updateGeometry()
        if self.leaves_room is not before[1]:
            self.room_changed.emit()
        self.update()

    def _drawn(self) -> QPicture:
        """The legend as a recording, whose extent is known before it is painted."""
        recording = QPicture()
        canvas = next(iter(self._canvases_of()), None)
        frame, content = (None, None) if canvas is None else (canvas.frames.newest, canvas.content)
        if canvas is not None and frame is not None and content is not None:
            size, row = type_scale(), self.parentWidget() or self
            sizes = QtTextSizes(self.font())
            if content.lesson is not None:
                size = lesson_strip_size(sizes, row.width(), size)
            with smooth_painter(recording) as painter:
                painter.scale(size, size)
                camera = canvas.view.camera.enlarged(size)
                if self._low and content.lesson is None and frame.isochrone is None:
                    room = row.width() / size - 2 * _FOOT_MARGINS[0]
                    metres = content.scene.metres_per_unit
                    middle, free = ROW_HEIGHT / 2, BUTTONS_WIDTH
                    row_in = partial(
                        legend_row, sizes, frame.legend, camera, metres, tokens(), room
                    )
                    rows = key_rows(content, tokens())
                    key, _ = key_strip(sizes, rows, 0.0, middle, tokens())
                    width, marks = row_in(free + key)
                    if width + free + key <= room:
                        width, key_marks = key_strip(sizes, rows, width, middle, tokens())
                        marks += key_marks
                    else:
                        width, marks = row_in(free)
                    paint_marks(painter, marks)
                    self.leaves_room = width + BUTTONS_WIDTH <= room
                    recording.setBoundingRect(
                        QRect(0, 0, round(width * size), round(ROW_HEIGHT * size))
                    )
                else:
                    camera = replace(camera, width=row.width() / size)
                    shown = view_of(painter, frame, camera, content, tokens())
                    bottom, free = camera.height, BUTTONS_WIDTH
                    beside = self._lessons_beside()
                    found = legends_of(
                        shown, frame, bottom, kept_free=free, outside=True, beside=beside
                    )
                    paint_marks(painter, found.marks)
        return recording

    def _lessons_beside(self) -> list[Labelling]:
        """The families of all runs that are shown as lessons."""
        shown = (canvas.content for canvas in self._canvases_of())
        lessons = (content.lesson for content in shown if content is not None)
        return [lesson.labelling for lesson in lessons if lesson is not None]

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.translate(-self._place.topLeft())
            painter.drawPicture(0, 0, self._legend)
