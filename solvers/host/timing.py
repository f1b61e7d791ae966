"""Phases of a run and their measured durations in milliseconds."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass
class Phases:
    """Durations of a trial's phases in ms. ``total`` is their sum; kernel compilation is excluded.

    Attributes
    ----------
    prepare : float
        Building the algorithm's data structures (matrix, reverse graph, device allocations).
    h2d, d2h : float
        Copies from host to device, and from device to host.
    solve : float
        The algorithm itself: measured by device events on a GPU, by the host's clock elsewhere.
    """

    prepare: float = 0.0
    h2d: float = 0.0
    solve: float = 0.0
    d2h: float = 0.0

    @property
    def total(self) -> float:
        return self.prepare + self.h2d + self.solve + self.d2h

    @contextmanager
    def measure(self, phase: str) -> Iterator[None]:
        """Add the host time of the ``with`` block to ``phase``, also if the block raises."""
        start = time.perf_counter()
        try:
            yield
        finally:
            setattr(self, phase, getattr(self, phase) + (time.perf_counter() - start) * 1e3)
