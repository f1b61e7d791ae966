"""Tree of variants: ticked variants are run, the selected one is described on the card."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QPainter, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from gui.model.session import Session
from gui.style.forms import fill_panel, text_field
from gui.style.paint import RIGHT, bold, scaled_font, write
from gui.style.tables import ModelIndex, children_of, find_by, settle_view, show_matching
from gui.style.text import fitting_text, short_title, tool_tip
from gui.style.theme import tokens
from gui.style.widgets import GAP, QuietLabel, colour_of, dot_icon, on_scheme_change, tags_of
from solvers.core.availability import availability
from solvers.core.variant import Variant, all_variants, find_variant, registered
from solvers.system.machine import one_reading_of_memory

MINE = "Mine"  # the group of the user's own variants
ID_ROLE = Qt.ItemDataRole.UserRole
TAGS_ROLE = Qt.ItemDataRole.UserRole + 1

_STATES = {True: Qt.CheckState.Checked, False: Qt.CheckState.Unchecked}
_LIST_KEYS = (Qt.Key.Key_Down, Qt.Key.Key_PageDown, Qt.Key.Key_Return, Qt.Key.Key_Enter)


class VariantsPanel(QWidget):
    """Filter field and tree; edits the session's choices and selection and follows both."""

    def __init__(self, session: Session):
        super().__init__()
        self._session = session
        self._items: dict[str, QTreeWidgetItem] = {}
        self._groups: dict[str, QTreeWidgetItem] = {}
        # parameters used for a variant's last availability check
        self._checked: dict[str, Mapping[str, Any]] = {}
        # groups, before the filter expanded them; empty without a filter
        self._collapsed_before: list[bool] = []

        hint = "Filter: name, paper, GPU"
        self.filter = text_field(hint, "Filter variants", clearable=True)
        self.filter.textChanged.connect(self._apply_filter)
        self.filter.installEventFilter(self)
        self.count = QuietLabel()
        self.count.hide()
        self.tree = _Tree()
        self.tree.left_upwards.connect(self.filter.setFocus)
        self.tree.installEventFilter(self)
        fill_panel(self, self.filter, self.count, self.tree)

        self._fill()
        self.tree.itemChanged.connect(self._ticked)
        self.tree.currentItemChanged.connect(self._selected)
        session.choices.variants_changed.connect(self._follow_own)
        session.choices.changed.connect(self._follow_parameters)
        session.results.selection_changed.connect(self._follow_selection)
        # In an event of its own: with many others at once, the check of all variants
        # would stall the window.
        self._check_later = QTimer(self, singleShot=True, interval=0)
        self._check_later.timeout.connect(self._follow_availability)
        session.graph_changed.connect(self._check_later.start)
        session.device_changed.connect(self._check_later.start)
        on_scheme_change(self._restyle)
        self._follow_availability()
        self._follow_selection()

    def _fill(self) -> None:
        for variant in all_variants():
            self._add(variant)
        self.tree.expandAll()

    def _add(self, variant: Variant) -> None:
        title = MINE if variant.is_own else variant.algorithm.value
        group = self._groups.get(title)
        if group is None:
            group = self._groups[title] = self._new_group(title)
        self._items[variant.id] = self._new_item(group, variant)

    def _follow_own(self) -> None:
        """Show the user's own variants as they are now."""
        with QSignalBlocker(self.tree):
            group = self._groups.pop(MINE, None)
            if group is not None:
                for child in children_of(group):
                    self._items.pop(child.data(0, ID_ROLE), None)
                    self._checked.pop(child.data(0, ID_ROLE), None)
                self.tree.takeTopLevelItem(self.tree.indexOfTopLevelItem(group))
            for variant in all_variants():
                if variant.is_own:
                    self._add(variant)
            if MINE in self._groups:
                self._groups[MINE].setExpanded(True)
        self._apply_filter(self.filter.text())
        self._follow_selection()

    def _new_group(self, title: str) -> QTreeWidgetItem:
        group = QTreeWidgetItem([title])
        self.tree.insertTopLevelItem(0 if title == MINE else self.tree.topLevelItemCount(), group)
        group.setFlags(
            Qt.ItemFlag.ItemIsEnabled
            | Qt.ItemFlag.ItemIsSelectable
            | Qt.ItemFlag.ItemIsUserCheckable
        )
        group.setFont(0, bold(group.font(0)))
        return group

    def _new_item(self, group: QTreeWidgetItem, variant: Variant) -> QTreeWidgetItem:
        title = variant.title
        if variant.is_own:
            name = variant.id.rpartition("@")[2]
            changed = variant.base_id != variant.id
            title = (
                f"{name}: {short_title(find_variant(variant.base_id))}"
                if changed
                else variant.full_title
            )
        item = QTreeWidgetItem(group, [title])
        item.setData(0, ID_ROLE, variant.id)
        item.setData(0, _SHORT_ROLE, "" if title != variant.title else variant.short_title)
        find_by(item, _haystack(variant, tags_of(variant)))
        item.setIcon(0, dot_icon(colour_of(variant)))
        return item

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let Down and Enter lead from the filter to the first variant shown, and Esc,
        in the list too, clear it.
        """
        if not isinstance(event, QKeyEvent):
            return super().eventFilter(watched, event)
        clears = event.key() == Qt.Key.Key_Escape and bool(self.filter.text())
        enters = watched is self.filter and event.key() in _LIST_KEYS
        if event.type() is QEvent.Type.ShortcutOverride and clears:
            event.accept()  # not the window's Cancel
            return True
        if event.type() is QEvent.Type.KeyPress and (clears or enters):
            self.filter.clear() if clears else self._enter_list()
            return True
        return super().eventFilter(watched, event)

    def _enter_list(self) -> None:
        shown = [item for item in self._items.values() if not item.isHidden()]
        if shown:
            first = next((item for item in shown if item is self.tree.currentItem()), shown[0])
            self.tree.setCurrentItem(first)
            self.tree.setFocus(Qt.FocusReason.OtherFocusReason)
            self.tree.scrollToItem(first)

    def _ticked(self, item: QTreeWidgetItem) -> None:
        ticked = item.checkState(0) is Qt.CheckState.Checked
        children = (
            [item]
            if item.parent()
            else [child for child in children_of(item) if not child.isHidden()]
        )
        meant = {
            child.data(0, ID_ROLE) for child in children if not ticked or self._is_available(child)
        }
        chosen = set(self._session.choices.ids)
        self._session.choices.choose_only(chosen | meant if ticked else chosen - meant)
        self._follow_choices()

    def _selected(self, item: QTreeWidgetItem | None) -> None:
        if item is not None and item.data(0, ID_ROLE):
            self._session.results.select(item.data(0, ID_ROLE))

    def _follow_choices(self) -> None:
        with QSignalBlocker(self.tree):
            for variant_id, item in self._items.items():
                chosen = self._session.choices.is_chosen(variant_id)
                state, flags = _STATES[chosen], _flags(self._is_available(item) or chosen)
                if (
                    item.data(0, Qt.ItemDataRole.CheckStateRole) is None
                    or item.checkState(0) != state
                ):
                    item.setCheckState(0, state)
                if item.flags() != flags:
                    item.setFlags(flags)
            for group in self._groups.values():
                self._count(group)

    def _count(self, group: QTreeWidgetItem) -> None:
        children = [child for child in children_of(group) if not child.isHidden()]
        chosen = sum(self._session.choices.is_chosen(child.data(0, ID_ROLE)) for child in children)
        state = Qt.CheckState.PartiallyChecked if chosen else Qt.CheckState.Unchecked
        group.setCheckState(
            0, Qt.CheckState.Checked if chosen and chosen == len(children) else state
        )
        group.setData(
            0, TAGS_ROLE, f"{chosen} of {len(children)}" if chosen else str(len(children))
        )

    def _follow_selection(self) -> None:
        item = self._items.get(self._session.results.selected_id or "")
        if item is None or item is self.tree.currentItem():
            return
        with QSignalBlocker(self.tree):
            self.tree.setCurrentItem(item)

    def _follow_availability(self) -> None:
        self._checked.clear()
        self._follow_parameters()

    def _follow_parameters(self) -> None:
        """Check availability again for variants whose parameters changed (they can
        change the memory needed).
        """
        model = self.tree.model()
        # each change would have the view measure its row
        with QSignalBlocker(model), one_reading_of_memory():
            checked = [self._check(variant_id, item) for variant_id, item in self._items.items()]
        if any(checked):
            self.tree.scheduleDelayedItemsLayout()
        self._follow_choices()

    def _check(self, variant_id: str, item: QTreeWidgetItem) -> bool:
        """Check availability, unless that was done with the same parameters; whether it
        was checked.
        """
        if registered(variant_id) is None:
            return False
        parameters = self._session.choices.parameters(variant_id)
        if self._checked.get(variant_id) == parameters:
            return False
        self._checked[variant_id] = parameters
        variant = find_variant(variant_id)
        answer = availability(variant, self._session.graph, self._session.device, parameters)
        tags = [
            tag for tag in tags_of(variant, self._session.device) if not _says(variant.title, tag)
        ]
        item.setData(0, TAGS_ROLE, _SEPARATOR.join(tags))
        item.setData(0, _REASON_ROLE, answer.reason)
        item.setToolTip(
            0,
            tool_tip(
                f"{variant.full_title}\n{_SEPARATOR.join([variant.id, *tags])}\n"
                f"{answer.reason or variant.idea}"
            ),
        )
        return True

    def _restyle(self) -> None:
        with QSignalBlocker(self.tree):
            for variant_id, item in self._items.items():
                # else one of the user's own was just deleted
                if (variant := registered(variant_id)) is not None:
                    item.setIcon(0, dot_icon(colour_of(variant)))

    def _apply_filter(self, text: str) -> None:
        words = text.casefold().split()
        if words and not self._collapsed_before:
            self._collapsed_before = [not group.isExpanded() for group in self._groups.values()]
        for group in self._groups.values():
            show_matching(group, words)
            if words:
                group.setExpanded(True)
        if not words:
            self._unfilter()
        self._show_count(text.strip())
        self._follow_choices()

    def _unfilter(self) -> None:
        """Collapse what was collapsed before the filter, and keep the selected variant in view."""
        for group, collapsed in zip(self._groups.values(), self._collapsed_before, strict=False):
            group.setExpanded(not collapsed)
        self._collapsed_before = []
        if (item := self.tree.currentItem()) is not None:
            self.tree.scrollToItem(item)

    def _show_count(self, text: str) -> None:
        """Say how many variants the filter shows."""
        shown, total = sum(not item.isHidden() for item in self._items.values()), len(self._items)
        nothing = f"No variant matches “{text}”."
        self.count.setText(f"{shown} of {total} variants" if shown else nothing)
        self.count.setVisible(bool(text))

    @staticmethod
    def _is_available(item: QTreeWidgetItem) -> bool:
        return not item.data(0, _REASON_ROLE)


_ROOM = 10  # pixels above and below a title
_TAG_SIZE, _SEPARATOR = 0.85, " \N{MIDDLE DOT} "
_REASON_ROLE = Qt.ItemDataRole.UserRole + 3
_SHORT_ROLE = Qt.ItemDataRole.UserRole + 4  # a shorter title, or ""


def _flags(tickable: bool) -> Qt.ItemFlag:
    flags = (
        Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren
    )
    return flags | Qt.ItemFlag.ItemIsUserCheckable if tickable else flags


def _says(title: str, tag: str) -> bool:
    """Whether a title has the words of a tag, so that the tag would only repeat them:
    "per source, GPU", not "FGPU".
    """
    return set(tag.lower().split()) <= set(re.findall(r"[\w+]+", title.lower()))


def _haystack(variant: Variant, tags: list[str]) -> str:
    words = [
        variant.title,
        variant.id,
        variant.algorithm.value,
        variant.answers.value,
        *tags,
        *map(str, variant.papers),
    ]
    return " ".join(words)


class _Tree(QTreeWidget):
    """The list of variants; Up leaves it at its first row."""

    left_upwards = Signal()  # Up was pressed in the first row

    def __init__(self) -> None:
        super().__init__()
        self.setHeaderHidden(True)
        self.setIndentation(14)
        self.setUniformRowHeights(True)
        self.setExpandsOnDoubleClick(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setItemDelegate(_RowPainter(self))
        settle_view(self, "Variants")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        at_top = not self.indexAbove(self.currentIndex()).isValid()
        if event.key() == Qt.Key.Key_Up and at_top:
            self.left_upwards.emit()
        else:
            super().keyPressEvent(event)


class _RowPainter(QStyledItemDelegate):
    """Draws the style's check box, dot and title in one line, with tags, or a group's
    count, at the right end.
    """

    def sizeHint(self, option: QStyleOptionViewItem, index: ModelIndex) -> QSize:
        return QSize(super().sizeHint(option, index).width(), option.fontMetrics.height() + _ROOM)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: ModelIndex,
    ) -> None:
        styled = QStyleOptionViewItem(option)
        self.initStyleOption(styled, index)
        if index.data(_REASON_ROLE):
            styled.state &= ~QStyle.StateFlag.State_Enabled
            styled.palette.setCurrentColorGroup(QPalette.ColorGroup.Disabled)
        elif not index.parent().isValid():
            styled.palette.setColor(QPalette.ColorRole.Text, QColor(tokens().muted))
        styled.text, tags = self.fitting(styled, index)
        style = styled.widget.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, styled, painter, styled.widget)
        colour = QColor(tokens().muted)
        if not styled.state & QStyle.StateFlag.State_Enabled:
            colour.setAlphaF(0.6)
        painter.save()
        painter.setFont(scaled_font(option.font, _TAG_SIZE))
        write(painter, styled.rect.adjusted(0, 0, -GAP, 0), tags, colour, RIGHT)
        painter.restore()

    @staticmethod
    def fitting(styled: QStyleOptionViewItem, index: ModelIndex) -> tuple[str, str]:
        """The name of a row as it fits, and the tags beside it: they yield before the
        name does, that of the technology, which is first, before others.
        """
        text, style = QStyle.SubElement.SE_ItemViewItemText, styled.widget.style()
        left = style.subElementRect(text, styled, styled.widget).left()
        room = styled.rect.right() - left - GAP
        small = QFontMetrics(scaled_font(styled.font, _TAG_SIZE))
        tags = [tag for tag in str(index.data(TAGS_ROLE) or "").split(_SEPARATOR) if tag]
        while tags:
            beside = small.horizontalAdvance(_SEPARATOR.join(tags)) + 2 * GAP
            if styled.fontMetrics.horizontalAdvance(styled.text) + beside <= room:
                return styled.text, _SEPARATOR.join(tags)
            del tags[0]
        names = [name for name in (styled.text, index.data(_SHORT_ROLE)) if name]
        return fitting_text(names, styled.fontMetrics, room), ""
