"""The middle of the window: pages, with the notices and the play bar lying over them.

What lies over a page moves nothing in it when it comes and goes; the page is only told how much of it is covered.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from gui.style.common_widgets import on_scheme_change
from gui.style.theme import tokens

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
