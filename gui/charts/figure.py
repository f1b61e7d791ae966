"""Figure of a chart: view box, axes, title and legend, the same on screen and in exports.

Marks are painted in pixels of the view box, not in data coordinates (`PixelItem`), so
that line widths and dots keep their size and shape on any scale and at any export
resolution. Axes of numbers have the ticks of a `scales` scale.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import pyqtgraph as pg
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from gui.charts.scales import Scale
from gui.style.widgets import bold, fill_with, smooth, write
from solvers.picture.colours import Tokens
from solvers.ticks import linear_ticks, log_ticks

SIDE_MARGIN = 8
SWATCH_PX, ENTRY_GAP = 15.0, 15.0  # of a legend's entry, before and behind its words
MARK_PX = 22.0  # of a swatch that is a mark, with the gap to its words
LEAST_MARKS_PX, LEAST_PLOT_HEIGHT = 110.0, 110.0


# What a legend's entry has before its words: a colour; a mark, drawn by a function in a
# rectangle; or nothing, for a caption.
Swatch = QColor | Callable[[QPainter, QRectF], None] | None
LegendEntry = tuple[Swatch, str]


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
        smooth(painter)
        self.paint_marks(painter)
        painter.restore()

    def paint_marks(self, painter: QPainter) -> None:
        raise NotImplementedError

    def paint_levels(self, painter: QPainter, y_axis: NumberAxis, t: Tokens) -> None:
        """Draw a grid line at each labelled tick of a vertical axis."""
        rect = self.boundingRect()
        painter.setPen(QPen(QColor(t.grid), 1))
        low, high = self.view_box.viewRange()[1]
        for y in y_axis.ticks(low, high, rect.height())[0]:
            pixel = self.to_pixel(0, y).y()
            painter.drawLine(QLineF(rect.left(), pixel, rect.right(), pixel))

    def _moved(self, *_: object) -> None:
        self.prepareGeometryChange()
        self.update()


class ChartLegend(pg.GraphicsWidget):
    """Legend of colours and marks with text, wrapped if needed; text without one is a caption."""

    def __init__(self, font: QFont, t: Tokens):
        super().__init__()
        self._font, self._t = font, t
        self._entries: tuple[LegendEntry, ...] = ()
        self._line_px = QFontMetricsF(font).height() + 4
        self._room = math.inf  # pixels across
        self._shortened = False

    def widest_entry(self) -> float:
        metrics = QFontMetricsF(self._font)
        return max(
            (
                metrics.horizontalAdvance(words) + _entry_room(swatch)
                for swatch, words in self._entries
            ),
            default=0.0,
        )

    def show_entries(self, entries: Sequence[LegendEntry]) -> None:
        self._entries = tuple(entries)
        self.fit_to(self._room)
        self.update()

    def leave_out(self, words: str) -> None:
        """Do not show the entry with these words."""
        self.show_entries([entry for entry in self._entries if entry[1] != words])

    def shorten(self, shortened: bool) -> None:
        """Show only the first entry, or all."""
        if shortened != self._shortened:
            self._shortened = shortened
            self.fit_to(self._room)
            self.update()

    @property
    def shown(self) -> tuple[LegendEntry, ...]:
        return self._entries[:1] if self._shortened else self._entries

    def fit_to(self, width: float) -> None:
        """Take the height that all entries need in ``width`` pixels."""
        self._room = width
        lines = max(
            (line + 1 + words.count("\n") for line, _, words in self._places(width)), default=0
        )
        self.setMinimumHeight(self._line_px * lines)
        self.setMaximumHeight(self._line_px * lines)

    def _places(self, room: float) -> list[tuple[int, float, str]]:
        """Line, left pixel and words of each entry; one that is wider than ``room``
        takes several lines.
        """
        metrics = QFontMetricsF(self._font)
        places: list[tuple[int, float, str]] = []
        line, x = 0, 0.0
        for swatch, words in self.shown:
            beside = _entry_room(swatch)
            width = metrics.horizontalAdvance(words) + beside
            if x > 0 and x + width - ENTRY_GAP > room:
                line, x = line + 1, 0.0
            lines = (
                wrapped(words, metrics, max(1.0, room - beside))
                if width > room > beside
                else [words]
            )
            places.append((line, x, "\n".join(lines)))
            line, x = line + len(lines) - 1, x + metrics.horizontalAdvance(lines[-1]) + beside
        return places

    def paint(self, painter: QPainter, *_: object) -> None:
        smooth(painter)
        painter.setFont(self._font)
        swatches = [swatch for swatch, _ in self.shown]
        for swatch, (line, x, words) in zip(swatches, self._places(self._room), strict=True):
            y = line * self._line_px
            if isinstance(swatch, QColor):
                fill_with(painter, swatch)
                painter.drawRoundedRect(QRectF(x, y + self._line_px / 2 - 5, 10, 10), 2, 2)
            elif swatch is not None:
                swatch(painter, QRectF(x, y, MARK_PX - 5, self._line_px))
            x += _entry_room(swatch) - ENTRY_GAP
            colour = self._t.muted if swatch is None else self._t.text
            for number, part in enumerate(words.splitlines()):
                place = QRectF(x, y + number * self._line_px, self.rect().width(), self._line_px)
                write(painter, place, part, colour)


def _entry_room(swatch: Swatch) -> float:
    """Pixels beside the words of a legend's entry."""
    if swatch is None:
        return ENTRY_GAP
    return ENTRY_GAP + (SWATCH_PX if isinstance(swatch, QColor) else MARK_PX)


class Title(pg.GraphicsWidget):
    """Title inside the figure, wrapped; only in exports, since on screen the window shows it."""

    def __init__(self, text: str, subtitle: str, font: QFont, t: Tokens, width: float):
        super().__init__()
        self._text, self._font, self._t = text, font, t
        self._metrics = QFontMetricsF(font)
        self._lines = wrapped(subtitle, self._metrics, width)
        self._line = QFontMetricsF(bold(font)).height() + 2
        height = (1 + len(self._lines)) * self._line + 4
        self.setMinimumHeight(height)
        self.setMaximumHeight(height)

    def paint(self, painter: QPainter, *_: object) -> None:
        width = self.rect().width()
        texts = [(self._text, bold(self._font), self._t.text)]
        texts += [(line, self._font, self._t.muted) for line in self._lines]
        for i, (text, font, colour) in enumerate(texts):
            painter.setFont(font)
            line = QRectF(0, i * self._line, width, self._line)
            write(painter, line, text, colour, Qt.AlignmentFlag.AlignLeft)


def wrapped(text: str, metrics: QFontMetricsF, width: float) -> list[str]:
    """``text`` in lines that are at most ``width`` pixels long; words that are longer
    are broken.
    """
    lines: list[str] = []
    for word in text.split():
        joined = f"{lines[-1]} {word}" if lines else word
        if lines and metrics.horizontalAdvance(joined) <= width:
            lines[-1] = joined
            continue
        while len(word) > 1 and metrics.horizontalAdvance(word) > width:
            fitting = max(
                1,
                next(
                    i for i in range(len(word)) if metrics.horizontalAdvance(word[: i + 1]) > width
                ),
            )
            lines.append(word[:fitting])
            word = word[fitting:]
        lines.append(word)
    return lines


class Figure(pg.GraphicsLayout):
    """View box with room for axes around it; the colours of an export can differ from
    the window's.
    """

    def __init__(self, x_scale: Scale, font: QFont, t: Tokens):
        self.legend = ChartLegend(font, t)  # the base class sets a first geometry
        super().__init__()
        self.x_scale, self.text_font, self.t = x_scale, font, t
        self._title: Title | None = None
        self.setContentsMargins(SIDE_MARGIN, 6, SIDE_MARGIN, 4)
        self.layout.setSpacing(0)
        self.box = pg.ViewBox(enableMenu=False, enableMouse=False, defaultPadding=0)
        self.box.disableAutoRange()
        self.x_axis = NumberAxis("bottom", x_scale, font, t)
        self.x_axis.linkToView(self.box)
        self.addItem(self.box, 1, 1)
        self.addItem(self.x_axis, 2, 1)
        self.addItem(self.legend, 3, 0, 1, 3)

    def setGeometry(self, place: QRectF) -> None:
        """Take a place, in which the legend has its height before anything is laid out.

        Else the legend would take the height that it needs in the place before, which
        may be narrow and make the figure higher than the view.
        """
        self.legend.fit_to(place.width() - 2 * SIDE_MARGIN)
        super().setGeometry(place)

    def add_title(self, title: str, subtitle: str, width: float) -> None:
        """Add a title above a figure that is ``width`` pixels wide."""
        self._title = Title(title, subtitle, self.text_font, self.t, width - 2 * SIDE_MARGIN)
        self.addItem(self._title, 0, 0, 1, 3)

    def add_counts(self, scale: Scale, top: float) -> NumberAxis:
        """Add a vertical axis of counts or other large numbers, up to ``top``."""
        axis = NumberAxis("left", scale, self.text_font, self.t)
        labels = "500 M", scale.write(10.0 ** math.floor(math.log10(top)))
        widest = max(map(QFontMetricsF(self.text_font).horizontalAdvance, labels))
        axis.setWidth(round(widest) + 12)
        axis.linkToView(self.box)
        self.addItem(axis, 1, 0)
        return axis

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

    def emphasise(self, selected: str | None, hovered: str | None) -> None:
        """Highlight the selected and the hovered variant."""

    def grid_lines(self) -> list[float]:
        """Coordinates of the labelled ticks, at which the marks draw grid lines."""
        low, high = self.box.viewRange()[0]
        labelled, _ = self.x_axis.ticks(low, high, max(1.0, self.box.width()))
        return labelled


class NumberAxis(pg.AxisItem):
    """Axis with round ticks of a `Scale`, as many as fit."""

    def __init__(self, orientation: str, scale: Scale, font: QFont, t: Tokens):
        super().__init__(orientation)
        self._scale = scale
        self.least = -math.inf  # coordinate below which nothing is labelled
        self._metrics = QFontMetricsF(font)
        self.setStyle(
            tickFont=font,
            tickLength=-4,
            maxTextLevel=0,
            tickTextOffset=4,
            hideOverlappingLabels=False,
        )
        self.setPen(pg.mkPen(t.border, cosmetic=False))
        self.setTextPen(t.muted)
        if orientation == "bottom":
            self.setHeight(round(self._metrics.height() + 8))

    def ticks(self, low: float, high: float, size: float) -> tuple[list[float], list[float]]:
        """Coordinates of the labelled and the unlabelled ticks of an axis ``size`` pixels long."""
        horizontal = self.orientation in ("bottom", "top")
        widest = max(
            self._metrics.horizontalAdvance(self._scale.write(self._scale.value(v)))
            for v in (low, high)
        )
        pitch = widest + 12 if horizontal else self._metrics.height() * 1.8
        if self._scale.is_log:
            return log_ticks(max(low, self.least), high, (high - low) * pitch / max(size, 1.0))
        return linear_ticks(max(low, self.least), high, int(size / pitch)), []

    def tickValues(  # the names are pyqtgraph's
        self,
        minVal: float,  # noqa: N803
        maxVal: float,  # noqa: N803
        size: float,
    ) -> list[tuple[float, list[float]]]:
        labelled, plain = self.ticks(minVal, maxVal, size)
        return [(1.0, labelled), (1.0, plain)]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        return [self._scale.write(self._scale.value(v)) for v in values]
