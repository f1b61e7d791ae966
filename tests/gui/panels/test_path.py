"""The path panel: the path in figures, or why there is none."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from gui.model.session import Session
from gui.panels.path import PathPanel
from solvers.core.result import Status, Verdict
from solvers.graphs.labelled import LabelledGraph
from tests.gui.panels.sample import failed_result, line_graph, make_result, opened_session


@pytest.fixture
def session() -> Session:
    return opened_session()


@pytest.fixture
def panel(qtbot: QtBot, session: Session) -> PathPanel:
    panel = PathPanel(session)
    qtbot.addWidget(panel)
    panel.show()
    return panel


def test_before_a_run_it_says_what_to_do(panel: PathPanel) -> None:
    assert panel.heading.text() == "10 → 60"
    assert panel.facts.text() == "Not solved yet. Press Run."
    assert not panel.zoom_button.isVisible()


def test_a_path_has_a_length_with_its_unit_and_the_files_own_ids(panel: PathPanel, session: Session) -> None:
    session.results.add([make_result(session, "bf-serial", (1.0,))])
    assert panel.facts.text() == "length 500 m · 5 arcs"
    assert panel.list.toPlainText() == "10 → 20 → 30 → 40 → 50 → 60"


def test_long_paths_are_cut_in_the_list_but_copied_whole(qtbot: QtBot) -> None:
    session = opened_session(line_graph(500))
    panel = PathPanel(session)
    qtbot.addWidget(panel)
    panel.show()
    session.results.add([make_result(session, "bf-serial", (1.0,))])
    assert panel.list.toPlainText().endswith("→ 2000 … and 300 vertices more (Copy ids copies all)")
    qtbot.mouseClick(panel.copy_button, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text().split("\n") == [str(10 * i) for i in range(1, 501)]


def test_zoom_is_asked_for_not_done(qtbot: QtBot, panel: PathPanel, session: Session) -> None:
    session.results.add([make_result(session, "bf-serial", (1.0,))])
    with qtbot.waitSignal(panel.zoom_requested, timeout=1000):
        qtbot.mouseClick(panel.zoom_button, Qt.MouseButton.LeftButton)


def test_an_unreachable_target_is_said_in_words(panel: PathPanel, session: Session) -> None:
    far = np.array([0, 100, 200, 300, 400, 2**30 - 1], np.int32)
    session.results.add([make_result(session, "bf-serial", (1.0,), distances=far, path=None)])
    assert panel.facts.text() == "There is no path from 10 to 60: the target is unreachable."
    assert not panel.list.isVisible()


def test_a_wrong_answer_is_not_called_unreachable(panel: PathPanel, session: Session) -> None:
    wrong = make_result(session, "bf-serial", (1.0,), path=None, verdict=Verdict(False, 3, "3 are wrong."))
    session.results.add([wrong])
    assert panel.facts.text() == "The distance to 60 is given as 500 m, but the answer is wrong."


def test_a_path_that_does_not_add_up_to_the_distance_is_not_shown(panel: PathPanel, session: Session) -> None:
    far = np.array([0, 100, 200, 300, 400, 499], np.int32)
    session.results.add([make_result(session, "bf-serial", (1.0,), distances=far)])
    assert "no path was found whose arcs add up to it" in panel.facts.text()
    assert not panel.list.isVisible()


def test_a_negative_cycle_is_shown_with_its_vertices_and_sum(qtbot: QtBot) -> None:
    session = opened_session(line_graph(4, back=-450))
    panel = PathPanel(session)
    qtbot.addWidget(panel)
    panel.show()
    words = "Negative cycle of 4 vertices."
    session.results.add(
        [replace(failed_result(session, "bf-serial", Status.NEGATIVE_CYCLE, words), cycle=(0, 1, 2, 3))]
    )
    assert panel.heading.text() == "Negative cycle"
    assert "4 vertices and total weight -150 m" in panel.facts.text()
    assert panel.list.toPlainText() == "10 → 20 → 30 → 40 → 10"
    assert panel.zoom_button.text() == "Zoom to cycle"


def test_another_target_without_a_path_and_no_target_at_all(panel: PathPanel, session: Session) -> None:
    session.set_target(None)
    assert panel.heading.text() == "from 10"
    assert "Choose a target" in panel.facts.text()


def test_a_low_panel_scrolls_rather_than_piling_its_parts(qtbot: QtBot) -> None:
    """The buttons lay over the list of vertices."""
    session = opened_session(line_graph(6, back=-1000))
    panel = PathPanel(session)
    qtbot.addWidget(panel)
    panel.resize(300, 110)
    panel.show()
    cycle = tuple(range(6))
    session.results.add([failed_result(session, "bf-vertex", Status.NEGATIVE_CYCLE, "negative cycle")])
    session.results.add([replace(session.results.all[0], cycle=cycle)])
    qtbot.waitUntil(lambda: panel.copy_button.isVisible())
    qtbot.waitUntil(lambda: 0 < panel.facts.geometry().bottom() < panel.list.y())
    content = panel.facts.parentWidget()
    assert panel.copy_button.geometry().bottom() <= content.mapTo(panel, content.pos()).y()


@pytest.mark.parametrize("size", [(318, 112), (318, 60), (380, 170), (700, 400)])
def test_the_buttons_stay_in_sight_however_low_or_narrow_the_panel(
    qtbot: QtBot, panel: PathPanel, session: Session, size: tuple[int, int]
) -> None:
    panel.setMinimumSize(1, 1)
    panel.resize(*size)
    session.results.add([make_result(session, "bf-serial", (5.0,))])
    for button in (panel.copy_button, panel.zoom_button):
        qtbot.waitUntil(
            lambda button=button: button.isVisible() and panel.rect().contains(button.geometry(), proper=False)
        )
    assert panel.heading.geometry().right() < panel.copy_button.x()


def test_the_buttons_are_named_where_there_is_room_beside_the_heading(
    qtbot: QtBot, panel: PathPanel, session: Session
) -> None:
    session.results.add([make_result(session, "bf-serial", (5.0,))])
    panel.resize(500, 170)
    assert panel.zoom_button.toolButtonStyle() is Qt.ToolButtonStyle.ToolButtonTextBesideIcon
    panel.resize(200, 170)
    assert panel.zoom_button.toolButtonStyle() is Qt.ToolButtonStyle.ToolButtonIconOnly
    assert panel.zoom_button.accessibleName() == "Zoom to path"


def test_names_of_vertices_are_shown_and_copied(qtbot: QtBot) -> None:
    line = line_graph(4)
    attributes = {f.name: getattr(line, f.name) for f in fields(line) if f.init}
    names = ("Vaduz", "a\nb", "Triesenberg, Masescha and Gaflei", "Balzers")
    session = opened_session(LabelledGraph(**attributes, labels=names, numbered=True))
    panel = PathPanel(session)
    qtbot.addWidget(panel)
    panel.show()
    assert panel.heading.text() == "Vaduz → Balzers"
    session.results.add([make_result(session, "bf-serial", (1.0,))])
    assert panel.list.toPlainText() == "Vaduz → a\\x0ab → Triesenberg, Masescha and Gaflei → Balzers"
    qtbot.mouseClick(panel.copy_button, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text().split("\n")[-1] == "Balzers"
