"""A small drawing of who works on what: a thread per vertex, per arc, per tile ... Data first, then one painter."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.style.common_widgets import on_scheme_change, tabular
from gui.style.theme import tokens
from gui.style.tokens import Tokens
from solvers.contracts.catalog import Algorithm, Answers, RunsOn, Variant


class Shape(Enum):
    """What the data are drawn as."""

    VERTICES = "vertices"
    ARCS = "arcs"
    MATRIX = "matrix"


@dataclass(frozen=True)
class ThreadMap:
    """Which worker touches which piece of data.

    Attributes
    ----------
    caption : str
    workers : tuple of str
        What stands in the workers' boxes.
    shape : Shape
    pieces : int
        Vertices or arcs; a matrix is ``pieces`` x ``pieces`` cells.
    links : tuple of (worker, piece)
        Cells of a matrix are counted row by row.
    idle : tuple of int
        Pieces that nobody touches in this pass, drawn hollow.
    """

    caption: str
    workers: tuple[str, ...]
    shape: Shape
    pieces: int
    links: tuple[tuple[int, int], ...]
    idle: tuple[int, ...] = ()


def _each(count: int) -> tuple[tuple[int, int], ...]:
    return tuple((i, i) for i in range(count))


def _threads(count: int, letter: str = "t") -> tuple[str, ...]:
    return tuple(f"{letter}{i}" for i in range(count))


_SIDE = 4
_TILES = tuple((2 * (cell // 8) + (cell % 4) // 2, cell) for cell in range(16))  # four tiles of 2 x 2 cells

SERIAL = ThreadMap(
    "One thread, one vertex after the other", ("t0",), Shape.VERTICES, 6, tuple((0, i) for i in range(6))
)
SERIAL_MATRIX = ThreadMap(
    "One thread, one cell after the other", ("t0",), Shape.MATRIX, _SIDE, tuple((0, i) for i in range(16))
)
BLOCKS = ThreadMap("Each worker has its share of the vertices", ("p0", "p1", "p2"), Shape.VERTICES, 6,
                   tuple((i // 2, i) for i in range(6)))  # fmt: skip
ROWS_SHARED = ThreadMap("Each worker has its share of the rows", ("p0", "p1"), Shape.MATRIX, _SIDE,
                        tuple((i // 8, i) for i in range(16)))  # fmt: skip
VERTEX = ThreadMap("One thread per vertex", _threads(6), Shape.VERTICES, 6, _each(6))
STRIDED = ThreadMap("Fewer threads than vertices: each strides on", _threads(3), Shape.VERTICES, 6,
                    tuple((i % 3, i) for i in range(6)))  # fmt: skip
FRONTIER = ThreadMap("Threads only for vertices that are active", _threads(6), Shape.VERTICES, 6,
                     ((0, 0), (3, 3), (4, 4)), idle=(1, 2, 5))  # fmt: skip
PARTS = ThreadMap("One block of threads per part of the graph", _threads(2, "b"), Shape.VERTICES, 6,
                  tuple((i // 3, i) for i in range(6)))  # fmt: skip
ARC = ThreadMap("One thread per arc", _threads(6), Shape.ARCS, 6, _each(6))
CELL = ThreadMap(
    "One thread per cell of the matrix", _threads(4), Shape.MATRIX, _SIDE, tuple((i % 4, i) for i in range(16))
)
ROW = ThreadMap(
    "One thread per row of the matrix", _threads(4), Shape.MATRIX, _SIDE, tuple((i // 4, i) for i in range(16))
)
SOURCE = ThreadMap("One thread per source, a whole row each", _threads(4, "s"), Shape.MATRIX, _SIDE,
                   tuple((i // 4, i) for i in range(16)))  # fmt: skip
TILE = ThreadMap("One block of threads per tile", _threads(4, "b"), Shape.MATRIX, _SIDE, _TILES)

# The first word that stands in the id of a parallel variant decides; where none does, metadata tell.
_BY_WORD: tuple[tuple[str, ThreadMap], ...] = (
    ("sssp-blocked", PARTS), ("matrix", ROW), ("tile", TILE), ("tiling", TILE), ("block", TILE), ("cell", CELL),
    ("source", SOURCE), ("edge", ARC), ("arc", ARC), ("flag", FRONTIER), ("near-far", FRONTIER), ("delta", FRONTIER),
    ("frontier", FRONTIER), ("da2cf-f", FRONTIER), ("strided", STRIDED),
)  # fmt: skip


def thread_map(variant: Variant) -> ThreadMap:
    """The map that fits a variant best, by where it runs, what it answers and the words of its id."""
    on_matrix = variant.algorithm is Algorithm.FLOYD_WARSHALL
    if variant.runs_on is RunsOn.SERIAL:
        return SERIAL_MATRIX if on_matrix else SERIAL
    for word, drawing in _BY_WORD:
        if word in variant.id and (variant.runs_on.needs_device or drawing is TILE):
            return drawing
    if variant.runs_on.needs_device:
        return ROW if on_matrix or variant.answers is Answers.APSP else VERTEX
    return ROWS_SHARED if on_matrix or variant.answers is Answers.APSP else BLOCKS


_BOX = 22.0
_DATUM = 16.0
_CAPTION_TOP = 92.0
_WRAPPED = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
_HUES = ("frontier", "path", "source", "target", "warning", "muted")


class ThreadMapView(QWidget):
    """Draws a `ThreadMap`: workers above, data beneath, a line for each piece of work."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._map = SERIAL
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        on_scheme_change(self.update)

    @property
    def map(self) -> ThreadMap:
        return self._map

    def show_map(self, drawing: ThreadMap) -> None:
        self._map = drawing
        self.setToolTip(drawing.caption)
        self.setAccessibleName(drawing.caption)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(220, self.heightForWidth(220))

    def heightForWidth(self, width: int) -> int:
        """The drawing, and a caption of as many lines as it needs."""
        room = QRect(0, 0, width, 1000)
        words = QFontMetrics(self._caption_font()).boundingRect(room, _WRAPPED, self._map.caption)
        return int(_CAPTION_TOP) + words.height() + 6

    def _caption_font(self) -> QFont:
        return tabular(self.font(), 0.9)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._caption_font())
        painter.setPen(QColor(t.muted))
        caption = QRectF(0, _CAPTION_TOP, self.width(), self.height() - _CAPTION_TOP)
        painter.drawText(caption, _WRAPPED, self._map.caption)
        if self._map.shape is Shape.MATRIX:
            self._paint_matrix(painter, t)
        else:
            self._paint_line(painter, t)

    def _paint_line(self, painter: QPainter, t: Tokens) -> None:
        width = min(float(self.width()), 280.0)
        workers = _spread(len(self._map.workers), width, 15.0)
        data = _spread(self._map.pieces, width, 72.0)
        for worker, piece in self._map.links:
            painter.setPen(QPen(_hue(t, worker), 1.4))
            painter.drawLine(workers[worker] + QPointF(0, _BOX / 2), data[piece] - QPointF(0, _DATUM / 2))
        for i, (centre, label) in enumerate(zip(workers, self._map.workers, strict=True)):
            busy = any(worker == i for worker, _ in self._map.links)
            _paint_worker(painter, t, centre, label, _hue(t, i) if busy else QColor(t.border))
        owners = {piece: worker for worker, piece in self._map.links}
        for i, centre in enumerate(data):
            colour = _hue(t, owners[i]) if i in owners else QColor(t.border)
            if self._map.shape is Shape.ARCS:
                _paint_arc(painter, t, centre, colour)
            else:
                painter.setPen(QPen(colour, 1.6))
                painter.setBrush(QColor(t.panel) if i in self._map.idle else colour)
                painter.drawEllipse(centre, _DATUM / 2 - 1, _DATUM / 2 - 1)

    def _paint_matrix(self, painter: QPainter, t: Tokens) -> None:
        cell = 20.0
        left = 84.0
        side = self._map.pieces
        workers = [QPointF(_BOX / 2 + 1, 12 + i * 24.0) for i in range(len(self._map.workers))]
        centres = [QPointF(left + (i % side + 0.5) * cell, 2 + (i // side + 0.5) * cell) for i in range(side * side)]
        first_cells: dict[int, int] = {}
        for worker, piece in self._map.links:
            first_cells.setdefault(worker, piece)
            colour = _hue(t, worker)
            colour.setAlphaF(0.55)
            corner = centres[piece] - QPointF(cell / 2 - 1, cell / 2 - 1)
            painter.fillRect(QRectF(corner.x(), corner.y(), cell - 2, cell - 2), colour)
        for worker, piece in first_cells.items():
            painter.setPen(QPen(_hue(t, worker), 1.4))
            painter.drawLine(workers[worker] + QPointF(_BOX / 2, 0), centres[piece])
        for i, (centre, label) in enumerate(zip(workers, self._map.workers, strict=True)):
            _paint_worker(painter, t, centre, label, _hue(t, i))


def _hue(t: Tokens, worker: int) -> QColor:
    return QColor(getattr(t, _HUES[worker % len(_HUES)]))


def _spread(count: int, width: float, y: float) -> list[QPointF]:
    pitch = width / count
    return [QPointF((i + 0.5) * pitch, y) for i in range(count)]


def _paint_worker(painter: QPainter, t: Tokens, centre: QPointF, label: str, colour: QColor) -> None:
    box = QRectF(centre.x() - _BOX / 2, centre.y() - _BOX / 2 + 1, _BOX, _BOX - 2)
    painter.setPen(QPen(colour, 1.4))
    painter.setBrush(QColor(t.panel))
    painter.drawRoundedRect(box, 4, 4)
    painter.setPen(QColor(t.text))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, label)


def _paint_arc(painter: QPainter, t: Tokens, centre: QPointF, colour: QColor) -> None:
    reach = _DATUM * 0.7
    tail, head = centre - QPointF(reach, -4), centre + QPointF(reach, 4)
    painter.setPen(QPen(colour, 1.8))
    painter.drawLine(tail, head)
    painter.setBrush(colour)
    painter.drawEllipse(tail, 2.5, 2.5)
    painter.drawPolygon([head + QPointF(2, 1), head + QPointF(-5, -3.5), head + QPointF(-6, 2.5)])
