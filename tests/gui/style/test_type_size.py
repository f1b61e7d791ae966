"""The size of the type: applied to all widgets, within limits, and heard by those with a size of their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.style import type_size
from gui.style.common_widgets import PlainLabel, ScaledLabel


@pytest.fixture
def app(qapp: QApplication) -> Iterator[QApplication]:
    yield qapp
    type_size.apply(qapp, 100)


def test_all_widgets_follow(qtbot: QtBot, app: QApplication) -> None:
    plain, large = PlainLabel("a"), ScaledLabel("a", factor=2.0)
    qtbot.addWidget(plain)
    qtbot.addWidget(large)
    plain.show()
    before = plain.font().pointSizeF()
    type_size.apply(app, 150)
    assert plain.font().pointSizeF() == pytest.approx(1.5 * before)
    assert large.font().pointSizeF() == pytest.approx(3.0 * before)
    assert (type_size.current(), type_size.factor(), type_size.px(10)) == (150, 1.5, 15)
    type_size.apply(app, 100)
    assert plain.font().pointSizeF() == pytest.approx(before)
    assert large.font().pointSizeF() == pytest.approx(2.0 * before)


def test_sizes_stay_within_what_the_window_is_made_for() -> None:
    assert [type_size.clamped(percent) for percent in (10, 80, 130, 200, 900)] == [80, 80, 130, 200, 200]
