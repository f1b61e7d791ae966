"""Help > About."""

from __future__ import annotations

import platform

from PySide6 import __version__ as pyside_version
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont, QPalette
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QGridLayout, QWidget

from gui.dialogs.buttons import button_box
from gui.style.common_widgets import PlainLabel
from gui.style.icons import icon
from solvers.version import __version__


class AboutDialog(QDialog):
    """Shows the application's name, version, purpose and licence."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.setWindowTitle("About Tautline")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        mark = PlainLabel()
        mark.setPixmap(icon("tautline").pixmap(QSize(64, 64)))
        name = PlainLabel(f"Tautline {__version__}")
        font = QFont(name.font())
        font.setPointSizeF(font.pointSizeF() * 1.6)
        name.setFont(font)
        words = PlainLabel(
            "A laboratory for shortest-path algorithms: on one core, on all of them, on GPUs and on clusters.\n"
            "A taut line between two points is the shortest path."
        )
        words.setWordWrap(True)
        words.setMinimumWidth(380)
        versions = PlainLabel(f"Python {platform.python_version()}, PySide6 {pyside_version}. MIT licence.")
        versions.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        buttons = button_box(self, QDialogButtonBox.StandardButton.Close)
        grid = QGridLayout(self)
        grid.setContentsMargins(20, 20, 20, 14)
        grid.setHorizontalSpacing(18)
        grid.addWidget(mark, 0, 0, 3, 1, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(name, 0, 1)
        grid.addWidget(words, 1, 1)
        grid.addWidget(versions, 2, 1)
        grid.addWidget(buttons, 3, 0, 1, 2)
