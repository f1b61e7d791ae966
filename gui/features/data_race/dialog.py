"""Run > Show the data race: graph, number of runs, progress and outcome."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QRadioButton, QWidget

from gui.model.session import Session
from gui.style.forms import (
    ProgressLine,
    Standard,
    WrappedLabel,
    add_action,
    button_box,
    count_box,
    fill_dialog,
    form_of,
    set_default,
)
from gui.style.text import button_text
from gui.style.widgets import mute

DEFAULT_RUNS, MOST_RUNS = 200, 100_000
_WIDTH = 460


class DataRaceDialog(QDialog):
    """Asks for graph and number of runs, then shows progress and outcome; the
    controller does the runs.

    ``open_graph`` is "" if the variant cannot run on it.
    """

    start_requested = Signal()  # Run was pressed; read `open_graph` and `runs_box`
    stop_requested = Signal()  # Cancel was pressed, or the dialog was closed, during the runs

    def __init__(self, title: str, caveat: str, open_graph: str, parent: QWidget | None = None):
        super().__init__(parent)
        self.setWindowTitle("Show the data race")
        self.setMinimumWidth(_WIDTH)
        self._running = False
        heading = WrappedLabel(
            f"{title} has a data race by design, but not every run is wrong. "
            "Run it many times and count."
        )
        reason = WrappedLabel(caveat)
        mute(reason)
        self.counterexample = QRadioButton(
            "the counterexample, with more contention until a run is wrong"
        )
        self.counterexample.setToolTip("It is generated, and opened in place of the open graph")
        self.open_graph = QRadioButton(
            f"the open graph{', ' * bool(open_graph)}{button_text(open_graph)}"
        )
        self.open_graph.setEnabled(bool(open_graph))
        self.counterexample.setChecked(True)
        self.runs_box = count_box(DEFAULT_RUNS, 1, MOST_RUNS)
        form = form_of(
            ("On", self.counterexample),
            ("", self.open_graph),
            ("Runs on each graph", self.runs_box),
        )
        self.progress = ProgressLine()
        self.outcome = WrappedLabel(selectable=True, lines=5)
        buttons = button_box(self, Standard.Close)
        self.start_button = add_action(buttons, "Run", self._press)
        set_default(buttons, self.start_button)
        fill_dialog(self, heading, reason, form, self.progress, self.outcome, buttons)
        self.start_button.setDefault(True)  # here, since the button must be in the dialog
        self.start_button.setFocus()
        self.finished.connect(self._closed)

    def show_progress(self, fraction: float, words: str) -> None:
        self.progress.show_fraction(fraction)
        self.outcome.setText(words)

    def show_running(self, running: bool) -> None:
        """Switch the button between Run and Cancel, and lock the options during the runs."""
        self._running = running
        self.start_button.setText("Cancel" if running else "Run again")
        for control in (self.counterexample, self.open_graph, self.runs_box):
            control.setEnabled(not running)
        if not running:
            self.progress.show_fraction(0.0)

    def offer_open_graph(self, session: Session) -> None:
        """Select the open graph for further runs, now that the counterexample is open."""
        if session.graph is not None:
            self.open_graph.setText(f"the open graph, {button_text(session.graph.name)}")
            self.open_graph.setEnabled(True)
            self.open_graph.setChecked(True)

    def _press(self) -> None:
        (self.stop_requested if self._running else self.start_requested).emit()

    def _closed(self) -> None:
        if self._running:
            self.stop_requested.emit()
