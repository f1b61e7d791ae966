"""The raster on a device draws what the processor's draws, pixel by pixel, and is not
missed where it cannot.

The tests need no Qt: ``pytest -m gpu`` runs them on a server's GPU.
"""

from __future__ import annotations

import gc
import logging
import threading
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from solvers.devices.device import Device, timing_on
from solvers.errors import Cancelled, DeviceUnavailable, KernelBuildError, OutOfMemory
from solvers.graphs.generators import find
from solvers.graphs.weights import INT32
from solvers.picture.colours import LIGHT
from solvers.picture.raster import device as device_module
from solvers.picture.raster import lines
from solvers.picture.raster.device import (
    MOST_BLOCKS,
    SOURCE,
    Buffers,
    DeviceRaster,
    Dots,
    DrawingDevice,
    DrawRequest,
    merge,
)
from solvers.picture.raster.edge_buffers import View
from solvers.picture.raster.frames import FramePainter, Request
from solvers.picture.scene.activity import Activity
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.content import PictureContent
from solvers.picture.scene.edges import BLOCK
from solvers.picture.scene.lit_roads import LEVELS, RoadPen
from solvers.picture.scene.scene import build_scene
from solvers.system.cancel import CancelToken, Progress
from solvers.system.quiet import Quiet
from solvers.system.threads import ThreadTeam, split_evenly
from tests.kernels import compile_for_cuda, ptx_of
from tests.solvers.picture.raster.scenes import SCENES, SIZE, buffers_of, drawing, scene_of, view_of

NO_SKIP = np.empty(0, np.uint8)


def by_processor(segments: np.ndarray, request: DrawRequest) -> Buffers:
    first, last = request.rows
    density, claims = lines.blank(request.columns, last - first)
    ends = np.zeros((len(segments), 2), np.int32)
    by_level = request.levels, request.pen.widths, request.pen.strengths
    pen = (*request.transform, request.width, request.fade, *by_level)
    lines.draw_edges(density, claims, first, segments, ends, request.blocks, NO_SKIP, *pen)
    if request.dots is not None:
        dots, edges = request.dots, len(segments)
        lines.draw_vertices(
            density,
            claims,
            first,
            dots.points,
            dots.vertices,
            edges,
            *request.transform,
            dots.radii,
            dots.strength,
        )
    return density, claims


def by_device(
    device: Device, segments: np.ndarray, request: DrawRequest, progress: Progress | None = None
) -> Buffers:
    with device.session() as session:
        return DeviceRaster(session, segments).draw(request, progress or Progress())


def request_for(segments: np.ndarray, **rest: object) -> DrawRequest:
    """All edges, in pixels, on 64 x 48 of them."""
    blocks = np.arange(-(-len(segments) // BLOCK))
    return replace(DrawRequest(blocks, 64, (0, 48), (1.0, 0.0, 0.0), 1.0, 1e9), **rest)


def assert_same(ours: Buffers, theirs: Buffers) -> None:
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(mine, other)


@pytest.mark.parametrize("ratio", [1.0, 2.0])
@pytest.mark.parametrize("zoom", [0.01, 1.0, 5.0, 60.0])
@pytest.mark.parametrize("name", SCENES)
def test_a_view_has_the_same_ink_and_the_same_owners(
    device: Device, name: str, zoom: float, ratio: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    view, drawing_device = view_of(scene_of(name), zoom, ratio), drawing(device)
    assert drawing_device.wait(view.scene)
    theirs = buffers_of(view)
    if theirs.detail is None:
        assert (theirs.density > 0).any()
        monkeypatch.setattr(lines, "draw_edges", lambda *_: pytest.fail("drawn by the processor"))
    ours = buffers_of(view, drawing_device)
    assert_same((ours.density, ours.claims), (theirs.density, theirs.claims))


@pytest.mark.parametrize("name", ["road", "hubs"])
def test_bands_of_rows_laid_together_are_the_view(device: Device, name: str) -> None:
    view, drawing_device = view_of(scene_of(name), 3.0, 1.0), drawing(device)
    assert drawing_device.wait(view.scene)
    whole = buffers_of(view)
    bands = [
        buffers_of(replace(view, rows=rows), drawing_device)
        for rows in split_evenly(len(whole.density), 5)
    ]
    together = (
        np.concatenate([band.density for band in bands]),
        np.concatenate([band.claims for band in bands]),
    )
    assert_same(together, (whole.density, whole.claims))


@pytest.mark.parametrize("by_level", [False, True])
@pytest.mark.parametrize("width", [1.0, 1.7, 5.4])
def test_lines_of_every_kind(device: Device, width: float, by_level: bool) -> None:
    rng = np.random.default_rng(3)
    sizes = 10.0 ** rng.uniform(-6, 4, (6000, 1))
    starts = rng.uniform(-20, 84, (6000, 2))
    segments = np.hstack((starts, starts + sizes * rng.normal(size=(6000, 2)))).astype(np.float32)
    segments[::7, 3] = segments[::7, 1]  # level
    segments[::11, 2] = segments[::11, 0]  # upright
    segments[::13] = np.round(segments[::13])  # through the corners of pixels
    segments[5::50, 1], segments[6::50, 2], segments[7::50, 0] = np.nan, np.inf, 1e20
    request = request_for(segments, width=width, fade=30.0)
    if by_level:
        request = replace(
            request, levels=rng.integers(0, LEVELS, 6000).astype(np.uint8), pen=RoadPen.of(9.0)
        )
    theirs = by_processor(segments, request)
    assert (theirs[0] > 0).all()
    assert_same(by_device(device, segments, request), theirs)


def test_density_of_one_pixel_never_overflows(device: Device) -> None:
    segments = np.full((3 * MOST_BLOCKS * BLOCK, 4), 7.2, np.float32)  # three launches
    segments[:, 2] += 0.75
    request = request_for(segments, width=3.0)
    density, claims = by_device(device, segments, request)
    assert density[7, 7] == lines.MOST_DENSITY
    assert claims[7, 7] == 2 * len(segments) - 1
    assert_same((density, claims), by_processor(segments, request))


def test_dots_lie_over_edges_and_their_density_is_clamped(device: Device) -> None:
    rng = np.random.default_rng(5)
    segments = rng.uniform(0, 60, (500, 4)).astype(np.float32)
    points = rng.uniform(-4, 70, (400, 2))
    points[:3] = np.nan
    for strength in (2.0, 3e5, 1e12):
        vertices = rng.permutation(400).astype(np.int32)
        request = request_for(
            segments, dots=Dots(vertices, points, rng.uniform(0.4, 6.0, 400), strength)
        )
        density, claims = theirs = by_processor(segments, request)
        assert (claims > 2 * len(segments)).any()
        assert (density == lines.MOST_DENSITY).any() == (strength > 2.0)
        assert_same(by_device(device, segments, request), theirs)


def test_drawings_merge_to_the_drawing_of_all(device: Device) -> None:
    segments = np.random.default_rng(6).uniform(-10, 70, (5 * BLOCK, 4)).astype(np.float32)
    whole = by_processor(segments, request_for(segments))
    density, claims = by_device(device, segments, request_for(segments, blocks=np.array([3, 0])))
    merge(
        density,
        claims,
        *by_device(device, segments, request_for(segments, blocks=np.array([4, 1, 2]))),
    )
    assert_same((density, claims), whole)


def test_without_edges_the_buffers_stay_empty(device: Device) -> None:
    segments = np.empty((0, 4), np.float32)
    assert_same(by_device(device, segments, request_for(segments)), lines.blank(64, 48))


def test_cancel_is_heard_between_two_launches(device: Device) -> None:
    segments = np.zeros((10, 4), np.float32)
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        by_device(device, segments, request_for(segments), Progress(token))


@pytest.mark.parametrize("name", ["road", "hubs"])
def test_frames_in_slices_have_the_colours_of_the_processor(device: Device, name: str) -> None:
    """The whole way, visited edges included, with slices so small that several are merged."""
    view, drawing_device = view_of(scene_of(name), 1.0, 1.0), drawing(device)
    assert drawing_device.wait(view.scene)
    n = view.scene.graph.n
    request = Request(
        PictureContent(view.scene, Activity(n, np.arange(n, dtype=np.int32))),
        view.camera,
        1.0,
        LIGHT,
    )
    drawing_device.budget.pixels = 1e4
    frames = list(FramePainter(ThreadTeam(1), drawing_device).frames(request, patience_s=1e9))
    assert len(frames) > 1
    np.testing.assert_array_equal(
        frames[-1].pixels, FramePainter(ThreadTeam(1)).last_frame(request).pixels
    )


@pytest.mark.parametrize("architecture", ["sm_75", "sm_80", "sm_90"])
def test_the_kernels_compile_for_nvidia_gpus_with_no_product_fused(architecture: str) -> None:
    defines = {name: value for name, value in SOURCE.defines if not name.startswith("DIST")}
    assert compile_for_cuda(SOURCE.path, INT32, architecture, **defines) == ""
    ptx = ptx_of(SOURCE.path, INT32, architecture, **defines)
    assert "mul.rn.f64" in ptx
    assert "fma.rn.f64" not in ptx


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
    with quiet.measuring():
        raster_device = DrawingDevice(
            lambda: searched.set() or device, least_pixels=0.0, quiet=quiet
        )
        scene = scene_of("road")
        assert not raster_device.serves(scene, 1.0)
        assert not searched.wait(0.05)
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
    monkeypatch.setattr(device_module, "MOST_SHARE", 1e-12)
    raster_device = drawing(device)
    with caplog.at_level(logging.INFO):
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

    with monkeypatch.context() as patch, caplog.at_level(logging.INFO):
        patch.setattr("solvers.picture.raster.device.DeviceRaster.draw", fail)
        np.testing.assert_array_equal(
            buffers_of(view, raster_device).density, buffers_of(view).density
        )
    assert ("was reset" in caplog.text) == (not scarce)
    # memory comes back; a broken driver is not asked again
    assert raster_device.serves(view.scene, 1.0) == scarce


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
    raster_device = DrawingDevice(
        lambda: SimpleNamespace(key=device.key, session=session), least_pixels=0.0
    )
    assert raster_device.wait(scene)
    assert (
        buffers_of(View(scene, Camera.fitting(scene.bounds, *SIZE), 1.0), raster_device).density > 0
    ).any()
    assert not left.is_set()
    del scene
    gc.collect()
    assert left.wait(60)
