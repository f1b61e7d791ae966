"""Diagram of a variant's work mapping, such as a thread per vertex, arc or tile: its
data, and one painter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.style.paint import CENTRE, outline_with, scaled_font, smooth_painter, write
from gui.style.text import on_type_size_change, tool_tip, type_scale
from gui.style.theme import tokens
from gui.style.widgets import on_scheme_change
from solvers.core.variant import Variant, WorkMapping
from solvers.picture.colours import Tokens

_SIDE = 4
_ACTIVE, _IDLE = (0, 3, 4), (1, 2, 5)  # of six vertices or arcs, where only some have work
_FLAGGED_ARCS = ((1, 1), (2, 2), (4, 4))

_BOX = 22.0
_DATUM = 16.0
CAPTION_TOP = 98.0
_MOST_BOXES = 4  # workers drawn beside a matrix; its cells show the others by their colour
_WRAPPED = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
_HUES = ("accent", "path", "source", "target", "warning", "muted")


class DataShape(Enum):
    """Arrangement in which the data are drawn."""

    VERTICES = "vertices"
    ARCS = "arcs"
    MATRIX = "matrix"


@dataclass(frozen=True)
class ThreadMap:
    """Diagram of which worker handles which piece of data."""

    caption: str
    workers: tuple[str, ...]
    shape: DataShape
    pieces: int  # vertices or arcs; a matrix is ``pieces`` x ``pieces`` cells
    links: tuple[tuple[int, int], ...]  # cells of a matrix are counted row by row
    idle: tuple[int, ...] = ()  # pieces without work in this pass, drawn hollow


def _workers(count: int, letter: str) -> tuple[str, ...]:
    return tuple(f"{letter}{i}" for i in range(count))


def _shares(worker_of: Callable[[int], int], pieces: int = 6) -> tuple[tuple[int, int], ...]:
    return tuple((worker_of(piece), piece) for piece in range(pieces))


def _vertices(
    workers: tuple[str, ...], links: tuple[tuple[int, int], ...], idle: tuple[int, ...] = ()
) -> Callable[[str], ThreadMap]:
    return lambda caption: ThreadMap(caption, workers, DataShape.VERTICES, 6, links, idle)


def _arcs(
    links: tuple[tuple[int, int], ...], idle: tuple[int, ...] = ()
) -> Callable[[str], ThreadMap]:
    return lambda caption: ThreadMap(caption, _workers(6, "t"), DataShape.ARCS, 6, links, idle)


def _cells(
    workers: tuple[str, ...], worker_of: Callable[[int], int], count: int = _SIDE * _SIDE
) -> Callable[[str], ThreadMap]:
    """A function from a caption to the diagram of a matrix whose first ``count`` cells
    have work.
    """
    links, idle = _shares(worker_of, count), tuple(range(count, _SIDE * _SIDE))
    return lambda caption: ThreadMap(caption, workers, DataShape.MATRIX, _SIDE, links, idle)


def _row(cell: int) -> int:
    return cell // _SIDE


def _tile(cell: int) -> int:
    """Cells of one of four tiles of 2 x 2 cells."""
    return 2 * (cell // 8) + (cell % 4) // 2


_DRAWINGS: dict[WorkMapping, Callable[[str], ThreadMap]] = {
    WorkMapping.CORE_BY_VERTEX: _vertices(_workers(1, "c"), _shares(lambda _: 0)),
    WorkMapping.CORE_BY_SOURCE: _cells(("c0",), lambda _: 0, 2 * _SIDE),
    WorkMapping.CORE_BY_CELL: _cells(("c0",), lambda _: 0),
    WorkMapping.CORE_FROM_BOTH_ENDS: _vertices(("→", "←"), _shares(lambda v: v // 3)),
    WorkMapping.THREAD_PER_VERTEX: _vertices(_workers(6, "t"), _shares(lambda v: v)),
    WorkMapping.THREADS_STRIDED: _vertices(_workers(3, "t"), _shares(lambda v: v % 3)),
    WorkMapping.THREADS_STRIDED_FLAGGED: _vertices(
        _workers(3, "t"), ((0, 0), (0, 3), (1, 4)), _IDLE
    ),
    WorkMapping.THREAD_PER_FRONTIER_VERTEX: _vertices(
        _workers(6, "t"), tuple((v, v) for v in _ACTIVE), _IDLE
    ),
    WorkMapping.THREAD_PER_UNRESOLVED_VERTEX: _vertices(
        _workers(6, "t"), _shares(lambda v: v)[2:], (0, 1)
    ),
    WorkMapping.CORE_AND_THREAD_PER_VERTEX: _vertices(
        ("c0", *_workers(6, "t")), _shares(lambda _: 0) + _shares(lambda v: v + 1)
    ),
    WorkMapping.THREAD_PER_ARC: _arcs(_shares(lambda a: a)),
    WorkMapping.THREAD_PER_FLAGGED_ARC: _arcs(_FLAGGED_ARCS, (0, 3, 5)),
    WorkMapping.THREAD_PER_CELL: _cells(_workers(16, "t"), lambda cell: cell),
    WorkMapping.THREAD_PER_ROW: _cells(_workers(4, "t"), _row),
    WorkMapping.THREAD_PER_SOURCE: _cells(_workers(4, "s"), _row),
    WorkMapping.BLOCK_PER_SOURCE: _cells(_workers(4, "b"), _row),
    WorkMapping.BLOCK_PER_TILE: _cells(_workers(4, "b"), _tile),
    WorkMapping.BLOCK_PER_PART: _vertices(_workers(2, "b"), _shares(lambda v: v // 3)),
    WorkMapping.BLOCK_PER_SUBTREES: _vertices(_workers(3, "b"), _shares(lambda v: v // 2)),
    WorkMapping.CLUSTER_SHARES_FRONTIER: _vertices(
        _workers(2, "b"), ((0, 0), (0, 3), (1, 3), (1, 4)), _IDLE
    ),
    WorkMapping.THREADS_SHARE_FRONTIER: _vertices(
        _workers(6, "t"), tuple((worker, _ACTIVE[worker // 2]) for worker in range(6)), _IDLE
    ),
    WorkMapping.CORES_SHARE_FRONTIER: _vertices(_workers(2, "c"), ((0, 0), (0, 3), (1, 4)), _IDLE),
    WorkMapping.CORES_SHARE_SUBTREES: _vertices(_workers(2, "c"), _shares(lambda v: v // 3)),
    WorkMapping.CORES_SHARE_ROWS: _cells(_workers(2, "c"), lambda cell: cell // 8),
    WorkMapping.CORES_SHARE_TILES: _cells(_workers(2, "c"), lambda cell: _tile(cell) % 2),
    WorkMapping.CORES_SHARE_SOURCES: _cells(_workers(2, "c"), lambda cell: _row(cell) % 2),
    WorkMapping.RANKS_OWN_VERTICES: _vertices(_workers(3, "r"), _shares(lambda v: v // 2)),
    WorkMapping.RANKS_OWN_ROWS: _cells(_workers(2, "r"), lambda cell: cell // 8),
    WorkMapping.CHOSEN_LATER: _vertices(("?",), (), tuple(range(6))),
}


def thread_map(mapping: WorkMapping) -> ThreadMap:
    return _DRAWINGS[mapping](mapping.value)


class ThreadMapView(QWidget):
    """Draws a `ThreadMap`: workers above, data below, and a line for each link."""

    def __init__(self) -> None:
        super().__init__()
        self.map = thread_map(WorkMapping.CORE_BY_VERTEX)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        on_scheme_change(self.update)
        on_type_size_change(self.updateGeometry)

    def show_variant(self, variant: Variant) -> None:
        self.show_map(thread_map(variant.mapping))

    def show_map(self, drawing: ThreadMap) -> None:
        self.map = drawing
        self.setToolTip(tool_tip(drawing.caption))
        self.setAccessibleName(drawing.caption)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(220, self.heightForWidth(220))

    def heightForWidth(self, width: int) -> int:
        """Height of the drawing and the wrapped caption."""
        room = QRect(0, 0, width, 1000)
        words = QFontMetrics(self._caption_font()).boundingRect(room, _WRAPPED, self.map.caption)
        return round(self.scale * CAPTION_TOP) + words.height() + 6

    @property
    def scale(self) -> float:
        """Of the drawing, which is as large as the type."""
        return type_scale()

    def _caption_font(self, scale: float = 1.0) -> QFont:
        return scaled_font(self.font(), 0.9 / scale)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = tokens()
        with smooth_painter(self) as painter:
            painter.setFont(self._caption_font())
            painter.setPen(t.muted)
            top = self.scale * CAPTION_TOP
            painter.drawText(
                QRectF(0, top, self.width(), self.height() - top), _WRAPPED, self.map.caption
            )
            painter.scale(self.scale, self.scale)
            painter.setFont(self._caption_font(self.scale))
            if self.map.shape is DataShape.MATRIX:
                self._paint_matrix(painter, t)
            else:
                self._paint_line(painter, t)

    def _paint_line(self, painter: QPainter, t: Tokens) -> None:
        width = min(self.width() / self.scale, 280.0)
        workers = _spread(len(self.map.workers), width, 15.0)
        data = _spread(self.map.pieces, width, 72.0)
        for worker, piece in self.map.links:
            painter.setPen(QPen(_hue(t, worker), 1.4))
            painter.drawLine(
                workers[worker] + QPointF(0, _BOX / 2), data[piece] - QPointF(0, _DATUM / 2)
            )
        for i, (centre, label) in enumerate(zip(workers, self.map.workers, strict=True)):
            busy = any(worker == i for worker, _ in self.map.links)
            _paint_worker(painter, t, centre, label, _hue(t, i) if busy else QColor(t.border))
        owners = {piece: worker for worker, piece in self.map.links}
        for i, centre in enumerate(data):
            colour = _hue(t, owners[i]) if i in owners else QColor(t.border)
            if self.map.shape is DataShape.ARCS:
                _paint_arc(painter, t, centre, colour)
            else:
                painter.setPen(QPen(colour, 1.6))
                painter.setBrush(QColor(t.panel) if i in self.map.idle else colour)
                painter.drawEllipse(centre, _DATUM / 2 - 1, _DATUM / 2 - 1)

    def _paint_matrix(self, painter: QPainter, t: Tokens) -> None:
        cell = 20.0
        left = 84.0
        side = self.map.pieces
        shown = self.map.workers[:_MOST_BOXES]
        workers = [QPointF(_BOX / 2 + 1, 12 + i * 24.0) for i in range(len(shown))]
        centres = [
            QPointF(left + (i % side + 0.5) * cell, 2 + (i // side + 0.5) * cell)
            for i in range(side * side)
        ]
        outline_with(painter, QPen(QColor(t.border), 1.0))
        for piece in self.map.idle:
            painter.drawRect(
                QRectF(
                    centres[piece].x() - cell / 2 + 1,
                    centres[piece].y() - cell / 2 + 1,
                    cell - 3,
                    cell - 3,
                )
            )
        first_cells: dict[int, int] = {}
        for worker, piece in self.map.links:
            first_cells.setdefault(worker, piece)
            colour = _hue(t, worker)
            colour.setAlphaF(0.55)
            corner = centres[piece] - QPointF(cell / 2 - 1, cell / 2 - 1)
            painter.fillRect(QRectF(corner.x(), corner.y(), cell - 2, cell - 2), colour)
        for worker, piece in list(first_cells.items())[: len(shown)]:
            painter.setPen(QPen(_hue(t, worker), 1.4))
            painter.drawLine(workers[worker] + QPointF(_BOX / 2, 0), centres[piece])
        for i, (centre, label) in enumerate(zip(workers, shown, strict=True)):
            _paint_worker(painter, t, centre, label, _hue(t, i))


def _hue(t: Tokens, worker: int) -> QColor:
    return QColor(getattr(t, _HUES[worker % len(_HUES)]))


def _spread(count: int, width: float, y: float) -> list[QPointF]:
    pitch = width / count
    return [QPointF((i + 0.5) * pitch, y) for i in range(count)]


def _paint_worker(
    painter: QPainter, t: Tokens, centre: QPointF, label: str, colour: QColor
) -> None:
    box = QRectF(centre.x() - _BOX / 2, centre.y() - _BOX / 2 + 1, _BOX, _BOX - 2)
    painter.setPen(QPen(colour, 1.4))
    painter.setBrush(t.panel)
    painter.drawRoundedRect(box, 4, 4)
    write(painter, box, label, t.text, CENTRE)


def _paint_arc(painter: QPainter, t: Tokens, centre: QPointF, colour: QColor) -> None:
    reach = _DATUM * 0.7
    tail, head = centre - QPointF(reach, -4), centre + QPointF(reach, 4)
    painter.setPen(QPen(colour, 1.8))
    painter.drawLine(tail, head)
    painter.setBrush(colour)
    painter.drawEllipse(tail, 2.5, 2.5)
    painter.drawPolygon([head + QPointF(2, 1), head + QPointF(-5, -3.5), head + QPointF(-6, 2.5)])
