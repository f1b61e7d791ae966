"""The request of a run, and the events that its caller receives while it is under way.

`MeasurementPlan` says how often a variant is run to measure its time: fixed counts, or
as many as the precision needs. `RunProgress` is the current stage as text, and the
fraction done. `find_device` selects the device for a run.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from solvers.core.requirements import require_vertices
from solvers.core.result import Result, Trial
from solvers.core.samples import LEAST_FOR_INTERVAL
from solvers.core.trace import DEFAULT_CAP_BYTES
from solvers.core.variant import Variant, add_provider
from solvers.devices import named_device, require_kind
from solvers.devices.device import Device
from solvers.errors import ParameterError
from solvers.graphs.graph import Graph
from solvers.parameters import require_whole
from solvers.system.feature import variant_sources
from solvers.text import plural

for _source in variant_sources():  # whose variants are for whoever runs some
    add_provider(_source.add_variants)

DEFAULT_TIME_LIMIT_S = 10.0

MOST_TRIALS = 200
"""The interval shrinks with the square root of the number of trials: 200 after 50 only halve it."""

LEAST_TRIALS = LEAST_FOR_INTERVAL

MOST_WARMUPS = 5
"""Caches, compilation and clock frequency settle within two or three runs; what varies
after five is noise.
"""

WARMUP_AGREEMENT = 0.05
LEAST_MEASURED_S = 0.1
"""The trials of a short solve cover at least this time, so that one interruption does
not fall on all of them.
"""


@dataclass(frozen=True)
class MeasurementPlan:
    """How many warm-ups and timed trials are made of each variant. Raises
    ParameterError if a value is out of range.
    """

    # untimed runs before the trials. None: until two in a row differ by at most 5 %, at most five
    warmups: int | None = None
    # timed runs. None: until the 95 % confidence intervals of the median solve and
    # total time are within ``precision`` of the median, at least six and at most
    # ``most_trials``. 0 for a traced run only
    trials: int | None = None
    most_trials: int = MOST_TRIALS  # at least 1; used if ``trials`` is None
    # after this time, not counting the first warm-up, neither a further warm-up nor a
    # further trial begins; one trial is made in any case. None: ten seconds if
    # ``trials`` is None, otherwise unlimited
    time_limit_s: float | None = None
    precision: float = 0.03  # half width of the interval divided by the median, above 0
    # keep the graph on the device between the trials of a variant, so that they copy
    # only the source there and the answer back. At least one warm-up is made, which
    # uploads it. Nothing changes for variants on the processor, nor for those that
    # overwrite the graph
    warm_graph: bool = False

    @property
    def is_measurement(self) -> bool:
        """Whether more is asked for than one answer; only then the load of the machine is
        read, which takes longer than a small graph.
        """
        return (self.warmups, self.trials) != (0, 1)

    def __post_init__(self) -> None:
        for name, value in (("warmup", self.warmups), ("trials", self.trials)):
            if value is not None:
                require_whole("run", name, value, 0)
        if self.most_trials < 1:
            raise ParameterError(
                "run", "most trials", self.most_trials, "at least one timed trial is needed"
            )
        if self.time_limit_s is not None and not self.time_limit_s > 0:
            raise ParameterError(
                "run", "time limit", self.time_limit_s, "it must be above 0 seconds"
            )
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


ADAPTIVE = MeasurementPlan()
"""Warm-ups and trials as needed: the default of the window and the command line."""


PROGRESS_INTERVAL_S = 0.05
FIRST_ANSWER_S = 0.25  # of measuring, after which the first answer is told


@dataclass(frozen=True)
class RunProgress:
    """How far a run has come."""

    variant: Variant  # the one being run
    stage: str  # for display: "trial 3 of 5"
    fraction: float  # of the whole run, 0 to 1


class StageProgress:
    """Converts the stage of one variant, and the progress in it, into the progress of
    the whole run.

    It is the one at ``position`` of so many ``variants``. ``shares`` are the lengths of
    its stages, in any unit.
    """

    def __init__(
        self,
        variant: Variant,
        position: int,
        variants: int,
        shares: Sequence[float],
        report: Callable[[RunProgress], None],
    ):
        self._variant = variant
        self._send = report
        self._start, self._end = position / variants, (position + 1) / variants
        whole = sum(shares)
        self._bounds = [
            self._start + done / whole / variants
            for done in itertools.accumulate(shares, initial=0.0)
        ]
        self._entered = -1
        self._text = ""
        self._span = (0.0, 1.0)
        self._last = -math.inf

    def stage(self, text: str) -> None:
        """Begin the next stage."""
        self._text = text
        self._entered += 1
        self._span = (0.0, 1.0)
        self._report(0.0)

    def part(self, text: str, begin: float, end: float) -> None:
        """Begin a part of this stage, from fraction ``begin`` to ``end``; reported at
        most every 50 ms.
        """
        self._text = text
        self._span = (begin, end)
        self.within(0.0, 1.0)

    def within(self, done: float, total: float) -> None:
        """Set the progress in this part; reported at most every 50 ms, which keeps the
        cost in timed runs low.
        """
        if time.perf_counter() - self._last >= PROGRESS_INTERVAL_S:
            self._report(min(1.0, done / total))

    def finished(self) -> None:
        """Report that the variant has ended, successfully or not."""
        self._send(RunProgress(self._variant, "finished", self._end))

    def _report(self, fraction: float) -> None:
        self._last = time.perf_counter()
        begin, end = self._bounds[self._entered : self._entered + 2]
        low, high = self._span
        done = begin + (low + fraction * (high - low)) * (end - begin)
        self._send(RunProgress(self._variant, self._text, min(1.0, done)))


class RunListener:
    """Receives the events of a run; every method does nothing here.

    All are called in the thread that advances the run, between solves, except
    ``progress``.
    """

    def measuring_begins(self, variant: Variant) -> None:
        """Called before the first warm-up; may block until nothing else works on this
        machine for this program.

        It may raise `Cancelled`.
        """

    def measuring_ends(self, variant: Variant) -> None:
        """Called after the last trial, also if the variant failed or was cancelled or skipped."""

    def trial_begins(self, variant: Variant, stage: str) -> None:
        """Called before each warm-up and trial; may block. ``stage`` names it for
        display: "trial 3 of 5".
        """

    def trial_finished(self, variant: Variant, trial: Trial) -> None:
        """Called after each warm-up and trial that ended well."""

    def answer_found(self, variant: Variant, judge: Callable[[], Result]) -> None:
        """Called once a variant, between two of its solves, if it is measured for
        longer than `FIRST_ANSWER_S`.

        ``judge()`` verifies the newest answer, and returns the result so far. The time
        that this call takes counts neither for the time limit nor for what happened on
        the machine.
        """

    def progress(self, progress: RunProgress) -> None:
        """Called for every stage and, also from inside a solve, at most every 50 ms."""


class RunFollower(RunListener):
    """A listener that results pass, too; see `solvers.running.run.followed_run`."""

    @property
    def keeps_trials(self) -> bool:
        """Whether all trials made so far will be found again."""
        return False

    def follow(self, results: Iterator[Result]) -> Iterator[Result]:
        """Pass the results of the run on, each as it is finished, in the run's thread."""
        return results

    def close(self) -> None:
        """Called when the run has ended in any way, also if it did not begin."""


class RunListeners(RunListener):
    """Passes every event on to several listeners, in order."""

    def __init__(self, *listeners: RunListener):
        self._listeners = listeners

    def measuring_begins(self, variant: Variant) -> None:
        for listener in self._listeners:
            listener.measuring_begins(variant)

    def measuring_ends(self, variant: Variant) -> None:
        for listener in self._listeners:
            listener.measuring_ends(variant)

    def trial_begins(self, variant: Variant, stage: str) -> None:
        for listener in self._listeners:
            listener.trial_begins(variant, stage)

    def trial_finished(self, variant: Variant, trial: Trial) -> None:
        for listener in self._listeners:
            listener.trial_finished(variant, trial)

    def answer_found(self, variant: Variant, judge: Callable[[], Result]) -> None:
        for listener in self._listeners:
            listener.answer_found(variant, judge)

    def progress(self, progress: RunProgress) -> None:
        for listener in self._listeners:
            listener.progress(progress)


def find_device(spec: str | Device | None, variants: Sequence[Variant]) -> Device | None:
    """The device for these variants; None if none of them uses a device, or "auto" finds
    none. A device stands for itself.

    Raises DeviceUnavailable if a device other than "auto" was requested and does not
    exist; ParameterError for what names none.
    """
    if isinstance(spec, str) and not any(v.runs_on.takes_device for v in variants):
        require_kind(spec)
        return None
    return named_device(spec)


@dataclass(frozen=True)
class Choice:
    """A variant to run, and the parameters that differ from its defaults."""

    variant: Variant
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class RunRequest:
    """What to run.

    Raises InputError if the graph has no vertices; ParameterError if a vertex is not in
    it, or neither a trial nor a traced run is asked for.
    """

    graph: Graph
    # vertex index; all-pairs variants solve without it, but need it for the path
    source: int | None
    target: int | None
    choices: tuple[Choice, ...]
    device: Device | None = None
    plan: MeasurementPlan = ADAPTIVE  # with no trials, only the traced run is made
    trace: bool = False  # whether one more run of each variant is made, traced
    verify: bool = True
    tree: bool = True  # whether predecessors are recovered where no path is asked for
    trace_cap_bytes: int = DEFAULT_CAP_BYTES

    def __post_init__(self) -> None:
        require_vertices(self.graph)
        for name, vertex in (("source", self.source), ("target", self.target)):
            if vertex is not None and not 0 <= vertex < self.graph.n:
                raise ParameterError(
                    "run",
                    name,
                    vertex,
                    f"the graph has {plural(self.graph.n, 'vertex', 'vertices')}",
                )
        if self.plan.trials == 0 and not self.trace:
            raise ParameterError("run", "trials", 0, "at least one timed trial is needed")
