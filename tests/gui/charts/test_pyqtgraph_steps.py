"""pyqtgraph is imported in steps, and at once where a chart is shown before the last."""

from __future__ import annotations

import subprocess
import sys

from tests.blocked_imports import ROOT, run_without

_SOME_STEPS = """
import sys
from gui.charts import pyqtgraph_steps as steps
steps._STEP_S = 0.0
count = 0
while not hasattr(sys.modules.get("pyqtgraph"), "AxisItem"):
    assert steps.step()
    count += 1
"""
_A_CHART = """
part = sys.modules["pyqtgraph"]
assert count > 30 and not hasattr(part, "PlotItem")
from gui.charts.plot import ChartPlot
assert steps.pg is part and issubclass(ChartPlot, part.GraphicsLayoutWidget)
assert not steps.step()
"""


def test_a_chart_that_is_shown_between_steps_has_all_of_it() -> None:
    run_without((), _SOME_STEPS + _A_CHART)


def test_a_program_that_ends_between_steps_says_nothing() -> None:
    command = [sys.executable, "-c", _SOME_STEPS]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
