"""Where arcs bend."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF

from gui.painting.geometry import bend_point, point_along


def test_opposite_arcs_of_two_weights_bend_apart():
    start, end = QPointF(0, 0), QPointF(100, 0)
    there = point_along(start, bend_point(start, end), end, 0.5)
    back = point_along(end, bend_point(end, start), start, 0.5)
    assert there.y() == pytest.approx(-back.y())
    assert abs(there.y()) > 10
