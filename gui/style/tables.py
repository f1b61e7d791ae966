"""Trees and tables that look alike: no frame, no grid, whole rows selected, and room around
short texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QTreeWidget,
    QTreeWidgetItem,
)

from gui.style.paint import LEFT, RIGHT, bold
from gui.style.text import escape_controls
from gui.style.widgets import SchemeFollower, soften_selection

ModelIndex: TypeAlias = QModelIndex | QPersistentModelIndex
NO_INDEX = QModelIndex()  # the parent of what lies at the top of a model
_ROOM = 8  # pixels
_FOUND_BY = Qt.ItemDataRole.UserRole + 9


def make_tree(header: Sequence[str], name: str, numbers: Iterable[int] = ()) -> QTreeWidget:
    """An empty tree of short texts, named for screen readers; titles of columns of
    ``numbers`` stand at the right.
    """
    tree = QTreeWidget()
    settle_view(tree, name)
    tree.setHeaderLabels(list(header))
    tree.setItemDelegate(RoomyRows(tree))
    tree.setUniformRowHeights(True)
    align_right(tree.headerItem(), numbers)
    return tree


def add_heading(tree: QTreeWidget, text: str) -> QTreeWidgetItem:
    """A heading over the rows below it: bold, as wide as the tree, and never selected."""
    head = QTreeWidgetItem(tree, [escape_controls(text)])
    head.setFont(0, bold(tree.font()))
    head.setFirstColumnSpanned(True)
    head.setFlags(Qt.ItemFlag.ItemIsEnabled)
    return head


def children_of(group: QTreeWidgetItem) -> list[QTreeWidgetItem]:
    return [child for i in range(group.childCount()) if (child := group.child(i)) is not None]


def find_by(item: QTreeWidgetItem, words: str) -> None:
    """Have `show_matching` look for its words in these."""
    item.setData(0, _FOUND_BY, words.casefold())


def show_matching(group: QTreeWidgetItem, words: Iterable[str]) -> None:
    """Hide the rows of a group that are not found by all ``words``, which are casefolded, and
    a group without others.
    """
    children = children_of(group)
    for child in children:
        child.setHidden(not all(word in child.data(0, _FOUND_BY) for word in words))
    group.setHidden(all(child.isHidden() for child in children))


def align_right(item: QTreeWidgetItem, columns: Iterable[int]) -> None:
    """Align the texts of these columns of a row, or of the header, to the right."""
    for column in columns:
        item.setTextAlignment(column, RIGHT)


def settle_table(table: QTableView, name: str) -> None:
    """Give a table the look of all tables, and a name for screen readers; Tab leaves it."""
    settle_view(table, name)
    table.setShowGrid(False)
    table.setTabKeyNavigation(False)
    table.verticalHeader().hide()
    table.horizontalHeader().setHighlightSections(False)
    table.horizontalHeader().setDefaultAlignment(LEFT)


def settle_view(view: QAbstractItemView, name: str) -> None:
    """Give a list or table the look of all, and a name for screen readers."""
    SchemeFollower(view, soften_selection)
    view.setFrameShape(QFrame.Shape.NoFrame)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setAccessibleName(name)


class RowDelegate(QStyledItemDelegate):
    """For tables whose rows are selected as a whole: draws no frame around the current cell."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: ModelIndex) -> None:
        super().initStyleOption(option, index)
        option.state &= ~QStyle.StateFlag.State_HasFocus


class RoomyRows(RowDelegate):
    """For lists of short texts: with room above and below each."""

    def sizeHint(self, option: QStyleOptionViewItem, index: ModelIndex) -> QSize:
        size = super().sizeHint(option, index)
        return QSize(size.width(), max(size.height(), option.fontMetrics.height() + _ROOM))
