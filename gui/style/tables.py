"""Trees and tables of the window, which look alike: no frame, no grid, whole rows selected, figures of one width."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QAbstractItemView, QFrame, QTableView, QTreeWidget, QTreeWidgetItem

from gui.style.common_widgets import tabular
from gui.style.plain_text import visible
from gui.style.row_delegate import RoomyRows


def make_tree(header: Sequence[str], name: str, numbers: Iterable[int] = ()) -> QTreeWidget:
    """An empty tree of short texts.

    Parameters
    ----------
    header : sequence of str
        Titles of the columns.
    name : str
        For screen readers.
    numbers : iterable of int
        Columns of numbers, whose titles are aligned to the right.
    """
    tree = QTreeWidget()
    _settle(tree, name)
    tree.setHeaderLabels(list(header))
    tree.setItemDelegate(RoomyRows(tree))
    tree.setUniformRowHeights(True)
    align_right(tree.headerItem(), numbers)
    return tree


def add_heading(tree: QTreeWidget, text: str) -> QTreeWidgetItem:
    """A heading over the rows below it: bold, as wide as the tree, and never selected."""
    head = QTreeWidgetItem(tree, [visible(text)])
    font = QFont(tree.font())
    font.setWeight(QFont.Weight.DemiBold)
    head.setFont(0, font)
    head.setFirstColumnSpanned(True)
    head.setFlags(Qt.ItemFlag.ItemIsEnabled)
    return head


def align_right(item: QTreeWidgetItem, columns: Iterable[int]) -> None:
    """Align the texts of these columns of a row, or of the header, to the right."""
    for column in columns:
        item.setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


def settle_table(table: QTableView, name: str) -> None:
    """Give a table the look of all tables, and a name for screen readers; Tab leaves it."""
    _settle(table, name)
    table.setShowGrid(False)
    table.setTabKeyNavigation(False)
    table.verticalHeader().hide()
    table.horizontalHeader().setHighlightSections(False)


def _settle(view: QAbstractItemView, name: str) -> None:
    view.setFont(tabular(view.font()))
    view.setFrameShape(QFrame.Shape.NoFrame)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setAccessibleName(name)
