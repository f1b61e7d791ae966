"""Header of a pane: which run it shows, and how far that is or, in a race, its clock."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QResizeEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from gui.canvas.race_badge import BadgeSize, RaceBadge
from gui.canvas.race_track import RaceTrack
from gui.model.race import Standing
from gui.style import type_size
from gui.style.common_widgets import ElidedBox, PlainLabel
from gui.style.fitting import fitting_text

_LETTERS = 12  # in the box' own size hint
_LEAST_LETTERS = 3
_MARGINS = (8, 3, 10, 3)
_SPACING = 6
_ROW_SPACING = 1


class PaneHeader(QWidget):
    """A box that chooses the run, beside its progress or its badge.

    What it has no room for is said shorter: the title first, then progress or badge. None of them is cut, and none
    pushes other panes or docks aside. In two rows, the second has the badge beside a bar.

    Signals
    -------
    crowded_changed()
    """

    crowded_changed = Signal()

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.badge = RaceBadge()
        self.box = ElidedBox()
        self.box.setAccessibleName("Variant shown here")
        self.box.setToolTip("Which result is played here")
        self.box.setPlaceholderText("No result")
        self.box.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.box.setMinimumContentsLength(_LETTERS)
        self.progress = PlainLabel()
        self.progress.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.progress.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._texts: Sequence[str] = ()
        self._final: Sequence[str] = ()
        self._crowded = False
        self.track = RaceTrack()
        self.track.hide()
        self._row, self._second = QHBoxLayout(), QHBoxLayout()
        self._row.addWidget(self.box)
        self._row.addWidget(self.progress, 1)
        self._row.addStretch(0)
        self._row.addWidget(self.badge)
        self._second.addWidget(self.track, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(*_MARGINS)
        column.setSpacing(_ROW_SPACING)
        for row in (self._row, self._second):
            row.setSpacing(_SPACING)
            column.addLayout(row)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.box.currentIndexChanged.connect(self._fit)
        type_size.on_change(self._fit)

    @property
    def in_two_rows(self) -> bool:
        return not self.track.isHidden()

    def set_two_rows(self, on: bool) -> None:
        """Give the badge a row of its own, with the bar of the race beside it."""
        if on == self.in_two_rows:
            return
        self._row.removeWidget(self.badge)
        self._second.removeWidget(self.badge)
        (self._second if on else self._row).addWidget(self.badge)
        self.track.setVisible(on)
        self.updateGeometry()
        self._fit()

    @property
    def crowded(self) -> bool:
        """Whether one row has no room for the short title of a run in a race beside its clock, even the smallest."""
        return self._crowded

    def height_in(self, rows: int) -> int:
        """Height in pixels that the header has with one row or two, whatever it has now."""
        _, top, _, bottom = _MARGINS
        second = self.badge.sizeHint().height() + _ROW_SPACING if rows > 1 else 0
        return self.box.sizeHint().height() + second + top + bottom

    def show_progress(self, texts: Sequence[str], final: Sequence[str], *, strong: bool) -> None:
        """Show how far the run is.

        Parameters
        ----------
        texts : sequence of str
            The same said ever shorter.
        final : sequence of str
            As ``texts``, at the end of the run, which takes the most room.
        strong : bool
            In bold, while the run goes on.
        """
        self._texts, self._final = texts, final
        self.progress.setFont(_bold(self.progress.font(), strong))
        self._fit()

    def show_standing(self, standing: Standing | None) -> None:
        """Show where the run is in a race in place of its progress; None ends that."""
        if standing is None and self.badge.standing is None:
            return
        before = self.badge.standing
        self.badge.show_standing(standing)
        self.track.show_standing(standing)
        self.progress.setVisible(standing is None)
        if before is None or standing is None or before.racer != standing.racer:
            self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Divide the width between box and progress or badge."""
        left, _, right, _ = _MARGINS
        room = self.width() - left - right - _SPACING
        if self.badge.standing is not None:
            self._fit_badge(room)
        elif self._texts:
            self._fit_progress(room)
        crowded = self.badge.standing is not None and self._title_widths()[1] + self.badge.least_width > room
        if crowded != self._crowded:
            self._crowded = crowded
            self.crowded_changed.emit()

    def _fit_badge(self, room: int) -> None:
        full, short = self._title_widths()
        if self.in_two_rows:
            self.badge.show_in(BadgeSize.SMALL, whole=True)
            self._set_box_width(min(full if full <= room else short, room), 0)
            return
        choices = [(full, BadgeSize.LARGE), *((short, size) for size in BadgeSize)]
        fitting = (size for title, size in choices if title + self.badge.width_in(size) <= room)
        size = next(fitting, BadgeSize.SMALL)
        self.badge.show_in(size)
        self._set_box_width(min(full, room - self.badge.width_in(size)), self.badge.width_in(BadgeSize.SMALL))

    def _fit_progress(self, room: int) -> None:
        metrics = QFontMetricsF(_bold(self.progress.font()))  # also if shown plain, so that the end changes nothing
        full, short = self._title_widths()
        widths = [ceil(metrics.horizontalAdvance(text)) for text in self._final]
        count, number = widths[-2:] if len(widths) > 1 else widths * 2
        choices = ((full, widths[0]), (full, count), (short, count), (short, number))
        fitting = ((title, width) for title, width in choices if title + width <= room)
        title, width = next(fitting, (room - number, number))
        self._set_box_width(min(title, room - width), number)
        shown = fitting_text(self._texts, metrics, room - self.box.width(), Qt.TextElideMode.ElideRight)
        self.progress.setText(shown)
        self.progress.setToolTip("" if shown == self._texts[0] else self._texts[0])

    def _title_widths(self) -> tuple[int, int]:
        """Widths of the box with the whole title, and with the short one."""
        metrics = self.box.fontMetrics()
        frame = self._frame_width
        titles = self.box.currentText(), self.box.forms(self.box.currentIndex())[-1]
        full, short = (frame + metrics.horizontalAdvance(title or self.box.placeholderText()) for title in titles)
        return full, min(full, short) if titles[1] else full

    @property
    def _frame_width(self) -> int:
        """Width of the box without its text."""
        return self.box.sizeHint().width() - _LETTERS * self.box.fontMetrics().horizontalAdvance("X") + _SPACING

    def _set_box_width(self, width: int, least_rest: int) -> None:
        """Give the box a width; the least of what stands beside it says how narrow the pane may be."""
        left, _, right, _ = _MARGINS
        least = self._frame_width + _LEAST_LETTERS * self.box.fontMetrics().horizontalAdvance("X")
        self.box.setFixedWidth(max(least, width))
        self.setMinimumWidth(left + least + _SPACING + least_rest + right)
        layout = self.layout()
        assert layout is not None  # it was made with one
        layout.activate()  # so that the label has its new width


def _bold(font: QFont, bold: bool = True) -> QFont:
    result = QFont(font)
    result.setBold(bold)
    return result
