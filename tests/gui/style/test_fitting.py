"""Names in little room."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFont, QFontMetricsF
from PySide6.QtWidgets import QApplication

from gui.style.fitting import first_fitting_level, fitting_letters, fitting_lines, fitting_text

WHOLE, SHORT = "Bellman-Ford strided + flag", "BF strided + flag"


@pytest.fixture
def metrics(qapp: QApplication) -> QFontMetricsF:
    return QFontMetricsF(QFont())


@pytest.mark.parametrize(
    ("fits", "lines"),
    [
        (WHOLE, (WHOLE,)),
        (SHORT, (SHORT,)),
        ("strided + flag", ("Bellman-Ford", "strided + flag")),
        ("BF strided", ("BF strided", "+ flag")),
    ],
)
def test_a_name_is_shortened_then_broken_and_never_after_a_plus(
    metrics: QFontMetricsF, fits: str, lines: tuple[str, ...]
) -> None:
    assert fitting_lines((WHOLE, SHORT), metrics, metrics.horizontalAdvance(fits) + 1) == lines


def test_a_name_is_elided_only_where_two_lines_do_not_hold_it(metrics: QFontMetricsF) -> None:
    room = metrics.horizontalAdvance("stri") + 1
    lines = fitting_lines((WHOLE, SHORT), metrics, room)
    assert len(lines) == 2
    assert "…" in lines[1]
    assert all(metrics.horizontalAdvance(line) <= room for line in lines)
    assert fitting_lines((WHOLE, SHORT), metrics, room, most_lines=1) == (fitting_text((SHORT,), metrics, room),)


@pytest.mark.parametrize(("share", "text"), [(2.0, WHOLE), (1.0, SHORT), (0.85, SHORT), (0.5, None)])
def test_letters_are_smaller_before_a_name_is_elided(metrics: QFontMetricsF, share: float, text: str | None) -> None:
    room = share * metrics.horizontalAdvance(SHORT) + 1
    shown, font = fitting_letters((WHOLE, SHORT), QFont(), room)
    assert QFontMetricsF(font).horizontalAdvance(shown) <= room
    assert (font.pointSizeF() < QFont().pointSizeF()) == (share == 0.85), "only where that makes it whole"
    assert shown == text or (text is None and "…" in shown)


def test_words_are_left_out_until_the_row_fits() -> None:
    tried: list[int] = []
    first_fitting_level(5, tried.append, lambda: tried[-1] == 2)
    assert tried == [0, 1, 2]
    tried.clear()
    first_fitting_level(3, tried.append, lambda: False)
    assert tried == [0, 1, 2]
