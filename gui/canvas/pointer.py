"""The pointer on a widget: events become clicks, drags and rests, which tools take in
their order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QEvent, QObject, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QNativeGestureEvent, QPainter, QWheelEvent
from PySide6.QtWidgets import QMenu

from gui.canvas.view import CanvasView
from solvers.graphs.network import Place
from solvers.picture.colours import Tokens
from solvers.picture.scene.content import PictureContent

DRAG_DISTANCE = 4.0  # logical pixels; a press that moves farther is a drag
HOVER_DELAY_MS = 60
_NOTCH = 120.0  # eighths of a degree
_WHEEL_BASE = 1.0015  # zoom factor per eighth of a degree


@dataclass(frozen=True)
class RoadUnder:
    """A road under the pointer."""

    ends: tuple[int, int]  # by their indices
    place: Place | None  # where the pointer is on the map, if an end point can be there


class Tool:
    """What the user does with a pointer; every method has a default that does nothing."""

    @property
    def in_hand(self) -> bool:
        """Whether Esc is for this tool, rather than for a command that has the key as
        its shortcut.
        """
        return False

    @property
    def follows_pointer(self) -> bool:
        """Whether it paints something that moves with the pointer."""
        return False

    def press(self, at: QPointF, button: Qt.MouseButton, modifiers: Qt.KeyboardModifier) -> bool:
        """A button was pressed; True if the drag that may follow is for this tool."""
        return False

    def drag(self, by: QPointF, at: QPointF) -> None:
        """The pointer moved, with the button pressed."""

    def drop(self, at: QPointF) -> None:
        """The drag ended."""

    def let_go(self) -> None:
        """The press was no drag after all, or what was dragged is gone."""

    def click(self, at: QPointF, modifiers: Qt.KeyboardModifier) -> bool:
        """A click with the left button; True if it is not for the tools below."""
        return False

    def double_click(self, at: QPointF) -> bool:
        """Likewise of a double click."""
        return False

    def hover(self, at: QPointF | None) -> bool:
        """The pointer rests at a point, or at None; True if nothing of the tools below
        is under it.
        """
        return False

    def key(self, typed: str) -> bool:
        """A character was typed; True if it is not for the tools below."""
        return False

    def escape(self) -> bool:
        """Take back what is in hand; False if there is nothing."""
        return False

    def add_to_menu(self, menu: QMenu, at: QPointF | None) -> None:
        """Add what can be done at a point; None for a menu that the keyboard asked for."""

    def add_to_road(self, menu: QMenu, road: RoadUnder) -> None:
        """Add to the menu of a road what can be done with it."""

    def paint(self, painter: QPainter, content: PictureContent, tokens: Tokens) -> None:
        """Paint what is in hand or under the pointer, over the picture."""


class Pointer(QObject):
    """Follows the events of a view's widget. The wheel zooms the view; all else is for the tools.

    The first tool that takes a press, a click or a key has it for itself. With
    ``hovers_at_once``, tools get the pointer's position before it rests.
    """

    # the wheel was turned with Shift held down; one step is one notch, positive away from the user
    turned = Signal(float)

    def __init__(self, view: CanvasView, tools: Sequence[Tool], hovers_at_once: Callable[[], bool]):
        super().__init__(view.widget)
        self._view, self._tools, self._hovers_at_once = view, tools, hovers_at_once
        self._pressed: QPointF | None = None
        self._dragging = False
        self._owner: Tool | None = None  # of the press
        self._at: QPointF | None = None
        self._rest = QTimer(self, singleShot=True, interval=HOVER_DELAY_MS)
        self._rest.timeout.connect(lambda: self.hover(self._at))
        self._handlers: dict[QEvent.Type, Callable[[Any], bool]] = {
            QEvent.Type.MouseButtonPress: self._press,
            QEvent.Type.MouseMove: self._move,
            QEvent.Type.MouseButtonRelease: self._release,
            QEvent.Type.MouseButtonDblClick: self._double_click,
            QEvent.Type.Wheel: self._wheel,
            QEvent.Type.NativeGesture: self._gesture,
            QEvent.Type.Leave: self._leave,
            QEvent.Type.ShortcutOverride: self._claim,
            QEvent.Type.KeyPress: self._key,
        }
        view.widget.setMouseTracking(True)
        view.widget.setCursor(Qt.CursorShape.CrossCursor)
        view.widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        handler = self._handlers.get(event.type())
        return handler is not None and handler(event)

    def let_go(self) -> None:
        """End the drag: its rest does nothing."""
        owner, self._owner = self._owner, None
        if owner is not None:
            owner.let_go()

    def hover(self, at: QPointF | None) -> None:
        """Tell the tools where the pointer is; None if it left the widget, or what was
        under it is gone.
        """
        taken = False
        for tool in self._tools:
            taken = tool.hover(None if taken else at) or taken

    def look_again(self) -> None:
        """Tell the tools once more where the pointer rests, as the picture has moved under it."""
        if self._at is not None:
            self._rest.start()

    def _press(self, event: QMouseEvent) -> bool:
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self.let_go()
            self._pressed, self._dragging = event.position(), False
            given = event.position(), event.button(), event.modifiers()
            self._owner = next((tool for tool in self._tools if tool.press(*given)), None)
        return True

    def _move(self, event: QMouseEvent) -> bool:
        if self._pressed is None:
            self._at = event.position()
            self._rest.start()
            if self._hovers_at_once():
                self.hover(self._at)
            return True
        moved = event.position() - self._pressed
        if self._dragging or moved.manhattanLength() > DRAG_DISTANCE:
            self._dragging, self._pressed = True, event.position()
            self._leave(event)
            self._view.widget.setCursor(Qt.CursorShape.ClosedHandCursor)
            if self._owner is not None:
                self._owner.drag(moved, event.position())
        return True

    def _release(self, event: QMouseEvent) -> bool:
        pressed, dragged, at = self._pressed is not None, self._dragging, event.position()
        self._pressed, self._dragging = None, False
        self._view.widget.setCursor(Qt.CursorShape.CrossCursor)
        if pressed and dragged:
            owner, self._owner = self._owner, None
            if owner is not None:
                owner.drop(at)
        elif pressed:
            self.let_go()
            if event.button() is Qt.MouseButton.LeftButton and self._view.widget.rect().contains(
                at.toPoint()
            ):
                any(tool.click(at, event.modifiers()) for tool in self._tools)
        return True

    def _double_click(self, event: QMouseEvent) -> bool:
        any(tool.double_click(event.position()) for tool in self._tools)
        return True

    def _wheel(self, event: QWheelEvent) -> bool:
        angle = event.angleDelta()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            # macOS turns it sideways while Shift is down
            self.turned.emit((angle.y() or angle.x()) / _NOTCH)
        else:
            self._view.zoom(_WHEEL_BASE ** angle.y(), event.position())
        event.accept()
        return True

    def _gesture(self, event: QNativeGestureEvent) -> bool:
        zooms = event.gestureType() is Qt.NativeGestureType.ZoomNativeGesture
        if zooms:
            self._view.zoom(1.0 + event.value(), event.position())
        return zooms

    def _leave(self, event: QEvent) -> bool:
        self._rest.stop()
        self._at = None
        self.hover(None)
        return False

    def _claim(self, event: QKeyEvent) -> bool:
        """Take Esc before a command does, if something is in hand."""
        claims = event.key() == Qt.Key.Key_Escape and any(tool.in_hand for tool in self._tools)
        if claims:
            event.accept()
        return claims

    def _key(self, event: QKeyEvent) -> bool:
        if event.key() == Qt.Key.Key_Escape:
            return self._escape()
        # a command of the window
        with_control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        return not with_control and any(tool.key(event.text()) for tool in self._tools)

    def _escape(self) -> bool:
        """Have the first tool that can take something back do so."""
        tool = next((tool for tool in self._tools if tool.escape()), None)
        if tool is not None and tool is self._owner:
            self._owner = None
        return tool is not None
