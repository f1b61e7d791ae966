"""The source of weights chosen by the user: the file's column, all 1, or random."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.errors import ParameterError
from solvers.graphs import randomness
from solvers.graphs.readers.table import narrowed
from solvers.graphs.rows import slices

NAMED = ("metres", "seconds")  # weights of a file with several
_EXPECTED = "use “column”, “metres”, “seconds”, “unit” or “random:LOW:HIGH:SEED”, as in random:1:10:7"


@dataclass(frozen=True)
class Weighting:
    """A parsed choice of weights.

    Attributes
    ----------
    kind : str
        "column", "metres", "seconds", "unit" or "random".
    low, high : int or float
        Range of random weights; if both are integers, integers from the closed range are drawn.
    seed : int
    """

    kind: str
    low: int | float = 1
    high: int | float = 1
    seed: int = 0

    def describe(self) -> str:
        return f"random {self.low:g} to {self.high:g}, seed {self.seed}" if self.kind == "random" else "unit"

    def draw(self, count: int, checkpoint: Callable[[], None]) -> NDArray[Any]:
        """``count`` weights: int32 if they fit, else int64; float64 for a real range. The k-th is always the same."""
        if self.kind != "random":
            return np.ones(count, dtype=np.int32)
        whole = isinstance(self.low, int) and isinstance(self.high, int)
        fill = randomness.fill_whole if whole else randomness.fill_real
        weights: NDArray[Any] = np.empty(count, dtype=np.int64 if whole else np.float64)
        for begin, end in slices(count):
            fill(np.uint64(self.seed), begin, self.low, self.high, weights[begin:end])
            checkpoint()
        return narrowed(weights)


def parse_weighting(text: str) -> Weighting:
    """Parse ``"column"``, ``"metres"``, ``"seconds"``, ``"unit"`` or ``"random:LOW:HIGH:SEED"``.

    Raises
    ------
    ParameterError
        If the text has another form, or a number is out of range.
    """
    kind, *numbers = str(text).split(":")
    if kind in ("column", *NAMED, "unit") and not numbers:
        return Weighting(kind)
    if kind != "random" or len(numbers) != 3:
        raise ParameterError("Reading", "weights", text, _EXPECTED)
    try:
        low, high, seed = _number(numbers[0]), _number(numbers[1]), int(numbers[2])
    except ValueError:
        raise ParameterError("Reading", "weights", text, _EXPECTED) from None
    if not (0 <= seed < 2**64):
        raise ParameterError("Reading", "weights", text, "the seed must be from 0 to 2^64 - 1")
    if not (abs(low) < 2**62 and abs(high) < 2**62 and low <= high):
        raise ParameterError("Reading", "weights", text, "LOW must be no greater than HIGH, and both be below 2^62")
    return Weighting(kind, low, high, seed)


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)
