"""Line above the results that says which stored run is shown."""

from __future__ import annotations

from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from gui.model.session import Session
from gui.panels.runs_rows import ends_of, long_time
from gui.style.common_widgets import GAP, PlainLabel, on_scheme_change
from gui.style.icons import icon
from gui.style.theme import tokens
from solvers.running.store.kept_run import KeptRun


class StoredRunBar(QWidget):
    """Says that the results are those of a stored run; hidden if they are of this session. Its button removes them.

    Parameters
    ----------
    session : Session
    """

    def __init__(self, session: Session, parent: QWidget | None = None):
        super().__init__(parent)
        self._session = session
        self.setAutoFillBackground(True)
        self.label = PlainLabel()
        self.label.setWordWrap(True)
        self.close_button = QToolButton()
        self.close_button.setAutoRaise(True)
        self.close_button.setToolTip("Remove these results from the window; the run stays in the list of runs")
        self.close_button.setAccessibleName("Close the stored run")
        self.close_button.clicked.connect(session.clear_results)
        row = QHBoxLayout(self)
        row.setContentsMargins(2 * GAP, 2, 2, 2)
        row.addWidget(self.label, 1)
        row.addWidget(self.close_button)
        session.results_changed.connect(self._follow)
        on_scheme_change(self._restyle)
        self._restyle()
        self._follow()

    def _follow(self) -> None:
        run = self._session.stored_run
        self.setVisible(run is not None)
        if run is not None:
            self.label.setText(stored_run_text(run))

    def _restyle(self) -> None:
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.Window, QColor(tokens().selection))
        self.setPalette(palette)
        self.close_button.setIcon(icon("close"))


def stored_run_text(run: KeptRun) -> str:
    """``"Stored run of 22 Nov 2026, 14:05: 1 → 264346, AMD EPYC"``, with the user's name of it."""
    name = f" “{run.name}”" if run.name else ""
    where = "".join(f", {name}" for name in (run.machine.cpu, run.machine.host) if name)
    ended = "" if run.complete else ", interrupted"
    return f"Stored run{name} of {long_time(run.started_utc)}: {ends_of(run)}{where}{ended}"
