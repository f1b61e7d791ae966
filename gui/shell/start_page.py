"""Start page, shown while no graph is open: introduction, open and generate buttons, recent files."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QAction, QFont
from PySide6.QtWidgets import QCommandLinkButton, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from gui.model.settings import Settings, label_of, shortened
from gui.style.common_widgets import PlainLabel, clear_layout
from gui.style.icons import icon
from gui.style.plain_text import button_text, tool_tip

WIDTH = 460
_SHOWN_FILES = 5


class StartPage(QWidget):
    """Page with buttons to open or generate a graph, and the recent files.

    Parameters
    ----------
    settings : Settings
    open_action, generate_action : QAction

    Signals
    -------
    file_chosen(Path)
        The user chose a recent file.
    sample_chosen()
        The user chose the sample graph.
    """

    file_chosen = Signal(object)
    sample_chosen = Signal()

    def __init__(
        self, settings: Settings, open_action: QAction, generate_action: QAction, parent: QWidget | None = None
    ):
        super().__init__(parent)
        self._settings = settings
        settings.recent_changed.connect(self._list_recent)
        self._recent = QVBoxLayout()
        self._recent.setSpacing(0)
        column = QVBoxLayout()
        column.setSpacing(10)
        for part in (self._heading(), self._advice(), self._buttons(open_action, generate_action)):
            column.addLayout(part) if isinstance(part, QHBoxLayout) else column.addWidget(part)
        column.addSpacing(8)
        column.addLayout(self._recent)
        middle = QWidget()
        middle.setFixedWidth(WIDTH)
        middle.setLayout(column)
        row = QHBoxLayout()  # stretches: an alignment would ignore the height of wrapped text
        row.addStretch(1)
        row.addWidget(middle)
        row.addStretch(1)
        outer = QVBoxLayout(self)
        outer.addStretch(2)
        outer.addLayout(row)
        outer.addStretch(3)
        self.recolour()

    def _heading(self) -> QHBoxLayout:
        mark = PlainLabel()
        mark.setPixmap(icon("tautline").pixmap(QSize(48, 48)))
        name = PlainLabel("Tautline")
        font = QFont(name.font())
        font.setPointSizeF(font.pointSizeF() * 2)
        name.setFont(font)
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addWidget(mark)
        row.addWidget(name, 1)
        return row

    def _advice(self) -> PlainLabel:
        advice = PlainLabel(
            "Open a road network or a social graph, tick some variants and press Run to see the shortest path, the "
            "frontier of every iteration, and the time each variant took."
        )
        advice.setWordWrap(True)
        return advice

    def _buttons(self, open_action: QAction, generate_action: QAction) -> QHBoxLayout:
        self._opening = QPushButton("Open a graph file…")
        self._opening.clicked.connect(open_action.trigger)
        self._generating = QPushButton("Generate a graph…")
        self._generating.clicked.connect(generate_action.trigger)
        row = QHBoxLayout()
        for button in (self._opening, self._generating):
            button.setMinimumHeight(36)
            row.addWidget(button, 1)
        return row

    def recolour(self) -> None:
        """Draw the icons in the theme's colours."""
        self._opening.setIcon(icon("open"))
        self._generating.setIcon(icon("generate"))
        self._list_recent()

    def _list_recent(self) -> None:
        clear_layout(self._recent)
        for path in self._settings.recent_files[:_SHOWN_FILES]:
            self._recent.addWidget(self._recent_button(path))
        sample = QCommandLinkButton("Open the sample", "A small road network to try things out")
        sample.setIcon(icon("path"))
        sample.clicked.connect(self.sample_chosen)
        self._recent.addWidget(sample)

    def _recent_button(self, path: Path) -> QCommandLinkButton:
        button = QCommandLinkButton(label_of(path), button_text(shortened(str(path.parent))))
        button.setToolTip(tool_tip(str(path)))
        button.setIcon(icon("folder"))
        button.clicked.connect(lambda: self.file_chosen.emit(path))
        return button
