"""A field for a number with its unit, which takes what ``--budget`` takes: ``10km``,
``5 min``, or a number in the unit that it names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QValidator
from PySide6.QtWidgets import QDoubleSpinBox, QLineEdit, QToolTip, QWidget

from gui.style.text import tool_tip
from solvers.units import public_unit, to_internal_unit, to_internal_units, to_public_unit

_SPACES = re.compile("[\\s\N{THIN SPACE}\N{NARROW NO-BREAK SPACE}\N{NO-BREAK SPACE}]+")
_DECIMAL_COMMA = re.compile(r"(\d+),(?!\d{3}(?:\D|$))(\d+)(.*)")


class QuantityBox(QDoubleSpinBox):
    """Drops no character: what it does not understand stays until it is left, and is then
    refused in words.
    """

    def __init__(self, unit: str = ""):
        super().__init__()
        self.set_unit(unit)
        self.setKeyboardTracking(False)  # "10" on the way to "10km" is no value

    def set_unit(self, unit: str) -> None:
        """Take and show numbers in a unit; "" for none."""
        self._unit = unit
        self.setSuffix(f" {unit}" if unit else "")

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        try:
            self._read(text)
        except ValueError:
            return QValidator.State.Intermediate, text, position
        return QValidator.State.Acceptable, text, position

    def valueFromText(self, text: str) -> float:
        return self._read(text)

    def fixup(self, text: str) -> str:
        """Say why a text is refused; the number before it comes back."""
        try:
            self._read(text)
        except ValueError as error:
            _refuse(self, self._plain(text), error)
        return text

    def _read(self, text: str) -> float:
        """The number in the field's unit. Raises ValueError with a sentence for the user."""
        plain = self._plain(text)
        if found := _DECIMAL_COMMA.fullmatch(plain):
            plain = f"{found[1]}.{found[2]}{found[3]}"
        else:
            plain = plain.replace(self.locale().groupSeparator(), "")
        return to_internal_unit(plain, self._unit)

    def _plain(self, text: str) -> str:
        """Without prefix, suffix and the spaces between digits."""
        within = text.strip().removeprefix(self.prefix().strip())
        if self._unit and within.endswith(self.suffix()):
            within = within.removesuffix(self.suffix())
        return _SPACES.sub("", within)


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
            _refuse(self, text, error)
            self.setText(self._shown[0])
            return
        self._shown = text, values
        self.typed.emit(values)


def _refuse(field: QWidget, text: str, error: ValueError) -> None:
    """Say below a field why its text is refused."""
    at = field.mapToGlobal(QPoint(0, field.height()))
    QToolTip.showText(at, tool_tip(f"“{text}”: {error}."), field)
