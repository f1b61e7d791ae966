"""The search (Ctrl+K): one field for vertices, places, streets, variants, parameters,
files that were opened lately, commands, and what features find, such as runs.

What is typed is first taken as the id of a vertex or coordinates. Names match by
letters in order; adjacent letters and word starts are preferred.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QPalette
from PySide6.QtWidgets import QFrame, QLineEdit, QTreeWidget, QTreeWidgetItem, QWidget

from gui.model.session import Session
from gui.model.settings import shortened
from gui.shell.commands import Commands
from gui.shell.toolbar_fields import HINTS
from gui.style.forms import column_of, text_field
from gui.style.icons import icon
from gui.style.tables import RoomyRows
from gui.style.text import escape_controls, scaled_px, tool_tip
from gui.style.theme import tokens
from gui.style.widgets import Card, QuietLabel, mute, tags_of
from solvers.core.variant import all_variants
from solvers.graphs.graph import Graph
from solvers.graphs.network import end_of
from solvers.graphs.search import Spot, SpotKind, suggestions

_WIDTH, _HEIGHT = 620, 420
_MARGIN = 8  # to the window's edges
_MOST_SPOTS = 12
_LIST_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
_ICONS = {
    SpotKind.VERTEX: "find",
    SpotKind.COORDINATES: "fit",
    SpotKind.PLACE: "pin",
    SpotKind.STREET: "path",
}
_NOTES = {SpotKind.VERTEX: "vertex", SpotKind.STREET: "street"}


@dataclass(frozen=True)
class Entry:
    """One entry; its note (a shortcut, an id, a value) is shown at the right, its
    keywords are only searched.
    """

    text: str
    note: str
    act: Callable[[], object]
    keywords: str = ""
    why_disabled: str = ""
    icon: str = ""
    is_command: bool = False


@dataclass(frozen=True)
class Finds:
    """What can be found, and what is done with it."""

    commands: Commands
    session: Session
    # shows the field of a parameter, by ids of variant and parameter
    edit: Callable[[str, str], object]
    show: Callable[[Spot], object]  # shows and selects a vertex, or shows a street
    files: Callable[[], Sequence[Path]]  # opened lately
    open_file: Callable[[Path], object]
    further: Sequence[Callable[[], Iterable[Entry]]]  # of features

    def entries(self) -> list[Entry]:
        """All commands, variants to be ticked or unticked, their parameters, what features
        find, and files that were opened lately.
        """
        found = [
            Entry(
                f"{spec.menu}: {spec.text}",
                action.shortcut().toString(QKeySequence.SequenceFormat.NativeText),
                action.trigger,
                f"{spec.id} {spec.tip} {spec.submenu}",
                self.commands.why_disabled(spec),
                spec.icon or "palette",
                is_command=True,
            )
            for spec, action in self.commands
            if spec.id != "find"
        ]
        for variant in all_variants():
            ticked = self.session.choices.is_chosen(variant.id)
            found.append(
                Entry(
                    f"{'Untick' if ticked else 'Tick'} {variant.algorithm.value}: {variant.title}",
                    variant.id,
                    partial(self.session.choices.choose, variant.id, not ticked),
                    f"{variant.id} {' '.join(tags_of(variant))} "
                    f"{' '.join(map(str, variant.papers))}",
                    icon="table",
                )
            )
        further = [entry for find in self.further for entry in find()]
        return [*found, *self._parameters(), *further, *self._files()]

    def spots(self, text: str) -> tuple[list[Entry], list[Entry]]:
        """A vertex that a text means, by id or coordinates; and places and streets."""
        graph = self.session.uncut
        exact: list[Entry] = []
        named: list[Entry] = []
        for spot in suggestions(graph, text, _MOST_SPOTS) if graph is not None else ():
            is_exact = spot.kind in (SpotKind.VERTEX, SpotKind.COORDINATES)
            found = exact if is_exact else named
            found.append(self._entry_of(graph, spot, text))
            if spot.place is not None and (is_exact or len(named) == 1):
                found += self._as_ends(spot, text)
        return exact, named

    def _as_ends(self, spot: Spot, text: str) -> Iterator[Entry]:
        """What makes the point of a road that is nearest to a place the source or target."""
        session, name = self.session, escape_controls(spot.name)
        for what, set_end in (("source", session.set_source), ("target", session.set_target)):
            act = partial(set_end, end_of(spot))
            title = f"{what.capitalize()} at {name}"
            yield Entry(title, "on the nearest road", act, text, icon=what)

    def _entry_of(self, graph: Graph | None, spot: Spot, text: str) -> Entry:
        assert graph is not None  # where something was found
        note = _NOTES.get(
            spot.kind, f"{spot.metres:,.0f} m from vertex {graph.vertex_label(spot.vertex)}"
        )
        return Entry(
            escape_controls(spot.name), note, partial(self.show, spot), text, icon=_ICONS[spot.kind]
        )

    def _parameters(self) -> Iterator[Entry]:
        for variant in all_variants():
            values = self.session.choices.parameters(variant.id)
            for parameter in variant.parameters:
                yield Entry(
                    f"Set {parameter.name.replace('_', ' ')} of {variant.full_title}",
                    f"{variant.id}.{parameter.name} = {values[parameter.name]}",
                    partial(self.edit, variant.id, parameter.name),
                    f"{variant.id}.{parameter.name} {parameter.meaning}",
                    icon="trace",
                )

    def _files(self) -> Iterator[Entry]:
        for path in self.files():
            text, folder = (
                escape_controls(shortened(str(one))) for one in (path.name, path.parent)
            )
            act = partial(self.open_file, path)
            yield Entry(f"Open {text}", folder, act, str(path), icon="folder")


class SearchCard(Card):
    """Search field above the matching entries; Enter runs the selected entry, the arrow
    keys change it.

    It lies over the window, and goes when the field loses the focus. The best match is
    selected even if it is disabled, and the line at the bottom says what is missing:
    Enter on another entry than the one that was meant would do something else.
    """

    def __init__(self, finds: Finds, window: QWidget, below: QRect):
        super().__init__(window)
        self.setObjectName("search")
        self._finds, self._entries = finds, finds.entries()
        self._content: list[Entry] = []
        self.field = text_field(HINTS[0], "Search", clearable=True)
        self.field.setFrame(False)
        self.field.addAction(icon("find", tokens().muted), QLineEdit.ActionPosition.LeadingPosition)
        self.field.textChanged.connect(self._filter)
        self.field.returnPressed.connect(self._act)
        self.field.installEventFilter(self)
        self.list = QTreeWidget()
        self.list.setColumnCount(2)
        self.list.setHeaderHidden(True)
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setItemDelegate(RoomyRows(self.list))
        self.list.header().setStretchLastSection(False)
        self.list.header().setSectionResizeMode(0, self.list.header().ResizeMode.Stretch)
        self.list.header().setSectionResizeMode(1, self.list.header().ResizeMode.ResizeToContents)
        self.list.currentItemChanged.connect(self._explain)
        self.list.itemClicked.connect(self._act)
        self.reason = QuietLabel()
        # the list keeps its height
        self.reason.setMinimumHeight(self.reason.fontMetrics().height())
        column_of(self.field, self.list, self.reason, parent=self, margins=(8, 6, 8, 6), spacing=6)
        width = min(scaled_px(_WIDTH), window.width() - 2 * _MARGIN)
        left = max(_MARGIN, min(below.center().x() - width // 2, window.width() - width - _MARGIN))
        self.setGeometry(
            left,
            below.top(),
            width,
            min(scaled_px(_HEIGHT), window.height() - below.top() - _MARGIN),
        )
        self._most_height = self.height()
        self._filter("")
        # entries name vertices and runs of a graph
        finds.session.graph_changed.connect(self._start_again)
        self.show()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Pass the arrow and page keys from the field to the list; Esc and the loss of
        the focus close the card.
        """
        if isinstance(event, QKeyEvent):
            if event.key() == Qt.Key.Key_Escape and event.type() is QEvent.Type.ShortcutOverride:
                event.accept()  # from the command that cancels what is running
                return True
            if event.type() is QEvent.Type.KeyPress and event.key() == Qt.Key.Key_Escape:
                self.close()
                return True
            if event.type() is QEvent.Type.KeyPress and event.key() in _LIST_KEYS:
                self.list.keyPressEvent(event)
                return True
        stays = (Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason)
        if isinstance(event, QFocusEvent) and event.lostFocus() and event.reason() not in stays:
            self.close()
        return super().eventFilter(watched, event)

    def close(self) -> bool:
        """Take the card away; its place gets the focus back to the window's picture."""
        self.field.removeEventFilter(self)
        self.hide()
        self.deleteLater()
        return True

    def _start_again(self) -> None:
        self._entries = self._finds.entries()
        self._filter(self.field.text())

    def _filter(self, text: str) -> None:
        exact, named = self._finds.spots(text)
        some = (
            [*named, *self._entries]
            if text.strip()
            else [one for one in self._entries if not one.why_disabled]
        )
        found = rank(text, some, lambda entry: entry.text, lambda entry: entry.keywords)
        words = text.lower().split()
        # of which a place may begin with all letters: it is found by a few more of them
        found.sort(key=lambda entry: not (entry.is_command and _begin(words, entry.text)))
        self._content = [*exact, *found]
        self.list.clear()
        for entry in self._content:
            item = QTreeWidgetItem(self.list, [entry.text, entry.note])
            item.setIcon(0, icon(entry.icon, tokens().muted))
            item.setForeground(1, self.palette().placeholderText())
            if entry.why_disabled:
                item.setForeground(0, self.palette().placeholderText())
                item.setToolTip(0, tool_tip(entry.why_disabled))
                item.setData(0, Qt.ItemDataRole.AccessibleDescriptionRole, entry.why_disabled)
        self.list.setCurrentIndex(self.list.model().index(0, 0))
        if not self._content:
            sought = escape_controls(text.strip())
            nothing = QTreeWidgetItem(self.list, [f"No match for “{sought}”"])
            nothing.setDisabled(True)
            nothing.setFirstColumnSpanned(True)
        self._fit()

    def _fit(self) -> None:
        """Be as tall as the entries need, up to the greatest height."""
        rows = min(self.list.topLevelItemCount(), self._most_height) * self.list.sizeHintForRow(0)
        around = self.sizeHint().height() - self.list.sizeHint().height()
        self.resize(
            self.width(), min(self._most_height, rows + around + 2 * self.list.frameWidth())
        )

    def _current(self) -> Entry | None:
        place = self.list.currentIndex().row()
        return self._content[place] if 0 <= place < len(self._content) else None

    def _explain(self) -> None:
        """Say of a disabled entry why it is."""
        entry = self._current()
        self.reason.setText(entry.why_disabled if entry is not None else "")
        mute(self.reason)

    def _act(self) -> None:
        entry = self._current()
        if entry is None:
            return
        if entry.why_disabled:
            # tells that Enter was understood
            self.reason.setForegroundRole(QPalette.ColorRole.WindowText)
        else:
            self.close()
            entry.act()


Item = TypeVar("Item")

_WORD = re.compile(r"\w+")

_FIRST_OF_WORD = 6.0
_NEXT_TO_LAST = 4.0
_GAP = 0.2
_LEAST = 3.5  # per letter: letters strewn over a long text are no match
_BEGUN = 6.0  # of a text with words that begin with the words of the pattern
_WORDS = 3.0  # per letter of words found anywhere in the text or its keywords
# If they begin words there: they mean more than the letters strewn over another text, and
# less than the beginnings of the words of a text.
_WORDS_BEGUN = 8.9


def score(pattern: str, text: str) -> float | None:
    """Score of ``pattern`` in ``text``, higher is better; None if its letters do not
    occur in order. Ignores case.
    """
    wanted, lowered = pattern.lower().replace(" ", ""), text.lower()
    if not wanted:
        return 0.0
    starts = (at for at, letter in enumerate(lowered) if letter == wanted[0])
    return max(
        (value for at in starts if (value := _score_from(at, wanted, lowered)) is not None),
        default=None,
    )


def _score_from(start: int, wanted: str, text: str) -> float | None:
    """The score with the first letter at ``start``; None if the others do not follow."""
    total, last = 0.0, start
    for position, letter in enumerate(wanted):
        at = _best_place(text, letter, last) if position else start
        if at < 0:
            return None
        if at == 0 or not text[at - 1].isalnum():
            total += _FIRST_OF_WORD
        if position:
            total += _NEXT_TO_LAST if at == last + 1 else -_GAP * (at - last - 1)
        last = at
    return total - 0.01 * (start + len(text))


def rank(
    pattern: str,
    items: Iterable[Item],
    text_of: Callable[[Item], str],
    keywords_of: Callable[[Item], str] = lambda _: "",
) -> list[Item]:
    """The matching items, best first; ties keep their order.

    An item matches by the letters of ``pattern`` in its text, close enough together, or
    by all words of ``pattern`` in text and keywords, in any order.
    """
    scored = [
        (value, item)
        for item in items
        if (value := _match(pattern, text_of(item), keywords_of(item))) is not None
    ]
    return [item for _, item in sorted(scored, key=lambda pair: -pair[0])]


def _match(pattern: str, text: str, keywords: str) -> float | None:
    words = pattern.lower().split()
    letters = sum(map(len, words))
    by_letters = score(pattern, text)
    if by_letters is not None and by_letters < _LEAST * letters - 1.0:
        by_letters = None
    if by_letters is not None and _begin(words, text):
        by_letters += _BEGUN
    whole = f"{text} {keywords}".lower()
    by_words = None
    if words and all(word in whole for word in words):
        begun = _WORDS_BEGUN if _begin(words, whole) else 0.0
        by_words = _WORDS * letters + begun - 0.01 * len(text)
    return max((value for value in (by_letters, by_words) if value is not None), default=None)


def _begin(words: Sequence[str], text: str) -> bool:
    """Whether every word is the beginning of one in the text."""
    found = _WORD.findall(text.lower())
    return all(any(own.startswith(word) for own in found) for word in words)


def _best_place(text: str, letter: str, after: int) -> int:
    """Next index of ``letter``: directly after the last match, else at a word start,
    else anywhere.
    """
    first = text.find(letter, after + 1)
    if first in (-1, after + 1):
        return first
    at = first
    while at >= 0:
        if not text[at - 1].isalnum():
            return at
        at = text.find(letter, at + 1)
    return first
