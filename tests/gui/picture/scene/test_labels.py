"""Labels of a close view: inside the view, beside their vertices, and dropped rather than cut off."""

from __future__ import annotations

import numpy as np
import pytest

from gui.picture.scene.labels import Box, LabelPlan

VIEW = (200.0, 120.0)


def plan(discs: list[tuple[float, float, float]], curves: list[list[tuple[float, float]]] | None = None) -> LabelPlan:
    return LabelPlan(VIEW, np.array(discs, np.float64), np.array(curves or [], np.float64).reshape(-1, 3, 2))


@pytest.mark.parametrize("centre", [(4.0, 4.0), (196.0, 4.0), (100.0, 118.0), (2.0, 60.0), (100.0, 60.0)])
def test_a_label_of_a_vertex_in_view_is_all_in_view(centre: tuple[float, float]) -> None:
    box = plan([(*centre, 6.0)]).round_disc(0, 50.0, 14.0)
    assert box is not None
    assert box.inside(*VIEW)
    nearest = np.clip(centre, (box.x0, box.y0), (box.x1, box.y1))
    assert np.hypot(*(nearest - centre)) >= 6.0, "beside its vertex, not on it"


def test_a_label_of_an_arc_keeps_to_the_part_in_view() -> None:
    leaving = [(20.0, 60.0), (220.0, 60.0), (420.0, 60.0)]
    box = plan([(20.0, 60.0, 5.0)], [leaving]).on_curve(0, 30.0, 12.0)
    assert box is not None
    assert box.inside(*VIEW)


def test_a_label_without_a_place_in_view_is_left_out() -> None:
    beyond = [(190.0, 60.0), (300.0, 60.0), (420.0, 60.0)]
    assert plan([(190.0, 60.0, 5.0)], [beyond]).on_curve(0, 30.0, 12.0) is None


def test_a_box_is_moved_only_as_far_as_it_is_outside() -> None:
    assert Box(-5.0, 10.0, 15.0, 20.0).moved_inside(*VIEW) == Box(0.0, 10.0, 20.0, 20.0)
    assert Box(190.0, 115.0, 210.0, 125.0).moved_inside(*VIEW) == Box(180.0, 110.0, 200.0, 120.0)
    assert Box(1.0, 2.0, 3.0, 4.0).moved_inside(*VIEW) == Box(1.0, 2.0, 3.0, 4.0)
