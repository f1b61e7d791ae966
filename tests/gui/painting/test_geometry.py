"""Where arcs bend."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QFont, QFontMetricsF

from gui.painting.geometry import bend_point, id_fits, point_along


def test_opposite_arcs_of_two_weights_bend_apart():
    start, end = QPointF(0, 0), QPointF(100, 0)
    there = point_along(start, bend_point(start, end), end, 0.5)
    back = point_along(end, bend_point(end, start), start, 0.5)
    assert there.y() == pytest.approx(-back.y())
    assert abs(there.y()) > 10


@pytest.mark.usefixtures("qapp")
def test_an_id_stands_inside_a_disc_that_is_large_enough_for_it():
    metrics = QFontMetricsF(QFont())
    assert id_fits(metrics, "1", 30.0)
    assert not id_fits(metrics, "1234567890", 30.0), "wider than the disc"
    assert not id_fits(metrics, "", 2.0), "too small for any"
