"""Fields for numbers, which drop no character: what they do not understand stays until they
are left, and is then refused in words.

Fields with a unit take what ``--budget`` takes: ``10km``, ``5 min``, or a number in the unit
that they name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import QPoint, QTimer, Signal
from PySide6.QtGui import QValidator
from PySide6.QtWidgets import QDoubleSpinBox, QLineEdit, QSpinBox, QToolTip, QWidget

from gui.style.text import tool_tip
from solvers.text import format_count, grouped, without_groups
from solvers.units import public_unit, to_internal_unit, to_internal_units, to_public_unit

_AFTER_FOCUS_MS = 300
_SPACES = re.compile("[\\s\N{THIN SPACE}\N{NARROW NO-BREAK SPACE}\N{NO-BREAK SPACE}]+")
_DECIMAL_COMMA = re.compile(r"(\d+),(?!\d{3}(?:\D|$))(\d+)(.*)")


def _checked(box: QSpinBox | QDoubleSpinBox, number: float) -> float:
    """The number that a box reads in its text. Raises ValueError beyond its range."""
    low, high = box.minimum(), box.maximum()
    if not low <= number <= high:
        raise ValueError(f"it takes {grouped(low, '.10g')} to {grouped(high, '.10g')}")
    return number


def _plain(box: QSpinBox | QDoubleSpinBox, text: str) -> str:
    """Without prefix, suffix and the spaces between digits."""
    within = text.strip().removeprefix(box.prefix().strip())
    if box.suffix() and within.endswith(box.suffix()):
        within = within.removesuffix(box.suffix())
    return _SPACES.sub("", within)


class QuantityBox(QDoubleSpinBox):
    """A field for a real number, which may have a unit."""

    def __init__(self, unit: str = ""):
        super().__init__()
        self.set_unit(unit)
        self.setKeyboardTracking(False)  # "10" on the way to "10km" is no value

    def set_unit(self, unit: str) -> None:
        """Take and show numbers in a unit; "" for none."""
        self._unit = unit
        self.setSuffix(f" {unit}" if unit else "")

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        return _state_of(self, text), text, position

    def valueFromText(self, text: str) -> float:
        return self.read(text)

    def fixup(self, text: str) -> str:
        return _fixed(self, text)

    def read(self, text: str) -> float:
        """The number in the field's unit. Raises ValueError with a sentence for the user."""
        if text and text == self.specialValueText():
            return self.minimum()
        plain = _plain(self, text)
        if found := _DECIMAL_COMMA.fullmatch(plain):
            plain = f"{found[1]}.{found[2]}{found[3]}"
        else:
            plain = plain.replace(self.locale().groupSeparator(), "")
        return _checked(self, to_internal_unit(plain, self._unit))


class CountBox(QSpinBox):
    """A field for a whole number, which separates thousands as all other texts do."""

    def __init__(self) -> None:
        super().__init__()
        self.setKeyboardTracking(False)

    def textFromValue(self, value: int) -> str:
        return format_count(value)

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        return _state_of(self, text), text, position

    def valueFromText(self, text: str) -> int:
        return self.read(text)

    def fixup(self, text: str) -> str:
        return _fixed(self, text)

    def read(self, text: str) -> int:
        """The number. Raises ValueError with a sentence for the user."""
        if text and text == self.specialValueText():
            return self.minimum()
        try:
            number = int(without_groups(_plain(self, text)))
        except ValueError:
            raise ValueError("it takes a whole number") from None
        return int(_checked(self, number))


def _state_of(box: QuantityBox | CountBox, text: str) -> QValidator.State:
    try:
        box.read(text)
    except ValueError:
        return QValidator.State.Intermediate
    return QValidator.State.Acceptable


def _fixed(box: QuantityBox | CountBox, text: str) -> str:
    """Say why a text is refused; the number before it comes back."""
    try:
        box.read(text)
    except ValueError as error:
        refuse(box, _plain(box, text), error)
    return text


class QuantitiesField(QLineEdit):
    """A field for one or several quantities, such as "5, 10, 15 min"; what it refuses goes,
    with the reason, when it is left.
    """

    typed = Signal(object)  # a list in the internal unit, ascending

    def __init__(self, name: str):
        super().__init__()
        self.setAccessibleName(name)
        self._unit, self._shown = "", ("", list[float]())
        self.editingFinished.connect(self._take)

    def show_values(self, values: Sequence[float], unit: str) -> None:
        """Show values in an internal unit; as they were typed, if they were."""
        if (unit, [*values]) != (self._unit, self._shown[1]):
            numbers = ", ".join(f"{to_public_unit(value, unit):.10g}" for value in values)
            self._unit, self._shown = unit, (f"{numbers} {public_unit(unit)}".strip(), [*values])
        self.setText(self._shown[0])

    def _take(self) -> None:
        text = self.text().strip()
        if text == self._shown[0]:
            return
        try:
            values = to_internal_units(text, self._unit)
        except ValueError as error:
            refuse(self, text, error)
            self.setText(self._shown[0])
            return
        self._shown = text, values
        self.typed.emit(values)


def refuse(field: QWidget, text: str, error: ValueError) -> None:
    """Say below a field why its text is refused, once the focus, or the button of the mouse
    that took it, has left: both would hide what is said.
    """
    words = tool_tip(f"“{text}”: {error}.")

    def say() -> None:
        QToolTip.showText(field.mapToGlobal(QPoint(0, field.height())), words, field)

    QTimer.singleShot(_AFTER_FOCUS_MS, field, say)
