"""Who watches a run: asks it to stop, hears of its progress and, in traced runs, of every iteration.

Solvers call ``checkpoint()`` at least every 50 ms and ``iteration(...)`` once per pass, and otherwise know nothing of
windows, bars or files. Timed runs are given an observer whose ``watching`` is False; then a solver must do no work for
the picture's sake.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from solvers.errors import Cancelled


class CancelToken:
    """A flag that one thread raises and another looks at."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def cancel(self) -> None:
        self._event.set()

    @property
    def cancelled(self) -> bool:
        return self._event.is_set()

    def raise_if_cancelled(self, what: str = "The run") -> None:
        """Raise `Cancelled` once `cancel` was called."""
        if self._event.is_set():
            raise Cancelled(what)


class Observer:
    """Base observer: watches nothing, but passes on cancellation and progress.

    Parameters
    ----------
    cancel : CancelToken, optional
    on_progress : callable(done, total), optional
        Called with a fraction of the work; from the solver's thread.
    """

    watching = False
    wants_distances = False  # small graphs only: a solver that watches then gives the distances after every pass

    def __init__(self, cancel: CancelToken | None = None, on_progress: Callable[[float, float], None] | None = None):
        self._cancel = cancel
        self._on_progress = on_progress

    def checkpoint(self, done: float | None = None, total: float | None = None) -> None:
        """Raise `Cancelled` if asked to; report progress where it is known. Call it at least every 50 ms."""
        if self._cancel is not None:
            self._cancel.raise_if_cancelled()
        if self._on_progress is not None and done is not None and total:
            self._on_progress(done, total)

    def iteration(
        self,
        active: NDArray[Any],
        relaxed: int,
        improved: int,
        ms: float,
        distances: NDArray[Any] | None = None,
    ) -> None:
        """One pass is over (only called where ``watching``).

        Parameters
        ----------
        active : (k,) integers
            The vertices whose arcs were relaxed because their distance had fallen.
        relaxed, improved : int
            Arcs relaxed; vertices whose distance fell.
        ms : float
        distances : (n,) array of a distance type, optional
            As they stand after the pass; a solver gives them where ``wants_distances``, if it can. They are copied.
        """

    def iterations(
        self,
        offsets: NDArray[Any],
        vertices: NDArray[Any],
        relaxed: NDArray[Any],
        improved: NDArray[Any],
        ms: NDArray[Any],
        distances: NDArray[Any] | None = None,
    ) -> None:
        """Several passes in one call, for variants whose passes are too short to speak of one by one.

        Parameters
        ----------
        offsets : (k + 1,) integers
            Pass ``i``'s active vertices are ``vertices[offsets[i]:offsets[i + 1]]``.
        vertices : integers
        relaxed, improved : (k,) integers
        ms : (k,) floats
        distances : (k, n) array of a distance type, optional
            As they stand after each pass. A solver that knows them only after the last reports pass by pass where
            ``wants_distances``.
        """
        for i in range(len(offsets) - 1):
            active = vertices[offsets[i] : offsets[i + 1]]
            after = None if distances is None else distances[i]
            self.iteration(active, int(relaxed[i]), int(improved[i]), float(ms[i]), after)

    def matrix_step(self, step: int, phase: int, tiles: NDArray[Any], matrix: NDArray[Any] | None, ms: float) -> None:
        """One phase of an all-pairs step is over (only called where ``watching``).

        Parameters
        ----------
        step, phase : int
            Pivot step from 0, phase from 1 (1 where the algorithm has only one).
        tiles : (k, 4) integers
            Cell ranges (row0, row1, column0, column1) that the phase wrote.
        matrix : (n, n) array or None
            The matrix after the phase, where it is cheap to have.
        ms : float
        """


SILENT = Observer()
