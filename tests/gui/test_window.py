"""The window: opening, failing, remembering, dropping, cancelling - each as a user does it."""

from __future__ import annotations

import threading
import warnings
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel
from pytestqt.qtbot import QtBot

from gui import app, theme
from gui.dialogs.details import DetailsDialog
from gui.dialogs.devices import DevicesDialog
from gui.dialogs.generate import GenerateDialog
from gui.dialogs.open_options import OpenOptionsDialog
from gui.running import cheap_to_trace
from gui.session import Severity
from gui.settings import Settings
from gui.theme import Scheme
from gui.window import MainWindow
from solvers import catalog
from solvers.catalog import Variant, find
from solvers.graph import Graph
from solvers.problem import Problem, Solution
from solvers.readers import Reading, read_graph
from solvers.weights import longest_path_bound
from tests.data import data_file
from tests.gui.windows import PATIENCE_MS, SAMPLE, TINY, open_graph, tick_only, wait_until_idle

# -- opening ---------------------------------------------------------------------------------------------------------


def test_the_first_sight_of_it_teaches(window: MainWindow) -> None:
    assert window.start_page.isVisible()
    assert window.windowTitle() == "Tautline"
    assert not window.run_button.isEnabled()
    assert "graph" in window.run_button.toolTip()


def test_a_graph_in_the_window(qtbot: QtBot, window: MainWindow) -> None:
    open_graph(qtbot, window, SAMPLE)
    assert window.windowTitle() == "Tautline – harbour"
    assert not window.start_page.isVisible()
    facts = " ".join(label.text() for label in window.statusBar().findChildren(QLabel))
    assert "3,000 vertices" in facts
    assert "8,056 arcs" in facts
    assert (window.endpoints.source.text(), window.endpoints.target.text()) == ("1", "3000")


def test_a_broken_file_leaves_the_graph_open_and_says_where_it_broke(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    open_graph(qtbot, window, TINY)
    graph = window.session.graph
    broken = tmp_path / "broken.gr"
    broken.write_text("p sp 3 2\na 1 2 5\na 2 x 7\n", encoding="ascii")
    with qtbot.waitSignal(window.session.noticed, timeout=PATIENCE_MS):
        window.opening.open(broken)
    notice = window.notices.notice
    assert notice is not None
    assert notice.severity is Severity.ERROR
    assert window.notices.isVisible()
    for words in ("broken.gr", "line 3", "a 2 x 7"):
        assert words in notice.text
    assert window.session.graph is graph
    assert window.settings.recent_files == (TINY.resolve(),)
    window.notices._details.click()
    details = window.findChild(DetailsDialog)
    assert details is not None
    for words in (str(broken), "Line: 3", "Text: a 2 x 7", "What to do"):
        assert words in details.text.toPlainText()
    details.close()


def test_a_missing_file_is_named(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    with qtbot.waitSignal(window.session.noticed, timeout=PATIENCE_MS):
        window.opening.open(tmp_path / "nowhere.gr")
    assert window.notices.notice is not None
    assert "nowhere.gr" in window.notices.notice.text


def test_remarks_of_the_reader_are_a_notice_that_can_be_put_away(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    odd = tmp_path / "odd.gr"
    odd.write_text("p sp 3 9\na 1 2 5\na 2 3 7\n", encoding="ascii")  # the header claims nine arcs
    open_graph(qtbot, window, odd)
    notice = window.notices.notice
    assert notice is not None
    assert notice.severity is Severity.WARNING
    assert "Remarks" in notice.details
    window.notices.dismiss()
    assert not window.notices.isVisible()


def test_a_clean_file_is_opened_without_a_word(qtbot: QtBot, window: MainWindow) -> None:
    open_graph(qtbot, window, SAMPLE)
    assert window.notices.notice is None


def test_reading_can_be_cancelled_and_leaves_the_graph_open(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_graph(qtbot, window, TINY)
    graph = window.session.graph
    started = threading.Event()

    def endless(_path: Path, **options: object) -> None:
        started.set()
        while True:
            options["observer"].checkpoint(1, 3)  # type: ignore[attr-defined]

    monkeypatch.setattr("gui.opening.read_graph", endless)
    window.opening.open(SAMPLE)
    assert started.wait(10)
    assert window.commands["cancel"].isEnabled()
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: window.jobs.running("open") is None, timeout=2000)
    assert window.session.graph is graph


def test_recent_files_newest_first_without_those_that_have_gone(settings: Settings, tmp_path: Path) -> None:
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


def test_a_recent_file_opens_from_the_menu(qtbot: QtBot, window: MainWindow) -> None:
    open_graph(qtbot, window, TINY)
    open_graph(qtbot, window, SAMPLE)
    window._recent_menu.aboutToShow.emit()
    names = [action.text() for action in window._recent_menu.actions()]
    assert names[:2] == ["harbour.gr.gz", "textbook.gr"]
    with qtbot.waitSignal(window.session.graph_changed, timeout=PATIENCE_MS):
        window._recent_menu.actions()[1].trigger()
    assert window.session.graph is not None
    assert window.session.graph.name == "textbook"


def test_a_file_dropped_on_the_window_is_opened(qtbot: QtBot, window: MainWindow) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(TINY))])
    actions, buttons, keys = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Qt deprecates what only tests do: making these events
        enter = QDragEnterEvent(QPoint(200, 200), actions, data, buttons, keys)
        drop = QDropEvent(QPointF(200, 200), actions, data, buttons, keys)
    QApplication.sendEvent(window, enter)
    assert enter.isAccepted()
    with qtbot.waitSignal(window.session.graph_changed, timeout=PATIENCE_MS):
        QApplication.sendEvent(window, drop)
    assert window.session.graph is not None
    assert window.session.graph.name == "textbook"


def test_coordinates_alone_are_no_graph(qtbot: QtBot, window: MainWindow) -> None:
    with qtbot.waitSignal(window.session.noticed):
        window.opening.open_all([TINY.with_suffix(".co")])
    assert window.notices.notice is not None
    assert "coordinates without a graph" in window.notices.notice.text


def test_open_with_options(qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(TINY), ""))

    def choose(dialog: OpenOptionsDialog) -> bool:
        dialog._weights.setCurrentIndex(1)
        return True

    monkeypatch.setattr(OpenOptionsDialog, "exec", choose)
    with qtbot.waitSignal(window.session.graph_changed, timeout=PATIENCE_MS):
        window.commands["open-options"].trigger()
    assert window.session.graph is not None
    assert set(window.session.graph.weights.tolist()) == {1}


def test_generate_opens_a_graph_of_the_family(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    def choose(dialog: GenerateDialog) -> bool:
        dialog.choose("road")
        dialog.form.edited.emit("vertices", 400)
        return True

    monkeypatch.setattr(GenerateDialog, "exec", choose)
    with qtbot.waitSignal(window.session.graph_changed, timeout=PATIENCE_MS):
        window.commands["generate"].trigger()
    assert window.session.graph is not None
    assert window.session.graph.n == 400


def test_graph_information_lists_what_the_reader_found(qtbot: QtBot, window: MainWindow) -> None:
    open_graph(qtbot, window, SAMPLE)
    window.commands["information"].trigger()
    text = window.findChild(DetailsDialog).text.toPlainText()
    for words in ("3,000", "8,056", "Format", "SHA-256", window.session.graph.sha256):  # type: ignore[union-attr]
        assert words in text


# -- end points ------------------------------------------------------------------------------------------------------


def test_ids_typed_into_the_fields_are_the_file_s_own(qtbot: QtBot, window: MainWindow) -> None:
    open_graph(qtbot, window, SAMPLE)
    field = window.endpoints.source
    field.selectAll()
    qtbot.keyClicks(field, "17")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert window.session.source == 16


def test_an_unknown_id_is_refused_beneath_the_field_with_the_nearest(qtbot: QtBot, window: MainWindow) -> None:
    open_graph(qtbot, window, SAMPLE)
    field = window.endpoints.target
    for text, words in (("3001", "3000"), ("first", "first")):
        field.selectAll()
        qtbot.keyClicks(field, text)
        qtbot.keyClick(field, Qt.Key.Key_Return)
        assert f"“{text}”" in field.error
        assert words in field.error
    assert window.session.target == 2999
    qtbot.keyClicks(field, "2")
    assert field.error == ""


def test_an_empty_target_asks_for_distances_only(qtbot: QtBot, window: MainWindow) -> None:
    open_graph(qtbot, window, SAMPLE)
    field = window.endpoints.target
    field.selectAll()
    qtbot.keyClick(field, Qt.Key.Key_Delete)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert window.session.target is None


def test_find_goes_to_the_vertex_and_moves_no_end_point(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_graph(qtbot, window, SAMPLE)
    window.commands["find"].trigger()
    qtbot.waitUntil(window.endpoints.search.hasFocus)
    camera = window.canvas.graph_canvas.camera
    qtbot.keyClicks(window.endpoints.search, "1500")
    qtbot.keyClick(window.endpoints.search, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.canvas.graph_canvas.camera != camera)
    assert (window.session.source, window.session.target) == (0, 2999)


# -- running ---------------------------------------------------------------------------------------------------------


def test_with_nothing_ticked_run_says_why_it_is_off(qtbot: QtBot, window: MainWindow) -> None:
    open_graph(qtbot, window, TINY)
    tick_only(window)
    assert not window.run_button.isEnabled()
    assert "Tick" in window.run_button.toolTip()
    assert not window.commands["run"].isEnabled()
    tick_only(window, "dijkstra-heap", "bf-edge-flags")
    assert window.run_button.isEnabled()
    assert window.run_button.text() == "Run 2"


def test_at_the_first_start_a_set_worth_comparing_is_ticked(window: MainWindow) -> None:
    assert "dijkstra-heap" in window.session.chosen_ids
    assert len(window.session.chosen_ids) >= 2


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Make "dijkstra-array" run until it is cancelled; the event is set when it has begun."""
    begun = threading.Event()

    def solve(problem: Problem) -> Solution:
        begun.set()
        while True:
            problem.observer.checkpoint()

    slow: Variant = replace(find("dijkstra-array"), solve=solve)
    monkeypatch.setitem(catalog._REGISTRY, "dijkstra-array", slow)
    return begun


def test_cancel_keeps_what_was_finished(qtbot: QtBot, window: MainWindow, endless: threading.Event) -> None:
    open_graph(qtbot, window, TINY)
    tick_only(window, "dijkstra-heap")
    qtbot.mouseClick(window.run_button, Qt.MouseButton.LeftButton)
    wait_until_idle(qtbot, window)
    tick_only(window, "dijkstra-array")
    qtbot.mouseClick(window.run_button, Qt.MouseButton.LeftButton)
    assert endless.wait(30)
    qtbot.waitUntil(lambda: window.run_button.text() == "Cancel")
    window.commands["fit"].trigger()  # all else stays usable
    window.session.set_target(1)
    qtbot.mouseClick(window.run_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.jobs.running("solve") is None, timeout=2000)
    assert [r.variant.id for r in window.session.results] == ["dijkstra-heap"]
    assert window.run_button.text() == "Run 1"
    assert window.notices.notice is not None
    assert "cancelled" in window.notices.notice.text


def test_moving_the_source_stops_a_run_whose_answers_nobody_wants(
    qtbot: QtBot, window: MainWindow, endless: threading.Event
) -> None:
    open_graph(qtbot, window, TINY)
    tick_only(window, "dijkstra-array")
    window.commands["run"].trigger()
    assert endless.wait(30)
    window.session.set_source(1)
    assert window.jobs.running("solve") is None
    assert window.notices.notice.text.startswith("The run was stopped: the source has moved away from 1.")
    tick_only(window, "dijkstra-heap")
    window.commands["run"].trigger()
    wait_until_idle(qtbot, window)
    assert [r.source for r in window.session.results] == [1]


def test_closing_while_running_stops_it(
    qtbot: QtBot, settings: Settings, endless: threading.Event, qapp: QApplication
) -> None:
    window = MainWindow(settings)
    window.show()
    open_graph(qtbot, window, TINY)
    tick_only(window, "dijkstra-array")
    window.commands["run"].trigger()
    assert endless.wait(30)
    job = window.jobs.running("solve")
    assert job is not None
    window.close()
    assert job.wait(0)
    window.deleteLater()
    qtbot.wait(50)


def test_a_variant_that_cannot_run_is_said_and_the_others_stand(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_graph(qtbot, window, TINY)
    window.session.set_device(None)
    tick_only(window, "dijkstra-heap", "bf-strided-flag")
    window.commands["run"].trigger()
    wait_until_idle(qtbot, window)
    assert {r.variant.id: r.ok for r in window.session.results} == {"dijkstra-heap": True, "bf-strided-flag": False}
    assert window.notices.notice is not None
    assert "needs a CUDA or OpenCL device" in window.notices.notice.text


def test_a_small_run_is_traced_unasked_and_the_selected_one_is_loaded(qtbot: QtBot, window: MainWindow) -> None:
    open_graph(qtbot, window, SAMPLE)
    tick_only(window, "dijkstra-heap", "bf-edge-flags")
    window.commands["run"].trigger()
    wait_until_idle(qtbot, window)
    for variant_id in ("dijkstra-heap", "bf-edge-flags"):
        window.session.select(variant_id)
        wait_until_idle(qtbot, window)
        result = window.session.selected
        assert result is not None
        assert result.trace is not None
        assert window.playback.trace is result.trace
        assert len(result.times()) == 5  # the watched run counts for nothing
    assert window.commands["play"].isEnabled()


def test_a_large_or_slow_run_waits_to_be_asked(qtbot: QtBot, window: MainWindow) -> None:
    open_graph(qtbot, window, TINY)
    tick_only(window, "dijkstra-heap")
    window.commands["run"].trigger()
    wait_until_idle(qtbot, window)
    result = window.session.selected
    assert result is not None
    assert cheap_to_trace(result)
    slow = tuple(replace(t, phases=replace(t.phases, solve=9e9)) for t in result.trials)
    assert not cheap_to_trace(replace(result, trials=slow))


# -- the rest --------------------------------------------------------------------------------------------------------


def test_dark_and_light_reach_every_part(qtbot: QtBot, window: MainWindow) -> None:
    open_graph(qtbot, window, TINY)
    window.commands["scheme-dark"].trigger()
    assert theme.tokens().dark
    assert window.settings.scheme is Scheme.DARK
    qtbot.waitUntil(lambda: window.palette().window().color().name().upper() == theme.DARK.window)
    wait_until_idle(qtbot, window)
    canvas = window.canvas.graph_canvas
    qtbot.waitUntil(lambda: canvas.grab().toImage().pixelColor(3, 3).lightnessF() < 0.3)
    window.commands["scheme-light"].trigger()
    assert not theme.tokens().dark
    qtbot.waitUntil(lambda: canvas.grab().toImage().pixelColor(3, 3).lightnessF() > 0.7)


def test_layers_are_in_the_menu(qtbot: QtBot, window: MainWindow) -> None:
    open_graph(qtbot, window, TINY)
    window._layers_menu.aboutToShow.emit()
    actions = {action.text().lower(): action for action in window._layers_menu.actions()}
    assert set(actions) == set(window.canvas.layers())
    name = next(iter(actions))
    actions[name].setChecked(False)
    assert window.canvas.layers()[name] is False


def test_devices_and_what_is_missing_are_listed(qtbot: QtBot, window: MainWindow) -> None:
    window.commands["devices"].trigger()
    dialog = window.findChild(DevicesDialog)
    assert dialog is not None
    shown = [dialog._table.topLevelItem(i).text(1) for i in range(dialog._table.topLevelItemCount())]
    assert shown == [d.key for d in window.devices.list.devices] or not window.devices.list.devices
    with qtbot.waitSignal(window.devices.found, timeout=60_000):
        dialog._refresh.click()
        assert not dialog._refresh.isEnabled()
    assert dialog._refresh.isEnabled()
    dialog.close()


def test_what_is_remembered_between_starts(qtbot: QtBot, settings: Settings) -> None:
    assert settings.first_start
    first = MainWindow(settings)
    first.show()
    first.devices.discover()
    qtbot.waitUntil(lambda: first.devices.known, timeout=60_000)
    tick_only(first, "dijkstra-heap")
    first._right[2][0].close()
    first.close()
    second = MainWindow(settings)
    second.show()
    second.devices.discover()
    qtbot.waitUntil(lambda: second.devices.known, timeout=60_000)
    assert not settings.first_start
    assert second.session.chosen_ids == ("dijkstra-heap",)
    assert not second._right[2][0].isVisible()
    assert second._right[0][0].isVisible()
    second.close()
    for window in (first, second):
        window.deleteLater()


def test_the_first_start_opens_the_sample_and_a_file_is_opened_instead(
    qtbot: QtBot, window: MainWindow, settings: Settings
) -> None:
    with qtbot.waitSignal(window.session.graph_changed, timeout=PATIENCE_MS):
        app.begin(window, [])
    assert window.session.graph is not None
    assert window.session.graph.name == "harbour"
    with qtbot.waitSignal(window.session.graph_changed, timeout=PATIENCE_MS):
        app.begin(window, [TINY])
    assert window.session.graph.name == "textbook"


def test_an_unexpected_exception_is_a_notice_and_not_the_end(window: MainWindow) -> None:
    report = app.Reporter(window)
    try:
        raise ZeroDivisionError("one by nought")
    except ZeroDivisionError as error:
        report(type(error), error, error.__traceback__)
    notice = window.notices.notice
    assert notice is not None
    assert "inside Tautline" in notice.text
    assert "one by nought" in notice.details


def test_a_road_network_of_new_york_in_the_window(qtbot: QtBot, window: MainWindow) -> None:
    open_graph(qtbot, window, data_file("dimacs/USA-road-d.NY.gr.gz"))
    assert window.windowTitle() == "Tautline – USA-road-d.NY"
    facts = " ".join(label.text() for label in window.statusBar().findChildren(QLabel))
    assert "264,346 vertices" in facts


def test_a_file_that_lists_edges_once_can_be_opened_as_undirected_with_one_press(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    once = tmp_path / "friends.txt"
    once.write_text("".join(f"{i} {i + 1}\n" for i in range(200)), encoding="ascii")
    open_graph(qtbot, window, once)
    assert window.session.graph.m == 200
    notice = window.notices.notice
    assert "smaller id to a greater one" in notice.text
    assert window.notices._action.text() == "Open as undirected"
    with qtbot.waitSignal(window.session.graph_changed, timeout=PATIENCE_MS):
        window.notices._action.click()
    wait_until_idle(qtbot, window)
    assert window.session.graph.m == 400
    assert not window.session.graph.directed
    assert window.notices.notice is None


def test_what_the_window_asks_of_a_graph_was_worked_out_in_the_job(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bounding the paths of 8.8 million arcs held up the window for half a second when its graph was shown."""
    threads = []

    def bound(graph: Graph) -> float:
        threads.append(threading.current_thread())
        return longest_path_bound(graph)

    monkeypatch.setattr("solvers.graph.longest_path_bound", bound)
    open_graph(qtbot, window, TINY)
    assert threads
    assert threading.main_thread() not in threads


def test_a_graph_that_arrives_after_cancel_is_not_shown(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The work may be past its last checkpoint when Cancel is pressed."""
    open_graph(qtbot, window, TINY)
    graph = window.session.graph
    cancelled = threading.Event()

    def deaf(path: Path, **options: object) -> Reading:
        reading = read_graph(path)
        assert cancelled.wait(10)
        return reading

    monkeypatch.setattr("gui.opening.read_graph", deaf)
    window.opening.open(SAMPLE)
    window.running.cancel()
    cancelled.set()
    wait_until_idle(qtbot, window)
    assert window.session.graph is graph


def test_tab_reads_the_window_from_what_runs_to_what_it_cost(qtbot: QtBot, window: MainWindow) -> None:
    open_graph(qtbot, window, TINY)
    tick_only(window, "dijkstra-heap")
    window.running.run()
    wait_until_idle(qtbot, window)
    window.session.select("bf-edge")  # its card has parameters, which are made when it is selected
    window.session.select("dijkstra-heap")
    window.activateWindow()
    stops = [window.endpoints.source]
    stops[0].setFocus()
    while len(stops) < 80 and (len(stops) < 2 or stops[-1] is not stops[0]):
        qtbot.keyClick(stops[-1], Qt.Key.Key_Tab)
        stops.append(QApplication.focusWidget())
    assert stops[-1] is stops[0], "Tab goes round"
    parts = (
        window.endpoints, window.run_button, window.variants_panel, window.card, window.canvas, window.play_bar,
        window.results_panel, window.charts, window.path_panel,
    )  # fmt: skip
    visited = [
        next(i for i, p in enumerate(parts) if p is w or p.isAncestorOf(w))
        for w in stops
        if any(p is w or p.isAncestorOf(w) for p in parts)
    ]
    assert visited[:-1] == sorted(visited[:-1])
    assert set(visited) == set(range(len(parts)))


def test_enter_and_escape_give_the_keys_back_to_the_picture(qtbot: QtBot, window: MainWindow) -> None:
    open_graph(qtbot, window, TINY)
    window.activateWindow()
    field = window.endpoints.source
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "3")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert QApplication.focusWidget() is window.canvas.focusProxy()
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "5")
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert field.text() == "3"
    assert QApplication.focusWidget() is window.canvas.focusProxy()


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("abc", "“abc” is no vertex id: ids here are whole numbers, 1 to 8."),
        ("3.5", "“3.5” is no vertex id"),
        ("99999999999999999999", "Nearest: 8."),
        ("-1", "Nearest: 1."),
    ],
)
def test_what_is_no_id_is_refused_in_words(qtbot: QtBot, window: MainWindow, typed: str, said: str) -> None:
    open_graph(qtbot, window, TINY)
    field = window.endpoints.source
    before = window.session.source
    field.selectAll()
    qtbot.keyClicks(field, typed)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert said in field.error
    assert window.session.source == before


def test_names_that_would_stretch_or_mangle_a_menu_are_tamed(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / f"R&D {'road-' * 30}.gr"
    path.write_bytes(TINY.read_bytes())
    open_graph(qtbot, window, path)
    window._list_recent()
    action = window._recent_menu.actions()[0]
    assert action.text().startswith("R&&D road")
    assert action.text().endswith("road-.gr")
    assert len(action.text()) < 60
    assert action.toolTip() == str(path)
    assert window.windowTitle() == f"Tautline – {path.stem}"
