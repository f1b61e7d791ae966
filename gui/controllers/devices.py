"""Help > Devices: the list of devices and broken drivers, kept up to date while it is open."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from gui.dialogs.devices import DevicesDialog
from gui.model.devices import Devices


class DeviceListing(QObject):
    """Shows what `Devices` found, and starts another search."""

    def __init__(self, devices: Devices, window: QWidget):
        super().__init__(window)
        self._devices, self._window = devices, window

    def show(self) -> None:
        """List devices and broken drivers, with remedies."""
        dialog = DevicesDialog(self._window)
        dialog.show_list(self._devices.list)
        dialog.refresh_requested.connect(lambda: self._devices.discover(again=True))
        self._devices.found.connect(dialog.show_list)
        dialog.open()
