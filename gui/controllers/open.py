"""Opens and generates graphs in background jobs; on failure the open graph stays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from gui.controllers.losses import UnsavedWorkGuard
from gui.dialogs.messages import describe_graph, show_details
from gui.model.jobs import JobContext, JobKind, Jobs
from gui.model.notice import Notice, Severity
from gui.model.samples import DEFAULT, SampleGraph, sample
from gui.model.session import Session
from gui.model.settings import Settings
from solvers.errors import ColumnsUnknown, FileFormatError, InputError
from solvers.graphs.generators import Generator
from solvers.graphs.graph import Graph
from solvers.graphs.reading import AS_FOUND, ReadingOptions
from solvers.running.kept_run import GraphSource
from solvers.system.files import reason_of
from solvers.text import capitalised, plural

if TYPE_CHECKING:  # dialogs and readers are imported when a file is opened
    from gui.dialogs.open import OpenOptionsDialog
    from solvers.graphs.edge_columns import TablePreview
    from solvers.graphs.readers import Reading
    from solvers.graphs.readers.file_format import FileFormat

_PACKED = (".gr", ".txt", ".csv", ".tmp")


def _patterns(formats: Iterable[FileFormat]) -> str:
    """Names of files, for a filter of the file dialog."""
    suffixes = dict.fromkeys(suffix for form in formats for suffix in form.suffixes)
    packed = [f"{suffix}.gz" for suffix in suffixes if suffix in _PACKED]
    return " ".join(f"*{suffix}" for suffix in (*suffixes, *packed))


def name_filter() -> str:
    """The kinds of graph files, for the file dialog."""
    from solvers.graphs.readers.file_format import TEXT_TABLE
    from solvers.graphs.readers.formats import FORMATS_READ

    kinds = (
        f"{capitalised(form.short)} ({_patterns([form])})"
        for form in FORMATS_READ
        if form.options == TEXT_TABLE or form.network
    )
    return ";;".join((f"Graphs ({_patterns(FORMATS_READ)} *.gz)", *kinds, "All files (*)"))


_COORDINATE_SUFFIXES = (".co", ".co.gz")

ValueT = TypeVar("ValueT")


class OpenController(QObject):
    """Handles the File menu's graph commands."""

    steps_opened = Signal()  # a sample that can be followed step by step was opened
    sample_opened = Signal()  # a sample was opened, with its end points and ticks

    def __init__(
        self,
        session: Session,
        jobs: Jobs,
        settings: Settings,
        losses: UnsavedWorkGuard,
        window: QWidget,
    ):
        super().__init__(window)
        self._session, self._jobs, self._settings, self._window = session, jobs, settings, window
        self._losses = losses
        # a file that is not read yet, and the dialog that it was chosen in
        self._asked: tuple[Path, OpenOptionsDialog] | None = None

    def ask(self) -> None:
        if path := self._ask_path():
            self.open(path)

    def ask_with_options(self) -> None:
        """Ask for a file, then for its columns, coordinates, direction and weights."""
        if path := self._ask_path():
            self.ask_options(path)

    def ask_options(self, path: Path) -> None:
        """Look in a job whether the file is a table of edges, then ask how it is to be
        read, and open it. What was chosen for a file that was refused stands there again.
        """
        from gui.dialogs.open import OpenOptionsDialog
        from solvers.graphs.readers import TableOptions
        from solvers.graphs.readers.parse import table_preview

        def ask(preview: TablePreview | None) -> None:
            self._ask_in(OpenOptionsDialog(path, self._window, preview), path)

        if self._asked is not None and self._asked[0] == path:
            self._ask_in(self._asked[1], path)
            return
        title = f"Looking at {path.name}"
        self._start(
            title,
            lambda context: table_preview(path, TableOptions(), context.progress_for(title)),
            ask,
        )

    def _ask_in(self, dialog: OpenOptionsDialog, path: Path) -> None:
        """Open a file as a dialog is filled in, which is kept until the file was read."""
        self._forget_choices(but=dialog)
        if dialog.exec():
            self._asked = path, dialog
            self.open(path, dialog.reading)
        else:
            self._asked = None
            dialog.deleteLater()

    def _forget_choices(self, but: OpenOptionsDialog | None = None) -> None:
        if self._asked is not None and self._asked[1] is not but:
            self._asked[1].deleteLater()
            self._asked = None

    def open(self, path: Path, options: ReadingOptions | None = None) -> None:
        """Read ``path`` in a job and show the graph."""
        chosen = options or AS_FOUND
        self.read(path, chosen, lambda reading: self.show(path, chosen, reading))

    def open_recent(self, path: Path) -> None:
        """Read a recent file as it was read last."""
        self.open(path, self._settings.reading_of(path))

    def show(self, path: Path, options: ReadingOptions, reading: Reading) -> None:
        self._forget_choices()
        self._settings.remember_file(path.resolve(), options)
        self._session.open_graph(
            reading.graph, reading.report, GraphSource(str(path.resolve()), options)
        )
        self._warn(reading, path, options)

    def read(
        self, path: Path, chosen: ReadingOptions, on_success: Callable[[Reading], None]
    ) -> None:
        """Read ``path`` in a job; the open graph stays. Asks first if something would
        be lost with it.
        """

        # earlier versions kept the first profile by its name, whatever the format
        named = chosen.profile != "car"
        options = chosen if named else replace(chosen, profile="")

        def read(context: JobContext) -> Reading:
            from solvers.graphs.readers import read_graph

            reading = read_graph(path, options, context.progress_for(f"Reading {path.name}"))
            _compute_derived(reading.graph)
            return reading

        self._losses.open_instead(
            lambda: self._start(f"Reading {path.name}", read, on_success), path.name
        )

    def open_all(self, paths: Sequence[Path]) -> None:
        """Open files given together (dropped or on the command line): a graph,
        optionally with coordinates.
        """
        coordinates = [p for p in paths if p.name.endswith(_COORDINATE_SUFFIXES)]
        graphs = [p for p in paths if p not in coordinates]
        if not graphs:
            error = FileFormatError(
                paths[0], "coordinates without a graph", hint="Open the .gr file they belong to."
            )
            self._session.notice_error(error)
            return
        self.open(graphs[0], _reading(coordinates[0] if coordinates else None))

    def open_sample(self, name: str = DEFAULT.id) -> None:
        """Open a sample graph, with the end points and ticks that show what it is about."""
        chosen, options = sample(name), AS_FOUND

        def show(reading: Reading) -> None:
            self.show(chosen.path, options, reading)
            self._take_up(chosen, reading.graph)

        self.read(chosen.path, options, show)

    def _take_up(self, chosen: SampleGraph, graph: Graph) -> None:
        self._session.set_endpoints(graph.vertex(chosen.source), graph.vertex(chosen.target))
        if chosen.variants:
            self._session.choices.tick_temporarily(chosen.variants)
            self.steps_opened.emit()
        self.sample_opened.emit()

    def ask_to_generate(self) -> None:
        """Ask for a graph family and parameters, and generate the graph."""
        from gui.dialogs.open import GenerateDialog

        dialog = GenerateDialog(self._window)
        if dialog.exec():
            self.generate(dialog.generator, dialog.parameters)

    def generate(self, generator: Generator, parameters: Mapping[str, Any]) -> None:
        """Generate a graph in a job and show it."""
        source = GraphSource(generator=generator.id, parameters=parameters)
        self.make(
            generator, parameters, lambda graph: self._session.open_graph(graph, None, source)
        )

    def make(
        self,
        generator: Generator,
        parameters: Mapping[str, Any],
        on_success: Callable[[Graph], None],
    ) -> None:
        """As `read`, of a graph that is generated."""
        title = f"Generating {generator.title}"

        def make(context: JobContext) -> Graph:
            graph = generator.generate(parameters, context.progress_for(title))
            _compute_derived(graph)
            return graph

        self._losses.open_instead(
            lambda: self._start(title, make, on_success), generator.title, generates=True
        )

    def show_information(self) -> None:
        """Show the open graph's properties and the reader's findings."""
        if (graph := self._session.graph) is not None:
            show_details(
                self._window,
                graph.name,
                describe_graph(graph, self._session.report),
                "Graph information",
            )

    def _ask_path(self) -> Path | None:
        recent = self._settings.recent_files
        folder = recent[0].parent if recent else Path.home()
        name, _ = QFileDialog.getOpenFileName(
            self._window, "Open graph", str(folder), name_filter()
        )
        return Path(name) if name else None

    def _start(
        self, title: str, work: Callable[[JobContext], ValueT], on_success: Callable[[ValueT], None]
    ) -> None:
        def arrived(value: ValueT) -> None:
            if not job.cancelling:  # cancelled after the last checkpoint: the open graph stays
                on_success(value)

        job = self._jobs.start(
            JobKind.OPEN, title, work, on_success=arrived, on_failure=self._failed
        )

    def _failed(self, error: Exception) -> None:
        if isinstance(error, OSError) and not isinstance(error, InputError):  # the system's own
            error = FileFormatError(Path(error.filename or "The file"), reason_of(error))
        if isinstance(error, ColumnsUnknown):
            path = error.path
            notice = Notice.of(error)
            self._session.notice(
                replace(
                    notice, action_text="Choose columns…", action=lambda: self.ask_options(path)
                )
            )
            self.ask_options(path)
            return
        asked = None if self._asked is None else self._asked[0]
        if asked is not None and isinstance(error, FileFormatError) and error.path == asked:
            change = partial(self.ask_options, asked)
            notice = replace(Notice.of(error), action_text="Change options…", action=change)
            self._session.notice(notice)
            return
        self._session.notice_error(error)

    def _warn(self, reading: Reading, path: Path, options: ReadingOptions) -> None:
        """Show a notice of the reader's warnings, with details and a remedy if there is one."""
        warnings = reading.report.warnings
        if not warnings:
            return
        count = plural(len(warnings), "warning")
        text = (
            warnings[0]
            if len(warnings) == 1
            else f"{reading.graph.name} is open; the reader reported {count}."
        )
        remedy: tuple[str, Callable[[], None] | None] = ("", None)
        if reading.report.looks_undirected:
            remedy = (
                "Open as undirected",
                lambda: self.open(path, replace(options, undirected=True)),
            )
        elif reading.report.outside_largest:
            remedy = (
                "Keep the largest part only",
                lambda: self.open(path, replace(options, largest_part=True)),
            )
        self._session.notice(
            Notice(Severity.WARNING, text, describe_graph(reading.graph, reading.report), *remedy)
        )


def _reading(coordinates: Path | None) -> ReadingOptions:
    return ReadingOptions("" if coordinates is None else str(coordinates.resolve()))


def _compute_derived(graph: Graph) -> None:
    """Compute, still in the job, derived values that the window needs immediately;
    large graphs take a while.

    The graph caches them; the variants panel uses them to check which variants are
    available.
    """
    _ = graph.path_bound, graph.least_weight, graph.sha256
