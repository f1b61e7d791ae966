"""The page of runs side by side: panes, below them the legend and perhaps a strip.

The legend and the scale bar are those of a canvas, drawn outside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QRect, QSize, Signal
from PySide6.QtGui import QMoveEvent, QPainter, QPaintEvent, QPicture, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.canvas.graph_canvas import GraphCanvas
from gui.canvas.split import SplitView
from gui.painting.display import QtTextSizes, paint_marks
from gui.painting.picture import view_of
from gui.style.forms import NO_MARGINS, STRETCH, column_of, row_of
from gui.style.paint import smooth_painter
from gui.style.text import on_type_size_change, scaled_px, type_scale
from gui.style.theme import tokens
from gui.style.widgets import on_scheme_change
from solvers.core.labelling import Labelling
from solvers.picture.overlay.annotations import BUTTONS_WIDTH, legends_of, states_strip_size
from solvers.picture.overlay.cards import key_rows, key_strip
from solvers.picture.overlay.legend import ROW_HEIGHT, legend_row
from solvers.picture.scene.camera import Margins

_FOOT_MARGINS = (12, 2, 8, 2)
_LEAST_FOOT = 46  # for the zoom buttons, which lie in it, clear of what is below
_ABOVE = 6  # pixels between the headers and what is above them
# height of a pane's picture, in pixels, below which it does without legend and strip's bars
_LEAST_PICTURE = 130


@dataclass(frozen=True)
class PageStrip:
    """What stands below the panes; where there is little room, the headers have the
    bars of their badges instead of its bars.
    """

    widget: QWidget
    bars: QWidget
    height_with: Callable[[bool], int]  # in pixels, with the bars or without


class SplitPage(QWidget):
    """Panes and what belongs to all of them; nothing lies over the graphs, which are small."""

    resized = Signal()  # the place of the buttons changed

    def __init__(self, view: SplitView):
        super().__init__()
        self._strip: PageStrip | None = None
        self.legend = LegendStrip(lambda: view.canvases, low=True)
        self.foot = _Foot(self.legend)
        self._view, self._with_foot, self._tight = view, True, False
        self._column = column_of((view, 1), self.foot, parent=self, margins=NO_MARGINS, spacing=0)
        view.panes_changed.connect(self.legend.follow)
        view.panes_changed.connect(self._fit)
        view.crowded_changed.connect(self._fit)
        on_type_size_change(self._fit)
        self.foot.resized.connect(self.legend.follow)
        for moved in (self.foot.resized, self.legend.room_changed):
            moved.connect(self.resized)

    def set_covered(self, margins: Margins) -> None:
        self._column.setContentsMargins(*map(int, margins._replace(top=margins.top + _ABOVE)))
        self._fit()

    def set_strip(self, strip: PageStrip | None) -> None:
        """Show a strip below the panes; None hides it."""
        if self._strip is not None:
            self._strip.widget.hide()
        self._strip = strip
        if strip is not None:
            self._column.addWidget(strip.widget)
            strip.widget.show()
        self._fit()
        self.resized.emit()

    def show_foot(self, on: bool) -> None:
        """Show the legend below the panes, or leave it to others."""
        self._with_foot = on
        self.foot.setVisible(on and not self._tight)

    @property
    def has_buttons(self) -> bool:
        """Whether there is room for the buttons beside the legend, which tight panes
        leave out, too.
        """
        return not self._tight and self.legend.leaves_room

    def _fit(self) -> None:
        """Divide the height: with a strip where it is tight, or where names are long,
        every header has the bar of its badge.
        """
        tight = crowded = False
        if self._strip is not None:
            crowded = any(pane.head.crowded for pane in self._view.panes)
            tight = self._picture_height(self._strip, crowded) < scaled_px(_LEAST_PICTURE)
            self._strip.bars.setVisible(not (tight or crowded))
        for pane in self._view.panes:
            pane.head.set_two_rows(tight or crowded)
        if tight != self._tight:
            self._tight = tight
            self.show_foot(self._with_foot)
            self.resized.emit()

    def _picture_height(self, strip: PageStrip, crowded: bool) -> int:
        """Height of a pane's picture with legend and bars, which a crowded header contains."""
        foot = self.foot.sizeHint().height() if self._with_foot else 0
        below = strip.height_with(not crowded)
        margin = self._column.contentsMargins().bottom()
        room = self.contentsRect().height() - margin - foot - below
        return self._view.picture_height(room, 2 if crowded else 1)

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
            if content.explanation is not None:
                size = states_strip_size(sizes, row.width(), size)
            with smooth_painter(recording) as painter:
                painter.scale(size, size)
                camera = canvas.view.camera.enlarged(size)
                if self._low and content.explanation is None and frame.isochrone is None:
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
                    beside = self._families_beside()
                    found = legends_of(
                        shown, frame, bottom, kept_free=free, outside=True, beside=beside
                    )
                    paint_marks(painter, found.marks)
        return recording

    def _families_beside(self) -> list[Labelling]:
        """The families of all runs that are explained."""
        shown = (canvas.content for canvas in self._canvases_of())
        explained = (content.explanation for content in shown if content is not None)
        return [one.labelling for one in explained if one is not None]

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.translate(-self._place.topLeft())
            painter.drawPicture(0, 0, self._legend)
