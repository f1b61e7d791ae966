"""Run > Weights by hour: asks for a table, and weighs the roads by it."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QFileDialog

from gui.model.jobs import JobContext, JobKind, Jobs
from gui.model.session import Session
from solvers.graphs.hours import Hour

_FILES = "Factors or speeds by hour (*.toml *.csv *.parquet)"


def ask_hours(session: Session, jobs: Jobs) -> None:
    """Ask for a table of weights by hour, and weigh the roads as at its first hour."""
    graph = session.graph
    name, _ = QFileDialog.getOpenFileName(None, "Open weights by hour", "", _FILES)
    if not name or graph is None:
        return

    def work(context: JobContext) -> tuple[Hour, str]:
        hour = Hour.of(name)
        return hour, hour.table.left_out(graph.as_read)

    def take(found: tuple[Hour, str]) -> None:
        hour, left_out = found
        session.want_roads(replace(session.roads, hour=hour))
        if left_out:
            session.warn(left_out)

    jobs.start(
        JobKind.WEIGHTS,
        "Reading weights by hour",
        work,
        on_success=take,
        on_failure=session.notice_error,
    )
