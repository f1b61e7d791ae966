"""Export options of pictures and charts: size, resolution and background."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QFormLayout, QHBoxLayout, QWidget

from gui.dialogs.buttons import button_box
from gui.export.page import SCREEN_DPI, SIDE_RANGE
from gui.export.presets import PRESETS, Preset
from gui.style.common_widgets import CountBox, PlainLabel

WHITE, SCHEME, TRANSPARENT = "white", "scheme", "transparent"
_BACKGROUNDS = (("White", WHITE), ("As on screen", SCHEME), ("Transparent", TRANSPARENT))
_MM_PER_INCH = 25.4


@dataclass(frozen=True)
class ExportOptions:
    """The choices made in an export dialog.

    Attributes
    ----------
    subject : int
        Index into the subjects offered.
    width, height : int
        Pixels.
    dpi : int
    background : str
        "white", "scheme" or "transparent".
    """

    subject: int
    width: int
    height: int
    dpi: int
    background: str


class ExportDialog(QDialog):
    """Asks for subject, pixel size, resolution and background, and shows the resulting size on paper.

    Parameters
    ----------
    title : str
    subject : str
        Label of the first field ("Show", "Chart").
    subjects : sequence of str
        Choices of the first field.
    size : QSize
        Size on screen in logical pixels; the default.
    """

    def __init__(self, title: str, subject: str, subjects: Sequence[str], size: QSize, parent: QWidget | None = None):
        super().__init__(parent)
        self.setWindowTitle(title)
        self.subject = QComboBox()
        self.subject.addItems(list(subjects))
        self.preset = QComboBox()
        on_screen = Preset("As on screen", size.width(), size.height(), round(SCREEN_DPI))
        for preset in (on_screen, *PRESETS):
            self.preset.addItem(preset.title, preset)
        self.preset.activated.connect(self._take_preset)
        self.width_box, self.height_box = (_spin(side, *SIDE_RANGE) for side in (size.width(), size.height()))
        self.dpi_box = _spin(on_screen.dpi, 36, 1200)
        self.background = QComboBox()
        for text, value in _BACKGROUNDS:
            self.background.addItem(text, value)
        self._paper = PlainLabel()
        self._paper.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        for box in (self.width_box, self.height_box, self.dpi_box):
            box.valueChanged.connect(self._say_paper_size)
        buttons = button_box(self, QDialogButtonBox.StandardButton.Save, QDialogButtonBox.StandardButton.Cancel)
        form = QFormLayout(self)
        form.setContentsMargins(18, 16, 18, 14)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow(subject, self.subject)
        form.addRow("Size", self.preset)
        form.addRow("", self._size_row())
        form.addRow("Resolution", self._resolution_row())
        form.addRow("Background", self.background)
        form.addRow(buttons)
        self._say_paper_size()

    @property
    def options(self) -> ExportOptions:
        return ExportOptions(
            self.subject.currentIndex(),
            self.width_box.value(),
            self.height_box.value(),
            self.dpi_box.value(),
            self.background.currentData(),
        )

    def _size_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.addWidget(self.width_box)
        row.addWidget(PlainLabel("×"))
        row.addWidget(self.height_box)
        row.addWidget(PlainLabel("pixels"))
        row.addStretch(1)
        return row

    def _resolution_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.addWidget(self.dpi_box)
        row.addWidget(PlainLabel("dots per inch"))
        row.addSpacing(10)
        row.addWidget(self._paper, 1)
        return row

    def _take_preset(self, index: int) -> None:
        preset: Preset = self.preset.itemData(index, Qt.ItemDataRole.UserRole)
        self.width_box.setValue(preset.width)
        self.height_box.setValue(preset.height)
        self.dpi_box.setValue(preset.dpi)

    def _say_paper_size(self) -> None:
        width, height = (box.value() / self.dpi_box.value() * _MM_PER_INCH for box in (self.width_box, self.height_box))
        self._paper.setText(f"{width:.0f} × {height:.0f} mm on paper")


def _spin(value: int, low: int, high: int) -> CountBox:
    spin = CountBox()
    spin.setRange(low, high)
    spin.setValue(value)
    return spin
