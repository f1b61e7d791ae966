"""What a run has found so far: in this run, or, before it was interrupted, in its state file."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.algorithms.row_summaries import RowSummaries
from solvers.graphs.weights import WeightType
from solvers.running.all_sources.histogram import Histogram
from solvers.running.all_sources.proofs import RowProofs
from solvers.running.all_sources.request import AllSourcesRequest
from solvers.running.all_sources.state_file import SourceRange, StateFile
from solvers.version import __version__


class FoundParts:
    """Collects the parts of a run.

    Parameters
    ----------
    request : AllSourcesRequest
    sum_type : dtype
        Of the sums of distances.

    Attributes
    ----------
    summaries : RowSummaries
    finished : (request.count,) bool
    """

    def __init__(self, request: AllSourcesRequest, sum_type: np.dtype[Any]):
        kind = request.searched.distance_type
        self._request, self._kind, self._sum_type = request, kind, sum_type
        self.summaries = RowSummaries.empty(request.count, kind, sum_type)
        self.finished = np.zeros(request.count, np.bool_)
        self._counts: NDArray[np.int64] = np.zeros(request.bins.count if request.bins else 0, np.int64)

    @property
    def count(self) -> int:
        """Number of finished sources."""
        return int(self.finished.sum())

    @property
    def histogram(self) -> Histogram | None:
        """Without the distances of sources to themselves, which are 0; None if none was asked for."""
        if self._request.bins is None:
            return None
        pairs = self._counts.copy()
        pairs[0] -= self.count
        return Histogram(self._request.bins, pairs)

    def put(self, done: SourceRange) -> None:
        """Take over a finished part, which was not finished before."""
        chosen = slice(done.first, done.last)
        self.summaries.put(chosen, done.summaries)
        self.finished[chosen] = True
        self._counts += done.counts

    def resume(
        self, engine: str, proofs: RowProofs, usable: NDArray[np.bool_] | None = None
    ) -> tuple[StateFile | None, str]:
        """The state file that the request names, its parts taken over, and why some of it is not used.

        Parameters
        ----------
        engine : str
        proofs : RowProofs
            Told how many rows were proved before.
        usable : (request.count,) bool, optional
            Sources of which all else that a run keeps is there; parts with others are computed again.

        Raises
        ------
        InputError, FileNotWritten
        """
        request = self._request
        if request.state is None:
            return None, ""
        key, bins = state_key(request, engine, self._kind, self._sum_type), len(self._counts)
        state = StateFile(request.state, key, request.count, self._kind, self._sum_type, bins)
        kept, problem = state.open()
        kept = [done for done in kept if usable is None or usable[done.first : done.last].all()]
        for done in kept:
            self.put(done)
        proofs.earlier = len(kept)
        return state, problem


def state_key(request: AllSourcesRequest, engine: str, kind: WeightType, sum_type: np.dtype[Any]) -> dict[str, Any]:
    """The key of a state file: what determines the numbers.

    The reductions are computed from the same four arrays, so they are no part of it.
    """
    key = {
        "graph": request.graph.sha256,
        "direction": request.direction.value,
        "budget": request.budget,
        "engine": engine,
        "types": [kind.name, sum_type.name],
        "version": __version__,
    }
    if request.sources_key:
        key["sources"] = request.sources_key
    if request.bins is not None:
        key["bins"] = request.bins.text
    return key
