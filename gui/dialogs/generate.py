"""File > Generate: choose a graph family and set its parameters."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QFrame,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from gui.dialogs.buttons import button_box
from gui.panels.parameters import ParameterForm
from gui.style.common_widgets import PlainLabel
from solvers.graphs.generators import Generator, generators

_WIDTH, _FORM_HEIGHT = 460, 260


class GenerateDialog(QDialog):
    """List of families, with a description and a form built from the declared parameters."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.setWindowTitle("Generate a graph")
        self.setMinimumWidth(_WIDTH)
        self._families = generators()
        self._values: dict[str, object] = {}
        self.family = QComboBox()
        self.family.addItems([family.title for family in self._families])
        self.family.currentIndexChanged.connect(self._show_family)
        self._idea = PlainLabel()
        self._idea.setWordWrap(True)
        self._idea.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setMinimumHeight(_FORM_HEIGHT)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        buttons = button_box(self, QDialogButtonBox.StandardButton.Cancel)
        buttons.addButton("Generate", QDialogButtonBox.ButtonRole.AcceptRole)
        top = QFormLayout()
        top.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        top.addRow("Family", self.family)
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 16, 18, 14)
        column.setSpacing(10)
        column.addLayout(top)
        column.addWidget(self._idea)
        column.addWidget(self._area, 1)
        column.addWidget(buttons)
        self._show_family(0)

    @property
    def generator(self) -> Generator:
        return self._families[self.family.currentIndex()]

    @property
    def parameters(self) -> dict[str, Any]:
        """The values in the form, validated and completed with defaults."""
        return self.generator.settle(self._values)

    def choose(self, generator_id: str) -> None:
        """Select the family with that id."""
        self.family.setCurrentIndex([family.id for family in self._families].index(generator_id))

    def _show_family(self, _index: int) -> None:
        generator = self.generator
        self._values = {}
        self._idea.setText(generator.idea)
        self.form = ParameterForm(generator.id, generator.parameters, {})
        self.form.edited.connect(self._values.__setitem__)
        holder = QWidget()
        inside = QVBoxLayout(holder)
        inside.setContentsMargins(0, 0, 8, 0)
        inside.addWidget(self.form)
        inside.addStretch(1)
        self._area.setWidget(holder)

    def accept(self) -> None:
        """Close unless a value was refused; the field then shows the reason."""
        if not any(label.text() for label in self.form.errors.values()):
            super().accept()
