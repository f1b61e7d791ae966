"""The whole way, as a student goes it: open, tick, run, watch, take home - and a look
at what was written.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from gui.dialogs.export import ExportDialog
from gui.export.composition import PictureState
from gui.export.page import Page
from gui.window import MainWindow
from solvers.core.problem import Problem
from solvers.core.variant import find_variant
from solvers.picture.colours import LIGHT
from tests.gui.windows import PATIENCE_MS, SAMPLE, tick_only, trigger, wait_until_idle

VARIANTS = ("bf-strided-flag", "dijkstra-heap")

pytestmark = pytest.mark.usefixtures("every_paint")


@pytest.fixture(scope="module")
def solved_once(request: pytest.FixtureRequest, shared_window: MainWindow) -> MainWindow:
    """The sample, opened through the dialog and solved by two variants through the Run button."""
    qtbot, window = QtBot(request), shared_window
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(SAMPLE), ""))
        with qtbot.waitSignal(window.parts.session.graph_changed, timeout=PATIENCE_MS):
            window.commands["open"].trigger()
    tick_only(window, *VARIANTS)
    qtbot.mouseClick(window.run_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(window.parts.session.results.all) == 2, timeout=PATIENCE_MS)
    wait_until_idle(qtbot, window)
    return window


@pytest.fixture
def solved(qtbot: QtBot, solved_once: MainWindow) -> MainWindow:
    """The window with the first result selected, and shown to its end with the path."""
    solved_once.parts.session.set_target(2999)
    solved_once.parts.session.results.select(VARIANTS[0])
    wait_until_idle(qtbot, solved_once)
    solved_once.parts.playback.to_end()
    return solved_once


def pixels(image: QImage) -> np.ndarray:
    """(height, width, 3) int: red, green, blue."""
    plain = image.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(plain.constBits(), np.uint8).reshape(plain.height(), plain.bytesPerLine())
    return rows[:, : 3 * plain.width()].reshape(plain.height(), plain.width(), 3).astype(int)


def is_near(image: np.ndarray, colour: str, tolerance: int = 40) -> np.ndarray:
    """(height, width) bool: where the picture shows ``colour``."""
    wanted = QColor(colour)
    return np.abs(image - [wanted.red(), wanted.green(), wanted.blue()]).max(axis=2) <= tolerance


def export(
    window: MainWindow, path: Path, monkeypatch: pytest.MonkeyPatch, action: str, **fields: int
) -> None:
    """Export through dialog and menu, with some of the dialog's fields set."""

    def choose(dialog: ExportDialog) -> bool:
        for name, value in fields.items():
            getattr(dialog, name).setValue(value)
        return True

    monkeypatch.setattr(ExportDialog, "exec", choose)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    window.commands[action].trigger()


def test_both_answers_are_proved_and_agree(solved: MainWindow) -> None:
    results = {r.variant.id: r for r in solved.parts.session.results.all}
    assert set(results) == set(VARIANTS)
    assert all(r.ok and r.verdict is not None and r.verdict.verified for r in results.values())
    assert len({r.target_distance for r in results.values()}) == 1
    heap = find_variant("dijkstra-heap")
    own = heap.solve(Problem(results["dijkstra-heap"].graph, 0, 2999, heap.settle({}))).distances
    assert np.array_equal(results["bf-strided-flag"].distances, own)


def test_play_and_step_move_through_the_trace(qtbot: QtBot, solved: MainWindow) -> None:
    playback = solved.parts.playback
    assert playback.length > 10
    solved.parts.canvas.setFocus()
    qtbot.keyClick(solved.focusWidget(), Qt.Key.Key_Home)
    assert playback.position == 0
    qtbot.keyClick(solved.focusWidget(), Qt.Key.Key_Right)
    qtbot.keyClick(solved.focusWidget(), Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert playback.position == 11
    qtbot.keyClick(solved.focusWidget(), Qt.Key.Key_Left)
    assert playback.position == 10
    qtbot.keyClick(solved.focusWidget(), Qt.Key.Key_Space)
    assert playback.playing
    qtbot.waitUntil(lambda: playback.position > 11)
    qtbot.keyClick(solved.focusWidget(), Qt.Key.Key_Space)
    assert not playback.playing


def test_the_frontier_is_seen_where_it_is(qtbot: QtBot, solved: MainWindow) -> None:
    solved.parts.session.results.select("bf-strided-flag")
    wait_until_idle(qtbot, solved)
    solved.parts.playback.seek(solved.parts.playback.length // 3)
    canvas = solved.parts.canvas.graph_canvas
    trace = solved.parts.playback.trace
    assert trace is not None
    content = canvas.content
    spots = canvas.view.camera.to_screen(
        content.scene.positions[trace.frontier(solved.parts.playback.position)]
    )

    def frontier_is_painted() -> bool:
        blue = is_near(pixels(canvas.grab().toImage()), LIGHT.frontier)
        return np.mean([blue[int(y), int(x)] for x, y in spots]) > 0.7

    qtbot.waitUntil(frontier_is_painted, timeout=20_000)


def test_the_picture_shows_the_path_where_the_path_is(
    qtbot: QtBot, solved: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    solved.parts.playback.to_end()
    canvas = solved.parts.canvas.graph_canvas
    shown = canvas.view.clear_camera
    width, height = 2 * round(shown.width), 2 * round(shown.height)
    state = solved.parts.canvas.picture_state()
    assert isinstance(state, PictureState)
    page = Page(width, height, 192, margin=True)  # a view of the whole graph has margins
    camera = state.whole().compose(page).camera
    path = tmp_path / "harbour.png"
    export(
        solved,
        path,
        monkeypatch,
        "export-picture",
        width_box=width,
        height_box=height,
        dpi_box=192,
        text_box=100,
    )

    def exported() -> bool:  # another test may have left a notice in this window
        notice = solved.notices.notice
        return notice is not None and "harbour.png" in notice.text

    qtbot.waitUntil(exported, timeout=PATIENCE_MS)
    assert solved.notices.notice.action_text == "Show in folder"
    image = QImage(str(path))
    assert (image.width(), image.height()) == (width, height)
    assert round(image.dotsPerMeterX() * 0.0254) == 192
    content, result = canvas.content, solved.parts.session.results.selected
    assert content is not None
    assert result.path is not None
    orange = is_near(pixels(image), LIGHT.path)
    on_path = 2 * camera.to_screen(content.scene.positions[result.path])
    inner = on_path[3:-3]  # the end points' marks cover the ends
    assert np.mean([orange[int(y), int(x)] for x, y in inner]) > 0.9
    rows, columns = np.nonzero(orange)
    least, most = on_path.min(axis=0) - 30, on_path.max(axis=0) + 30
    assert np.all((columns > least[0]) & (columns < most[0]) & (rows > least[1]) & (rows < most[1]))
    wait_until_idle(qtbot, solved)  # another export is refused until the job has ended
    solved.parts.session.set_target(None)
    bare = tmp_path / "bare.png"
    export(solved, bare, monkeypatch, "export-picture", width_box=600, height_box=400)
    qtbot.waitUntil(bare.exists, timeout=PATIENCE_MS)
    wait_until_idle(qtbot, solved)
    assert not is_near(pixels(QImage(str(bare))), LIGHT.path).any()


def test_copying_puts_the_picture_on_the_clipboard(qtbot: QtBot, solved: MainWindow) -> None:
    width, height = solved.parts.canvas.picture_size.toTuple()
    trigger(qtbot, solved, "copy-picture")
    image = QGuiApplication.clipboard().image()
    assert (image.width(), image.height()) == (width, height)
    assert is_near(pixels(image), LIGHT.path).any()


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_a_chart_is_written(
    qtbot: QtBot, solved: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    path = tmp_path / f"timing{suffix}"
    export(solved, path, monkeypatch, "export-chart", width_box=900, height_box=500)
    wait_until_idle(qtbot, solved)
    if suffix == ".png":
        image = QImage(str(path))
        assert (image.width(), image.height()) == (900, 500)
        assert len(np.unique(pixels(image).reshape(-1, 3), axis=0)) > 20
    else:
        drawing = path.read_text(encoding="utf-8")
        assert drawing.startswith("<?xml")
        assert "<path" in drawing


def test_the_tables_hold_every_trial(
    qtbot: QtBot, solved: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path))
    trigger(qtbot, solved, "export-csv")
    with (tmp_path / "trials.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for variant_id in VARIANTS:
        own = [row for row in rows if row["variant"] == variant_id]
        result = solved.parts.session.results.get(variant_id)
        assert result is not None
        assert [row["is_warmup"] for row in own] == [
            str(trial.is_warmup).lower() for trial in result.trials
        ]
        assert {(row["source"], row["target"], row["verified"], row["status"]) for row in own} == {
            ("1", "3000", "yes", "ok")
        }
        assert all(float(row["total_ms"]) > 0 for row in own)
    assert len({row["distances_sha256"] for row in rows}) == 1
    assert (tmp_path / "summary.csv").exists()
    assert (tmp_path / "iterations.csv").exists()


def test_a_folder_that_cannot_be_written_is_said_and_leaves_nothing(
    qtbot: QtBot, solved: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export(
        solved,
        tmp_path / "nowhere" / "picture.png",
        monkeypatch,
        "export-picture",
        width_box=300,
        height_box=200,
    )
    wait_until_idle(qtbot, solved)
    assert "nowhere" in solved.notices.notice.text
    assert not (tmp_path / "nowhere").exists()


def test_selecting_anywhere_selects_everywhere(qtbot: QtBot, solved: MainWindow) -> None:
    for variant_id in VARIANTS:
        solved.parts.session.results.select(variant_id)
        wait_until_idle(qtbot, solved)
        assert solved.parts.playback.trace is solved.parts.session.results.selected.trace
