"""The legend of the picture's shades and the scale bar: their texts, and both in one low row
for strips outside the picture.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QLinearGradient, QPainter

from gui.painting.drawing import SIGN_RADIUS, draw_fault_sign, pen, small_font
from gui.style.widgets import write
from solvers.picture.colours import Tokens
from solvers.picture.scene.activity import Legend, band_colours, band_shades
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.ramps import COMMUNITY_COLOURS, Ramp, RegionRamps, ramp_colours
from solvers.picture.scene.values import rounded, short_distance
from solvers.system.array_types import Float64s
from solvers.text import capitalised, grouped

MOST_BAR, _LEAST_BAR = 150.0, 20.0  # lengths of the scale bar in logical pixels
TICK = 5.0  # at its ends
ROW_HEIGHT = 26.0
_POINTS = 8.5
_RAMP_WIDTH, _LEAST_RAMP, _RAMP_HEIGHT = 110.0, 36.0, 12.0
_GAP, _GROUP_GAP = 7.0, 24.0


def legend_texts(legend: Legend) -> tuple[str, str, str]:
    """What the shades stand for, and the values at both ends."""
    low, high = legend.ends or (
        distance_text(legend.low, legend.unit),
        distance_text(legend.high, legend.unit),
    )
    bands = f", bands of {distance_text(legend.step, legend.unit)}" if legend.step > 0.0 else ""
    return capitalised(legend.quantity) + bands, low, high


def distance_text(value: float, unit: str) -> str:
    """A distance as legends and cards say it."""
    return short_distance(rounded(value), unit)


def draw_ramp(painter: QPainter, place: QRectF, legend: Legend, tokens: Tokens) -> None:
    """Draw the shades, those of several regions one above the other."""
    colours, regions = ramp_colours(legend.ramp, tokens.dark), legend_regions(legend)
    painter.setPen(Qt.PenStyle.NoPen)
    each = place.height() / len(regions)
    for i, shades in enumerate(regions):
        bar = QRectF(place.left(), place.top() + i * each, place.width(), each)
        if legend.ramp is Ramp.COMMUNITIES:
            count = min(COMMUNITY_COLOURS, int(legend.high))
            for k in range(count):
                block = QRectF(
                    bar.left() + k * bar.width() / count,
                    bar.top(),
                    bar.width() / count - 0.8,
                    bar.height(),
                )
                painter.fillRect(
                    block,
                    QColor(*colours[(2 * k + 1) * 128 // COMMUNITY_COLOURS].astype(int).tolist()),
                )
        elif legend.step > 0.0:
            _draw_bands(painter, bar, legend, colours, shades)
        else:
            _draw_gradient(painter, bar, colours[shades])
    for tick in legend.ticks:
        x = place.left() + tick * place.width()
        painter.fillRect(QRectF(x - 0.5, place.top(), 1.0, place.height()), QColor(tokens.panel))


def legend_regions(legend: Legend) -> list[slice]:
    """The shades of each region; all if there are no regions."""
    if not isinstance(legend.ramp, RegionRamps):
        return [slice(0, 256)]
    levels = legend.ramp.levels
    return [slice(i * levels, (i + 1) * levels) for i in range(legend.ramp.count)]


def _draw_gradient(painter: QPainter, bar: QRectF, colours: Float64s) -> None:
    gradient = QLinearGradient(bar.left(), 0.0, bar.right(), 0.0)
    for at in np.linspace(0.0, 1.0, 17):
        gradient.setColorAt(
            float(at), QColor(*(int(c) for c in colours[round(at * (len(colours) - 1))]))
        )
    painter.setBrush(gradient)
    painter.drawRoundedRect(bar, 2.0, 2.0)


def _draw_bands(
    painter: QPainter, bar: QRectF, legend: Legend, colours: Float64s, shades: slice
) -> None:
    """Draw the legend bar of some shades in the colours of the bands, with proportional widths."""
    inside, begins = band_colours(colours, legend)[shades], band_shades(legend)[1][shades]
    starts = [0, *np.flatnonzero(begins).tolist(), len(inside)]
    for first, last in pairwise(starts):
        colour = QColor(*(int(c) for c in inside[first]))
        left, right = (bar.left() + bar.width() * shade / len(inside) for shade in (first, last))
        painter.fillRect(
            QRectF(left, bar.top(), max(1.0, right - left - 0.8), bar.height()), colour
        )


def scale_bar(
    camera: Camera, metres_per_unit: float, room: float = math.inf
) -> tuple[float, str] | None:
    """Length in pixels and text of a round distance that is no longer than ``room``;
    None if the scale is unknown.
    """
    if metres_per_unit <= 0:
        return None
    metres_per_pixel = metres_per_unit / camera.scale
    most = max(_LEAST_BAR, min(MOST_BAR, room)) * metres_per_pixel
    power = 10.0 ** math.floor(math.log10(most))
    metres = max(step * power for step in (1, 2, 5) if step * power <= most)
    return metres / metres_per_pixel, _length_text(metres)


def _length_text(metres: float) -> str:
    if metres >= 1000:
        return f"{grouped(metres / 1000, 'g')} km"
    return f"{metres:g} m" if metres >= 1 else f"{metres * 100:g} cm"


def draw_bar(painter: QPainter, left: float, y: float, length: float, tokens: Tokens) -> None:
    """Draw the line of a scale bar, with a tick up at each end."""
    right, up = left + length, y - TICK
    painter.setPen(pen(tokens.text, 1.6))
    painter.drawPolyline(
        [QPointF(left, up), QPointF(left, y), QPointF(right, y), QPointF(right, up)]
    )


def draw_legend_row(
    painter: QPainter,
    legend: Legend | None,
    camera: Camera,
    metres_per_unit: float,
    tokens: Tokens,
    room: float = math.inf,
    kept_free: float = 0.0,
) -> float:
    """Draw "Distance 0 m (ramp) 144 km" and the scale bar, from x = 0; returns the x
    where they end.

    In a narrow ``room`` the ramp is shorter and the scale bar is left out, so that as
    much as ``kept_free`` of it is free; then the words beside the sign of a fault are
    left out.
    """
    painter.setFont(small_font(painter, _POINTS))
    across = QFontMetricsF(painter.font()).horizontalAdvance
    x = 0.0
    if legend is not None:
        title, low, high = legend_texts(legend)
        needed = across(title) + across(low) + across(high) + 3 * _GAP
        name = "" if legend.fault is None else legend.fault.looks.title
        if legend.fault is not None:
            needed += _GROUP_GAP + 2 * SIGN_RADIUS
            name = name if needed + _GAP + across(name) + _LEAST_RAMP <= room else ""
            needed += _GAP + across(name) if name else 0.0
        beside = room - kept_free - needed
        ramp = min(
            _RAMP_WIDTH, beside if beside >= _LEAST_RAMP else max(_LEAST_RAMP, room - needed)
        )
        x = _write(painter, title, x, tokens.muted) + _GAP
        x = _write(painter, low, x, tokens.text) + _GAP
        draw_ramp(
            painter, QRectF(x, (ROW_HEIGHT - _RAMP_HEIGHT) / 2, ramp, _RAMP_HEIGHT), legend, tokens
        )
        x = _write(painter, high, x + ramp + _GAP, tokens.text)
        if legend.fault is not None:
            x += _GROUP_GAP + SIGN_RADIUS
            draw_fault_sign(painter, QPointF(x, ROW_HEIGHT / 2), legend.fault.looks, tokens)
            x = (
                _write(painter, name, x + SIGN_RADIUS + _GAP, tokens.text)
                if name
                else x + SIGN_RADIUS
            )
    bar, end = scale_bar(camera, metres_per_unit), x
    x += _GROUP_GAP if x else 0.0
    if bar is None or x + bar[0] + _GAP + across(bar[1]) > room - kept_free:
        return end
    length, words = bar
    draw_bar(painter, x, (ROW_HEIGHT + TICK) / 2, length, tokens)
    return _write(painter, words, x + length + _GAP, tokens.text)


def _write(painter: QPainter, words: str, x: float, colour: str) -> float:
    """Write ``words`` from ``x``; returns where they end."""
    width = QFontMetricsF(painter.font()).horizontalAdvance(words)
    write(painter, QRectF(x, 0.0, width + 1.0, ROW_HEIGHT), words, colour)
    return x + width
