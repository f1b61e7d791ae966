"""Figures with a row for each variant: names on the left, marks in the middle, figures on the right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from gui.charts.figure import LEAST_MARKS_PX, SIDE_MARGIN, Figure, PixelItem, bold
from gui.charts.scales import Scale
from gui.style.fitting import fitting_lines
from gui.style.tokens import Tokens

LABEL_SHARE_MAX = 0.36  # of the figure's width for whole names; short ones may take what the marks can spare
ROW_PX = 18
STRIPE_PX_MAX = 34  # limits the stripe's height where few rows share a tall chart


@dataclass(frozen=True)
class Label:
    """Text next to a row; ``key`` identifies the row, and ``short`` stands in for a text that does not fit."""

    key: str
    text: str
    short: str = ""


class LabelAxis(pg.GraphicsWidget):
    """Row labels next to a view box: names on the left or figures on the right; the emphasised row is bold."""

    def __init__(self, view_box: pg.ViewBox, font: QFont, t: Tokens):
        super().__init__()
        self._view_box = view_box
        self._font, self._t = font, t
        self._labels: tuple[Label, ...] = ()
        self._emphasised: str | None = None
        self._shortened = False
        for signal in (view_box.sigRangeChanged, view_box.sigResized):
            signal.connect(self._moved)

    def show_labels(self, labels: Sequence[Label], emphasised: str | None) -> None:
        self._labels, self._emphasised = tuple(labels), emphasised
        self.fit(math.inf)
        self.update()

    def fit(self, figure_px: float, *, whole: bool = False) -> None:
        """Use the width of the widest label, limited so that the marks keep most of the figure.

        Labels are shortened first, then they take two lines if rows are high enough, then they are elided. With
        ``whole``, they may be shortened, but none is elided.

        Parameters
        ----------
        figure_px : float
            Width that names and marks share.
        whole : bool
        """
        self._shortened = self._widest(short=False) > figure_px * LABEL_SHARE_MAX
        width = self._widest(short=self._shortened)
        width = width if whole else min(width, max(figure_px * LABEL_SHARE_MAX, figure_px - LEAST_MARKS_PX))
        self.setMinimumWidth(width)
        self.setMaximumWidth(width)

    def _widest(self, *, short: bool) -> float:
        metrics = QFontMetricsF(bold(self._font))
        texts = (label.short or label.text if short else label.text for label in self._labels)
        return max((metrics.horizontalAdvance(text) for text in texts), default=0.0) + 10

    def emphasise(self, key: str | None) -> None:
        if key != self._emphasised:
            self._emphasised = key
            self.update()

    def _moved(self, *_: object) -> None:
        self.update()

    def paint(self, painter: QPainter, *_: object) -> None:
        height = QFontMetricsF(self._font).height()
        pitch = self._view_box.mapFromView(QPointF(0, 1)).y() - self._view_box.mapFromView(QPointF(0, 0)).y()
        for row, label in enumerate(self._labels):
            y = self.mapFromItem(self._view_box, self._view_box.mapFromView(QPointF(0, row))).y()
            if not 0 <= y <= self.rect().height():
                continue
            font = bold(self._font) if label.key == self._emphasised else self._font
            text = label.short or label.text if self._shortened else label.text
            room, most_lines = self.rect().width() - 6, 2 if pitch >= 2 * height else 1
            lines = fitting_lines((text,), QFontMetricsF(font), room, most_lines)
            painter.setFont(font)
            painter.setPen(QColor(self._t.text))
            box = QRectF(3, y - height * len(lines) / 2, self.rect().width() - 6, height * len(lines))
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, "\n".join(lines))


class RowMarks(PixelItem):
    """Marks in rows, one per variant, over a grid and stripes for the selected and the hovered row."""

    def __init__(self, figure: Figure):
        super().__init__(figure.box)
        self.figure = figure
        self.keys: tuple[str, ...] = ()
        self.selected: str | None = None
        self.hovered: str | None = None

    def paint_marks(self, painter: QPainter) -> None:
        t, rect = self.figure.t, self.boundingRect()
        painter.setPen(QPen(QColor(t.grid), 1))
        for x in self.figure.grid_lines():
            pixel = self.to_pixel(x, 0).x()
            painter.drawLine(QPointF(pixel, rect.top()), QPointF(pixel, rect.bottom()))
        for row, key in enumerate(self.keys):
            if key in (self.selected, self.hovered):
                stripe = QColor(t.selection)
                stripe.setAlphaF(0.75 if key == self.selected else 0.35)
                painter.fillRect(self.stripe_rect(row), stripe)
        for row in self.rows_in_view():
            self.paint_row(painter, row)

    def rows_in_view(self) -> range:
        """The rows currently visible."""
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
        spare = max(0.0, (lane.height() - STRIPE_PX_MAX) / 2)
        return lane.adjusted(0, spare, 0, -spare)


class RowFigure(Figure):
    """A figure with rows from top to bottom, names on the left and figures on the right."""

    def __init__(self, x_scale: Scale, font: QFont, t: Tokens):
        super().__init__(x_scale, font, t)
        self.box.invertY(True)
        self.names = LabelAxis(self.box, font, t)
        self.figures = LabelAxis(self.box, font, t)
        self.addItem(self.names, 1, 0)
        self.addItem(self.figures, 1, 2)
        self.marks: RowMarks | None = None
        self._whole = False
        self.geometryChanged.connect(self._fit_labels)

    def show_rows(self, names: Sequence[Label], figures: Sequence[Label], selected: str | None) -> None:
        self.names.show_labels(names, selected)
        self.figures.show_labels(figures, selected)
        if self.rect().width() > 0:  # already laid out
            self._fit_labels()
        self.box.setYRange(-0.5, max(1, len(names)) - 0.5, padding=0)
        if self.marks is not None:
            self.marks.keys = tuple(label.key for label in names)
            self.marks.selected = selected
            self.marks.update()

    def show_from(self, first: int, count: int) -> None:
        """Scroll to show ``count`` rows starting with row ``first``."""
        self.box.setYRange(first - 0.5, first + count - 0.5, padding=0)

    def _fit_labels(self) -> None:
        if not self._whole:  # then they have the widths that were chosen for the width of the export
            self._fit_to(self.rect().width())

    def keep_texts_whole(self, width: float) -> None:
        self._whole = True
        self._fit_to(width)

    def _fit_to(self, width: float) -> None:
        self.figures.fit(width, whole=self._whole)
        self.names.fit(width - self.figures.minimumWidth() - 2 * SIDE_MARGIN, whole=self._whole)

    def _beside(self) -> float:
        return float(self.names.minimumWidth() + self.figures.minimumWidth())

    def _plot_height(self) -> float:
        rows = len(self.marks.keys) if self.marks is not None else 0
        return max(40.0, rows * row_px(self.text_font))

    def emphasise(self, selected: str | None, hovered: str | None) -> None:
        for axis in (self.names, self.figures):
            axis.emphasise(selected)
        if self.marks is not None and (self.marks.selected, self.marks.hovered) != (selected, hovered):
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
