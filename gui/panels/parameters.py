"""Form built from declared parameters: check boxes, combo boxes and number fields with
error messages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QGridLayout,
    QLineEdit,
    QWidget,
)

from gui.style.forms import WrappedLabel, tint
from gui.style.quantity import CountBox, QuantityBox
from gui.style.text import tool_tip
from gui.style.theme import tokens
from gui.style.widgets import PlainLabel, QuietLabel, keep_styled
from solvers.errors import ParameterError
from solvers.parameters import Parameter

INT32_MAX = 2**31 - 1


class ParameterForm(QWidget):
    """One labelled field per parameter; `edited` gives the name and the new, valid value.

    Fields accept values outside the parameter's range, so that the reason for a refusal
    can be shown below the field; a refused value is not emitted.
    """

    edited = Signal(str, object)
    touched = Signal()  # a field has another value, valid or not

    def __init__(
        self,
        owner: str,
        declared: Sequence[Parameter],
        values: Mapping[str, object],
    ):
        super().__init__()
        self._owner = owner
        self._declared = {p.name: p for p in declared}
        self.fields: dict[str, QWidget] = {}
        self.errors: dict[str, PlainLabel] = {}
        layout = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setVerticalSpacing(2)
        layout.setColumnStretch(1, 1)
        for parameter in declared:
            self._add(layout, parameter, values.get(parameter.name, parameter.default))
        keep_styled(self._restyle)

    @property
    def is_default(self) -> bool:
        """Whether every field shows the default of its parameter."""
        return all(self.value(name) == one.default for name, one in self._declared.items())

    def value(self, name: str) -> object:
        """The current value of the field, valid or not."""
        return _read(self.fields[name])

    def show_values(self, values: Mapping[str, object]) -> None:
        """Set the fields without emitting `edited`; a field with a refused value keeps it."""
        for name, field in self.fields.items():
            if name in values and not self.errors[name].text():
                with QSignalBlocker(field):
                    _write(field, values[name])
        self.touched.emit()

    def forget_errors(self) -> None:
        for label in self.errors.values():
            label.setText("")
            label.hide()

    def _add(self, layout: QGridLayout, parameter: Parameter, value: object) -> None:
        row = layout.rowCount()
        field = _make_field(parameter)
        _write(field, value)
        field.setAccessibleName(parameter.label)
        usual = (
            str(parameter.default).lower()
            if isinstance(parameter.default, bool)
            else parameter.default
        )
        field.setToolTip(
            tool_tip(f"{parameter.meaning}\nRange: {parameter.describe_range()}; default: {usual}.")
        )
        meaning = QuietLabel(parameter.meaning)
        if parameter.meaning.rstrip(".") == parameter.label:
            meaning.hide()  # never shown before it has a place: that makes a window of it
        error = WrappedLabel()
        error.hide()
        label = PlainLabel(parameter.label)
        label.setBuddy(field)
        layout.addWidget(label, row, 0)
        layout.addWidget(field, row, 1, Qt.AlignmentFlag.AlignRight)
        layout.addWidget(error, row + 1, 0, 1, 2)
        layout.addWidget(meaning, row + 2, 0, 1, 2)
        layout.setRowMinimumHeight(row + 3, 6)
        self.fields[parameter.name], self.errors[parameter.name] = field, error
        _on_edit(field, lambda: self._try(parameter))

    def _try(self, parameter: Parameter) -> None:
        self.touched.emit()
        error = self.errors[parameter.name]
        try:
            value = parameter.parse(self.value(parameter.name), self._owner)
        except ParameterError as refusal:
            error.setText(f"Invalid: {refusal.reason}.")
            error.show()
            return
        error.setText("")
        error.hide()
        self.edited.emit(parameter.name, value)

    def _restyle(self) -> None:
        for error in self.errors.values():
            tint(error, tokens().bad)


class _WholeNumber(CountBox):
    """Accepts any typed integer, so that a refusal can be explained; steps stay in range."""

    def __init__(self, parameter: Parameter):
        super().__init__()
        self._low = int(parameter.low) if parameter.low is not None else -INT32_MAX
        self._high = int(parameter.high) if parameter.high is not None else INT32_MAX
        self._doubles = _is_power_of_two(self._low) and _is_power_of_two(int(parameter.default))
        self.setRange(-INT32_MAX, INT32_MAX)
        _common(self)

    def stepBy(self, steps: int) -> None:
        """Step by a factor of two if the parameter takes powers of two, else by one."""
        moved = self.value() + steps
        if self._doubles:
            moved = self.value() << steps if steps > 0 else self.value() >> -steps
        self.setValue(max(self._low, min(self._high, moved)))

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class _RealNumber(QuantityBox):
    """`_WholeNumber` for real numbers."""

    def __init__(self, parameter: Parameter):
        super().__init__()
        self._low = parameter.low if parameter.low is not None else -1e12
        self._high = parameter.high if parameter.high is not None else 1e12
        self.setDecimals(6)
        self.setRange(-1e12, 1e12)
        self.setStepType(QAbstractSpinBox.StepType.AdaptiveDecimalStepType)
        _common(self)

    def textFromValue(self, value: float) -> str:
        return self.locale().toString(value, "g", 7)

    def stepBy(self, steps: int) -> None:
        super().stepBy(steps)
        self.setValue(max(self._low, min(self._high, self.value())))

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


def _common(field: CountBox | QuantityBox) -> None:
    field.setKeyboardTracking(False)
    field.setAlignment(Qt.AlignmentFlag.AlignRight)
    field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    field.setMinimumWidth(110)


def _is_power_of_two(number: int) -> bool:
    return number > 0 and number & (number - 1) == 0


def _make_field(parameter: Parameter) -> QWidget:
    if isinstance(parameter.default, bool):
        return QCheckBox()
    if parameter.choices:
        combo = QComboBox()
        for choice in parameter.choices:
            combo.addItem(str(choice), choice)
        return combo
    if isinstance(parameter.default, int):
        return _WholeNumber(parameter)
    return _RealNumber(parameter) if isinstance(parameter.default, float) else QLineEdit()


def _read(field: QWidget) -> object:
    match field:
        case QCheckBox():
            return field.isChecked()
        case QComboBox():
            return field.currentData()
        case CountBox() | QuantityBox():
            return field.value()
        case QLineEdit():
            return field.text()
    raise TypeError(field)


def _write(field: QWidget, value: Any) -> None:
    match field:
        case QCheckBox():
            field.setChecked(value)
        case QComboBox():
            field.setCurrentIndex(field.findData(value))
        case CountBox() | QuantityBox():
            field.setValue(value)
        case QLineEdit():
            field.setText(value)


def _on_edit(field: QWidget, react: Callable[[], None]) -> None:
    match field:
        case QCheckBox():
            field.toggled.connect(react)
        case QComboBox():
            field.currentIndexChanged.connect(react)
        case CountBox() | QuantityBox():
            field.valueChanged.connect(react)
        case QLineEdit():
            field.editingFinished.connect(react)
