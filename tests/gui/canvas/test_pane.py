"""Headers of panes: title and progress stand side by side uncut, said shorter
where there is little room.
"""

from __future__ import annotations

import pytest

from gui.canvas.pane import PaneHeader
from gui.canvas.split import best_columns, cells
from tests.gui.canvas.headers import FINAL, TEXTS, TITLE, header

__all__ = ["header"]


@pytest.mark.parametrize("width", [520, 400, 330, 260, 200])
def test_progress_is_whole_and_the_title_as_long_as_it_can_be(
    header: PaneHeader, width: int
) -> None:
    header.resize(width, 34)
    header.show_progress(TEXTS, FINAL, strong=True)
    label = header.progress
    assert label.text() in TEXTS
    assert label.fontMetrics().horizontalAdvance(label.text()) <= label.width()
    assert header.box.geometry().right() < label.x()
    assert label.geometry().right() < max(width, header.minimumWidth())


def test_a_wide_header_says_everything(header: PaneHeader) -> None:
    header.resize(520, 34)
    header.show_progress(TEXTS, FINAL, strong=True)
    assert header.progress.text() == TEXTS[0]
    assert header.box.fontMetrics().horizontalAdvance(TITLE) < header.box.width()


@pytest.mark.parametrize(
    ("count", "width", "height", "aspect", "columns"),
    [
        (2, 700, 700, 1.0, 2),
        (2, 300, 900, 1.0, 1),
        (3, 900, 400, 1.0, 3),
        (3, 700, 770, 0.76, 2),
        (3, 250, 900, 1.0, 1),
        (4, 700, 770, 0.76, 2),
        (4, 1600, 300, 1.0, 4),
        (1, 100, 100, 1.0, 1),
        (0, 100, 100, 1.0, 1),
    ],
)
def test_columns(count: int, width: int, height: int, aspect: float, columns: int) -> None:
    assert best_columns(count, width, height, aspect, 30.0) == columns


def test_panes_too_narrow_for_their_headers_are_a_last_resort() -> None:
    assert best_columns(4, 506, 270, 0.76, 46.0) == 4
    assert best_columns(4, 506, 270, 0.76, 46.0, 225.0) == 2
    assert best_columns(2, 200, 100, 1.0, 30.0, 225.0) == 1


def test_the_last_pane_takes_the_rest_of_its_row() -> None:
    assert cells(3, 2) == [(0, 0, 1), (0, 1, 1), (1, 0, 2)]
    assert cells(4, 2)[-1] == (1, 1, 1)
    assert cells(2, 1) == [(0, 0, 1), (1, 0, 1)]
    assert cells(0, 1) == []
