"""A stop of the guided tour: a card with text and buttons beside the part of the window
that it is about, outlined.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from gui.shell.keys import PLAIN
from gui.style.forms import column_of, push_button, row_of
from gui.style.paint import smooth_painter
from gui.style.text import scaled_px
from gui.style.theme import tokens
from gui.style.widgets import PlainLabel, keep_styled, set_colours

WIDTH = 340
_GAP = 12
_OUTLINE = 3.0
_LAYOUTS = (QEvent.Type.Resize, QEvent.Type.LayoutRequest)
_RETURN = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_MOVES = (QEvent.Type.Show, QEvent.Type.Hide, QEvent.Type.Move, QEvent.Type.Resize)


class Outline(QWidget):
    """Draws a frame around a part of the window; lets the mouse through."""

    def __init__(self, window: QWidget):
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        with smooth_painter(self) as painter:
            painter.setPen(QPen(QColor(tokens().accent), _OUTLINE))
            inset = round(_OUTLINE)
            painter.drawRoundedRect(self.rect().adjusted(inset, inset, -inset, -inset), 8, 8)


class TourBubble(QFrame):
    back = Signal()
    forward = Signal()
    ended = Signal()

    def __init__(self, window: QWidget):
        super().__init__(window)
        self._window = window
        self._place: QWidget | None = None
        self.outline = Outline(window)
        self.title, self.text, self.count = PlainLabel(), PlainLabel(), PlainLabel()
        font = QFont(self.title.font())
        font.setPointSizeF(font.pointSizeF() * 1.25)
        font.setBold(True)
        self.title.setFont(font)
        for label in (self.title, self.text):
            label.setWordWrap(True)
        self.back_button = push_button("Back", act=self.back)
        self.next_button = push_button("Next", act=self.forward)
        self.end_button = push_button("End tour", act=self.ended)
        self._lay_out()
        window.installEventFilter(self)
        keep_styled(self._restyle)
        self.hide()

    def _lay_out(self) -> None:
        foot = row_of((self.count, 1), self.end_button, self.back_button, self.next_button)
        self._column = column_of(
            self.title, self.text, foot, parent=self, margins=(16, 14, 16, 12), spacing=8
        )
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAutoFillBackground(True)
        self.setAccessibleName("Guided tour")

    def show_stop(
        self, title: str, text: str, number: int, count: int, place: QWidget | None
    ) -> None:
        """Show stop ``number`` of ``count``, counted from 1, beside ``place``."""
        self.title.setText(title)
        self.text.setText(text)
        self.count.setText(f"{number} of {count}")
        self.back_button.setEnabled(number > 1)
        self.next_button.setText("Done" if number == count else "Next")
        self._follow(place)
        self.show()
        self.next_button.setFocus()
        self.reposition()

    def close_tour(self) -> None:
        self._follow(None)
        self.outline.hide()
        self.hide()

    def _follow(self, place: QWidget | None) -> None:
        if self._place is not None:
            self._place.removeEventFilter(self)
        self._place = place
        if place is not None:
            place.installEventFilter(self)

    def reposition(self) -> None:
        """Move to where the place is now; in the middle of the window if it is hidden."""
        if not self.isVisible():
            return
        self._column.invalidate()  # the texts have just changed
        width = scaled_px(WIDTH)
        height = self._column.totalHeightForWidth(width) + self.fontMetrics().height() // 2
        self.setFixedSize(width, height)
        place = self._place if self._place is not None and self._place.isVisible() else None
        if place is None:
            self.outline.hide()
            self.move(self._window.rect().center() - self.rect().center())
        else:
            area = QRect(place.mapTo(self._window, QPoint(0, 0)), place.size())
            self.outline.setGeometry(area)
            self.outline.show()
            self.outline.raise_()
            self.move(beside(area, self.size(), self._window.rect()))
        self.raise_()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return presses the button that has the focus; other keys end here."""
        holder = self.focusWidget()
        if event.key() == Qt.Key.Key_Escape:
            self.ended.emit()
        elif event.key() in _RETURN and isinstance(holder, QPushButton):
            holder.click()

    def focusNextPrevChild(self, forwards: bool) -> bool:
        """Stay among the buttons, with Tab and with the arrow keys."""
        buttons = [
            b for b in (self.end_button, self.back_button, self.next_button) if b.isEnabled()
        ]
        holder = self.focusWidget()
        if holder not in buttons:
            return super().focusNextPrevChild(forwards)
        buttons[(buttons.index(holder) + (1 if forwards else -1)) % len(buttons)].setFocus()
        return True

    def event(self, event: QEvent) -> bool:
        """Take plain keys from the window's shortcuts while a button here has the focus."""
        if (
            event.type() is QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.modifiers() in PLAIN
        ):
            event.accept()
            return True
        return super().event(event)

    def eventFilter(self, watched: object, event: QEvent) -> bool:
        """Follow the window's size, and the place as it moves, hides and appears."""
        followed: dict[object, tuple[QEvent.Type, ...]] = {
            self._window: _LAYOUTS,
            self._place: _MOVES,
        }
        if event.type() in followed.get(watched, ()):
            self.reposition()
        return False

    def _restyle(self) -> None:
        t = tokens()
        set_colours(self, {QPalette.ColorRole.Window: t.raised})


def beside(area: QRect, size: QSize, window: QRect) -> QPoint:
    """Upper left corner of a card of ``size`` beside ``area``: where there is most
    room, inside ``window``.
    """
    rooms = {
        "right": window.right() - area.right(),
        "left": area.left() - window.left(),
        "below": window.bottom() - area.bottom(),
        "above": area.top() - window.top(),
    }
    needs = {
        "right": size.width(),
        "left": size.width(),
        "below": size.height(),
        "above": size.height(),
    }
    fitting = [side for side in rooms if rooms[side] >= needs[side] + 2 * _GAP]
    side = max(fitting, key=lambda s: rooms[s] / needs[s]) if fitting else ""
    middle = area.center() - QPoint(size.width() // 2, size.height() // 2)
    corner = {
        "right": QPoint(area.right() + _GAP, middle.y()),
        "left": QPoint(area.left() - _GAP - size.width(), middle.y()),
        "below": QPoint(middle.x(), area.bottom() + _GAP),
        "above": QPoint(middle.x(), area.top() - _GAP - size.height()),
    }.get(side, middle)
    return QPoint(
        min(max(corner.x(), window.left() + _GAP), window.right() - size.width() - _GAP),
        min(max(corner.y(), window.top() + _GAP), window.bottom() - size.height() - _GAP),
    )
