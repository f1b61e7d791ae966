"""All sources: numbers of every vertex and flows of roads, as a map, a histogram and words."""

from __future__ import annotations

from gui.contributions import Contribution, PlacedPanel, WindowActs
from gui.export.composition import PictureState
from gui.features.all_sources.animation import FlowAnimationState
from gui.features.all_sources.controller import AllSourcesController
from gui.parts import WindowComponents
from gui.shell.commands import Toggle
from gui.shell.side_bars import BarSide, Panel


def contribute(parts: WindowComponents, window: WindowActs) -> Contribution:
    """A panel, the row that shows it, and one that shows the map."""

    controller = AllSourcesController(
        parts.session,
        parts.playback,
        parts.jobs,
        parts.canvas,
        parts.charts,
        lambda: window.controller_of("clusters"),
        parts.export,
        parts.window,
    )
    # An isochrone lights distances, the map shows other numbers: the one wanted last is shown.
    options = parts.canvas.options
    options.budget_changed.connect(
        lambda: None if options.budget is None else controller.show_map(False)
    )
    controller.map_shown.connect(lambda on: options.set_budget(None) if on else None)

    def animation(picture: PictureState) -> FlowAnimationState | None:
        return FlowAnimationState(picture) if picture.content.flows else None

    panel = Panel("All sources", "all-sources", controller.holder, width=340)
    return Contribution(
        acts={
            "all-sources": controller.ask,
            "all-sources-map": Toggle(controller.show_map, checked_by=controller.map_shown),
        },
        animation=animation,
        panels=(PlacedPanel(BarSide.LEFT, "Experiments", panel),),
        controller=lambda: controller,
    )
