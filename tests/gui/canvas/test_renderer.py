"""The renderer's thread with a device that draws: the processor's pixels, and the newest request wins."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gui.canvas.renderer import Renderer, screen_painter
from gui.picture.raster import lines
from gui.picture.raster.drawing_device import DrawingDevice
from gui.picture.raster.frames import Frame, FramePainter, Request
from gui.picture.scene.activity import Activity
from gui.picture.scene.content import PictureContent
from gui.style.tokens import LIGHT
from solvers.devices.base import Device
from tests.gui.picture.raster.scenes import drawing, scene_of, view_of


@pytest.fixture
def drawing_device(device: Device) -> DrawingDevice:
    made = drawing(device)
    assert made.wait(scene_of("hubs"))
    return made


def request_at(zoom: float) -> Request:
    scene = scene_of("hubs")
    return Request(PictureContent(scene, Activity(scene.graph.n)), view_of(scene, zoom, 1.0).camera, 1.0, LIGHT)


def test_frames_come_from_the_device_with_the_processors_pixels(
    qtbot: QtBot, drawing_device: DrawingDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = FramePainter().last_frame(request_at(2.0))
    monkeypatch.setattr(lines, "draw_edges", lambda *_: pytest.fail("drawn by the processor"))
    renderer = Renderer(lambda: FramePainter(device=drawing_device))
    frames: list[Frame] = []
    renderer.rendered.connect(frames.append)
    renderer.request(request_at(2.0))
    qtbot.waitUntil(lambda: bool(frames) and frames[-1].drawn == 1.0, timeout=60_000)
    renderer.stop()
    np.testing.assert_array_equal(frames[-1].pixels, wanted.pixels)


def test_a_newer_request_ends_the_refinement_of_an_older_one(qtbot: QtBot, drawing_device: DrawingDevice) -> None:
    drawing_device.budget.pixels = 1.0  # a slice for every 32nd of the edges
    renderer = Renderer(lambda: FramePainter(device=drawing_device))
    frames: list[Frame] = []
    older, newer = request_at(1.0), request_at(3.0)

    def ask_again(frame: Frame) -> None:
        if not frames:
            renderer.request(newer)
        frames.append(frame)

    renderer.rendered.connect(ask_again, Qt.ConnectionType.DirectConnection)  # in the renderer's thread: at once
    renderer.request(older)
    qtbot.waitUntil(lambda: bool(frames) and frames[-1].camera == newer.camera and frames[-1].drawn == 1.0)
    renderer.stop()
    assert max(frame.drawn for frame in frames if frame.camera == older.camera) < 1.0


def test_the_screen_has_one_drawing_device_for_all_canvases() -> None:
    assert screen_painter()._device is screen_painter()._device is not None
