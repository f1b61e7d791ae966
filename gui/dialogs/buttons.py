"""Dialog buttons without pictures: Fusion's floppy disk and red cross belong to another decade."""

from __future__ import annotations

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QDialog, QDialogButtonBox


def button_box(dialog: QDialog, *standard: QDialogButtonBox.StandardButton) -> QDialogButtonBox:
    """The buttons of ``dialog``, joined to its accept and reject."""
    box = QDialogButtonBox()
    for which in standard:
        box.addButton(which).setIcon(QIcon())
    box.accepted.connect(dialog.accept)
    box.rejected.connect(dialog.reject)
    return box
