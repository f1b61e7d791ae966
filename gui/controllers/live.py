"""Answers not measured: in live mode, where the picture follows markers, and wherever
there are several sources.

Live queries are solved in a thread with room for one, the newest. A live answer can be
pinned, which makes a measured run of it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from statistics import median

from PySide6.QtCore import QObject, Signal

from gui.canvas.area import CanvasArea
from gui.canvas.renderer import Renderer
from gui.controllers.hierarchy import HierarchyController
from gui.controllers.run import RunController
from gui.model.jobs import Jobs
from gui.model.session import Session
from gui.model.session_sections import OpeningSession, SectionFields, SessionSection
from solvers.errors import (
    Cancelled,
    OrderFailed,
    OutOfMemory,
    SeparatorsTooLarge,
    TautpathError,
    Unavailable,
)
from solvers.graphs.graph import Graph
from solvers.graphs.network import End, Ends, Network, Place
from solvers.running.live import LiveSolver
from solvers.running.live_query import LiveAnswer, LiveQuery
from solvers.running.prepared_network import (
    PreparedNetwork,
    network_with_hierarchy,
    searched_network,
)
from solvers.system.cancel import CancelToken, Progress
from solvers.system.kept import KeptValue
from solvers.system.quiet import Quiet
from solvers.text import plural

_ONE_VERTEX = "Live mode needs a graph with at least two vertices: here no end point can move."
_SLOW = "Live mode shows fewer than 5 pictures a second on {name}."
_UNPREPARED = (
    "It is faster on a network for which a hierarchy can be prepared, such as a road network, or "
    "on one with fewer vertices; for a single answer, Run uses the GPU."
)
_AS_PREPARED = "Fewer vertices, or more cores, would make it faster."
_SLOW_MS = 200.0
_MOST_CUT_MS = 25.0  # for 40 pictures a second; else a marker in hand is at a junction
_JUDGED = 3  # answers by whose median the speed is judged
_ALTERNATIVES = 3
_MOST_PREPARED = 300_000  # vertices and arcs: a second or a few for each two places
_BETWEEN_JUNCTIONS = "on a large network, alternatives are found between junctions only"
_UNFOUND = "alternatives need a hierarchy and no negative weights"
_FOLLOW = "alternatives follow"
_FIRST = "Waiting for the first answer"  # functions may have to be compiled for it
_PREPARING = "a hierarchy is being prepared"

log = logging.getLogger(__name__)


class LiveFields(SectionFields, frozen=True):
    live: bool = False


class LiveController(QObject):
    """Handles Run > Live, and requests a new answer whenever an end point or a weight changes.

    With several sources there are answers also while live mode is off, as runs measure
    from one.
    """

    answered = Signal(object)  # LiveAnswer: a new answer is shown

    def __init__(
        self,
        session: Session,
        jobs: Jobs,
        preparing: HierarchyController,
        canvas: CanvasArea,
        parent: QObject | None = None,
    ):
        super().__init__(parent)
        self._session, self._state, self._preparing, self._canvas = (
            session,
            session.live,
            preparing,
            canvas,
        )
        self._jobs, self._asking = jobs, _Asking(None)
        self._times: list[float] = []
        self._cut_ms: list[float] = []  # of the last cuts of roads for a picture
        self._method = ""
        self._said_slow = self._several = False
        self._worker = Renderer(partial(LiveDrawer, jobs.quiet), jobs.window, jobs.quiet)
        self._worker.rendered.connect(self._take)
        self._worker.failed.connect(self._fail)
        worker = self._worker  # not self: the connection must not keep this object alive
        self.destroyed.connect(lambda: worker.stop())
        session.graph_changed.connect(self._start_again)
        session.network_changed.connect(self._follow_roads)
        session.endpoints_changed.connect(self._follow_end_points)
        self._state.held_changed.connect(self.refresh)
        preparing.prepared.connect(self._use)
        preparing.changed.connect(self.refresh)

    @property
    def section(self) -> SessionSection[LiveFields]:
        """What a session keeps of live mode."""

        def restore(kept: LiveFields, _: OpeningSession) -> None:
            self.set_on(kept.live)

        return SessionSection(LiveFields, lambda: LiveFields(self._state.on), restore)

    def set_on(self, on: bool) -> None:
        """Switch live mode on or off."""
        graph = self._session.uncut
        if on and graph is not None and graph.n < 2:
            self._session.inform(_ONE_VERTEX)
            self._state.toggled.emit(False)  # so that the button is released
            return
        if on:
            self._canvas.split(1)
            self._canvas.show_matrix(False)
            self._preparing.prepare()
        else:
            self._drop_requests()
        self._state.set_on(on)
        if on and (answer := self._state.answer) is not None:  # which may be asked for no more
            self._state.set_words(self._words_of(answer))
        self.refresh()

    def set_alternatives(self, on: bool) -> None:
        """Show alternatives to the path, or the path alone; without live mode, too."""
        graph = self._session.uncut
        if on and graph is not None:
            self._canvas.split(1)
            self._canvas.show_matrix(False)
            self._preparing.prepare()
        elif not self._state.on:
            self._drop_requests()
        self._state.set_alternatives(on)
        self.refresh()

    @property
    def weights(self) -> PreparedNetwork | None:
        """The open graph's own weights, with the hierarchy once it is prepared; None
        without a graph.
        """
        self._follow_network()
        asking = self._asking
        if asking.weights is None and asking.graph is not None:
            asking.weights = self._preparing.weights_of(asking.graph) or searched_network(
                asking.graph
            )
        return asking.weights

    def _follow_network(self) -> None:
        """Ask of the open network; requests of another are cancelled."""
        if self._asking.graph is not self._session.uncut:
            self._asking.cancel.cancel()
            self._asking = _Asking(self._session.uncut)

    def refresh(self) -> None:
        """Request an answer to the current question, unless it is the one requested last."""
        self._follow_network()
        if not self._answering:
            if self._state.answer is not None or self._state.words:
                self._show_none()
            return
        ends = self._ends
        if self._waits_for_hierarchy or (query := self._query(ends)) is None:
            return
        asking = self._asking
        asked = ends, query.state, query.alternatives, self._prepares_cut(ends)
        if asked != asking.asked:
            asking.asked = asked
            if self._state.answer is None:
                self._state.set_words(_FIRST)
            at = ends if ends.places else None
            self._worker.request(LiveRequest(query, asking.cancel, at, self._prepares_cut(ends)))

    @property
    def _answering(self) -> bool:
        several = len(self._session.sources) > 1
        return self._state.on or several or (self._state.alternatives and self._has_ends)

    @property
    def _has_ends(self) -> bool:
        return self._session.source is not None and self._session.target is not None

    def _show_none(self) -> None:
        self._drop_requests()
        self._state.set_words("")
        self._state.show(None)

    def _follow_end_points(self) -> None:
        graph, several = self._session.uncut, len(self._session.sources) > 1
        if several and not self._several and graph is not None and graph.has_negative_weights:
            self._preparing.prepare()  # without a hierarchy there would be no answer
        self._several = several
        self.refresh()

    @property
    def _waits_for_hierarchy(self) -> bool:
        """Whether only the hierarchy in preparation can solve the graph."""
        graph = self._session.uncut
        return graph is not None and graph.has_negative_weights and self._preparing.running

    @property
    def _ends(self) -> Ends:
        """The ends that are asked for: those of the session, but a marker's in hand."""
        ends, held = self._session.solved_ends, self._state.held
        if held is None:
            return ends
        end: End = held.vertex
        if held.on_road is not None and self._cuts_in_time:
            end = held.on_road
        if not held.is_source:
            return replace(ends, target=end)
        if held.place >= len(ends.sources):
            return ends
        before, after = ends.sources[: held.place], ends.sources[held.place + 1 :]
        return replace(ends, sources=(*before, end, *after))

    @property
    def _cuts_in_time(self) -> bool:
        """Whether roads can be cut for each picture, as far as is known."""
        return len(self._cut_ms) < _JUDGED or median(self._cut_ms) <= _MOST_CUT_MS

    def _prepares_cut(self, ends: Ends) -> bool:
        """Whether a hierarchy is made of the network that is cut for the ends, which
        alternatives need; not while a marker is in hand, and not of a large network.
        """
        graph = self._session.uncut
        is_small = graph is not None and graph.n + graph.m <= _MOST_PREPARED
        return is_small and bool(self._state.alternatives and ends.places and not self._state.held)

    def _query(self, ends: Ends) -> LiveQuery | None:
        """What is asked of the network; vertices stand for places."""
        graph = self._session.uncut
        if graph is None or not ends.sources:
            return None
        try:
            weights = self.weights
        except TautpathError as error:
            self._fail(error)
            return None
        assert weights is not None  # there is a graph
        sources, target = ends.sources, ends.target
        vertices = dict.fromkeys(0 if isinstance(end, Place) else end for end in sources)
        count = _ALTERNATIVES if self._state.alternatives else 0
        end = 0 if isinstance(target, Place) else target
        return LiveQuery(graph, tuple(vertices), end, weights, count)

    def _use(self, graph: Graph, weights: PreparedNetwork) -> None:
        """Solve with the hierarchy that has been prepared."""
        if graph is self._session.uncut:
            self._follow_network()
            self._asking.weights = weights
            self.refresh()

    def _start_again(self) -> None:
        """Another graph is open."""
        self._follow_network()
        self._times, self._cut_ms, self._said_slow = [], [], False
        if self._session.uncut is None or self._session.uncut.n < 2:
            self._state.set_on(False)
        elif self._state.on or self._state.alternatives:
            self._preparing.prepare()

    def _follow_roads(self) -> None:
        """Roads were closed or slowed: the graph has the same vertices and other weights."""
        self._follow_network()
        if self._state.on or self._state.alternatives:
            self._preparing.prepare()

    def _drop_requests(self) -> None:
        self._follow_network()
        self._asking.cancel.cancel()
        self._asking = _Asking(self._asking.graph, self._asking.weights)

    def _take(self, reply: LiveReply) -> None:
        if not self._answering:
            return
        if reply.request.cancel is not self._asking.cancel:  # of an earlier network or question
            self.refresh()
            return
        if reply.error is not None:
            self._fail(reply.error)
        elif (answer := reply.answer) is not None:
            self._judge_speed(answer)
            if reply.cut_ms is not None:
                self._cut_ms = [*self._cut_ms[1 - _JUDGED :], reply.cut_ms]
            answer = answer.keeping(self._state.answer)
            self._state.set_words(self._words_of(answer))
            self._state.show(answer)
            self.answered.emit(answer)

    def _judge_speed(self, answer: LiveAnswer) -> None:
        """Say once for each graph that live mode is slow on it; the first answers,
        which compile, do not count.
        """
        if answer.method != self._method:
            self._method, self._times = answer.method, []
        self._times = [*self._times[-_JUDGED:], answer.solve_ms]
        usual = median(self._times[1:]) if len(self._times) > 1 else None
        self._state.usual_ms = usual
        slow = usual is not None and len(self._times) > _JUDGED and usual > _SLOW_MS
        if slow and not self._said_slow and not self._preparing.running:
            self._said_slow = True
            remedy = _AS_PREPARED if answer.query.state.prepared else _UNPREPARED
            self._session.inform(f"{_SLOW.format(name=answer.graph.name)} {remedy}")

    def _words_of(self, answer: LiveAnswer) -> str:
        several = len(answer.query.sources) > 1
        found = f"Nearest of {len(answer.query.sources)} sources" if several else "Alternatives"
        what = "Live" if self._state.on else found
        at = f" at {answer.graph.hour}" if answer.graph.hour else ""
        parts = [f"{what}{at}, not measured: {answer.method}"]
        if self._state.alternatives and answer.path is not None:
            parts += _words_of_ways(answer)
        if self._preparing.running and not answer.query.state.prepared:
            parts.append(_PREPARING)
        if answer.reached == len(answer.query.sources) < answer.graph.n:
            parts.append(_no_way_out(answer))
        return "; ".join(parts)

    def _fail(self, error: Exception) -> None:
        self._session.notice_error(error)
        if self._state.on:
            self.set_on(False)
        else:
            self._state.show(None)
        self._state.set_alternatives(False)


@dataclass
class _Asking:
    """What live mode asks of one graph with its present roads."""

    graph: Graph | None
    # its own, with the hierarchy once it is prepared; made at the first request
    weights: PreparedNetwork | None = None
    # in the newest request
    asked: tuple[Ends, PreparedNetwork, int, bool] | None = None
    # of all requests; replies with another are out of date
    cancel: CancelToken = field(default_factory=CancelToken)


def _words_of_ways(answer: LiveAnswer) -> list[str]:
    if answer.query.alternatives == 0:
        return [_FOLLOW]
    if answer.ways is None:
        return [_UNFOUND if answer.graph.cut is None else _BETWEEN_JUNCTIONS]
    found = len(answer.ways.ways)
    fewer = f"{plural(found, 'way')}, no further one is good enough"
    return [] if found > _ALTERNATIVES else [fewer]


def _no_way_out(answer: LiveAnswer) -> str:
    ids = [answer.graph.vertex_label(v) for v in answer.query.sources]
    if len(ids) == 1:
        return f"no road leads out of source {ids[0]}"
    return f"no road leads out of the sources {', '.join(ids)}"


@dataclass(frozen=True)
class LiveRequest:
    """A query, and the token that is cancelled when no query of its graph matters any more."""

    query: LiveQuery
    cancel: CancelToken
    ends: Ends | None = None  # in place of those of the query, if some are places
    prepares_cut: bool = False  # whether a hierarchy is made of the network that is cut there


@dataclass(frozen=True, eq=False)
class LiveReply:
    """The outcome of a request: either an answer or an error."""

    request: LiveRequest
    answer: LiveAnswer | None = None
    error: Exception | None = None
    cut_ms: float | None = None  # processor time for cutting roads; None if there was none


class LiveDrawer:
    """Answers requests, in the thread of a `Renderer`; a solve in progress ends for a
    measurement.
    """

    def __init__(self, quiet: Quiet):
        self._quiet = quiet
        self._has_found_ways = False  # before that, functions may have to be compiled
        self._solver = KeptValue[LiveSolver]()
        self._cut = KeptValue[tuple[Network, PreparedNetwork, LiveSolver]]()

    def frames(self, request: LiveRequest, *, newer: Callable[[], bool]) -> Iterator[LiveReply]:
        """The reply, even if a newer request waits: while a marker moves, there always is one.

        Before the first alternatives, which may take a minute, there is one with the path
        alone: marker and panel would stay with the earlier ends.
        """
        # with all roads, so that changed roads keep the memory
        graph = request.query.state.network
        try:
            request.cancel.check()
            solver = self._solver.of((graph,), lambda: LiveSolver(graph))
            progress = Progress(CancelToken(request.cancel.check, self._end_if_measuring))
            query, cut_ms = request.query, None
            if request.ends is not None:
                query, solver, cut_ms = self._on_roads(query, request, progress)
            if query.alternatives and query.state.prepared and not self._has_found_ways:
                path_alone = solver.solve(replace(query, alternatives=0), progress)
                yield LiveReply(request, path_alone, cut_ms=cut_ms)
            answer = solver.solve(query, progress)
            self._has_found_ways |= answer.ways is not None
        except Cancelled:
            if not request.cancel.cancelled:
                raise
        except Exception as error:
            # reported with its request, since another graph may be open by then
            log.debug("a live query failed", exc_info=True)
            yield LiveReply(request, error=error)
        else:
            yield LiveReply(request, answer, cut_ms=cut_ms)

    def _on_roads(
        self, query: LiveQuery, request: LiveRequest, progress: Progress
    ) -> tuple[LiveQuery, LiveSolver, float | None]:
        """The query of the network cut at places, what solves it, and how long cutting took."""
        ends, took = request.ends or Ends(), list[float]()

        def made() -> tuple[Network, PreparedNetwork, LiveSolver]:
            began = time.thread_time()
            cut = Network.of(query.graph, ends.places)
            if request.prepares_cut:
                return cut, _prepared_if_possible(cut.graph, progress), LiveSolver(cut.graph)
            found = cut, searched_network(cut.graph), LiveSolver(cut.graph)
            took.append((time.thread_time() - began) * 1e3)
            return found

        key = query.state, ends.places, request.prepares_cut
        cut, state, solver = self._cut.of(key, made)
        of_cut = LiveQuery(cut.graph, *cut.vertices_of(ends), state, query.alternatives)
        return of_cut, solver, next(iter(took), None)

    def _end_if_measuring(self) -> None:
        if self._quiet.is_measuring:
            raise Cancelled

    def settle(self, request: LiveRequest) -> None:
        """Nothing is prepared while idle."""


def _prepared_if_possible(graph: Graph, progress: Progress) -> PreparedNetwork:
    try:
        return network_with_hierarchy(graph, progress)
    except (SeparatorsTooLarge, OutOfMemory, OrderFailed, Unavailable):
        return searched_network(graph)


class LiveRunController(QObject):
    """Handles Run > Pin live answer."""

    def __init__(self, session: Session, running: RunController, parent: QObject | None = None):
        super().__init__(parent)
        self._session, self._running = session, running

    def pin(self) -> None:
        """Run the ticked variants on the present end points and roads; the kept run is
        named after them.
        """
        graph, source = self._session.graph, self._session.source
        if graph is None or source is None:
            return
        self._running.start(self.name)
        if further := len(self._session.sources) - 1:
            left_out = f"{plural(further, 'further source')} left out"
            text = f"A measured run has one source, {graph.vertex_label(source)}: {left_out}."
            self._session.inform(text)

    @property
    def name(self) -> str:
        """Name of the run: its end points and what was changed."""
        graph = self._session.graph
        if graph is None:
            return ""
        ends = (self._session.source, self._session.target)
        text = "Live " + " → ".join(
            graph.vertex_label(vertex) for vertex in ends if vertex is not None
        )
        return ", ".join(part for part in (text, str(self._session.applied_roads)) if part)
