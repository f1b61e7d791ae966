"""Kept runs: every run is recorded, listed, compared and shown again."""

from __future__ import annotations

from pathlib import Path

from gui.contributions import Contribution, FileKind, PlacedPanel, WindowActs
from gui.features.kept_runs.controller import KeptRunsController
from gui.features.kept_runs.run_list import RunList
from gui.model.jobs import JobKind
from gui.parts import WindowComponents
from gui.shell.side_bars import BarSide, LatePanel, Panel

_KEPT = "What the run has measured is kept under Runs."


def contribute(parts: WindowComponents, window: WindowActs) -> Contribution:
    """A recorder of each run, a panel, rows, files that open, and what a session keeps."""
    runs = RunList(parts.session, parts.jobs, parent=parts.window)
    parts.run.followers.append(runs.recorder)
    runs.changed.connect(lambda: parts.forecast.use(runs.earlier_times))
    controller = KeptRunsController(
        runs,
        parts.session,
        parts.jobs,
        parts.settings,
        parts.open,
        parts.export,
        lambda: window.bars.open("Runs", by_user=True),
        parts.window,
    )

    def kept() -> str:
        run = parts.jobs.running(JobKind.SOLVE)
        return "" if run is None or run.cancelling else _KEPT

    def accepts(path: Path) -> bool:
        from solvers.features.kept_runs.trials_file import is_trials_file

        return is_trials_file(path)

    panel = Panel("Runs", "history", LatePanel(lambda: controller.panel))
    return Contribution(
        acts={"runs": controller.show_panel, "import-runs": controller.ask_to_import},
        panels=(PlacedPanel(BarSide.RIGHT, "Path", panel),),
        sections=(controller.section,),
        files=(FileKind(accepts, controller.import_files),),
        finds=controller.finds,
        lost=kept,
        begin=lambda _: runs.load(),
        controller=lambda: controller,
    )
