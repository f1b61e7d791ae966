"""The tree of variants: what is ticked and selected there is ticked and selected everywhere."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QTreeWidgetItem
from pytestqt.qtbot import QtBot

from gui.model.session import Session
from gui.panels.variants import ID_ROLE, TAGS_ROLE, VariantsPanel
from solvers.core.variant import all_variants
from solvers.system import machine
from tests import graphs
from tests.gui.panels.sample import PretendGpu, opened_session


@pytest.fixture
def session() -> Session:
    return opened_session()


@pytest.fixture
def panel(qtbot: QtBot, session: Session) -> VariantsPanel:
    panel = VariantsPanel(session)
    qtbot.addWidget(panel)
    panel.resize(270, 900)
    panel.show()
    return panel


def item_of(panel: VariantsPanel, variant_id: str) -> QTreeWidgetItem:
    for i in range(panel.tree.topLevelItemCount()):
        group = panel.tree.topLevelItem(i)
        for k in range(group.childCount()):
            if group.child(k).data(0, ID_ROLE) == variant_id:
                return group.child(k)
    raise AssertionError(f"{variant_id} is not in the tree")


def shown_ids(panel: VariantsPanel) -> set[str]:
    return {v.id for v in all_variants() if not item_of(panel, v.id).isHidden()}


def test_every_variant_of_the_catalogue_is_in_the_tree_once(panel: VariantsPanel) -> None:
    groups = [panel.tree.topLevelItem(i) for i in range(panel.tree.topLevelItemCount())]
    assert sum(group.childCount() for group in groups) == len(all_variants())
    assert [group.text(0) for group in groups] == list(dict.fromkeys(v.algorithm.value for v in all_variants()))


def test_a_click_on_the_box_ticks_the_variant(qtbot: QtBot, panel: VariantsPanel, session: Session) -> None:
    item = item_of(panel, "bf-serial")
    panel.tree.scrollToItem(item)
    rect = panel.tree.visualItemRect(item)
    qtbot.mouseClick(panel.tree.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(rect.left() + 10, rect.center().y()))
    assert session.choices.ids == ("bf-serial",)


def test_space_ticks_the_current_row(qtbot: QtBot, panel: VariantsPanel, session: Session) -> None:
    session.select("bf-serial")
    panel.tree.setFocus()
    qtbot.keyClick(panel.tree, Qt.Key.Key_Space)
    assert session.choices.ids == ("bf-serial",)
    qtbot.keyClick(panel.tree, Qt.Key.Key_Space)
    assert session.choices.ids == ()


def test_what_was_chosen_before_the_panel_was_built_stays_chosen(qtbot: QtBot, session: Session) -> None:
    session.choices.choose("bf-serial")
    panel = VariantsPanel(session)
    qtbot.addWidget(panel)
    assert session.choices.ids == ("bf-serial",)
    assert item_of(panel, "bf-serial").checkState(0) is Qt.CheckState.Checked


def test_selecting_a_row_selects_everywhere_and_back(qtbot: QtBot, panel: VariantsPanel, session: Session) -> None:
    item = item_of(panel, "bf-serial")
    rect = panel.tree.visualItemRect(item)
    qtbot.mouseClick(panel.tree.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(rect.left() + 80, rect.center().y()))
    assert session.selected_id == "bf-serial"
    assert session.choices.ids == ()
    session.select("fw-serial")
    assert panel.tree.currentItem().data(0, ID_ROLE) == "fw-serial"


def test_a_group_ticks_what_is_available_and_counts_it(panel: VariantsPanel, session: Session) -> None:
    group = item_of(panel, "fw-serial").parent()
    group.setCheckState(0, Qt.CheckState.Checked)
    chosen = [i for i in session.choices.ids if i.startswith("fw-")]
    assert "fw-serial" in chosen
    assert group.data(0, TAGS_ROLE) == f"{len(chosen)} of {group.childCount()}"
    group.setCheckState(0, Qt.CheckState.Unchecked)
    assert session.choices.ids == ()


def test_without_a_device_kernels_cannot_be_ticked_and_say_why(
    qtbot: QtBot, panel: VariantsPanel, session: Session
) -> None:
    session.set_device(None)
    item = item_of(panel, "bf-vertex")
    qtbot.waitUntil(lambda: "device" in item.toolTip(0))
    assert not item.flags() & Qt.ItemFlag.ItemIsUserCheckable
    assert item.flags() & Qt.ItemFlag.ItemIsSelectable, "one can still read about it"
    session.set_device(PretendGpu())
    qtbot.waitUntil(lambda: bool(item_of(panel, "bf-vertex").flags() & Qt.ItemFlag.ItemIsUserCheckable))


def test_a_layout_that_does_not_fit_says_so_before_run(
    qtbot: QtBot, panel: VariantsPanel, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.open_graph(graphs.at_random(3000, 9000, seed=2))
    monkeypatch.setattr(machine, "memory", lambda: machine.Memory(10**9, 10_000_000))
    item = item_of(panel, "dijkstra-array")
    assert item.flags() & Qt.ItemFlag.ItemIsUserCheckable
    qtbot.wait(0)
    session.choices.set_parameter("dijkstra-array", "layout", "matrix")
    assert "for the adjacency matrix" in item.toolTip(0)
    assert not item.flags() & Qt.ItemFlag.ItemIsUserCheckable
    session.choices.set_parameter("dijkstra-array", "layout", "csr")
    assert item.flags() & Qt.ItemFlag.ItemIsUserCheckable


def test_ticking_asks_nothing_of_the_machine(
    panel: VariantsPanel, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui.panels.variants.availability", lambda *asked: pytest.fail(f"asked again: {asked}"))
    session.choices.choose("bf-serial")
    assert item_of(panel, "bf-serial").checkState(0) is Qt.CheckState.Checked


def test_a_variant_that_became_unavailable_can_be_unticked(panel: VariantsPanel, session: Session) -> None:
    session.choices.choose("bf-vertex")
    session.set_device(None)
    item_of(panel, "bf-vertex").setCheckState(0, Qt.CheckState.Unchecked)
    assert session.choices.ids == ()


def test_the_filter_keeps_rows_that_hold_every_word(qtbot: QtBot, panel: VariantsPanel) -> None:
    qtbot.keyClicks(panel.filter, "bellman serial")
    assert shown_ids(panel) == {v.id for v in all_variants() if v.id in ("bf-serial", "bf-python")}
    panel.filter.clear()
    assert shown_ids(panel) == {v.id for v in all_variants()}


def test_the_filter_counts_what_it_shows(qtbot: QtBot, panel: VariantsPanel, session: Session) -> None:
    assert not panel.count.isVisible()
    session.choices.choose("bf-serial")
    qtbot.keyClicks(panel.filter, "bellman serial")
    assert panel.count.text() == f"2 of {len(all_variants())} variants"
    assert item_of(panel, "bf-serial").parent().data(0, TAGS_ROLE) == "1 of 2"
    panel.filter.setText("xyzzy")
    assert "xyzzy" in panel.count.text()
    assert panel.count.text().startswith("No variant matches")
    qtbot.keyClick(panel.filter, Qt.Key.Key_Escape)
    assert panel.filter.text() == ""
    assert not panel.count.isVisible()


def test_the_arrow_keys_lead_from_the_filter_into_the_list_and_back(
    qtbot: QtBot, panel: VariantsPanel, session: Session
) -> None:
    panel.activateWindow()
    panel.filter.setFocus()
    qtbot.waitUntil(panel.filter.hasFocus)
    qtbot.keyClicks(panel.filter, "dijkstra-heap")
    qtbot.keyClick(panel.filter, Qt.Key.Key_Down)
    assert panel.tree.hasFocus()
    assert session.selected_id == "dijkstra-heap"
    qtbot.keyClick(panel.tree, Qt.Key.Key_Space)
    assert session.choices.ids == ("dijkstra-heap",)
    for _ in range(2):  # the group's row, then the filter
        qtbot.keyClick(panel.tree, Qt.Key.Key_Up)
    assert panel.filter.hasFocus()


def test_a_group_that_was_collapsed_is_so_again_after_the_filter(qtbot: QtBot, panel: VariantsPanel) -> None:
    group = item_of(panel, "bf-serial").parent()
    group.setExpanded(False)
    qtbot.keyClicks(panel.filter, "bellman")
    assert group.isExpanded()
    panel.filter.clear()
    assert not group.isExpanded()
    assert item_of(panel, "fw-serial").parent().isExpanded()


def test_escape_in_the_list_clears_the_filter_too(qtbot: QtBot, panel: VariantsPanel) -> None:
    panel.filter.setText("dijkstra-heap")
    panel.tree.setFocus()
    qtbot.keyClick(panel.tree, Qt.Key.Key_Escape)
    assert panel.filter.text() == ""


def test_a_chip_is_left_out_only_where_the_title_says_the_same_word(panel: VariantsPanel) -> None:
    assert item_of(panel, "bf-serial").data(0, TAGS_ROLE) == []
    assert "GPU" in item_of(panel, "da2cf-f-gpu").data(0, TAGS_ROLE)
