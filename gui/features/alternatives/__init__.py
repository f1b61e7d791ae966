"""Run > Alternatives: other good ways beside the live path, in a table of the path's panel."""

from __future__ import annotations

from gui.contributions import Contribution, WindowActs
from gui.parts import WindowComponents
from gui.shell.commands import Toggle
from gui.shell.side_bars import reveal


def contribute(parts: WindowComponents, _: WindowActs) -> Contribution:
    """A row, and table and button of the path's panel."""
    from gui.features.alternatives.table import WaysTable

    panel, unmeasured = parts.path_panel, parts.session.unmeasured
    table = WaysTable(unmeasured)
    panel.add_table(table, table.button)
    unmeasured.ways_wanted.connect(lambda on: reveal(panel) if on else None)
    row = Toggle(unmeasured.want_ways, checked_by=unmeasured.ways_wanted)

    def missing() -> str:
        return "" if unmeasured.is_sought else "Nothing finds them without a run here"

    return Contribution(
        acts={"alternatives": row},
        missing={"alternatives": missing},
        controller=lambda: table,
    )
