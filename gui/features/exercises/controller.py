"""Run > Exercises: opens them in the editor, adds a teacher's, and grades a class."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from gui.features.exercises.dialog import ExercisesDialog
from gui.features.own_kernels.controller import KernelController, KernelTask
from gui.model.jobs import JobContext, JobKind, Jobs
from gui.model.session import Session
from gui.style.forms import push_button
from solvers.features.exercises import course
from solvers.text import plural


class ExercisesController(QObject):
    """Shows the course."""

    def __init__(self, session: Session, jobs: Jobs, kernels: KernelController, window: QWidget):
        super().__init__(window)
        self._session, self._jobs, self._kernels, self._window = session, jobs, kernels, window
        self._dialog: ExercisesDialog | None = None
        self._found: list[course.Exercise] = []
        tip = "Go on with the next one that is not solved"
        self.next_button = push_button("Next exercise", tip, self._open_next)
        self.next_button.hide()
        kernels.editor.foot.insertWidget(0, self.next_button)
        kernels.opened.connect(self.next_button.hide)

    def show(self) -> None:
        if self._dialog is None:
            dialog = self._dialog = ExercisesDialog(self._window)
            dialog.chosen.connect(self._open)
            dialog.folder_wanted.connect(self._add_folder)
            dialog.hand_in_wanted.connect(self._hand_in)
            dialog.grade_wanted.connect(self._grade)
        self._refresh()
        self._dialog.show()
        self._dialog.raise_()

    def _refresh(self) -> None:
        """Read the exercises again."""
        self._found, problems = course.exercises()
        self._show_attempts()
        if problems:
            self._session.warn(" ".join(map(str, problems)))

    def _show_attempts(self) -> None:
        """Tell what was attempted, where the list is open."""
        if self._dialog is not None:
            self._dialog.show_course(self._found, course.attempts())

    def _checked(self, exercise: course.Exercise, outcome: course.Outcome, is_open: bool) -> None:
        """Keep an attempt. After a solution, offer the next exercise, beside what the
        check found, or say that all are solved.
        """
        with self._session.reporting_errors():
            course.keep_attempt(exercise, outcome)
        self._show_attempts()
        if not (is_open and outcome.solved):
            return
        if course.next_unsolved(self._found, exercise.id) is not None:
            self.next_button.show()
        else:
            self._session.inform("All exercises are solved.")

    def _open_next(self) -> None:
        task = self._kernels.task
        following = None if task is None else course.next_unsolved(self._found, task.id)
        if following is not None:
            self._open(following.id)

    def _open(self, exercise_id: str) -> None:
        one = next(found for found in self._found if found.id == exercise_id)
        with self._session.reporting_errors():
            check, checked = partial(course.check_exercise, one), partial(self._checked, one)
            task = KernelTask(one.id, one.title, one.task, one.hint, one.functions, check, checked)
            self._kernels.open_task(one.kernel(one.given), task)

    def _folder(self, title: str) -> Path | None:
        name = QFileDialog.getExistingDirectory(self._dialog, title)
        return Path(name) if name else None

    def _add_folder(self) -> None:
        folder = self._folder("A folder with a folder for each exercise")
        if folder is None:
            return
        with self._session.reporting_errors():
            added = course.add_folder(folder)
            self._refresh()
            self._session.inform(f"{plural(len(added), 'exercise')} of {folder.name} added.")

    def _hand_in(self) -> None:
        folder = self._folder("Where your texts are copied to")
        if folder is None:
            return
        with self._session.reporting_errors():
            written = course.hand_in(folder)
            words = (
                f"{plural(len(written), 'text')} copied to {folder}."
                if written
                else "No exercise was begun yet."
            )
            self._session.inform(words)

    def _grade(self) -> None:
        device = self._kernels.device()
        if device is None:
            self._session.warn("There is no device that compiles kernels.")
            return
        folder = self._folder("A folder with a folder for each student")
        if folder is None:
            return
        name, _ = QFileDialog.getSaveFileName(
            self._dialog, "Results of the class", str(folder / "results.csv"), "*.csv"
        )
        if not name:
            return
        found, _ = course.exercises()

        def work(context: JobContext) -> None:
            progress = context.progress_for(f"Checking {folder.name}")
            course.write_class(Path(name), list(course.grade(folder, found, device, progress)))

        def done(_: object) -> None:
            self._session.inform(f"The results of {folder.name} are in {name}.")

        self._jobs.start(
            JobKind.KERNEL_CHECK,
            f"Checking {folder.name}",
            work,
            on_success=done,
            on_failure=self._session.notice_error,
        )
