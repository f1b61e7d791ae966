"""One of several runs side by side: a header above its picture.

The header says which run it shows, and how far that is, or has a badge in place of that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
)
from PySide6.QtWidgets import QComboBox, QSizePolicy, QWidget

from gui.canvas.content import PictureOptions
from gui.canvas.graph_canvas import GraphCanvas
from gui.canvas.levels import LevelStore
from gui.canvas.scene_store import SceneStore
from gui.model.jobs import Jobs
from gui.model.playback import Pace, Playback
from gui.model.session import Session
from gui.model.shown_run import SynchronisedRun, can_synchronise, synchronised_steps
from gui.painting.pane_head import NO_RESULT, UNTRACED, progress_texts
from gui.style.forms import column_of, row_of
from gui.style.paint import RIGHT
from gui.style.text import fitting_text, on_type_size_change, short_title, tool_tip
from gui.style.theme import tokens
from gui.style.widgets import ElidedBox, PlainLabel, colour_of, dot_icon
from solvers.core.result import Result
from solvers.core.trace import ActivityTrace
from solvers.picture.scene.camera import Bounds

if TYPE_CHECKING:  # imported when a picture is exported
    from gui.export.split_composition import PaneState

_FRAME = 2  # pixels, of the pane that is followed


class BadgeSize(Enum):
    """How large the type of a badge is, from large to small: in a narrow pane it is smaller."""

    LARGE = 1.5
    MIDDLE = 1.2
    SMALL = 1.0


@dataclass(frozen=True)
class HeaderBadge:
    """What stands in a header in place of the run's progress, while it is not hidden."""

    widget: QWidget
    bar: QWidget  # beside it where it has a row of its own
    width_in: Callable[[BadgeSize], int]
    least_width: Callable[[], int]
    # so large, and whole in the smallest size, too
    show_in: Callable[[BadgeSize, bool], None]


class Pane(QWidget):
    """One run: a header with variant and iteration, above its picture."""

    chosen = Signal()  # the user chose another variant for this pane
    pressed = Signal()  # the user pressed the mouse on its header or picture

    def __init__(
        self,
        session: Session,
        playback: Playback,
        jobs: Jobs,
        scenes: SceneStore,
        levels: LevelStore | None,
        options: PictureOptions,
        variant_id: str,
        *,
        with_legend: bool,
    ):
        super().__init__()
        self._session, self._playback = session, playback
        self.displayed_run = SynchronisedRun(session, playback, variant_id, self)
        self.canvas = GraphCanvas(
            session,
            playback,
            jobs,
            scenes=scenes,
            levels=levels,
            options=options,
            displayed_run=self.displayed_run,
            with_legend=with_legend,
        )
        self.head = PaneHeader()
        column_of(self.head, (self.canvas, 1), parent=self, margins=(_FRAME,) * 4, spacing=0)
        self.setAutoFillBackground(True)
        self.is_followed = False
        for part in (self.head, self.head.progress, self.canvas):
            part.installEventFilter(self)
        self._list()
        self._follow()
        self.box.activated.connect(self._choose)
        self.displayed_run.changed.connect(self._follow)
        playback.state_changed.connect(self._follow)
        session.results.changed.connect(self._list)

    @property
    def box(self) -> ElidedBox:
        return self.head.box

    @property
    def result(self) -> Result | None:
        return self.displayed_run.result

    def show_run(self, variant_id: str) -> None:
        self.displayed_run.show(variant_id)
        self.box.setCurrentIndex(self.box.findData(variant_id))

    def show_followed(self, on: bool) -> None:
        """Frame the pane as the one that is followed, or no longer."""
        if on == self.is_followed:
            return
        self.is_followed = on
        self.head.show_followed(on)
        self.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.MouseButtonPress:
            self.pressed.emit()
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.is_followed:
            with QPainter(self) as painter:
                painter.fillRect(self.rect(), QColor(tokens().accent))

    def set_badge(self, badge: HeaderBadge | None) -> None:
        """Have a badge that stands in place of the progress; None ends that."""
        self.head.set_badge(badge)
        self.refit()

    def refit(self) -> None:
        """Make room after the badge was shown, hidden, or has another width."""
        self.head.refit()
        self._follow()

    def picture_state(self, leader: ActivityTrace | None, bounds: Bounds) -> PaneState | None:
        """Snapshot of ``bounds`` of this pane's picture for export; None while it shows
        no graph.
        """
        from gui.export.composition import PictureState
        from gui.export.split_composition import PaneState

        content, trace = self.canvas.content, self.displayed_run.trace
        if content is None:
            return None
        steps = np.empty(0, np.intp)
        if trace is not None and leader is not None:
            steps = synchronised_steps(trace, leader, self._playback.pace)
        picture = PictureState(content, bounds)
        return PaneState(
            picture,
            self.displayed_run.variant_id,
            self.box.currentText(),
            steps,
            self.canvas.with_legend,
        )

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._list()

    def _list(self) -> None:
        """List every result that can be shown; the displayed one stays selected."""
        results = [result for result in self._session.results.all if can_synchronise(result)]
        self.box.clear()
        for result in results:
            self.box.addItem(
                dot_icon(colour_of(result.variant)), result.variant.full_title, result.variant.id
            )
            self.box.setItemData(
                self.box.count() - 1, (short_title(result.variant),), ElidedBox.FORMS_ROLE
            )
        self.box.setCurrentIndex(self.box.findData(self.displayed_run.variant_id))

    def _choose(self) -> None:
        self.displayed_run.show(self.box.currentData())
        self.chosen.emit()

    def _follow(self) -> None:
        if self.head.is_badged:
            return
        trace = self.displayed_run.trace
        texts: tuple[str, ...] = (UNTRACED,) if self.result is not None else NO_RESULT
        final = texts[-1:] * 2
        if trace is not None:
            elapsed = self.displayed_run.elapsed_ms if self._playback.pace is Pace.TIME else None
            texts = progress_texts(
                trace, self.displayed_run.position, elapsed, self.displayed_run.waits
            )
            final = progress_texts(trace, len(trace) - 1, elapsed, False)
        self.head.show_progress(
            texts, final, strong=trace is not None and not self.displayed_run.at_end
        )


_LETTERS = 12  # in the box' own size hint
_LEAST_LETTERS = 3
_MARGINS = (6, 3, 8, 3)
_SPACING = 6
_ROW_SPACING = 1


class PaneHeader(QWidget):
    """A box that chooses the run, beside its progress or its badge.

    What it has no room for is said shorter: the title first, then progress or badge.
    None of them is cut, and none pushes other panes or side bars aside. In two rows,
    the second has the badge beside its bar.
    """

    crowded_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.badge: HeaderBadge | None = None
        self.box = ElidedBox()
        self.box.setAccessibleName("Variant shown here")
        self.box.setToolTip("Which result is played here")
        self.box.setPlaceholderText("No result")
        self.box.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.box.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.box.setMinimumContentsLength(_LETTERS)
        self.progress = PlainLabel()
        self.progress.setAlignment(RIGHT)
        self.progress.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._texts: Sequence[str] = ()
        self._final: Sequence[str] = ()
        # Whether one row has no room for the short title beside the badge, even the smallest.
        self.crowded = False
        self._row = row_of(self.box, (self.progress, 1), spacing=_SPACING)
        self._row.addStretch(0)
        self._second = row_of(spacing=_SPACING)
        self._column = column_of(
            self._row, self._second, parent=self, margins=_MARGINS, spacing=_ROW_SPACING
        )
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setAutoFillBackground(True)
        self.box.currentIndexChanged.connect(self._fit)
        on_type_size_change(self._fit)

    def show_followed(self, on: bool) -> None:
        """Tint the header of the pane that is followed."""
        role = QPalette.ColorRole
        self.setBackgroundRole(role.Highlight if on else role.Window)

    @property
    def in_two_rows(self) -> bool:
        return self.badge is not None and not self.badge.bar.isHidden()

    @property
    def is_badged(self) -> bool:
        """Whether the badge stands in place of the progress."""
        return self.badge is not None and not self.badge.widget.isHidden()

    def set_badge(self, badge: HeaderBadge | None) -> None:
        if self.badge is not None:
            for part in (self.badge.widget, self.badge.bar):
                part.hide()
                part.deleteLater()
        self.badge = badge
        if badge is not None:
            self._row.addWidget(badge.widget)
            self._second.insertWidget(0, badge.bar, 1)
            badge.bar.hide()

    def set_two_rows(self, on: bool) -> None:
        """Give the badge a row of its own, with its bar beside it."""
        if self.badge is None or on == self.in_two_rows:
            return
        (self._second if on else self._row).addWidget(self.badge.widget)
        self.badge.bar.setVisible(on)
        self.updateGeometry()
        self._fit()

    def height_in(self, rows: int) -> int:
        """Height in pixels that the header has with one row or two, whatever it has now."""
        _, top, _, bottom = _MARGINS
        second = 0
        if self.badge is not None and rows > 1:
            second = self.badge.widget.sizeHint().height() + _ROW_SPACING
        return self.box.sizeHint().height() + second + top + bottom

    def show_progress(self, texts: Sequence[str], final: Sequence[str], *, strong: bool) -> None:
        """Show how far the run is, in the longest of ``texts`` that fits; in bold while
        the run goes on.

        ``final`` are the texts at the end of the run, which take the most room.
        """
        self._texts, self._final = texts, final
        self.progress.setFont(_bold(self.progress.font(), strong))
        self._fit()

    def refit(self) -> None:
        """Make room after the badge was shown, hidden, or has another width."""
        self.progress.setVisible(not self.is_badged)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Divide the width between box and progress or badge."""
        left, _, right, _ = _MARGINS
        room = self.width() - left - right - _SPACING
        crowded = False
        if self.badge is not None and self.is_badged:
            self._fit_badge(self.badge, room)
            crowded = self._title_widths()[1] + self.badge.least_width() > room
        elif self._texts:
            self._fit_progress(room)
        if crowded != self.crowded:
            self.crowded = crowded
            self.crowded_changed.emit()

    def _fit_badge(self, badge: HeaderBadge, room: int) -> None:
        full, short = self._title_widths()
        if self.in_two_rows:
            badge.show_in(BadgeSize.SMALL, True)
            self._set_box_width(min(full if full <= room else short, room), 0)
            return
        choices = [(full, BadgeSize.LARGE), *((short, size) for size in BadgeSize)]
        fitting = (size for title, size in choices if title + badge.width_in(size) <= room)
        size = next(fitting, BadgeSize.SMALL)
        badge.show_in(size, False)
        self._set_box_width(min(full, room - badge.width_in(size)), badge.width_in(BadgeSize.SMALL))

    def _fit_progress(self, room: int) -> None:
        font = self.progress.font()
        plain, strong = QFontMetricsF(_bold(font, False)), QFontMetricsF(_bold(font))

        # in both, so that the end changes nothing; figures are wider in plain type
        def width_of(text: str) -> int:
            return ceil(max(plain.horizontalAdvance(text), strong.horizontalAdvance(text)))

        full, short = self._title_widths()
        widths = [width_of(text) for text in self._final]
        count, number = widths[-2:] if len(widths) > 1 else widths * 2
        choices = ((full, widths[0]), (full, count), (short, count), (short, number))
        fitting = ((title, width) for title, width in choices if title + width <= room)
        title, width = next(fitting, (room - number, number))
        self._set_box_width(min(title, room - width), number)
        rest = room - self.box.width()
        whole = [text for text in self._texts if width_of(text) <= rest]
        shown = fitting_text(whole or self._texts[-1:], strong, rest, Qt.TextElideMode.ElideRight)
        self.progress.setText(shown)
        self.progress.setToolTip(tool_tip("" if shown == self._texts[0] else self._texts[0]))

    def _title_widths(self) -> tuple[int, int]:
        """Widths of the box with the whole title, and with the short one."""
        metrics = self.box.fontMetrics()
        frame = self._frame_width
        titles = self.box.currentText(), self.box.forms(self.box.currentIndex())[-1]
        full, short = (
            frame + metrics.horizontalAdvance(title or self.box.placeholderText())
            for title in titles
        )
        return full, min(full, short) if titles[1] else full

    @property
    def _frame_width(self) -> int:
        """Width of the box without its text."""
        return (
            self.box.sizeHint().width()
            - _LETTERS * self.box.fontMetrics().horizontalAdvance("X")
            + _SPACING
        )

    def _set_box_width(self, width: int, least_rest: int) -> None:
        """Give the box a width; the least of what stands beside it says how narrow the
        pane may be.
        """
        left, _, right, _ = _MARGINS
        least = self._frame_width + _LEAST_LETTERS * self.box.fontMetrics().horizontalAdvance("X")
        self.box.setFixedWidth(max(least, width))
        self.setMinimumWidth(left + least + _SPACING + least_rest + right)
        self._column.activate()  # so that the label has its new width


def _bold(font: QFont, bold: bool = True) -> QFont:
    result = QFont(font)
    result.setBold(bold)
    return result
