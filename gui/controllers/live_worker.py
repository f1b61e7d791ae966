"""The thread that solves live queries: room for one, the newest."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gui.canvas.renderer import Renderer
from gui.model.quiet import Quiet
from solvers.errors import Cancelled
from solvers.graphs.graph import Graph
from solvers.running.live import LiveSolver
from solvers.running.live_query import LiveAnswer, LiveQuery
from solvers.system.cancel import CancelToken, Observer

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class LiveRequest:
    """A query, and the token that is cancelled when no query of its graph matters any more."""

    query: LiveQuery
    cancel: CancelToken


@dataclass(frozen=True, eq=False)
class LiveReply:
    """What became of a request: an answer or an error, never both."""

    request: LiveRequest
    answer: LiveAnswer | None = None
    error: Exception | None = None


class LiveDrawer:
    """Answers requests, in the thread of a `Renderer`; a solve in progress ends for a measurement."""

    def __init__(self, quiet: Quiet):
        self._quiet = quiet
        self._solver: tuple[Graph, LiveSolver] | None = None

    def frames(self, request: LiveRequest, *, newer: Callable[[], bool]) -> Iterator[LiveReply]:
        """The reply, even if a newer request waits: while a marker moves, there always is one."""
        graph = request.query.weights.network  # with all roads, so that changed roads keep the memory
        try:
            request.cancel.raise_if_cancelled()
            if self._solver is None or self._solver[0] is not graph:
                self._solver = graph, LiveSolver(graph)
            answer = self._solver[1].solve(request.query, _UntilMeasuring(request.cancel, self._quiet))
        except Cancelled:
            return
        except Exception as error:  # it is told of with its request: the graph may be another by then
            log.debug("a live query failed", exc_info=True)
            yield LiveReply(request, error=error)
        else:
            yield LiveReply(request, answer)

    def settle(self, request: LiveRequest) -> None:
        """Nothing is prepared while idle."""


class _UntilMeasuring(Observer):
    """Is also cancelled when a measurement begins."""

    def __init__(self, cancel: CancelToken, quiet: Quiet):
        super().__init__(cancel)
        self._quiet = quiet

    def checkpoint(self, done: float | None = None, total: float | None = None) -> None:
        super().checkpoint(done, total)
        if self._quiet.measuring:
            raise Cancelled


def live_worker(quiet: Quiet) -> Renderer[LiveRequest]:
    """The thread, started; it emits a `LiveReply` by ``rendered``, and by ``failed`` that it cannot work at all."""
    return Renderer(lambda: LiveDrawer(quiet), quiet)
