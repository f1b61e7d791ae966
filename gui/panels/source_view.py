"""Read-only view of a kernel or a Python module with syntax highlighting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QPlainTextEdit, QTabWidget, QWidget

from solvers.core.variant import Variant

if TYPE_CHECKING:
    from pygments.lexer import Lexer


class SourceView(QTabWidget):
    """One tab per source file of a variant."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._content: str | None = None
        self.setDocumentMode(True)
        self.setMinimumHeight(340)

    def show_variant(self, variant: Variant) -> None:
        """Read and show the files, unless they are already shown."""
        if variant.id == self._content:
            return
        self._content = variant.id
        while (page := self.widget(0)) is not None:
            self.removeTab(0)
            page.deleteLater()
        from gui.panels.highlighting import source_files  # imported here: Pygments is slow to import

        for path, lexer in source_files(variant):
            self.addTab(_page(path.read_text(encoding="utf-8"), lexer), path.name)


def _page(text: str, lexer: Lexer) -> QPlainTextEdit:
    page = QPlainTextEdit(text)
    page.setReadOnly(True)
    page.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
    page.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
    page.setTabStopDistance(4 * page.fontMetrics().horizontalAdvance(" "))
    from gui.panels.highlighting import Highlighter

    Highlighter(page.document(), lexer)  # owned by the document
    return page
