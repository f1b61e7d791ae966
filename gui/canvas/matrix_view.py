"""Matrix view: all-pairs distances as a square, row = from, column = to, with marks on
the current cells.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from gui.canvas.content import PictureOptions
from gui.canvas.pointer import Pointer, Tool
from gui.canvas.renderer import FrameStream
from gui.canvas.vertex_tools import PanTool
from gui.canvas.view import CanvasView
from gui.model.playback import Playback
from gui.model.session import Session
from gui.painting.annotations import draw_hover_card
from gui.painting.display import QtTextSizes, paint_marks, rectangle
from gui.painting.drawing import argb_image, place_of
from gui.style.paint import CENTRE, smooth, write
from gui.style.text import type_scale
from gui.style.theme import tokens
from solvers.core.trace import MatrixTrace
from solvers.graphs.graph import Graph
from solvers.graphs.weights import exact_distance
from solvers.picture.matrix import MatrixContent, MatrixExplanation, matrix_explanation_of
from solvers.picture.matrix_pixels import MatrixFrame, MatrixFramePainter, MatrixRequest
from solvers.picture.overlay.matrix import MatrixLayout, MatrixOverlay
from solvers.picture.raster.pixel_colours import argb
from solvers.picture.scene.camera import Bounds, Camera
from solvers.picture.scene.content import Layer
from solvers.system.array_types import AnyArray
from solvers.system.quiet import Quiet
from solvers.text import format_distance

_MOST_SCALE = 96.0  # logical pixels a cell


class MatrixView(QWidget):
    """Widget that shows the least distance of each group of cells; zoomed in, of single cells.

    Hovering shows a cell's ids and distance; a click makes it the source-target pair
    and shows its path on the graph, a click with Shift only marks it; dragging pans,
    the wheel zooms, a double click outside the matrix fits it.
    """

    path_requested = Signal()  # the user chose a source-target pair and wants to see its path

    def __init__(
        self,
        session: Session,
        playback: Playback,
        *,
        quiet: Quiet | None = None,
        options: PictureOptions | None = None,
    ):
        super().__init__()
        self._session, self._playback = session, playback
        self._options = options
        # takes a click on a cell in place of the view, if it returns True
        self.taker: Callable[[int, int], bool] | None = None
        self._tokens = tokens()
        # The displayed content; None without a matrix.
        self.content: MatrixContent | None = None
        self.view = CanvasView(self, self._whole, lambda: self._plot, least=1.0, most=_MOST_SCALE)
        self.view.moved.connect(self._follow_view)
        self.frames: FrameStream[MatrixRequest, MatrixFrame] = FrameStream(
            MatrixFramePainter, session.window, quiet, self
        )
        self.frames.framed.connect(self.update)
        self.frames.renderer.failed.connect(session.notice_error)
        self._cells = CellTool(self)
        Pointer(self.view, (self._cells, PanTool(self.view)), lambda: True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName("Distance matrix")
        for signal in (
            session.results.selection_changed,
            session.graph_changed,
            session.endpoints_changed,
            playback.trace_changed,
            playback.moved,
        ):
            signal.connect(self._refresh)
        if options is not None:
            options.changed.connect(self._refresh)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._change_scheme)

    @property
    def has_matrix(self) -> bool:
        """True if there is an all-pairs answer or trace to show."""
        return self._matrix() is not None or self._trace() is not None

    def cell_at(self, at: QPointF) -> tuple[int, int] | None:
        """(row, column) of the cell at a point of the widget."""
        plot = self._plot
        if self.content is None or not plot.contains(at):
            return None
        x, y = self.view.camera.to_world(at.x() - plot.left(), at.y() - plot.top())
        n = self.content.graph.n
        return (int(y), int(x)) if 0 <= x < n and 0 <= y < n else None

    def choose(self, source: int, target: int, *, shows_path: bool) -> None:
        """Make a cell the source-target pair, and ask for its path on the graph; or have
        it taken as an answer.
        """
        if self.taker is not None and self.taker(source, target):
            return
        self._session.set_endpoints(source, target)
        if shows_path:
            self.path_requested.emit()

    def _matrix(self) -> AnyArray | None:
        result, graph = self._session.results.selected, self._session.graph
        if result is None or graph is None or result.graph is not graph or result.distances is None:
            return None
        return result.distances if result.distances.ndim == 2 else None

    def _trace(self) -> MatrixTrace | None:
        trace, graph = self._playback.trace, self._session.graph
        if (
            not isinstance(trace, MatrixTrace)
            or graph is None
            or trace.n != graph.n
            or not len(trace)
        ):
            return None
        return trace

    def _refresh(self) -> None:
        before = None if self.content is None else self.content.graph
        graph = self._session.graph
        if graph is None or not self.has_matrix:
            self.content = None
            self.frames.drop()
            self.update()
            return
        trace = self._trace()
        self.content = MatrixContent(
            graph,
            self._matrix(),
            trace,
            self._playback.position if trace is not None else 0,
            self._session.source,
            self._session.target,
            self._explanation(graph, trace),
        )
        if graph is not before:
            self.frames.drop()
            self.view.fit()
        self._request()
        self.update()

    def _explanation(self, graph: Graph, trace: MatrixTrace | None) -> MatrixExplanation | None:
        """What is explained of the phase, as far as it is shown."""
        options, position = self._options, self._playback.position
        if options is not None and Layer.SO_FAR not in options.shown:
            return None
        begun = None if options is None else options.begun
        return matrix_explanation_of(graph, trace, position, self._session.source, begun)

    def _request(self) -> None:
        content, ratio = self.content, self.devicePixelRatioF()
        request = None
        if content is not None and self.isVisible():
            request = MatrixRequest(
                content, self.view.camera, ratio, self._tokens, argb(self._tokens.canvas)
            )
        self.frames.request(request)

    def _change_scheme(self) -> None:
        self._tokens = tokens()
        self._request()
        self.update()

    def _layout(self) -> MatrixLayout:
        """The layout in units of the size of the type, in which all of it is painted."""
        size = type_scale()
        return MatrixLayout.of(self.content, self.width() / size, self.height() / size)

    @property
    def _plot(self) -> QRectF:
        return _times(rectangle(self._layout().plot), type_scale())

    @property
    def _place(self) -> QRectF:
        """Rectangle of the whole matrix; may extend beyond the plot."""
        size, n = type_scale(), self.content.graph.n if self.content is not None else 1
        return _times(rectangle(self._layout().place(self.view.camera.enlarged(size), n)), size)

    def _whole(self) -> Camera | None:
        if self.content is None:
            return None
        plot, n = self._plot, self.content.graph.n
        return Camera.fitting(
            Bounds(0.0, 0.0, n, n), plot.width(), plot.height(), margin=0.0, limit=_MOST_SCALE
        )

    def _follow_view(self) -> None:
        self._request()
        self.update()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._request()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.view.resize()

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.DevicePixelRatioChange:
            self._request()
        if event.type() is QEvent.Type.FontChange:  # margins grow with the type
            self.view.refit()
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(self._tokens.canvas))
            frame = self.frames.newest
            if self.content is None or frame is None:
                words = (
                    "Drawing the matrix …"
                    if self.content is not None
                    else "No all-pairs result is selected."
                )
                write(painter, self.rect(), words, self._tokens.muted, CENTRE)
                return
            layout, ratio = self._layout(), self.devicePixelRatioF()
            if frame.ratio != ratio:
                self._request()
            size = type_scale()
            painter.save()
            painter.scale(size, size)
            camera = self.view.camera.enlarged(size)
            _paint_cells(painter, layout, frame, camera)
            smooth(painter)
            sizes, content = QtTextSizes(painter.font()), self.content
            shown = MatrixOverlay(layout, frame, camera, content, self._tokens, sizes, ratio * size)
            paint_marks(painter, shown.marks())
            painter.restore()
            self._paint_hover(painter)

    def _paint_hover(self, painter: QPainter) -> None:
        at = self._cells.hovered
        cell = self.cell_at(at) if at is not None else None
        if cell is None or at is None:
            return
        size = type_scale()
        whole = Camera(0.0, 0.0, 1.0, self.width() / size, self.height() / size)
        painter.scale(size, size)
        draw_hover_card(painter, at / size, self.cell_rows(*cell), whole, self._tokens)

    def cell_rows(self, row: int, column: int) -> list[tuple[str, str]]:
        """Rows of the hover card of a cell: ids, distance, play-back position."""
        content = self.content
        assert content is not None
        label = content.graph.vertex_label
        rows = [("from", label(row)), ("to", label(column))]
        if content.at_end and content.matrix is not None:
            distance = exact_distance(content.matrix[row], column)
            rows.append(("distance", format_distance(distance, content.graph.weight_unit)))
        elif (part := content.snapshot) is not None:
            so_far = float(part.least[row // part.group, column // part.group])
            name = "so far" if part.group == 1 else f"so far, least of {part.group} × {part.group}"
            rows.append((name, format_distance(so_far, content.graph.weight_unit)))
        if content.words and not content.at_end:
            rows.append(("play-back", content.words))
        rows.append(("click", "shows its path on the graph"))
        return rows


class CellTool(Tool):
    """Hovering shows a cell, and a click makes it the source-target pair."""

    def __init__(self, matrix: MatrixView):
        self._matrix = matrix
        self.hovered: QPointF | None = None

    def click(self, at: QPointF, modifiers: Qt.KeyboardModifier) -> bool:
        if (cell := self._matrix.cell_at(at)) is not None:
            self._matrix.choose(*cell, shows_path=not modifiers & Qt.KeyboardModifier.ShiftModifier)
        return cell is not None

    def double_click(self, at: QPointF) -> bool:
        if self._matrix.cell_at(at) is None:
            self._matrix.view.fit()
        return True

    def hover(self, at: QPointF | None) -> bool:
        if at != self.hovered:
            self.hovered = at
            self._matrix.update()
        return True


def _paint_cells(
    painter: QPainter, layout: MatrixLayout, frame: MatrixFrame, camera: Camera
) -> None:
    """Paint the frame's pixels, scaled if they were drawn for another view."""
    plot = rectangle(layout.plot)
    painter.save()
    painter.setClipRect(plot)
    place = place_of(frame.camera.bounds, camera).translated(plot.topLeft())
    painter.drawImage(place, argb_image(frame.pixels))
    painter.restore()


def _times(rectangle: QRectF, factor: float) -> QRectF:
    return QRectF(rectangle.topLeft() * factor, rectangle.size() * factor)
