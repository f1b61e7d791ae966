"""Charts with a curve per traced result over its iterations, and a play-back cursor:
frontier and device.

Frontier: the size of the frontier. Device: threads, warps, arcs and bytes per second,
for results with traced kernels.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar
from weakref import WeakKeyDictionary

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QGraphicsItem, QToolTip

from gui.charts.chart import Chart
from gui.charts.figure import SIDE_MARGIN, Figure, LegendEntry, NumberAxis, PixelItem
from gui.charts.scales import Scale, counts, envelope, medians
from gui.model.playback import Playback
from gui.model.session import Session
from gui.model.settings import (
    ACTIVE,
    ARC_RATE,
    BYTE_RATE,
    DEVICE_QUANTITY,
    DEVICE_SCALE,
    FRONTIER_QUANTITY,
    FRONTIER_SCALE,
    LOG,
    RELAXED,
    THREADS,
    WARPS,
    DisplayChoices,
)
from gui.style.text import format_rate, tool_tip
from gui.style.theme import variant_colour
from gui.style.widgets import faded, fill_with, smooth
from solvers.core.result import Result
from solvers.core.trace import ActivityTrace, MatrixTrace
from solvers.picture.colours import Tokens
from solvers.running.traced_run import DeviceActivity, device_activity
from solvers.system.array_types import Float64s
from solvers.text import format_count

_FAINT = 0.45  # opacity
_CYCLE_RADIUS = 7.0  # pixels
_AROUND = 0.3  # opacity of the band around a median

_ROOM_BESIDE = 0.01  # of the curves' width, at each side
BAND_WORDS = "least, median and most of a pixel's iterations"

FRONTIER_WORDS = {ACTIVE.lower(): "vertices active", RELAXED.lower(): "arcs relaxed"}

_known: WeakKeyDictionary[ActivityTrace, dict[str, Float64s]] = WeakKeyDictionary()

DEVICE_WORDS = {
    THREADS: "Threads launched (pale) and useful",
    WARPS: "Warps launched (pale) and with a useful thread",
    ARC_RATE: "Arcs, or cells of a matrix, relaxed per second",
    BYTE_RATE: "Bytes requested per second, at least",
}


@dataclass(frozen=True, eq=False)
class Series:
    """One curve; a faint one is the whole that another curve of the same variant is a part of."""

    variant_id: str
    title: str
    # (T,) per recorded iteration; the mean over the ``stride`` iterations it stands for
    values: Float64s
    stride: int
    faint: bool = False
    in_cycle: bool = False  # the run ends with a negative cycle

    @property
    def words(self) -> str:
        """Its entry in the legend."""
        if not self.in_cycle:
            return self.title
        return f"{self.title}, negative cycle in iteration {format_count(int(self.end))}"

    @property
    def end(self) -> float:
        """Number of the last iteration, counted from 1."""
        return float((len(self.values) - 1) * self.stride + 1)


@dataclass(frozen=True)
class Level:
    """A horizontal line, such as what a device can do at most."""

    value: float
    words: str


class Curves(PixelItem):
    def __init__(
        self, figure: Figure, y_axis: NumberAxis, series: tuple[Series, ...], scale: Scale
    ):
        super().__init__(figure.box)
        self.figure, self.y_axis, self.series, self.value_scale = figure, y_axis, series, scale
        self.selected: str | None = None

    def paint_marks(self, painter: QPainter) -> None:
        t = self.figure.t
        self.paint_levels(painter, self.y_axis, t)
        for series in sorted(self.series, key=lambda s: s.variant_id == self.selected):
            strong = series.variant_id == self.selected and not series.faint
            self._paint_series(
                painter,
                series,
                faded(variant_colour(series.variant_id, t.dark), _FAINT if series.faint else 1.0),
                2.2 if strong else 1.2,
            )
            if series.in_cycle:
                self._paint_cycle(painter, series)

    def _paint_cycle(self, painter: QPainter, series: Series) -> None:
        """Mark the end of a run that found a negative cycle by a diamond."""
        x = self.to_pixel(series.end, 0).x() - _CYCLE_RADIUS
        centre = QPointF(x, float(self._heights(series.values[-1:])[0]))
        painter.setPen(QPen(QColor(self.figure.t.panel), 1.5))
        painter.setBrush(self.figure.t.cycle)
        around = [QPointF(0, -1), QPointF(1, 0), QPointF(0, 1), QPointF(-1, 0)]
        painter.drawPolygon([centre + corner * _CYCLE_RADIUS for corner in around])

    def _paint_series(
        self, painter: QPainter, series: Series, colour: QColor, width: float
    ) -> None:
        """A line or, with more iterations than pixels, the median of those of each pixel
        over a pale column from their minimum to their maximum.
        """
        first, last = self.to_pixel(1, 0).x(), self.to_pixel(series.end, 0).x()
        count = max(2, int(last - first))
        low, high = envelope(series.values, count)
        if len(high) < len(series.values):
            self._paint_columns(painter, self.columns(low, high, first, last, width), colour)
        middle = medians(series.values, count)
        xs = np.linspace(first, last, len(middle))
        painter.setPen(QPen(colour, width))
        painter.drawPolyline(list(map(QPointF, xs.tolist(), self._heights(middle).tolist())))

    @staticmethod
    def _paint_columns(painter: QPainter, columns: list[QRectF], colour: QColor) -> None:
        fill_with(painter, pale(colour))
        # adjacent columns would show antialiased seams
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.drawRects(columns)
        smooth(painter)

    def columns(
        self, low: Float64s, high: Float64s, first: float, last: float, width: float
    ) -> list[QRectF]:
        """Rectangles from minimum to maximum, each extended to its left neighbour so
        that steep curves have no gaps.
        """
        top, bottom = self._heights(high), self._heights(low)  # pixels grow downwards
        top[1:], bottom[1:] = np.minimum(top[1:], bottom[:-1]), np.maximum(bottom[1:], top[:-1])
        pitch = (last - first) / len(high)
        tall = np.maximum(bottom - top, width)
        lefts = first + pitch * np.arange(len(high))
        return [
            QRectF(x, y, max(pitch, width), h)
            for x, y, h in np.column_stack((lefts, top, tall)).tolist()
        ]

    def _heights(self, values: Float64s) -> Float64s:
        """Vertical pixels of values; the map is linear, so two points determine it."""
        places = np.log10(np.maximum(values, 0.5)) if self.value_scale.is_log else values
        zero, one = self.to_pixel(0, 0.0).y(), self.to_pixel(0, 1.0).y()
        return zero + places * (one - zero)


def pale(colour: QColor) -> QColor:
    """The colour of what lies around a curve."""
    return faded(colour, _AROUND * colour.alphaF())


class Cursor(PixelItem):
    """Play-back cursor; a separate item, so that playing does not repaint the curves."""

    def __init__(self, figure: Figure):
        super().__init__(figure.box)
        self.figure = figure
        self.iteration: float | None = None
        self.setZValue(20)

    def boundingRect(self) -> QRectF:
        whole = super().boundingRect()
        x = whole.left() if self.iteration is None else self.to_pixel(self.iteration, 0).x()
        return QRectF(x - 2, whole.top(), 4, whole.height())

    def move_to(self, iteration: float | None) -> None:
        self.prepareGeometryChange()
        self.iteration = iteration

    def paint_marks(self, painter: QPainter) -> None:
        if self.iteration is not None:
            strip = self.boundingRect()
            painter.setPen(QPen(QColor(self.figure.t.text), 1.5))
            painter.drawLine(
                QPointF(strip.center().x(), strip.top()),
                QPointF(strip.center().x(), strip.bottom()),
            )


class IterationFigure(Figure):
    """Figure with iterations on the horizontal and values on the vertical axis."""

    _entries: tuple[LegendEntry, ...] = ()  # none while the base class sets a first geometry

    def __init__(
        self,
        series: tuple[Series, ...],
        is_log: bool,
        font: QFont,
        t: Tokens,
        levels: tuple[Level, ...],
        rates: bool,
    ):
        last = max(2.0, *(s.end for s in series))
        super().__init__(counts(False, 1.0, last), font, t)
        self.x_axis.least = 1.0
        top = max([*(float(s.values.max()) for s in series), *(level.value for level in levels)])
        floor = 0.0
        if is_log:
            floor = _floor(series) if rates else 0.8
        top = max(top, 2.0)
        scale = counts(is_log, floor, top)
        self.y_axis = self.add_counts(scale, top)
        if is_log and not rates:
            self.y_axis.least = scale.place(1.0)
        self.curves = Curves(self, self.y_axis, series, scale)
        self.levels = LevelLines(self, levels, scale) if levels else None
        self.cursor_line = Cursor(self)
        self._last = last
        self.box.setXRange(1, last, padding=_ROOM_BESIDE)
        self.box.setYRange(
            scale.place(floor),
            scale.place(top * (1.3 if scale.is_log else 1.05)),
            padding=0,
        )

    def show_legend(self, entries: Sequence[LegendEntry]) -> None:
        """Show entries, and what a band is where there are some."""
        self._entries = tuple(entries)
        self._fit_legend(self.rect().width())

    def setGeometry(self, place: QRectF) -> None:
        """Take a place, whose width decides which curves have a pixel for each iteration."""
        if self._entries:
            self._fit_legend(place.width())
        super().setGeometry(place)

    def keep_texts_whole(self, width: float) -> None:
        self._fit_legend(width)

    def _fit_legend(self, width: float) -> None:
        plot = (width - 2 * SIDE_MARGIN - self.y_axis.width()) / (1 + 2 * _ROOM_BESIDE)
        per_iteration = plot / (self._last - 1)
        has_bands = any(
            len(s.values) > max(2, (s.end - 1) * per_iteration) for s in self.curves.series
        )
        band: tuple[LegendEntry, ...] = ((self._paint_band, BAND_WORDS),) if has_bands else ()
        self.legend.show_entries((*self._entries, *band))

    def _paint_band(self, painter: QPainter, box: QRectF) -> None:
        grey, middle = QColor(self.t.muted), box.center().y()
        painter.fillRect(box.adjusted(0, 3, 0, -3), pale(grey))
        painter.setPen(QPen(grey, 1.5))
        painter.drawLine(QLineF(box.left(), middle, box.right(), middle))


def _floor(series: tuple[Series, ...]) -> float:
    """Lower end of a logarithmic axis of rates: the power of ten below most of them, so
    that outliers may leave it.
    """
    values = np.concatenate([s.values[s.values > 0] for s in series] or [np.ones(1)])
    return float(10.0 ** np.floor(np.log10(np.quantile(values, 0.02)))) if len(values) else 0.8


class LevelLines(PixelItem):
    """Horizontal lines across the figure, dashed, with their words above the right end."""

    def __init__(self, figure: Figure, levels: tuple[Level, ...], scale: Scale):
        super().__init__(figure.box)
        self.figure, self.levels, self.value_scale = figure, levels, scale
        self.setZValue(15)

    def paint_marks(self, painter: QPainter) -> None:
        rect = self.boundingRect()
        painter.setFont(self.figure.text_font)
        for level in self.levels:
            y = self.to_pixel(0, self.value_scale.place(level.value)).y()
            painter.setPen(QPen(QColor(self.figure.t.muted), 1.2, Qt.PenStyle.DashLine))
            painter.drawLine(QLineF(rect.left(), y, rect.right(), y))
            box = QRectF(
                rect.left(), y + 1, rect.width() - 4, QFontMetricsF(self.figure.text_font).height()
            )
            painter.drawText(box, Qt.AlignmentFlag.AlignRight, level.words)


class IterationChart(Chart):
    """Curves of all traced results; clicking or dragging seeks the play-back."""

    quantity_choice: ClassVar[str]
    scale_choice: ClassVar[str]
    quantity_tip: ClassVar[str]
    shows_phases: ClassVar[bool] = False  # curves of all-pairs runs too, phase by phase

    def __init__(self, session: Session, playback: Playback, choices: DisplayChoices | None = None):
        super().__init__(session, choices)
        self._playback = playback
        self.quantity = self.add_switch(self.quantity_choice, self.quantity_tip)
        self.scale = self.add_switch(self.scale_choice, "Logarithmic or linear axis")
        session.results.changed.connect(self.follow_results)
        session.results.selection_changed.connect(self._follow_selection)
        playback.trace_changed.connect(self._follow_cursor)
        playback.moved.connect(self._follow_cursor)
        scene = self.view.scene()
        scene.sigMouseClicked.connect(lambda event: self._seek(event.scenePos()))
        scene.sigMouseMoved.connect(self._hover)
        self.refresh()

    @abstractmethod
    def series(self) -> tuple[Series, ...]:
        """The curves of the chosen quantity."""

    @abstractmethod
    def heading_words(self) -> str:
        """What the curves show, for the legend."""

    def hover_heading(self, iteration: int) -> str:
        """First line of the tool tip at an iteration, counted from 1."""
        return f"Iteration {format_count(iteration)} of the watched run"

    def value_words(self, value: float) -> str:
        return format_count(int(value))

    @property
    def shows_rates(self) -> bool:
        """Whether the quantity is a rate: a logarithmic axis then begins below its
        values, not at one.
        """
        return False

    def levels(self) -> tuple[Level, ...]:
        """Horizontal lines of the chosen quantity."""
        return ()

    def make_figure(self, t: Tokens) -> IterationFigure | None:
        series = self.series()
        if not series:
            return None
        is_log = self.choices[self.scale_choice] == LOG
        figure = IterationFigure(
            series, is_log, self.figure_font(), t, self.levels(), self.shows_rates
        )
        entries = [
            (QColor(variant_colour(s.variant_id, t.dark)), s.words) for s in series if not s.faint
        ]
        figure.show_legend([(None, self.heading_words()), *entries])
        figure.curves.selected = self.session.results.selected_id
        figure.cursor_line.move_to(self.current_iteration())
        return figure

    def refresh(self) -> None:
        """Rebuild the figure; on screen the curves are cached as a pixmap, since the
        cursor moves over them.
        """
        super().refresh()
        if isinstance(self.figure, IterationFigure):
            self.figure.curves.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)

    def needed_height(self) -> int:
        return 170

    @property
    def chosen_quantity(self) -> str:
        return self.choices[self.quantity_choice]

    def current_iteration(self) -> float | None:
        """Iteration, or phase, of the play-back position, counted from 1; None without a trace."""
        trace = self._played()
        if trace is None or not len(trace):
            return None
        return float(self._playback.position * stride_of(trace) + 1)

    def _played(self) -> ActivityTrace | MatrixTrace | None:
        """The trace of the play-back, if this chart can show it."""
        trace = self._playback.trace
        if isinstance(trace, MatrixTrace):
            return trace if self.shows_phases else None
        return trace if isinstance(trace, ActivityTrace) else None

    def _follow_selection(self) -> None:
        if (
            isinstance(self.figure, IterationFigure)
            and self.figure.curves.selected != self.session.results.selected_id
        ):
            self.figure.curves.selected = self.session.results.selected_id
            self.figure.curves.update()

    def _follow_cursor(self, *_: object) -> None:
        if isinstance(self.figure, IterationFigure):
            self.figure.cursor_line.move_to(self.current_iteration())

    def _seek(self, scene: QPointF) -> None:
        trace = self._played()
        if self.figure is not None and trace is not None:
            iteration = self.figure.box.mapSceneToView(scene).x()
            self._playback.pause()
            self._playback.seek(max(0, round((iteration - 1) / stride_of(trace))))

    def _hover(self, scene: QPointF) -> None:
        if not isinstance(self.figure, IterationFigure):
            return
        iteration = self.figure.box.mapSceneToView(scene).x()
        lines = [self.hover_heading(max(1, round(iteration)))]
        for series in self.figure.curves.series:
            k = round((iteration - 1) / series.stride)
            if 0 <= k < len(series.values):
                lines.append(f"{series.title}: {self.value_words(float(series.values[k]))}")
        words = tool_tip("\n".join(lines))
        QToolTip.showText(self.view.mapToGlobal(self.view.mapFromScene(scene)), words, self.view)


def stride_of(trace: ActivityTrace | MatrixTrace) -> int:
    """Iterations that each kept one represents; of an all-pairs run every phase is kept."""
    return trace.stride if isinstance(trace, ActivityTrace) else 1


def series_of(results: Sequence[Result], quantity: str) -> tuple[Series, ...]:
    """One curve per result with an activity trace; ``quantity`` is "active" or "relaxed"."""
    traces = [(r, r.trace) for r in results if isinstance(r.trace, ActivityTrace) and len(r.trace)]
    return tuple(
        Series(
            result.variant.id,
            result.variant.full_title,
            _values_of(trace, quantity),
            trace.stride,
            in_cycle=bool(result.cycle),
        )
        for result, trace in traces
    )


def _values_of(trace: ActivityTrace, quantity: str) -> Float64s:
    """The quantity per iteration; kept with the trace, because the chart is made anew
    for every result.
    """
    values = _known.setdefault(trace, {})
    if quantity not in values:
        values[quantity] = getattr(trace, quantity) / trace.stride
    return values[quantity]


class FrontierChart(IterationChart):
    """Active vertices or relaxed arcs of every iteration."""

    title = "Frontier"
    empty_text = "Trace a run to see the size of its frontier per iteration."
    quantity_choice, scale_choice = FRONTIER_QUANTITY, FRONTIER_SCALE
    quantity_tip = "Quantity shown per iteration: active vertices or relaxed arcs"

    def series(self) -> tuple[Series, ...]:
        return series_of(self.session.results.all, self.chosen_quantity.lower())

    def heading_words(self) -> str:
        return (
            f"{FRONTIER_WORDS[self.chosen_quantity.lower()].capitalize()} "
            "by iteration of the watched run:"
        )

    def hover_heading(self, iteration: int) -> str:
        return f"{super().hover_heading(iteration)}, {FRONTIER_WORDS[self.chosen_quantity.lower()]}"


def device_series(results: Sequence[Result], quantity: str) -> tuple[Series, ...]:
    """The curves of a quantity, of results for which it is known; threads and warps
    have a pale one of all launched.
    """
    found: list[Series] = []
    for result in results:
        activity = device_activity(result)
        if activity is not None:
            found += _curves(result, activity, quantity)
    return tuple(found)


def _curves(result: Result, activity: DeviceActivity, quantity: str) -> list[Series]:
    variant, trace = result.variant, result.trace
    assert trace is not None  # there is an activity
    stride = stride_of(trace)

    def curve(values: np.ndarray, words: str = "", *, faint: bool = False) -> Series:
        return Series(
            variant.id, f"{variant.full_title}{words}", np.nan_to_num(values), stride, faint
        )

    whole, part = {
        THREADS: (activity.threads, activity.useful),
        WARPS: (None if activity.is_cpu else activity.warps, activity.busy_warps),
        ARC_RATE: (None, activity.arcs_per_s),
        BYTE_RATE: (None, activity.bytes_per_s),
    }[quantity]
    if part is None or np.isnan(part).all():
        return []
    return [*([] if whole is None else [curve(whole, ", launched", faint=True)]), curve(part)]


class DeviceChart(IterationChart):
    """What kernels made of their device, by iteration."""

    title = "Device"
    empty_text = (
        "Trace a variant with kernels to see how it uses its device: threads, warps, arcs and "
        "bytes per second. On a processor there are no warps."
    )
    quantity_choice, scale_choice = DEVICE_QUANTITY, DEVICE_SCALE
    shows_phases = True
    quantity_tip = "Quantity shown per iteration, in the watched run"

    def series(self) -> tuple[Series, ...]:
        return device_series(self.session.results.all, self.chosen_quantity)

    def heading_words(self) -> str:
        return (
            f"{DEVICE_WORDS[self.chosen_quantity]}, by iteration, or phase, "
            f"of the watched run on {self._devices()}:"
        )

    def _devices(self) -> str:
        activities = filter(None, map(device_activity, self.session.results.all))
        names = {f"{a.device_name}{' (CPU)' if a.is_cpu else ''}": None for a in activities}
        return ", ".join(names)

    def value_words(self, value: float) -> str:
        if self.chosen_quantity == ARC_RATE:
            return format_rate(value, " arcs")
        return (
            format_rate(value, "B")
            if self.chosen_quantity == BYTE_RATE
            else format_count(round(value))
        )

    @property
    def shows_rates(self) -> bool:
        return self.chosen_quantity in (ARC_RATE, BYTE_RATE)

    def levels(self) -> tuple[Level, ...]:
        """The bandwidth of each device, as measured by a copy."""
        if self.chosen_quantity != BYTE_RATE:
            return ()
        found = {}
        for activity in filter(None, map(device_activity, self.session.results.all)):
            if activity.bandwidth:
                found[activity.device_name] = activity.bandwidth
        return tuple(
            Level(value, f"a copy on {name}: {format_rate(value, 'B')}")
            for name, value in found.items()
        )
