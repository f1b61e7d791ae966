"""What the points of an experiment share, wherever they are measured: time limit of a trial, and source vertex."""

from __future__ import annotations

import threading

from solvers.core.variant import Variant
from solvers.experiments.grid import GraphChoice
from solvers.experiments.spec import Measuring
from solvers.graphs.graph import Graph
from solvers.graphs.labelled import LabelledGraph
from solvers.running.request import RunListener
from solvers.system.cancel import CancelToken

_LEAST_LIMIT_S = 20.0
_LIMIT_FACTOR = 5.0  # of the longest trial expected, as estimates are rough


def time_limit_s(measuring: Measuring) -> float:
    """After which a warm-up or trial is stopped."""
    return max(_LEAST_LIMIT_S, _LIMIT_FACTOR * measuring.longest_trial_s)


class TimeLimit(RunListener):
    """Skips a variant whose warm-up or trial takes far longer than any was expected to."""

    def __init__(self, cancel: CancelToken, seconds: float):
        self._cancel, self._seconds = cancel, seconds
        self._timer: threading.Timer | None = None

    def trial_begins(self, variant: Variant, stage: str) -> None:
        self._stop()
        self._timer = threading.Timer(self._seconds, self._cancel.skip)
        self._timer.daemon = True
        self._timer.start()

    def measuring_ends(self, variant: Variant) -> None:
        self._stop()

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def source_of(graph: Graph, choice: GraphChoice) -> int:
    """Index of the source vertex.

    Raises
    ------
    UnknownVertex
    """
    wanted = choice.spec.source
    if not wanted:
        return 0
    if isinstance(graph, LabelledGraph):
        return graph.vertex(wanted)
    return graph.vertex(int(wanted) if wanted.lstrip("-").isdigit() else wanted)
