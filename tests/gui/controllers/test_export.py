"""Taking home what is seen, through the menu: pictures, animations and the matrix, in
jobs, whole or not at all.
"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import psutil
import pytest
from PIL import Image
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QDialog, QFileDialog
from pytestqt.qtbot import QtBot

from gui.controllers.export import start_export
from gui.dialogs.export import (
    SCHEME,
    WHITE,
    AnimationDialog,
    ExportDialog,
    ExportOptions,
)
from gui.export.animation import HOLD_S, AnimationOptions
from gui.export.composition import PictureState
from gui.export.encoders import EncoderUnavailable, ffmpeg_program
from gui.model.notice import Severity
from gui.style.widgets import QuietLabel
from gui.window import MainWindow
from solvers.features.lesson.questions import QuestionKind
from solvers.graphs.generators import find
from solvers.picture.colours import LIGHT
from tests.gui.pictures import is_like
from tests.gui.windows import TINY, controller_of, open_graph, run_only, trigger, wait_until_idle
from tests.quick import first_quick

ROOT = Path(__file__).parents[3]


def solve(qtbot: QtBot, window: MainWindow, variant_id: str) -> None:
    """Open the textbook graph, run one variant, and have its trace."""
    open_graph(qtbot, window, TINY)
    run_only(qtbot, window, variant_id)
    qtbot.waitUntil(lambda: window.parts.playback.length > 0, timeout=60_000)
    qtbot.waitUntil(lambda: window.parts.canvas.picture_state() is not None, timeout=60_000)


def choose_path(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))


@pytest.fixture
def traced(qtbot: QtBot, window: MainWindow) -> MainWindow:
    solve(qtbot, window, "bf-serial")
    return window


def test_the_play_back_becomes_an_animation(traced, qtbot, monkeypatch, tmp_path):
    choose_path(monkeypatch, tmp_path / "animation.gif")

    def accept(dialog: AnimationDialog) -> int:
        dialog.width_box.setValue(400)
        dialog.height_box.setValue(300)
        dialog.rate.setValue(2.0)
        return QDialog.DialogCode.Accepted

    monkeypatch.setattr(AnimationDialog, "exec", accept)
    heard = []
    traced.parts.session.noticed.connect(heard.append)
    traced.commands["export-animation"].trigger()
    qtbot.waitUntil(
        lambda: (tmp_path / "animation.gif").exists() and not traced.parts.jobs.all(),
        timeout=60_000,
    )
    with Image.open(tmp_path / "animation.gif") as image:
        assert image.size == (400, 300)
        assert image.n_frames == traced.parts.playback.length
    assert [notice.text.split()[:2] for notice in heard] == [["Wrote", "animation.gif"]]


@pytest.mark.parametrize("name", first_quick(["animation.gif", "animation.mp4", "picture.png"]))
def test_the_window_closed_during_an_export_leaves_no_file_and_does_not_crash(tmp_path, name):
    """In a program of its own: a job that does not stop in time goes on until that ends."""
    if name.endswith(".mp4"):
        try:
            ffmpeg_program()
        except EncoderUnavailable as error:
            pytest.skip(str(error))
    folder = tmp_path / "exports"
    folder.mkdir()
    script = """
        import sys
        from pathlib import Path
        from PySide6.QtCore import QSettings
        from gui.app import make_application
        from gui.dialogs.export import SCHEME, ExportOptions
        from gui.dialogs.export import AnimationChoice
        from gui.export.animation import AnimationOptions
        from gui.model.settings import Settings
        from gui.window import MainWindow
        from tests.gui.event_loop import wait_ms
        from tests.gui.windows import TINY

        def wait(until):
            while not until():
                wait_ms(10)

        path = Path(sys.argv[1])
        app = make_application()
        window = MainWindow(Settings(QSettings(sys.argv[2], QSettings.Format.IniFormat)))
        window.show()
        window.parts.open.open(TINY)
        wait(lambda: window.parts.session.graph is not None and not window.parts.jobs.all())
        for variant_id in window.parts.session.choices.ids:
            window.parts.session.choices.choose(variant_id, False)
        window.parts.session.choices.choose("bf-serial")
        window.commands["run"].trigger()
        wait(lambda: window.parts.playback.length > 0 and not window.parts.jobs.all())
        if path.stem == "animation":
            animation = AnimationOptions(0, window.parts.playback.length - 1)
            window.parts.export.animation(path, AnimationChoice(0, 3000, 3000, SCHEME, animation))
        else:
            window.parts.export.picture(path, ExportOptions(0, 8000, 8000, 96, SCHEME))
        wait(lambda: any(path.parent.iterdir()))
        print("writing", path.exists())
        window.close()
    """
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            textwrap.dedent(script),
            str(folder / name),
            str(tmp_path / "settings.ini"),
        ],
        cwd=ROOT,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "XDG_CACHE_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "writing False\n", "")
    assert list(folder.iterdir()) == []
    writers = [
        process
        for process in psutil.process_iter(["cmdline"])
        if str(folder) in str(process.info["cmdline"])
    ]
    assert not psutil.wait_procs(writers, timeout=60)[1], "its input has ended, so it ends"


def test_dialogs_propose_some_twelve_seconds_and_keep_a_size_and_background_of_ones_own(
    window, qtbot
):
    open_graph(qtbot, window, TINY)
    assert not window.commands["export-animation"].isEnabled()

    dialog = AnimationDialog(
        ("Current view", "All of it"), window.size(), 1200, "iteration", True, window
    )
    animation = dialog.choice.animation
    assert animation == AnimationOptions(0, 1199, 4, 25.0, True)
    frames = len(animation.positions(1200))
    assert dialog.length_label.text() == f"{frames} frames, {round(frames / 25 + HOLD_S)} s"
    dialog.first.setValue(900)
    dialog.last.setValue(100)
    assert (dialog.choice.animation.first, dialog.choice.animation.last) == (99, 899)

    dialog = ExportDialog("Export", "Show", ("View",), window.size(), window)
    dialog.width_box.setValue(1000)
    assert dialog.preset_title == ""
    dialog.background.setCurrentIndex(dialog.background.findData("transparent"))
    dialog.background.activated.emit(dialog.background.currentIndex())
    dialog.preset.setCurrentIndex(dialog.preset.findText("Paper, column, 85 × 60 mm"))
    dialog.preset.activated.emit(dialog.preset.currentIndex())
    assert dialog.options.background == "transparent"
    assert dialog.options.width == 2008


def test_what_cannot_be_exported_is_told_once_and_clearly(traced, qtbot, tmp_path):
    heard = []
    traced.parts.session.noticed.connect(heard.append)
    traced.parts.export.picture(tmp_path / "p.bmp", ExportOptions(0, 300, 200, 96, WHITE))
    qtbot.waitUntil(lambda: bool(heard), timeout=20_000)
    assert heard[0].severity is Severity.ERROR
    assert "must end in .png or .svg" in heard[0].text
    assert list(tmp_path.glob("*.bmp")) == []

    wait_until_idle(qtbot, traced)
    heard.clear()
    traced.parts.export.picture(tmp_path / "p.png", ExportOptions(0, 30_000, 200, 96, SCHEME))
    qtbot.waitUntil(lambda: bool(heard), timeout=20_000)
    assert "16 to 20\u202f000 pixels" in heard[0].text

    wait_until_idle(qtbot, traced)
    heard.clear()
    traced.parts.export.picture(tmp_path / "first.png", ExportOptions(0, 900, 600, 96, SCHEME))
    traced.parts.export.picture(tmp_path / "second.png", ExportOptions(0, 900, 600, 96, SCHEME))
    start_export(
        traced.parts.session, traced.parts.jobs, "Writing a report", lambda _: None, heard.append
    )
    assert ["Exporting first.png" in notice.text for notice in heard] == [True, True]
    wait_until_idle(qtbot, traced)
    assert [path.name for path in tmp_path.glob("*.png")] == ["first.png"]


def test_views_have_margins_and_files_of_another_run_or_name_are_kept(
    traced, qtbot, tmp_path, monkeypatch
):
    """In the first choice of the dialog, the scale bar lay over New York."""
    export, paths = traced.parts.export, [tmp_path / "view.png", tmp_path / "all.png"]
    for subject, path in enumerate(paths):
        export.picture(path, ExportOptions(subject, 600, 400, 96, SCHEME))
        wait_until_idle(qtbot, traced)
    assert paths[0].read_bytes() == paths[1].read_bytes()

    heard = []
    traced.parts.session.noticed.connect(heard.append)
    for _ in range(2):
        traced.parts.export.csv(tmp_path)
        wait_until_idle(qtbot, traced)
    names = {path.name for path in tmp_path.glob("*.csv")}
    assert {"trials.csv", "trials-2.csv", "summary.csv", "summary-2.csv"} <= names
    assert "trials.csv, summary.csv" in heard[0].text
    assert "trials-2.csv, summary-2.csv" in heard[1].text

    (tmp_path / "a.v1.png").write_text("kept")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "plain"), ""))
    assert traced.parts.export.ask_file("Export", ".png", "") == tmp_path / "plain.png"
    (tmp_path / "plain.png").write_text("kept")
    assert traced.parts.export.ask_file("Export", ".png", "") == tmp_path / "plain-2.png"
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "plain.png"), "")
    )
    # Qt has asked
    assert traced.parts.export.ask_file("Export", ".png", "") == tmp_path / "plain.png"


def test_while_the_matrix_is_shown_it_is_exported_and_copied_and_a_click_leaves_it(
    window, qtbot, monkeypatch, tmp_path
):
    window.resize(900, 700)  # where the graph has no room beside the matrix of a lesson
    solve(qtbot, window, "fw-serial")
    window.commands["matrix"].trigger()
    assert window.commands["matrix"].isChecked()
    window.parts.canvas.matrix_view.path_requested.emit()
    assert not window.parts.canvas.matrix_shown
    assert not window.commands["matrix"].isChecked()

    window.commands["matrix"].trigger()
    assert window.parts.canvas.matrix_shown
    choose_path(monkeypatch, tmp_path / "matrix.svg")
    monkeypatch.setattr(ExportDialog, "exec", lambda _: QDialog.DialogCode.Accepted)
    window.commands["export-picture"].trigger()
    qtbot.waitUntil(
        lambda: (tmp_path / "matrix.svg").exists() and not window.parts.jobs.all(), timeout=60_000
    )
    words = {
        "".join(e.itertext()).strip() for e in ElementTree.parse(tmp_path / "matrix.svg").iter()
    }
    assert {"from vertex", "to vertex"} <= words
    clipboard = QGuiApplication.clipboard()
    clipboard.clear()
    size = window.parts.canvas.picture_size * window.parts.canvas.devicePixelRatioF()
    window.commands["copy-picture"].trigger()
    qtbot.waitUntil(lambda: not clipboard.image().isNull(), timeout=60_000)
    assert clipboard.image().size() == size


def test_side_by_side_all_panes_are_exported_copied_and_animated(
    window, qtbot, monkeypatch, tmp_path
):
    open_graph(qtbot, window, TINY)
    run_only(qtbot, window, "bf-serial", "dijkstra-heap")
    window.commands["split-2"].trigger()
    panes = window.parts.canvas.split_view.panes
    qtbot.waitUntil(
        lambda: all(pane.displayed_run.trace is not None for pane in panes), timeout=60_000
    )
    wait_until_idle(qtbot, window)

    def halves(image: QImage) -> list[np.ndarray]:
        """Left and right half, below the heads and above the caption."""
        image = image.convertToFormat(QImage.Format.Format_ARGB32)
        pixels = (
            np.frombuffer(image.constBits(), np.uint32)
            .reshape(image.height(), image.width())
            .copy()
        )
        middle = image.width() // 2
        return [pixels[40:-40, :middle], pixels[40:-40, middle + 1 :]]

    choose_path(monkeypatch, tmp_path / "p.png")
    monkeypatch.setattr(ExportDialog, "exec", lambda _: QDialog.DialogCode.Accepted)
    window.commands["export-picture"].trigger()
    qtbot.waitUntil(
        lambda: (tmp_path / "p.png").exists() and not window.parts.jobs.all(), timeout=60_000
    )
    picture = QImage(str(tmp_path / "p.png"))
    assert picture.size().toTuple() == (1920, 1080), "a slide, unless told otherwise"
    clipboard = QGuiApplication.clipboard()
    clipboard.clear()
    size = window.parts.canvas.picture_size * window.parts.canvas.devicePixelRatioF()
    window.commands["copy-picture"].trigger()
    qtbot.waitUntil(
        lambda: not clipboard.image().isNull() and not window.parts.jobs.all(), timeout=60_000
    )
    assert clipboard.image().size() == size
    for image in (picture, clipboard.image()):
        for half in halves(image):  # each shows the graph, with its source and its target
            assert is_like(half, LIGHT.source, 6).sum() > 100
            assert is_like(half, LIGHT.target, 6).sum() > 100
    choose_path(monkeypatch, tmp_path / "f.gif")
    monkeypatch.setattr(AnimationDialog, "exec", lambda _: QDialog.DialogCode.Accepted)
    window.commands["export-animation"].trigger()
    qtbot.waitUntil(
        lambda: (tmp_path / "f.gif").exists() and not window.parts.jobs.all(), timeout=60_000
    )
    with Image.open(tmp_path / "f.gif") as animation:
        assert animation.size == (1280, 720)
        assert animation.n_frames == max(len(pane.displayed_run.trace) for pane in panes)
    window.commands["split-1"].trigger()
    assert isinstance(window.parts.canvas.picture_state(), PictureState)


@pytest.mark.parametrize("command", first_quick(["export-path", "export-distances"]))
def test_what_was_shown_is_written_although_another_graph_arrives_while_a_file_is_chosen(
    traced, qtbot, monkeypatch, tmp_path, command
):
    """The path of the other graph was written."""
    graph = traced.parts.session.graph
    text = exported_while_another_graph_arrives(
        traced, qtbot, monkeypatch, tmp_path / "chosen.csv", command
    )
    assert str(graph.vertex_id(graph.n - 1)) in text.rstrip().splitlines()[-1].split(",")


def exported_while_another_graph_arrives(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, path: Path, command: str
) -> str:
    """What a row of the menu writes."""

    def choose(*_: object) -> tuple[str, str]:
        window.parts.session.open_graph(find("grid").generate({"columns": 3, "rows": 2}))
        return str(path), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", choose)
    window.commands[command].trigger()
    wait_until_idle(qtbot, window)
    return path.read_text("utf-8")


def test_the_export_dialog_begins_with_a_slide_and_with_what_was_chosen_last(
    traced, qtbot, monkeypatch, tmp_path
):
    seen: list[ExportOptions] = []
    proposed: list[Path] = []

    def ask(_parent: object, _title: str, proposal: str, _kinds: str) -> tuple[str, str]:
        proposed.append(Path(proposal))
        return str(tmp_path / Path(proposal).name), ""

    def accept(dialog: ExportDialog) -> int:
        seen.append(dialog.options)
        dialog.preset.setCurrentIndex(dialog.preset.findText("Paper, column, 85 × 60 mm"))
        dialog.preset.activated.emit(dialog.preset.currentIndex())
        dialog.format.setCurrentIndex(dialog.format.findData(".svg"))
        return QDialog.DialogCode.Accepted

    monkeypatch.setattr(QFileDialog, "getSaveFileName", ask)
    monkeypatch.setattr(ExportDialog, "exec", accept)
    traced.parts.settings.export_folder = tmp_path
    for _ in range(2):
        trigger(qtbot, traced, "export-picture")
    first, second = seen
    assert first == ExportOptions(0, 1920, 1080, 144, SCHEME, 1.9, ".png")
    assert second == ExportOptions(0, 2008, 1417, 600, WHITE, 1.0, ".svg")
    assert [path.name for path in proposed] == [
        "textbook-bf-serial.svg",
        "textbook-bf-serial-2.svg",
    ]
    assert {path.name for path in tmp_path.glob("*.svg")} == {path.name for path in proposed}
    root = ElementTree.parse(tmp_path / "textbook-bf-serial.svg").getroot()
    assert root.get("width", "").startswith("84.9")


def test_mp4_is_offered_only_where_it_can_be_written(traced, qtbot, monkeypatch, tmp_path):
    def check() -> None:
        if missing:
            raise EncoderUnavailable("MP4 export needs the program ffmpeg: " + 9 * "install it. ")

    offered: list[list[str]] = []
    choose_path(monkeypatch, tmp_path / "animation.gif")
    monkeypatch.setattr("gui.export.encoders.check_encoder", check)

    def look(dialog: AnimationDialog) -> int:
        dialog.show()
        wait_until_idle(qtbot, traced)
        offered.append([dialog.format.itemData(i) for i in range(dialog.format.count())])
        assert dialog.remedy.isVisible() == missing
        assert dialog.remedy.command.isVisible() == (missing and not bundle), "pip is of no use"
        assert dialog.remedy.command.text() == "pip install imageio-ffmpeg"
        reason = dialog.remedy.findChild(QuietLabel)
        assert not missing or reason.height() >= reason.heightForWidth(reason.width()), "it is cut"
        QGuiApplication.clipboard().clear()
        dialog.remedy.copy_button.click()
        assert QGuiApplication.clipboard().text() == "pip install imageio-ffmpeg"
        dialog.hide()
        return QDialog.DialogCode.Rejected

    monkeypatch.setattr(AnimationDialog, "exec", look)
    for missing, bundle in ((True, False), (True, True), (False, False)):
        monkeypatch.setattr("gui.dialogs.export.is_bundle", lambda bundle=bundle: bundle)
        offered.clear()
        traced.commands["export-animation"].trigger()
        assert offered == [[".gif"] if missing else [".gif", ".mp4"]]


def test_questions_are_asked_beside_the_picture(traced, qtbot):
    session, playback = traced.parts.session, traced.parts.playback
    traced.commands["questions"].trigger()
    dialog = controller_of(traced, "lesson").questions.dialog
    for at, question in enumerate(dialog.questions):
        dialog.go(at)
        assert playback.position == max(0, question.position)
        if question.kind is QuestionKind.FRONTIER:
            clicked = question.answer
        elif question.kind is QuestionKind.ARCS:
            graph = session.graph
            clicked = [
                v
                for arc in question.answer
                for v in (graph.tails[int(arc)], graph.indices[int(arc)])
            ]
        else:
            clicked = ()
            qtbot.keyClicks(dialog.answer, f"{question.answer[0]:g}")
        for vertex in clicked:
            session.select_vertex(None)
            session.select_vertex(int(vertex))
        dialog.check()
        assert playback.position == question.position + 1
    assert {question.kind for question in dialog.questions} >= {
        QuestionKind.FRONTIER,
        QuestionKind.DISTANCE,
    }
    assert dialog.right == len(dialog.questions)
    dialog.copy()
    assert QGuiApplication.clipboard().text().count("(right)") == dialog.right
    dialog.close()
