"""Widgets that all panels use, with their trees and tables."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTableWidget, QTreeWidgetItem
from pytestqt.qtbot import QtBot

from gui.style.widgets import ElidedBox, add_heading, align_right, make_tree, settle_table


def test_a_narrow_box_shows_the_short_text_or_elides_it(qtbot: QtBot) -> None:
    box = ElidedBox()
    qtbot.addWidget(box)
    box.addItem("Bellman-Ford strided + flag", "id")
    box.setItemData(0, ("BF strided + flag",), ElidedBox.FORMS_ROLE)
    for text in box.forms(0):
        box.resize(box.room_for(text), 26)
        assert box.shown_text == text
    box.resize(box.room_for("BF strided + flag") // 2, 26)
    assert "…" in box.shown_text
    assert box.forms(-1) == ("",)
    box.resize(80, 26)
    box.show()
    assert not box.grab().isNull()


def test_numbers_and_their_titles_are_aligned_to_the_right(qtbot: QtBot):
    tree = make_tree(("Graph", "Vertices"), "Graphs", [1])
    qtbot.addWidget(tree)
    item = QTreeWidgetItem(tree, ["New York", "264 346"])
    align_right(item, [1])
    for row in (tree.headerItem(), item):
        assert Qt.AlignmentFlag(row.textAlignment(1)) & Qt.AlignmentFlag.AlignRight
        assert not Qt.AlignmentFlag(row.textAlignment(0)) & Qt.AlignmentFlag.AlignRight
    assert tree.accessibleName() == "Graphs"


def test_a_heading_is_bold_harmless_and_never_selected(qtbot: QtBot):
    tree = make_tree(("Graph", "Vertices"), "Graphs")
    qtbot.addWidget(tree)
    head = add_heading(tree, "Roads\u202e")
    assert head.font(0).weight() > tree.font().weight()
    assert "\u202e" not in head.text(0)
    tree.setCurrentItem(head)
    assert tree.selectedItems() == []


def test_tab_leaves_a_table(qtbot: QtBot):
    table = QTableWidget(2, 2)
    qtbot.addWidget(table)
    settle_table(table, "Runs")
    assert not table.tabKeyNavigation()
    assert table.verticalHeader().isHidden()
