"""Names that fit into little room: shorter forms first, then two lines, and an ellipsis only as the last resort."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import product

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetrics, QFontMetricsF

Metrics = QFontMetrics | QFontMetricsF

_GOOD_BREAKS = re.compile(r"(?<!\+) ")  # "+ flag" stays together
_BREAKS = re.compile(" ")
_LEAST_LETTERS = 0.75  # of the size of the type
_STEP_POINTS = 0.25


def fitting_text(
    forms: Sequence[str], metrics: Metrics, room: float, mode: Qt.TextElideMode = Qt.TextElideMode.ElideMiddle
) -> str:
    """The first of ``forms``, from whole to short, that fits into ``room`` pixels; else the last one, elided."""
    fitting = next((form for form in forms if metrics.horizontalAdvance(form) <= room), None)
    return metrics.elidedText(forms[-1], mode, int(room)) if fitting is None else fitting


def fitting_letters(forms: Sequence[str], font: QFont, room: float) -> tuple[str, QFont]:
    """As `fitting_text`, but the last form is set in letters down to three quarters as large if it is whole then."""
    metrics = QFontMetricsF(font)
    if any(metrics.horizontalAdvance(form) <= room for form in forms):
        return fitting_text(forms, metrics, room), font
    smaller, least = QFont(font), font.pointSizeF() * _LEAST_LETTERS
    while smaller.pointSizeF() > least:
        smaller.setPointSizeF(max(least, smaller.pointSizeF() - _STEP_POINTS))
        if QFontMetricsF(smaller).horizontalAdvance(forms[-1]) <= room:
            return forms[-1], smaller
    return fitting_text(forms[-1:], metrics, room), font


def fitting_lines(forms: Sequence[str], metrics: Metrics, room: float, most_lines: int = 2) -> tuple[str, ...]:
    """The first of ``forms`` that fits in one line, else in up to ``most_lines``; else the last one, elided.

    Parameters
    ----------
    forms : sequence of str
        The same name, from whole to short.
    metrics : QFontMetrics or QFontMetricsF
    room : float
        Pixels of a line.
    most_lines : int

    Returns
    -------
    tuple of str
        The lines, broken between words.
    """
    for form in forms:
        if metrics.horizontalAdvance(form) <= room:
            return (form,)
    for count, breaks, form in product(range(2, most_lines + 1), (_GOOD_BREAKS, _BREAKS), forms):
        lines = _broken(form, breaks, metrics, room)
        if len(lines) <= count and all(metrics.horizontalAdvance(line) <= room for line in lines):
            return tuple(lines)
    if most_lines < 2:
        return (fitting_text(forms, metrics, room),)
    lines = _broken(forms[-1], _BREAKS, metrics, room)
    kept, rest = lines[: most_lines - 1], " ".join(lines[most_lines - 1 :])
    return tuple(fitting_text((line,), metrics, room) for line in (*kept, rest) if line)


def first_fitting_level(levels: int, drop: Callable[[int], None], fits: Callable[[], bool]) -> None:
    """Call ``drop`` with 0, 1, 2 ... until ``fits``, or ``levels`` have been tried.

    A row of widgets leaves out the more, the higher the level.
    """
    for level in range(levels):
        drop(level)
        if fits():
            return


def _broken(text: str, breaks: re.Pattern[str], metrics: Metrics, room: float) -> list[str]:
    """``text`` in lines of up to ``room`` pixels; a word that is wider is a line of its own."""
    lines: list[str] = []
    for word in breaks.split(text):
        joined = f"{lines[-1]} {word}" if lines else word
        if lines and metrics.horizontalAdvance(joined) <= room:
            lines[-1] = joined
        else:
            lines.append(word)
    return lines
