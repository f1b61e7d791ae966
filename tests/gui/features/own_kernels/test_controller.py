"""Change this kernel: edited beside the picture, compiled, run as a variant under Mine,
and shown where it is wrong.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor, QTextDocument
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from gui.features.exercises.dialog import ExercisesDialog
from gui.features.own_kernels import controller as kernels
from gui.features.own_kernels import faults as kernel_faults
from gui.features.own_kernels.editor import KernelEditor
from gui.model.jobs import JobKind
from gui.model.notice import Severity
from gui.panels.variants import MINE
from gui.style.text import MONO
from gui.window import MainWindow
from solvers.core import variant
from solvers.core.variant import all_variants, find_variant
from solvers.features.exercises import course
from solvers.features.own_kernels import user_process, user_variants
from solvers.features.own_kernels.kernel_check import CheckReport, Looks
from solvers.features.own_kernels.user_code import Remark, remarks_in
from solvers.features.own_kernels.user_process import LIMIT_VARIABLE, UserProcess
from solvers.features.own_kernels.user_variants import base_of
from solvers.graphs import generators
from solvers.running.request import MeasurementPlan
from solvers.system.disk_cache import FOLDER_VARIABLE
from tests.gui.windows import (
    SAMPLE,
    TINY,
    card_button,
    controller_of,
    open_graph,
    press,
    wait_until_idle,
)

BASE, OWN = "bf-edge-flags", "bf-edge-flags@changed"
LONG = 60_000
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    all_variants()
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    monkeypatch.setenv(LIMIT_VARIABLE, "30")  # which the editor changes
    monkeypatch.setattr(variant, "_REGISTRY", dict(variant._REGISTRY))
    monkeypatch.setattr(user_variants, "_problems", {})
    return tmp_path


@pytest.fixture
def editor(folder: Path, qtbot: QtBot, window: MainWindow) -> Iterator[KernelEditor]:
    """The textbook graph is open, and the kernel of a variant in the editor."""
    if window.parts.session.device is None:
        pytest.skip("kernels need a device; there is none here")
    open_graph(qtbot, window, TINY)
    window.parts.session.results.select(BASE)
    window.parts.session.choices.choose_only(())
    window.parts.session.choices.set_plan(MeasurementPlan(warmups=0, trials=1))
    wait_until_idle(qtbot, window)
    button = card_button(window, "Change this kernel")
    assert button.isVisibleTo(window.card)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    yield controller_of(window, "own_kernels").editor
    controller_of(window, "own_kernels").shut_down()
    window.parts.session.results.select(None)  # the changed variant is forgotten before the window


def replace_text(editor: KernelEditor, old: str, new: str) -> None:
    """Find ``old`` as a user does, and type ``new`` over it."""
    editor.text.moveCursor(QTextCursor.MoveOperation.Start)
    editor.search.setText(old)
    editor.find_next()
    assert editor.text.textCursor().selectedText() == old
    editor.text.insertPlainText(new)


def wait_for_state(qtbot: QtBot, editor: KernelEditor, words: str) -> None:
    qtbot.waitUntil(lambda: words in editor.state.text(), timeout=LONG)


def titles(window: MainWindow) -> list[str]:
    tree = window.variants_panel.tree
    return [tree.topLevelItem(i).text(0) for i in range(tree.topLevelItemCount())]


def test_the_original_text_is_shown_searched_and_compiled_with_errors_at_their_lines(
    qtbot: QtBot, editor: KernelEditor, window: MainWindow
) -> None:
    assert editor.text.toPlainText() == base_of(BASE)[1].read_text("utf-8")
    assert editor.empty.isHidden()
    page = editor.text.viewport()
    editor.text.moveCursor(QTextCursor.MoveOperation.End)
    before = page.height()
    editor.show_findings(["A line of findings."] * 12, is_wrong=True)
    qtbot.waitUntil(lambda: page.height() < before)
    assert page.rect().contains(editor.text.cursorRect().center()), "what is typed stays in sight"

    wait_for_state(qtbot, editor, "Compiled")
    # both clang and NVRTC tell it at its own line; of a missing semicolon NVRTC tells a line later
    replace_text(editor, "next[head] = 1;", "next[head] = one;")
    wait_for_state(qtbot, editor, "identifier")
    line = next(
        n
        for n, text in enumerate(editor.text.toPlainText().splitlines(), 1)
        if "next[head] = one" in text
    )
    remark = editor.text.remark_at(line)
    assert remark.is_error
    replace_text(editor, "KERNEL void copy_flags", "KERNEL void other")
    wait_for_state(qtbot, editor, "no entry point “copy_flags”")
    press(qtbot, editor, "Reset")
    wait_for_state(qtbot, editor, "Compiled")
    assert editor.text.remark_at(line) is None

    editor.text.setFocus()
    qtbot.keyClick(editor.text, Qt.Key.Key_F, CONTROL)
    assert editor.search.hasFocus()
    qtbot.keyClicks(editor.search, "int head = heads[arc];")
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Escape):
        qtbot.keyClick(editor.search, key)
    assert editor.text.hasFocus()
    assert editor.search.isHidden()
    found = editor.text.textCursor().position()
    editor.search.setText("no such words")
    editor.find_next()
    assert editor.text.textCursor().position() == found
    assert "not in the text" in editor.state.text()
    qtbot.keyClicks(editor.text, "/* none")
    block = editor.text.textCursor().block()
    assert (block.previous().userState(), block.userState(), block.next().userState()) == (
        0,
        1,
        1,
    ), "the comment goes on"


def test_a_wrong_kernel_is_shown_where_it_is_wrong_and_a_mended_one_is_right(
    qtbot: QtBot, window: MainWindow, editor: KernelEditor, folder: Path
) -> None:
    session, options = window.parts.session, window.parts.canvas.options
    assert MINE not in titles(window)
    replace_text(editor, "active[v] = next[v];", "active[v] = next[v] && v % 3 != 2;")
    wait_for_state(qtbot, editor, "Compiled")
    assert titles(window)[0] == MINE
    assert (folder / "kernels" / f"{OWN}.cu").is_file()
    press(qtbot, editor, "Difference")
    assert "+    active[v] = next[v] && v % 3 != 2;" in editor.difference.toPlainText()
    press(qtbot, editor, "Run")
    qtbot.waitUntil(lambda: options.values is not None, timeout=LONG)
    assert set(session.choices.ids) == {BASE, OWN}
    assert session.results.selected_id == OWN
    wrong = session.results.get(OWN)
    assert not wrong.verdict.verified
    text = editor.findings.text()
    assert "is right" in text
    assert "It looks like a stale flag" in text
    assert options.values.legend.sign.title == Looks.STALE_FLAG.title
    vertex = int((options.values.reveal == 0).nonzero()[0][0])
    assert options.values.words_of is not None
    assert "is right" in options.values.words_of(vertex)
    press(qtbot, editor, "Show where")
    window.commands["scheme-dark"].trigger()
    qtbot.wait(800)  # in which a change of the text would have been compiled
    assert options.values is not None
    window.commands["scheme-light"].trigger()
    press(qtbot, editor, "Reset")
    assert options.values is not None  # until the text has compiled
    wait_for_state(qtbot, editor, "Compiling")
    assert options.values is None
    replace_text(editor, "active[v] = next[v];", "active[v] = next[v] != 0;")
    wait_for_state(qtbot, editor, "Compiled")
    press(qtbot, editor, "Run")
    qtbot.waitUntil(
        lambda: "The last run's answer is right." in editor.findings.text(), timeout=LONG
    )
    mended = session.results.get(OWN)
    assert mended.parameters["version"] != wrong.parameters["version"]
    press(qtbot, editor, "Delete")
    assert not (folder / "kernels" / f"{OWN}.cu").exists()


def test_a_kernel_is_deleted_when_it_is_not_run_and_comes_back_by_ctrl_z_and_by_name(
    qtbot: QtBot,
    window: MainWindow,
    editor: KernelEditor,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session, undo = window.parts.session, window.commands["undo"]
    window.commands["deleted-kernels"].trigger()
    assert window.notices.notice.text == "No kernel was deleted in the last 30 days."
    replace_text(editor, "next[v] = 0;", "next[v] = 0; /* mine */")
    wait_for_state(qtbot, editor, "Compiled")
    press(qtbot, editor, "Run")
    press(qtbot, editor, "Delete")
    assert "is being run" in window.notices.notice.text
    wait_until_idle(qtbot, window)
    assert session.results.get(OWN).ok
    assert (folder / "kernels" / f"{OWN}.cu").is_file()
    press(qtbot, editor, "Delete")
    assert titles(window)[0] != MINE
    assert session.choices.ids == (BASE,)
    assert [result.variant.id for result in session.results.all] == [BASE]
    assert [choice.variant.id for choice in session.choices.for_run()] == [BASE]
    assert undo.text().startswith("Undo delete Bellman-Ford")
    for key in (Qt.Key.Key_Z, Qt.Key.Key_Y, Qt.Key.Key_Z):
        qtbot.keyClick(window.parts.canvas.canvas, key, CONTROL)
        is_there = key == Qt.Key.Key_Z
        assert (titles(window)[0] == MINE) is is_there
        assert (OWN in session.choices.ids) is is_there
        assert (session.results.get(OWN) is not None) is is_there
        assert ("/* mine */" in editor.text.toPlainText()) is is_there
    press(qtbot, editor, "Delete")
    open_graph(qtbot, window, SAMPLE)
    offered: list[str] = []

    def choose(_parent: object, _title: str, _label: str, texts: list[str], *_: object) -> object:
        offered.extend(texts)
        return texts[0], True

    monkeypatch.setattr(kernels.QInputDialog, "getItem", choose)
    window.commands["deleted-kernels"].trigger()
    assert len(offered) == 1
    assert offered[0].startswith("Bellman-Ford edge + flags, changed, ")
    assert titles(window)[0] == MINE
    assert "/* mine */" in editor.text.toPlainText()
    assert (folder / "kernels" / f"{OWN}.cu").is_file()


def test_a_text_that_does_not_compile_is_asked_about_before_it_runs(
    qtbot: QtBot, window: MainWindow, editor: KernelEditor
) -> None:
    session = window.parts.session

    def question() -> QMessageBox | None:
        return next((box for box in window.findChildren(QMessageBox) if box.isVisible()), None)

    def run_by_key() -> None:
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
        qtbot.keyClick(editor.text, Qt.Key.Key_F5)

    def ask_by_key() -> QMessageBox:
        run_by_key()
        qtbot.waitUntil(lambda: question() is not None, timeout=LONG)
        box = question()
        assert box is not None
        return box

    session.choices.choose(BASE)
    replace_text(editor, "next[v] = 0;", "next[v] = 0")
    box = ask_by_key()
    assert "expected" in box.text()
    assert "It would not be run." in box.text()
    qtbot.mouseClick(box.button(QMessageBox.StandardButton.Cancel), Qt.MouseButton.LeftButton)
    wait_until_idle(qtbot, window)
    assert not session.results.all
    replace_text(editor, "next[v] = 0", "next[v] = 0; /* mine */")
    wait_for_state(qtbot, editor, "Compiled")
    session.choices.choose(OWN)
    replace_text(editor, "/* mine */", "mine")
    box = ask_by_key()
    assert "The version that compiled last would be run." in box.text()
    press(qtbot, box, "Run the last version")
    qtbot.waitUntil(lambda: session.results.get(OWN) is not None, timeout=LONG)
    wait_until_idle(qtbot, window)
    session.results.clear()
    replace_text(editor, "mine", "")
    run_by_key()
    qtbot.waitUntil(lambda: session.results.get(OWN) is not None, timeout=LONG)
    assert question() is None
    assert session.results.get(OWN).parameters["version"] in editor.state.text()


def test_an_endless_kernel_is_ended_and_the_window_goes_on(
    qtbot: QtBot, window: MainWindow, editor: KernelEditor
) -> None:
    qtbot.keyClick(editor.limit, Qt.Key.Key_A, CONTROL)
    qtbot.keyClicks(editor.limit, "2")
    qtbot.keyClick(editor.limit, Qt.Key.Key_Tab)
    line = "    int head = heads[arc];"
    replace_text(editor, line, line + " while (active[tail]) distance[head] = distance[head];")
    wait_for_state(qtbot, editor, "Compiled")
    press(qtbot, editor, "Run")
    qtbot.waitUntil(lambda: "did not end within 2 s" in editor.findings.text(), timeout=LONG)
    original = window.parts.session.results.get(BASE)
    assert original.ok
    assert window.parts.jobs.running(JobKind.SOLVE) is None


def test_a_check_opens_the_smallest_graph(
    qtbot: QtBot, window: MainWindow, editor: KernelEditor
) -> None:
    replace_text(editor, "state[LAST_CHANGE] = pass;", "if (pass < 3) state[LAST_CHANGE] = pass;")
    press(qtbot, editor, "Check")  # before the new text has compiled
    qtbot.waitUntil(
        lambda: "The smallest graph that fails" in editor.findings.text(), timeout=2 * LONG
    )
    assert "a missing pass" in editor.findings.text()
    session, notice = window.parts.session, window.notices.notice
    open_sample = {"columns": 5, "rows": 4}
    with qtbot.waitSignal(session.graph_changed, timeout=LONG):
        window.parts.open.generate(generators.find("grid"), open_sample)
    notice.action()
    (question,) = (box for box in window.findChildren(QMessageBox) if box.isVisible())
    assert session.graph_source.generator == "grid"
    question.buttons()[0].click()
    assert session.graph.n < 20
    values = window.parts.canvas.options.values
    assert values.legend.sign.n == session.graph.n


def test_what_a_check_found_is_not_said_of_another_kernel_and_a_kept_one_is_opened_again(
    qtbot: QtBot, window: MainWindow, editor: KernelEditor, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = threading.Event()
    monkeypatch.setattr(
        kernel_faults, "check", lambda *_, **__: ended.wait(LONG) and CheckReport(7, ("int32",))
    )
    replace_text(editor, "next[v] = 0;", "next[v] = 0; /* mine */")
    wait_for_state(qtbot, editor, "Compiled")
    press(qtbot, editor, "Check")
    window.parts.session.results.select("sssp-near-far")
    window.commands["change-kernel"].trigger()
    ended.set()
    wait_until_idle(qtbot, window)
    assert not editor.findings.text()

    user_variants.add_variants()
    window.parts.session.results.select(OWN)
    assert find_variant(OWN).kernel
    window.commands["change-kernel"].trigger()
    assert "/* mine */" in editor.text.toPlainText()
    window.parts.session.results.select("dijkstra-heap")
    assert not window.commands["change-kernel"].isEnabled()
    assert "Select a variant with a kernel" in window.commands["change-kernel"].toolTip().replace(
        "\n", " "
    )
    window.parts.session.results.select("sssp-near-far")
    assert window.commands["change-kernel"].isEnabled()


def test_what_is_typed_is_kept_at_once_copied_and_brought_back(
    qtbot: QtBot,
    window: MainWindow,
    editor: KernelEditor,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    replace_text(editor, "next[v] = 0;", "next[v] = 0")
    monkeypatch.setattr(kernels.QInputDialog, "getText", lambda *_: ("My own", True))
    press(qtbot, editor, "Copy")
    files = [folder / "kernels" / f"{BASE}@{name}.cu" for name in ("changed", "my-own", "my-own-2")]
    assert files[0].read_text("utf-8") == editor.text.toPlainText(), "though it does not compile"
    replace_text(editor, "next[v] = 0", "next[v] = 0;")
    wait_for_state(qtbot, editor, "Compiled")
    files[1].write_text("that of another window")
    replace_text(editor, "next[v] = 0;", "next[v] = 0; /* mine */")
    wait_for_state(qtbot, editor, "Compiled")
    assert files[1].read_text("utf-8") == "that of another window"
    assert files[2].read_text("utf-8") == editor.text.toPlainText()
    press(qtbot, editor, "Delete")
    assert not files[2].exists()
    window.notices.notice.action()
    assert "/* mine */" in editor.text.toPlainText()
    assert files[2].is_file()
    replace_text(editor, "/* mine */", "/* ours */")
    controller_of(window, "own_kernels").shut_down()  # as the window closes
    assert "/* ours */" in files[2].read_text("utf-8")
    with qtbot.waitSignal(editor.rested):
        replace_text(editor, "/* ours */", "/* late */")
    assert "/* late */" not in files[2].read_text("utf-8"), (
        "nothing is kept, compiled or declared any more"
    )


def test_files_of_variants_that_fail_are_told_until_they_are_mended(
    qtbot: QtBot, window: MainWindow, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = folder / "mine.py"
    broken.write_text("raise RuntimeError")
    monkeypatch.setenv(user_variants.FOLDERS_VARIABLE, str(folder))
    user_variants.add_variants()
    open_graph(qtbot, window, TINY)
    assert "mine.py: line 1: RuntimeError" in window.notices.notice.text, (
        "though the graph came after it"
    )
    assert window.notices.notice.severity is Severity.ERROR, "it stays until it is read"
    broken.unlink()
    controller_of(window, "own_kernels")._read_again()
    assert window.notices.notice is None


def test_a_compiler_that_starts_while_the_window_closes_ends(
    qtbot: QtBot, window: MainWindow, editor: KernelEditor, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[UserProcess] = []
    closed = threading.Event()

    def start() -> UserProcess:
        started.append(UserProcess())
        closed.wait(10)
        return started[0]

    wait_for_state(qtbot, editor, "Compiled")
    controller_of(window, "own_kernels")._compiler.close()
    monkeypatch.setattr(user_process, "UserProcess", start)
    replace_text(editor, "next[v] = 0;", "next[v] = 0; /* mine */")
    qtbot.waitUntil(lambda: started != [], timeout=LONG)
    controller_of(window, "own_kernels").shut_down()
    closed.set()
    qtbot.waitUntil(lambda: window.parts.jobs.running(JobKind.KERNEL) is None, timeout=LONG)
    assert not started[0].is_usable


@pytest.mark.parametrize(
    ("log", "found"),
    [
        ("a.cu:33:5: error: expected ']'\n", Remark(33, True, "expected ']'")),
        ('a.cu(7): error: expected a ";"', Remark(7, True, 'expected a ";"')),
        (
            "a.cu:3:1: warning: unused 'x' [-W]\nb.h:3:1: error: no",
            Remark(3, False, "unused 'x' [-W]"),
        ),
    ],
)
def test_remarks_of_both_compilers_are_read(log: str, found: Remark) -> None:
    assert remarks_in(log, "a.cu") == (found,)


def test_an_exercise_is_read_once_opened_solved_and_counted(
    qtbot: QtBot, window: MainWindow, editor: KernelEditor, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, all_of_them = [], course.exercises
    monkeypatch.setattr(
        course, "exercises", lambda *given: read.append(given) or all_of_them(*given)
    )
    window.commands["exercises"].trigger()
    (dialog,) = window.findChildren(ExercisesDialog)
    assert "`" not in dialog.task.text()
    qtbot.mouseClick(dialog.open_button, Qt.MouseButton.LeftButton)
    first = all_of_them()[0][0]
    assert editor.title.text() == first.title
    press(qtbot, editor, "Check")
    qtbot.waitUntil(lambda: window.notices.notice is not None, timeout=2 * LONG)
    assert "smallest graph that fails" in window.notices.notice.text
    words = QTextDocument()
    words.setHtml(editor.task.text())
    assert "`relax`" in first.task
    assert words.find("relax").charFormat().font().family() == MONO
    assert all("`" not in label.text() for label in (editor.task, editor.hint))
    editor.text.selectAll()
    editor.text.insertPlainText(first.solution)
    press(qtbot, editor, "Check")
    qtbot.waitUntil(lambda: "Solved" in editor.findings.text(), timeout=2 * LONG)
    assert window.notices.notice is None
    assert dialog.tree.topLevelItem(0).text(2) == "solved, 2 checks"
    assert len(read) == 1, "reading them takes 50 ms of the window's thread"


def test_opening_a_kernel_is_little_work_for_the_windows_thread(qtbot: QtBot) -> None:
    """The lexer of a package that knows all of C++ took 100 to 300 ms of it, for the
    most part in Python's calls.
    """
    editor, calls = KernelEditor(30), 0
    qtbot.addWidget(editor)
    texts = [base_of(entry.id)[1].read_text("utf-8") for entry in all_variants() if entry.kernel]
    longest = max(texts, key=len)

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        editor.show_kernel("a kernel", longest, longest)
    finally:
        sys.setprofile(before)
    assert calls < 100 * len(longest.splitlines())
