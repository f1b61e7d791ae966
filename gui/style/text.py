"""How texts and numbers are written, escaped, shortened and sized. No widgets.

Escaping: Qt interprets a text that begins with a tag as HTML, ``&`` as a mnemonic and
``[*]`` as a mark of unsaved changes. Everything that may contain a file's name or
content, or words of a driver or compiler, is shown through these functions and
`widgets.PlainLabel`.

Numbers of tables and axes: one unit per column, aligned decimal points, round ticks.
Single numbers are formatted by ``solvers.text``.

Names that have too little room: shorter forms first, then two lines, and an ellipsis
only as the last resort. Narrow tables and charts use the short names of variants.

The typeface of the window, pictures and exports is shipped: texts are as wide on every
machine, and figures have one width. Characters that it lacks, such as those of other
scripts, come from the fonts of the system.

Size of type: a percentage of the desktop's, stored on the application.
`gui.model.settings` asks for its limits, so that nothing here may import widgets.
"""

from __future__ import annotations

import logging
import math
import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontDatabase, QFontMetrics, QFontMetricsF, QGuiApplication

from solvers.core.variant import Algorithm, Variant
from solvers.system.files import RESOURCES
from solvers.text import capitalised, format_count, grouped, three_digits

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

# Control characters other than tab and newline, lone surrogates, and characters that
# reorder the others.
_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")

_INITIALS = {
    Algorithm.BELLMAN_FORD: "BF",
    Algorithm.DIJKSTRA: "Dij.",
    Algorithm.FLOYD_WARSHALL: "FW",
}

TIP_LETTERS = 80  # of a tooltip's line; names of files may be longer
_KEPT_TIPS = 1024

FIGURE_SPACE = "\u2007"  # as wide as a digit
PUNCTUATION_SPACE = "\u2008"  # as wide as a point

Metrics = QFontMetrics | QFontMetricsF

_GOOD_BREAKS = re.compile(r"(?<!\+) ")  # "+ flag" stays together
_BREAKS = re.compile(" ")
_LEAST_LETTERS = 0.75  # of the size of the type
_STEP_POINTS = 0.25

LEAST_PERCENT, MOST_PERCENT, STEP_PERCENT = 80, 200, 10  # per cent
# What the desktop chose, and the percentage applied to it, are stored on the application.
_BASE, _PERCENT = "tautpath_type_points", "tautpath_type_percent"

log = logging.getLogger(__name__)

FOLDER = RESOURCES / "fonts"
SANS, MONO = "Tautpath Sans", "Tautpath Mono"


def escape_controls(text: str) -> str:
    """``text`` with control characters, and those that reorder the others, as escapes:
    ``"a\\x1b[2J"``.
    """
    if text.isascii() and text.isprintable():
        return text
    return _HIDDEN.sub(lambda found: _escape(found[0]), text)


@lru_cache(_KEPT_TIPS)  # a window sets hundreds again whenever a parameter changes
def tool_tip(text: str) -> str:
    """``text`` for a tooltip: escaped if Qt would interpret it as HTML, in lines that are
    read at a glance. Qt makes lines as long as the screen is wide.
    """
    # QtCore's Qt, which this module uses else, lacks the two functions
    from PySide6.QtGui import Qt

    shown = "\n".join(_wrapped_tip(line) for line in escape_controls(text).split("\n"))
    return Qt.convertFromPlainText(shown) if Qt.mightBeRichText(shown) else shown


def _wrapped_tip(line: str) -> str:
    if len(line) <= TIP_LETTERS:
        return line
    return textwrap.fill(
        line, TIP_LETTERS, break_long_words=False, break_on_hyphens=False, replace_whitespace=False
    )


def button_text(text: str) -> str:
    """``text`` for a button, an action or a menu, with ``&`` escaped."""
    return escape_controls(text).replace("&", "&&")


def window_title(text: str) -> str:
    """``text`` for a window's title, with ``[*]`` escaped."""
    return escape_controls(text).replace("[*]", "[*][*]")


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def short_title(variant: Variant) -> str:
    """`Variant.full_title` with the algorithm's initials: "BF strided + flag"."""
    initials, title = _INITIALS.get(variant.algorithm), variant.short_title or variant.title
    return capitalised(title) if initials is None else f"{initials} {title}"


@dataclass(frozen=True)
class TimeUnit:
    """A unit of time: ``ms`` milliseconds long, written as ``name``."""

    ms: float
    name: str


MICROSECONDS = TimeUnit(1e-3, "µs")
MILLISECONDS = TimeUnit(1.0, "ms")
SECONDS = TimeUnit(1e3, "s")


UNITS = {unit.name: unit for unit in (MICROSECONDS, MILLISECONDS, SECONDS)}


def column_unit(durations_ms: Sequence[float]) -> TimeUnit:
    """The unit for a column of durations: that of its geometric middle."""
    logs = [math.log10(ms) for ms in durations_ms if ms > 0]
    if not logs:
        return MILLISECONDS
    middle = (min(logs) + max(logs)) / 2
    if middle < -0.5:
        return MICROSECONDS
    return MILLISECONDS if middle < 3.5 else SECONDS


def align_decimals(texts: Sequence[str], suffix: str = "") -> list[str]:
    """Pad numbers on the right with spaces as wide as figures, so that decimal points
    align in a right-aligned column.

    ``suffix`` is appended to each number. Texts without digits ("", "—") are unchanged.
    """
    decimals = [len(t.partition(".")[2]) for t in texts]
    widest = max(decimals, default=0)
    return [
        t + suffix + _padding(own, widest) if any(map(str.isdigit, t)) else t
        for t, own in zip(texts, decimals, strict=True)
    ]


def _padding(own: int, widest: int) -> str:
    point = PUNCTUATION_SPACE if own == 0 < widest else ""
    return point + FIGURE_SPACE * (widest - own)


def ratio_tick(ratio: float) -> str:
    """A round ratio for an axis: ``"0.5×"``, ``"1×"``, ``"1,000×"``."""
    return f"{_plain(ratio)}×"


def count_tick(count: float, size: float) -> str:
    """A round count for an axis whose counts have one letter, that of ``size``:
    ``"500"`` and ``"2 000"`` for 1, ``"0.5 M"`` and ``"1 M"`` for 1,600,000.
    """
    for scale, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if count and size >= scale:
            return f"{_plain(count / scale)} {letter}"
    return _plain(count)


def duration_tick(ms: float, unit: TimeUnit) -> str:
    """A round duration for an axis that names its ``unit``: ``"0"``, ``"0.5"``, ``"2 000"``."""
    return _plain(ms / unit.ms)


def _plain(value: float) -> str:
    if abs(value) >= 999.5:
        return grouped(value, ".0f")
    if value == 0 or abs(value) >= 1e-4:
        return grouped(value, ".3g")
    return grouped(value, f".{2 - math.floor(math.log10(abs(value)))}f").rstrip("0")


def in_unit(ms: float, unit: TimeUnit) -> str:
    """A duration in ``unit`` without the unit, three significant digits."""
    return three_digits(ms / unit.ms)


def ordinal(number: int) -> str:
    """``"1st"``, ``"2nd"``, ``"4th"``, ``"1,024th"``."""
    endings = {1: "st", 2: "nd", 3: "rd"}
    ending = "th" if 10 <= number % 100 <= 20 else endings.get(number % 10, "th")
    return f"{format_count(number)}{ending}"


def format_rate(per_second: float, unit: str) -> str:
    """A rate with three significant digits: ``"80.7 M arcs/s"`` for the unit " arcs",
    ``"3.90 TB/s"`` for "B".
    """
    for scale, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(per_second) >= 0.9995 * scale:
            return f"{three_digits(per_second / scale)} {letter}{unit}/s"
    return f"{three_digits(per_second)} {unit.strip()}/s"


def fitting_text(
    forms: Sequence[str],
    metrics: Metrics,
    room: float,
    mode: Qt.TextElideMode = Qt.TextElideMode.ElideMiddle,
) -> str:
    """The first of ``forms``, from whole to short, that fits into ``room`` pixels; else
    the last one, elided.
    """
    fitting = next((form for form in forms if metrics.horizontalAdvance(form) <= room), None)
    return metrics.elidedText(forms[-1], mode, int(room)) if fitting is None else fitting


def fitting_letters(forms: Sequence[str], font: QFont, room: float) -> tuple[str, QFont]:
    """As `fitting_text`, but the last form is set in letters down to three quarters as
    large if it is whole then.
    """
    metrics = QFontMetricsF(font)
    if any(metrics.horizontalAdvance(form) <= room for form in forms):
        return fitting_text(forms, metrics, room), font
    smaller, least = QFont(font), font.pointSizeF() * _LEAST_LETTERS
    while smaller.pointSizeF() > least:
        smaller.setPointSizeF(max(least, smaller.pointSizeF() - _STEP_POINTS))
        if QFontMetricsF(smaller).horizontalAdvance(forms[-1]) <= room:
            return forms[-1], smaller
    return fitting_text(forms[-1:], metrics, room), font


def fitting_lines(
    forms: Sequence[str],
    metrics: Metrics,
    room: float,
    most_lines: int = 2,
    mode: Qt.TextElideMode = Qt.TextElideMode.ElideMiddle,
) -> tuple[str, ...]:
    """The first of ``forms``, from whole to short, that fits into ``room`` pixels in
    one line, else in ``most_lines``.

    Lines are broken between words; what fits in no way is elided.
    """
    for form in forms:
        if metrics.horizontalAdvance(form) <= room:
            return (form,)
    for count, breaks, form in product(range(2, most_lines + 1), (_GOOD_BREAKS, _BREAKS), forms):
        lines = _broken(form, breaks, metrics, room)
        if len(lines) <= count and all(metrics.horizontalAdvance(line) <= room for line in lines):
            return tuple(lines)
    if most_lines < 2:
        return (fitting_text(forms, metrics, room, mode),)
    lines = _broken(forms[-1], _BREAKS, metrics, room)
    kept, rest = lines[: most_lines - 1], " ".join(lines[most_lines - 1 :])
    return tuple(fitting_text((line,), metrics, room, mode) for line in (*kept, rest) if line)


def first_fitting_level(
    levels: int, drop: Callable[[int], None], fits: Callable[[], bool], near: int = 0
) -> int:
    """Call ``drop`` with levels until the last call was with the first of 0, 1, 2 ...
    that ``fits``, or the last of them if none does; returns that one.

    A row of widgets leaves out the more, the higher the level. So levels are tried from
    ``near`` on, upwards or downwards: from the one that fitted before.
    """

    def fits_at(level: int) -> bool:
        drop(level)
        return fits()

    level = near
    if fits_at(level):
        while level and fits_at(level - 1):
            level -= 1
        if level:  # the one below was the last that was tried
            drop(level)
        return level
    while level + 1 < levels:
        level += 1
        if fits_at(level):
            break
    return level


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


class _Notifier(QObject):
    changed = Signal()


@cache
def _notifier() -> _Notifier:
    return _Notifier()


def clamped_percent(percent: int) -> int:
    """``percent`` within the range that the window is made for."""
    return min(MOST_PERCENT, max(LEAST_PERCENT, percent))


def apply_type_size(app: QApplication, percent: int) -> None:
    font = QFont(app.font())
    if app.property(_BASE) is None:
        app.setProperty(
            _BASE, font.pointSizeF() if font.pointSizeF() > 0 else 0.75 * font.pixelSize()
        )
    if percent == current_percent():
        return
    font.setPointSizeF(float(app.property(_BASE)) * percent / 100)
    app.setProperty(_PERCENT, percent)
    app.setFont(font)
    # so that widgets have it now
    QCoreApplication.sendPostedEvents(None, QEvent.Type.ApplicationFontChange)
    _notifier().changed.emit()


def on_type_size_change(fit: Callable[[], object]) -> None:
    """Call ``fit``, a method of a QObject, whenever the size was changed; widgets whose
    fonts follow the application's also get ``QEvent.FontChange``.
    """
    _notifier().changed.connect(fit)


def current_percent() -> int:
    app = QGuiApplication.instance()
    kept = app.property(_PERCENT) if app is not None else None
    return 100 if kept is None else int(kept)


def type_scale() -> float:
    """Factor for sizes in pixels that hold text."""
    return current_percent() / 100


def scaled_px(length: float) -> int:
    """A length that was chosen for type of 100 per cent, in pixels for the current size."""
    return round(length * type_scale())


def scaled_square(side: float) -> QSize:
    """Of an icon that is so large beside type of 100 per cent."""
    return QSize(scaled_px(side), scaled_px(side))


def use_typeface(app: QGuiApplication) -> None:
    """Give the application the typeface, in the size that the desktop chose. Needed once."""
    if app.font().family() == SANS:
        return
    for path in sorted(FOLDER.glob("*.ttf")):
        if QFontDatabase.addApplicationFont(str(path)) < 0:
            log.warning("Qt cannot read a bundled font; text uses a font of the system")
            log.debug("font that cannot be read: %s", path)
    app.setFont(with_true_widths(_in_family(app.font(), SANS, QFont.StyleHint.SansSerif)))


def mono_font(scale: float = 1.0) -> QFont:
    """The font of program text, ``scale`` times the application's size."""
    font = _in_family(QFont(), MONO, QFont.StyleHint.Monospace)
    font.setFixedPitch(True)
    font.setPointSizeF(font.pointSizeF() * scale)
    return font


def with_true_widths(font: QFont) -> QFont:
    """``font`` with widths that the system's settings do not round to whole pixels."""
    result = QFont(font)
    result.setHintingPreference(QFont.HintingPreference.PreferVerticalHinting)
    return result


def _in_family(font: QFont, family: str, hint: QFont.StyleHint) -> QFont:
    result = QFont(font)
    result.setFamily(family)
    result.setStyleHint(hint)
    return result
