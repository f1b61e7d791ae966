"""Cuts the roads on which source or target lie, in a job."""

from __future__ import annotations

from PySide6.QtCore import QObject

from gui.model.jobs import JobContext, JobKind, Jobs
from gui.model.session import Session
from solvers.graphs.network import Network, Place
from solvers.graphs.searched import searched_graph

_TITLE = "Finding points of roads"


class EndsController(QObject):
    """Makes the graph of the session follow ends that are places, and tells how far their
    points of roads are from them.
    """

    def __init__(self, session: Session, jobs: Jobs, parent: QObject):
        super().__init__(parent)
        self._session, self._jobs = session, jobs
        self._told: dict[Place, str] = {}
        session.cut_wanted.connect(self._cut)
        session.graph_changed.connect(self._start_again)

    def _start_again(self) -> None:
        self._jobs.drop(JobKind.ENDS)
        self._told = {}

    def _cut(self) -> None:
        network, places = self._session.uncut, self._session.ends.places
        self._jobs.drop(JobKind.ENDS)
        if network is None:
            return

        def work(context: JobContext) -> Network:
            context.progress_for(_TITLE).checkpoint()
            cut = Network.of(network, places)
            graph = cut.graph  # the window needs these at once
            _ = graph.path_bound, graph.least_weight, graph.sha256, searched_graph(graph)
            return cut

        self._jobs.start(
            JobKind.ENDS,
            _TITLE,
            work,
            on_success=self._take,
            on_failure=self._refuse,
        )

    def _refuse(self, error: Exception) -> None:
        """Say why a place has no point, and go back to the ends before."""
        self._session.notice_error(error)
        self._session.refuse_cut()

    def _take(self, cut: Network) -> None:
        """Say of each place that is new, or whose point has moved, where its point is."""
        self._session.take_cut(cut)
        for place, point in cut.points.items():
            sentence = point.sentence(cut.graph.uncut, place.name)
            if self._told.get(place) != sentence:
                self._told[place] = sentence
                self._session.inform(sentence)
