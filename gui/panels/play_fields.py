"""Fields of the play bar: how long the play-back lasts, and how fast it is."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QValidator
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QDoubleSpinBox, QSizePolicy, QWidget

from gui.model.playback import SPEED_RANGE
from gui.panels.play_state import FIT_TIP, OWN_SPEED, fit_choices, fit_text, seconds_of
from gui.style.common_widgets import GAP
from solvers.text import grouped, without_groups

_WIDE_SPEED = "888 888"  # a faster play-back is scrolled in its field


class FitBox(QComboBox):
    """Duration of the whole run: those offered, or one that is typed.

    Signals
    -------
    chosen(float)
        The user chose or typed so many seconds.
    """

    chosen = Signal(float)

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._seconds: float | None = None
        self.setEditable(True)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setMinimumContentsLength(len(OWN_SPEED))
        self.setAccessibleName("Duration of the play-back")
        self.setToolTip(FIT_TIP)
        self.activated.connect(self._choose)
        field = self.lineEdit()
        assert field is not None  # the box is editable
        field.editingFinished.connect(self._take_text)

    def show_seconds(self, seconds: float | None) -> None:
        """Show a duration; None stands for a speed of its own."""
        if self.count() and seconds == self._seconds:
            return
        self._seconds = seconds
        self.blockSignals(True)
        self.clear()
        for choice in fit_choices(seconds):
            self.addItem(fit_text(choice), choice)
        self.setCurrentIndex(-1 if seconds is None else self.findData(seconds))
        self.setEditText(OWN_SPEED if seconds is None else fit_text(seconds))
        self.blockSignals(False)

    def _choose(self, index: int) -> None:
        self.chosen.emit(self.itemData(index))

    def _take_text(self) -> None:
        """Take a typed duration; what is none is replaced by the present one."""
        text = self.currentText()
        present = OWN_SPEED if self._seconds is None else fit_text(self._seconds)
        if text == present:
            return
        seconds = seconds_of(text)
        if seconds is None:
            self.setEditText(present)
        else:
            self.chosen.emit(seconds)


class SpeedBox(QDoubleSpinBox):
    """Iterations per second, without trailing zeros, thousands apart: "60", "0.5", "17 623"."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.setRange(*SPEED_RANGE)
        self.setButtonSymbols(QAbstractSpinBox.ButtonSymbols.NoButtons)
        self.setDecimals(2)
        self.setSuffix(" it/s")
        self.setStepType(QAbstractSpinBox.StepType.AdaptiveDecimalStepType)
        self.setKeyboardTracking(False)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setAccessibleName("Iterations per second")
        self.setToolTip("Iterations per second ([ slower, ] faster)")

    def sizeHint(self) -> QSize:
        """Room for six digits, whatever the range."""
        width = self.fontMetrics().horizontalAdvance(f"{_WIDE_SPEED}{self.suffix()}") + 4 * GAP
        return QSize(width, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def textFromValue(self, value: float) -> str:
        return grouped(value, ".4g") if value < 1000 else grouped(value, ".0f")

    def valueFromText(self, text: str) -> float:
        try:
            return float(self._number(text))
        except ValueError:
            return self.value()

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        try:
            valid = self.minimum() <= float(self._number(text)) <= self.maximum()
        except ValueError:
            begun = not self._number(text).strip(".")
            return QValidator.State.Intermediate if begun else QValidator.State.Invalid, text, position
        return QValidator.State.Acceptable if valid else QValidator.State.Intermediate, text, position

    def _number(self, text: str) -> str:
        return without_groups(text.removesuffix(self.suffix()))
