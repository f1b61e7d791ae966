"""Run > Questions, on a traced run.

Questions are asked at the iterations of the run, and answered in the picture or in
words; the answer is shown by going on to the iteration that it is about. Nothing is
sent anywhere; answers are copied as text.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QWidget

from gui.model.playback import Playback
from gui.model.session import Session
from gui.style.forms import (
    STRETCH,
    WrappedLabel,
    fill_dialog,
    push_button,
    row_of,
    text_field,
    tint,
)
from gui.style.theme import tokens
from gui.style.widgets import Heading, QuietLabel
from solvers.core.result import Result
from solvers.features.lesson.questions import QuestionKind, TraceQuestion, is_right, right_answer

_WIDTH = 420
_HINTS = {
    QuestionKind.FRONTIER: "Click them in the picture, or write their ids with commas.",
    QuestionKind.ARCS: "Click tail and head of each in the picture, or write 1→2, 1→4.",
    QuestionKind.DISTANCE: "A number, or inf if it is not reached.",
    QuestionKind.CELLS: "Click them in the matrix, or write 1→2, 1→4.",
    QuestionKind.CELL: "A number, or inf if there is no path yet.",
    QuestionKind.FIRST: "The variant's name; several with commas.",
}


class QuestionsDialog(QDialog):
    """Asks one question after another, and counts right answers; stays open beside the picture."""

    def __init__(
        self,
        session: Session,
        playback: Playback,
        results: Sequence[Result],
        questions: Sequence[TraceQuestion],
        parent: QWidget | None = None,
    ):
        super().__init__(parent)
        self._session, self._playback = session, playback
        self._results, self.questions = tuple(results), tuple(questions)
        self._at, self._tail = 0, ""
        self._given = [""] * len(questions)
        self._judged: list[bool | None] = [None] * len(questions)
        self.setWindowTitle("Questions")
        self.setMinimumWidth(_WIDTH)
        self.number, self.score = QuietLabel(), QuietLabel()
        self.words = Heading(1.15)
        self.hint, self.verdict = QuietLabel(), WrappedLabel(lines=2)
        self.answer = text_field(name="Answer")
        self.answer.textEdited.connect(self._remember)
        self.answer.returnPressed.connect(self.check)
        self.back_button = push_button("Back", act=lambda: self.go(self._at - 1))
        self.check_button = push_button("Check", act=self.check)
        self.next_button = push_button("Next", act=lambda: self.go(self._at + 1))
        copy = push_button("Copy answers", "Copy questions, answers and score as text", self.copy)
        foot = row_of(self.back_button, self.check_button, self.next_button, STRETCH, copy)
        fill_dialog(
            self,
            row_of(self.number, STRETCH, self.score),
            self.words,
            self.answer,
            self.hint,
            self.verdict,
            foot,
        )
        session.vertex_selected.connect(self._take_vertex)
        session.graph_changed.connect(self.close)
        self.go(0)

    @property
    def question(self) -> TraceQuestion:
        return self.questions[self._at]

    @property
    def right(self) -> int:
        return sum(one is True for one in self._judged)

    def go(self, at: int) -> None:
        """Ask another question, at its iteration."""
        self._at, self._tail = max(0, min(at, len(self.questions) - 1)), ""
        question = self.question
        if question.kind is not QuestionKind.FIRST:
            self._show(question.position)
        self.number.setText(f"Question {self._at + 1} of {len(self.questions)}")
        self.words.setText(question.words)
        self.hint.setText(_HINTS[question.kind])
        self.answer.setText(self._given[self._at])
        self.back_button.setEnabled(self._at > 0)
        self.next_button.setEnabled(self._at + 1 < len(self.questions))
        self._tell()

    def check(self) -> None:
        """Judge the answer, once, and show the right one in the picture."""
        if self._judged[self._at] is None and not self._given[self._at].strip():
            self.verdict.setText("Give an answer first.")
            return
        if self._judged[self._at] is None and self._given[self._at].strip():
            self._judged[self._at] = is_right(self.question, self._given[self._at], self._results)
            if self.question.kind is not QuestionKind.FIRST:
                self._show(self.question.position + 1)
        self._tell()

    def copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text)

    @property
    def text(self) -> str:
        """Score, questions and answers."""
        lines = [f"{self._results[0].graph.name}: {self.right} of {len(self.questions)} right"]
        for number, (question, given, judged) in enumerate(
            zip(self.questions, self._given, self._judged, strict=True), 1
        ):
            verdict = "not checked"
            if judged is not None:
                verdict = "right" if judged else self._solution(question)
            lines.append(f"{number}. {question.words} – {given or 'no answer'} ({verdict})")
        return "\n".join(lines)

    def _solution(self, question: TraceQuestion) -> str:
        return f"wrong. Answer: {right_answer(question, self._results)}"

    def _show(self, position: int) -> None:
        """Show a recorded iteration of the run that the question is about."""
        self._session.results.select(self._results[self.question.run].variant.id)
        self._playback.pause()
        self._playback.seek(max(0, position))

    def _remember(self) -> None:
        self._given[self._at] = self.answer.text()

    def _take_vertex(self) -> None:
        """Add the vertex that was clicked, or take it away; of an arc, the tail comes first."""
        vertex, graph = self._session.selected_vertex, self._results[0].graph
        waiting = self.isVisible() and self._judged[self._at] is None
        if (
            vertex is None
            or not waiting
            or self.question.kind not in (QuestionKind.FRONTIER, QuestionKind.ARCS)
        ):
            return
        name = graph.vertex_text(vertex)
        # so that it can be clicked again, and no card covers the others
        self._session.select_vertex(None)
        if self.question.kind is QuestionKind.ARCS:
            if not self._tail:
                self._tail = name
                return
            name, self._tail = f"{self._tail}→{name}", ""
        self._toggle(name)

    @property
    def wants_cells(self) -> bool:
        """Whether cells of the matrix that are clicked are an answer."""
        waiting = self.isVisible() and self._judged[self._at] is None
        return waiting and self.question.kind is QuestionKind.CELLS

    def take_cell(self, row: int, column: int) -> None:
        """Add the cell that was clicked, or take it away."""
        graph = self._results[0].graph
        self._toggle(f"{graph.vertex_text(row)}→{graph.vertex_text(column)}")

    def _toggle(self, name: str) -> None:
        given = [one.strip() for one in self._given[self._at].split(",") if one.strip()]
        given = [one for one in given if one != name] if name in given else [*given, name]
        self._given[self._at] = ", ".join(given)
        self.answer.setText(self._given[self._at])

    def _tell(self) -> None:
        judged, t = self._judged[self._at], tokens()
        self.answer.setReadOnly(judged is not None)
        self.check_button.setEnabled(judged is None)
        self.score.setText(f"{self.right} right")
        words = ""
        if judged is not None:
            words = "Right. " if judged else "Not quite. "
            words += f"Answer: {right_answer(self.question, self._results)}"
        self.verdict.setText(words)
        tint(self.verdict, t.good if judged else t.bad)
