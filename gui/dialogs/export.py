"""Export options of pictures, charts and animations.

Pictures and charts: format, size, resolution, size of text and background. Animations:
format, range of iterations, speed, size and background.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QSignalBlocker, QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QHBoxLayout,
    QLayout,
    QLineEdit,
    QToolButton,
    QWidget,
)

from gui.export.animation import HOLD_S, LARGEST_SIDE, AnimationOptions
from gui.export.encoders import MOST_RATE, MP4_COMMAND
from gui.export.page import PRESETS, SIDE_RANGE, TEXT_SCALE_RANGE, Preset, on_screen
from gui.style.forms import (
    DIALOG_MARGINS,
    NO_MARGINS,
    STRETCH,
    Standard,
    button_box,
    choice_box,
    column_of,
    count_box,
    form_of,
    grow,
    number_box,
    row_of,
)
from gui.style.quantity import CountBox, QuantityBox
from gui.style.widgets import PlainLabel, QuietLabel, mute
from solvers.program import is_bundle
from solvers.text import format_count, plural
from solvers.units import public_unit, to_internal_unit, to_public_unit

WHITE, SCHEME, TRANSPARENT = "white", "scheme", "transparent"
_BACKGROUNDS = (("As on screen", SCHEME), ("White", WHITE), ("Transparent", TRANSPARENT))
FORMATS = (("PNG picture", ".png"), ("SVG drawing", ".svg"))
CHART_FORMATS = (*FORMATS, ("PDF document", ".pdf"))
_MM_PER_INCH = 25.4


@dataclass(frozen=True)
class ExportOptions:
    """The choices of an export dialog: subject by index, pixels, background "white",
    "scheme" or "transparent".
    """

    subject: int
    width: int
    height: int
    dpi: int
    background: str
    text_scale: float = 1.0
    suffix: str = ".png"


class _PageDialog(QDialog):
    """Asks what is exported, how large, and on which background; a size that is none of the
    presets is the user's own.
    """

    def __init__(
        self,
        title: str,
        subjects: Sequence[str],
        presets: Iterable[tuple[str, object]],
        sides: Sequence[CountBox],
        backgrounds: Sequence[tuple[str, str]],
        parent: QWidget | None,
    ):
        super().__init__(parent)
        self.setWindowTitle(title)
        self.subject = QComboBox()
        self.subject.addItems(list(subjects))
        self.preset = choice_box(presets)
        self.preset.setPlaceholderText("Own size")
        self.width_box, self.height_box = sides
        self.background = choice_box(backgrounds)

    def _ask(self, *rows: tuple[str, QWidget | QLayout]) -> None:
        """Lay out the rows, and the buttons that end the dialog."""
        buttons = button_box(self, Standard.Save, Standard.Cancel)
        form_of(*rows, buttons, parent=self, margins=DIALOG_MARGINS)

    @property
    def _sides(self) -> QHBoxLayout:
        return row_of(
            self.width_box, PlainLabel("×"), self.height_box, PlainLabel("pixels"), STRETCH
        )


class ExportDialog(_PageDialog):
    """Asks for subject, format, size, resolution, size of text and background; shows
    the resulting size on paper.

    ``subject``: label of the first field ("Show", "Chart"), whose choices are the
    ``subjects``. ``size``: size on screen in logical pixels; offered as a preset.
    ``preset`` and ``suffix``: title of the preset and format to begin with, such as
    those chosen last; by default a slide as PNG.
    """

    def __init__(
        self,
        title: str,
        subject: str,
        subjects: Sequence[str],
        size: QSize,
        parent: QWidget | None = None,
        *,
        preset: str = "",
        suffix: str = "",
        formats: Sequence[tuple[str, str]] = FORMATS,
    ):
        offered = (*PRESETS, on_screen(size.width(), size.height()))
        presets = ((known.title, known) for known in offered)
        sides = [count_box(size.width(), *SIDE_RANGE) for _ in range(2)]
        super().__init__(title, subjects, presets, sides, _BACKGROUNDS, parent)
        self.format = choice_box(formats)
        self.format.setCurrentIndex(max(0, self.format.findData(suffix)))
        self.preset.setCurrentIndex(max(0, self.preset.findText(preset)))
        self.dpi_box = count_box(96, 36, 1200)
        self.text_box = count_box(100, *(round(100 * end) for end in TEXT_SCALE_RANGE))
        self.text_box.setSingleStep(10)
        self._boxes = self.width_box, self.height_box, self.dpi_box, self.text_box
        self._background_chosen = False
        self._paper = PlainLabel()
        mute(self._paper)
        self._take_preset()
        self._lay_out(subject)
        self.preset.activated.connect(self._take_preset)
        self.background.activated.connect(self._keep_background)
        for box in self._boxes:
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
        dots, of_size = PlainLabel("dots per inch"), PlainLabel("% of their size on screen")
        self._ask(
            (subject, self.subject),
            ("Format", self.format),
            ("Size", self.preset),
            ("", self._sides),
            ("Resolution", row_of(self.dpi_box, dots, self._paper, STRETCH)),
            ("Text and lines", row_of(self.text_box, of_size, STRETCH)),
            ("Background", self.background),
        )

    def _take_preset(self) -> None:
        preset: Preset = self.preset.currentData(Qt.ItemDataRole.UserRole)
        values = (preset.width, preset.height, preset.dpi, round(100 * preset.text_scale))
        for box, value in zip(self._boxes, values, strict=True):
            with QSignalBlocker(box):
                box.setValue(value)
        if not self._background_chosen:
            self.background.setCurrentIndex(
                self.background.findData(WHITE if preset.on_white else SCHEME)
            )
        self._say_paper_size()

    def _follow_boxes(self) -> None:
        self.preset.setCurrentIndex(-1)
        self._say_paper_size()

    def _keep_background(self) -> None:
        self._background_chosen = True

    def _say_paper_size(self) -> None:
        width, height = (
            box.value() / self.dpi_box.value() * _MM_PER_INCH
            for box in (self.width_box, self.height_box)
        )
        self._paper.setText(f"{width:.0f} × {height:.0f} mm")


_PREFERRED_S = 12.0  # length that the default speed aims at
_PREFERRED_RATE = 25.0
_SIZES = (("Slide, 16:9", 1280, 720), ("Slide, 16:9, Full HD", 1920, 1080), ("Square", 1080, 1080))
GIF, MP4 = ".gif", ".mp4"
_FORMATS = {GIF: "GIF", MP4: "MP4 video"}
_LEAST_SIDE = 64
_MOST_BUDGET = 1e15
_FINE = 100.0  # budget below which decimals matter


@dataclass(frozen=True)
class AnimationChoice:
    """Choices of the animation dialog: view by index, size in pixels, background,
    options, format, and budget.
    """

    subject: int
    width: int
    height: int
    background: str
    animation: AnimationOptions
    suffix: str = GIF
    budget: float | None = None


class AnimationDialog(_PageDialog):
    """Asks for the options of an animation and shows its length.

    ``subjects``: names of the views that can be animated; the one with the index
    ``view`` is chosen. ``size``: size on screen in logical pixels; offered as a preset.
    ``length``: number of recorded iterations. ``noun``: name of one: "iteration",
    "phase" for a matrix, "step" for a drag. ``budget`` (float, str): distance up to
    which the animation lights the graph, with its unit; None for no limit.
    """

    def __init__(
        self,
        subjects: Sequence[str],
        size: QSize,
        length: int,
        noun: str,
        loop: bool,
        parent: QWidget | None = None,
        *,
        view: int = 0,
        budget: tuple[float, str] | None = None,
    ):
        presets = (
            (f"{title}, {' × '.join(map(format_count, pair))}", tuple(pair))
            for title, *pair in (*_SIZES, ("As on screen", *size.toTuple()))
        )
        sides = [count_box(side, _LEAST_SIDE, LARGEST_SIDE) for side in _SIZES[0][1:]]
        super().__init__("Export animation", subjects, presets, sides, _BACKGROUNDS[:2], parent)
        self._noun = noun
        self.subject.setCurrentIndex(view)
        self.budget = None if budget is None else _budget_box(*budget)
        self._unit = "" if budget is None else budget[1]
        self.first, self.last = count_box(1, 1, length), count_box(length, 1, length)
        every = max(1, round(length / (_PREFERRED_S * _PREFERRED_RATE)))
        self.every = count_box(every, 1, length)
        rate = max(1.0, min(_PREFERRED_RATE, length / every / _PREFERRED_S))
        self.rate = number_box(rate, 0.1, MOST_RATE, 1)
        self.preset.activated.connect(self._take_preset)
        for side in (self.width_box, self.height_box):
            side.valueChanged.connect(self._follow_size)
        self.loop = QCheckBox("Loop")
        self.loop.setChecked(loop)
        self.format = choice_box([(_FORMATS[GIF], GIF)])
        self.format.currentIndexChanged.connect(self._follow_format)
        self.remedy = _Command(MP4_COMMAND)
        self.remedy.hide()
        self.length_label = PlainLabel()
        mute(self.length_label)
        for box in (self.first, self.last, self.every, self.rate):
            box.valueChanged.connect(self._say_length)
        self._lay_out()
        self._say_length()

    @property
    def choice(self) -> AnimationChoice:
        first, last = sorted((self.first.value(), self.last.value()))
        animation = AnimationOptions(
            first - 1, last - 1, self.every.value(), self.rate.value(), self.loop.isChecked()
        )
        size = self.width_box.value(), self.height_box.value()
        background, suffix = self.background.currentData(), self.format.currentData()
        budget = None if self.budget is None else to_internal_unit(self.budget.value(), self._unit)
        return AnimationChoice(
            self.subject.currentIndex(), *size, background, animation, suffix, budget
        )

    def show_mp4(self, reason: str) -> None:
        """Offer MP4; with the ``reason`` why it cannot be written, say that and what to
        do instead.
        """
        if not reason and self.format.findData(MP4) < 0:
            self.format.addItem(_FORMATS[MP4], MP4)
        self.remedy.show_reason(reason)
        grow(self)

    def choose_format(self, suffix: str) -> None:
        """Choose a format, if it is offered."""
        if (index := self.format.findData(suffix)) >= 0:
            self.format.setCurrentIndex(index)

    def _lay_out(self) -> None:
        budget = [] if self.budget is None else [("Light up to", self.budget)]
        noun = f"{self._noun}s"
        rest = PlainLabel(f"{noun}, and the last one")
        self._ask(
            ("Show", self.subject),
            *budget,
            ("Format", self.format),
            ("", self.remedy),
            (noun.capitalize(), row_of(self.first, PlainLabel("to"), self.last, STRETCH)),
            ("Include", row_of(PlainLabel("one in"), self.every, rest, STRETCH)),
            ("Speed", row_of(self.rate, PlainLabel("frames per second"), STRETCH)),
            ("", self.length_label),
            ("Size", self.preset),
            ("", self._sides),
            ("Background", self.background),
            ("", self.loop),
        )

    def _take_preset(self, index: int) -> None:
        width, height = self.preset.itemData(index)
        self.width_box.setValue(width)
        self.height_box.setValue(height)

    def _follow_size(self) -> None:
        sides = self.width_box.value(), self.height_box.value()
        at = next(
            (i for i in range(self.preset.count()) if tuple(self.preset.itemData(i)) == sides), -1
        )
        self.preset.setCurrentIndex(at)

    def _follow_format(self) -> None:
        """A GIF loops if told to; an MP4 leaves that to the player."""
        self.loop.setEnabled(self.format.currentData() == GIF)

    def _say_length(self) -> None:
        animation = self.choice.animation
        frames = len(animation.positions(animation.last + 1))
        seconds = frames / animation.rate + HOLD_S
        self.length_label.setText(f"{plural(frames, 'frame')}, {format_count(round(seconds))} s")


class _Command(QWidget):
    """Why something cannot be done, and the command that makes it possible, to copy; a
    bundle has none.
    """

    def __init__(self, command: str):
        super().__init__()
        self._reason = QuietLabel()
        self.command = QLineEdit(command)
        self.command.setReadOnly(True)
        self.command.setAccessibleName("Command")
        self.copy_button = QToolButton()
        self.copy_button.setText("Copy")
        self.copy_button.clicked.connect(partial(QGuiApplication.clipboard().setText, command))
        for part in (self.command, self.copy_button):
            part.setHidden(is_bundle())
        column_of(
            self._reason,
            row_of(self.command, self.copy_button, STRETCH),
            parent=self,
            margins=NO_MARGINS,
        )
        self.command.setMinimumWidth(self.command.fontMetrics().horizontalAdvance(command) + 24)

    def show_reason(self, reason: str) -> None:
        self._reason.setText(reason)
        self.setVisible(bool(reason))


def _budget_box(budget: float, unit: str) -> QuantityBox:
    """A field for a budget in ``unit``, in its public unit."""
    budget, unit = to_public_unit(budget, unit), public_unit(unit)
    return number_box(budget, 0.0, _MOST_BUDGET, 3 if budget < _FINE else 0, unit=unit)
