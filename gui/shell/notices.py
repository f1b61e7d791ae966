"""Message bar above the canvas: what happened, why, and what to do. Never modal."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QToolButton, QWidget

from gui.model.notice import Notice, Severity
from gui.shell.fields import NOTICES
from gui.style.common_widgets import PlainLabel, on_scheme_change
from gui.style.icons import icon
from gui.style.plain_text import button_text
from gui.style.theme import tokens
from gui.style.tokens import Tokens

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
