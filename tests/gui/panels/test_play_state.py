"""What a narrow play bar does without, and how many figures it shows."""

from __future__ import annotations

import pytest

from gui.panels.play_state import BarPart, dropped_parts, whole_texts

SAVINGS = dict(zip(BarPart, (80, 60, 90, 50, 30, 60, 40), strict=True))


@pytest.mark.parametrize(
    ("room", "dropped"),
    [(700, 0), (699, 1), (620, 1), (619, 2), (560, 2), (470, 3), (421, 4), (419, 5), (330, 6), (200, 7)],
)
def test_parts_go_in_their_order(room: int, dropped: int) -> None:
    assert dropped_parts(700, SAVINGS, room) == set(list(BarPart)[:dropped])


@pytest.mark.parametrize(("room", "count"), [(330, 3), (329, 2), (215, 2), (214, 1), (20, 1)])
def test_only_whole_texts_are_shown(room: int, count: int) -> None:
    assert whole_texts([100, 100, 100], 15, room) == count


def test_no_texts() -> None:
    assert whole_texts([], 15, 100) == 0
