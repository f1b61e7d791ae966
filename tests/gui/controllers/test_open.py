"""Opening graphs: by dialog, drop, recent files and generators; what happens when one
cannot be read.
"""

from __future__ import annotations

import errno
import json
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from gui.dialogs.messages import DetailsDialog
from gui.dialogs.open import GenerateDialog, OpenOptionsDialog
from gui.dialogs.search import SearchCard
from gui.model.jobs import JobKind
from gui.model.notice import Severity
from gui.model.settings import Settings
from gui.window import MainWindow
from solvers.graphs import graph as graph_module
from solvers.graphs.readers import Reading, read_graph
from solvers.graphs.reading import ReadingOptions
from solvers.system.cancel import Progress
from tests.data import data_file
from tests.gui.windows import PATIENCE_MS, SAMPLE, TINY, drop, open_graph, press, wait_until_idle


def test_a_clean_file_is_opened_without_a_word_and_graph_information_lists_what_was_found(
    qtbot: QtBot, window: MainWindow
) -> None:
    open_graph(qtbot, window, SAMPLE)
    assert window.windowTitle() == "Tautpath – harbour"
    assert not window.start_page.isVisible()
    facts = window.graph_chip.toolTip()
    assert "3\u202f000 vertices" in facts
    assert "8\u202f056 arcs" in facts
    assert (window.endpoints.source.text(), window.endpoints.target.text()) == ("1", "3000")

    assert window.notices.notice is None

    window.commands["information"].trigger()
    text = window.findChild(DetailsDialog).text.toPlainText()
    for words in (
        "3\u202f000",
        "8\u202f056",
        "Format",
        "SHA-256",
        window.parts.session.graph.sha256,
    ):  # type: ignore[union-attr]
        assert words in text


def test_a_missing_or_broken_file_leaves_the_graph_open_and_says_where_it_broke(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    with qtbot.waitSignal(window.parts.session.noticed, timeout=PATIENCE_MS):
        window.parts.open.open(tmp_path / "Nowhere.gr")
    assert window.notices.notice.text == "Nowhere.gr: there is no such file."

    with qtbot.waitSignal(window.parts.session.noticed):
        window.parts.open.open_all([TINY.with_suffix(".co")])
    assert "coordinates without a graph" in window.notices.notice.text

    with qtbot.waitSignal(window.parts.session.graph_changed, timeout=PATIENCE_MS):
        assert drop(window, TINY)
    assert window.parts.session.graph.name == "textbook"

    open_graph(qtbot, window, TINY)
    graph = window.parts.session.graph
    broken = tmp_path / "broken.gr"
    broken.write_text("p sp 3 2\na 1 2 5\na 2 x 7\n", encoding="ascii")
    with qtbot.waitSignal(window.parts.session.noticed, timeout=PATIENCE_MS):
        window.parts.open.open(broken)
    notice = window.notices.notice
    assert notice.severity is Severity.ERROR
    assert window.notices.isVisible()
    for words in ("broken.gr", "line 3", "a 2 x 7"):
        assert words in notice.text
    assert window.parts.session.graph is graph
    assert window.parts.settings.recent_files == (TINY.resolve(),)
    window.notices._details.click()
    details = window.findChild(DetailsDialog)
    assert details is not None
    for words in (str(broken), "Line: 3", "Text: a 2 x 7", "What to do"):
        assert words in details.text.toPlainText()
    details.close()


def test_files_that_are_refused_odd_of_earlier_versions_or_list_edges_once(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The system's refusal names the file, the reader's remarks can be put away, the profile once
    kept of every file is no choice, and a recent table is read by the columns chosen last.
    """

    def refuse(path: Path, *_: object) -> Reading:
        raise OSError(errno.ESTALE, "Stale file handle", str(path))

    with monkeypatch.context() as patch:
        patch.setattr("solvers.graphs.readers.read_graph", refuse)
        with qtbot.waitSignal(window.parts.session.noticed, timeout=PATIENCE_MS):
            window.parts.open.open(TINY)
        wait_until_idle(qtbot, window)
    assert window.notices.notice.text.startswith(f"{TINY.name}: stale file handle")
    assert not window.notices.notice.report

    odd = tmp_path / "odd.gr"
    odd.write_text("p sp 3 9\na 1 2 5\na 2 3 7\n", encoding="ascii")  # the header claims nine arcs
    open_graph(qtbot, window, odd)
    notice = window.notices.notice
    assert notice.severity is Severity.WARNING
    assert "Remarks" in notice.details
    window.notices.dismiss()
    assert not window.notices.isVisible()

    window.parts.open.open(TINY, ReadingOptions(profile="car"))
    wait_until_idle(qtbot, window)
    graph = window.parts.session.graph
    assert graph is not None
    assert graph.n == read_graph(TINY).graph.n

    path = tmp_path / "two.csv"
    path.write_text("from,to,minutes,euros\n1,2,5,7\n2,3,6,8\n")
    chosen = ReadingOptions(columns="from,to,euros", undirected=True)
    with qtbot.waitSignal(window.parts.session.graph_changed, timeout=PATIENCE_MS):
        window.parts.open.open(path, chosen)
    open_graph(qtbot, window, TINY)
    window.recent_menu.aboutToShow.emit()
    with qtbot.waitSignal(window.parts.session.graph_changed, timeout=PATIENCE_MS):
        window.recent_menu.actions()[1].trigger()
    assert sorted(window.parts.session.graph.weights.tolist()) == [7, 7, 8, 8]
    assert window.parts.settings.reading_of(path) == chosen

    once = tmp_path / "friends.txt"
    once.write_text("".join(f"{i} {i + 1}\n" for i in range(200)), encoding="ascii")
    open_graph(qtbot, window, once)
    assert window.parts.session.graph.m == 200
    notice = window.notices.notice
    assert "first id is less than the second" in notice.text
    assert window.notices._action.text() == "Open as undirected"
    with qtbot.waitSignal(window.parts.session.graph_changed, timeout=PATIENCE_MS):
        window.notices._action.click()
    wait_until_idle(qtbot, window)
    assert window.parts.session.graph.m == 400
    assert not window.parts.session.graph.directed
    assert window.notices.notice is None


def test_reading_can_be_cancelled_and_a_graph_that_arrives_afterwards_is_not_shown(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The work may be past its last checkpoint when Cancel is pressed."""
    open_graph(qtbot, window, TINY)
    graph = window.parts.session.graph
    started = threading.Event()

    def endless(_path: Path, _options: ReadingOptions, progress: Progress) -> None:
        started.set()
        while True:
            progress.checkpoint(1, 3)

    monkeypatch.setattr("solvers.graphs.readers.read_graph", endless)
    window.parts.open.open(SAMPLE)
    assert started.wait(10)
    assert window.commands["cancel"].isEnabled()
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: window.parts.jobs.running(JobKind.OPEN) is None, timeout=2000)
    assert window.parts.session.graph is graph

    cancelled = threading.Event()

    def deaf(path: Path, *_options: object) -> Reading:
        reading = read_graph(path)
        assert cancelled.wait(10)
        return reading

    monkeypatch.setattr("solvers.graphs.readers.read_graph", deaf)
    window.parts.open.open(SAMPLE)
    window.parts.run.cancel()
    cancelled.set()
    wait_until_idle(qtbot, window)
    assert window.parts.session.graph is graph


def test_recent_files_newest_first_without_those_that_have_gone(
    settings: Settings, tmp_path: Path
) -> None:
    paths = [tmp_path / f"{name}.gr" for name in "abc"]
    for path in paths:
        path.touch()
        settings.remember_file(path)
    settings.remember_file(paths[0])
    assert settings.recent_files == (paths[0], paths[2], paths[1])
    paths[2].unlink()
    assert settings.recent_files == (paths[0], paths[1])
    settings.forget_files()
    assert settings.recent_files == ()


def test_a_recent_file_opens_from_the_menu_and_the_search(qtbot: QtBot, window: MainWindow) -> None:
    open_graph(qtbot, window, TINY)
    open_graph(qtbot, window, SAMPLE)
    window.recent_menu.aboutToShow.emit()
    names = [action.text() for action in window.recent_menu.actions()]
    assert [name.split(" in ")[0] for name in names[:2]] == ["harbour.gr.gz", "textbook.gr"]
    assert names[1].endswith("samples"), "several files may have a name"
    with qtbot.waitSignal(window.parts.session.graph_changed, timeout=PATIENCE_MS):
        window.recent_menu.actions()[1].trigger()
    assert window.parts.session.graph.name == "textbook"
    window.commands["find"].trigger()
    card = window.findChild(SearchCard)
    QTest.keyClicks(card.field, "harbour.gr")
    first = card.list.topLevelItem(0)
    assert first.text(0) == "Open harbour.gr.gz"
    assert first.text(1).endswith("samples")
    with qtbot.waitSignal(window.parts.session.graph_changed, timeout=PATIENCE_MS):
        # in the loop of events, which deletes the card later
        QTimer.singleShot(0, lambda: QTest.keyClick(card.field, Qt.Key.Key_Return))
    assert window.parts.session.graph.name == "harbour"


def test_a_kept_reading_that_cannot_be_read_is_the_usual_one(
    settings: Settings, tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    path.touch()
    settings.remember_file(path, ReadingOptions(columns="1,2"))
    for kept in ("{", "[]", json.dumps({str(path): 3}), json.dumps({str(path): {"columns": 4}})):
        settings.store.setValue("recent_readings", kept)
        assert settings.reading_of(path) == ReadingOptions()
    settings.forget_files()
    assert settings.reading_of(path) == ReadingOptions()


def test_open_with_options_and_generate(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(TINY), ""))

    def choose(dialog: OpenOptionsDialog) -> bool:
        dialog._weights.setCurrentIndex(1)
        return True

    monkeypatch.setattr(OpenOptionsDialog, "exec", choose)
    with qtbot.waitSignal(window.parts.session.graph_changed, timeout=PATIENCE_MS):
        window.commands["open-options"].trigger()
    assert set(window.parts.session.graph.weights.tolist()) == {1}

    def choose_family(dialog: GenerateDialog) -> bool:
        dialog.family.setCurrentText("Road network")
        dialog.form.edited.emit("vertices", 400)
        return True

    monkeypatch.setattr(GenerateDialog, "exec", choose_family)
    with qtbot.waitSignal(window.parts.session.graph_changed, timeout=PATIENCE_MS):
        window.commands["generate"].trigger()
    assert window.parts.session.graph.n == 400


def test_a_road_network_of_new_york_in_the_window(qtbot: QtBot, window: MainWindow) -> None:
    open_graph(qtbot, window, data_file("dimacs/USA-road-d.NY.gr.gz"))
    assert window.windowTitle() == "Tautpath – USA-road-d.NY"
    facts = window.graph_chip.toolTip()
    assert "264\u202f346 vertices" in facts


def test_what_the_window_asks_of_a_graph_was_worked_out_in_the_job(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bounding the paths of 8.8 million arcs held up the window for half a second when
    its graph was shown.
    """
    threads = []

    def bound(*arrays: object) -> float:
        threads.append(threading.current_thread())
        return original(*arrays)

    original = graph_module.path_bound
    monkeypatch.setattr(graph_module, "path_bound", bound)
    open_graph(qtbot, window, TINY)
    assert threads
    assert threading.main_thread() not in threads


def test_a_dialog_whose_file_is_refused_keeps_its_choices(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row was refused, and all columns had to be chosen again."""
    path = tmp_path / "roads.csv"
    path.write_text("id,a,b,km,note\n1,x,y,3,-\n2,y,z,far,-\n")
    shown: list[int] = []

    def fill_in(dialog: OpenOptionsDialog) -> bool:
        shown.append(dialog.table.weight.currentIndex())
        if len(shown) > 1:
            return False
        for box, column in zip(
            (dialog.table.source, dialog.table.target, dialog.table.weight), (1, 2, 4), strict=True
        ):
            box.setCurrentIndex(column)
        return True

    monkeypatch.setattr(OpenOptionsDialog, "exec", fill_in)
    window.parts.open.ask_options(path)
    qtbot.waitUntil(lambda: window.notices.notice is not None, timeout=PATIENCE_MS)
    wait_until_idle(qtbot, window)
    assert "far" in window.notices.notice.text
    press(qtbot, window.notices, "Change options…")
    qtbot.waitUntil(lambda: len(shown) == 2)
    assert shown[1] == 4
