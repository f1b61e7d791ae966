"""All sources: numbers of every vertex and flows of roads, as a map, a histogram and words."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from gui.contributions import Contribution, PlacedPanel, WindowActs
from gui.parts import WindowComponents
from gui.shell.commands import Toggle
from gui.shell.side_bars import BarSide, LatePanel, Panel

if TYPE_CHECKING:
    from gui.export.composition import PictureState
    from gui.features.all_sources.animation import FlowAnimationState
    from gui.features.all_sources.controller import AllSourcesController

_MAP = "all-sources-map"


def contribute(parts: WindowComponents, window: WindowActs) -> Contribution:
    """A panel, the row that shows it, and one that shows the map."""

    holder, options = LatePanel(lambda: controller().made()), parts.canvas.options

    @cache
    def controller() -> AllSourcesController:
        from gui.features.all_sources.controller import AllSourcesController

        made = AllSourcesController(
            parts.session,
            parts.playback,
            parts.jobs,
            parts.canvas,
            parts.charts,
            lambda: window.controller_of("clusters"),
            parts.export,
            holder,
            parts.window,
        )
        made.map_shown.connect(window.commands[_MAP].setChecked)
        # An isochrone lights distances, the map shows other numbers: the one wanted last is shown.
        options.budget_changed.connect(
            lambda: None if options.budget is None else made.show_map(False)
        )
        made.map_shown.connect(lambda on: options.set_budget(None) if on else None)
        return made

    def animation(picture: PictureState) -> FlowAnimationState | None:
        if not picture.content.flows:
            return None
        from gui.features.all_sources.animation import FlowAnimationState

        return FlowAnimationState(picture)

    panel = Panel("All sources", "all-sources", holder, width=340)
    return Contribution(
        acts={
            "all-sources": lambda: controller().ask(),
            _MAP: Toggle(lambda on: controller().show_map(on)),
        },
        animation=animation,
        panels=(PlacedPanel(BarSide.LEFT, "Experiments", panel),),
        controller=controller,
    )
