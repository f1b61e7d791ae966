"""Run > Experiments: where points are measured."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLineEdit, QPushButton, QSizePolicy, QWidget

_HERE, _CLUSTER = "on this machine", "on hosts of a cluster"


class ExperimentPlaceChooser(QWidget):
    """A choice of this machine and a cluster.

    Attributes
    ----------
    cluster : QWidget
        Fields for the cluster, to be put below; shown while it is chosen.

    Signals
    -------
    changed()
        The place is another.
    hosts_requested()
    """

    changed = Signal()
    hosts_requested = Signal()

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.choice = QComboBox()
        self.choice.addItems((_HERE, _CLUSTER))
        self.choice.setAccessibleName("Measured")
        self.field = QLineEdit()
        self.field.setPlaceholderText("tcp://host:8786, tls://host:8786 or slurm:4")
        self.field.setAccessibleName("Address of the cluster")
        self.field.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.any_box = QCheckBox("unequal hosts too")
        self.any_box.setToolTip(
            "Let hosts with another processor, number of cores or device measure too; "
            "what cannot be compared across them is marked, and no claim is judged by it"
        )
        self.hosts_button = QPushButton("Hosts…")
        self.hosts_button.setToolTip("Show the workers of the cluster, with memory and last words")
        self.hosts_button.setAutoDefault(False)
        self.cluster = QWidget()
        for place, widgets in ((self, [self.choice]), (self.cluster, [self.field, self.any_box, self.hosts_button])):
            row = QHBoxLayout(place)
            row.setContentsMargins(0, 0, 0, 0)
            for widget in widgets:
                row.addWidget(widget)
        self.setFocusProxy(self.choice)
        self.choice.currentIndexChanged.connect(self._show_fields)
        self.choice.currentIndexChanged.connect(self.changed)
        self.field.editingFinished.connect(self._edit)
        self.any_box.toggled.connect(self.changed)
        self.hosts_button.clicked.connect(self.hosts_requested)
        self._edited = ""
        self._show_fields()

    @property
    def is_cluster(self) -> bool:
        return self.choice.currentText() == _CLUSTER

    @property
    def address(self) -> str:
        """Address of the cluster as it was typed; "" for this machine, or if none was."""
        return self.field.text().strip() if self.is_cluster else ""

    @property
    def takes_any(self) -> bool:
        """Whether hosts that differ from the others measure too."""
        return self.is_cluster and self.any_box.isChecked()

    def offer(self, address: str) -> None:
        """Write an address into the empty field, such as that of the cluster that is connected."""
        if not self.field.text().strip():
            self.field.setText(address)
            self._edited = address

    def _edit(self) -> None:
        """The field says so whenever the focus leaves it."""
        if self.field.text() != self._edited:
            self._edited = self.field.text()
            self.changed.emit()

    def _show_fields(self) -> None:
        self.cluster.setVisible(self.is_cluster)
