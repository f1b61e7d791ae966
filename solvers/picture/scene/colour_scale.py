"""Range of values that the shades of a ramp stand for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvers.system.array_types import Float64s

# Values beyond these shares may have the colours of the ends, where a few of them would
# leave less than this share of the ramp to all others.
_SHARES = (0.02, 0.98)
_LEAST_OF_RAMP = 0.5
_ROUNDING = 1e-12  # of the greatest value


def without_rounding(value: float, greatest: float) -> float:
    """``value``, or 0 if sums of numbers like ``greatest`` are no more exact than that."""
    return 0.0 if abs(value) < _ROUNDING * abs(greatest) else value


@dataclass(frozen=True)
class ColourScale:
    """Values of the first and the last shade, and whether some lie beyond them."""

    low: float
    high: float
    clips_low: bool = False
    clips_high: bool = False

    @classmethod
    def of(cls, low: float, high: float, sample: Float64s) -> ColourScale:
        """The scale of values from ``low`` to ``high``, of which ``sample`` are some.

        It reaches from the least to the greatest, unless outliers would make all other
        values look alike.
        """
        low = without_rounding(low, high)
        if len(sample) == 0:
            return cls(low, high)
        first, last = map(float, np.quantile(sample, _SHARES))
        if not first < last or last - first >= _LEAST_OF_RAMP * (high - low):
            return cls(low, high)
        return cls(first, last, first > low, last < high)

    def ends(self, low: str, high: str) -> tuple[str, str]:
        """Words for the ends, with signs where values lie beyond them."""
        below, above = "\N{LESS-THAN OR EQUAL TO} ", "\N{GREATER-THAN OR EQUAL TO} "
        return f"{below * self.clips_low}{low}", f"{above * self.clips_high}{high}"
