"""How the window looks: its colours, the size of its type, and View > Presentation.

In the presentation the canvas is edge to edge with a caption and a thin scrubber, in
large type, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QMainWindow, QToolBar, QWidget
from shiboken6 import isValid

from gui.canvas.area import CanvasArea
from gui.canvas.presentation import CaptionLine, PresentationFoot
from gui.model.settings import Settings
from gui.shell.centre import Overlay
from gui.shell.side_bars import SideBars
from gui.style import theme
from gui.style.text import apply_type_size, clamped_percent, current_percent
from gui.style.widgets import desktop_moves, fade
from solvers.picture.colours import Scheme
from solvers.system.quiet import Quiet

_LARGER = 1.4  # than the type of the window


@dataclass(frozen=True)
class _Before:
    """What is restored when the presentation ends."""

    window_state: Qt.WindowState
    bars: tuple[QWidget, ...]  # that were visible
    percent: int
    focus: QWidget | None


class PresentationController(QObject):
    """Enters and leaves presentation mode, and sets colours and size of type."""

    toggled = Signal(bool)

    def __init__(
        self,
        window: QMainWindow,
        area: CanvasArea,
        settings: Settings,
        quiet: Quiet,
        inform: Callable[[str], object],
    ):
        super().__init__(window)
        self._inform = inform
        self._window, self._area, self._settings, self._quiet = window, area, settings, quiet
        self._before: _Before | None = None
        self.set_motion(settings.motion)

    def use(
        self, bars: SideBars, overlay: Overlay, caption: CaptionLine, foot: PresentationFoot
    ) -> None:
        """Show ``caption`` and ``foot`` in the presentation, and hide ``bars`` and the
        play bar of ``overlay``.
        """
        self._bars, self._overlay, self._caption, self._foot = bars, overlay, caption, foot
        for part in (caption, foot):
            part.hide()

    @property
    def on(self) -> bool:
        return self._before is not None

    def set_on(self, on: bool) -> None:
        """Enter or leave presentation mode; leaving restores bars, type and window as they were."""
        if on == self.on:
            return
        self._enter() if on else self._leave()
        self.toggled.emit(on)

    def set_scheme(self, scheme: Scheme) -> None:
        """Apply and remember the colour scheme."""
        self._settings.scheme = scheme
        if self._window.isVisible() and self._area.graph_canvas.view.moves():
            fade(self._window, self._area.graph_canvas.view.moves)
        theme.apply(_application(), scheme)

    def set_motion(self, on: bool) -> None:
        """Change view and colours in motion from now on, unless the desktop has it off;
        remembered.
        """
        self._settings.motion = on
        self._area.options.motion = on and desktop_moves()

    def scale_type(self, by: int) -> None:
        """Make all type larger or smaller by so many per cent of the desktop's size,
        and keep that; 0 is that size. What has that size already is said.
        """
        percent = clamped_percent(self._settings.type_percent + by) if by else 100
        if percent == self._settings.type_percent:
            self._inform(f"The type has {percent} % already.")
        self._settings.type_percent = percent
        self._set_type(percent)

    def _set_type(self, percent: int) -> None:
        """Apply the window's size of type, which is larger in the presentation."""
        if self._before is not None:
            self._before = replace(self._before, percent=percent)
            percent = clamped_percent(round(percent * _LARGER))
        apply_type_size(_application(), percent)

    def leave(self) -> bool:
        """Leave presentation mode; False if it was not on."""
        was_on = self.on
        self.set_on(False)
        return was_on

    def _enter(self) -> None:
        window = self._window
        bars = (window.menuBar(), *window.findChildren(QToolBar))
        self._before = _Before(
            window.windowState(),
            tuple(bar for bar in bars if not bar.isHidden()),
            current_percent(),
            window.focusWidget(),
        )
        for part in bars:
            part.hide()
        self._bars.conceal(True)
        self._overlay.show_foot(False)
        self._area.show_legend_elsewhere(True)
        self._set_type(self._before.percent)
        self._caption.show()
        window.showFullScreen()
        self._foot.show_now()
        self._area.setFocus()

    def _leave(self) -> None:
        before, self._before = self._before, None
        assert before is not None  # `set_on` has seen it
        window = self._window
        self._caption.hide()
        self._foot.hide()
        apply_type_size(_application(), before.percent)
        self._area.show_legend_elsewhere(False)
        self._overlay.show_foot(True)
        window.setWindowState(before.window_state)
        for bar in before.bars:
            bar.show()
        self._bars.conceal(False)
        # a panel may have replaced it meanwhile
        if before.focus is not None and isValid(before.focus):
            before.focus.setFocus()


def _application() -> QApplication:
    application = QApplication.instance()
    assert isinstance(application, QApplication)  # there is no window without
    return application
