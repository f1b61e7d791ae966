"""Widgets that all panels use."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from gui.style.common_widgets import ElidedBox


def test_a_narrow_box_shows_the_short_text_or_elides_it(qtbot: QtBot) -> None:
    box = ElidedBox()
    qtbot.addWidget(box)
    box.addItem("Bellman-Ford strided + flag", "id")
    box.setItemData(0, "BF strided + flag", ElidedBox.SHORT_ROLE)
    metrics = box.fontMetrics()
    whole, short = (metrics.horizontalAdvance(text) for text in ("Bellman-Ford strided + flag", "BF strided + flag"))
    assert box._fitting(box.currentText(), whole + 2) == "Bellman-Ford strided + flag"
    assert box._fitting(box.currentText(), short + 2) == "BF strided + flag"
    assert "…" in box._fitting(box.currentText(), short // 2)
    box.resize(80, 26)
    box.show()
    assert not box.grab().isNull()
