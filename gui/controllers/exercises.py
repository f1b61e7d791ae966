"""Run > Exercises: opens them in the editor, adds a teacher's, and grades a class."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from gui.controllers.kernels import KernelController
from gui.dialogs.lessons import ExercisesDialog
from gui.model.jobs import JobContext, JobKind, Jobs
from gui.model.session import Session
from solvers.running import exercises as course
from solvers.text import plural


class ExercisesController(QObject):
    """Shows the course."""

    def __init__(self, session: Session, jobs: Jobs, kernels: KernelController, window: QWidget):
        super().__init__(window)
        self._session, self._jobs, self._kernels, self._window = session, jobs, kernels, window
        self._dialog: ExercisesDialog | None = None
        self._found: list[course.Exercise] = []
        kernels.editor.next_requested.connect(self._open_next)

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
        self.show_attempts()
        if problems:
            self._session.warn(" ".join(map(str, problems)))

    def show_attempts(self) -> None:
        """Tell what was attempted, where the list is open."""
        if self._dialog is not None:
            self._dialog.show_course(self._found, course.attempts())

    def offer_next(self) -> None:
        """Offer the next exercise, beside what the check found, or say that all are solved."""
        if self._next is not None:
            self._kernels.editor.next_button.show()
        else:
            self._session.inform("All exercises are solved.")

    @property
    def _next(self) -> course.Exercise | None:
        current = self._kernels.exercise
        return None if current is None else course.next_unsolved(self._found, current)

    def _open_next(self) -> None:
        if (exercise := self._next) is not None:
            self._kernels.open_exercise(exercise)

    def _open(self, exercise_id: str) -> None:
        self._kernels.open_exercise(next(one for one in self._found if one.id == exercise_id))

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
