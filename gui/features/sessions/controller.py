"""Saves the session to a file, and opens it again; on failure everything stays as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from gui.canvas.area import CanvasArea
from gui.canvas.view import ViewState
from gui.controllers.open import OpenController, name_filter
from gui.dialogs.messages import Reply, ask
from gui.features.sessions.file import (
    SUFFIX,
    GraphReference,
    SavedSession,
    SavedVariant,
    SavedView,
    read_session,
    write_session,
)
from gui.model.session import Session
from gui.model.session_sections import OpeningSession, SectionFields, SessionSection
from gui.model.settings import Settings
from solvers.core.variant import all_variants
from solvers.errors import TautpathError, UnknownVertex
from solvers.graphs import generators
from solvers.graphs.graph import Graph
from solvers.graphs.network import Ends, Place
from solvers.graphs.readers import Reading
from solvers.picture.layout.arrangements import Arrangement
from solvers.running.kept_results import vertices_of
from solvers.running.kept_run import GraphSource
from solvers.system.former_name import SESSION_SUFFIX
from solvers.text import plural, printable

_KINDS = f"Sessions (*{SUFFIX});;All files (*)"
_READ = f"Sessions (*{SUFFIX} *{SESSION_SUFFIX});;All files (*)"
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
        sections: Sequence[SessionSection[Any]],
        window: QWidget,
    ):
        super().__init__(window)
        self._session, self._opening, self._settings, self._canvas = (
            session,
            opening,
            settings,
            canvas,
        )
        self._sections, self._window = sections, window
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

    def current(self, *, of_window: bool = False) -> SavedSession | None:
        """The session as it is now, ``of_window`` with what only the window keeps; None
        without a graph.
        """
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
        whole = graph.as_read
        reference = GraphReference(
            whole.name, whole.sha256, whole.n, whole.m, self._session.graph_source
        )
        variants = tuple(
            SavedVariant(i, dict(self._session.choices.parameters(i)))
            for i in self._session.choices.ids
        )
        target = self._session.target
        sources = [self._id_of(vertex) for vertex in self._session.sources]
        return SavedSession(
            reference,
            next(iter(sources), None),
            None if target is None else self._id_of(target),
            tuple(sources[1:]),
            view=view,
            variants=variants,
            places=_places_of(self._session.ends),
            sections=tuple(one.current() for one in self._kept(of_window)),
        )

    def kinds(self, *, of_window: bool = False) -> list[type[SectionFields]]:
        """Of the sections of a file, or of what the window keeps of itself."""
        return [one.fields for one in self._kept(of_window)]

    def _kept(self, of_window: bool) -> list[SessionSection[Any]]:
        return [one for one in self._sections if of_window or not one.of_window]

    def _id_of(self, vertex: int) -> int:
        """The id of a vertex, or of the one nearest to a point of a road."""
        graph = self._session.graph
        assert graph is not None  # of the vertex
        return int(graph.ids[self._session.junction(vertex)])

    def remember(self) -> Callable[[], None] | None:
        """What brings the graph that is open now back, with end points, roads, ticks,
        results and view; None without a graph.
        """
        session, saved = self._session, self.current()
        cut, report = session.network, session.report
        if saved is None or cut is None:
            return None
        uncut, whole = cut.graph.uncut, cut.graph.as_read
        shown, path = session.results, self._path
        results, selected, stored = shown.all, shown.selected_id, shown.stored_run

        def give_back() -> None:
            session.open_graph(whole, report, saved.graph.source)
            if uncut is not whole:
                session.apply_roads(uncut)
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
            self._open(_Wanted(read_session(path, self.kinds()), path.resolve().parent, path))

    def restore(self, saved: SavedSession, folder: Path, then: Callable[[], object]) -> None:
        """Open a session that the window kept in ``folder``; calls ``then()`` when it is open."""
        self._open(_Wanted(saved, folder, then=then))

    def _open(self, wanted: _Wanted) -> None:
        graph = self._session.graph
        if graph is not None and graph.as_read.sha256 == wanted.saved.graph.sha256:
            self._apply(wanted, graph.as_read)
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
            self._window, f"Where is {graph.name}?", str(wanted.folder), name_filter()
        )
        if name:
            self._fetch(wanted, GraphSource(name, graph.reading(wanted.folder)))

    def _apply(self, wanted: _Wanted, graph: Graph) -> None:
        """Set end points, sections, variants and view; what is unknown here is skipped and
        named in a notice.
        """
        saved, chosen = wanted.saved, {one.id: one.parameters for one in wanted.saved.variants}
        opening = OpeningSession(graph, wanted.name, wanted.path is None, chosen)
        skipped = opening.skipped
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
        for section in self._sections:
            kept = next((one for one in saved.sections if type(one) is section.fields), None)
            if kept is not None:
                section.restore(kept, opening)
        self._choose(opening)
        self._view = saved.view
        if saved.view is not None:
            self._set_layers(saved.view.layers, skipped)
            self._arrange(saved.view.layout, skipped)
        self._show_view()
        self._session.changes.settled.emit()
        self._path = wanted.path
        if wanted.path is not None:
            self.saved.emit()
        for act in opening.afterwards:
            act()
        if skipped:
            name = "The last session" if wanted.path is None else wanted.name
            text = f"{name} is open, but this was skipped: {'; '.join(skipped)}."
            self._session.warn(text)
        wanted.then()

    def _choose(self, opening: OpeningSession) -> None:
        """Tick exactly these variants, with their parameters."""
        known = {variant.id for variant in all_variants()}
        wanted = opening.variants
        opening.skipped += [
            f"variant “{printable(name)}”, which is unknown" for name in wanted if name not in known
        ]
        self._session.choices.choose_only(known.intersection(wanted))
        for variant_id in sorted(known & set(wanted)):
            for name, value in wanted[variant_id].items():
                try:
                    self._session.choices.set_parameter(variant_id, name, value)
                except TautpathError as error:
                    opening.skipped.append(str(error).rstrip("."))

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
            self._session.changes.settled.emit()

    def _forget(self) -> None:
        """Another graph is open: the view and the name of the last session are not its own."""
        self._view, self._path = None, None


def _plain_name(graph: Graph) -> str:
    return graph.name.replace("/", "-").replace("\\", "-") or "session"


def _places_of(ends: Ends) -> tuple[Place | None, ...]:
    """Those of the target and each source; none where all are vertices."""
    found = (ends.target, *ends.sources)
    return tuple(e if isinstance(e, Place) else None for e in found) if ends.places else ()


def _vertex_of(graph: Graph, vertex_id: int | None, skipped: list[str]) -> int | None:
    if vertex_id is None:
        return None
    try:
        return int(vertices_of(graph, (vertex_id,))[0])
    except (UnknownVertex, OverflowError):
        skipped.append(f"vertex {vertex_id}, which {graph.name} does not have")
        return None
