"""The renderer's thread with a device that draws: the processor's pixels, and the
newest request wins.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gui.canvas.renderer import Renderer
from gui.model.window_thread import WindowThread, release_ended
from solvers.devices.device import Device
from solvers.errors import Cancelled
from solvers.picture.colours import LIGHT
from solvers.picture.raster import lines
from solvers.picture.raster.device import DrawingDevice
from solvers.picture.raster.frames import Frame, FramePainter, Request
from solvers.picture.scene.activity import Activity
from solvers.picture.scene.content import PictureContent
from solvers.system.quiet import Quiet
from tests.gui.windows import PATIENCE_MS
from tests.solvers.picture.raster.scenes import drawing, scene_of, view_of


@pytest.fixture
def drawing_device(device: Device) -> DrawingDevice:
    made = drawing(device)
    assert made.wait(scene_of("hubs"))
    return made


def request_at(zoom: float) -> Request:
    scene = scene_of("hubs")
    return Request(
        PictureContent(scene, Activity(scene.graph.n)), view_of(scene, zoom, 1.0).camera, 1.0, LIGHT
    )


class Patient(FramePainter):
    """Draws all edges, however slow the machine is."""

    def frames(
        self,
        request: Request,
        *,
        newer: Callable[[], bool] = lambda: False,
        patience_s: float = math.inf,
    ) -> Iterator[Frame]:
        return super().frames(request, newer=newer, patience_s=patience_s)


def test_frames_come_from_the_device_with_the_processors_pixels(
    qtbot: QtBot, drawing_device: DrawingDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = FramePainter().last_frame(request_at(2.0))
    monkeypatch.setattr(lines, "draw_edges", lambda *_: pytest.fail("drawn by the processor"))
    renderer = Renderer(lambda: Patient(device=drawing_device), WindowThread())
    frames: list[Frame] = []
    renderer.rendered.connect(frames.append)
    renderer.request(request_at(2.0))
    qtbot.waitUntil(lambda: bool(frames) and frames[-1].drawn == 1.0, timeout=PATIENCE_MS)
    renderer.stop()
    np.testing.assert_array_equal(frames[-1].pixels, wanted.pixels)


def test_a_newer_request_ends_the_refinement_of_an_older_one(
    qtbot: QtBot, drawing_device: DrawingDevice
) -> None:
    drawing_device.budget.pixels = 1.0  # a slice for every 32nd of the edges
    frames: list[Frame] = []
    older, wanted = request_at(1.0), request_at(3.0)

    class AsksAgain(Patient):
        def frames(self, request: Request, *, newer: Callable[[], bool]) -> Iterator[Frame]:
            for frame in super().frames(request, newer=newer):
                if request is older:
                    renderer.request(wanted)
                yield frame

    renderer = Renderer(lambda: AsksAgain(device=drawing_device), WindowThread())
    renderer.rendered.connect(frames.append)
    renderer.request(older)
    qtbot.waitUntil(
        lambda: bool(frames) and frames[-1].camera == wanted.camera and frames[-1].drawn == 1.0,
        timeout=PATIENCE_MS,
    )
    renderer.stop()
    assert max(frame.drawn for frame in frames if frame.camera == older.camera) < 1.0


class _Pages:
    """A drawer of numbers: each request is answered by its frames one to three."""

    def __init__(self) -> None:
        self.at_work = threading.Event()
        self.may_go_on = threading.Event()

    def frames(self, request: int, *, newer: Callable[[], bool]) -> Iterator[tuple[int, int]]:
        for number in (1, 2, 3):
            yield request, number
            self.at_work.set()
            assert self.may_go_on.wait(10)
            if newer():
                return

    def settle(self, request: int) -> None:
        """Nothing to prepare."""


def test_while_a_run_measures_nothing_is_drawn_and_then_the_newest_request(qtbot: QtBot) -> None:
    quiet, pages = Quiet(), _Pages()
    pages.may_go_on.set()
    frames: list[tuple[int, int]] = []
    with quiet.measuring():
        renderer: Renderer[int] = Renderer(lambda: pages, WindowThread(), quiet)
        renderer.rendered.connect(frames.append)
        for request in (7, 8, 9):
            renderer.request(request)
        qtbot.wait(50)
        assert frames == []
    qtbot.waitUntil(lambda: frames == [(9, 1), (9, 2), (9, 3)])
    renderer.stop()


def test_a_picture_in_progress_is_finished_after_the_measurement(qtbot: QtBot) -> None:
    quiet, pages = Quiet(), _Pages()
    frames: list[tuple[int, int]] = []
    renderer: Renderer[int] = Renderer(lambda: pages, WindowThread(), quiet)
    renderer.rendered.connect(frames.append)
    renderer.request(7)
    assert pages.at_work.wait(10)
    begun, may_end = threading.Event(), threading.Event()

    def measure() -> None:
        with quiet.measuring():
            begun.set()
            may_end.wait(10)

    measuring = threading.Thread(target=measure)
    measuring.start()
    qtbot.waitUntil(lambda: quiet.is_measuring)
    pages.may_go_on.set()
    assert begun.wait(10)
    qtbot.wait(50)
    assert frames == [(7, 1)]
    may_end.set()
    qtbot.waitUntil(lambda: frames == [(7, 1), (7, 1), (7, 2), (7, 3)])
    renderer.stop()


def test_a_request_that_ended_for_a_cancelled_measurement_is_drawn_again(qtbot: QtBot) -> None:
    """The run was cancelled before the renderer looked whether one measures, and the
    request was lost.
    """
    frames: list[str] = []

    class EndsOnce:
        ended = False

        def frames(self, request: str, *, newer: Callable[[], bool]) -> Iterator[str]:
            if not self.ended:
                self.ended = True
                raise Cancelled("The query")
            yield request

        def settle(self, request: str) -> None:
            pass

    renderer = Renderer(EndsOnce, WindowThread())
    renderer.rendered.connect(frames.append)
    renderer.request("asked")
    qtbot.waitUntil(lambda: frames == ["asked"])
    renderer.stop()


def test_a_renderer_that_waits_for_a_measurement_can_be_stopped(qtbot: QtBot) -> None:
    quiet = Quiet()
    with quiet.measuring():
        renderer: Renderer[int] = Renderer(_Pages, WindowThread(), quiet)
        renderer.request(7)
        renderer.stop()
        assert not renderer._thread.is_alive()


class _Slow(_Pages):
    """Its first frame takes long, and may fail."""

    fails = False

    def frames(self, request: int, *, newer: Callable[[], bool]) -> Iterator[tuple[int, int]]:
        self.at_work.set()
        self.may_go_on.wait(10)
        if self.fails:
            raise ValueError("too late")
        yield request, 1


@pytest.mark.parametrize("fails", [False, True])
def test_a_renderer_that_could_not_wait_for_its_thread_is_silent(qtbot: QtBot, fails: bool) -> None:
    """Its thread may still compile when the canvas is destroyed, and with it the renderer."""
    pages, heard = _Slow(), []
    pages.fails = fails
    renderer: Renderer[int] = Renderer(lambda: pages, WindowThread())
    renderer.rendered.connect(heard.append)
    renderer.failed.connect(heard.append)
    renderer.request(7)
    assert pages.at_work.wait(10)
    renderer.stop(0.01)
    pages.may_go_on.set()
    renderer._thread.join(10)
    qtbot.wait(10)
    assert heard == []


def test_a_renderer_is_not_destroyed_by_its_own_thread(qtbot: QtBot) -> None:
    pages, destroyed_in = _Slow(), []
    renderer: Renderer[int] = Renderer(lambda: pages, WindowThread())
    renderer.destroyed.connect(
        lambda: destroyed_in.append(threading.current_thread()), Qt.ConnectionType.DirectConnection
    )
    renderer.request(7)
    assert pages.at_work.wait(10)
    renderer.stop(0.01)
    thread = renderer._thread
    del renderer
    pages.may_go_on.set()
    thread.join(10)
    assert destroyed_in == []
    release_ended()
    assert destroyed_in == [threading.main_thread()]
