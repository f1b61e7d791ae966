"""A device draws when it can; when it cannot, nobody sees a difference."""

from __future__ import annotations

import gc
import logging
import threading
from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import pytest

from gui.model.quiet import Quiet
from gui.picture.raster import drawing_device
from gui.picture.raster.drawing_device import DrawingDevice
from gui.picture.raster.edge_buffers import View
from gui.picture.scene.camera import Camera
from gui.picture.scene.scene import build_scene
from solvers.devices.device import Device, timing_on
from solvers.errors import DeviceUnavailable, KernelBuildError, OutOfMemory
from solvers.graphs.generators import find
from tests.gui.picture.raster.scenes import SIZE, buffers_of, drawing, scene_of, view_of


def assert_drawn_by_the_processor(raster_device: DrawingDevice) -> None:
    view = view_of(scene_of("road"), 1.0, 1.0)
    assert not raster_device.serves(view.scene, 1e9)
    np.testing.assert_array_equal(buffers_of(view, raster_device).density, buffers_of(view).density)


def test_until_the_edges_are_there_the_processor_draws(device: Device) -> None:
    found = threading.Event()

    def find_slowly() -> Device:
        found.wait(60)
        return device

    raster_device, scene = DrawingDevice(find_slowly, least_pixels=0.0), scene_of("road")
    assert_drawn_by_the_processor(raster_device)
    found.set()
    assert raster_device.wait(scene)
    assert raster_device.serves(scene, 1.0)


def test_edges_are_copied_after_a_measurement(device: Device) -> None:
    quiet, searched = Quiet(), threading.Event()
    quiet.begin()
    raster_device = DrawingDevice(lambda: searched.set() or device, least_pixels=0.0, quiet=quiet)
    scene = scene_of("road")
    assert not raster_device.serves(scene, 1.0)
    assert not searched.wait(0.05)
    quiet.end()
    assert raster_device.wait(scene)
    assert searched.is_set()


def test_little_is_left_to_the_processor_and_costs_the_device_nothing() -> None:
    raster_device = DrawingDevice(lambda: pytest.fail("looked for a device"), least_pixels=100.0)
    assert not raster_device.serves(scene_of("road"), 99.0)


@pytest.mark.parametrize(
    "error",
    [DeviceUnavailable("none"), KernelBuildError("lines.cu", "it", "log"), RuntimeError("driver")],
    ids=lambda error: type(error).__name__,
)
def test_without_a_device_the_processor_draws(error: Exception) -> None:
    def fail() -> Device:
        raise error

    raster_device = DrawingDevice(fail, least_pixels=0.0)
    assert not raster_device.wait(scene_of("road"))
    assert_drawn_by_the_processor(raster_device)


def test_edges_that_would_take_too_much_memory_stay_here(
    device: Device, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(drawing_device, "MOST_SHARE", 1e-12)
    raster_device = drawing(device)
    with caplog.at_level(logging.WARNING):
        assert not raster_device.wait(scene_of("road"))
    assert "free" in caplog.text
    assert_drawn_by_the_processor(raster_device)


@pytest.mark.parametrize("scarce", [True, False], ids=["memory", "driver"])
def test_a_stroke_that_fails_is_drawn_by_the_processor(
    device: Device, scarce: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    raster_device, view = drawing(device), view_of(scene_of("road"), 1.0, 1.0)
    assert raster_device.wait(view.scene)

    def fail(*_: object) -> None:
        raise OutOfMemory("An array", 8, 4) if scarce else RuntimeError("the driver was reset")

    with monkeypatch.context() as patch, caplog.at_level(logging.WARNING):
        patch.setattr("gui.picture.raster.device_raster.DeviceRaster.draw", fail)
        np.testing.assert_array_equal(buffers_of(view, raster_device).density, buffers_of(view).density)
    assert ("was reset" in caplog.text) == (not scarce)
    assert raster_device.serves(view.scene, 1.0) == scarce  # memory comes back; a broken driver is not asked again


def test_a_device_that_a_run_is_timed_on_is_left_alone(device: Device) -> None:
    raster_device, scene = drawing(device), scene_of("road")
    assert raster_device.wait(scene)
    with timing_on(device.key):
        assert_drawn_by_the_processor(raster_device)
    assert raster_device.serves(scene, 1.0)


def test_edges_leave_the_device_with_their_scene(device: Device) -> None:
    left = threading.Event()

    @contextmanager
    def session():
        with device.session() as held:
            yield held
        left.set()

    scene = build_scene(find("road").generate({"vertices": 500}))
    raster_device = DrawingDevice(lambda: SimpleNamespace(key=device.key, session=session), least_pixels=0.0)
    assert raster_device.wait(scene)
    assert (buffers_of(View(scene, Camera.fitting(scene.bounds, *SIZE), 1.0), raster_device).density > 0).any()
    assert not left.is_set()
    del scene
    gc.collect()
    assert left.wait(60)
