"""Editor of a changed kernel beside the canvas: text with line numbers, find,
difference, and errors at their lines.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QObject, QRect, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCursor,
    QTextFormat,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QToolTip, QWidget

from gui.panels.highlighting import DIFFERENCE, KERNEL, Highlighter, source_page
from gui.style.empty_picture import THREADS, EmptyPicture
from gui.style.forms import (
    NO_MARGINS,
    STRETCH,
    TaskLabel,
    WrappedLabel,
    column_of,
    count_box,
    push_button,
    row_of,
    text_field,
    tint,
)
from gui.style.paint import faded, write
from gui.style.text import mono_font, tool_tip
from gui.style.theme import tokens
from gui.style.widgets import GAP, PlainLabel, on_scheme_change
from solvers.features.own_kernels.kernel_functions import KernelFunction
from solvers.features.own_kernels.user_code import Remark

_REST_MS = 500
_PARTNERS = dict(zip("([{)]}", ")]}([{", strict=True))
_MOST_LIMIT_S = 3600
_MOST_FUNCTION_LINES = 9  # of one that a hint names, shown at once


def difference(original: str, changed: str) -> str:
    """What was changed in a text, as a unified difference; "" for nothing."""
    lines = original.splitlines(), changed.splitlines()
    return "\n".join(difflib.unified_diff(*lines, "original", "changed", lineterm="", n=2))


class CodeEdit(QPlainTextEdit):
    """A text of a program with line numbers, matching brackets, and marked lines."""

    find_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._remarks: dict[int, Remark] = {}
        self._numbers = _Numbers(self)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setAccessibleName("Text of the kernel")
        self.setProperty("finds", True)  # `gui.shell.keys` leaves Ctrl+F to it
        self.blockCountChanged.connect(lambda _: self._place_numbers())
        self.updateRequest.connect(self._follow_scroll)
        self.cursorPositionChanged.connect(self._mark)
        on_scheme_change(self._mark)
        self.setFont(mono_font())
        self.setTabStopDistance(4 * self.fontMetrics().horizontalAdvance(" "))
        self._place_numbers()

    def show_remarks(self, remarks: Sequence[Remark]) -> None:
        """Mark the lines that the compiler speaks of; the pointer over one shows its words."""
        self._remarks = {remark.line: remark for remark in reversed(remarks)}
        self._mark()
        self._numbers.update()

    def remark_at(self, line: int) -> Remark | None:
        return self._remarks.get(line)

    def _place_numbers(self) -> None:
        width = self.fontMetrics().horizontalAdvance("9") * max(3, len(str(self.blockCount()))) + 12
        self.setViewportMargins(width, 0, 0, 0)
        inside = self.contentsRect()
        self._numbers.setGeometry(QRect(inside.left(), inside.top(), width, inside.height()))

    def _follow_scroll(self, area: QRect, by: int) -> None:
        if by:
            self._numbers.scroll(0, by)
        else:
            self._numbers.update(0, area.y(), self._numbers.width(), area.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_numbers()
        self.ensureCursorVisible()  # also where the findings of a run take room below

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Four spaces for Tab, and the line's own indentation for Enter."""
        if event.matches(QKeySequence.StandardKey.Find):
            self.find_requested.emit()
        elif event.key() == Qt.Key.Key_Tab and not event.modifiers():
            self.insertPlainText("    ")
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            line = self.textCursor().block().text()
            indent = line[: len(line) - len(line.lstrip())]
            self.insertPlainText("\n" + indent + ("    " if line.rstrip().endswith("{") else ""))
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip:
            at = event.pos() - self.viewport().pos()  # type: ignore[attr-defined]
            remark = self.remark_at(self.cursorForPosition(at).blockNumber() + 1)
            tip = tool_tip(remark.words) if remark else ""
            QToolTip.showText(event.globalPos(), tip, self)  # type: ignore[attr-defined]
            return True
        return super().event(event)

    def paint_numbers(self, painter: QPainter, area: QRect) -> None:
        """Paint the numbers of the lines in view; those with a remark in its colour."""
        t = tokens()
        painter.fillRect(area, QColor(t.raised))
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        painter.setFont(self.font())
        while block.isValid() and top <= area.bottom():
            height = self.blockBoundingRect(block).height()
            number = block.blockNumber() + 1
            remark = self._remarks.get(number)
            colour = t.muted
            if remark is not None:
                colour = t.bad if remark.is_error else t.warning
            place = QRect(0, int(top), self._numbers.width() - 6, int(height))
            write(painter, place, str(number), colour, Qt.AlignmentFlag.AlignRight)
            block, top = block.next(), top + height

    def _mark(self) -> None:
        t = tokens()
        marks = []
        for line, remark in self._remarks.items():
            marks.append(
                _mark(
                    QTextCursor(self.document().findBlockByNumber(line - 1)),
                    faded(t.bad if remark.is_error else t.warning, 0.18),
                )
            )
            marks[-1].format.setProperty(QTextFormat.Property.FullWidthSelection, True)
        for position in self._brackets():
            cursor = QTextCursor(self.document())
            cursor.setPosition(position)
            cursor.movePosition(QTextCursor.MoveOperation.Right, QTextCursor.MoveMode.KeepAnchor)
            marks.append(_mark(cursor, QColor(t.selection)))
        self.setExtraSelections(marks)

    def _brackets(self) -> tuple[int, ...]:
        """Positions of the bracket before the cursor and its partner; empty if there is none."""
        text, at = self.toPlainText(), self.textCursor().position() - 1
        if not 0 <= at < len(text):
            return ()
        here = text[at]
        if here not in _PARTNERS:
            return ()
        depth = 0
        for place in range(at, len(text)) if here in "([{" else range(at, -1, -1):
            depth += (text[place] == here) - (text[place] == _PARTNERS[here])
            if depth == 0:
                return (at, place)
        return ()


def _mark(cursor: QTextCursor, ground: QColor) -> QTextEdit.ExtraSelection:
    mark = QTextEdit.ExtraSelection()
    mark.cursor = cursor
    mark.format.setBackground(ground)
    return mark


class _Numbers(QWidget):
    def __init__(self, editor: CodeEdit):
        super().__init__(editor)
        self._editor = editor

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            self._editor.paint_numbers(painter, event.rect())


class KernelEditor(QWidget):
    """The panel: the kernel being changed, what the compiler says, and where its answer
    is wrong.
    """

    rested = Signal()  # half a second after the last key
    run_requested = Signal()
    check_requested = Signal()
    copy_requested = Signal()
    forget_requested = Signal()
    memory_requested = Signal()
    # show the first wrong vertex, in the iteration in which it goes wrong
    vertex_requested = Signal()
    limit_changed = Signal(int)  # seconds after which a solve is ended

    def __init__(self, limit_s: float):
        super().__init__()
        self._original = self._last = ""
        self._is_error = self._is_wrong = False
        self._rest = QTimer(self, singleShot=True, interval=_REST_MS)
        self._rest.timeout.connect(self.rested)
        self.empty = EmptyPicture(
            "Select a variant with a kernel, and choose “Change this kernel”.", THREADS
        )
        self.title = PlainLabel()
        self.task, self.hint = TaskLabel(), TaskLabel()
        self.hint_button = push_button(
            "Hint", "What to look at", lambda: self.hint.setVisible(True)
        )
        self._functions: Mapping[str, KernelFunction] = {}
        self.function = source_page("", KERNEL)
        self.function.setAccessibleName("Function that the hint names")
        for label in (self.task, self.hint):
            label.linkActivated.connect(self._show_function)
        self.text = CodeEdit()
        self.text.textChanged.connect(self._changed)
        self.text.find_requested.connect(self._begin_search)
        self.difference = source_page("", DIFFERENCE)
        self.difference.setAccessibleName("Difference to the original")
        self.difference.hide()
        Highlighter(self.text.document(), KERNEL)  # owned by the document
        hint = "Find; Enter goes on, Esc returns to the text"
        self.search = text_field(hint, "Find in the kernel")
        self.search.returnPressed.connect(self.find_next)
        self.search.installEventFilter(self)
        self.search.hide()
        self.state, self.findings = WrappedLabel(), WrappedLabel()
        self.limit = count_box(int(limit_s), 1, _MOST_LIMIT_S)
        self.limit.setSuffix(" s")
        self.limit.setAccessibleName("Time limit of a solve")
        self.limit.setToolTip(tool_tip("A solve that takes longer is ended, and only that"))
        self.limit.valueChanged.connect(self.limit_changed)
        self.compare = push_button(
            "Difference", "What was changed in the original", self._toggle_difference
        )
        self.compare.setCheckable(True)
        self.vertex = push_button(
            "Show where",
            "Play both runs to where they part; go to the first wrong vertex",
            self.vertex_requested.emit,
        )
        self.vertex.hide()
        self._add_contents()
        on_scheme_change(self._restyle)
        self.show_kernel("", "", "")

    def _add_contents(self) -> None:
        run = push_button(
            "Run", "Run it beside the original, with a trace", self.run_requested.emit
        )
        check = push_button(
            "Check",
            "Solve random graphs, and shrink the first that fails",
            self.check_requested.emit,
        )
        memory = push_button(
            "Memory",
            "Check every access to memory: compute-sanitizer on NVIDIA, "
            "elsewhere a slow, checked build",
            self.memory_requested.emit,
        )
        reset = push_button(
            "Reset", "Return to the original's text; Undo brings it back", self._reset
        )
        copy = push_button(
            "Copy",
            "Go on with a copy under another name, beside this one",
            self.copy_requested.emit,
        )
        forget = push_button("Delete", "Delete this changed kernel", self.forget_requested.emit)
        self.foot = row_of(self.vertex, PlainLabel("Time limit"), self.limit, STRETCH)
        self._body = QWidget()
        column_of(
            self.title,
            self.task,
            self.hint,
            self.function,
            row_of(run, check, memory, self.hint_button, STRETCH),
            row_of(self.compare, reset, copy, forget, STRETCH),
            self.search,
            self.text,
            self.difference,
            self.state,
            self.findings,
            self.foot,
            parent=self._body,
            margins=NO_MARGINS,
            spacing=GAP,
        )
        column_of(self.empty, self._body, parent=self, margins=(GAP, GAP, GAP, GAP))

    def show_kernel(
        self,
        title: str,
        text: str,
        original: str,
        task: str = "",
        hint: str = "",
        functions: Mapping[str, KernelFunction] | None = None,
    ) -> None:
        """Show a text to be changed, and a task, with the functions that it and the hint
        name; none for an empty title.
        """
        self._functions = functions or {}
        self.task.show_linked(task, self._functions)
        self.hint.show_linked(hint, self._functions)
        self.function.hide()
        self.task.setVisible(bool(task))
        self.hint_button.setVisible(bool(hint))
        self.hint.hide()
        self.empty.setVisible(not title)
        self._body.setVisible(bool(title))
        self.title.setText(title)
        self._original = original
        self.text.setPlainText(text)
        line = text[: max(0, text.find("#include"))].count("\n")  # below the comment at its head
        self.text.setTextCursor(QTextCursor(self.text.document().findBlockByNumber(line)))
        self.text.verticalScrollBar().setValue(line)
        self._rest.stop()
        self.show_remarks((), "")
        self.show_findings((), is_wrong=False)

    def _show_function(self, name: str) -> None:
        """Show a function below the hint, or hide it at the second click."""
        function = self._functions[name]
        words = f"{function.file}\n\n{function.text}"
        hidden = self.function.isHidden() or self.function.toPlainText() != words
        self.function.setPlainText(words)
        lines = min(_MOST_FUNCTION_LINES, words.count("\n") + 2)
        self.function.setFixedHeight(lines * self.function.fontMetrics().lineSpacing())
        self.function.setVisible(hidden)

    def show_remarks(
        self, remarks: Sequence[Remark], words: str, *, is_error: bool = False
    ) -> None:
        self.text.show_remarks(remarks)
        first = remarks[0] if remarks else None
        self.state.setText(words if first is None else f"Line {first.line}: {first.words}")
        self._is_error = is_error
        self._restyle()

    def show_findings(
        self, sentences: Sequence[str], *, is_wrong: bool, has_vertex: bool = False
    ) -> None:
        self.findings.setText("\n".join(sentences))
        self.findings.setVisible(bool(sentences))
        self.vertex.setVisible(has_vertex)
        self._is_wrong = is_wrong
        self._restyle()

    def find_next(self) -> None:
        """Select the next place of the words in the field, from the start again after the last."""
        words, here = self.search.text(), self.text.textCursor()
        if not words or self.text.find(words):
            return
        self.text.moveCursor(QTextCursor.MoveOperation.Start)
        if not self.text.find(words):
            self.text.setTextCursor(here)
            self.state.setText(f"“{words}” is not in the text.")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Return to the text, and what is selected there, on Esc in the search."""
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            if event.type() is QEvent.Type.KeyPress:
                self.search.hide()
                self.text.setFocus()
            event.accept()
            return True
        return super().eventFilter(watched, event)

    def _begin_search(self) -> None:
        self.search.show()
        self.search.setFocus()
        self.search.selectAll()

    def _changed(self) -> None:
        text = self.text.toPlainText()
        if text == self._last:  # other colours are a change, too
            return
        self._last = text
        self.state.setText("Changed, not compiled yet.")
        self._is_error = False
        self._restyle()
        self._rest.start()
        if self.compare.isChecked():
            self._show_difference()

    def _reset(self) -> None:
        cursor = self.text.textCursor()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(self._original)  # so that it can be undone

    def _toggle_difference(self) -> None:
        self.difference.setVisible(self.compare.isChecked())
        self._show_difference()

    def _show_difference(self) -> None:
        self.difference.setPlainText(
            difference(self._original, self.text.toPlainText()) or "As the original."
        )

    def _restyle(self) -> None:
        t = tokens()
        tint(self.state, t.bad if self._is_error else t.muted)
        tint(self.findings, t.bad if self._is_wrong else t.good)
