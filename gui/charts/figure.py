"""Figure of a chart: view box, axes, title and legend, the same on screen and in exports.

Marks are painted in pixels of the view box, not in data coordinates (`PixelItem`), so that line widths and dots
keep their size and shape on any scale and at any export resolution.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from gui.charts.scales import NumberAxis, Scale
from gui.style.tokens import Tokens

LABEL_PX_MAX = 320
LABEL_SHARE_MAX = 0.36
SIDE_MARGIN = 8
ENTRY_ROOM = 30  # of a legend's entry, beside its words
LEAST_MARKS_PX, LEAST_PLOT_HEIGHT = 110.0, 110.0
ROW_PX = 18
STRIPE_PX_MAX = 34  # limits the stripe's height where few rows share a tall chart


@dataclass(frozen=True)
class Label:
    """Text next to a row; ``key`` identifies the row, and ``short`` stands in for a text that does not fit."""

    key: str
    text: str
    short: str = ""


class PixelItem(pg.GraphicsObject):
    """Item painted over a view box in pixels; subclasses implement `paint_marks`."""

    def __init__(self, view_box: pg.ViewBox):
        super().__init__()
        self.view_box = view_box
        self.setParentItem(view_box)
        self.setZValue(10)
        for signal in (view_box.sigRangeChanged, view_box.sigResized):
            signal.connect(self._moved)

    def boundingRect(self) -> QRectF:
        rectangle: QRectF = self.view_box.boundingRect()
        return rectangle

    def to_pixel(self, x: float, y: float) -> QPointF:
        """Pixel coordinates, in the view box, of a point in data coordinates."""
        pixel: QPointF = self.view_box.mapFromView(QPointF(x, y))
        return pixel

    def paint(self, painter: QPainter, *_: object) -> None:
        painter.save()
        painter.setClipRect(self.boundingRect())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.paint_marks(painter)
        painter.restore()

    def paint_marks(self, painter: QPainter) -> None:
        raise NotImplementedError

    def _moved(self, *_: object) -> None:
        self.prepareGeometryChange()
        self.update()


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

        With ``whole``, labels may be shortened, but none is elided.
        """
        most = figure_px * LABEL_SHARE_MAX if whole else min(LABEL_PX_MAX, figure_px * LABEL_SHARE_MAX)
        self._shortened = self._widest(short=False) > most
        width = self._widest(short=self._shortened)
        width = width if whole else min(width, most)
        self.setMinimumWidth(width)
        self.setMaximumWidth(width)

    def _widest(self, *, short: bool) -> float:
        bold = QFontMetricsF(_bold(self._font))
        texts = (label.short or label.text if short else label.text for label in self._labels)
        return max((bold.horizontalAdvance(text) for text in texts), default=0.0) + 10

    def emphasise(self, key: str | None) -> None:
        if key != self._emphasised:
            self._emphasised = key
            self.update()

    def _moved(self, *_: object) -> None:
        self.update()

    def paint(self, painter: QPainter, *_: object) -> None:
        height = QFontMetricsF(self._font).height()
        for row, label in enumerate(self._labels):
            y = self.mapFromItem(self._view_box, self._view_box.mapFromView(QPointF(0, row))).y()
            if not 0 <= y <= self.rect().height():
                continue
            font = _bold(self._font) if label.key == self._emphasised else self._font
            text = label.short or label.text if self._shortened else label.text
            text = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideMiddle, self.rect().width() - 6)
            painter.setFont(font)
            painter.setPen(QColor(self._t.text))
            box = QRectF(3, y - height / 2, self.rect().width() - 6, height)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)


class ChartLegend(pg.GraphicsWidget):
    """Legend of colour swatches with text, wrapped if needed; text without a colour is a caption."""

    def __init__(self, font: QFont, t: Tokens):
        super().__init__()
        self._font, self._t = font, t
        self._entries: tuple[tuple[QColor | None, str], ...] = ()
        self._line_px = QFontMetricsF(font).height() + 4
        self._shortened = False

    def widest_entry(self) -> float:
        metrics = QFontMetricsF(self._font)
        return max((metrics.horizontalAdvance(words) + ENTRY_ROOM for _, words in self._entries), default=0.0)

    def show_entries(self, entries: Sequence[tuple[QColor | None, str]]) -> None:
        self._entries = tuple(entries)
        self._fit()
        self.update()

    def shorten(self, shortened: bool) -> None:
        """Show only the first entry, or all."""
        if shortened != self._shortened:
            self._shortened = shortened
            self._fit()
            self.update()

    @property
    def shown(self) -> tuple[tuple[QColor | None, str], ...]:
        """The entries shown."""
        return self._entries[:1] if self._shortened else self._entries

    def resizeEvent(self, event: object) -> None:
        self._fit()

    def _fit(self) -> None:
        self.fit_to(self.rect().width())

    def fit_to(self, width: float) -> None:
        """Take the height that all entries need in ``width`` pixels."""
        lines = 1 + max((line for line, _ in self._places(width)), default=0) if self._entries else 0
        self.setMinimumHeight(self._line_px * lines)
        self.setMaximumHeight(self._line_px * lines)

    def _places(self, room: float) -> list[tuple[int, float]]:
        """Line and left pixel of each entry."""
        metrics = QFontMetricsF(self._font)
        places, line, x = [], 0, 0.0
        for _, words in self.shown:
            width = metrics.horizontalAdvance(words) + ENTRY_ROOM
            if x > 0 and x + width > room:
                line, x = line + 1, 0.0
            places.append((line, x))
            x += width
        return places

    def paint(self, painter: QPainter, *_: object) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._font)
        for (colour, words), (line, x) in zip(self.shown, self._places(self.rect().width()), strict=True):
            y = line * self._line_px
            if colour is not None:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(colour)
                painter.drawRoundedRect(QRectF(x, y + self._line_px / 2 - 5, 10, 10), 2, 2)
                x += 15
            painter.setPen(QColor(self._t.muted if colour is None else self._t.text))
            flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(
                QRectF(x, y, painter.fontMetrics().horizontalAdvance(words) + 4, self._line_px), flags, words
            )


class Title(pg.GraphicsWidget):
    """Title inside the figure, wrapped; only in exports, since on screen the window shows it."""

    def __init__(self, text: str, subtitle: str, font: QFont, t: Tokens, width: float):
        super().__init__()
        self._text, self._font, self._t = text, font, t
        self._metrics = QFontMetricsF(font)
        self._lines = wrapped(subtitle, self._metrics, width)
        self._line = QFontMetricsF(_bold(font)).height() + 2
        height = (1 + len(self._lines)) * self._line + 4
        self.setMinimumHeight(height)
        self.setMaximumHeight(height)

    def paint(self, painter: QPainter, *_: object) -> None:
        width = self.rect().width()
        texts = [(self._text, _bold(self._font), self._t.text)]
        texts += [(line, self._font, self._t.muted) for line in self._lines]
        for i, (text, font, colour) in enumerate(texts):
            painter.setFont(font)
            painter.setPen(QColor(colour))
            painter.drawText(QRectF(0, i * self._line, width, self._line), Qt.AlignmentFlag.AlignLeft, text)


def wrapped(text: str, metrics: QFontMetricsF, width: float) -> list[str]:
    """``text`` in lines that are at most ``width`` pixels long; words that are longer are broken."""
    lines: list[str] = []
    for word in text.split():
        joined = f"{lines[-1]} {word}" if lines else word
        if lines and metrics.horizontalAdvance(joined) <= width:
            lines[-1] = joined
            continue
        while len(word) > 1 and metrics.horizontalAdvance(word) > width:
            fitting = max(1, next(i for i in range(len(word)) if metrics.horizontalAdvance(word[: i + 1]) > width))
            lines.append(word[:fitting])
            word = word[fitting:]
        lines.append(word)
    return lines


class Figure(pg.GraphicsLayout):
    """View box with room for axes around it.

    Parameters
    ----------
    x_scale : Scale
    font : QFont
        Font of all text.
    t : Tokens
        Colours; the scheme of an export can differ from the window's.
    """

    def __init__(self, x_scale: Scale, font: QFont, t: Tokens):
        super().__init__()
        self.x_scale, self.text_font, self.t = x_scale, font, t
        self._title: Title | None = None
        self.setContentsMargins(SIDE_MARGIN, 6, SIDE_MARGIN, 4)
        self.layout.setSpacing(0)
        self.box = pg.ViewBox(enableMenu=False, enableMouse=False, defaultPadding=0)
        self.box.disableAutoRange()
        self.x_axis = NumberAxis("bottom", x_scale, font, t)
        self.x_axis.linkToView(self.box)
        self.legend = ChartLegend(font, t)
        self.addItem(self.box, 1, 1)
        self.addItem(self.x_axis, 2, 1)
        self.addItem(self.legend, 3, 0, 1, 3)

    def add_title(self, title: str, subtitle: str, width: float) -> None:
        """Add a title above a figure that is ``width`` pixels wide."""
        self._title = Title(title, subtitle, self.text_font, self.t, width - 2 * SIDE_MARGIN)
        self.addItem(self._title, 0, 0, 1, 3)

    def least_width(self) -> float:
        """Pixels below which texts would be cut off or marks would have no room."""
        return max(self.legend.widest_entry(), LEAST_MARKS_PX + self._beside()) + 2 * SIDE_MARGIN

    def least_height(self) -> float:
        """Pixels below which rows or lines would overlap, once the legend has its width."""
        texts = sum(item.minimumHeight() for item in (self._title, self.legend) if item is not None)
        return float(texts + self.x_axis.minimumHeight() + self._plot_height() + 2 * SIDE_MARGIN)

    def keep_texts_whole(self, width: float) -> None:
        """Give labels the width they need in a figure that is ``width`` pixels wide."""

    def _beside(self) -> float:
        """Width of what stands beside the marks."""
        return 60.0

    def _plot_height(self) -> float:
        return LEAST_PLOT_HEIGHT

    def grid_lines(self) -> list[float]:
        """Coordinates of the labelled ticks, at which the marks draw grid lines."""
        low, high = self.box.viewRange()[0]
        labelled, _ = self.x_axis.ticks(low, high, max(1.0, self.box.width()))
        return labelled


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
        for axis in (self.names, self.figures):
            axis.fit(self.rect().width(), whole=self._whole)

    def keep_texts_whole(self, width: float) -> None:
        self._whole = True
        for axis in (self.names, self.figures):
            axis.fit(width, whole=True)

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


def _bold(font: QFont) -> QFont:
    result = QFont(font)
    result.setWeight(QFont.Weight.DemiBold)
    return result
