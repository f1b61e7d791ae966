"""How often a variant is run to measure its time: fixed counts, or as often as the precision asks for."""

from __future__ import annotations

import math
from dataclasses import dataclass

from solvers.contracts.sample_statistics import LEAST_FOR_INTERVAL
from solvers.errors import ParameterError

DEFAULT_TIME_LIMIT_S = 10.0

MOST_TRIALS = 200
"""The interval shrinks with the square root of the number of trials: 200 after 50 only halve it."""

LEAST_TRIALS = LEAST_FOR_INTERVAL

MOST_WARMUPS = 5
"""Caches, compilation and clock frequency settle within two or three runs; what varies after five is noise."""

WARMUP_AGREEMENT = 0.05
LEAST_MEASURED_S = 0.1
"""The trials of a short solve cover at least this time, so that one interruption does not fall on all of them."""


@dataclass(frozen=True)
class MeasurementPlan:
    """How many warm-ups and timed trials are made of each variant.

    Attributes
    ----------
    warmups : int or None
        Untimed runs before the trials. None: until two in a row differ by at most 5 %, at most five.
    trials : int or None
        Timed runs. None: until the 95 % confidence intervals of the median solve and total time are within
        ``precision`` of the median, at least six and at most ``most_trials``. 0 for a traced run only.
    most_trials : int
        At least 1; used if ``trials`` is None.
    time_limit_s : float or None
        After this time, not counting the first warm-up, neither a further warm-up nor a further trial begins; one trial
        is made in any case. None: ten seconds if ``trials`` is None, otherwise unlimited.
    precision : float
        Half width of the interval divided by the median, above 0.
    warm_graph : bool
        Keep the graph on the device between the trials of a variant, so that they copy only the source there and the
        answer back. At least one warm-up is made, which uploads it. Nothing changes for variants on the processor, nor
        for those that overwrite the graph.

    Raises
    ------
    ParameterError
        If a value is out of range.
    """

    warmups: int | None = None
    trials: int | None = None
    most_trials: int = MOST_TRIALS
    time_limit_s: float | None = None
    precision: float = 0.03
    warm_graph: bool = False

    def __post_init__(self) -> None:
        for name, value, least in (("warmup", self.warmups, 0), ("trials", self.trials, 0)):
            if value is not None and value < least:
                raise ParameterError("run", name, value, "it cannot be negative")
        if self.most_trials < 1:
            raise ParameterError("run", "most trials", self.most_trials, "at least one timed trial is needed")
        if self.time_limit_s is not None and not self.time_limit_s > 0:
            raise ParameterError("run", "time limit", self.time_limit_s, "it must be above 0 seconds")
        if not 0 < self.precision < 1:
            raise ParameterError("run", "precision", self.precision, "it must lie between 0 and 1")

    @property
    def limit_s(self) -> float:
        """The time limit in effect; inf if there is none."""
        if self.time_limit_s is not None:
            return self.time_limit_s
        return DEFAULT_TIME_LIMIT_S if self.trials is None else math.inf

    @property
    def most(self) -> int:
        """The number of trials that is not exceeded."""
        return self.most_trials if self.trials is None else self.trials


TRACE_ONLY = MeasurementPlan(warmups=0, trials=0)
"""No timed trials: only the traced run is made."""

ADAPTIVE = MeasurementPlan()
"""Warm-ups and trials as needed: the default of the window and the command line."""
