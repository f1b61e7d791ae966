"""Edit > Closed and slowed roads: their list, their menus and marks in the picture, and the
answers before and after.
"""

from __future__ import annotations

from functools import partial

from gui.contributions import Contribution, PlacedPanel, WindowActs
from gui.features.closed_roads.content import RoadContent
from gui.features.closed_roads.controller import RoadComparisonController
from gui.features.closed_roads.export import ask_differences
from gui.features.closed_roads.panel import RoadsPanel, open_all
from gui.features.closed_roads.tools import LassoTool
from gui.parts import WindowComponents
from gui.shell.side_bars import BarSide, Panel
from solvers.picture.scene.content import Layer


def contribute(parts: WindowComponents, window: WindowActs) -> Contribution:
    """A panel, rows, and what they do with the picture; made at once, as marks follow sessions."""
    session, options = parts.session, parts.canvas.options
    controller = RoadComparisonController(session, parts.jobs, parts.roads, parts.window)
    panel = RoadsPanel(session, controller)
    differences = partial(ask_differences, controller, parts.export)
    parts.canvas.add_tool(partial(LassoTool, session))
    options.additions.append(RoadContent(controller).add)
    controller.compared.connect(options.changed)
    session.roads_wanted.connect(window.refresh)
    panel.zoom_requested.connect(lambda vertices: parts.canvas.canvas.view.zoom_to(vertices))
    panel.differences_shown.connect(partial(options.set_layer, Layer.DIFFERENCE))
    panel.network_requested.connect(parts.export.ask_network)
    panel.table_requested.connect(differences)
    options.layers_changed.connect(lambda: panel.follow_layer(Layer.DIFFERENCE in options.shown))

    def show() -> None:
        """Show the list, ready for the ids of a road."""
        if window.bars.is_shown("Roads"):
            session.inform("The closed and slowed roads are shown already.")
        window.bars.open("Roads", by_user=True)
        panel.field.setFocus()

    return Contribution(
        acts={
            "roads": show,
            "roads-clear": partial(open_all, session),
            "export-differences": differences,
        },
        missing={"roads-clear": lambda: "" if session.roads else "No road is closed or slowed"},
        panels=(PlacedPanel(BarSide.RIGHT, "Runs", Panel("Roads", "roads", panel)),),
        controller=lambda: controller,
    )
