"""How much of a frame is drawn before it is shown for the first time: a budget learnt from the slices before."""

from __future__ import annotations

FIRST_SLICE_PIXELS = 8e6  # line pixels of a slice until it is known how long one takes: some 60 ms of one core
SLICE_S = 0.04  # that a slice should take: what is panned then moves at some 20 pictures a second
_SLICE_RANGE = (1.5e6, 2.5e8)  # line pixels
_LEAST_TIMED = 5e5  # line pixels of a slice from which its time tells something


class SliceBudget:
    """How many line pixels make a slice, learnt from the slices before: by the machine and what else it has to do."""

    def __init__(self) -> None:
        self.pixels = FIRST_SLICE_PIXELS

    def learn(self, pixels: float, seconds: float) -> None:
        """So many were drawn in so much time."""
        if pixels >= _LEAST_TIMED:
            low, high = _SLICE_RANGE
            self.pixels = min(high, max(low, 0.5 * self.pixels + 0.5 * pixels * SLICE_S / max(seconds, 1e-6)))
