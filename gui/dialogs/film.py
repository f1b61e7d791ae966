"""Film export options: format, range of iterations, speed, size and background."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize
from PySide6.QtGui import QGuiApplication, QPalette
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QLineEdit,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gui.dialogs.buttons import button_box
from gui.dialogs.export import SCHEME, WHITE
from gui.dialogs.form_rows import count_box, row_of
from gui.export.encoders.gif import MOST_RATE
from gui.export.film import HOLD_S, LARGEST_SIDE, FilmOptions
from gui.style.common_widgets import PlainLabel, QuietLabel
from solvers.text import format_count, plural

_PREFERRED_S = 12.0  # length that the default speed aims at
_PREFERRED_RATE = 25.0
_SIZES = (("Slide, 16:9", 1280, 720), ("Slide, 16:9, Full HD", 1920, 1080), ("Square", 1080, 1080))
GIF, MP4 = ".gif", ".mp4"
_FORMATS = {GIF: "GIF", MP4: "MP4 video"}
MP4_COMMAND = "pip install 'tautline[mp4]'"
_LEAST_SIDE = 64
_MOST_BUDGET = 1e15
_FINE = 100.0  # budget below which decimals matter


@dataclass(frozen=True)
class FilmChoice:
    """The choices made in the film dialog: view by index, size in pixels, background, options, format, and budget."""

    subject: int
    width: int
    height: int
    background: str
    film: FilmOptions
    suffix: str = GIF
    budget: float | None = None


class FilmDialog(QDialog):
    """Asks for the options of a film and shows its length.

    Parameters
    ----------
    subjects : sequence of str
        Names of the views that can be filmed.
    size : QSize
        Size on screen in logical pixels; the default.
    length : int
        Number of recorded iterations.
    noun : str
        Name of one: "iteration", "phase" for a matrix, "step" for a drag.
    loop : bool
        Initial state of the loop check box.
    view : int
        Index of the view that is chosen first.
    budget : (float, str) or None
        Distance up to which the film lights the graph, with its unit; None for no limit.
    """

    def __init__(
        self, subjects: Sequence[str], size: QSize, length: int, noun: str, loop: bool, parent: QWidget | None = None,
        *, view: int = 0, budget: tuple[float, str] | None = None,
    ):  # fmt: skip
        super().__init__(parent)
        self.setWindowTitle("Export film")
        self._noun = noun
        self.subject = QComboBox()
        self.subject.addItems(list(subjects))
        self.subject.setCurrentIndex(view)
        self.budget = None if budget is None else _budget_box(*budget)
        self.first, self.last = count_box(1, 1, length), count_box(length, 1, length)
        every = max(1, round(length / (_PREFERRED_S * _PREFERRED_RATE)))
        self.every = count_box(every, 1, length)
        self.rate = QDoubleSpinBox()
        self.rate.setRange(0.1, MOST_RATE)
        self.rate.setDecimals(1)
        self.rate.setValue(max(1.0, min(_PREFERRED_RATE, length / every / _PREFERRED_S)))
        self.preset = QComboBox()
        for title, *pair in (*_SIZES, ("As on screen", *size.toTuple())):
            self.preset.addItem(f"{title}, {' × '.join(map(format_count, pair))}", tuple(pair))
        self.preset.setPlaceholderText("Own size")
        self.preset.activated.connect(self._take_preset)
        self.width_box, self.height_box = (count_box(side, _LEAST_SIDE, LARGEST_SIDE) for side in _SIZES[0][1:])
        self.background = QComboBox()
        for text, value in (("As on screen", SCHEME), ("White", WHITE)):
            self.background.addItem(text, value)
        for side in (self.width_box, self.height_box):
            side.valueChanged.connect(self._follow_size)
        self.loop = QCheckBox("Loop")
        self.loop.setChecked(loop)
        self.format = QComboBox()
        self.format.addItem(_FORMATS[GIF], GIF)
        self.format.currentIndexChanged.connect(self._follow_format)
        self.remedy = _Command(MP4_COMMAND)
        self.remedy.hide()
        self.length_label = PlainLabel()
        self.length_label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        for box in (self.first, self.last, self.every, self.rate):
            box.valueChanged.connect(self._say_length)
        self._lay_out()
        self._say_length()

    @property
    def choice(self) -> FilmChoice:
        first, last = sorted((self.first.value(), self.last.value()))
        film = FilmOptions(first - 1, last - 1, self.every.value(), self.rate.value(), self.loop.isChecked())
        size = self.width_box.value(), self.height_box.value()
        background, suffix = self.background.currentData(), self.format.currentData()
        budget = None if self.budget is None else self.budget.value()
        return FilmChoice(self.subject.currentIndex(), *size, background, film, suffix, budget)

    def show_mp4(self, reason: str) -> None:
        """Offer MP4; with the ``reason`` why it cannot be written, say that and what to do instead."""
        if not reason and self.format.findData(MP4) < 0:
            self.format.addItem(_FORMATS[MP4], MP4)
        self.remedy.show_reason(reason)

    def choose_format(self, suffix: str) -> None:
        """Choose a format, if it is offered."""
        if (index := self.format.findData(suffix)) >= 0:
            self.format.setCurrentIndex(index)

    def _lay_out(self) -> None:
        buttons = button_box(self, QDialogButtonBox.StandardButton.Save, QDialogButtonBox.StandardButton.Cancel)
        form = QFormLayout(self)
        form.setContentsMargins(18, 16, 18, 14)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow("Show", self.subject)
        if self.budget is not None:
            form.addRow("Light up to", self.budget)
        form.addRow("Format", self.format)
        form.addRow("", self.remedy)
        form.addRow(f"{self._noun.capitalize()}s", row_of(self.first, PlainLabel("to"), self.last))
        form.addRow("Include every", row_of(self.every, PlainLabel(f"th {self._noun}, and the last one")))
        form.addRow("Speed", row_of(self.rate, PlainLabel("frames per second")))
        form.addRow("", self.length_label)
        form.addRow("Size", self.preset)
        form.addRow("", row_of(self.width_box, PlainLabel("×"), self.height_box, PlainLabel("pixels")))
        form.addRow("Background", self.background)
        form.addRow("", self.loop)
        form.addRow(buttons)

    def _take_preset(self, index: int) -> None:
        width, height = self.preset.itemData(index)
        self.width_box.setValue(width)
        self.height_box.setValue(height)

    def _follow_size(self) -> None:
        sides = self.width_box.value(), self.height_box.value()
        at = next((i for i in range(self.preset.count()) if tuple(self.preset.itemData(i)) == sides), -1)
        self.preset.setCurrentIndex(at)

    def _follow_format(self) -> None:
        """A GIF loops if told to; an MP4 leaves that to the player."""
        self.loop.setEnabled(self.format.currentData() == GIF)

    def _say_length(self) -> None:
        film = self.choice.film
        frames = len(film.positions(film.last + 1))
        seconds = frames / film.rate + HOLD_S
        self.length_label.setText(f"{plural(frames, 'frame')}, {format_count(round(seconds))} s")


class _Command(QWidget):
    """Why something cannot be done, and the command that makes it possible, to copy."""

    def __init__(self, command: str):
        super().__init__()
        self._reason = QuietLabel()
        self.command = QLineEdit(command)
        self.command.setReadOnly(True)
        self.command.setAccessibleName("Command")
        self.copy_button = QToolButton()
        self.copy_button.setText("Copy")
        self.copy_button.clicked.connect(lambda: QGuiApplication.clipboard().setText(command))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._reason)
        column.addLayout(row_of(self.command, self.copy_button))
        self.command.setMinimumWidth(self.command.fontMetrics().horizontalAdvance(command) + 24)

    def show_reason(self, reason: str) -> None:
        self._reason.setText(reason)
        self.setVisible(bool(reason))


def _budget_box(budget: float, unit: str) -> QDoubleSpinBox:
    box = QDoubleSpinBox()
    box.setRange(0.0, _MOST_BUDGET)
    box.setDecimals(3 if budget < _FINE else 0)
    box.setValue(budget)
    box.setSuffix(f" {unit}" if unit else "")
    return box
