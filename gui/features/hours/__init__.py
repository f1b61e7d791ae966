"""Run > Weights by hour: a slider over the hours of a table, at the foot of the path's panel."""

from __future__ import annotations

from gui.contributions import Contribution, WindowActs
from gui.parts import WindowComponents
from gui.shell.side_bars import reveal


def contribute(parts: WindowComponents, _: WindowActs) -> Contribution:
    """A row, and a bar of the path's panel."""
    from gui.features.hours.bar import HoursBar

    bar = HoursBar(parts.session)
    parts.path_panel.add_bar(bar)
    bar.opened.connect(lambda: reveal(parts.path_panel))

    def ask() -> None:
        from gui.features.hours.question import ask_hours

        ask_hours(parts.session, parts.jobs)

    return Contribution(acts={"hours": ask}, controller=lambda: bar)
