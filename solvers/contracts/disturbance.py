"""What may have falsified the times of a result."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class DisturbanceKind(Enum):
    """Kind of a disturbance; the values are used in CSV files."""

    LOAD = "load"
    OWN_WORK = "own_work"
    STEAL = "steal"
    THROTTLED = "throttled"
    SLOW_START = "slow_start"
    OUTLIERS = "outliers"
    SPREAD = "spread"
    SHORT = "short"
    NOT_A_GPU = "not_a_gpu"


@dataclass(frozen=True)
class Disturbance:
    """One reason to doubt the times of a result.

    Attributes
    ----------
    kind : DisturbanceKind
    words : str
        One sentence for the user, with the measured figure.
    """

    kind: DisturbanceKind
    words: str
