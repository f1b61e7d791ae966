"""Great roads are drawn wide and bright; where there are none, communities by colour."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from gui.contributions import Contribution, WindowActs
from gui.parts import WindowComponents

if TYPE_CHECKING:
    from gui.features.prominence.controller import ProminenceController


def contribute(parts: WindowComponents, window: WindowActs) -> Contribution:
    """What follows the open graph."""

    @cache
    def controller() -> ProminenceController:
        from gui.features.prominence.controller import ProminenceController

        return ProminenceController(
            parts.session,
            parts.jobs,
            parts.hierarchy,
            parts.canvas.options,
            lambda: parts.canvas.scenes.scene,
            parts.window,
        )

    parts.session.graph_changed.connect(lambda: controller().follow_graph())
    return Contribution(controller=controller)
