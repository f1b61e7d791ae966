"""How long the next run will take: an estimate from earlier results, or from a model of each algorithm."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal

from gui.model.session import Session
from solvers.running.estimate import EarlierTime, RunEstimate, estimate_run


class Forecast(QObject):
    """Expected time of what Run would run.

    Signals
    -------
    changed()
    """

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None):
        super().__init__(parent)
        self._session = session
        self._kept: tuple[EarlierTime, ...] = ()
        self._estimate: RunEstimate | None = None
        self._is_known = False
        self._question: tuple[object, ...] | None = None  # that the estimate answers
        for signal in (
            session.graph_changed, session.endpoints_changed, session.choices_changed, session.device_changed,
            session.results_changed, session.plan_changed,
        ):  # fmt: skip
            signal.connect(self._forget)

    def use(self, kept: Iterable[EarlierTime]) -> None:
        """Also take account of times of earlier sessions on this machine."""
        self._kept = tuple(kept)
        self._forget()

    @property
    def estimate(self) -> RunEstimate | None:
        """None if nothing would run."""
        if not self._is_known:
            self._estimate_again()
            self._is_known = True
        return self._estimate

    def _estimate_again(self) -> None:
        """Estimate, unless only the end points differ from those of the last estimate."""
        request, times = self._session.request(), self._own_times()
        if request is None:
            self._estimate, self._question = None, None
            return
        question = (request.graph, request.choices, request.device, request.plan, times, self._kept)
        if question != self._question:
            self._estimate, self._question = estimate_run(request, [*times, *self._kept]), question

    def _own_times(self) -> list[EarlierTime]:
        times = (EarlierTime.of(result) for result in self._session.results)
        return [time for time in times if time is not None]

    def _forget(self) -> None:
        self._is_known = False
        self.changed.emit()
