"""Start page, shown while no graph is open: introduction, open and generate buttons,
recent files; for a new user, one button that shows the program at work.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import (
    QCommandLinkButton,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from gui.model.samples import DEFAULT, SAMPLES
from gui.model.settings import Settings, label_of, shortened
from gui.style.text import button_text, on_type_size_change, scaled_px, tool_tip
from gui.style.theme import icon, tokens
from gui.style.widgets import PlainLabel, QuietLabel, ScaledLabel, clear_layout
from solvers.text import capitalised

WIDTH = 460
_SHOWN_FILES = 5
_IN_A_ROW = 3  # samples


class StartPage(QWidget):
    """Page with buttons to open, generate or download a graph, and the recent files."""

    file_chosen = Signal(object)  # Path: the user chose a recent file
    sample_chosen = Signal(str)  # the user chose the sample of that id
    first_chosen = Signal()  # the user wants to see the sample solved and played
    tour_chosen = Signal()  # the user wants the guided tour
    continued = Signal()  # the user wants to go on with the last session

    def __init__(
        self,
        settings: Settings,
        open_file: Callable[[], object],
        generate: Callable[[], object],
        download: Callable[[], object],
    ):
        super().__init__()
        self._settings = settings
        self._last: tuple[str, str] = ("", "")
        settings.recent_changed.connect(self._list_recent)
        self._recent = QVBoxLayout()
        self._recent.setSpacing(0)
        column = QVBoxLayout()
        column.setSpacing(10)
        self.first_button = QPushButton("See it at work on a sample")
        self.first_button.setToolTip("Open a small road network, solve it and play the search")
        self.first_button.setMinimumHeight(44)
        self.first_button.clicked.connect(lambda: self.first_chosen.emit())
        column.addLayout(self._heading())
        column.addWidget(self._advice())
        column.addWidget(self.first_button)
        column.addLayout(self._buttons(open_file, generate, download))
        column.addSpacing(8)
        column.addLayout(self._recent)
        column.addLayout(self._lessons())
        middle = QWidget()
        self._middle = middle
        on_type_size_change(self._fit_type)
        self._fit_type()
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

    def _fit_type(self) -> None:
        self._middle.setFixedWidth(scaled_px(WIDTH))

    def _heading(self) -> QHBoxLayout:
        mark = PlainLabel()
        mark.setPixmap(icon("tautline").pixmap(QSize(48, 48)))
        name = ScaledLabel("Tautline", factor=2.0)
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addWidget(mark)
        row.addWidget(name, 1)
        return row

    def _advice(self) -> PlainLabel:
        advice = PlainLabel(
            "Open a road network or a social graph, tick some variants and press Run to see the "
            "shortest path, the frontier of every iteration, and the time each variant took."
        )
        advice.setWordWrap(True)
        return advice

    def _buttons(self, *acts: Callable[[], object]) -> QHBoxLayout:
        self._opening = QPushButton("Open a file…")
        self._generating = QPushButton("Generate…")
        self._downloading = QPushButton("Download…")
        self._downloading.setToolTip("Road networks of the DIMACS challenge and networks of SNAP")
        row = QHBoxLayout()
        for button, act in zip(
            (self._opening, self._generating, self._downloading), acts, strict=True
        ):
            button.clicked.connect(lambda _=False, act=act: act())
            button.setMinimumHeight(36)
            row.addWidget(button, 1)
        return row

    def _lessons(self) -> QVBoxLayout:
        """Small samples to learn from, and the tour."""
        heading = QuietLabel("Learn with a small graph, step by step:")
        buttons = [
            _small_button(sample.title, sample.hint, partial(self.sample_chosen.emit, sample.id))
            for sample in SAMPLES
            if sample is not DEFAULT
        ]
        buttons.append(
            _small_button(
                "Tour, three minutes", "Show the window, part by part", self.tour_chosen.emit
            )
        )
        grid = QGridLayout()
        for place, button in enumerate(buttons):
            grid.addWidget(button, place // _IN_A_ROW, place % _IN_A_ROW)
        column = QVBoxLayout()
        column.addWidget(heading)
        column.addLayout(grid)
        return column

    def recolour(self) -> None:
        """Draw the icons in the theme's colours."""
        self._opening.setIcon(icon("open"))
        self._generating.setIcon(icon("generate"))
        self._downloading.setIcon(icon("download"))
        t = tokens()
        palette = QPalette(self.first_button.palette())
        palette.setColor(QPalette.ColorRole.Button, QColor(t.accent))
        palette.setColor(QPalette.ColorRole.ButtonText, QColor(t.accent_text))
        self.first_button.setPalette(palette)
        self.first_button.setIcon(icon("play", t.accent_text))
        self._list_recent()

    def offer_last(self, graph: str, when: str) -> None:
        """Offer to go on with the last session, which had that graph open; not, if
        ``graph`` is empty.
        """
        self._last = graph, when
        self._list_recent()

    def _list_recent(self) -> None:
        clear_layout(self._recent)
        graph, when = self._last
        if graph:
            last = QCommandLinkButton("Continue where you were", button_text(f"{graph}, {when}"))
            last.setIcon(icon("play"))
            last.clicked.connect(self.continued)
            self._recent.addWidget(last)
        recent = self._settings.recent_files[:_SHOWN_FILES]
        for path in recent:
            self._recent.addWidget(self._recent_button(path))
        is_new = not (graph or recent)
        self.first_button.setVisible(is_new)
        if not is_new:
            self._recent.addWidget(self._sample_button())

    def _sample_button(self) -> QCommandLinkButton:
        harbour = QCommandLinkButton("Open the sample", capitalised(DEFAULT.hint))
        harbour.setIcon(icon("path"))
        harbour.clicked.connect(lambda: self.sample_chosen.emit(DEFAULT.id))
        return harbour

    def _recent_button(self, path: Path) -> QCommandLinkButton:
        button = QCommandLinkButton(label_of(path), button_text(shortened(str(path.parent))))
        button.setToolTip(tool_tip(str(path)))
        button.setIcon(icon("folder"))
        button.clicked.connect(lambda: self.file_chosen.emit(path))
        return button


def _small_button(text: str, tip: str, press: Callable[[], None]) -> QPushButton:
    button = QPushButton(text)
    button.setToolTip(tool_tip(tip))
    button.clicked.connect(lambda: press())
    return button
