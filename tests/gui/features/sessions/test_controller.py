"""Sessions are saved and opened again in the real window: by menu, drop and command
line, with or without a graph.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox
from pytestqt.qtbot import QtBot

from gui import app
from gui.dialogs.help import HelpPage
from gui.dialogs.messages import DetailsDialog
from gui.model.notice import Severity
from gui.window import MainWindow
from solvers.core import variant
from solvers.core.variant import register
from solvers.features.own_kernels.user_process import UserProcess
from solvers.features.own_kernels.user_variants import ChangedKernel, base_of
from solvers.graphs import generators
from solvers.graphs.road_changes import RoadChanges
from solvers.system.disk_cache import FOLDER_VARIABLE
from tests.gui.windows import (
    PATIENCE_MS,
    TINY,
    drop,
    open_graph,
    sessions,
    tick_only,
    undoing,
    wait_until_idle,
)

GRAPH = "p sp 4 5\na 1 2 5\na 2 3 7\na 3 4 1\na 4 1 2\na 1 3 20\n"
PLACES = "p aux sp co 4\nv 1 0 0\nv 2 10 0\nv 3 10 10\nv 4 0 10\n"


@pytest.fixture
def saved(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> Path:
    """A session with everything set, saved beside its graph; another graph is open now."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "town.gr").write_text(GRAPH)
    (folder / "town.co").write_text(PLACES)
    open_graph(qtbot, window, folder / "town.gr")
    window.parts.session.set_endpoints(1, 2)
    tick_only(window, "dijkstra-heap", "sssp-delta-omp")
    window.parts.session.choices.set_parameter("sssp-delta-omp", "delta", 17)
    window.controller_of("isochrone").restore((4.0, 9.5))
    window.parts.canvas.options.set_layer("distance bands", True)
    window.parts.canvas.view.zoom_in()
    window.parts.canvas.view.zoom_in()
    path = folder / "a.tautpath"
    sessions(window).save(path)
    open_graph(qtbot, window, TINY)
    tick_only(window, "bf-python")
    window.parts.canvas.options.set_layer("distance bands", False)
    return path


def reopen(qtbot: QtBot, window: MainWindow, path: Path) -> None:
    sessions(window).open(path)
    wait_until_idle(qtbot, window)


def question(qtbot: QtBot, window: MainWindow) -> QMessageBox:
    def shown() -> list[QMessageBox]:
        return [box for box in window.findChildren(QMessageBox) if box.isVisible()]

    qtbot.waitUntil(lambda: shown() != [], timeout=PATIENCE_MS)
    (found,) = shown()
    return found


def answer(qtbot: QtBot, box: QMessageBox, text: str) -> None:
    button = next(button for button in box.buttons() if button.text().replace("&", "") == text)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def ids(window: MainWindow) -> tuple[int | None, int | None]:
    session = window.parts.session
    return tuple(
        None if v is None else int(session.graph.ids[v]) for v in (session.source, session.target)
    )


def test_a_session_comes_back_as_it_was_by_menu_drop_and_command_line(
    qtbot: QtBot, window: MainWindow, saved: Path
) -> None:
    reopen(qtbot, window, saved)
    assert window.parts.session.graph.name == "town"
    assert ids(window) == (2, 3)
    assert set(window.parts.session.choices.ids) == {"dijkstra-heap", "sssp-delta-omp"}
    assert window.parts.session.choices.parameters("sssp-delta-omp")["delta"] == 17
    assert window.controller_of("isochrone").budgets == (4.0, 9.5)
    assert window.parts.canvas.options.layers()["distance bands"]
    view, kept = window.parts.canvas.canvas.view.state, json.loads(saved.read_text())["view"]
    assert (view.x, view.y, view.scale, view.fitted) == pytest.approx(
        (kept["x"], kept["y"], kept["scale"], False)
    )
    assert not undoing(window).history.canUndo()
    again = saved.with_name("b.tautpath")
    sessions(window).save(again)
    assert json.loads(again.read_text()) == json.loads(saved.read_text())

    open_graph(qtbot, window, TINY)
    with qtbot.waitSignal(window.parts.session.graph_changed, timeout=PATIENCE_MS):
        assert drop(window, saved)
    wait_until_idle(qtbot, window)
    assert window.parts.session.graph.name == "town"
    open_graph(qtbot, window, TINY)
    app.begin(window, [saved])
    wait_until_idle(qtbot, window)
    assert window.parts.session.graph.name == "town"
    assert set(window.parts.session.choices.ids) == {"dijkstra-heap", "sssp-delta-omp"}

    window.commands["session-format"].trigger()
    page = window.findChild(HelpPage)
    assert page.windowTitle() == "Session files"
    text = page.text.toPlainText()

    def fields(values: object) -> set[str]:
        if isinstance(values, dict):
            return set(values).union(*map(fields, values.values()))
        return set().union(*map(fields, values)) if isinstance(values, list) else set()

    values = json.loads(saved.read_text())
    values["variants"] = []
    assert all(name in text for name in fields(values))
    page.close()

    graph = window.parts.session.graph
    window.parts.session.set_endpoints(0, 3)
    (saved.parent / "town.gr").unlink()
    sessions(window).open(saved)
    assert window.parts.session.graph is graph
    assert ids(window) == (2, 3)


def test_a_missing_graph_is_asked_for_and_both_are_opened_after_they_have_moved_together(
    qtbot: QtBot, window: MainWindow, saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Path(shutil.move(saved.parent / "town.gr", tmp_path / "village.gr"))
    sessions(window).open(saved)
    box = question(qtbot, window)
    assert "town" in box.text()
    assert str(saved.parent / "town.gr") in box.text()
    assert window.parts.session.graph.name == "textbook"
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(other), ""))
    answer(qtbot, box, "Locate the file…")
    wait_until_idle(qtbot, window)
    assert Path(window.parts.session.graph_source.path) == other.resolve()
    assert ids(window) == (2, 3)

    shutil.move(other, saved.parent / "town.gr")
    open_graph(qtbot, window, TINY)
    moved = saved.parent.rename(saved.parent.parent / "elsewhere")
    reopen(qtbot, window, moved / saved.name)
    assert Path(window.parts.session.graph_source.path) == (moved / "town.gr").resolve()
    assert ids(window) == (2, 3)


def test_a_changed_graph_is_opened_only_if_that_is_wanted(
    qtbot: QtBot, window: MainWindow, saved: Path
) -> None:
    (saved.parent / "town.gr").write_text(
        GRAPH.replace("p sp 4 5", "p sp 2 1")[: GRAPH.index("a 2 3")]
    )
    (saved.parent / "town.co").unlink()
    for said, name in (("Cancel", "textbook"), ("Open nevertheless", "town")):
        sessions(window).open(saved)
        box = question(qtbot, window)
        assert "4 vertices and 5 arcs" in box.text()
        assert "2 vertices and 1 arc" in box.text()
        assert window.parts.session.graph.name == "textbook"
        answer(qtbot, box, said)
        wait_until_idle(qtbot, window)
        assert window.parts.session.graph.name == name
    assert ids(window) == (2, None)
    assert "vertex 3, which town does not have" in window.notices.notice.text


def test_a_broken_session_changes_nothing_and_what_is_unknown_is_skipped_and_named(
    qtbot: QtBot, window: MainWindow, saved: Path
) -> None:
    before = window.parts.session.graph, ids(window), window.parts.session.choices.ids
    whole = saved.read_text()
    saved.write_text(whole[:200])
    reopen(qtbot, window, saved)
    assert window.notices.notice.severity is Severity.ERROR
    assert "a.tautpath, line" in window.notices.notice.text
    assert (window.parts.session.graph, ids(window), window.parts.session.choices.ids) == before

    values = json.loads(whole)
    values["variants"] = [
        {"id": "dijkstra-quantum"},
        {"id": "dijkstra-heap", "parameters": {"speed": 9}},
        {"id": "sssp-delta-omp", "parameters": {"delta": "wide"}},
    ]
    values["view"] |= {"layers": ["edges", "fog"], "layout": "knotted"}
    values["target"] = 10**30
    saved.write_text(json.dumps(values))
    reopen(qtbot, window, saved)
    notice = window.notices.notice
    assert notice.severity is Severity.WARNING
    for words in ("dijkstra-quantum", "speed", "wide", "fog", "knotted", str(10**30)):
        assert words in notice.text
    assert set(window.parts.session.choices.ids) == {"dijkstra-heap", "sssp-delta-omp"}
    assert ids(window) == (2, None)


def test_closed_and_slowed_roads_and_live_mode_with_its_sources_come_back(
    qtbot: QtBot, window: MainWindow, saved: Path
) -> None:
    reopen(qtbot, window, saved)
    session = window.parts.session
    session.want_roads(RoadChanges().close((1, 2)).slow(3.0, (3, 4)))
    wait_until_idle(qtbot, window)
    sessions(window).save(saved)
    open_graph(qtbot, window, TINY)
    values = json.loads(saved.read_text())
    values["roads"].append({"from": 1, "to": 99, "factor": None, "one_way": False})
    saved.write_text(json.dumps(values))
    reopen(qtbot, window, saved)
    wait_until_idle(qtbot, window)
    assert session.applied_roads == RoadChanges().close((1, 2)).slow(3.0, (3, 4))
    assert window.parts.session.graph.m == window.parts.session.graph.as_read.m - 1
    assert "road 1–99" in window.notices.notice.text
    assert not undoing(window).history.canUndo()

    assert not window.parts.session.unmeasured.follows
    window.parts.session.set_question((1, 3, 0), None)
    window.commands["live"].trigger()
    sessions(window).save(saved)
    open_graph(qtbot, window, TINY)
    window.commands["live"].trigger()
    reopen(qtbot, window, saved)
    assert window.parts.session.sources[1:] == (3, 0)
    assert window.commands["live"].isChecked()
    qtbot.waitUntil(lambda: window.parts.session.unmeasured.answer is not None, timeout=PATIENCE_MS)
    assert window.parts.session.unmeasured.answer.sources == (1, 3, 0)


def test_a_generated_graph_is_generated_again(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    window.parts.open.generate(generators.find("grid"), generators.find("grid").settle({}))
    wait_until_idle(qtbot, window)
    window.parts.session.set_endpoints(5, 9)
    hash_before, path = window.parts.session.graph.sha256, tmp_path / "grid.tautpath"
    sessions(window).save(path)
    open_graph(qtbot, window, TINY)
    reopen(qtbot, window, path)
    assert (
        window.parts.session.graph.sha256,
        window.parts.session.source,
        window.parts.session.target,
    ) == (
        hash_before,
        5,
        9,
    )
    values = json.loads(path.read_text())
    values["graph"]["generator"]["id"] = "gird"
    path.write_text(json.dumps(values))
    open_graph(qtbot, window, TINY)
    sessions(window).open(path)
    assert "gird" in window.notices.notice.text
    assert window.parts.session.graph.name == "textbook"


def test_saving_asks_for_a_name_and_adds_the_ending(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_graph(qtbot, window, TINY)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "mine"), ""))
    qtbot.keyClick(window, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    assert (tmp_path / "mine.tautpath").is_file()
    assert "mine.tautpath" in window.notices.notice.text
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "none" / "mine"), "")
    )
    window.commands["save-session"].trigger()
    assert window.notices.notice.severity is Severity.ERROR


def test_kernels_of_a_session_from_elsewhere_are_shown_before_they_are_added(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "data"))
    monkeypatch.setattr(variant, "_REGISTRY", dict(variant._REGISTRY))
    text = base_of("bf-edge")[1].read_text("utf-8") + "/* theirs */\n"
    theirs = ChangedKernel("bf-edge", text, "theirs")
    register(theirs.variant())
    open_graph(qtbot, window, TINY)
    tick_only(window, theirs.id, "bf-python")
    path = tmp_path / "a.tautpath"
    sessions(window).save(path)
    values = json.loads(path.read_text())
    assert values["kernels"] == [{"id": theirs.id, "text": text}]
    hostile = [
        ("bf-edge@../../x", text),
        ("no-such@x", text),
        ("bf-edge@x", "int x;"),
        ("bf-edge@y", " " * (1 << 21)),
    ]
    values["kernels"] += [{"id": name, "text": content} for name, content in hostile]
    path.write_text(json.dumps(values))
    reopen(qtbot, window, path)  # the kernel is known here
    assert window.findChild(DetailsDialog) is None
    for name in ("theirs", "x"):  # of which "x" of the session cannot be used
        register(ChangedKernel("bf-edge", text + "/* mine */\n", name).variant())
    values["variants"].append(values["variants"][0] | {"id": "bf-edge@x"})
    path.write_text(json.dumps(values))
    compiled: list[object] = []
    monkeypatch.setattr(UserProcess, "_ask", lambda *given, **more: compiled.append(given))
    reopen(qtbot, window, path)
    dialog = window.findChild(DetailsDialog)
    assert "// +/* theirs */" in dialog.text.toPlainText(), "what was changed is told first"
    assert set(window.parts.session.choices.ids) == {"bf-python"}
    assert "bf-edge@../../x" in window.notices.notice.text
    assert list((tmp_path / "data").glob("kernels/*")) == []
    add = next(button for button in dialog.buttons.buttons() if "Add" in button.text())
    qtbot.mouseClick(add, Qt.MouseButton.LeftButton)
    assert set(window.parts.session.choices.ids) == {"bf-python", "bf-edge@theirs-2"}  # mine stays
    assert (tmp_path / "data" / "kernels" / "bf-edge@theirs-2.cu").read_text() == text
    assert compiled == []
