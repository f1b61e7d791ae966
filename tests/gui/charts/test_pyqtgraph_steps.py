"""pyqtgraph is imported in steps, and at once where a chart is shown before the last."""

from __future__ import annotations

from tests.blocked_imports import run_without

_A_CHART_BETWEEN_STEPS = """
import sys
from gui.charts import pyqtgraph_steps as steps
steps._STEP_S = 0.0
count = 0
while not hasattr(sys.modules.get("pyqtgraph"), "AxisItem"):
    assert steps.step()
    count += 1
part = sys.modules["pyqtgraph"]
assert count > 30 and not hasattr(part, "PlotItem")
from gui.charts.plot import ChartPlot
assert steps.pg is part and issubclass(ChartPlot, part.GraphicsLayoutWidget)
assert not steps.step()
"""


def test_a_chart_that_is_shown_between_steps_has_all_of_it() -> None:
    run_without((), _A_CHART_BETWEEN_STEPS)
