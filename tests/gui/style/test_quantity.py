"""Fields of quantities take what ``--budget`` takes, and drop no character."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QToolTip, QWidget
from pytestqt.qtbot import QtBot

import gui
from gui.style.forms import column_of, count_box, number_box
from gui.style.quantity import QuantitiesField, QuantityBox


def typed(qtbot: QtBot, text: str, unit: str, decimals: int = 1) -> QuantityBox:
    box = number_box(7.0, 0.0, 1e15, decimals, unit=unit)
    qtbot.addWidget(box)
    box.setGroupSeparatorShown(True)
    box.show()
    box.selectAll()
    qtbot.keyClicks(box, text)  # type: ignore[no-untyped-call]
    shown = box.text()
    assert all(letter in shown for letter in text), "no character is dropped"
    qtbot.keyClick(box, Qt.Key.Key_Return)  # type: ignore[no-untyped-call]
    return box


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("10km", "m", 10_000.0),
        ("1min", "s", 60.0),
        ("1.5 h", "s", 5_400.0),
        ("12,345", "m", 12_345.0),
        ("2,5", "m", 2.5),
        ("2.5", "", 2.5),
    ],
)
def test_a_number_may_have_a_unit(qtbot: QtBot, text: str, unit: str, value: float) -> None:
    assert typed(qtbot, text, unit).value() == value


@pytest.mark.parametrize(
    ("text", "unit"),
    [("10km", "s"), ("5min", ""), ("10parsec", "m"), ("7:30", "s"), ("-1", "s"), ("1e16", "m")],
)
def test_what_is_refused_is_told(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, text: str, unit: str
) -> None:
    said: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda _, words, *__: said.append(words))
    assert typed(qtbot, text, unit).value() == 7.0
    qtbot.waitUntil(lambda: any(text in words for words in said))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12),
        ("1,000", 1000),
        ("1 000", 1000),
        ("automatic", 0),
        *((text, 7) for text in ("10km", "1min", "2 h", "7:30", "abc", "1.5", "99999", "-1")),
    ],
)
def test_a_count_takes_whole_numbers_and_tells_what_it_refuses(
    qtbot: QtBot, text: str, value: int
) -> None:
    """7:30 became 730, 10km 10, and 99999 9999."""
    box = count_box(7, 0, 9999)
    box.setSpecialValueText("automatic")
    qtbot.addWidget(box)
    box.show()
    box.selectAll()
    qtbot.keyClicks(box, text)  # type: ignore[no-untyped-call]
    assert box.text() == text
    qtbot.keyClick(box, Qt.Key.Key_Return)  # type: ignore[no-untyped-call]
    assert box.value() == value
    if value == 7:
        wanted = f"“{text.replace(' ', '')}”: it takes"
        qtbot.waitUntil(lambda: QToolTip.text().startswith(wanted))
    QToolTip.hideText()


@pytest.mark.parametrize("by_key", [True, False])
def test_what_is_refused_is_still_told_when_the_field_was_left(qtbot: QtBot, by_key: bool) -> None:
    """The focus, which the next field got, took the words away before they were seen."""
    page, box, other = QWidget(), number_box(7.0, 0.0, 100.0, 1, unit="s"), QLineEdit()
    column_of(box, other, parent=page)
    qtbot.addWidget(page)
    page.show()
    page.activateWindow()
    box.setFocus()
    qtbot.waitUntil(box.hasFocus)
    box.selectAll()
    qtbot.keyClicks(box, "5km")  # type: ignore[no-untyped-call]
    if by_key:
        qtbot.keyClick(box, Qt.Key.Key_Tab)  # type: ignore[no-untyped-call]
    else:
        qtbot.mouseClick(other, Qt.MouseButton.LeftButton)  # type: ignore[no-untyped-call]
    qtbot.waitUntil(lambda: "5km" in QToolTip.text() and other.hasFocus())
    QToolTip.hideText()


def test_no_field_drops_characters() -> None:
    """Qt's own boxes do: all fields of numbers are of these two kinds."""
    folder = Path(gui.__file__).parent
    for module in folder.rglob("*.py"):
        if module.name != "quantity.py":
            assert not re.search(r"\bQ(Double)?SpinBox\b", module.read_text()), module


@pytest.mark.parametrize(
    ("text", "unit", "values"),
    [
        ("5, 10, 15 min", "0.1 s", [3000, 6000, 9000]),
        ("10min,5min", "s", [300, 600]),
        ("2; 1; 2", "", [1, 2]),
        ("2.5km, 300 m", "m", [300, 2500]),
        ("300, 2 min", "s", [120, 18000]),
    ],
)
def test_several_quantities(qtbot: QtBot, text: str, unit: str, values: list[float]) -> None:
    field, taken = QuantitiesField("Budgets"), list[list[float]]()
    qtbot.addWidget(field)
    field.typed.connect(taken.append)
    field.show_values([1.0], unit)
    field.selectAll()
    qtbot.keyClicks(field, text)  # type: ignore[no-untyped-call]
    qtbot.keyClick(field, Qt.Key.Key_Return)  # type: ignore[no-untyped-call]
    assert (taken, field.text()) == ([values], text)
    field.show_values(values, unit)
    assert field.text() == text, "as it was typed"
