"""Texts and type: markup shown as it is, short names, numbers in columns and on axes,
names in little room, sizes.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QFont, QFontMetricsF, QTextDocumentFragment
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.style.text import (
    FIGURE_SPACE,
    PUNCTUATION_SPACE,
    SECONDS,
    align_decimals,
    apply_type_size,
    button_text,
    clamped_percent,
    column_unit,
    count_tick,
    current_percent,
    duration_tick,
    escape_controls,
    first_fitting_level,
    fitting_letters,
    fitting_lines,
    fitting_text,
    ordinal,
    ratio_tick,
    scaled_px,
    short_title,
    tool_tip,
    type_scale,
    window_title,
)
from gui.style.widgets import PlainLabel, ScaledLabel
from solvers.core.variant import all_variants

GUI = Path(__file__).parents[3] / "gui"


@pytest.mark.parametrize("text", ["plain", "two\nlines", "1 → 2", "Straße 5 µs", "محطة", "👩‍🚀"])
def test_ordinary_text_is_left_as_it_is(text):
    assert (
        escape_controls(text) == tool_tip(text) == button_text(text) == window_title(text) == text
    )


def test_control_characters_and_reordering_are_written_as_escapes():
    assert escape_controls("a\x1b[2J\x07b\r") == "a\\x1b[2J\\x07b\\r"
    assert escape_controls("rg.\u202exe") == "rg.\\u202exe"
    assert escape_controls("x\udc80") == "x\\udc80"


@pytest.mark.parametrize(
    "text", ["<b>x</b><.gr", "a <i>b</i>", "<img src='file:///etc/hostname'>", "<br>&amp;"]
)
def test_a_tooltip_shows_markup_instead_of_following_it(qapp: QApplication, text):
    assert QTextDocumentFragment.fromHtml(tool_tip(text)).toPlainText() == text


def test_marks_of_buttons_and_titles_are_doubled():
    assert button_text("R&D") == "R&&D"
    assert window_title("a[*].gr") == "a[*][*].gr"


def test_labels_are_plain_labels_but_for_those_that_show_our_own_html():
    makers = {
        path.relative_to(GUI).as_posix()
        for path in GUI.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "QLabel"
    }
    assert makers == {"features/all_sources/panel.py", "panels/variant_card.py"}


_MOST_LETTERS = 26


def test_short_names_are_short_and_tell_variants_apart() -> None:
    """The hierarchy on the device had 42 letters, and was "Hierarc...btrees"."""
    names = [short_title(variant) for variant in all_variants()]
    assert max(map(len, names)) <= _MOST_LETTERS
    asked = [(short_title(variant), variant.answers) for variant in all_variants()]
    assert len(set(asked)) == len(asked)
    assert not any(name[:1].islower() for name in names)


@pytest.mark.parametrize(
    ("durations", "unit"),
    [
        ([0.04, 0.9], "µs"),
        ([61.2, 400.0, 0.6], "ms"),
        ([5e3, 1.2e6], "s"),
        ([], "ms"),
        ([0.0], "ms"),
    ],
)
def test_a_column_takes_the_unit_of_its_middle(durations: list[float], unit: str) -> None:
    assert column_unit(durations).name == unit


def test_decimal_points_stand_beneath_each_other() -> None:
    padded = align_decimals(["61.2", "9.41", "121", "—"], "×")
    assert padded == [
        "61.2×" + FIGURE_SPACE,
        "9.41×",
        "121×" + PUNCTUATION_SPACE + 2 * FIGURE_SPACE,
        "—",
    ]


@pytest.mark.parametrize(
    ("write", "numbers", "texts"),
    [
        (
            lambda ms: duration_tick(ms, SECONDS),
            (0, 0.05, 2.5, 200, 1000, 2e6),
            ["0", "0.00005", "0.0025", "0.2", "1", "2\u202f000"],
        ),
        (
            lambda count: count_tick(count, 1.0),
            (0.5, 500, 20_000, 1_500_000),
            ["0.5", "500", "20\u202f000", "1\u202f500\u202f000"],
        ),
        (lambda count: count_tick(count, 1.6e6), (0, 500_000, 1_500_000), ["0", "0.5 M", "1.5 M"]),
        (ratio_tick, (0.5, 1, 1000), ["0.5×", "1×", "1\u202f000×"]),
        (
            ordinal,
            (1, 2, 3, 4, 11, 32, 1024),
            ["1st", "2nd", "3rd", "4th", "11th", "32nd", "1\u202f024th"],
        ),
        (clamped_percent, (10, 80, 130, 200, 900), [80, 80, 130, 200, 200]),
    ],
)
def test_numbers_are_written_short(
    write: Callable[[float], object], numbers: tuple[float, ...], texts: list
) -> None:
    assert [write(number) for number in numbers] == texts


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
    assert fitting_lines((WHOLE, SHORT), metrics, room, most_lines=1) == (
        fitting_text((SHORT,), metrics, room),
    )


@pytest.mark.parametrize(
    ("share", "text"), [(2.0, WHOLE), (1.0, SHORT), (0.85, SHORT), (0.5, None)]
)
def test_letters_are_smaller_before_a_name_is_elided(
    metrics: QFontMetricsF, share: float, text: str | None
) -> None:
    room = share * metrics.horizontalAdvance(SHORT) + 1
    shown, font = fitting_letters((WHOLE, SHORT), QFont(), room)
    assert QFontMetricsF(font).horizontalAdvance(shown) <= room
    assert (font.pointSizeF() < QFont().pointSizeF()) == (share == 0.85), (
        "only where that makes it whole"
    )
    assert shown == text or (text is None and "…" in shown)


def test_words_are_left_out_until_the_row_fits() -> None:
    tried: list[int] = []
    assert first_fitting_level(5, tried.append, lambda: tried[-1] == 2) == 2
    assert tried == [0, 1, 2]
    tried.clear()
    assert first_fitting_level(3, tried.append, lambda: False) == 2
    assert tried == [0, 1, 2]


@pytest.mark.parametrize("near", range(4))
@pytest.mark.parametrize("first", range(5))
def test_the_first_level_that_fits_is_found_from_any_other(first: int, near: int) -> None:
    tried: list[int] = []
    found = first_fitting_level(4, tried.append, lambda: tried[-1] >= first, near)
    assert found == tried[-1] == min(first, 3), "the last is dropped where none fits"
    assert len(tried) <= abs(found - near) + 3, "others are not tried"


@pytest.fixture
def app(qapp: QApplication) -> Iterator[QApplication]:
    yield qapp
    apply_type_size(qapp, 100)


def test_all_widgets_follow(qtbot: QtBot, app: QApplication) -> None:
    plain, large = PlainLabel("a"), ScaledLabel("a", factor=2.0)
    qtbot.addWidget(plain)
    qtbot.addWidget(large)
    plain.show()
    before = plain.font().pointSizeF()
    apply_type_size(app, 150)
    assert plain.font().pointSizeF() == pytest.approx(1.5 * before)
    assert large.font().pointSizeF() == pytest.approx(3.0 * before)
    assert (current_percent(), type_scale(), scaled_px(10)) == (150, 1.5, 15)
    apply_type_size(app, 100)
    assert plain.font().pointSizeF() == pytest.approx(before)
    assert large.font().pointSizeF() == pytest.approx(2.0 * before)
