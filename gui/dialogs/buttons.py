"""Button boxes for dialogs, without the icons that Fusion adds to standard buttons."""

from __future__ import annotations

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QDialog, QDialogButtonBox


def button_box(dialog: QDialog, *standard: QDialogButtonBox.StandardButton) -> QDialogButtonBox:
    """A box of standard buttons, connected to ``dialog``'s accept and reject."""
    box = QDialogButtonBox()
    for which in standard:
        box.addButton(which).setIcon(QIcon())
    box.accepted.connect(dialog.accept)
    box.rejected.connect(dialog.reject)
    return box
