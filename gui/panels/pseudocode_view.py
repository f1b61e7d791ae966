"""Pseudo-code with the line at work marked."""

from __future__ import annotations

from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontMetricsF, QPalette, QResizeEvent
from PySide6.QtWidgets import QApplication, QSizePolicy, QVBoxLayout, QWidget

from gui.style import type_size
from gui.style.common_widgets import PlainLabel, QuietLabel, clear_layout, on_scheme_change
from gui.style.theme import tokens
from solvers.core.pseudocode import Pseudocode, PseudocodeLine, Step

_INDENT_PX = 16
_SIZE = 0.95  # of the panel's font
_LEAST_SCALE, _SCALE_STEP = 0.55, 0.05  # of that, in a narrow panel


class PseudocodeView(QWidget):
    """Shows one text, a label for each line."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._text: Pseudocode | None = None
        self._marked: int | None = None
        self.lines: tuple[PlainLabel, ...] = ()
        self.title = QuietLabel()
        self._place = QVBoxLayout()
        self._place.setSpacing(0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.title)
        column.addLayout(self._place)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.setAccessibleName("Pseudo-code")
        on_scheme_change(self._restyle)
        type_size.on_change(self._resize_type)

    @property
    def marked(self) -> int | None:
        """Index of the marked line; None if none is."""
        return self._marked

    def show_text(self, text: Pseudocode | None) -> None:
        """Show another text, without a mark; None hides the view."""
        if text is self._text:
            return
        self._text, self._marked = text, None
        clear_layout(self._place)
        self.lines = () if text is None else tuple(self._label(line) for line in text.lines)
        for label in self.lines:
            self._place.addWidget(label)
        self._resize_type()
        self.title.setText("" if text is None else text.title)
        self.setVisible(text is not None)
        self._restyle()

    def mark(self, step: Step) -> None:
        """Mark the line that does ``step``."""
        marked = None if self._text is None else self._text.line_of(step)
        if marked != self._marked:
            self._marked = marked
            self._restyle()

    def needed_height(self, *, with_title: bool = True) -> int:
        """Height in pixels that the text takes at the present width, with its title or without."""
        if self._text is None:
            return 0
        title = self.title.heightForWidth(self.width()) + 2 if with_title else 0
        return title + sum(label.heightForWidth(self.width()) for label in self.lines)

    def _label(self, line: PseudocodeLine) -> PlainLabel:
        label = PlainLabel(line.text)
        label.setWordWrap(True)
        label.setContentsMargins(6 + _INDENT_PX * line.depth, 2, 6, 2)
        label.setFont(self._code_font())
        return label

    @staticmethod
    def _code_font(scale: float = 1.0) -> QFont:
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPointSizeF(QApplication.font().pointSizeF() * _SIZE * scale)
        return font

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._resize_type()

    def _widest(self, font: QFont) -> float:
        metrics = QFontMetricsF(font)
        widths = (metrics.horizontalAdvance(f"{line.text()} ") + _margins(line) for line in self.lines)
        return max(widths, default=0.0)

    def _resize_type(self) -> None:
        """Give the lines the size of the type or, in a narrow panel, one in which the longest is not broken."""
        scale = 1.0
        while scale > _LEAST_SCALE and self._widest(self._code_font(scale)) > self.width():
            scale -= _SCALE_STEP  # letters have whole pixels: their width does not follow the size exactly
        font = self._code_font(scale)
        for label in self.lines:
            label.setFont(font)

    def _restyle(self) -> None:
        t = tokens()
        for number, label in enumerate(self.lines):
            marked = number == self._marked
            palette = QPalette(self.palette())
            palette.setColor(QPalette.ColorRole.Window, QColor(t.accent if marked else t.panel))
            palette.setColor(QPalette.ColorRole.WindowText, QColor(t.accent_text if marked else t.text))
            label.setPalette(palette)
            label.setAutoFillBackground(marked)


def _margins(label: PlainLabel) -> int:
    margins = label.contentsMargins()
    return margins.left() + margins.right()
