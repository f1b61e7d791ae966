"""Degrees: how many vertices of the open graph have each number of outgoing arcs."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QWidget

from gui.contributions import Contribution, PlacedPanel, WindowActs
from gui.parts import WindowComponents
from gui.shell.side_bars import BarSide, LatePanel, Panel, reveal


def contribute(parts: WindowComponents, window: WindowActs) -> Contribution:
    """A panel, and the row that shows it."""

    def make() -> QWidget:
        from gui.features.degrees.panel import degrees_panel

        return degrees_panel(parts.session.graph)

    content = LatePanel(make)
    parts.session.graph_changed.connect(content.make_again)
    return Contribution(
        acts={"degrees": partial(reveal, content, by_user=True)},
        panels=(PlacedPanel(BarSide.LEFT, "All sources", Panel("Degrees", "degrees", content)),),
    )
