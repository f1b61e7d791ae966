"""The text of a kernel or a Python module, read-only, with syntax colours."""

from __future__ import annotations

import importlib.util
import keyword
import re
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtGui import QColor, QFont, QFontDatabase, QSyntaxHighlighter, QTextCharFormat, QTextDocument
from PySide6.QtWidgets import QPlainTextEdit, QTabWidget, QWidget

from gui.style.common_widgets import on_scheme_change
from gui.style.theme import tokens
from gui.style.tokens import Tokens
from solvers.contracts.catalog import Variant


@dataclass(frozen=True)
class Language:
    """How a language is coloured: ``rules`` are (role, pattern), tried in turn at each place; the first that fits wins.

    Attributes
    ----------
    rules : tuple of (str, pattern)
        Roles: "comment", "string", "number", "keyword", "builtin", "directive".
    blocks : tuple of (opening, closing, role)
        What may run over several lines.
    """

    rules: tuple[tuple[str, re.Pattern[str]], ...]
    blocks: tuple[tuple[str, str, str], ...]


def _words(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(words.split())})\b")


CUDA_C = Language(
    rules=(
        ("comment", re.compile(r"//.*")),
        ("string", re.compile(r'"(?:\\.|[^"\\])*"')),
        ("directive", re.compile(r"^\s*#.*")),
        ("keyword", _words(
            "KERNEL GLOBAL __shared__ __device__ __global__ __syncthreads if else for while do return break continue "
            "switch case default struct typedef static const volatile extern inline sizeof unsigned signed void bool "
            "char short int long float double size_t"
        )),
        ("builtin", _words(
            r"threadIdx blockIdx blockDim gridDim atomic\w+ min max INFINITY INF DIST \w+_t __\w+"
        )),
        ("number", re.compile(r"\b(?:0x[0-9a-fA-F]+|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)[uUlLfF]*\b")),
    ),
    blocks=(("/*", "*/", "comment"),),
)  # fmt: skip

PYTHON = Language(
    rules=(
        ("comment", re.compile(r"#.*")),
        ("string", re.compile(r"""[rbfRBF]{0,2}(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')""")),
        ("directive", re.compile(r"@[\w.]+")),
        ("keyword", _words(" ".join([*keyword.kwlist, "match", "case"]))),
        ("builtin", _words("int float str bool len range min max sum print tuple list dict set self np")),
        ("number", re.compile(r"\b\d[\d_]*(?:\.\d*)?(?:[eE][+-]?\d+)?\b")),
    ),
    blocks=(('"""', '"""', "string"), ("'''", "'''", "string")),
)


OUTSIDE = -1  # Qt's state of a line that ends outside every block; a line that ends inside block k has state k


class Highlighter(QSyntaxHighlighter):
    """Colours a document by a `Language`, in the theme's colours."""

    def __init__(self, document: QTextDocument, language: Language):
        super().__init__(document)
        self._language = language
        self._formats: dict[str, QTextCharFormat] = {}
        on_scheme_change(self.restyle)
        self.restyle()

    def restyle(self) -> None:
        self._formats = _formats(tokens())
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        """Walk along the line: the end of an open block, then whatever stands at the place reached."""
        place = 0
        self.setCurrentBlockState(OUTSIDE)
        if self.previousBlockState() != OUTSIDE:
            place = self._close(text, 0, 0, self.previousBlockState())
        while place < len(text):
            place = self._step(text, place)

    def _step(self, text: str, place: int) -> int:
        for index, (opening, _, _) in enumerate(self._language.blocks):
            if text.startswith(opening, place):
                return self._close(text, place, place + len(opening), index)
        for role, pattern in self._language.rules:
            if (found := pattern.match(text, place)) and found.end() > place:
                self.setFormat(place, found.end() - place, self._formats[role])
                return found.end()
        word = re.compile(r"\w+").match(text, place)
        return word.end() if word else place + 1

    def _close(self, text: str, start: int, search_from: int, index: int) -> int:
        _, closing, role = self._language.blocks[index]
        end = text.find(closing, search_from)
        if end < 0:
            self.setCurrentBlockState(index)
            end = len(text)
        else:
            end += len(closing)
        self.setFormat(start, end - start, self._formats[role])
        return end


def _formats(t: Tokens) -> dict[str, QTextCharFormat]:
    colours = {
        "comment": t.muted, "string": t.good, "number": t.warning,
        "keyword": t.accent, "builtin": t.path, "directive": t.target,
    }  # fmt: skip
    formats = {}
    for role, colour in colours.items():
        formats[role] = QTextCharFormat()
        formats[role].setForeground(QColor(colour))
    formats["keyword"].setFontWeight(QFont.Weight.DemiBold)
    formats["comment"].setFontItalic(True)
    return formats


def source_files(variant: Variant) -> list[tuple[Path, Language]]:
    """The kernel, if there is one, then the Python module of a variant."""
    spec = importlib.util.find_spec(variant.module) if variant.module else None
    if spec is None or spec.origin is None:
        return []
    module = Path(spec.origin)
    kernel = [(module.with_name(variant.kernel), CUDA_C)] if variant.kernel else []
    return [(path, language) for path, language in [*kernel, (module, PYTHON)] if path.is_file()]


class SourceView(QTabWidget):
    """One tab per source file of a variant."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._content: str | None = None
        self.setDocumentMode(True)
        self.setMinimumHeight(340)

    def show_variant(self, variant: Variant) -> None:
        """Read and show the files; nothing is done where they are shown already."""
        if variant.id == self._content:
            return
        self._content = variant.id
        while (page := self.widget(0)) is not None:
            self.removeTab(0)
            page.deleteLater()
        for path, language in source_files(variant):
            self.addTab(_page(path.read_text(encoding="utf-8"), language), path.name)


def _page(text: str, language: Language) -> QPlainTextEdit:
    page = QPlainTextEdit(text)
    page.setReadOnly(True)
    page.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
    page.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
    page.setTabStopDistance(4 * page.fontMetrics().horizontalAdvance(" "))
    Highlighter(page.document(), language)  # owned by the document
    return page
