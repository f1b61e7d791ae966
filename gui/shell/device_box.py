"""The toolbar's choice of the device that kernels run on."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from gui.model.devices import Devices
from gui.model.session import Session
from gui.style import type_size
from gui.style.common_widgets import ElidedBox
from gui.style.plain_text import tool_tip, visible
from solvers.devices.device import Device

_MOST_WIDTHS = (300, 190, 96)  # pixels of the whole name, a shorter and the shortest, at 100 % type
_VENDORS = ("NVIDIA ", "AMD ", "Intel(R) ")


class DeviceBox(ElidedBox):
    """Combo box of the devices that kernels can run on, as wide as the name that it shows.

    Signals
    -------
    widened()
        The name needs another width.
    """

    widened = Signal()

    def __init__(self, session: Session, devices: Devices, parent: QWidget | None = None):
        super().__init__(parent)
        self._session, self._devices = session, devices
        self.setObjectName("device")
        self.setAccessibleName("Device")
        self._level = 0
        type_size.on_change(self.refresh)
        self.activated.connect(self._use)
        devices.found.connect(self.refresh)
        session.device_changed.connect(self.refresh)
        self.refresh()

    def shorten(self, level: int) -> None:
        """Make room for the whole name (0), a shorter one (1) or the shortest (2)."""
        self._level = level
        forms = self.forms(self.currentIndex())
        wanted = self.room_for(forms[min(level, len(forms) - 1)])
        self.setFixedWidth(min(wanted, type_size.px(_MOST_WIDTHS[level])))

    def refresh(self) -> None:
        before = self.currentText()
        self.clear()
        for device in self._devices.list.devices:
            whole, *shorter = device_names(device)
            self.addItem(whole, device.key)
            self.setItemData(self.count() - 1, tuple(shorter), self.FORMS_ROLE)
            self.setItemData(self.count() - 1, tool_tip(f"{whole}\n{device.driver}"), Qt.ItemDataRole.ToolTipRole)
        if self.count():
            current = self._session.device
            self.setCurrentIndex(self.findData(current.key) if current is not None else 0)
        else:
            self.addItem("No device found" if self._devices.known else "Searching for devices…", "")
        self.setEnabled(bool(self._devices.list.devices))
        words = str(self.itemData(self.currentIndex(), Qt.ItemDataRole.ToolTipRole) or "")
        self.setToolTip(f"Device that kernels run on: {words}" if words else "Help > Devices lists what is missing")
        self.shorten(self._level)
        if self.currentText() != before:
            self.widened.emit()

    def _use(self, index: int) -> None:
        self._devices.use(self.itemData(index))


def device_names(device: Device) -> tuple[str, ...]:
    """The name from whole to short: "CUDA: NVIDIA H200", "CUDA: H200", "H200".

    The processor, of which there is one, is "CPU: AMD EPYC (OpenCL)", "CPU: AMD EPYC", "CPU".
    """
    name = visible(device.name)
    if device.is_cpu:
        return f"CPU: {name} (OpenCL)", f"CPU: {name}", "CPU"
    kind = "CUDA" if device.kind == "cuda" else "OpenCL"
    model = name.removeprefix(next((vendor for vendor in _VENDORS if name.startswith(vendor)), ""))
    return f"{kind}: {name}", f"{kind}: {model}", model
