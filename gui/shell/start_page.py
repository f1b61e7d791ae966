"""Start page, shown while no graph is open: introduction, open and generate buttons,
recent files; for a new user, one button that shows the program at work.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QPalette
from PySide6.QtWidgets import (
    QCommandLinkButton,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from gui.model.samples import DEFAULT, SAMPLES
from gui.model.settings import Settings, folder_of, label_of
from gui.shell.commands import Action
from gui.style.forms import STRETCH, Act, WrappedLabel, column_of, push_button, row_of
from gui.style.icons import icon
from gui.style.text import button_text, on_type_size_change, scaled_px, scaled_square, tool_tip
from gui.style.theme import tokens
from gui.style.widgets import (
    PlainLabel,
    QuietLabel,
    ScaledLabel,
    clear_layout,
    keep_icon,
    keep_styled,
    set_colours,
)
from solvers.text import capitalised

WIDTH = 460
_SHOWN_FILES = 5
_IN_A_ROW = 3  # samples


@dataclass(frozen=True)
class StartOffer:
    """A button above the recent files, with words under its text."""

    text: str
    words: str
    act: Act


class StartPage(QWidget):
    """Page with buttons that lead to a graph, and the recent files."""

    file_chosen = Signal(object)  # Path: the user chose a recent file
    sample_chosen = Signal(str)  # the user chose the sample of that id
    first_chosen = Signal()  # the user wants to see the sample solved and played
    tour_chosen = Signal()  # the user wants the guided tour

    def __init__(
        self,
        settings: Settings,
        open_file: Callable[[], object],
        generate: Callable[[], object],
        others: Sequence[tuple[Action, QAction]],
    ):
        super().__init__()
        self._settings = settings
        self._first: StartOffer | None = None
        settings.recent_changed.connect(self._list_recent)
        self._recent = column_of(spacing=0)
        tip = "Open a small road network, solve it and play the search"
        self.first_button = push_button("See it at work on a sample", tip, self.first_chosen)
        self.first_button.setMinimumHeight(44)
        keep_icon(self.first_button, "play", "accent_text")
        more = (
            (_large_button(spec.text, spec.icon, action.trigger, spec.tip), 1)
            for spec, action in others
        )
        self._middle = QWidget()
        column_of(
            self._heading(),
            self._advice(),
            self.first_button,
            row_of(
                (_large_button("Open a file…", "open", open_file), 1),
                (_large_button("Generate…", "generate", generate), 1),
                *more,
            ),
            8,
            self._recent,
            self._samples(),
            parent=self._middle,
            spacing=10,
        )
        on_type_size_change(self._fit_type)
        self._fit_type()
        # stretches: an alignment would ignore the height of wrapped text
        outer = column_of(row_of(STRETCH, self._middle, STRETCH), parent=self)
        outer.insertStretch(0, 2)
        outer.addStretch(3)
        keep_styled(self._recolour)

    def _fit_type(self) -> None:
        self._middle.setFixedWidth(scaled_px(WIDTH))

    def _heading(self) -> QHBoxLayout:
        mark = PlainLabel()
        mark.setPixmap(icon("tautpath").pixmap(scaled_square(48)))
        return row_of(mark, (ScaledLabel("Tautpath", factor=2.0), 1), spacing=12)

    def _advice(self) -> PlainLabel:
        return WrappedLabel(
            "Open a road network or a social graph, tick some variants and press Run to see the "
            "shortest path, the frontier of every iteration, and the time each variant took."
        )

    def _samples(self) -> QVBoxLayout:
        """Small samples to learn from, and the tour."""
        buttons = [
            push_button(sample.title, sample.hint, partial(self.sample_chosen.emit, sample.id))
            for sample in SAMPLES
            if sample is not DEFAULT
        ]
        tour = "Show the window, part by part"
        buttons.append(push_button("Tour, three minutes", tour, self.tour_chosen))
        grid = QGridLayout()
        for place, button in enumerate(buttons):
            grid.addWidget(button, place // _IN_A_ROW, place % _IN_A_ROW)
        return column_of(QuietLabel("Learn with a small graph, step by step:"), grid)

    def _recolour(self) -> None:
        t, roles = tokens(), QPalette.ColorRole
        colours = {roles.Button: t.accent, roles.ButtonText: t.accent_text}
        set_colours(self.first_button, colours)
        self._list_recent()

    def offer_first(self, offer: StartOffer | None) -> None:
        """Offer something above recent files, as to go on with the last session."""
        self._first = offer
        self._list_recent()

    def _list_recent(self) -> None:
        clear_layout(self._recent)
        if (first := self._first) is not None:
            self._offer(first.text, button_text(first.words), "play", first.act)
        recent = self._settings.recent_files[:_SHOWN_FILES]
        for path in recent:
            choose = partial(self.file_chosen.emit, path)
            self._offer(label_of(path), folder_of(path), "folder", choose, str(path))
        is_new = not (first or recent)
        self.first_button.setVisible(is_new)
        if not is_new:
            choose = partial(self.sample_chosen.emit, DEFAULT.id)
            self._offer("Open the sample", capitalised(DEFAULT.hint), "path", choose)

    def _offer(self, text: str, words: str, icon_name: str, act: Act, tip: str = "") -> None:
        button = QCommandLinkButton(text, words)
        button.setToolTip(tool_tip(tip))
        button.setIcon(icon(icon_name))
        button.clicked.connect(act)
        self._recent.addWidget(button)


def _large_button(text: str, icon_name: str, act: Act, tip: str = "") -> QPushButton:
    button = push_button(text, tip, act)
    button.setMinimumHeight(36)
    keep_icon(button, icon_name)
    return button
