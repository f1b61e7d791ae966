"""Edit > Closed and slowed roads: their list, the graph that follows it, and the answers before
and after.
"""

from __future__ import annotations

from functools import partial

from gui.contributions import Contribution, PlacedPanel, WindowActs
from gui.features.closed_roads.controller import RoadsController
from gui.features.closed_roads.export import ask_differences
from gui.features.closed_roads.panel import RoadsPanel
from gui.parts import WindowComponents
from gui.shell.side_bars import BarSide, Panel
from solvers.picture.scene.content import Layer


def contribute(parts: WindowComponents, window: WindowActs) -> Contribution:
    """A panel and rows; made at once, since the graph follows what sessions and undo say."""
    session, options = parts.session, parts.canvas.options
    controller = RoadsController(session, parts.jobs, parts.hierarchy, parts.window)
    panel = RoadsPanel(session)
    differences = partial(ask_differences, session.roads, parts.export)
    panel.zoom_requested.connect(lambda vertices: parts.canvas.canvas.view.zoom_to(vertices))
    panel.differences_shown.connect(partial(options.set_layer, Layer.DIFFERENCE))
    panel.network_requested.connect(parts.export.ask_network)
    panel.table_requested.connect(differences)
    options.layers_changed.connect(
        lambda: panel.show_differences.setChecked(Layer.DIFFERENCE in options.shown)
    )

    def show() -> None:
        """Show the list, ready for the ids of a road."""
        if window.bars.is_shown("Roads"):
            session.inform("The closed and slowed roads are shown already.")
        window.bars.open("Roads", by_user=True)
        panel.field.setFocus()

    return Contribution(
        acts={
            "roads": show,
            "roads-clear": session.roads.clear,
            "export-differences": differences,
        },
        panels=(PlacedPanel(BarSide.RIGHT, "Runs", Panel("Roads", "roads", panel)),),
        sections=(controller.section,),
        controller=lambda: controller,
    )
