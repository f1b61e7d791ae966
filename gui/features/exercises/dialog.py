"""The list of exercises."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QDialog, QTreeWidgetItem, QWidget

from gui.style.forms import (
    Standard,
    TaskLabel,
    add_action,
    button_box,
    fill_dialog,
    push_button,
    row_of,
    set_default,
)
from gui.style.icons import icon
from gui.style.tables import make_tree
from gui.style.widgets import PlainLabel
from solvers.core.variant import find_variant
from solvers.features.exercises.course import Attempt, Exercise
from solvers.text import plural

_SIZE, _FRAME = QSize(720, 560), QSize(20, 60)


class ExercisesDialog(QDialog):
    """Lists the exercises; the controller opens them, and grades a class."""

    chosen = Signal(str)  # id of the exercise that is to be opened
    folder_wanted = Signal()  # a teacher's exercises are to be added
    hand_in_wanted = Signal()
    grade_wanted = Signal()

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.setWindowTitle("Exercises")
        self.resize(_SIZE.boundedTo(self.screen().availableSize() - _FRAME))
        self._tasks: dict[str, str] = {}
        self.count = PlainLabel()
        self.tree = make_tree(("Exercise", "Kernel of", "So far"), "Exercises")
        self.tree.setRootIsDecorated(False)
        self.task = TaskLabel(lines=4)
        self.tree.currentItemChanged.connect(self._show_task)
        self.tree.itemActivated.connect(lambda item: self._open())
        buttons = button_box(self, Standard.Close)
        self.open_button = add_action(
            buttons, "Open", self._open, "Open it in the editor, beside the picture"
        )
        set_default(buttons, self.open_button)
        more = row_of(
            push_button(
                "Add exercises…",
                "Copy a teacher's folder of exercises to yours",
                self.folder_wanted.emit,
            ),
            push_button(
                "Hand in…", "Copy your texts to a folder, for the teacher", self.hand_in_wanted.emit
            ),
            push_button(
                "Class…",
                "Check what a class handed in, and write the results as CSV",
                self.grade_wanted.emit,
            ),
        )
        fill_dialog(self, self.count, (self.tree, 1), self.task, more, buttons)

    def show_course(self, course: Sequence[Exercise], attempts: Mapping[str, Attempt]) -> None:
        """List the exercises; the first that is not solved is selected."""
        self._tasks = {one.id: one.task for one in course}
        solved = [one for one in course if one.id in attempts and attempts[one.id].solved]
        self.count.setText(f"{len(solved)} of {len(course)} are solved.")
        self.tree.clear()
        current = None
        for one in course:
            attempt = attempts.get(one.id)
            words = "" if attempt is None else f"{attempt.words}, {plural(attempt.checks, 'check')}"
            item = QTreeWidgetItem((one.title, find_variant(one.base_id).full_title, words))
            item.setData(0, Qt.ItemDataRole.UserRole, one.id)
            if one in solved:
                item.setIcon(2, icon("tick"))
            elif current is None:
                current = item
            self.tree.addTopLevelItem(item)
        for column in range(2):
            self.tree.resizeColumnToContents(column)
        if (first := current or self.tree.topLevelItem(0)) is not None:
            self.tree.setCurrentItem(first)

    def _show_task(self, item: QTreeWidgetItem | None) -> None:
        self.task.setText(
            "" if item is None else self._tasks[item.data(0, Qt.ItemDataRole.UserRole)]
        )

    def _open(self) -> None:
        item = self.tree.currentItem()
        if item is not None:
            self.chosen.emit(item.data(0, Qt.ItemDataRole.UserRole))
            self.accept()
