"""Syntax highlighting of kernels and Python modules, in the theme's colours."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

from pygments.lexer import Lexer
from pygments.lexers.c_like import CudaLexer
from pygments.lexers.diff import DiffLexer
from pygments.lexers.python import PythonLexer
from pygments.token import Comment, Generic, Keyword, Name, Number, Operator, String, _TokenType
from PySide6.QtGui import QColor, QFont, QSyntaxHighlighter, QTextCharFormat, QTextDocument

from gui.style.colours import Tokens
from gui.style.theme import tokens
from gui.style.widgets import on_scheme_change
from solvers.core.variant import Variant


class KernelLexer(CudaLexer):  # type: ignore[misc]
    """Lexer for CUDA C++ with the keywords that `solvers/devices/portable.h` adds."""

    function_qualifiers = CudaLexer.function_qualifiers | {"KERNEL", "DEVICE"}
    variable_qualifiers = CudaLexer.variable_qualifiers | {"GLOBAL", "SHARED", "CONST_IN"}
    vector_types = CudaLexer.vector_types | {"dist_t", "index_t", "unsigned_index_t"}
    variables = CudaLexer.variables | {"DIST_INF", "INFINITY", "GLOBAL_THREAD"}
    functions = CudaLexer.functions | {
        *("min", "max", "atomicMin", "atomicMax", "atomicAdd", "atomicAnd", "atomicOr", "atomicExch", "atomicCAS"),
        *("atomic_relax", "FOR_GRID_STRIDE"),
    }


# Colour attribute of a token type; types below it in Pygments' tree have the same colour.
_COLOURS = {
    Comment: "muted",
    Comment.Preproc: "target",
    Comment.PreprocFile: "target",
    String: "good",
    Number: "warning",
    Keyword: "accent",
    Operator.Word: "accent",
    Name.Builtin: "path",
    Name.Class: "path",
    Name.Function: "path",
    Name.Decorator: "target",
    Generic.Deleted: "bad",
    Generic.Inserted: "good",
    Generic.Subheading: "muted",
}
_WHOLE = re.compile(r"/\*.*?\*/|//.*|\"(?:\\.|[^\"\\])*\"")  # comments and strings that end in their line


class Highlighter(QSyntaxHighlighter):
    """Highlights a document, in the theme's colours; a subclass follows changes."""

    def __init__(self, document: QTextDocument, lexer: Lexer):
        super().__init__(document)
        self._lexer = lexer
        self._tokens = tokens_of_lines(document.toPlainText(), lexer)
        self._formats: dict[_TokenType, QTextCharFormat] = {}
        on_scheme_change(self.restyle)
        self.restyle()

    def restyle(self) -> None:
        self._formats = _formats(tokens())
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        for start, length, kind in self._tokens[self.currentBlock().blockNumber()]:
            self.setFormat(start, length, self._formats[kind])


class LiveHighlighter(Highlighter):
    """Highlights a kernel that is being edited, or a difference, each line by itself; Qt asks for those that changed.

    The state of a line tells whether a comment goes on behind it; Qt goes on to the next line if that changes.
    """

    def highlightBlock(self, text: str) -> None:
        before = "/*" if self.previousBlockState() > 0 else ""
        for start, length, kind in tokens_of_lines(f"{before}{text}\n", self._lexer)[0]:
            begin = max(0, start - len(before))
            self.setFormat(begin, start + length - len(before) - begin, self._formats[kind])
        opens = not isinstance(self._lexer, DiffLexer) and "/*" in _WHOLE.sub("", before + text)
        self.setCurrentBlockState(int(opens))


def tokens_of_lines(text: str, lexer: Lexer) -> list[list[tuple[int, int, _TokenType]]]:
    """For each line, its coloured tokens: start, length and key in the table of colours.

    The whole text is lexed at once, because comments and strings may span several lines.
    """
    lines: list[list[tuple[int, int, _TokenType]]] = [[]]
    column = 0
    for _, token, word in lexer.get_tokens_unprocessed(text):
        kind = next((kind for kind in reversed(token.split()) if kind in _COLOURS), None)
        for number, piece in enumerate(word.split("\n")):
            if number:
                lines.append([])
                column = 0
            if kind is not None and piece:
                lines[-1].append((column, len(piece), kind))
            column += len(piece)
    return lines


def _formats(t: Tokens) -> dict[_TokenType, QTextCharFormat]:
    formats = {}
    for kind, name in _COLOURS.items():
        formats[kind] = QTextCharFormat()
        formats[kind].setForeground(QColor(getattr(t, name)))
    formats[Keyword].setFontWeight(QFont.Weight.DemiBold)
    formats[Comment].setFontItalic(True)
    return formats


def source_files(variant: Variant) -> list[tuple[Path, Lexer]]:
    """The source files of a variant: its kernel, if it has one, then its Python module."""
    spec = importlib.util.find_spec(variant.module) if variant.module else None
    if spec is None or spec.origin is None:
        return []
    module = Path(spec.origin)
    kernel = [(module.with_name(variant.kernel), KernelLexer())] if variant.kernel else []
    return [(path, lexer) for path, lexer in [*kernel, (module, PythonLexer())] if path.is_file()]
