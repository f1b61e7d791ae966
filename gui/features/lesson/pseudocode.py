"""The pseudo-code of a variant, in which the line that is at work is marked."""

from __future__ import annotations

from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.style.forms import NO_MARGINS, WrappedLabel, column_of
from gui.style.text import mono_font, on_type_size_change
from gui.style.theme import tokens
from gui.style.widgets import PlainLabel, QuietLabel, clear_layout, on_scheme_change, set_colours
from solvers.core.pseudocode import Pseudocode, PseudocodeLine, Step

_INDENT_PX = 16


class PseudocodeView(QWidget):
    """Shows one text, a label for each line, and marks the line that is at work."""

    def __init__(self) -> None:
        super().__init__()
        self._text: Pseudocode | None = None
        self._scale = 1.0
        self.marked: int | None = None  # index of the marked line
        self.lines: tuple[PlainLabel, ...] = ()
        self.title = QuietLabel()
        self._place = column_of(spacing=0)
        column_of(self.title, self._place, parent=self, margins=NO_MARGINS, spacing=2)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.setAccessibleName("Pseudo-code")
        on_scheme_change(self._restyle)
        on_type_size_change(self._resize_type)

    def show_text(self, text: Pseudocode | None) -> None:
        """Show another text, without a mark; None hides the view."""
        if text is self._text:
            return
        self._text, self.marked = text, None
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
        if marked != self.marked:
            self.marked = marked
            self._restyle()

    def needed_height(self, *, with_title: bool = True) -> int:
        """Height in pixels that the text takes at the present width, with its title or without."""
        if self._text is None:
            return 0
        title = self.title.heightForWidth(self.width()) + 2 if with_title else 0
        return title + sum(label.heightForWidth(self.width()) for label in self.lines)

    def set_scale(self, scale: float) -> None:
        """Give the lines letters of so many times the size of the type."""
        if scale != self._scale:
            self._scale = scale
            self._resize_type()

    def _label(self, line: PseudocodeLine) -> PlainLabel:
        label = WrappedLabel(line.text)
        label.setContentsMargins(6 + _INDENT_PX * line.depth, 1, 6, 1)
        return label

    def _resize_type(self) -> None:
        for label in self.lines:
            label.setFont(mono_font(self._scale))

    def _restyle(self) -> None:
        t, roles = tokens(), QPalette.ColorRole
        for number, label in enumerate(self.lines):
            marked = number == self.marked
            ground, text = (t.accent, t.accent_text) if marked else (t.panel, t.text)
            set_colours(label, {roles.Window: ground, roles.WindowText: text})
            label.setAutoFillBackground(marked)
