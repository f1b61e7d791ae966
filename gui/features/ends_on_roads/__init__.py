"""The menu of a road sets source and target at the point under the pointer."""

from __future__ import annotations

from gui.contributions import Contribution, WindowActs
from gui.features.ends_on_roads.tool import RoadEndTool
from gui.parts import WindowComponents


def contribute(parts: WindowComponents, _: WindowActs) -> Contribution:
    """A tool of the canvases."""
    parts.canvas.add_tool(lambda _: RoadEndTool(parts.session))
    return Contribution()
