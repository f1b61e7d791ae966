"""Dialog that shows a long text to read or copy: error details, a reading report, a compiler log."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPlainTextEdit, QVBoxLayout, QWidget

from gui.dialogs.buttons import button_box
from gui.style.common_widgets import PlainLabel
from gui.style.plain_text import visible, window_title


class DetailsDialog(QDialog):
    """A summary above a read-only, fixed-width text, with a Copy button."""

    def __init__(self, parent: QWidget | None, heading: str, details: str, title: str = "Details"):
        super().__init__(parent)
        self.setWindowTitle(window_title(title))
        self.resize(640, 360)
        self.summary = PlainLabel(heading)
        self.summary.setWordWrap(True)
        self.text = QPlainTextEdit(visible(details))
        self.text.setReadOnly(True)
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.buttons = button_box(self, QDialogButtonBox.StandardButton.Close)
        copy = self.buttons.addButton("Copy", QDialogButtonBox.ButtonRole.ActionRole)
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(f"{heading}\n{details}"))
        column = QVBoxLayout(self)
        column.addWidget(self.summary)
        column.addWidget(self.text, 1)
        column.addWidget(self.buttons)


def show_details(parent: QWidget | None, heading: str, details: str, title: str = "Details") -> DetailsDialog:
    """Open a non-modal `DetailsDialog`."""
    dialog = DetailsDialog(parent, heading, details, title)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.show()
    return dialog
