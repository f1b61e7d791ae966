"""Menus whose entries are listed anew each time they open: recent files, and layers of the picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtWidgets import QMenu, QWidget

from gui.model.settings import Settings, label_of
from gui.style.plain_text import tool_tip, visible


class RecentMenu(QMenu):
    """File > Open recent.

    Parameters
    ----------
    settings : Settings
    open_file : callable(Path)
    parent : QWidget
    """

    def __init__(self, settings: Settings, open_file: Callable[[Path], object], parent: QWidget):
        super().__init__("Open recent", parent)
        self._settings, self._open = settings, open_file
        self.aboutToShow.connect(self.fill)

    def fill(self) -> None:
        """List the files that are still there."""
        self.clear()
        for path in self._settings.recent_files:
            action = self.addAction(label_of(path))
            action.setToolTip(tool_tip(str(path)))
            action.setStatusTip(visible(str(path)))
            action.triggered.connect(lambda _=False, path=path: self._open(path))
        if self.isEmpty():
            self.addAction("No recent files").setEnabled(False)
        else:
            self.addSeparator()
            self.addAction("Clear recent files", self._settings.forget_files)


class LayersMenu(QMenu):
    """View > Layers.

    Parameters
    ----------
    layers : callable
        The names of the layers, and whether each is shown.
    set_layer : callable(str, bool)
    parent : QWidget
    """

    def __init__(
        self, layers: Callable[[], Mapping[str, bool]], set_layer: Callable[[str, bool], object], parent: QWidget
    ):
        super().__init__("Layers", parent)
        self._layers, self._set_layer = layers, set_layer
        self.aboutToShow.connect(self.fill)

    def fill(self) -> None:
        """List the layers with their present states."""
        self.clear()
        for name, shown in self._layers().items():
            action = self.addAction(name.capitalize())
            action.setCheckable(True)
            action.setChecked(shown)
            action.toggled.connect(lambda on, name=name: self._set_layer(name, on))
