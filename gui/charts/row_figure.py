"""Figures with a row for each variant.

In a wide figure names are on the left, marks in the middle, figures on the right. In one
of a panel's width, names and figures stand in the plot, above the marks, which then have
the whole width.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from gui.charts.figure import LEAST_MARKS_PX, SIDE_MARGIN, Figure, PixelItem
from gui.charts.scales import Scale
from gui.style.text import fitting_lines
from gui.style.widgets import LEFT, RIGHT, bold, faded, write
from solvers.picture.colours import Tokens

# of the figure's width for whole names; short ones may take what the marks can spare
LABEL_SHARE_MAX = 0.36
ROW_PX = 18
MARK_LANE_PX = 16  # of a row whose name stands above its marks
INSIDE_LINES = 30  # of text: a figure less wide than that has its names in the plot
STRIPE_PX_MAX = 34  # limits the stripe's height where few rows share a tall chart

_TEXT_GAP = 8.0  # between the name of a row and its figure


@dataclass(frozen=True)
class Label:
    """Text next to a row; ``key`` identifies the row, and ``short`` stands in for a
    text that does not fit.
    """

    key: str
    text: str
    short: str = ""


class LabelAxis(pg.GraphicsWidget):
    """Row labels next to a view box: names on the left or figures on the right; the
    emphasised row is bold.
    """

    def __init__(self, view_box: pg.ViewBox, font: QFont, t: Tokens):
        super().__init__()
        self._view_box = view_box
        self._font, self._t = font, t
        self.labels: tuple[Label, ...] = ()
        self._emphasised: str | None = None
        self._shortened = False
        for signal in (view_box.sigRangeChanged, view_box.sigResized):
            signal.connect(self._moved)

    def show_labels(self, labels: Sequence[Label], emphasised: str | None) -> None:
        self.labels, self._emphasised = tuple(labels), emphasised
        self.fit(math.inf)
        self.update()

    def fit(self, figure_px: float, *, whole: bool = False) -> None:
        """Use the width of the widest label, limited so that the marks keep most of the figure.

        Names and marks share ``figure_px``. Labels are shortened first, then they take
        two lines if rows are high enough, then they are elided. With ``whole``, they
        may be shortened, but none is elided.
        """
        self._shortened = self._widest(short=False) > figure_px * LABEL_SHARE_MAX
        width = self._widest(short=self._shortened)
        width = (
            width
            if whole
            else min(width, max(figure_px * LABEL_SHARE_MAX, figure_px - LEAST_MARKS_PX))
        )
        self.setMinimumWidth(width)
        self.setMaximumWidth(width)

    def _widest(self, *, short: bool) -> float:
        metrics = QFontMetricsF(bold(self._font))
        texts = (label.short or label.text if short else label.text for label in self.labels)
        return max((metrics.horizontalAdvance(text) for text in texts), default=0.0) + 10

    def emphasise(self, key: str | None) -> None:
        if key != self._emphasised:
            self._emphasised = key
            self.update()

    def _moved(self, *_: object) -> None:
        self.update()

    def paint(self, painter: QPainter, *_: object) -> None:
        height = QFontMetricsF(self._font).height()
        pitch = (
            self._view_box.mapFromView(QPointF(0, 1)).y()
            - self._view_box.mapFromView(QPointF(0, 0)).y()
        )
        for row, label in enumerate(self.labels):
            y = self.mapFromItem(self._view_box, self._view_box.mapFromView(QPointF(0, row))).y()
            if not 0 <= y <= self.rect().height():
                continue
            font = bold(self._font) if label.key == self._emphasised else self._font
            text = label.short or label.text if self._shortened else label.text
            room, most_lines = self.rect().width() - 6, 2 if pitch >= 2 * height else 1
            lines = fitting_lines((text,), QFontMetricsF(font), room, most_lines)
            painter.setFont(font)
            tall = height * len(lines)
            box = QRectF(3, y - tall / 2, self.rect().width() - 6, tall)
            write(painter, box, "\n".join(lines), self._t.text, RIGHT)


class RowMarks(PixelItem):
    """Marks in rows, one per variant, over a grid and stripes for the selected and the
    hovered row.
    """

    figure: RowFigure

    def __init__(self, figure: RowFigure, rows: tuple[Any, ...]):
        super().__init__(figure.box)
        self.figure, self.rows = figure, rows
        self.keys: tuple[str, ...] = ()
        self.selected: str | None = None
        self.hovered: str | None = None

    def paint_marks(self, painter: QPainter) -> None:
        t, rect = self.figure.t, self.boundingRect()
        painter.setPen(QPen(QColor(t.grid), 1))
        for x in self.figure.grid_lines():
            pixel = self.to_pixel(x, 0).x()
            painter.drawLine(QLineF(pixel, rect.top(), pixel, rect.bottom()))
        for row, key in enumerate(self.keys):
            if key in (self.selected, self.hovered):
                painter.fillRect(
                    self.stripe_rect(row),
                    faded(t.selection, 0.75 if key == self.selected else 0.35),
                )
        for row in self.rows_in_view():
            self.paint_row(painter, row)
            if self.figure.names_inside:
                self._paint_texts(painter, row)

    def mark_pixel(self, x: float, row: int) -> QPointF:
        """Pixel of a mark of a row at a coordinate: in the middle, or below the name."""
        below = QFontMetricsF(self.figure.text_font).height() / 2
        return self.to_pixel(x, row) + QPointF(0.0, below if self.figure.names_inside else 0.0)

    def _paint_texts(self, painter: QPainter, row: int) -> None:
        """Draw name and figure of a row above its marks; the name takes what room it has."""
        name, number = self.figure.names.labels[row], self.figure.figures.labels[row].text
        font = self.figure.text_font
        if self.keys[row] == self.selected:
            font = bold(font)
        metrics = QFontMetricsF(font)
        lane, height = self.row_rect(row), QFontMetricsF(self.figure.text_font).height()
        line = QRectF(
            lane.left() + 2,
            lane.center().y() - (height + MARK_LANE_PX) / 2,
            lane.width() - 4,
            height,
        )
        room = line.width() - metrics.horizontalAdvance(number) - _TEXT_GAP
        text = next(
            (form for form in (name.text, name.short) if metrics.horizontalAdvance(form) <= room),
            name.short or name.text,
        )
        painter.setFont(font)
        elided = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, room)
        for words, where in ((elided, LEFT), (number, RIGHT)):
            write(painter, line, words, self.figure.t.text, where)

    def rows_in_view(self) -> range:
        low, high = self.view_box.viewRange()[1]
        return range(max(0, math.floor(low + 0.5)), min(len(self.keys), math.ceil(high + 0.5)))

    def paint_row(self, painter: QPainter, row: int) -> None:
        raise NotImplementedError

    def row_rect(self, row: int) -> QRectF:
        """Rectangle of a row in pixels, as wide as the view box."""
        top, bottom = self.to_pixel(0, row - 0.5).y(), self.to_pixel(0, row + 0.5).y()
        return QRectF(self.boundingRect().left(), top, self.boundingRect().width(), bottom - top)

    def stripe_rect(self, row: int) -> QRectF:
        """Rectangle of the stripe behind a row, in pixels."""
        lane = self.row_rect(row)
        spare = max(0.0, (lane.height() - max(STRIPE_PX_MAX, self.figure.row_px)) / 2)
        return lane.adjusted(0, spare, 0, -spare)


class RowFigure(Figure):
    """A figure with rows from top to bottom, names on the left and figures on the right."""

    marks: RowMarks | None = None  # None also while the base class sets a first geometry

    def __init__(self, x_scale: Scale, font: QFont, t: Tokens):
        super().__init__(x_scale, font, t)
        self.box.invertY(True)
        self.names = LabelAxis(self.box, font, t)
        self.figures = LabelAxis(self.box, font, t)
        self.addItem(self.names, 1, 0)
        self.addItem(self.figures, 1, 2)
        self.names_inside = False  # in the plot, above the marks
        self._whole = False

    def show_rows(
        self, names: Sequence[Label], figures: Sequence[Label], selected: str | None
    ) -> None:
        self.names.show_labels(names, selected)
        self.figures.show_labels(figures, selected)
        self._fit_labels(self.rect().width())
        self.box.setYRange(-0.5, max(1, len(names)) - 0.5, padding=0)
        if self.marks is not None:
            self.marks.keys = tuple(label.key for label in names)
            self.marks.selected = selected
            self.marks.update()

    @property
    def row_px(self) -> int:
        """Least height of a row, in pixels."""
        height = row_px(self.text_font)
        return height + MARK_LANE_PX if self.names_inside else height

    def show_from(self, first: int, count: int) -> None:
        """Scroll to show ``count`` rows starting with row ``first``."""
        self.box.setYRange(first - 0.5, first + count - 0.5, padding=0)

    def setGeometry(self, place: QRectF) -> None:
        """Take a place, whose width decides where names are."""
        if self.marks is not None:
            self._fit_labels(place.width())
        super().setGeometry(place)

    def _fit_labels(self, width: float) -> None:
        # those of an export have the widths that were chosen for its width
        if width > 0 and not self._whole:
            self._fit_to(width)

    def keep_texts_whole(self, width: float) -> None:
        self._whole = True
        self._fit_to(width)

    def _fit_to(self, width: float) -> None:
        lines = width / QFontMetricsF(self.text_font).height()
        self.names_inside = lines < INSIDE_LINES and not self._whole
        for axis in (self.names, self.figures):
            axis.setVisible(not self.names_inside)
        if self.names_inside:
            for axis in (self.names, self.figures):
                axis.setMaximumWidth(0)
                axis.setMinimumWidth(0)
            return
        self.figures.fit(width, whole=self._whole)
        self.names.fit(width - self.figures.minimumWidth() - 2 * SIDE_MARGIN, whole=self._whole)

    def _beside(self) -> float:
        return float(self.names.minimumWidth() + self.figures.minimumWidth())

    def _plot_height(self) -> float:
        rows = len(self.marks.keys) if self.marks is not None else 0
        return max(40.0, rows * self.row_px)

    def emphasise(self, selected: str | None, hovered: str | None) -> None:
        for axis in (self.names, self.figures):
            axis.emphasise(selected)
        if self.marks is not None and (self.marks.selected, self.marks.hovered) != (
            selected,
            hovered,
        ):
            self.marks.selected, self.marks.hovered = selected, hovered
            self.marks.update()

    def row_at(self, scene: QPointF) -> str | None:
        """Key of the row at a scene point, labels included."""
        if self.marks is None:
            return None
        row = round(self.box.mapSceneToView(scene).y())
        inside = 0 <= row < len(self.marks.keys)
        return self.marks.keys[row] if inside else None


def row_px(font: QFont) -> int:
    """Height of a row with text in that font, in pixels."""
    return max(ROW_PX, round(QFontMetricsF(font).height()) + 2)
