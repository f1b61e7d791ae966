"""Size of the slices in which a frame is drawn, adapted to the measured drawing speed."""

from __future__ import annotations

FIRST_SLICE_PIXELS = 8e6  # line pixels of a slice before any was timed
SLICE_S = 0.04  # target time of a slice, short enough for smooth panning
_SLICE_RANGE = (1.5e6, 2.5e8)  # line pixels
_LEAST_TIMED = 5e5  # line pixels of a slice below which its time is ignored as unreliable


class SliceBudget:
    """Number of line pixels per slice, as a moving average over the speed of earlier slices."""

    def __init__(self) -> None:
        self.pixels = FIRST_SLICE_PIXELS

    def learn(self, pixels: float, seconds: float) -> None:
        """Record that ``pixels`` line pixels were drawn in ``seconds``."""
        if pixels >= _LEAST_TIMED:
            low, high = _SLICE_RANGE
            self.pixels = min(high, max(low, 0.5 * self.pixels + 0.5 * pixels * SLICE_S / max(seconds, 1e-6)))
