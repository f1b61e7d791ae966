"""Saves the session to a file, and opens it again; on failure everything stays as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from PySide6.QtCore import QObject, QSize, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from gui.canvas.area import CanvasArea
from gui.canvas.view import ViewState
from gui.controllers.isochrone import IsochroneController
from gui.controllers.live import LiveController
from gui.controllers.open import FILTER, OpenController
from gui.controllers.undo import UndoController
from gui.dialogs.messages import Reply, ask, show_details
from gui.model.session import Session
from gui.model.session_file import (
    SUFFIX,
    GraphReference,
    SavedKernel,
    SavedSession,
    SavedVariant,
    SavedView,
    read_session,
    write_session,
)
from gui.model.settings import Settings
from gui.panels.highlighting import KERNEL, Highlighter
from gui.panels.kernel_editor import difference
from gui.style.forms import add_action
from solvers.core.user_code import version_of
from solvers.core.user_variants import ChangedKernel, UserVariant, base_of, kernel_of
from solvers.core.variant import all_variants, register, registered
from solvers.errors import InputError, TautpathError, UnknownVertex
from solvers.graphs import generators
from solvers.graphs.graph import Graph
from solvers.graphs.network import Ends, Place
from solvers.graphs.readers import Reading
from solvers.graphs.road_changes import RoadChanges
from solvers.picture.layout.arrangements import Arrangement
from solvers.running.store.kept_run import GraphSource
from solvers.running.store.recorder import vertices_of
from solvers.system.former_name import SESSION_SUFFIX
from solvers.text import plural, printable

_KINDS = f"Sessions (*{SUFFIX});;All files (*)"
_READ = f"Sessions (*{SUFFIX} *{SESSION_SUFFIX});;All files (*)"
_SIZE_OF_TEXTS = QSize(860, 620)
_LOCATE = "Locate the file…"
_NEVERTHELESS = "Open nevertheless"


@dataclass(frozen=True)
class _Wanted:
    """A session that is to be opened."""

    saved: SavedSession
    folder: Path  # where its graph is looked for first
    path: Path | None = None  # the user's file; None for a session that the window kept
    then: Callable[[], object] = lambda: None  # called when it is open

    @property
    def name(self) -> str:
        return "the last session" if self.path is None else self.path.name


class SessionFileController(QObject):
    """Handles the File menu's session commands."""

    saved = Signal()  # the open graph is named by a session file

    def __init__(
        self,
        session: Session,
        opening: OpenController,
        settings: Settings,
        canvas: CanvasArea,
        reaching: IsochroneController,
        live: LiveController,
        undoing: UndoController,
        window: QWidget,
    ):
        super().__init__(window)
        self._session, self._opening, self._settings, self._canvas = (
            session,
            opening,
            settings,
            canvas,
        )
        self._reaching, self._live, self._undoing, self._window = reaching, live, undoing, window
        self._path: Path | None = None  # of the session saved or opened last
        self._view: SavedView | None = None  # to be shown when the scene is ready
        canvas.scenes.changed.connect(self._show_view)
        session.graph_changed.connect(self._forget)

    def ask_to_save(self) -> None:
        graph = self._session.graph
        if graph is None:
            return
        proposal = self._path or self._settings.export_folder / f"{_plain_name(graph)}{SUFFIX}"
        name, _ = QFileDialog.getSaveFileName(self._window, "Save session", str(proposal), _KINDS)
        if name:
            path = Path(name)
            self.save(path if path.suffix else path.with_name(path.name + SUFFIX))

    def save(self, path: Path) -> None:
        saved = self.current()
        if saved is None:
            return
        with self._session.reporting_errors():
            write_session(path, saved)
            self._path = path
            self.saved.emit()
            self._settings.export_folder = path.resolve().parent
            words = "It refers to the graph's file, and contains neither the graph nor results."
            self._session.inform(f"Saved the session as {path.name}. {words}")

    def current(self) -> SavedSession | None:
        """The session as it is now; None without a graph."""
        graph = self._session.graph
        if graph is None:
            return None
        state, layers = self._canvas.canvas.view.state, self._canvas.options.layers()
        view = None
        if state is not None:
            names = tuple(name for name, visible in layers.items() if visible)
            view = SavedView(
                state.x,
                state.y,
                state.scale,
                state.fitted,
                names,
                self._canvas.scenes.arrangement.value,
            )
        whole = self._session.as_read or graph
        reference = GraphReference(
            whole.name, whole.sha256, whole.n, whole.m, self._session.graph_source
        )
        variants = tuple(
            SavedVariant(i, dict(self._session.choices.parameters(i)))
            for i in self._session.choices.ids
        )
        live, target = self._session.live, self._session.target
        sources = [self._id_of(vertex) for vertex in self._session.sources]
        return SavedSession(
            reference,
            next(iter(sources), None),
            None if target is None else self._id_of(target),
            tuple(sources[1:]),
            live.on,
            view=view,
            variants=variants,
            kernels=tuple(
                SavedKernel(one.id, one.code.text)
                for one in _changed_kernels(self._session.choices.ids)
            ),
            budget=self._reaching.budget,
            bounds=self._reaching.budgets[:-1],
            roads=self._session.roads.changes,
            places=_places_of(self._session.ends),
        )

    def _id_of(self, vertex: int) -> int:
        """The id of a vertex, or of the one nearest to a point of a road."""
        network = self._session.uncut
        assert network is not None  # of the vertex
        return int(network.ids[self._session.junction(vertex)])

    def remember(self) -> Callable[[], None] | None:
        """What brings the graph that is open now back, with end points, roads, ticks,
        results and view; None without a graph.
        """
        session, saved = self._session, self.current()
        whole, cut, report = session.as_read, session.network, session.report
        if saved is None or whole is None or cut is None:
            return None
        shown, path, applied = session.results, self._path, session.roads.applied_changes
        results, selected, stored = shown.all, shown.selected_id, shown.stored_run

        def give_back() -> None:
            session.open_graph(whole, report, saved.graph.source)
            if cut.uncut is not whole:
                session.apply_roads(applied, cut.uncut)
            session.take_cut(cut)
            self._apply(_Wanted(saved, Path()), whole)
            self._path = path
            if results and stored is not None:
                session.show_stored(stored, results)
            else:
                session.results.add(results)
            session.results.select(selected)

        return give_back

    def ask_to_open(self) -> None:
        folder = str(self._settings.export_folder if self._path is None else self._path.parent)
        name, _ = QFileDialog.getOpenFileName(self._window, "Open session", folder, _READ)
        if name:
            self.open(Path(name))

    def open(self, path: Path) -> None:
        """Read a session file, then its graph, and show both; asks where the graph is
        missing or has changed.
        """
        with self._session.reporting_errors():
            self._open(_Wanted(read_session(path), path.resolve().parent, path))

    def restore(self, saved: SavedSession, folder: Path, then: Callable[[], object]) -> None:
        """Open a session that the window kept in ``folder``; calls ``then()`` when it is open."""
        self._open(_Wanted(saved, folder, then=then))

    def _open(self, wanted: _Wanted) -> None:
        graph = self._session.as_read
        if graph is not None and graph.sha256 == wanted.saved.graph.sha256:
            self._apply(wanted, graph)
            return
        source = wanted.saved.graph.found(wanted.folder)
        if source is None:
            self._ask_for_missing(wanted)
        else:
            self._fetch(wanted, source)

    def _fetch(self, wanted: _Wanted, source: GraphSource) -> None:
        """Read or generate the graph; the open one stays until it is known to be the right one."""
        if source.generator:
            self._generate(wanted, source)
            return
        file = Path(source.path)

        def arrived(reading: Reading) -> None:
            self._check(
                wanted, reading.graph, lambda: self._opening.show(file, source.reading, reading)
            )

        self._opening.read(file, source.reading, arrived)

    def _generate(self, wanted: _Wanted, source: GraphSource) -> None:
        def arrived(graph: Graph) -> None:
            self._check(wanted, graph, lambda: self._session.open_graph(graph, None, source))

        with self._session.reporting_errors():  # the generator may be one of another version
            generator = generators.find(source.generator)
            self._opening.make(generator, generator.settle(source.parameters), arrived)

    def _check(self, wanted: _Wanted, graph: Graph, show: Callable[[], None]) -> None:
        """Show the graph and the session, but ask first if the graph is another than
        the saved one.
        """

        def go_on() -> None:
            show()
            self._apply(wanted, graph)

        saved = wanted.saved
        if graph.sha256 == saved.graph.sha256:
            go_on()
            return
        kept, found = (
            f"{plural(n, 'vertex', 'vertices')} and {plural(m, 'arc')}"
            for n, m in ((saved.graph.vertices, saved.graph.arcs), (graph.n, graph.m))
        )
        text = (
            f"{graph.name} is not the graph that {wanted.name} was saved with: its content has "
            f"changed. It had {kept}; it has {found} now."
        )
        answers = [Reply(_NEVERTHELESS, go_on)]
        if not saved.graph.source.generator:
            answers.append(Reply(_LOCATE, lambda: self._locate(wanted)))
        ask(self._window, "The graph has changed", text, answers)

    def _ask_for_missing(self, wanted: _Wanted) -> None:
        graph = wanted.saved.graph
        known = graph.source.path or graph.relative
        where = f"It was {printable(known)}." if known else "The session does not say where it was."
        text = f"The graph {graph.name} of {wanted.name} is missing. {where}"
        ask(
            self._window,
            "The graph is missing",
            text,
            [Reply(_LOCATE, lambda: self._locate(wanted))],
        )

    def _locate(self, wanted: _Wanted) -> None:
        """Ask where the graph's file is, and go on with it."""
        graph = wanted.saved.graph
        name, _ = QFileDialog.getOpenFileName(
            self._window, f"Where is {graph.name}?", str(wanted.folder), FILTER
        )
        if name:
            self._fetch(wanted, GraphSource(name, graph.reading(wanted.folder)))

    def _apply(self, wanted: _Wanted, graph: Graph) -> None:
        """Set end points, variants, view and isochrone; what is unknown here is skipped
        and named in a notice.
        """
        saved, skipped = wanted.saved, list[str]()
        source, target = (
            _vertex_of(graph, vertex_id, skipped) for vertex_id in (saved.source, saved.target)
        )
        found = (_vertex_of(graph, vertex_id, skipped) for vertex_id in saved.more_sources)
        of_target, *of_sources = saved.places or (None,)
        both = zip_longest((source, *found), of_sources)
        ends = [vertex if place is None else place for vertex, place in both]
        sources = [end for end in ends if end is not None]
        self._session.want_ends(
            Ends(
                tuple(sources) or self._session.ends.sources[:1],
                target if of_target is None else of_target,
            )
        )
        self._live.set_on(saved.live)
        self._session.roads.want(_roads_of(graph, saved.roads, skipped))
        others = (
            [one for one in saved.kernels if not _is_known(one)] if wanted.path is not None else []
        )
        foreign = _usable_kernels(others, skipped)
        self._choose(
            (one for one in saved.variants if one.id not in {kernel.id for kernel in others}),
            skipped,
        )
        self._view = saved.view
        if saved.view is not None:
            self._set_layers(saved.view.layers, skipped)
            self._arrange(saved.view.layout, skipped)
        self._reaching.restore(saved.budgets)
        self._show_view()
        self._undoing.start_again()
        self._path = wanted.path
        if wanted.path is not None:
            self.saved.emit()
        if foreign:
            self._ask_for_kernels(foreign, saved.variants, wanted.name)
        if skipped:
            name = "The last session" if wanted.path is None else wanted.name
            text = f"{name} is open, but this was skipped: {'; '.join(skipped)}."
            self._session.warn(text)
        wanted.then()

    def _ask_for_kernels(
        self, kernels: list[ChangedKernel], variants: Iterable[SavedVariant], name: str
    ) -> None:
        """Show the texts of kernels from elsewhere; they are kept, and may be compiled,
        when the user says so.
        """
        count = plural(len(kernels), "changed kernel")
        words = (
            f"{name} has {count} that you do not have. Read the text: a kernel runs in a process "
            "of its own, but with your rights. Nothing of it is compiled unless you add it."
        )
        texts = []
        for kernel in kernels:
            changes = difference(
                base_of(kernel.base_id)[1].read_text(encoding="utf-8"), kernel.text
            )
            head = (
                f"{kernel.id}, version {version_of(kernel.text)}\n{changes or 'As the original.'}"
            )
            texts += [*(f"// {line}" for line in head.splitlines()), kernel.text]
        dialog = show_details(self._window, words, "\n".join(texts), "Kernels of another session")
        dialog.resize(_SIZE_OF_TEXTS)
        dialog.text.setLineWrapMode(dialog.text.LineWrapMode.NoWrap)
        Highlighter(dialog.text.document(), KERNEL)  # owned by the document

        def add() -> None:
            added = {}
            for kernel in kernels:
                with self._session.reporting_errors():
                    mine = kernel.under_a_free_name()
                    mine.keep()
                    register(mine.variant())
                    added[kernel.id] = mine.id
            self._session.choices.own_changed()
            skipped = list[str]()
            ticked = [
                SavedVariant(added[one.id], one.parameters) for one in variants if one.id in added
            ]
            known = [
                SavedVariant(i, self._session.choices.parameters(i))
                for i in self._session.choices.ids
            ]
            self._choose((*known, *ticked), skipped)
            dialog.accept()

        add_action(dialog.buttons, f"Add {count}", add)

    def _choose(self, variants: Iterable[SavedVariant], skipped: list[str]) -> None:
        """Tick exactly these variants, with their parameters."""
        known = {variant.id for variant in all_variants()}
        wanted = {variant.id: variant for variant in variants}
        skipped += [
            f"variant “{printable(name)}”, which is unknown" for name in wanted if name not in known
        ]
        self._session.choices.choose_only(known.intersection(wanted))
        for variant_id in sorted(known & set(wanted)):
            for name, value in wanted[variant_id].parameters.items():
                try:
                    self._session.choices.set_parameter(variant_id, name, value)
                except TautpathError as error:
                    skipped.append(str(error).rstrip("."))

    def _set_layers(self, names: Iterable[str], skipped: list[str]) -> None:
        known = self._canvas.options.layers()
        skipped += [
            f"layer “{printable(name)}”, which is unknown" for name in names if name not in known
        ]
        for name in known:
            self._canvas.options.set_layer(name, name in names)

    def _arrange(self, layout: str, skipped: list[str]) -> None:
        if not layout or layout == self._canvas.scenes.arrangement.value:
            return
        if layout in {arrangement.value for arrangement in Arrangement}:
            self._canvas.scenes.arrange(Arrangement(layout))
        else:
            skipped.append(f"layout “{printable(layout)}”, which is unknown")

    def _show_view(self) -> None:
        """Show the saved part of the graph, as soon as it can be drawn."""
        view, scenes = self._view, self._canvas.scenes
        ready = (
            scenes.scene is not None
            and scenes.scene.graph is self._session.graph
            and not scenes.message
        )
        if view is not None and ready:
            self._view = None
            self._canvas.canvas.view.show(ViewState(view.x, view.y, view.scale, view.fitted))
            self._undoing.start_again()

    def _forget(self) -> None:
        """Another graph is open: the view and the name of the last session are not its own."""
        self._view, self._path = None, None


def _changed_kernels(variant_ids: Iterable[str]) -> list[UserVariant]:
    found = (registered(variant_id) for variant_id in variant_ids)
    return [one for one in found if isinstance(one, UserVariant) and one.code.kernel]


def _is_known(kernel: SavedKernel) -> bool:
    """Whether the user has a kernel of that name with that text."""
    mine = registered(kernel.id)
    return isinstance(mine, UserVariant) and mine.code.text == kernel.text


def _usable_kernels(kernels: Iterable[SavedKernel], skipped: list[str]) -> list[ChangedKernel]:
    found = []
    for saved in kernels:
        try:
            kernel = kernel_of(saved.id, saved.text)
            kernel.check()
            found.append(kernel)
        except TautpathError as error:
            skipped.append(f"kernel “{printable(saved.id)}”: {str(error).rstrip('.')}")
    return found


def _plain_name(graph: Graph) -> str:
    return graph.name.replace("/", "-").replace("\\", "-") or "session"


def _places_of(ends: Ends) -> tuple[Place | None, ...]:
    """Those of the target and each source; none where all are vertices."""
    found = (ends.target, *ends.sources)
    return tuple(e if isinstance(e, Place) else None for e in found) if ends.places else ()


def _roads_of(graph: Graph, changes: RoadChanges, skipped: list[str]) -> RoadChanges:
    kept = []
    for road in changes.roads:
        try:
            RoadChanges((road,)).arcs(graph)
        except (InputError, OverflowError):
            skipped.append(
                f"road {road.tail}\N{EN DASH}{road.head}, which {graph.name} does not have"
            )
        else:
            kept.append(road)
    areas = []
    for area in changes.areas:
        try:
            RoadChanges((), (area,)).arcs(graph)
        except InputError:
            skipped.append(
                f"an area of {plural(len(area), 'road')}, not all of which {graph.name} has"
            )
        else:
            areas.append(area)
    return RoadChanges(tuple(kept), tuple(areas), changes.hour)


def _vertex_of(graph: Graph, vertex_id: int | None, skipped: list[str]) -> int | None:
    if vertex_id is None:
        return None
    try:
        return int(vertices_of(graph, (vertex_id,))[0])
    except (UnknownVertex, OverflowError):
        skipped.append(f"vertex {vertex_id}, which {graph.name} does not have")
        return None
