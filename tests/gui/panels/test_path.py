"""The path panel: the path in figures, or why there is none."""

from __future__ import annotations

from dataclasses import fields, replace

import networkx
import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gui.model.session import Session
from gui.panels.path import PathPanel
from gui.style.forms import tool_button
from solvers import read
from solvers.core.result import Status, Verdict
from solvers.graphs.labelled import LabelledGraph
from tests.golden import Golden
from tests.gui.panels.sample import failed_result, line_graph, make_result, opened_session


def shown(qtbot: QtBot, session: Session) -> PathPanel:
    panel = PathPanel(session)
    qtbot.addWidget(panel)
    panel.show()
    return panel


@pytest.fixture
def panel(qtbot: QtBot, session: Session) -> PathPanel:
    return shown(qtbot, session)


def far(*distances: int) -> dict[str, object]:
    return {"distances": np.array(distances, np.int32)}


WRONG = Verdict(False, 3, "3 are wrong.")
SAID: dict[str, dict[str, object] | None] = {
    "before a run": None,
    "a path": {},
    "an unreachable target": {**far(0, 100, 200, 300, 400, 2**30 - 1), "path": None},
    "a wrong answer": {"path": None, "verdict": WRONG},
    "a path that does not add up to the distance": far(0, 100, 200, 300, 400, 499),
    "a failed run": {"status": Status.ERROR, "error": "bf-serial: no."},
}


def said(panel: PathPanel) -> str:
    """The texts that are shown, line by line."""
    texts = (
        panel.heading.text(),
        panel.facts.text(),
        panel.list.toPlainText() if panel.list.isVisible() else "",
    )
    buttons = [b.text() for b in (panel.copy_button, panel.zoom_button) if b.isVisible()]
    return "\n".join(filter(None, (*texts, " | ".join(buttons))))


@pytest.mark.parametrize("name", SAID)
def test_what_is_said_of_a_path(
    panel: PathPanel, session: Session, golden: Golden, name: str
) -> None:
    if (attributes := SAID[name]) is not None:
        session.results.add([make_result(session, "bf-serial", (1.0,), **attributes)])
    golden.check("path panel", name, said(panel))


def test_attributes_that_are_a_cost_or_a_length_are_summed_along_the_path(qtbot: QtBot) -> None:
    first = {"weight": 1, "km": 4, "lanes": 2, "price": 2.5, "cost": 7}  # the cost of one arc only
    edges = ((0, 1, first), (1, 2, {"weight": 1, "km": 3, "lanes": 2, "price": 1}))
    session = opened_session(read(networkx.DiGraph(edges)))
    panel = shown(qtbot, session)
    path = np.array([0, 1, 2], np.int32)
    result = make_result(session, "bf-serial", (1.0,), **far(0, 1, 2), path=path)
    session.results.add([result])
    assert panel.facts.text() == "length 2 · 7.00 km · price 3.5 · 2 arcs"


def test_what_is_said_without_ends_and_of_a_negative_cycle(qtbot: QtBot, golden: Golden) -> None:
    session = opened_session(line_graph(4, back=-450))
    panel = shown(qtbot, session)
    failed = failed_result(
        session, "bf-serial", Status.NEGATIVE_CYCLE, "Negative cycle of 4 vertices."
    )
    session.results.add([replace(failed, cycle=(0, 1, 2, 3))])
    golden.check("path panel", "a negative cycle", said(panel))
    session.results.clear()
    session.set_target(None)
    golden.check("path panel", "no target", said(panel))
    session.set_source(None)
    golden.check("path panel", "no source", said(panel))
    golden.check("path panel", "no graph", said(shown(qtbot, Session())))


def test_long_paths_are_cut_in_the_list_but_copied_whole(qtbot: QtBot) -> None:
    session = opened_session(line_graph(500))
    panel = shown(qtbot, session)
    session.results.add([make_result(session, "bf-serial", (1.0,))])
    assert panel.list.toPlainText().endswith("→ 2000 … and 300 vertices more (Copy ids copies all)")
    qtbot.mouseClick(panel.copy_button, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text().split("\n") == [str(10 * i) for i in range(1, 501)]


def test_zoom_is_asked_for_not_done(qtbot: QtBot, panel: PathPanel, session: Session) -> None:
    session.results.add([make_result(session, "bf-serial", (1.0,))])
    with qtbot.waitSignal(panel.zoom_requested, timeout=1000):
        qtbot.mouseClick(panel.zoom_button, Qt.MouseButton.LeftButton)


def test_a_low_panel_scrolls_rather_than_piling_its_parts(qtbot: QtBot) -> None:
    """The buttons lay over the list of vertices."""
    session = opened_session(line_graph(6, back=-1000))
    panel = shown(qtbot, session)
    panel.resize(300, 110)
    cycle = tuple(range(6))
    session.results.add(
        [failed_result(session, "bf-vertex", Status.NEGATIVE_CYCLE, "negative cycle")]
    )
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
            lambda button=button: (
                button.isVisible() and panel.rect().contains(button.geometry(), proper=False)
            )
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


def test_buttons_that_appear_later_are_named_as_the_others(
    qtbot: QtBot, panel: PathPanel, session: Session
) -> None:
    """Only Alternatives, which was there before the path, had its name, and broke the heading."""
    panel.add_table(QWidget(), other := tool_button("Alternatives", "", icon="alternatives"))
    panel.resize(420, 170)
    session.results.add([make_result(session, "bf-serial", (5.0,))])
    buttons = (other, panel.copy_button, panel.zoom_button)
    assert all(button.isVisible() for button in buttons)
    assert len({button.toolButtonStyle() for button in buttons}) == 1


def test_names_of_vertices_are_shown_and_copied(qtbot: QtBot) -> None:
    line = line_graph(4)
    attributes = {f.name: getattr(line, f.name) for f in fields(line) if f.init}
    names = ("Vaduz", "a\nb", "Triesenberg, Masescha and Gaflei", "Balzers")
    session = opened_session(LabelledGraph(**attributes, labels=names, numbered=True))
    panel = shown(qtbot, session)
    assert panel.heading.text() == "Vaduz → Balzers"
    session.results.add([make_result(session, "bf-serial", (1.0,))])
    assert (
        panel.list.toPlainText() == "Vaduz → a\\x0ab → Triesenberg, Masescha and Gaflei → Balzers"
    )
    qtbot.mouseClick(panel.copy_button, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text().split("\n")[-1] == "Balzers"
