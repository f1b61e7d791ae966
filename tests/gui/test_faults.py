"""Faults of the system while the window works: one clear notice each, and graph and
results stay.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gui.dialogs.export import SCHEME, AnimationChoice, ExportOptions
from gui.export.animation import AnimationOptions
from gui.model.notice import Notice, RepeatedErrors, Severity
from gui.window import MainWindow
from solvers.devices.opencl import OpenCLDevice, OpenCLSession
from solvers.errors import KernelBuildError
from tests.faults import file_size_limit
from tests.gui.windows import TINY, open_graph, run_only, tick_only, wait_until_idle
from tests.quick import first_quick, only_quick

OPTIONS = ExportOptions(0, 900, 700, 96, SCHEME)


@pytest.fixture(scope="module")
def solved_once(request: pytest.FixtureRequest, shared_window: MainWindow) -> MainWindow:
    """The textbook graph with one traced result."""
    qtbot, window = QtBot(request), shared_window
    open_graph(qtbot, window, TINY)
    run_only(qtbot, window, "bf-serial")
    return window


@pytest.fixture
def solved(qtbot: QtBot, solved_once: MainWindow) -> MainWindow:
    """The window with that result selected, its trace loaded and all of it drawn."""
    parts = solved_once.parts
    parts.session.results.select("bf-serial")
    qtbot.waitUntil(lambda: parts.playback.length > 0, timeout=60_000)
    qtbot.waitUntil(lambda: parts.canvas.picture_state() is not None, timeout=60_000)
    return solved_once


def notices_of(qtbot: QtBot, window: MainWindow, act: Callable[[], object]) -> list[Notice]:
    """What the window says until it is idle again."""
    heard: list[Notice] = []
    window.parts.session.noticed.connect(heard.append)
    act()
    wait_until_idle(qtbot, window)
    qtbot.wait(50)
    window.parts.session.noticed.disconnect(heard.append)
    return heard


def assert_kept(window: MainWindow) -> None:
    assert window.parts.session.graph.name == "textbook"
    assert window.parts.session.results.get("bf-serial").ok
    assert window.parts.canvas.scenes.scene is not None


EXPORTS: dict[str, Callable[[MainWindow, Path], object]] = {
    "picture.png": lambda window, path: window.parts.export.picture(path, OPTIONS),
    "picture.svg": lambda window, path: window.parts.export.picture(path, OPTIONS),
    "animation.gif": lambda window, path: window.parts.export.animation(
        path, AnimationChoice(0, 400, 300, SCHEME, AnimationOptions(0, 1))
    ),
    "chart.png": lambda window, path: window.parts.export.chart(path, OPTIONS),
    "chart.svg": lambda window, path: window.parts.export.chart(path, OPTIONS),
    "tables": lambda window, path: window.parts.export.csv(path.parent),
}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on the size of files")
@pytest.mark.parametrize("name", only_quick(EXPORTS, ("picture.png", "animation.gif", "tables")))
def test_an_export_to_a_full_disk(
    qtbot: QtBot, solved: MainWindow, tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "exports"
    folder.mkdir()
    with file_size_limit(100):
        (notice,) = notices_of(qtbot, solved, lambda: EXPORTS[name](solved, folder / name))
    assert notice.severity is Severity.ERROR
    assert "Cannot write" in notice.text
    assert "larger than the system allows" in notice.text or "disk" in notice.text
    assert not notice.report
    assert_kept(solved)
    assert list(folder.iterdir()) == []
    (notice,) = notices_of(qtbot, solved, lambda: EXPORTS[name](solved, folder / name))
    assert notice.text.startswith("Wrote")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on the size of files")
def test_a_layout_on_a_full_disk_is_shown_and_not_cached(
    qtbot: QtBot, solved: MainWindow, tmp_path: Path
) -> None:
    with file_size_limit(100):
        heard = notices_of(qtbot, solved, solved.commands["layout-spring"].trigger)
    assert heard == []
    assert_kept(solved)


@pytest.mark.parametrize("where", first_quick(["open", "export", "layout", "tables"], 2))
def test_memory_that_runs_out(
    qtbot: QtBot, solved: MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, where: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(solved.parts.session, "_errors", RepeatedErrors())
    places = {
        "open": ("solvers.graphs.readers.read_graph", lambda: solved.parts.open.open(TINY)),
        "layout": (
            "gui.canvas.scene_store.build_scene",
            solved.commands["layout-circular"].trigger,
        ),
        "export": (
            "gui.export.picture.export_picture",
            lambda: solved.parts.export.picture(tmp_path / "a.png", OPTIONS),
        ),
        "tables": ("solvers.running.records.write_all", lambda: solved.parts.export.csv(tmp_path)),
    }
    place, act = places[where]
    with monkeypatch.context() as patch:
        patch.setattr(place, fail)
        (notice,) = notices_of(qtbot, solved, act)
    assert notice.severity is Severity.ERROR
    assert "not enough free memory" in notice.text
    assert not notice.report
    assert_kept(solved)
    assert not (tmp_path / "a.png").exists()


def opencl_variant(window: MainWindow) -> str:
    if not isinstance(window.parts.session.device, OpenCLDevice):
        pytest.skip("no OpenCL device here")
    return "bf-vertex"


@pytest.mark.parametrize("when", first_quick(["download", "empty", "write"]))
def test_a_device_that_is_lost_during_a_run(
    qtbot: QtBot, solved: MainWindow, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    variant_id = opencl_variant(solved)

    def lost(*_: object, **__: object) -> None:
        import pyopencl

        raise pyopencl.LogicError("clFinish failed: the device was lost")

    tick_only(solved, variant_id, "dijkstra-heap")
    with monkeypatch.context() as patch:
        patch.setattr(OpenCLSession, when, lost)
        (notice,) = notices_of(qtbot, solved, solved.parts.run.start)
    assert notice.severity is Severity.WARNING
    assert "failed during the run: " in notice.text
    assert "device was lost" in notice.text
    assert not notice.report
    assert solved.parts.session.results.get("dijkstra-heap").ok, (
        "the other variant runs all the same"
    )
    assert_kept(solved)
    assert notices_of(qtbot, solved, solved.parts.run.start) == [], "the device is used again"
    assert solved.parts.session.results.get(variant_id).ok


def test_a_kernel_that_does_not_compile(
    qtbot: QtBot, solved: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    variant_id = opencl_variant(solved)

    def refuse(*_: object, **__: object) -> None:
        raise KernelBuildError("relax", "the device", "relax.cu:7: error: <b>unknown</b> type")

    tick_only(solved, variant_id)
    with monkeypatch.context() as patch:
        patch.setattr(OpenCLDevice, "compile", refuse)
        (notice,) = notices_of(qtbot, solved, solved.parts.run.start)
    assert "does not compile" in notice.text
    assert_kept(solved)
