"""Run > Exercises: chosen, mended in the editor, checked; a teacher's are added, and a
class is graded.
"""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from gui.features.exercises.dialog import ExercisesDialog
from gui.model.notice import Severity
from gui.window import MainWindow
from solvers.core import variant
from solvers.core.variant import all_variants
from solvers.features.exercises.course import SHIPPED, Exercise, attempts, find_exercise
from solvers.features.own_kernels import user_variants
from solvers.system.disk_cache import FOLDER_VARIABLE
from tests.gui.windows import TINY, controller_of, open_graph, press

TIMEOUT = 120_000


@pytest.fixture
def dialog(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ExercisesDialog]:
    """The exercises as somebody sees them who has begun none, over the textbook graph."""
    if window.parts.session.device is None:
        pytest.skip("kernels need a device; there is none here")
    all_variants()
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "data"))
    monkeypatch.setattr(variant, "_REGISTRY", dict(variant._REGISTRY))
    monkeypatch.setattr(user_variants, "_problems", {})
    open_graph(qtbot, window, TINY)
    window.commands["exercises"].trigger()
    (shown,) = window.findChildren(ExercisesDialog)
    yield shown
    controller_of(window, "own_kernels").shut_down()
    window.parts.session.results.select(None)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that every question for one is answered with."""
    place = tmp_path / "chosen"
    place.mkdir()
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(place))
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "results.csv"), "")
    )
    return place


def choose(qtbot: QtBot, dialog: ExercisesDialog, row: int) -> Exercise:
    """Click an exercise and open it."""
    item = dialog.tree.topLevelItem(row)
    assert item is not None
    place = dialog.tree.visualItemRect(item).center()
    qtbot.mouseClick(dialog.tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
    press(qtbot, dialog, "Open")
    return find_exercise(item.data(0, Qt.ItemDataRole.UserRole))


def test_an_exercise_is_opened_checked_mended_and_solved(
    qtbot: QtBot, window: MainWindow, dialog: ExercisesDialog, folder: Path
) -> None:
    assert dialog.tree.topLevelItemCount() == 12
    assert dialog.count.text().startswith("0 of 12")
    editor = controller_of(window, "own_kernels").editor
    next_button = controller_of(window, "exercises").next_button
    chosen = choose(qtbot, dialog, 2)
    assert not dialog.isVisible()
    assert editor.text.toPlainText() == chosen.given
    press(qtbot, editor, "Hint")
    name = "offer"
    assert f'href="{name}"' in editor.hint.text()
    editor.hint.linkActivated.emit(name)
    assert editor.function.isVisible()
    shown = editor.function.toPlainText()
    assert shown.startswith("relax.h")
    assert "int offer(GLOBAL dist_t *distance, int head, dist_t candidate" in shown
    assert "1 where it is shorter than every path before" in shown
    editor.hint.linkActivated.emit(name)
    assert not editor.function.isVisible()
    press(qtbot, editor, "Check")
    qtbot.waitUntil(
        lambda: chosen.id in attempts() and bool(editor.findings.text()), timeout=TIMEOUT
    )
    window.commands["exercises"].trigger()
    assert dialog.count.text().startswith("0 of 12")
    assert dialog.tree.topLevelItem(2).text(2)
    dialog.close()
    assert not next_button.isVisible()
    editor.text.setPlainText(chosen.solution)
    press(qtbot, editor, "Check")
    qtbot.waitUntil(next_button.isVisible, timeout=TIMEOUT)
    assert attempts()[chosen.id].checks == 2
    window.commands["exercises"].trigger()
    assert dialog.count.text().startswith("1 of 12")
    assert dialog.tree.currentItem() is dialog.tree.topLevelItem(0)  # the first that is not solved
    press(qtbot, dialog, "Hand in…")
    handed = folder / f"{chosen.id}.cu"
    assert handed.read_text(encoding="utf-8") == editor.text.toPlainText()
    dialog.close()
    press(qtbot, editor, "Next exercise")
    following = find_exercise("4")
    assert editor.text.toPlainText() == following.given
    assert editor.title.text() == following.title
    assert not next_button.isVisible()


def test_a_teachers_exercises_are_added_and_a_class_is_graded(
    qtbot: QtBot,
    window: MainWindow,
    dialog: ExercisesDialog,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    notices = window.notices
    press(qtbot, dialog, "Hand in…")
    assert list(folder.iterdir()) == []
    press(qtbot, dialog, "Add exercises…")
    assert notices.notice.severity is Severity.ERROR
    first = min(SHIPPED.iterdir())
    shutil.copytree(first, folder / "99-mine")
    press(qtbot, dialog, "Add exercises…")
    assert notices.notice.severity is Severity.INFO
    assert dialog.tree.topLevelItemCount() == 13
    shutil.rmtree(folder / "99-mine")
    (folder / "ada").mkdir()
    (folder / "ada" / "99-mine.cu").write_text(find_exercise("1").solution, encoding="utf-8")
    results = folder.parent / "results.csv"
    press(qtbot, dialog, "Class…")
    qtbot.waitUntil(lambda: results.exists() and not window.parts.jobs.all(), timeout=TIMEOUT)
    with results.open(newline="", encoding="utf-8") as stream:
        graded = {row["exercise"]: row["solved"] for row in csv.DictReader(stream)}
    assert len(graded) == 13
    assert [one for one, solved in graded.items() if solved == "yes"] == ["99-mine"]
    # every question is cancelled
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: "")
    results.unlink()
    for text in ("Add exercises…", "Hand in…", "Class…"):
        press(qtbot, dialog, text)
    assert not window.parts.jobs.all()
    assert not results.exists()
    monkeypatch.setattr(controller_of(window, "own_kernels"), "device", lambda: None)
    press(qtbot, dialog, "Class…")
    assert notices.notice.severity is Severity.WARNING
