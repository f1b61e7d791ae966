"""Run > Alternatives: other good ways beside the live path, in a table of the path's panel."""

from __future__ import annotations

from gui.contributions import Contribution, WindowActs
from gui.parts import WindowComponents
from gui.shell.commands import Toggle
from gui.shell.side_bars import reveal


def contribute(parts: WindowComponents, _: WindowActs) -> Contribution:
    """A row, and table and button of the path's panel."""
    from gui.features.alternatives.table import WaysTable

    panel, live = parts.path_panel, parts.session.live
    table = WaysTable(live, parts.live.set_alternatives)
    panel.add_table(table, table.button)
    live.alternatives_toggled.connect(lambda on: reveal(panel) if on else None)
    row = Toggle(parts.live.set_alternatives, checked_by=live.alternatives_toggled)
    return Contribution(acts={"alternatives": row}, controller=lambda: table)
