"""A chart on the screen: a table of values as pyqtgraph's axes, bars, error bars, curves
and legend.

pyqtgraph's bars and error bars ignore its logarithmic mode (upstream issue 2535).
Everything is therefore placed at the logarithm, and only the axis is logarithmic.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QResizeEvent
from PySide6.QtWidgets import QGraphicsRectItem

from gui.charts.legend import AROUND, HIDDEN, MARK_PX, SYMBOLS, TRIAL_PX, ChartLegend
from gui.charts.number_axis import NumberAxis
from gui.charts.pyqtgraph_steps import pg
from gui.style.paint import faded
from gui.style.text import fitting_lines
from solvers.picture.charts.table import ChartData, ChartMark, Curve, Line, shifts, spread, stacked
from solvers.picture.colours import Tokens

INSIDE_LINES = 30  # of text: a chart of rows less wide than that has their names in the plot
MARK_LANE_PX = 16  # of a row whose name stands above its marks
_STRIPE = 0.96  # of a row's height: behind name and marks
_LABEL_SHARE = 0.36  # of the width, for the names of rows
_BAR = 0.6  # of a row or category
_BELOW_NAME = 0.2  # of a row: between its middle, which its name stands on, and its marks
_RING_PX, _CYCLE_PX = 17.0, 17.0
_REACH = 14.0  # pixels between the pointer and a mark that it points at
_FAINT = 0.45  # opacity
_LEADER_PX = 16.0  # between the plot and the names at its right
_MOST_LABEL_PX = 240.0


@dataclass(frozen=True)
class PlacedMark:
    """A mark where it is drawn, in coordinates of the plot; of a bar, its box."""

    line: int
    mark: ChartMark
    at: QPointF
    box: QRectF | None = None


class ChartPlot(pg.GraphicsLayoutWidget):
    """Shows one table at a time; marks, rows and names can be pointed at."""

    name_clicked = Signal(int)  # of a line, at its end or in the legend
    chart: ChartData | None = None  # None also while the base class takes a first size

    def __init__(self) -> None:
        super().__init__()
        self.setBackground(None)
        self.setAntialiasing(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.marks: list[PlacedMark] = []
        self.x_axis, self.y_axis = NumberAxis("bottom"), NumberAxis("left")
        self._figures = pg.AxisItem("right")
        axes = {"bottom": self.x_axis, "left": self.y_axis, "right": self._figures}
        self.plot: pg.PlotItem = self.addPlot(0, 0, axisItems=axes, enableMenu=False)
        for axis in axes.values():
            axis.setZValue(-1000)  # its grid lies below the marks
        self.box: pg.ViewBox = self.plot.vb
        self.plot.setMouseEnabled(False, False)
        self.plot.hideButtons()
        self.ci.setContentsMargins(4, 4, 4, 2)
        self.ci.setSpacing(2)
        self._names = self.addViewBox(0, 1, enableMenu=False, enableMouse=False)
        self._names.setYLink(self.box)
        self._names.setXRange(0.0, 1.0, padding=0)
        self._legend: ChartLegend | None = None
        self._legend_looks: tuple[object, ...] | None = None
        self._cursor: pg.InfiniteLine | None = None
        self._labels: list[tuple[int, pg.TextItem, pg.PlotCurveItem, float]] = []
        self._inside: list[tuple[int, pg.TextItem, pg.TextItem]] = []
        self._stripes: dict[str, QGraphicsRectItem] = {}
        self._curves: list[tuple[Curve, pg.PlotCurveItem]] = []
        self._rows = (0, 0)  # the first in view, and how many
        self._legend_shortened = False
        self._t: Tokens | None = None
        self._font = QFont()
        self._inside_as_drawn = False
        self._names_of_lines: list[str] = []
        self._hidden: frozenset[int] = frozenset()
        self.box.sigResized.connect(self._place_texts)
        self.scene().sigMouseClicked.connect(self._click)

    # -- what is shown

    def show_chart(
        self, chart: ChartData, t: Tokens, font: QFont, hidden: frozenset[int] = frozenset()
    ) -> None:
        """Show a table; lines that are ``hidden`` keep their names, pale."""
        self.chart, self._t, self._font, self._hidden = chart, t, font, hidden
        self._inside_as_drawn = self.names_inside
        self._names_of_lines = chart.names()
        self.plot.clear()
        self._names.clear()
        self.marks, self._curves, self._labels, self._inside, self._stripes = [], [], [], [], {}
        across, down = (chart.y, chart.x) if chart.is_horizontal else (chart.x, chart.y)
        self.x_axis.show_axis(across, font, t)
        self.y_axis.show_axis(down, font, t)
        self.plot.showAxis("right", bool(chart.figures))
        self._figures.setStyle(tickFont=font, tickLength=0)
        self._figures.setPen(pg.mkPen(None))
        self._figures.setTextPen(t.text)
        self.plot.showGrid(not chart.x.categories or chart.is_horizontal, not chart.is_horizontal)
        self.box.invertY(chart.is_horizontal)
        if chart.is_stacked:
            self._add_stacks()
        else:
            order = sorted(enumerate(chart.lines), key=lambda entry: not entry[1].is_published)
            for index, line in order:  # what was measured here lies on top
                if index not in hidden:
                    self._add_line(index, line)
        for curve in chart.curves:
            self._add_curve(curve)
        if chart.bars is not None:
            bars = chart.bars
            brushes = [colour.on(t.dark) for colour in bars.colours]
            self._add_bars(bars.edges[:-1], bars.edges[1:], 0.0, bars.heights, brushes)
        self._rings = pg.ScatterPlotItem(size=_RING_PX, brush=None, pen=pg.mkPen(t.text, width=1.8))
        self._rings.setZValue(20)
        self.plot.addItem(self._rings, ignoreBounds=True)
        self._tints = pg.ScatterPlotItem(size=_RING_PX, brush=faded(t.text, 0.16), pen=None)
        self.plot.addItem(self._tints, ignoreBounds=True)
        self._set_ranges()
        self._add_names()
        self._add_legend()

    def show_rows(self, first: int, count: int) -> None:
        """Show so many rows, beginning with one."""
        self._rows = first, count
        self.box.setYRange(first - 0.5, first + max(1, count) - 0.5, padding=0)
        self._place_texts()

    def shorten_legend(self, shortened: bool) -> None:
        """Leave out the legend, where rows would have no room beside it."""
        if shortened != self._legend_shortened:
            self._legend_shortened = shortened
            if self.chart is not None:
                self._add_legend()

    def emphasise(self, stripes: dict[str, tuple[int, QColor]]) -> None:
        """Lay stripes behind rows: a number and a colour each, by any name."""
        for key in self._stripes.keys() - stripes.keys():
            self.plot.removeItem(self._stripes.pop(key))
        for key, (row, colour) in stripes.items():
            place = QRectF(-1e9, row - _STRIPE / 2, 2e9, _STRIPE)
            if key not in self._stripes:
                item = QGraphicsRectItem()
                item.setZValue(-10)
                item.setPen(pg.mkPen(None))
                self.plot.addItem(item, ignoreBounds=True)
                self._stripes[key] = item
            self._stripes[key].setRect(place)
            self._stripes[key].setBrush(colour)

    def emphasise_curve(self, key: str | None) -> None:
        """Draw the curve of a variant in a broad line, over the others."""
        for curve, item in self._curves:
            strong = curve.key == key and not curve.faint
            pen = item.opts["pen"]
            pen.setWidthF(2.4 if strong else 1.4)
            item.setPen(pen)
            item.setZValue(1 if strong else 0)

    def light(self, point: str, label: str) -> None:
        """Ring the marks of a measured point, and tint those of the line with that name."""
        lines = () if self.chart is None else self.chart.lines
        rings = [one.at for one in self.marks if point and one.mark.point == point]
        tints = [one.at for one in self.marks if label and lines[one.line].label == label]
        for item, places in ((self._rings, rings), (self._tints, tints)):
            item.setData([at.x() for at in places], [at.y() for at in places])

    def show_cursor(self, x: float | None, t: Tokens) -> None:
        """Show a vertical line; None hides it."""
        if x is None:
            if self._cursor is not None:
                self._cursor.hide()
            return
        if self._cursor is None or self._cursor.scene() is None:  # gone with another table
            self._cursor = pg.InfiniteLine(pen=pg.mkPen(t.text, width=1.5))
            self._cursor.setZValue(20)
            self.plot.addItem(self._cursor, ignoreBounds=True)
        self._cursor.show()
        self._cursor.setValue(x)

    # -- what is pointed at

    def at(self, scene: QPointF) -> QPointF:
        """A point of the scene in coordinates of the plot."""
        found: QPointF = self.box.mapSceneToView(scene)
        return found

    def pixel(self, at: QPointF) -> QPointF:
        """A point of the plot in the scene."""
        found: QPointF = self.box.mapViewToScene(at)
        return found

    def row_at(self, scene: QPointF) -> int | None:
        """The row at a point of the scene, its name included."""
        count = 0 if self.chart is None else len(self.chart.x.categories)
        row = round(self.at(scene).y())
        first, shown = self._rows
        return row if 0 <= row < count and first <= row < first + max(1, shown) else None

    def mark_at(self, scene: QPointF) -> PlacedMark | None:
        """The nearest mark within reach; a bar under the pointer."""
        at = self.at(scene)
        for placed in self.marks:
            if placed.box is not None and placed.box.contains(at):
                return placed

        def away(placed: PlacedMark) -> float:
            step = self.pixel(placed.at) - scene
            return math.hypot(step.x(), step.y())

        dots = [placed for placed in self.marks if placed.box is None]
        nearest = min(dots, key=away, default=None)
        return nearest if nearest is not None and away(nearest) <= _REACH else None

    def name_at(self, scene: QPointF) -> int | None:
        """The line whose name is at a point of the scene."""
        for index, text, _, _ in self._labels:
            if text.sceneBoundingRect().contains(scene):
                return index
        if self._legend is None or self.chart is None or self.chart.is_horizontal:
            return None
        return self._legend.line_at(scene)

    @property
    def names_inside(self) -> bool:
        """Whether the names of rows stand in the plot, above their marks."""
        wide = self.width() / QFontMetricsF(self._font).height()
        return self.chart is not None and self.chart.is_horizontal and wide < INSIDE_LINES

    @property
    def row_px(self) -> int:
        """Least height of a row, in pixels."""
        height = round(QFontMetricsF(self._font).height()) + 4
        return height + MARK_LANE_PX if self.names_inside else height

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.chart is None or event.oldSize().width() == event.size().width():
            return
        if self.names_inside != self._inside_as_drawn:
            assert self._t is not None
            self.show_chart(self.chart, self._t, self._font, self._hidden)
            return
        self._add_names()
        self._add_legend()

    def _click(self, event: object) -> None:
        if (index := self.name_at(event.scenePos())) is not None:  # type: ignore[attr-defined]
            self.name_clicked.emit(index)

    # -- items

    def _place(self, x: float, y: float) -> QPointF:
        """A value of the table in coordinates of the plot."""
        assert self.chart is not None
        x, y = self.chart.x.place(x), self.chart.y.place(y)
        if self.chart.is_horizontal:
            return QPointF(y, x + (_BELOW_NAME if self._inside_as_drawn else 0.0))
        return QPointF(x, y)

    def _add_line(self, index: int, line: Line) -> None:
        assert self.chart is not None
        assert self._t is not None
        chart, colour = self.chart, QColor(line.colour.on(self._t.dark))
        if line.is_ideal:
            self._add_reference(line, colour)
            return
        points = [self._place(mark.x, mark.y) for mark in line.marks]
        if len(points) > 1 and not chart.x.categories:
            style = Qt.PenStyle.DashLine if line.is_published else Qt.PenStyle.SolidLine
            self.plot.plot(
                [at.x() for at in points],
                [at.y() for at in points],
                pen=pg.mkPen(colour, width=1.2 if line.is_published else 2.0, style=style),
            )
        shift = shifts(chart).get(index, 0.0)
        points = [at + QPointF(shift, 0.0) for at in points]
        low, high = ([mark.extent[end] for mark in line.marks] for end in (0, 1))
        self._add_error_bars(points, low, high, 1.4, colour, beam=True)
        if any(mark.samples for mark in line.marks):
            ends = ([mark.low for mark in line.marks], [mark.high for mark in line.marks])
            self._add_error_bars(points, *ends, 5.0, colour, beam=False)
            trials = [self._place(mark.x, y) for mark in line.marks for y in mark.samples]
            self._add_dots(trials, "o", TRIAL_PX, faded(colour, 0.4), None)
        paper, edge = QColor(self._t.panel), pg.mkPen(colour, width=2.0)
        for hollow in (False, True):
            marks = [
                (at, mark)
                for at, mark in zip(points, line.marks, strict=True)
                if (line.is_published or (mark.is_disturbed and bool(mark.samples))) == hollow
            ]
            symbol = SYMBOLS[line.shape % len(SYMBOLS)]
            pen = edge if hollow else pg.mkPen(paper, width=1.0)
            self._add_dots(
                [at for at, _ in marks], symbol, MARK_PX, paper if hollow else colour, pen
            )
        doubts = [
            at
            for at, mark in zip(points, line.marks, strict=True)
            if mark.is_disturbed and not mark.samples
        ]
        ring = pg.mkPen(self._t.text, width=1.0, style=Qt.PenStyle.DashLine)
        self._add_dots(doubts, "o", _RING_PX, None, ring)
        self.marks += [
            PlacedMark(index, mark, at) for at, mark in zip(points, line.marks, strict=True)
        ]

    def _add_reference(self, line: Line, colour: QColor) -> None:
        """A line without marks: across the whole plot, if it is level."""
        assert self.chart is not None
        pen = pg.mkPen(colour, width=1.5, style=Qt.PenStyle.DotLine)
        if not line.marks:
            return
        if len({mark.y for mark in line.marks}) > 1:
            points = [self._place(mark.x, mark.y) for mark in line.marks]
            self.plot.plot([at.x() for at in points], [at.y() for at in points], pen=pen)
            return
        place, horizontal = self.chart.y.place(line.marks[0].y), self.chart.is_horizontal
        words = line.label if self.chart.curves else None
        looks = {"position": 0.98, "anchors": [(1, 1), (1, 0)], "color": colour}
        self.plot.addItem(
            pg.InfiniteLine(
                place, 90 if horizontal else 0, pen, label=words, labelOpts=looks if words else None
            )
        )

    def _add_error_bars(
        self,
        points: Sequence[QPointF],
        low: Sequence[float],
        high: Sequence[float],
        width: float,
        colour: QColor,
        *,
        beam: bool,
    ) -> None:
        assert self.chart is not None
        chosen = [i for i in range(len(points)) if high[i] > low[i]]
        if not chosen:
            return
        horizontal = self.chart.is_horizontal
        x, y = ([coordinate(points[i]) for i in chosen] for coordinate in (QPointF.x, QPointF.y))
        middle = np.array(x if horizontal else y)
        ends = [np.array([self.chart.y.place(side[i]) for i in chosen]) for side in (low, high)]
        sides = ("left", "right") if horizontal else ("bottom", "top")
        pen = pg.mkPen(colour, width=width)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        self.plot.addItem(
            pg.ErrorBarItem(
                x=np.array(x),
                y=np.array(y),
                **{sides[0]: middle - ends[0], sides[1]: ends[1] - middle},
                beam=self._beam() if beam else 0.0,
                pen=pen,
            )
        )

    def _beam(self) -> float:
        """Width of the ends of error bars, in coordinates of the plot."""
        assert self.chart is not None
        if self.chart.x.categories:
            return 0.12
        marks = [self.chart.x.place(m.x) for line in self.chart.lines for m in line.marks]
        return 0.012 * (max(marks) - min(marks))

    def _add_dots(
        self,
        points: Sequence[QPointF],
        symbol: str,
        size: float,
        brush: QColor | None,
        pen: object,
    ) -> None:
        if points:
            x, y = [at.x() for at in points], [at.y() for at in points]
            self.plot.addItem(
                pg.ScatterPlotItem(x, y, symbol=symbol, size=size, brush=brush, pen=pen)
            )

    def _add_stacks(self) -> None:
        assert self.chart is not None
        assert self._t is not None
        chart = self.chart
        boxes: dict[int, list[QRectF]] = {}
        half = _BAR / (4 if self._inside_as_drawn else 2)
        for index, mark, begin in stacked(chart, self._hidden):
            ends = (mark.x - half, begin), (mark.x + half, begin + mark.y)
            box = QRectF(self._place(*ends[0]), self._place(*ends[1])).normalized()
            boxes.setdefault(index, []).append(box)
            self.marks.append(PlacedMark(index, mark, box.center(), box))
        for index, found in boxes.items():
            self._add_bars(
                [box.left() for box in found],
                [box.right() for box in found],
                [box.top() for box in found],
                [box.bottom() for box in found],
                [chart.lines[index].colour.on(self._t.dark)] * len(found),
            )

    def _add_bars(
        self, x0: object, x1: object, y0: object, y1: object, brushes: Sequence[str]
    ) -> None:
        self.plot.addItem(
            pg.BarGraphItem(x0=x0, x1=x1, y0=y0, y1=y1, brushes=brushes, pen=pg.mkPen(None))
        )

    def _add_curve(self, curve: Curve) -> None:
        assert self.chart is not None
        assert self._t is not None
        colour = faded(curve.colour.on(self._t.dark), _FAINT if curve.faint else 1.0)
        x, *values = curve.columns()
        if self.chart.y.is_log:
            values = [np.log10(np.maximum(one, 0.5)) for one in values]
        low, middle, high = values
        if curve.has_band:
            ends = (pg.PlotCurveItem(x, side) for side in (low, high))
            around = faded(colour, AROUND * colour.alphaF())
            self.plot.addItem(pg.FillBetweenItem(*ends, brush=around))
        item = pg.PlotCurveItem(x, middle, pen=pg.mkPen(colour, width=1.4))
        self.plot.addItem(item)
        self._curves.append((curve, item))
        if curve.in_cycle:
            at = QPointF(float(x[-1]), float(middle[-1]))
            edge = pg.mkPen(self._t.panel, width=1.5)
            self._add_dots([at], "d", _CYCLE_PX, QColor(self._t.cycle), edge)

    def _set_ranges(self) -> None:
        assert self.chart is not None
        chart = self.chart
        across, down = (chart.y, chart.x) if chart.is_horizontal else (chart.x, chart.y)
        bounds = self.box.childrenBounds()
        for axis, found, show in (
            (across, bounds[0], self.box.setXRange),
            (down, bounds[1], self.box.setYRange),
        ):
            low, high = axis.span or found or (0.0, 1.0)
            if axis.span is not None:
                low, high = axis.place(low), axis.place(high)
            elif axis.categories:
                low, high = -0.6, len(axis.categories) - 0.4
            elif not axis.is_log and axis is chart.y:
                low = min(0.0, low)
            air = 0.0 if axis.span is not None or axis.categories else 0.04 * (high - low)
            show(low - air * (low != 0.0), high + air, padding=0)
        if chart.is_horizontal:
            self.show_rows(*((0, len(chart.x.categories)) if not self._rows[1] else self._rows))

    # -- texts

    def _add_names(self) -> None:
        """Names of categories at their axis, and of lines at their ends."""
        assert self.chart is not None
        assert self._t is not None
        chart, metrics = self.chart, QFontMetricsF(self._font)
        for _, *texts in self._inside:
            for text in texts:
                self.plot.removeItem(text)
        self._inside = []
        self._names.clear()
        self._labels = []
        if chart.is_horizontal:
            self._add_row_names(metrics)
        elif chart.x.categories:
            room = max(20.0, 0.8 * self.width() / len(chart.x.categories))
            lines = ["\n".join(fitting_lines((n,), metrics, room, 3)) for n in chart.x.categories]
            self.x_axis.setTicks([list(enumerate(lines))])
            self.x_axis.setHeight(None)
        width = 0.0
        if chart.has_direct_labels and not chart.curves:
            for index, line in chart.entries():
                if not line.marks:
                    continue
                words = self._names_of_lines[index]
                words += "" if line.slope is None else f"\n{line.slope.words}"
                colour = QColor(line.colour.on(self._t.dark))
                colour.setAlphaF(HIDDEN if index in self._hidden else 1.0)
                text = pg.TextItem(words, color=colour, anchor=(0.0, 0.5))
                text.setFont(self._font)
                leader = pg.PlotCurveItem(pen=pg.mkPen(colour, width=0.8))
                self._names.addItem(leader, ignoreBounds=True)
                self._names.addItem(text, ignoreBounds=True)
                end = self._place(line.marks[-1].x, line.marks[-1].y).y()
                self._labels.append((index, text, leader, end))
                width = max(width, *(metrics.horizontalAdvance(one) for one in words.split("\n")))
        width = min(width, _MOST_LABEL_PX)
        self._names.setFixedWidth(width + _LEADER_PX + 8.0 if width else 0.0)
        self._place_texts()

    def _add_row_names(self, metrics: QFontMetricsF) -> None:
        assert self.chart is not None
        assert self._t is not None
        chart, inside = self.chart, self.names_inside
        self.plot.showAxis("left", not inside)
        self.plot.showAxis("right", bool(chart.figures) and not inside)
        if not inside:
            room = _LABEL_SHARE * self.width()
            names = ["\n".join(fitting_lines(forms, metrics, room, 2)) for forms in chart.x.forms]
            self.y_axis.setTicks([list(enumerate(names))])
            self.y_axis.setTextPen(self._t.text)
            self._figures.setTicks([list(enumerate(chart.figures))])
            lines = [line for name in names for line in name.split("\n")]
            for axis, beside in ((self.y_axis, lines), (self._figures, chart.figures)):
                axis.setWidth(max(map(metrics.horizontalAdvance, beside), default=0.0) + 12.0)
            return
        for row, forms in enumerate(chart.x.forms):
            figure = chart.figures[row] if chart.figures else ""
            room = self.width() - metrics.horizontalAdvance(figure) - 40.0
            (short,) = fitting_lines(forms, metrics, room, 1)
            left, right = (
                pg.TextItem(words, color=self._t.text, anchor=(side, 1.0))
                for words, side in ((short, 0.0), (figure, 1.0))
            )
            for text in (left, right):
                text.setFont(self._font)
                self.plot.addItem(text, ignoreBounds=True)
            self._inside.append((row, left, right))

    def _place_texts(self, *_moved: object) -> None:
        """Put names above the marks of their rows, or beside the ends of their lines, none
        over another.
        """
        if self._inside:
            (left, right), _ = self.box.viewRange()
            for place, name, figure in self._inside:
                name.setPos(left, place)
                figure.setPos(right, place)
        if self._labels:
            low, high = self.box.viewRange()[1]
            per_pixel = (high - low) / max(1.0, self.box.height())
            tallest = max(text.boundingRect().height() for _, text, _, _ in self._labels)
            room = (high - low) / max(1, len(self._labels))
            gap = min(0.8 * tallest * per_pixel, room)
            places = spread([end for *_, end in self._labels], gap)
            beyond = max(0.0, max(places) + gap / 2 - high) + min(0.0, min(places) - gap / 2 - low)
            start = _LEADER_PX / max(1.0, self._names.width())
            for (_, name, leader, end), there in zip(self._labels, places, strict=True):
                name.setPos(start, there - beyond)
                leader.setData([0.0, start], [end, there - beyond])

    def _add_legend(self) -> None:
        """Replace the legend if it would look otherwise: it takes longer than all marks."""
        assert self.chart is not None
        assert self._t is not None
        looks = None if self._legend_shortened else self._looks_of_legend(self.chart)
        if looks == self._legend_looks:
            return
        self._legend_looks = looks
        if self._legend is not None:
            self.ci.removeItem(self._legend)
            self._legend = None
        if looks is None:
            return
        legend = ChartLegend.of(self.chart, self._t, self._font, self.width(), self._hidden)
        if legend is not None:
            self._legend = legend
            self.ci.addItem(legend, 1, 0, 1, 2)
            legend.setFixedHeight(legend.boundingRect().height())

    def _looks_of_legend(self, chart: ChartData) -> tuple[object, ...]:
        """All that decides what the legend looks like."""
        lines = [(one.colour, one.shape, one.is_published, one.is_ideal) for one in chart.lines]
        drawn = chart.legend(), chart.is_stacked, lines, self._hidden
        return *drawn, self._t, self._font, self.width()
