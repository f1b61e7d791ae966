"""Legend and scale bar of a canvas outside it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QPainter, QPaintEvent, QPicture, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.canvas.graph_canvas import GraphCanvas
from gui.painting.legend_row import ROW_HEIGHT, draw_legend_row
from gui.painting.picture import paint_legends
from gui.style import type_size
from gui.style.common_widgets import on_scheme_change
from gui.style.theme import tokens


class LegendStrip(QWidget):
    """Legend and scale bar of the canvas that commands act on, outside it.

    Parameters
    ----------
    canvas_of : callable
        Returns that canvas, or None.
    low : bool
        In one row without cards; where that cannot show all, as on the canvas.
    """

    def __init__(
        self, canvas_of: Callable[[], GraphCanvas | None], *, low: bool = False, parent: QWidget | None = None
    ):
        super().__init__(parent)
        self._canvas_of, self._low = canvas_of, low
        self._followed: GraphCanvas | None = None
        self._legend = QPicture()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Legend")
        on_scheme_change(self._refresh)
        type_size.on_change(self._refresh)

    def follow(self) -> None:
        """Show the legend as it is now, and follow the canvas."""
        canvas = self._canvas_of()
        if canvas is not self._followed and canvas is not None:
            canvas.framed.connect(self._refresh)
            canvas.view_changed.connect(self._refresh)
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
        before, self._legend = self._place, self._drawn()
        if self._place.size() != before.size():
            self.updateGeometry()
        self.update()

    def _drawn(self) -> QPicture:
        """The legend as a recording, whose extent is known before it is painted."""
        recording = QPicture()
        canvas = self._canvas_of()
        frame, content = (None, None) if canvas is None else (canvas.frame, canvas.content)
        if canvas is not None and frame is not None and content is not None:
            size = type_size.factor()
            with QPainter(recording) as painter:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.scale(size, size)
                camera = canvas.camera.enlarged(size)
                if self._low and content.lesson is None and frame.reach is None:
                    width = draw_legend_row(painter, frame.legend, camera, content.scene.metres_per_unit, tokens())
                    recording.setBoundingRect(QRect(0, 0, round(width * size), round(ROW_HEIGHT * size)))
                else:
                    paint_legends(painter, frame, camera, content, tokens(), camera.height)
        return recording

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.translate(-self._place.topLeft())
            painter.drawPicture(0, 0, self._legend)
