"""The matrix view: all-pairs distances as a square, row = from, column = to, with the tiles at work over it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gui.canvas import furniture
from gui.canvas.camera import Camera
from gui.canvas.matrix_picture import PIXELS, mark_tiles, matrix_legend, matrix_pixels, snapshot_before
from gui.canvas.pens import pen, small_font
from gui.jobs import Jobs
from gui.playback import Playback
from gui.session import Notice, Session
from gui.theme import tokens
from solvers.graph import Graph
from solvers.text import format_count, format_distance
from solvers.trace import MatrixTrace, downsample_least
from solvers.weights import to_float

JOB = "matrix"
_TOP, _LEFT, _BOTTOM = 44.0, 64.0, 88.0  # logical pixels kept for axis names and the legend
_TICKS = 5


class MatrixView(QWidget):
    """Least distances of groups of cells; hover names a cell, a click makes it source and target."""

    def __init__(self, session: Session, playback: Playback, jobs: Jobs, parent: QWidget | None = None):
        super().__init__(parent)
        self._session, self._playback, self._jobs = session, playback, jobs
        self._tokens = tokens()
        self._shrunk: tuple[NDArray[Any], NDArray[np.float32]] | None = None  # the matrix, and what it was shrunk to
        self._pixels: NDArray[np.uint32] | None = None
        self._pointer: QPointF | None = None
        self._plain: tuple[NDArray[np.float32], NDArray[np.uint32]] | None = None
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setCursor(Qt.CursorShape.CrossCursor)
        self.setAccessibleName("Distance matrix")
        session.selection_changed.connect(self._refresh)
        session.graph_changed.connect(self._refresh)
        session.endpoints_changed.connect(self.update)
        playback.trace_changed.connect(self._refresh)
        playback.moved.connect(self._refresh)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._change_scheme)

    @property
    def has_matrix(self) -> bool:
        """True where there is an all-pairs answer or trace to show."""
        return self._matrix() is not None or self._trace() is not None

    # -- what is shown -----------------------------------------------------------------------------------------------

    def _graph(self) -> Graph | None:
        return self._session.graph

    def _matrix(self) -> NDArray[Any] | None:
        result = self._session.selected
        if (
            result is None
            or result.graph is not self._graph()
            or result.distances is None
            or result.distances.ndim != 2
        ):
            return None
        return result.distances

    def _trace(self) -> MatrixTrace | None:
        trace, graph = self._playback.trace, self._graph()
        return (
            trace
            if isinstance(trace, MatrixTrace) and graph is not None and trace.n == graph.n and len(trace)
            else None
        )

    def _at_end(self) -> bool:
        return self._trace() is None or self._playback.position >= self._playback.length - 1

    def _small(self) -> NDArray[np.float32] | None:
        """The shrunk matrix of the moment: a snapshot while playing, the answer at the end."""
        trace, matrix = self._trace(), self._matrix()
        answer = (
            self._shrunk[1] if self._shrunk is not None and matrix is not None and self._shrunk[0] is matrix else None
        )
        if trace is None or (self._at_end() and answer is not None):
            return answer
        snapshot = snapshot_before(trace, self._playback.position)
        return snapshot if snapshot is not None else answer

    def _refresh(self) -> None:
        self._shrink()
        small = self._small()
        self._pixels = None if small is None else self._coloured(small)
        trace = self._trace()
        if self._pixels is not None and trace is not None and not self._at_end():
            self._pixels = mark_tiles(self._pixels, trace.steps[self._playback.position].tiles, trace.n, self._tokens)
        self.update()

    def _coloured(self, small: NDArray[np.float32]) -> NDArray[np.uint32]:
        if self._plain is None or self._plain[0] is not small:
            self._plain = (small, matrix_pixels(small, self._tokens))
        return self._plain[1]

    def _shrink(self) -> None:
        """Shrink the selected matrix in a job, unless that is done or under way."""
        matrix = self._matrix()
        if matrix is None:
            self._shrunk = None
            self._jobs.drop(JOB)
        elif self._shrunk is None or self._shrunk[0] is not matrix:
            self._shrunk = (matrix, np.empty((0, 0), np.float32))
            self._jobs.start(
                JOB, "Shrinking the matrix to a picture", lambda _: (matrix, downsample_least(matrix, PIXELS)),
                on_success=self._take, on_failure=lambda error: self._session.notice(Notice.of(error)),
            )  # fmt: skip

    def _take(self, shrunk: tuple[NDArray[Any], NDArray[np.float32]]) -> None:
        if shrunk[0] is self._matrix():
            self._shrunk = shrunk
            self._refresh()

    def _change_scheme(self) -> None:
        self._tokens, self._plain = tokens(), None
        self._refresh()

    # -- places ------------------------------------------------------------------------------------------------------

    def square(self) -> QRectF:
        """Where the matrix lies in the widget."""
        side = max(32.0, min(self.width() - 2 * _LEFT, self.height() - _TOP - _BOTTOM))
        return QRectF((self.width() - side) / 2, _TOP, side, side)

    def cell_at(self, at: QPointF) -> tuple[int, int] | None:
        """(row, column) under a point of the widget."""
        square, graph = self.square(), self._graph()
        if graph is None or not self.has_matrix or not square.contains(at):
            return None
        row = int((at.y() - square.top()) / square.height() * graph.n)
        column = int((at.x() - square.left()) / square.width() * graph.n)
        return min(graph.n - 1, row), min(graph.n - 1, column)

    # -- events ------------------------------------------------------------------------------------------------------

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._pointer = event.position()
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._pointer = None
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        cell = self.cell_at(event.position())
        if cell is not None and event.button() is Qt.MouseButton.LeftButton:
            source, target = cell
            self._session.set_source(source)
            self._session.set_target(target)

    # -- painting ----------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._tokens.canvas))
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        graph, small = self._graph(), self._small()
        if graph is None or self._pixels is None or small is None or not small.size:
            painter.setPen(QColor(self._tokens.muted))
            words = (
                "Shrinking the matrix to a picture …"
                if self._matrix() is not None
                else "No all-pairs result is selected."
            )
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, words)
            return
        square = self.square()
        height, width = self._pixels.shape
        image = QImage(self._pixels.data, width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, square.width() < width)
        painter.drawImage(square, image)
        self._paint_frame(painter, square, graph)
        self._paint_pair(painter, square, graph)
        bottom = self.height() - furniture.MARGIN
        right = furniture.draw_legend(
            painter, square.left(), bottom, matrix_legend(small, graph.weight_unit), self._tokens
        )
        self._paint_remark(painter, right + furniture.MARGIN, bottom, small)
        self._paint_hover(painter, graph)

    def _paint_frame(self, painter: QPainter, square: QRectF, graph: Graph) -> None:
        painter.setPen(pen(self._tokens.border, 1.0))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(square)
        painter.setFont(small_font(painter, 8.5))
        painter.setPen(QColor(self._tokens.muted))
        painter.drawText(QRectF(square.left(), 4.0, square.width(), 16.0), Qt.AlignmentFlag.AlignCenter, "to vertex")
        painter.save()
        painter.translate(square.left() - 54.0, square.center().y())
        painter.rotate(-90.0)
        painter.drawText(QRectF(-80.0, -8.0, 160.0, 16.0), Qt.AlignmentFlag.AlignCenter, "from vertex")
        painter.restore()
        for index in sorted({round(i * (graph.n - 1) / (_TICKS - 1)) for i in range(_TICKS)}):
            at = (index + 0.5) / graph.n
            label = str(int(graph.ids[index]))
            x, y = square.left() + at * square.width(), square.top() + at * square.height()
            painter.drawText(QRectF(x - 40.0, square.top() - 20.0, 80.0, 16.0), Qt.AlignmentFlag.AlignCenter, label)
            painter.drawText(
                QRectF(square.left() - 46.0, y - 8.0, 40.0, 16.0),
                Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
                label,
            )

    def _paint_pair(self, painter: QPainter, square: QRectF, graph: Graph) -> None:
        """A ring round the cell of source and target."""
        source, target = self._session.source, self._session.target
        if source is None or target is None:
            return
        cell = square.width() / graph.n
        centre = QPointF(square.left() + (target + 0.5) * cell, square.top() + (source + 0.5) * cell)
        radius = max(6.0, cell * 0.7)
        painter.setPen(pen(self._tokens.halo, 4.5))
        painter.drawEllipse(centre, radius, radius)
        painter.setPen(pen(self._tokens.path, 2.0))
        painter.drawEllipse(centre, radius, radius)

    def _paint_remark(self, painter: QPainter, left: float, bottom: float, small: NDArray[np.float32]) -> None:
        """The unreachable colour, and how many cells share a pixel."""
        graph = self._graph()
        assert graph is not None
        painter.setFont(small_font(painter, 8.5))
        lines = ["unreachable"] if not np.isfinite(small).all() else []
        group = math.ceil(graph.n / len(small))
        if lines:
            painter.setPen(pen(self._tokens.border, 1.0))
            painter.setBrush(QColor(self._tokens.grid))
            painter.drawRect(QRectF(left, bottom - 36.0, 12.0, 12.0))
            painter.setPen(QColor(self._tokens.text))
            painter.drawText(QPointF(left + 18.0, bottom - 25.0), lines[0])
        if group > 1:
            painter.setPen(QColor(self._tokens.muted))
            painter.drawText(QPointF(left, bottom - 5.0), f"each point: the least of {group} × {group} cells")

    def _paint_hover(self, painter: QPainter, graph: Graph) -> None:
        cell = self.cell_at(self._pointer) if self._pointer is not None else None
        if cell is None or self._pointer is None:
            return
        row, column = cell
        rows = [("from", str(int(graph.ids[row]))), ("to", str(int(graph.ids[column])))]
        matrix = self._matrix()
        if matrix is not None:
            distance = float(to_float(matrix[row, column : column + 1])[0])
            rows.append(("distance", format_distance(distance, graph.weight_unit)))
        trace = self._trace()
        if trace is not None:
            step = trace.steps[self._playback.position]
            rows.append(("step", f"{format_count(step.step + 1)}, phase {step.phase}"))
        view = Camera(0.0, 0.0, 1.0, self.width(), self.height())
        furniture.draw_hover_card(painter, self._pointer, rows, view, self._tokens)
