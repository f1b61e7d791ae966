"""Film export options: range of iterations, speed, size and background."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QHBoxLayout,
    QWidget,
)

from gui.dialogs.buttons import button_box
from gui.dialogs.export import SCHEME, WHITE
from gui.export.encoders.gif import MOST_RATE
from gui.export.film import HOLD_S, LARGEST_SIDE, FilmOptions
from gui.style.common_widgets import CountBox, PlainLabel
from solvers.text import format_count, plural

_PREFERRED_S = 12.0  # length that the default speed aims at
_PREFERRED_RATE = 25.0
_SIZES = ((1280, 720), (1920, 1080), (1080, 1080))
_LEAST_SIDE = 64


@dataclass(frozen=True)
class FilmChoice:
    """The choices made in the film dialog: index of the view, size in pixels, background, film options."""

    subject: int
    width: int
    height: int
    background: str
    film: FilmOptions


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
    """

    def __init__(
        self, subjects: Sequence[str], size: QSize, length: int, noun: str, loop: bool, parent: QWidget | None = None
    ):
        super().__init__(parent)
        self.setWindowTitle("Export film")
        self._noun = noun
        self.subject = QComboBox()
        self.subject.addItems(list(subjects))
        self.first, self.last = _spin(1, 1, length), _spin(length, 1, length)
        every = max(1, round(length / (_PREFERRED_S * _PREFERRED_RATE)))
        self.every = _spin(every, 1, length)
        self.rate = QDoubleSpinBox()
        self.rate.setRange(0.1, MOST_RATE)
        self.rate.setDecimals(1)
        self.rate.setValue(max(1.0, min(_PREFERRED_RATE, length / every / _PREFERRED_S)))
        self.preset = QComboBox()
        on_screen = size.toTuple()
        for pair in (on_screen, *_SIZES):
            sides = " × ".join(map(format_count, pair))
            prefix = "As on screen, " if pair is on_screen else "Square, " if pair[0] == pair[1] else ""
            self.preset.addItem(prefix + sides, pair)
        self.preset.activated.connect(self._take_preset)
        self.width_box, self.height_box = (_spin(side, _LEAST_SIDE, LARGEST_SIDE) for side in size.toTuple())
        self.background = QComboBox()
        for text, value in (("As on screen", SCHEME), ("White", WHITE)):
            self.background.addItem(text, value)
        self.loop = QCheckBox("Loop (GIF only)")
        self.loop.setChecked(loop)
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
        return FilmChoice(self.subject.currentIndex(), *size, self.background.currentData(), film)

    def _lay_out(self) -> None:
        buttons = button_box(self, QDialogButtonBox.StandardButton.Save, QDialogButtonBox.StandardButton.Cancel)
        form = QFormLayout(self)
        form.setContentsMargins(18, 16, 18, 14)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow("Show", self.subject)
        form.addRow(f"{self._noun.capitalize()}s", _row(self.first, PlainLabel("to"), self.last))
        form.addRow("Include every", _row(self.every, PlainLabel(f"th {self._noun}, and the last one")))
        form.addRow("Speed", _row(self.rate, PlainLabel("frames per second")))
        form.addRow("", self.length_label)
        form.addRow("Size", self.preset)
        form.addRow("", _row(self.width_box, PlainLabel("×"), self.height_box, PlainLabel("pixels")))
        form.addRow("Background", self.background)
        form.addRow("", self.loop)
        form.addRow(buttons)

    def _take_preset(self, index: int) -> None:
        width, height = self.preset.itemData(index)
        self.width_box.setValue(width)
        self.height_box.setValue(height)

    def _say_length(self) -> None:
        film = self.choice.film
        frames = len(film.positions(film.last + 1))
        seconds = frames / film.rate + HOLD_S
        self.length_label.setText(f"{plural(frames, 'frame')}, {format_count(round(seconds))} s")


def _row(*widgets: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    for widget in widgets:
        row.addWidget(widget)
    row.addStretch(1)
    return row


def _spin(value: int, low: int, high: int) -> CountBox:
    spin = CountBox()
    spin.setRange(low, max(low, high))
    spin.setValue(value)
    return spin
