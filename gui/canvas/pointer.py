"""Base class of the canvases that distinguishes click, drag, double click and hover."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, Qt, QTimer
from PySide6.QtGui import QMouseEvent, QNativeGestureEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from gui.canvas.view import View

DRAG_DISTANCE = 4.0  # logical pixels; a press that moves farther is a drag
HOVER_DELAY_MS = 60
_NOTCH = 120.0  # eighths of a degree
_WHEEL_BASE = 1.0015  # zoom factor per eighth of a degree


class PointingWidget(QWidget):
    """Converts mouse events into calls of the methods below, which subclasses override."""

    view: View

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._pressed: QPointF | None = None
        self._dragging = False
        self._pointer: QPointF | None = None
        self._rest = QTimer(self, singleShot=True, interval=HOVER_DELAY_MS)
        self._rest.timeout.connect(lambda: self.rested(self._pointer))
        self.setMouseTracking(True)
        self.setCursor(Qt.CursorShape.CrossCursor)

    def pressed(self, at: QPointF, button: Qt.MouseButton, modifiers: Qt.KeyboardModifier) -> None:
        """A button was pressed; a click or a drag follows."""

    def dragged(self, by: QPointF, at: QPointF) -> None:
        """The pointer moved with a button pressed."""
        raise NotImplementedError

    def dropped(self, at: QPointF) -> None:
        """A drag ended."""

    def clicked(self, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        raise NotImplementedError

    def double_clicked(self, at: QPointF) -> None:
        raise NotImplementedError

    def turned(self, steps: float) -> None:
        """The wheel was turned with Shift held down; one step is one notch, positive away from the user."""

    def moved(self, at: QPointF) -> None:
        """The pointer moved with no button pressed."""

    def rested(self, at: QPointF | None) -> None:
        """The pointer rests at a point; None if it left the widget or a drag began."""
        raise NotImplementedError

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self._pressed, self._dragging = event.position(), False
            self.pressed(event.position(), event.button(), event.modifiers())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            self._pointer = event.position()
            self._rest.start()
            self.moved(event.position())
            return
        moved = event.position() - self._pressed
        if self._dragging or moved.manhattanLength() > DRAG_DISTANCE:
            self._dragging, self._pressed = True, event.position()
            self._leave()
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self.dragged(moved, event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        was_click = self._pressed is not None and not self._dragging and event.button() is Qt.MouseButton.LeftButton
        was_drag = self._pressed is not None and self._dragging
        self._pressed, self._dragging = None, False
        self.setCursor(Qt.CursorShape.CrossCursor)
        if was_drag:
            self.dropped(event.position())
        if was_click and self.rect().contains(event.position().toPoint()):
            self.clicked(event.position(), event.modifiers())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.double_clicked(event.position())

    def wheelEvent(self, event: QWheelEvent) -> None:
        angle = event.angleDelta()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.turned((angle.y() or angle.x()) / _NOTCH)  # macOS turns the wheel sideways while Shift is down
        else:
            self.view.zoom(_WHEEL_BASE ** angle.y(), event.position())
        event.accept()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QNativeGestureEvent) and event.gestureType() is Qt.NativeGestureType.ZoomNativeGesture:
            self.view.zoom(1.0 + event.value(), event.position())
            return True
        return super().event(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._leave()

    def _leave(self) -> None:
        self._rest.stop()
        self._pointer = None
        self.rested(None)
