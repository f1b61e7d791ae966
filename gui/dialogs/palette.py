"""Command palette (Ctrl+K): fuzzy search over all commands, variants and parameters.

Letters match in order; adjacent letters and word starts are preferred.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QPalette
from PySide6.QtWidgets import QDialog, QLineEdit, QTreeWidget, QTreeWidgetItem, QWidget

from gui.model.session import Session
from gui.shell.commands import Commands
from gui.style.forms import column_of
from gui.style.text import visible
from gui.style.widgets import QuietLabel, RoomyRows, tags_of
from solvers.core.variant import all_variants

_SIZE = (620, 420)
_LIST_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


@dataclass(frozen=True)
class Entry:
    """One entry; its note (a shortcut, an id, a value) is shown at the right, its keywords are only searched."""

    text: str
    note: str
    act: Callable[[], object]
    keywords: str = ""
    why_disabled: str = ""


def entries(commands: Commands, session: Session, edit: Callable[[str, str], object]) -> list[Entry]:
    """All commands, then all variants, to be ticked or unticked, then their parameters, which ``edit`` shows."""
    found = [
        Entry(
            f"{spec.menu}: {spec.text}",
            action.shortcut().toString(QKeySequence.SequenceFormat.NativeText),
            action.trigger,
            f"{spec.id} {spec.tip} {spec.submenu}",
            commands.why_disabled(spec),
        )
        for spec, action in commands
        if spec.id != "palette"
    ]
    for variant in all_variants():
        ticked = session.choices.is_chosen(variant.id)
        found.append(
            Entry(
                f"{'Untick' if ticked else 'Tick'} {variant.algorithm.value}: {variant.title}",
                variant.id,
                partial(session.choices.choose, variant.id, not ticked),
                f"{variant.id} {' '.join(tags_of(variant))} {' '.join(map(str, variant.papers))}",
            )
        )
    return [*found, *_parameters(session, edit)]


def _parameters(session: Session, edit: Callable[[str, str], object]) -> Iterator[Entry]:
    for variant in all_variants():
        values = session.choices.parameters(variant.id)
        for parameter in variant.parameters:
            yield Entry(
                f"Set {parameter.name.replace('_', ' ')} of {variant.full_title}",
                f"{variant.id}.{parameter.name} = {values[parameter.name]}",
                partial(edit, variant.id, parameter.name),
                f"{variant.id}.{parameter.name} {parameter.meaning}",
            )


class PaletteDialog(QDialog):
    """Search field above the matching entries; Enter runs the selected entry, the arrow keys change it.

    The best match is selected even if it is disabled, and the line at the bottom says what is missing: Enter on another
    entry than the one that was meant would do something else.
    """

    def __init__(
        self, commands: Commands, session: Session, edit: Callable[[str, str], object], parent: QWidget | None = None
    ):
        super().__init__(parent)
        self.setWindowTitle("Command palette")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(*_SIZE)
        self._entries = entries(commands, session, edit)
        self._content: list[Entry] = []
        self.field = QLineEdit()
        self.field.setPlaceholderText("Search commands, variants and parameters, by name or id")
        self.field.setClearButtonEnabled(True)
        self.field.textChanged.connect(self._filter)
        self.field.returnPressed.connect(self._act)
        self.field.installEventFilter(self)
        self.list = QTreeWidget()
        self.list.setColumnCount(2)
        self.list.setHeaderHidden(True)
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setItemDelegate(RoomyRows(self.list))
        self.list.header().setStretchLastSection(False)
        self.list.header().setSectionResizeMode(0, self.list.header().ResizeMode.Stretch)
        self.list.header().setSectionResizeMode(1, self.list.header().ResizeMode.ResizeToContents)
        self.list.currentItemChanged.connect(self._explain)
        self.list.itemActivated.connect(self._act)
        self.reason = QuietLabel()
        self.reason.setMinimumHeight(self.reason.fontMetrics().height())  # the list keeps its height
        column_of(self.field, self.list, self.reason, parent=self)
        self._filter("")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Pass the arrow and page keys from the field to the list."""
        if event.type() is QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and event.key() in _LIST_KEYS:
            self.list.keyPressEvent(event)
            return True
        return super().eventFilter(watched, event)

    def _filter(self, text: str) -> None:
        self._content = rank(text, self._entries, lambda entry: entry.text, lambda entry: entry.keywords)
        self.list.clear()
        for entry in self._content:
            item = QTreeWidgetItem(self.list, [entry.text, entry.note])
            item.setForeground(1, self.palette().placeholderText())
            if entry.why_disabled:
                item.setForeground(0, self.palette().placeholderText())
                item.setToolTip(0, entry.why_disabled)
                item.setData(0, Qt.ItemDataRole.AccessibleDescriptionRole, entry.why_disabled)
        self.list.setCurrentIndex(self.list.model().index(0, 0))
        if not self._content:
            words = f"No match for \N{LEFT DOUBLE QUOTATION MARK}{visible(text.strip())}\N{RIGHT DOUBLE QUOTATION MARK}"
            nothing = QTreeWidgetItem(self.list, [words])
            nothing.setDisabled(True)
            nothing.setFirstColumnSpanned(True)

    def _current(self) -> Entry | None:
        place = self.list.currentIndex().row()
        return self._content[place] if 0 <= place < len(self._content) else None

    def _explain(self) -> None:
        """Say of a disabled entry why it is."""
        entry = self._current()
        self.reason.setText(entry.why_disabled if entry is not None else "")
        self.reason.setForegroundRole(QPalette.ColorRole.PlaceholderText)

    def _act(self) -> None:
        entry = self._current()
        if entry is None:
            return
        if entry.why_disabled:
            self.reason.setForegroundRole(QPalette.ColorRole.WindowText)  # tells that Enter was understood
        else:
            self.accept()
            entry.act()


Item = TypeVar("Item")

_WORD = re.compile(r"\w+")

_FIRST_OF_WORD = 6.0
_NEXT_TO_LAST = 4.0
_GAP = 0.2
_LEAST = 3.5  # per letter: letters strewn over a long text are no match
_BEGUN = 6.0  # of a text with words that begin with the words of the pattern
_WORDS = 3.0  # per letter of words found anywhere in the text or its keywords


def score(pattern: str, text: str) -> float | None:
    """Score of ``pattern`` in ``text``, higher is better; None if its letters do not occur in order. Ignores case."""
    wanted, lowered = pattern.lower().replace(" ", ""), text.lower()
    if not wanted:
        return 0.0
    starts = (at for at, letter in enumerate(lowered) if letter == wanted[0])
    return max((value for at in starts if (value := _score_from(at, wanted, lowered)) is not None), default=None)


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
    pattern: str, items: Iterable[Item], text_of: Callable[[Item], str],
    keywords_of: Callable[[Item], str] = lambda _: "",
) -> list[Item]:  # fmt: skip
    """The matching items, best first; ties keep their order.

    An item matches by the letters of ``pattern`` in its text, close enough together, or by all words of ``pattern`` in
    text and keywords, in any order.
    """
    scored = [
        (value, item) for item in items if (value := _match(pattern, text_of(item), keywords_of(item))) is not None
    ]
    return [item for _, item in sorted(scored, key=lambda pair: -pair[0])]


def _match(pattern: str, text: str, keywords: str) -> float | None:
    words = pattern.lower().split()
    letters = sum(map(len, words))
    by_letters = score(pattern, text)
    if by_letters is not None and by_letters < _LEAST * letters - 1.0:
        by_letters = None
    if by_letters is not None and all(any(own.startswith(word) for own in _words_of(text)) for word in words):
        by_letters += _BEGUN
    whole = f"{text} {keywords}".lower()
    by_words = _WORDS * letters - 0.01 * len(text) if words and all(word in whole for word in words) else None
    return max((value for value in (by_letters, by_words) if value is not None), default=None)


def _words_of(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _best_place(text: str, letter: str, after: int) -> int:
    """Next index of ``letter``: directly after the last match, else at a word start, else anywhere."""
    first = text.find(letter, after + 1)
    if first in (-1, after + 1):
        return first
    at = first
    while at >= 0:
        if not text[at - 1].isalnum():
            return at
        at = text.find(letter, at + 1)
    return first
