"""Help > Devices: the devices found on this machine, and the problems with their remedies."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gui.dialogs.buttons import button_box
from gui.style.common_widgets import PlainLabel
from solvers.devices import DeviceList
from solvers.errors import format_bytes
from solvers.system import machine
from solvers.text import plural

_COLUMNS = ("Device", "Key", "Driver", "Memory", "Units")


class DevicesDialog(QDialog):
    """Table of devices with the list of problems below it.

    Signals
    -------
    refresh_requested()
        The user asked to search for devices again; answer by calling `show_list`.
    """

    refresh_requested = Signal()

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.setWindowTitle("Devices")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(720, 340)
        memory = machine.memory()
        host = PlainLabel(
            f"{machine.cpu_name()}, {plural(machine.cores(), 'core')}, {format_bytes(memory.total_bytes)} of memory, "
            f"{format_bytes(memory.free_bytes)} free: serial, OpenMP and MPI variants run here."
        )
        host.setWordWrap(True)
        self._table = QTreeWidget()
        self._table.setHeaderLabels(list(_COLUMNS))
        self._table.setRootIsDecorated(False)
        self._table.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._problems = PlainLabel()
        self._problems.setWordWrap(True)
        self._problems.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        buttons = button_box(self, QDialogButtonBox.StandardButton.Close)
        self._refresh = buttons.addButton("Search again", QDialogButtonBox.ButtonRole.ActionRole)
        self._refresh.clicked.connect(self._ask)
        column = QVBoxLayout(self)
        column.addWidget(host)
        column.addWidget(self._table, 1)
        column.addWidget(self._problems)
        column.addWidget(buttons)

    def show_list(self, found: DeviceList) -> None:
        """Replace the table and the problems by those of ``found``."""
        self._table.clear()
        for d in found.devices:
            units = plural(d.compute_units, "core" if d.is_cpu else "multiprocessor")
            QTreeWidgetItem(self._table, [d.name, d.key, d.driver, format_bytes(d.total_bytes), units])
        if not found.devices:
            QTreeWidgetItem(self._table, ["No device for kernels was found"])
        header = self._table.header()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self._problems.setText("\n".join(f"{problem}." for problem in found.problems))
        self._problems.setVisible(bool(found.problems))
        self._refresh.setEnabled(True)
        self._refresh.setText("Search again")

    def _ask(self) -> None:
        self._refresh.setEnabled(False)
        self._refresh.setText("Searching…")
        self.refresh_requested.emit()
