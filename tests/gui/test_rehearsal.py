"""The rehearsal of the window does what a user does first, and leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from gui import rehearsal
from gui.window import MainWindow
from solvers.running.request import MeasurementPlan


def test_it_opens_draws_runs_and_plays(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    made, stages = [], []

    class Watched(MainWindow):
        """The window, which the test asks afterwards."""

        def __init__(self, settings: object):
            super().__init__(settings)
            made.append(self)
            self.graphs = []
            self.parts.session.graph_changed.connect(
                lambda: self.graphs.append(self.parts.session.graph.n)
            )
            self.ran = []
            self.parts.session.results.changed.connect(
                lambda: self.ran.extend(self.parts.session.results.all)
            )

    monkeypatch.setattr(rehearsal, "MainWindow", Watched)
    monkeypatch.setattr(rehearsal, "QUICK", MeasurementPlan(warmups=0, trials=1))
    rehearsal.rehearse(lambda *stage: stages.append(stage))
    (window,) = made
    assert len(window.graphs) == 2
    assert window.ran
    assert window.parts.session.graph.name == "edges"
    assert window.parts.canvas.canvas.frames.current
    assert [done for done, _, _ in stages] == list(range(len(stages)))
    window.close()
    window.deleteLater()
