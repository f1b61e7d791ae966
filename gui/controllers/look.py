"""How the window looks: its colours, whether they change in motion, and the size of its type."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QMainWindow

from gui.canvas.area import CanvasArea
from gui.model.settings import Settings
from gui.style import theme
from gui.style.motion import desktop_moves, fade
from gui.style.text import apply_type_size, clamped_percent, current_percent
from solvers.picture.colours import Scheme


class LookController(QObject):
    def __init__(
        self,
        window: QMainWindow,
        area: CanvasArea,
        settings: Settings,
        inform: Callable[[str], object],
    ):
        super().__init__(window)
        self._window, self._area, self._settings, self._inform = window, area, settings, inform
        self._usual, self._factor = 100, 1.0  # size of the type in per cent, and its enlargement
        self.set_motion(settings.motion)

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
        self._settings.type_percent = self._usual = percent
        self._apply_size()

    def enlarge_type(self, factor: float) -> None:
        """Make all type so many times as large as it is otherwise; 1 ends that."""
        if self._factor == 1.0:
            self._usual = current_percent()
        self._factor = factor
        self._apply_size()

    def _apply_size(self) -> None:
        apply_type_size(_application(), clamped_percent(round(self._usual * self._factor)))


def _application() -> QApplication:
    application = QApplication.instance()
    assert isinstance(application, QApplication)  # there is no window without
    return application
