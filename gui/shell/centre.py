"""The middle of the window: pages, with the notices and the play bar lying over them.

What lies over a page moves nothing in it when it comes and goes; the page is only told how much of it is covered. The
message bar says what happened, why, and what to do; it is never modal.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gui.model.notice import Notice, Severity
from gui.shell.toolbar_fields import NOTICES
from gui.style.colours import Tokens
from gui.style.text import button_text
from gui.style.theme import icon, tokens
from gui.style.widgets import PlainLabel, on_scheme_change

MARGIN = 10
_MOST_NOTICE_WIDTH = 860
_CARD_OPACITY = 0.94
_CARD_MARGINS = (8, 2, 8, 2)
_RADIUS = 8.0


class FootCard(QWidget):
    """A card with bars in a column, which lies over the bottom of a page."""

    def __init__(self, *bars: QWidget):
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(*_CARD_MARGINS)
        column.setSpacing(0)
        for bar in bars:
            column.addWidget(bar)
        on_scheme_change(self.update)

    def height_with(self, bars: int) -> int:
        """Height of the card with bars of that height."""
        _, top, _, bottom = _CARD_MARGINS
        return bars + top + bottom

    def paintEvent(self, event: QPaintEvent) -> None:
        t = tokens()
        ground = QColor(t.panel)
        ground.setAlphaF(_CARD_OPACITY)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(t.border), 1.0))
            painter.setBrush(ground)
            painter.drawRoundedRect(self.rect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5), _RADIUS, _RADIUS)


class Overlay(QWidget):
    """Pages that fill it, a notice over their top and a card over their bottom.

    Parameters
    ----------
    pages : QStackedWidget
    notice : QWidget
        Shown by itself; its height follows from its width.
    foot : QWidget
        Shown over the page ``foot_page`` only.
    foot_page : QWidget

    Signals
    -------
    covered(int)
        The card covers so many pixels at the bottom.
    """

    covered = Signal(int)

    def __init__(self, pages: QStackedWidget, notice: QWidget, foot: QWidget, foot_page: QWidget):
        super().__init__()
        self._pages, self._notice, self._foot, self._foot_page = pages, notice, foot, foot_page
        self._foot_wanted = True
        self._least_foot = 0
        self._covered = -1
        for part in (pages, foot, notice):
            part.setParent(self)
        for part in (foot, notice):
            part.installEventFilter(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        pages.currentChanged.connect(self._place)
        self._place()

    def show_foot(self, wanted: bool) -> None:
        """Show or hide the card while its page is open."""
        self._foot_wanted = wanted
        self._place()

    def reserve(self, height: int) -> None:
        """Keep at least this height free at the bottom, so that a growing card does not move the page's content."""
        self._least_foot = height
        self._place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.ShowToParent):
            self._place()
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        self._pages.setGeometry(self.rect())
        shows_foot = self._foot_wanted and self._pages.currentWidget() is self._foot_page
        self._foot.setVisible(shows_foot)
        room = max(0, self.width() - 2 * MARGIN)
        height = self._foot.sizeHint().height()
        self._foot.setGeometry(MARGIN, self.height() - height - MARGIN, room, height)
        width = min(room, _MOST_NOTICE_WIDTH)
        tall = max(self._notice.heightForWidth(width), self._notice.minimumSizeHint().height())
        self._notice.setGeometry((self.width() - width) // 2, MARGIN, width, tall)
        for part in (self._foot, self._notice):
            part.raise_()
        covered = max(height, self._least_foot) + MARGIN if shows_foot else 0
        if covered != self._covered:
            self._covered = covered
            self.covered.emit(covered)


_ICONS = {Severity.INFO: "information", Severity.WARNING: "warning", Severity.ERROR: "error"}
_TINT = 0.12


class NoticeBar(QFrame):
    """Shows the newest notice; hidden if there is none.

    Signals
    -------
    details_requested(Notice)
        The user asked for the notice's details.
    report_requested(Notice)
        The user asked for the crash report.
    """

    details_requested = Signal(object)
    report_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._notice: Notice | None = None
        self.setObjectName(NOTICES)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAutoFillBackground(True)
        self._mark = PlainLabel()
        self._text = PlainLabel()
        self._text.setWordWrap(True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._action = QPushButton()
        self._action.clicked.connect(self._act)
        self._details = QPushButton("Details")
        self._details.clicked.connect(self._ask_for_details)
        self._report = QPushButton("Crash report")
        self._report.setToolTip("Show a report for the authors; it contains no data from your files")
        self._report.clicked.connect(self._ask_for_report)
        self._dismiss = QToolButton()
        self._dismiss.setAutoRaise(True)
        self._dismiss.setToolTip("Dismiss")
        self._dismiss.clicked.connect(self.dismiss)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 6, 6)
        row.setSpacing(10)
        for widget in (self._mark, self._text, self._action, self._details, self._report, self._dismiss):
            row.addWidget(widget, 1 if widget is self._text else 0)
        on_scheme_change(self._restyle)
        self.hide()

    @property
    def notice(self) -> Notice | None:
        return self._notice

    def show_notice(self, notice: Notice) -> None:
        """Show ``notice``, replacing the previous one."""
        self._notice = notice
        self._text.setText(notice.text)
        self._action.setText(button_text(notice.action_text))
        self._action.setVisible(notice.action is not None)
        self._details.setVisible(bool(notice.details))
        self._report.setVisible(bool(notice.report))
        self._restyle()
        self.show()

    def withdraw(self, notice: Notice) -> None:
        """Dismiss ``notice`` if it is the one shown."""
        if self._notice is notice:
            self.dismiss()

    def dismiss(self) -> None:
        self._notice = None
        self.hide()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.ApplicationPaletteChange:
            self._restyle()

    def _restyle(self) -> None:
        if self._notice is None:
            return
        t = tokens()
        colour = _colour(self._notice.severity, t)
        self._mark.setPixmap(icon(_ICONS[self._notice.severity], colour).pixmap(QSize(20, 20)))
        self._dismiss.setIcon(icon("close"))
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.Window, _mixed(t.panel, colour, _TINT))
        self.setPalette(palette)

    def _act(self) -> None:
        if self._notice is not None and self._notice.action is not None:
            self._notice.action()

    def _ask_for_details(self) -> None:
        if self._notice is not None:
            self.details_requested.emit(self._notice)

    def _ask_for_report(self) -> None:
        if self._notice is not None:
            self.report_requested.emit(self._notice)


def _colour(severity: Severity, t: Tokens) -> str:
    return {Severity.INFO: t.accent, Severity.WARNING: t.warning, Severity.ERROR: t.bad}[severity]


def _mixed(base: str, over: str, share: float) -> QColor:
    below, above = QColor(base), QColor(over)
    return QColor.fromRgbF(
        *(getattr(below, c)() * (1 - share) + getattr(above, c)() * share for c in ("redF", "greenF", "blueF"))
    )
