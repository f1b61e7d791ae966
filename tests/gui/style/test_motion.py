"""Views and colours change in motion only where it is wanted."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QLabel, QWidget

from gui.canvas.view import CanvasView
from gui.picture.scene.camera import Camera
from gui.style.widgets import DURATION_MS, desktop_moves, fade

WHOLE = Camera(0.0, 0.0, 10.0, 400.0, 300.0)


@pytest.fixture
def view(qtbot) -> CanvasView:
    widget = QWidget()
    qtbot.addWidget(widget)
    widget.resize(400, 300)
    view = CanvasView(widget, lambda: WHOLE, lambda: QRectF(widget.rect()), least=0.25, most=1e4)
    view.fit()
    return view


def cameras(view: CanvasView) -> list[Camera]:
    seen: list[Camera] = []
    view.moved.connect(lambda: seen.append(view.camera))
    return seen


def test_a_zoom_in_motion_passes_scales_between_and_ends_where_one_at_once_does(view, qtbot):
    view.moves = lambda: True
    seen = cameras(view)
    view.zoom_in()
    qtbot.waitUntil(lambda: view.camera.scale == 15.0, timeout=20 * DURATION_MS)
    scales = [camera.scale for camera in seen[1:]]  # after the change itself
    assert scales == sorted(scales)
    assert any(10.0 < scale < 15.0 for scale in scales)
    assert not view.fitted


@pytest.mark.parametrize("change", ["zoom_in", "zoom_out", "show_all"])
def test_without_motion_a_view_changes_at_once(view, change):
    view.look_at(Camera(1.0, 1.0, 40.0, 400.0, 300.0))
    seen = cameras(view)
    getattr(view, change)()
    assert len(seen) == 1


def test_a_motion_ends_at_once_when_a_measurement_begins(view, qtbot):
    wanted = True
    view.moves = lambda: wanted
    seen = cameras(view)
    view.zoom_in()
    wanted = False
    qtbot.waitUntil(lambda: view.camera.scale == 15.0, timeout=20 * DURATION_MS)
    assert len(seen) <= 3, "the change, its first picture and the last"


def test_zooming_twice_leads_as_far_as_without_motion(view, qtbot):
    view.moves = lambda: True
    view.zoom_in()
    view.zoom_in()
    qtbot.waitUntil(lambda: view.camera.scale == 22.5, timeout=20 * DURATION_MS)


def test_the_user_ends_a_motion_by_moving_the_view(view, qtbot):
    view.moves = lambda: True
    view.zoom_in()
    mine = Camera(3.0, 3.0, 50.0, 400.0, 300.0)
    view.look_at(mine)
    qtbot.wait(2 * DURATION_MS)
    assert view.camera == mine


def test_a_zoom_keeps_the_point_under_the_pointer_in_its_place():
    end = WHOLE.zoomed(4.0, 100.0, 50.0)
    for share in (0.2, 0.5, 0.9):
        assert WHOLE.towards(end, share).to_world(100.0, 50.0) == pytest.approx(WHOLE.to_world(100.0, 50.0))
    assert WHOLE.towards(end, 1.0) is end


def test_a_fading_picture_goes_away(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(200, 100)
    window.show()
    fade(window)
    assert window.findChild(QLabel) is not None
    qtbot.waitUntil(lambda: window.findChild(QLabel) is None, timeout=20 * DURATION_MS)


def test_where_nobody_sees_it_nothing_moves(qtbot):
    assert not desktop_moves()  # the tests run offscreen
