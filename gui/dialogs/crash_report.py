"""Dialog with the report of an unexpected error, to copy or save."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox, QFileDialog, QWidget

from gui.dialogs.details import DetailsDialog
from solvers.errors import FileNotWritten
from solvers.system.files import replace_atomically

_HEADING = (
    "This report lists versions and program locations, and no data from your files, graphs or results. "
    "Send it with a short description of what you did."
)
_FILE = "tautline-crash-report.txt"


class CrashReportDialog(DetailsDialog):
    """A `DetailsDialog` that can save its text."""

    def __init__(self, parent: QWidget | None, report: str):
        super().__init__(parent, _HEADING, report, "Crash report")
        self._report = report
        save = self.buttons.addButton("Save…", QDialogButtonBox.ButtonRole.ActionRole)
        save.clicked.connect(self.ask_to_save)

    def ask_to_save(self) -> None:
        """Ask for a file and save the report."""
        name, _ = QFileDialog.getSaveFileName(self, "Save crash report", str(Path.home() / _FILE), "Text (*.txt)")
        if name:
            self.save(Path(name))

    def save(self, path: Path) -> None:
        """Write the report, and show its path or the reason why it could not be written."""
        try:
            with replace_atomically(path) as beside:
                beside.write_text(self._report, encoding="utf-8")
        except FileNotWritten as error:
            self.summary.setText(str(error))
        else:
            self.summary.setText(f"Saved as {path}.")


def show_crash_report(parent: QWidget | None, report: str) -> CrashReportDialog:
    """Open a non-modal `CrashReportDialog`."""
    dialog = CrashReportDialog(parent, report)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.show()
    return dialog
