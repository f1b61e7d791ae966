"""A question with a few answers, for the rare case in which the program cannot go on without one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget

from gui.style.plain_text import visible


@dataclass(frozen=True)
class Reply:
    """An answer: the text of its button, and what it does."""

    text: str
    act: Callable[[], object]


def ask(parent: QWidget, title: str, words: str, answers: Sequence[Reply]) -> QMessageBox:
    """Ask without blocking; Cancel, which is always offered, does nothing."""
    box = QMessageBox(parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setIcon(QMessageBox.Icon.Warning)
    box.setWindowTitle(title)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(visible(words))
    for answer in answers:
        box.addButton(answer.text, QMessageBox.ButtonRole.AcceptRole).clicked.connect(answer.act)
    box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
    box.open()
    return box
