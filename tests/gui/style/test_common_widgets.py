"""Widgets that all panels use."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from gui.style.common_widgets import ElidedBox


def test_a_narrow_box_shows_the_short_text_or_elides_it(qtbot: QtBot) -> None:
    box = ElidedBox()
    qtbot.addWidget(box)
    box.addItem("Bellman-Ford strided + flag", "id")
    box.setItemData(0, ("BF strided + flag",), ElidedBox.FORMS_ROLE)
    for text in box.forms(0):
        box.resize(box.room_for(text), 26)
        assert box.shown_text == text
    box.resize(box.room_for("BF strided + flag") // 2, 26)
    assert "…" in box.shown_text
    assert box.forms(-1) == ("",)
    box.resize(80, 26)
    box.show()
    assert not box.grab().isNull()
