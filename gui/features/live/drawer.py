"""Answers queries of live mode in a thread with room for one, the newest. No widgets."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from solvers.errors import Cancelled
from solvers.graphs.network import Ends, Network
from solvers.running.prepared_network import PreparedNetwork, network_as_possible, searched_network
from solvers.system.cancel import CancelToken, Progress
from solvers.system.kept import KeptValue
from solvers.system.quiet import Quiet

if TYPE_CHECKING:  # imported for the first answer
    from solvers.features.live.query import LiveAnswer, LiveQuery
    from solvers.features.live.solver import LiveSolver

log = logging.getLogger(__name__)


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
        self._solver: KeptValue[LiveSolver] = KeptValue()
        self._cut: KeptValue[tuple[Network, PreparedNetwork, LiveSolver]] = KeptValue()

    def frames(self, request: LiveRequest, *, newer: Callable[[], bool]) -> Iterator[LiveReply]:
        """The reply, even if a newer request waits: while a marker moves, there always is one.

        Before the first alternatives, which may take a minute, there is one with the path
        alone: marker and panel would stay with the earlier ends.
        """
        from solvers.features.live.solver import LiveSolver

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
        from solvers.features.live.query import LiveQuery
        from solvers.features.live.solver import LiveSolver

        ends, took = request.ends or Ends(), list[float]()

        def made() -> tuple[Network, PreparedNetwork, LiveSolver]:
            began = time.thread_time()
            cut = Network.of(query.graph, ends.places)
            if request.prepares_cut:
                return cut, network_as_possible(cut.graph, progress), LiveSolver(cut.graph)
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
