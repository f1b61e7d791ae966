"""Export options of pictures and charts: format, size, resolution, size of text and background."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QFormLayout, QWidget

from gui.dialogs.buttons import button_box
from gui.dialogs.form_rows import count_box, row_of
from gui.export.page import SIDE_RANGE, TEXT_SCALE_RANGE
from gui.export.presets import PRESETS, Preset, on_screen
from gui.style.common_widgets import CountBox, PlainLabel

WHITE, SCHEME, TRANSPARENT = "white", "scheme", "transparent"
_BACKGROUNDS = (("As on screen", SCHEME), ("White", WHITE), ("Transparent", TRANSPARENT))
FORMATS = (("PNG picture", ".png"), ("SVG drawing", ".svg"))
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
    text_scale : float
        Enlarges text and lines.
    suffix : str
        ".png" or ".svg", of the file proposed.
    """

    subject: int
    width: int
    height: int
    dpi: int
    background: str
    text_scale: float = 1.0
    suffix: str = ".png"


class ExportDialog(QDialog):
    """Asks for subject, format, size, resolution, size of text and background; shows the resulting size on paper.

    Parameters
    ----------
    title : str
    subject : str
        Label of the first field ("Show", "Chart").
    subjects : sequence of str
        Choices of the first field.
    size : QSize
        Size on screen in logical pixels; offered as a preset.
    preset, suffix : str
        Title of the preset and format to begin with, such as those chosen last; by default a slide as PNG.
    """

    def __init__(
        self, title: str, subject: str, subjects: Sequence[str], size: QSize, parent: QWidget | None = None, *,
        preset: str = "", suffix: str = "",
    ):  # fmt: skip
        super().__init__(parent)
        self.setWindowTitle(title)
        self.subject = QComboBox()
        self.subject.addItems(list(subjects))
        self.format = QComboBox()
        for text, value in FORMATS:
            self.format.addItem(text, value)
        self.format.setCurrentIndex(max(0, self.format.findData(suffix)))
        self.preset = QComboBox()
        self.preset.setPlaceholderText("Own size")
        for offered in (*PRESETS, on_screen(size.width(), size.height())):
            self.preset.addItem(offered.title, offered)
        self.preset.setCurrentIndex(max(0, self.preset.findText(preset)))
        self.width_box, self.height_box = (count_box(size.width(), *SIDE_RANGE) for _ in range(2))
        self.dpi_box = count_box(96, 36, 1200)
        self.text_box = count_box(100, *(round(100 * end) for end in TEXT_SCALE_RANGE))
        self.text_box.setSingleStep(10)
        self.background = QComboBox()
        for text, value in _BACKGROUNDS:
            self.background.addItem(text, value)
        self._background_chosen = False
        self._paper = PlainLabel()
        self._paper.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._take_preset()
        self._lay_out(subject)
        self.preset.activated.connect(self._take_preset)
        self.background.activated.connect(self._keep_background)
        for box in (self.width_box, self.height_box, self.dpi_box, self.text_box):
            box.valueChanged.connect(self._follow_boxes)

    @property
    def options(self) -> ExportOptions:
        return ExportOptions(
            self.subject.currentIndex(),
            self.width_box.value(),
            self.height_box.value(),
            self.dpi_box.value(),
            self.background.currentData(),
            self.text_box.value() / 100,
            self.format.currentData(),
        )

    @property
    def preset_title(self) -> str:
        """Title of the preset chosen; "" for a size of the user's own."""
        return self.preset.currentText() if self.preset.currentIndex() >= 0 else ""

    def _lay_out(self, subject: str) -> None:
        buttons = button_box(self, QDialogButtonBox.StandardButton.Save, QDialogButtonBox.StandardButton.Cancel)
        form = QFormLayout(self)
        form.setContentsMargins(18, 16, 18, 14)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow(subject, self.subject)
        form.addRow("Format", self.format)
        form.addRow("Size", self.preset)
        form.addRow("", row_of(self.width_box, PlainLabel("×"), self.height_box, PlainLabel("pixels")))
        form.addRow("Resolution", row_of(self.dpi_box, PlainLabel("dots per inch"), self._paper))
        form.addRow("Text and lines", row_of(self.text_box, PlainLabel("% of their size on screen")))
        form.addRow("Background", self.background)
        form.addRow(buttons)

    def _take_preset(self) -> None:
        preset: Preset = self.preset.currentData(Qt.ItemDataRole.UserRole)
        values = (preset.width, preset.height, preset.dpi, round(100 * preset.text_scale))
        for box, value in zip(self._boxes, values, strict=True):
            box.blockSignals(True)
            box.setValue(value)
            box.blockSignals(False)
        if not self._background_chosen:
            self.background.setCurrentIndex(self.background.findData(WHITE if preset.on_white else SCHEME))
        self._say_paper_size()

    @property
    def _boxes(self) -> tuple[CountBox, ...]:
        return self.width_box, self.height_box, self.dpi_box, self.text_box

    def _follow_boxes(self) -> None:
        self.preset.setCurrentIndex(-1)
        self._say_paper_size()

    def _keep_background(self) -> None:
        self._background_chosen = True

    def _say_paper_size(self) -> None:
        width, height = (box.value() / self.dpi_box.value() * _MM_PER_INCH for box in (self.width_box, self.height_box))
        self._paper.setText(f"{width:.0f} × {height:.0f} mm")
