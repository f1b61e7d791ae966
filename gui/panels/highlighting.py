"""Syntax highlighting of kernels, Python modules and differences, in the theme's colours.

Each line is read by one regular expression, and by what the line before it left open: a
text that is being edited is coloured in the window's thread, where a lexer of whole
texts would take too long.
"""

from __future__ import annotations

import builtins
import importlib.util
import keyword
import re
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtGui import QColor, QFont, QSyntaxHighlighter, QTextCharFormat, QTextDocument
from PySide6.QtWidgets import QPlainTextEdit

from gui.style.text import mono_font
from gui.style.theme import tokens
from gui.style.widgets import keep_styled
from solvers.core.variant import Variant

# Colour attribute of a kind of words; the groups of a language's expression are named by kinds.
_COLOURS = {
    "comment": "muted",
    "directive": "good",
    "string": "good",
    "number": "warning",
    "keyword": "accent",
    "builtin": "warning",
    "defined": "text",
    "deleted": "bad",
    "inserted": "good",
    "place": "muted",
}
_NUMBER = (
    r"(?P<number>(?<![\w.])(?:0[xX][\da-fA-F]+|(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[uUlLfF]*)"
)
_KEYWORDS_OF_KERNELS = r"""
    auto bool break case char class const constexpr continue default delete do double else enum
    explicit extern false float for goto if inline int long namespace new nullptr operator private
    public register restrict return short signed sizeof static struct switch template this true
    typedef typename union unsigned using void volatile while
    __constant__ __device__ __forceinline__ __global__ __host__ __launch_bounds__ __restrict__
    __shared__
    KERNEL DEVICE GLOBAL SHARED CONST_IN \w+_t dim3 u?int[248] float[248]"""
_BUILTINS_OF_KERNELS = r"""
    __\w+ atomic\w+ blockDim blockIdx gridDim threadIdx warpSize min max
    DIST_INF INFINITY GLOBAL_THREAD FOR_GRID_STRIDE"""


@dataclass(frozen=True)
class Language:
    """How the lines of a text are read."""

    # one group for each kind of words, and ``open0``, ``open1`` and so on for the spans
    words: re.Pattern[str]
    spans: tuple[tuple[str, str], ...] = ()  # end and kind of what may go on in the next lines

    def read(self, line: str, state: int) -> tuple[list[tuple[int, int, str]], int]:
        """The coloured words of a line (start, end and kind), and what it leaves open:
        0, or 1 + a span's number.
        """
        found, at = list[tuple[int, int, str]](), 0
        if state > 0:
            mark, kind = self.spans[state - 1]
            at = line.find(mark) + len(mark)
            if at < len(mark):
                return [(0, len(line), kind)], state
            found.append((0, at, kind))
        for match in self.words.finditer(line, at):
            group = match.lastgroup or ""
            if group.startswith("open"):
                number = int(group[4:])
                return [*found, (*match.span(), self.spans[number][1])], number + 1
            found.append((*match.span(group), group))
        return found, 0


DIFFERENCE = Language(re.compile(r"^(?:(?P<deleted>-.*)|(?P<inserted>\+.*)|(?P<place>@@.*))"))


def _any(words: str) -> str:
    return rf"\b(?:{'|'.join(words.split())})\b"


KERNEL = Language(
    re.compile(
        r"(?P<open0>/\*(?!.*\*/).*)|(?P<comment>//.*|/\*.*?\*/)"
        r"|^\s*(?P<directive>#.*?(?=\s*(?://|/\*|$)))"
        r"|(?P<string>\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])+')|(?P<defined>(?<=void )\w+(?=\())"
        rf"|{_NUMBER}|(?P<keyword>{_any(_KEYWORDS_OF_KERNELS)})"
        rf"|(?P<builtin>{_any(_BUILTINS_OF_KERNELS)})"
    ),
    (("*/", "comment"),),
)
PYTHON = Language(
    re.compile(
        r"(?P<comment>#.*)|(?P<open0>[rRbBfFuU]{0,2}\"{3}(?!.*\"{3}).*)"
        r"|(?P<open1>[rRbBfFuU]{0,2}'{3}(?!.*'{3}).*)"
        r"|(?P<string>[rRbBfFuU]{0,2}"
        r"(?:\"{3}.*?\"{3}|'{3}.*?'{3}|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'))"
        rf"|^\s*(?P<directive>@[\w.]+)|(?P<defined>(?<=def )\w+|(?<=class )\w+)|{_NUMBER}"
        rf"|(?P<keyword>{_any(' '.join(keyword.kwlist))})"
        rf"|(?P<builtin>(?<!\.){_any(' '.join(dir(builtins)))})"
    ),
    (('"""', "string"), ("'''", "string")),
)


class Highlighter(QSyntaxHighlighter):
    """Highlights a document, in the theme's colours; Qt asks for the lines that changed."""

    def __init__(self, document: QTextDocument, language: Language):
        super().__init__(document)
        self._language = language
        self._formats: dict[str, QTextCharFormat] = {}
        keep_styled(self.restyle)

    def restyle(self) -> None:
        t = tokens()
        for kind, name in _COLOURS.items():
            made = self._formats[kind] = QTextCharFormat()
            made.setForeground(QColor(getattr(t, name)))
        for kind in ("keyword", "defined"):
            self._formats[kind].setFontWeight(QFont.Weight.DemiBold)
        self._formats["comment"].setFontItalic(True)
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        words, state = self._language.read(text, self.previousBlockState())
        for start, end, kind in words:
            self.setFormat(start, end - start, self._formats[kind])
        self.setCurrentBlockState(state)


def source_page(text: str, language: Language) -> QPlainTextEdit:
    page = QPlainTextEdit(text)
    page.setReadOnly(True)
    page.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
    page.setFont(mono_font())
    page.setTabStopDistance(4 * page.fontMetrics().horizontalAdvance(" "))
    Highlighter(page.document(), language)  # owned by the document
    return page


def source_files(variant: Variant) -> list[tuple[Path, Language]]:
    """The source files of a variant: its kernel, if it has one, then its Python module."""
    spec = importlib.util.find_spec(variant.module) if variant.module else None
    if spec is None or spec.origin is None:
        return []
    module = Path(spec.origin)
    kernel = [(module.with_name(variant.kernel), KERNEL)] if variant.kernel else []
    return [(path, language) for path, language in [*kernel, (module, PYTHON)] if path.is_file()]
