"""Handles the Runs panel: reopen, compare, name, pin, export, import and delete kept runs."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from gui.controllers.export import ExportController, ResultsExport
from gui.controllers.open import OpenController
from gui.dialogs.search import Entry
from gui.features.kept_runs.run_list import RunList
from gui.model.changes import Change
from gui.model.jobs import JobContext, JobKind, Jobs
from gui.model.notice import Notice, Severity
from gui.model.session import Session
from gui.model.session_sections import OpeningSession, SectionFields, SessionSection
from gui.model.settings import Settings
from gui.style.text import escape_controls
from solvers.core.result import Result
from solvers.errors import TautpathError
from solvers.graphs import generators
from solvers.graphs.graph import Graph
from solvers.graphs.road_changes import RoadChanges
from solvers.running.kept_results import results_of, results_on
from solvers.running.kept_run import GraphSource, KeptRun
from solvers.system.cancel import Progress
from solvers.text import long_time, plural

if TYPE_CHECKING:
    from gui.features.kept_runs.dialog import CompareRunsDialog
    from gui.features.kept_runs.panel import RunsPanel

log = logging.getLogger(__name__)

_OPEN_IT = "Open the graph, and then the run again."
_TRIALS = "Trials (*.csv);;All files (*)"


class RunFields(SectionFields, frozen=True):
    run: str = ""


class KeptRunsController:
    """Connects the Runs panel with store, session and files."""

    def __init__(
        self,
        runs: RunList,
        session: Session,
        jobs: Jobs,
        settings: Settings,
        opening: OpenController,
        exporting: ExportController,
        open_panel: Callable[[], object],
        window: QWidget,
    ):
        self.runs, self._session, self._jobs, self._settings = runs, session, jobs, settings
        self._opening, self._exporting = opening, exporting
        self._open_panel, self._window = open_panel, window
        self._awaited: KeptRun | None = None
        self._restored = ""  # id of the run of the last session, until its graph has its roads
        self._wanted_roads: RoadChanges | None = None  # of the awaited run, while its graph is open
        # After the window has followed the change, which removes notices.
        for signal in (session.graph_changed, session.network_changed):
            signal.connect(lambda: session.window.later(self._show_awaited))
        session.roads_wanted.connect(self._follow_roads)
        session.network_changed.connect(self._show_restored)

    @cached_property
    def panel(self) -> RunsPanel:
        """The list of runs."""
        from gui.features.kept_runs.panel import RunsPanel

        runs, panel = self.runs, RunsPanel(self.runs, self._session, self._exporting.of_results)
        panel.open_requested.connect(self.open)
        panel.compare_requested.connect(self.compare)
        panel.pin_requested.connect(
            lambda run_id, pinned: self._change(runs.set_baseline, run_id, pinned)
        )
        panel.rename_requested.connect(lambda run_id, name: self._change(runs.rename, run_id, name))
        panel.export_requested.connect(self.ask_to_export)
        panel.file_requested.connect(self.ask_for_file)
        panel.delete_requested.connect(self.delete)
        panel.restore_requested.connect(self.restore)
        panel.import_requested.connect(self.ask_to_import)
        return panel

    @property
    def section(self) -> SessionSection[RunFields]:
        """The run whose results are shown, or that is in progress."""

        def restore(kept: RunFields, opening: OpeningSession) -> None:
            self._restored = kept.run
            opening.afterwards.append(self._show_restored)

        return SessionSection(RunFields, lambda: RunFields(self._shown), restore, of_window=True)

    @property
    def _shown(self) -> str:
        session = self._session
        if session.results.stored_run is not None:
            return session.results.stored_run.run_id
        return (
            self.runs.latest_id
            if (session.results.all or self._jobs.running(JobKind.SOLVE))
            and session.graph is session.uncut
            else ""
        )

    def _show_restored(self) -> None:
        """Show the results again, on the graph with the roads that they were measured on."""
        session = self._session
        if self._restored and session.roads == session.applied_roads:
            run_id, self._restored = self._restored, ""
            try:
                self.runs.run(run_id)
                self.open(run_id)
            except TautpathError as error:  # it was deleted, or killed before its first trial
                log.info("the run of the last session is not shown: %s", error)

    def show_panel(self) -> None:
        """Open the panel, with the keyboard in its list."""
        self._open_panel()
        self.panel.table.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def finds(self) -> Iterator[Entry]:
        """The runs, for the search."""
        from gui.features.kept_runs.rows import RunColumn, run_rows

        graph = self._session.uncut
        for row in run_rows(self.runs.summaries, "" if graph is None else graph.sha256):
            if row.summary is not None:
                name = f"Open run {row.texts[RunColumn.NAME]}, {row.texts[RunColumn.ENDS]}"
                act = partial(self.open, row.run_id)
                yield Entry(
                    escape_controls(name), row.texts[RunColumn.WHEN], act, row.tip, icon="history"
                )

    def open(self, run_id: str) -> None:
        """Show a run on its graph, or offer to open the graph first."""
        run = self._read(run_id)
        if run is None:
            return
        if self._jobs.running(JobKind.SOLVE):
            self._say(
                "A run is in progress. Wait for it, or cancel it, and open the earlier run again."
            )
            return
        graph = self._session.uncut
        if graph is not None and graph.sha256 == run.graph.sha256:
            self._show(run, graph)
        elif graph is not None and self._lacks_only_roads(run):
            self._change_roads(run)
        else:
            self._offer_graph(run)

    def _lacks_only_roads(self, run: KeptRun) -> bool:
        """Whether the run's graph is open, with other roads closed or slowed."""
        source = run.graph.source
        return _is_same(self._session.graph_source, source) and self._session.roads != source.roads

    def _change_roads(self, run: KeptRun) -> None:
        """Close and slow the roads of a run, and show it when that is done."""
        self._awaited, self._wanted_roads = run, run.graph.source.roads
        self._session.want_roads(self._wanted_roads)

    def _follow_roads(self) -> None:
        """Give up the run that waits for its roads, if others are wanted now: those
        could not be changed.
        """
        if self._wanted_roads is not None and self._session.roads != self._wanted_roads:
            self._awaited = self._wanted_roads = None

    def _show(self, run: KeptRun, graph: Graph) -> None:
        """Compute what is not kept, in a job, and show the results."""
        title = f"Opening the run of {long_time(run.started_utc)}"

        def convert(context: JobContext) -> tuple[Result, ...]:
            from solvers.features.kept_runs.reopening import with_distances

            return with_distances(results_on(graph, run), context.progress_for(title))

        def show(results: tuple[Result, ...]) -> None:
            if self._session.uncut is not graph:
                return
            if results:
                self._session.show_stored(run, results)
            else:
                self._say("This run has no trials: it ended before the first one.")

        self._jobs.start(
            JobKind.REOPEN, title, convert, on_success=show, on_failure=self._session.notice_error
        )

    def _offer_graph(self, run: KeptRun) -> None:
        facts, source = run.graph, run.graph.source
        size = f"{plural(facts.vertices, 'vertex', 'vertices')}, {plural(facts.arcs, 'arc')}"
        what = f"This run is of {facts.name} ({size}), which is not open."
        path = Path(source.path)
        if source.generator:
            offer, severity = f"Generate {facts.name} and open the run", Severity.INFO
        elif source.path and path.is_file():
            offer, severity = f"Open {path.name} and the run", Severity.INFO
        elif source.path:
            what, offer, severity = (
                f"{what} Its file {source.path} is missing. {_OPEN_IT}",
                "",
                Severity.WARNING,
            )
        else:
            what, offer, severity = f"{what} Its file is not known. {_OPEN_IT}", "", Severity.INFO
        self._session.notice(
            Notice(
                severity, what, "", offer, partial(self._open_with_graph, run) if offer else None
            )
        )

    def _open_with_graph(self, run: KeptRun) -> None:
        source = run.graph.source
        with self._session.reporting_errors():  # a generator may be one of another version
            if source.generator:
                self._opening.generate(generators.find(source.generator), source.parameters)
            else:
                self._opening.open(Path(source.path), source.reading)
            self._awaited = run

    def _show_awaited(self) -> None:
        """Show the run whose graph was being opened, if it is this one."""
        run, graph = self._awaited, self._session.uncut
        self._awaited = self._wanted_roads = None
        if (
            run is None
            or graph is None
            or not _is_same(self._session.graph_source, run.graph.source)
        ):
            return
        if graph.sha256 == run.graph.sha256:
            self._show(run, graph)
        elif self._lacks_only_roads(run):
            self._change_roads(run)
        else:
            when = long_time(run.started_utc)
            text = f"{graph.name} has changed since the run of {when}, which cannot be shown on it."
            self._session.warn(text)

    def compare(self, first_id: str, second_id: str) -> CompareRunsDialog | None:
        from gui.features.kept_runs.dialog import CompareRunsDialog

        first, second = self._read(first_id), self._read(second_id)
        if first is None or second is None:
            return None
        dialog = CompareRunsDialog(first, second, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.show()
        return dialog

    def delete(self, run_ids: Sequence[str]) -> None:
        """Delete runs; a notice offers to undo it."""
        if (change := self._moved(run_ids, is_deleted=True)) is not None:
            text = f"Deleted {plural(len(run_ids), 'run')}."
            undo = partial(self._session.changes.take_back, change)
            self._session.notice(Notice(Severity.INFO, text, "", "Undo", undo))

    def restore(self, run_ids: Sequence[str]) -> None:
        """Bring deleted runs back; that can be undone, too."""
        if self._moved(run_ids, is_deleted=False) is not None:
            self._say(f"Restored {plural(len(run_ids), 'run')}.")

    def _moved(self, run_ids: Sequence[str], *, is_deleted: bool) -> Change | None:
        """The step that has deleted or restored runs; None if that was refused."""

        def apply(deleted: bool) -> bool:
            return self._change(self.runs.delete if deleted else self.runs.restore, run_ids)

        if not apply(is_deleted):
            return None
        text = f"{'delete' if is_deleted else 'restore'} {plural(len(run_ids), 'run')}"
        of_runs = "runs", object()
        change = Change(text, of_runs, not is_deleted, is_deleted, apply, outlasts_graph=True)
        self._session.changes.record(change)
        return change

    def ask_to_export(self, run_ids: Sequence[str]) -> None:
        """Ask for a folder and write the tables of these runs."""
        name = QFileDialog.getExistingDirectory(
            self._window, "Folder for trials.csv and summary.csv", str(self._settings.export_folder)
        )
        if name:
            self.export(run_ids, Path(name))

    def export(self, run_ids: Sequence[str], folder: Path) -> None:
        runs = [run for run in map(self._read, run_ids) if run is not None]
        self._exporting.tables([result for run in runs for result in results_of(run)], folder)

    def ask_for_file(self, kind: ResultsExport, run_id: str) -> None:
        """Ask for a file, and write a run: with its distances if its graph is open, else its
        times and answers.
        """
        graph, run = self._session.uncut, self._read(run_id)  # runs on cut roads are not kept
        if run is None:
            return

        def found(progress: Progress) -> tuple[Result, ...]:
            if graph is None or graph.sha256 != run.graph.sha256:
                return results_of(run)
            from solvers.features.kept_runs.reopening import with_distances

            return with_distances(results_on(graph, run), progress)

        kind.ask(run_id, run.name or run.graph.name, found)

    def ask_to_import(self) -> None:
        """Ask for a trials.csv and add its runs."""
        folder = str(self._settings.export_folder)
        name, _ = QFileDialog.getOpenFileName(self._window, "Import runs", folder, _TRIALS)
        if name:
            self.import_files([Path(name)])

    def import_files(self, paths: Sequence[Path]) -> None:
        """Add the runs of tables, in a job; a single run is opened at once."""
        names = ", ".join(path.name for path in paths)

        def read(_: JobContext) -> list[KeptRun]:
            from solvers.features.kept_runs.trials_file import read_trials

            runs = [run for path in paths for run in read_trials(path)]
            self.runs.add(runs)
            return runs

        def added(runs: list[KeptRun]) -> None:
            self.runs.load()
            self.show_panel()
            self._say(f"Read {plural(len(runs), 'run')} from {names}.")
            if len(runs) == 1:
                self.open(runs[0].run_id)

        refuse = self._session.notice_error
        self._jobs.start(
            JobKind.IMPORT, f"Reading {names}", read, on_success=added, on_failure=refuse
        )

    def _read(self, run_id: str) -> KeptRun | None:
        """A run; None, with a notice, if the store does not give it."""
        with self._session.reporting_errors():
            return self.runs.run(run_id)
        return None

    def _change(self, act: Callable[..., None], *arguments: object) -> bool:
        """Whether a change of the store went well; if not, a notice says why."""
        with self._session.reporting_errors():
            act(*arguments)
            return True
        return False

    def _say(self, text: str) -> None:
        self._session.inform(text)


def _is_same(one: GraphSource, other: GraphSource) -> bool:
    if one.generator or other.generator:
        return (one.generator, one.parameters) == (other.generator, other.parameters)
    return Path(one.path).resolve() == Path(other.path).resolve()
