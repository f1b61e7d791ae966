"""The middle of the window: pages, with a notice, the progress of work and the play bar
lying over them.

What lies over a page moves nothing in it when it comes and goes; the page only learns
how much of it is covered. A notice says what happened, why, and what to do; it is never
modal, and lies in the corner where it covers least.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QEvent, QObject, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QEnterEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QGridLayout, QSizePolicy, QStackedWidget, QWidget

from gui.model.notice import Notice, Severity
from gui.shell.toolbar_fields import NOTICES
from gui.style.forms import STRETCH, column_of, push_button, row_of, tool_button
from gui.style.icons import icon
from gui.style.text import button_text, on_type_size_change, scaled_px, scaled_square, tool_tip
from gui.style.theme import tokens
from gui.style.widgets import Card, PlainLabel, keep_styled, on_scheme_change, set_colours
from solvers.picture.colours import Tokens
from solvers.picture.scene.camera import Margins
from solvers.system.array_types import Float64s

MARGIN = 12
_NOTICE_WIDTH = 300
_ROW = 76  # height of the legends and zoom buttons above the lower edge, with their margins
_CARD_MARGINS = (8, 2, 8, 2)


class FootCard(Card):
    """A card with bars in a column, which lies over the bottom of a page."""

    def __init__(self, *bars: QWidget):
        super().__init__()
        self._bars = bars
        column_of(*bars, parent=self, margins=_CARD_MARGINS, spacing=0)

    @property
    def is_empty(self) -> bool:
        """Whether none of its bars has anything to show."""
        return all(bar.isHidden() for bar in self._bars)

    @property
    def is_small(self) -> bool:
        """Whether no bar that it shows wants to be wider than what it says."""
        shown = (bar.sizePolicy().horizontalPolicy() for bar in self._bars if not bar.isHidden())
        return all(policy is QSizePolicy.Policy.Maximum for policy in shown)


class OverlayStack(QWidget):
    """Pages that fill it, a notice over one of their upper corners, progress above, and
    a card over their bottom.

    Side bars may lie over its margins: only the page ``foot_page`` goes on below them.

    ``notice``: shown by itself; its height follows from its width. ``progress``: shown
    by itself. ``foot``: shown over the page ``foot_page`` only, while it is not empty.
    ``seen_points``: points of ``foot_page``, in its pixels, that the notice shall not
    cover.
    """

    # Margins: what side bars, card and a notice with little beside it cover
    covered = Signal(object)

    def __init__(
        self,
        pages: QStackedWidget,
        notice: Toast,
        progress: QWidget,
        foot: FootCard,
        foot_page: QWidget,
        seen_points: Callable[[], Float64s],
    ):
        super().__init__()
        self._pages, self._notice, self._foot, self._foot_page = pages, notice, foot, foot_page
        self._progress = progress
        self._seen_points = seen_points
        self._foot_wanted = True
        self._beside, self._covered = Margins(), Margins(-1)
        for part in (pages, foot, progress, notice):
            part.setParent(self)
        for part in (
            foot,
            progress,
            notice,
            *foot.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly),
        ):
            part.installEventFilter(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        pages.currentChanged.connect(self._place)
        self.setAutoFillBackground(True)
        keep_styled(self._restyle)
        self._place()

    def _restyle(self) -> None:
        """Have pages, and what is between them and the side bars, the ground of the canvas."""
        set_colours(self, {QPalette.ColorRole.Window: tokens().canvas})

    def set_beside(self, margins: Margins) -> None:
        """Keep clear of side bars."""
        self._beside = margins
        self._place()

    def follow_view(self) -> None:
        """Keep clear of what is to be seen, where another part of the graph is shown."""
        if not (self._notice.isHidden() and self._progress.isHidden()):
            self._place()

    def show_foot(self, wanted: bool) -> None:
        """Show or hide the card while its page is open, and progress."""
        self._foot_wanted = wanted
        self._place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (
            QEvent.Type.LayoutRequest,
            QEvent.Type.ShowToParent,
            QEvent.Type.HideToParent,
        ):
            self._place()
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        left, _, right, _ = map(int, self._beside)
        clear, on_page = (
            self.rect().adjusted(left, 0, -right, 0),
            self._pages.currentWidget() is self._foot_page,
        )
        self._pages.setGeometry(self.rect() if on_page else clear)
        shows_foot = self._foot_wanted and on_page and not self._foot.is_empty
        self._foot.setVisible(shows_foot)
        inside = clear.adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)
        width, height = max(0, inside.width()), self._foot.sizeHint().height()
        if self._foot.is_small:
            width = min(width, self._foot.sizeHint().width())
        left = inside.left() + (inside.width() - width) // 2
        self._foot.setGeometry(left, inside.bottom() + 1 - height, width, height)
        if not self._notice.isHidden():
            room = max(0, inside.width())
            self._notice.fit(room)
            # its buttons' words are whole
            wide = max(scaled_px(_NOTICE_WIDTH), self._notice.minimumSizeHint().width())
            self._place_notice(inside, min(room, wide))
        if not self._progress.isHidden():
            self._place_progress(inside)
        across = (
            on_page and not self._notice.isHidden() and 2 * self._notice.width() > inside.width()
        )
        # little of the picture is beside it
        top = self._notice.geometry().bottom() + 1 if across else 0
        covered = self._beside._replace(top=top, bottom=height + MARGIN if shows_foot else 0)
        if covered != self._covered:
            self._covered = covered
            self.covered.emit(covered)

    def _place_progress(self, inside: QRect) -> None:
        """Place the progress in the middle above, below a notice that is there, or
        lower where it covers less.
        """
        size = self._progress.sizeHint()
        place = QRect(0, inside.top(), min(size.width(), inside.width()), size.height())
        place.moveLeft(inside.center().x() - place.width() // 2)
        if not self._notice.isHidden() and self._notice.geometry().intersects(place):
            place.moveTop(self._notice.geometry().bottom() + MARGIN)
        above_foot = self._foot.sizeHint().height() if not self._foot.isHidden() else 0
        lower = place.translated(0, inside.bottom() - above_foot - scaled_px(_ROW) - place.bottom())
        self._progress.setGeometry(self._covering_least((place, lower)))

    def _place_notice(self, inside: QRect, width: int) -> None:
        """Place the notice at the upper right or, if it covers less there, at the upper
        left, or lower at one of these sides.
        """
        tall = max(self._notice.heightForWidth(width), self._notice.minimumSizeHint().height())
        right = QRect(inside.right() + 1 - width, inside.top(), width, tall)
        left = QRect(inside.left(), inside.top(), width, tall)
        steps = range(0, max(1, inside.height() // 2), (tall + MARGIN) // 2)
        places = (corner.translated(0, step) for step in steps for corner in (right, left))
        self._notice.setGeometry(self._covering_least(places))

    def _covering_least(self, places: Iterable[QRect]) -> QRect:
        """The first of the places that cover the fewest points to be seen."""
        if self._pages.currentWidget() is not self._foot_page:
            return next(iter(places))
        x, y = self._seen_points().T

        def points_below(area: QRect) -> int:
            across = (x >= area.left()) & (x <= area.right())
            return int((across & (y >= area.top()) & (y <= area.bottom())).sum())

        return min(places, key=points_below)


_ICONS = {Severity.INFO: "information", Severity.WARNING: "warning", Severity.ERROR: "error"}
EXPIRES_MS = 6000


class Toast(Card):
    """Shows the newest notice; hidden if there is none.

    A notice goes after six seconds in which the pointer was not on it, unless it is an
    error or a warning that offers something, such as to bring back what an ended window
    showed.
    """

    details_requested = Signal(object)  # Notice: the user asked for the notice's details
    report_requested = Signal(object)  # Notice: the user asked for the crash report

    def __init__(self) -> None:
        super().__init__()
        self.notice: Notice | None = None
        self.setObjectName(NOTICES)
        self._mark = PlainLabel()
        self._text = PlainLabel()
        self._text.setWordWrap(True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._action = push_button("", act=self._act)
        self._details = push_button("Details", act=self._ask_for_details)
        report = "Show a report for the authors; it contains no data from your files"
        self._report = push_button("Crash report", report, self._ask_for_report)
        self._dismiss = tool_button(tip="Dismiss", act=self.dismiss, icon="close")
        top = Qt.AlignmentFlag.AlignTop
        self._buttons = row_of(self._action, self._details, self._report, STRETCH)
        self._grid = grid = QGridLayout(self)
        grid.setContentsMargins(12, 10, 8, 10)
        grid.setColumnStretch(1, 1)
        grid.addWidget(self._mark, 0, 0, top)
        grid.addWidget(self._text, 0, 1)
        grid.addWidget(self._dismiss, 0, 2, top)
        grid.addLayout(self._buttons, 1, 1, 1, 2)
        self._expiry = QTimer(self, singleShot=True)
        self._expiry.timeout.connect(self.dismiss)
        on_scheme_change(self._restyle)
        on_type_size_change(self._restyle)
        self.hide()

    def show_notice(self, notice: Notice) -> None:
        self.notice = notice
        self._text.setText(notice.text)
        self._action.setText(button_text(notice.action_text))
        self._action.setVisible(notice.action is not None)
        self._details.setVisible(bool(notice.details))
        self._report.setVisible(bool(notice.report))
        self._restyle()
        self.show()
        self._let_expire()

    def fit(self, width: int) -> None:
        """Have the buttons one below the other where they have no room side by side, and
        leave out the middle of the first one's words where these alone have none.
        """
        margins = self._grid.contentsMargins()
        beside = margins.left() + margins.right() + self._grid.horizontalSpacing()
        room = width - beside - self._mark.sizeHint().width()
        shown = [
            button.sizeHint().width() + self._buttons.spacing()
            for button in (self._action, self._details, self._report)
            if not button.isHidden()
        ]
        directions = QBoxLayout.Direction
        in_row = sum(shown) - self._buttons.spacing() <= room
        self._buttons.setDirection(directions.LeftToRight if in_row else directions.TopToBottom)
        if self.notice is None:
            return
        metrics, whole = self._action.fontMetrics(), button_text(self.notice.action_text)
        around = self._action.sizeHint().width() - metrics.horizontalAdvance(self._action.text())
        text = metrics.elidedText(whole, Qt.TextElideMode.ElideMiddle, room - around)
        self._action.setText(text)
        self._action.setToolTip(tool_tip("" if text == whole else self.notice.action_text))

    def _let_expire(self) -> None:
        notice = self.notice
        self._expiry.stop()  # of the notice before
        if notice is None or notice.severity is Severity.ERROR:
            return
        if notice.severity is Severity.INFO or notice.action is None:
            self._expiry.start(EXPIRES_MS)

    def enterEvent(self, event: QEnterEvent) -> None:
        self._expiry.stop()

    def leaveEvent(self, event: QEvent) -> None:
        self._let_expire()

    def withdraw(self, notice: Notice) -> None:
        """Dismiss ``notice`` if it is the one shown."""
        if self.notice is notice:
            self.dismiss()

    def dismiss(self) -> None:
        self.notice = None
        self._expiry.stop()
        self.hide()

    def _restyle(self) -> None:
        if self.notice is None:
            return
        t = tokens()
        colour = _colour(self.notice.severity, t)
        self._mark.setPixmap(icon(_ICONS[self.notice.severity], colour).pixmap(scaled_square(20)))

    def _act(self) -> None:
        if (notice := self.notice) is not None and notice.action is not None:
            notice.action()
            self.withdraw(notice)  # it is done: "Undo" brings back once

    def _ask_for_details(self) -> None:
        if self.notice is not None:
            self.details_requested.emit(self.notice)

    def _ask_for_report(self) -> None:
        if self.notice is not None:
            self.report_requested.emit(self.notice)


def _colour(severity: Severity, t: Tokens) -> str:
    return {Severity.INFO: t.accent, Severity.WARNING: t.warning, Severity.ERROR: t.bad}[severity]
