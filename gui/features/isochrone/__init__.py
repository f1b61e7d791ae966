"""The isochrone: what lies within budgets of the source is lit, told by a bar, and exported."""

from __future__ import annotations

from gui.contributions import Contribution, WindowActs
from gui.features.isochrone.bar import ReachBar
from gui.features.isochrone.controller import IsochroneController
from gui.parts import WindowComponents
from gui.shell.commands import Toggle


def contribute(parts: WindowComponents, window: WindowActs) -> Contribution:
    """A bar below the path, and rows that light and export."""
    bar = ReachBar()
    parts.path_panel.add_bar(bar)
    controller = IsochroneController(parts.session, parts.canvas, bar, parts.window)

    def ask() -> None:
        from gui.features.isochrone.export import ask_isochrone

        ask_isochrone(parts.session, parts.canvas.options, parts.answer_export)

    return Contribution(
        acts={
            "isochrone": Toggle(controller.show, checked_by=controller.shown),
            "export-isochrone": ask,
        },
        sections=(controller.section,),
        controller=lambda: controller,
    )
