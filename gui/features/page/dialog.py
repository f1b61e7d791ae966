"""Title, caption and runs of a web page, and its questions, which a teacher picks, orders
and words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QWidget,
)

from gui.style.forms import DIALOG_MARGINS, Standard, button_box, form_of, text_field
from gui.style.widgets import QuietLabel
from solvers.core.result import Result
from solvers.features.lesson.questions import TraceQuestion, questions_of
from solvers.features.page.document import MOST_RUNS

_WIDTH = 560


@dataclass(frozen=True, eq=False)
class PageChoice:
    """What the page will have; questions count among these results."""

    title: str
    results: tuple[Result, ...]
    questions: tuple[TraceQuestion, ...] | None = None  # None makes them from the traces
    caption: str = ""


class WebPageDialog(QDialog):
    """Asks what a page shows; begins with the ``first`` results, and at most four of all."""

    def __init__(
        self,
        title: str,
        results: Sequence[Result],
        first: Sequence[Result],
        parent: QWidget | None = None,
    ):
        super().__init__(parent)
        self.setWindowTitle("Export web page")
        self.setMinimumWidth(_WIDTH)
        self.title = QLineEdit(title)
        self.caption = text_field("What was run, on which graph and where, if you write nothing")
        self.runs, self.questions = QListWidget(), QListWidget()
        chosen = list(first)[:MOST_RUNS] or list(results)[:MOST_RUNS]
        for result in [*chosen, *(result for result in results if result not in chosen)]:
            item = _checked(result.variant.full_title, result in chosen)
            item.setData(Qt.ItemDataRole.UserRole, result)
            self.runs.addItem(item)
        for listed, name in ((self.runs, "Runs"), (self.questions, "Questions")):
            listed.setAccessibleName(name)
            listed.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self._told = QuietLabel("")
        self._buttons = button_box(self, Standard.Save, Standard.Cancel)
        form_of(
            ("Title", self.title),
            ("Caption", self.caption),
            ("Runs", self.runs),
            ("Questions", self.questions),
            ("", QuietLabel("Drag to reorder; double-click a question to reword it.")),
            self._told,
            self._buttons,
            parent=self,
            margins=DIALOG_MARGINS,
        )
        self.runs.itemChanged.connect(self._follow_runs)
        self.runs.model().rowsMoved.connect(self._follow_runs)
        self._follow_runs()

    @property
    def choice(self) -> PageChoice:
        items = (self.questions.item(row) for row in range(self.questions.count()))
        asked = [
            (item.data(Qt.ItemDataRole.UserRole), item.text())
            for item in items
            if _is_checked(item)
        ]
        questions = tuple(one.worded(words) for one, words in asked)
        return PageChoice(self.title.text(), self._results(), questions, self.caption.text())

    def _results(self) -> tuple[Result, ...]:
        items = (self.runs.item(row) for row in range(self.runs.count()))
        return tuple(item.data(Qt.ItemDataRole.UserRole) for item in items if _is_checked(item))

    def _follow_runs(self) -> None:
        """Offer the questions of the chosen runs; those offered before keep their words
        and their place.
        """
        results = self._results()
        items = [self.questions.item(row) for row in range(self.questions.count())]
        before = {
            item.data(Qt.ItemDataRole.UserRole): (item.text(), _is_checked(item)) for item in items
        }
        found = questions_of(results)
        kept = [question for question in before if question in found]
        self.questions.clear()
        for question in (*kept, *(one for one in found if one not in before)):
            item = _checked(*before.get(question, (question.words, True)))
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
            item.setData(Qt.ItemDataRole.UserRole, question)
            self.questions.addItem(item)
        fits = 1 <= len(results) <= MOST_RUNS
        self._told.setText("" if fits else f"Choose 1 to {MOST_RUNS} runs.")
        self._buttons.button(Standard.Save).setEnabled(fits)


def _checked(text: str, chosen: bool) -> QListWidgetItem:
    item = QListWidgetItem(text)
    item.setCheckState(Qt.CheckState.Checked if chosen else Qt.CheckState.Unchecked)
    return item


def _is_checked(item: QListWidgetItem) -> bool:
    return item.checkState() is Qt.CheckState.Checked
