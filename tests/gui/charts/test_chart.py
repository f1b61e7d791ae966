"""Buttons above a chart: all of them or, in a narrow chart, the chosen one."""

from __future__ import annotations

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gui.charts.chart import Switch


def test_a_compact_switch_shows_the_chosen_button_and_a_click_chooses_the_next(qtbot: QtBot) -> None:
    """In a narrow chart in large type "Linear" was cut to "L"."""
    switch = Switch(("Times", "Speed-up", "Rate"), "What is drawn")
    qtbot.addWidget(switch)
    switch.show()
    heard: list[str] = []
    switch.group.buttonClicked.connect(lambda: heard.append(switch.chosen))

    def seen() -> list[str]:
        return [choice for choice, button in switch.buttons.items() if button.isVisible()]

    switch.set_compact(True)
    assert switch.full_width > switch.buttons["Times"].sizeHint().width()
    for choice in ("Times", "Speed-up", "Rate"):
        assert seen() == [choice]
        qtbot.mouseClick(switch.buttons[choice], Qt.MouseButton.LeftButton)
    assert heard == ["Speed-up", "Rate", "Times"]
    switch.show_choice("Rate")
    assert seen() == ["Rate"]
    switch.set_compact(False)
    assert seen() == ["Times", "Speed-up", "Rate"]
    qtbot.mouseClick(switch.buttons["Rate"], Qt.MouseButton.LeftButton)
    assert switch.chosen == "Rate"
