"""Answers not measured: in live mode, where the picture follows markers, and wherever
there are several sources.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from statistics import median
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gui.canvas.area import CanvasArea
from gui.canvas.renderer import Renderer
from gui.controllers.hierarchy import HierarchyController
from gui.features.live.drawer import LiveDrawer, LiveReply, LiveRequest
from gui.model.jobs import Jobs
from gui.model.session import Session
from gui.model.session_sections import OpeningSession, SectionFields, SessionSection
from solvers.errors import TautpathError
from solvers.graphs.graph import Graph
from solvers.graphs.network import End, Ends, Place
from solvers.running.prepared_network import PreparedNetwork, searched_network
from solvers.system.cancel import CancelToken
from solvers.text import format_duration, plural

if TYPE_CHECKING:
    from solvers.features.live.query import LiveAnswer, LiveQuery

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


class LiveFields(SectionFields, frozen=True):
    live: bool = False


class LiveController(QObject):
    """Handles Run > Live, and requests a new answer whenever an end point or a weight changes.

    With several sources there are answers also while live mode is off, as runs measure
    from one. ``usual_ms`` is how long answers usually take; None before a second one, as the
    first may have had to compile.
    """

    def __init__(
        self,
        session: Session,
        jobs: Jobs,
        preparing: HierarchyController,
        canvas: CanvasArea,
        parent: QObject | None = None,
    ):
        super().__init__(parent)
        self._session, self._shown, self._preparing, self._canvas = (
            session,
            session.unmeasured,
            preparing,
            canvas,
        )
        self._shown.is_sought = True
        self._asking = _Asking(None)
        self._answer: LiveAnswer | None = None
        self.usual_ms: float | None = None
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
        self._shown.held_changed.connect(self.refresh)
        self._shown.ways_wanted.connect(self._follow_ways)
        preparing.prepared.connect(self._use)
        preparing.changed.connect(self.refresh)

    @property
    def section(self) -> SessionSection[LiveFields]:
        """What a session keeps of live mode."""

        def restore(kept: LiveFields, _: OpeningSession) -> None:
            self.set_on(kept.live)

        return SessionSection(LiveFields, lambda: LiveFields(self._shown.follows), restore)

    @property
    def answer(self) -> LiveAnswer | None:
        """The newest answer, while it is shown."""
        answer, shown = self._answer, self._shown.answer
        if answer is None or shown is None or answer.shown.distances is not shown.distances:
            return None
        return answer

    def set_on(self, on: bool) -> None:
        """Switch live mode on or off."""
        graph = self._session.graph
        if on and graph is not None and graph.n < 2:
            self._session.inform(_ONE_VERTEX)
            self._shown.follows_changed.emit(False)  # so that the button is released
            return
        if on:
            self._canvas.split(1)
            self._canvas.show_matrix(False)
            self._preparing.prepare()
        else:
            self._drop_requests()
        self._shown.set_follows(on)
        if on and (answer := self.answer) is not None:  # which may be asked for no more
            self._shown.words = self._words_of(answer)
        self.refresh()

    def _follow_ways(self, on: bool) -> None:
        """Alternatives to the path are wanted, without live mode, too; or no longer."""
        if on and self._session.graph is not None:
            self._canvas.split(1)
            self._canvas.show_matrix(False)
            self._preparing.prepare()
        elif not self._shown.follows:
            self._drop_requests()
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
            if self._shown.answer is not None or self._shown.words:
                self._show_none()
            return
        ends = self._ends
        if self._waits_for_hierarchy or (query := self._query(ends)) is None:
            return
        asking = self._asking
        asked = ends, query.state, query.alternatives, self._prepares_cut(ends)
        if asked != asking.asked:
            asking.asked = asked
            if self._shown.answer is None:
                self._shown.words = _FIRST
            at = ends if ends.places else None
            self._worker.request(LiveRequest(query, asking.cancel, at, self._prepares_cut(ends)))

    @property
    def _answering(self) -> bool:
        several = len(self._session.sources) > 1
        return self._shown.follows or several or (self._shown.wants_ways and self._has_ends)

    @property
    def _has_ends(self) -> bool:
        return self._session.source is not None and self._session.target is not None

    def _show_none(self) -> None:
        self._drop_requests()
        self._shown.words = ""
        self._shown.show(None)

    def _follow_end_points(self) -> None:
        graph, several = self._session.graph, len(self._session.sources) > 1
        if several and not self._several and graph is not None and graph.has_negative_weights:
            self._preparing.prepare()  # without a hierarchy there would be no answer
        self._several = several
        self.refresh()

    @property
    def _waits_for_hierarchy(self) -> bool:
        """Whether only the hierarchy in preparation can solve the graph."""
        graph = self._session.graph
        return graph is not None and graph.has_negative_weights and self._preparing.running

    @property
    def _ends(self) -> Ends:
        """The ends that are asked for: those of the session, but a marker's in hand."""
        ends, held = self._session.solved_ends, self._shown.held
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
        graph = self._session.graph
        is_small = graph is not None and graph.n + graph.m <= _MOST_PREPARED
        return is_small and bool(self._shown.wants_ways and ends.places and not self._shown.held)

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
        from solvers.features.live.query import LiveQuery

        sources, target = ends.sources, ends.target
        vertices = dict.fromkeys(0 if isinstance(end, Place) else end for end in sources)
        count = _ALTERNATIVES if self._shown.wants_ways else 0
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
        self._answer = self.usual_ms = None
        if self._session.graph is None or self._session.graph.n < 2:
            self._shown.set_follows(False)
        elif self._shown.follows or self._shown.wants_ways:
            self._preparing.prepare()

    def _follow_roads(self) -> None:
        """Roads were closed or slowed: the graph has the same vertices and other weights."""
        self._follow_network()
        if self._shown.follows or self._shown.wants_ways:
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
            self._shown.words = self._words_of(answer)
            self._answer = answer
            self._shown.show(answer.shown.keeping(self._shown.answer))

    def _judge_speed(self, answer: LiveAnswer) -> None:
        """Say once for each graph that live mode is slow on it; the first answers,
        which compile, do not count.
        """
        if answer.method != self._method:
            self._method, self._times = answer.method, []
        self._times = [*self._times[-_JUDGED:], answer.solve_ms]
        usual = median(self._times[1:]) if len(self._times) > 1 else None
        self.usual_ms = usual
        slow = usual is not None and len(self._times) > _JUDGED and usual > _SLOW_MS
        if slow and not self._said_slow and not self._preparing.running:
            self._said_slow = True
            remedy = _AS_PREPARED if answer.query.state.prepared else _UNPREPARED
            self._session.inform(f"{_SLOW.format(name=answer.graph.name)} {remedy}")

    def _words_of(self, answer: LiveAnswer) -> str:
        several = len(answer.query.sources) > 1
        found = f"Nearest of {len(answer.query.sources)} sources" if several else "Alternatives"
        what = "Live" if self._shown.follows else found
        parts = [f"{what}{answer.graph.overlay.at_hour}, not measured: {answer.method}"]
        if self._shown.wants_ways and answer.path is not None:
            parts += _words_of_ways(answer)
        if self._preparing.running and not answer.query.state.prepared:
            parts.append(_PREPARING)
        if answer.reached == len(answer.query.sources) < answer.graph.n:
            parts.append(_no_way_out(answer))
        if self.usual_ms is not None:
            parts.append(format_duration(self.usual_ms))
        return "; ".join(parts)

    def _fail(self, error: Exception) -> None:
        self._session.notice_error(error)
        if self._shown.follows:
            self.set_on(False)
        else:
            self._shown.show(None)
        self._shown.want_ways(False)


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
