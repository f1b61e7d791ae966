"""Fields of quantities take what ``--budget`` takes, and drop no character."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolTip
from pytestqt.qtbot import QtBot

from gui.style.forms import number_box
from gui.style.quantity import QuantityBox


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


@pytest.mark.parametrize(("text", "unit"), [("10km", "s"), ("5min", ""), ("10parsec", "m")])
def test_what_is_refused_is_told(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, text: str, unit: str
) -> None:
    said: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda _, words, *__: said.append(words))
    assert typed(qtbot, text, unit).value() == 7.0
    assert any(text in words for words in said)
