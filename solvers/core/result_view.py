"""What every face says of a result: its outcome, whether its answer is proved, its time,
how far that can be trusted, and how it compares with another.

Window, command line, pages, reports, claims and tables of runs show these words and
figures; none of them decides on its own.

Rule of comparison: two medians differ if the interval of their ratio leaves out 1. It is
the 95 % confidence interval of the ratio where both have five trials or more and nothing
disturbed them. Otherwise it reaches from the least to the greatest ratio of the widened
intervals of the two medians (`TimedSample`), so that they differ if those do not overlap:

* of disturbed times, the interval contains the quartiles. Where others worked on the
  machine, its lower end is divided by what that may have cost: one core's time for each
  core that other programs kept busy, and a factor of two where this is not known;
* of fewer than five trials, both ends are widened by what a single time of that kind may
  differ from its median: a factor of two on a processor, of 1.5 on a GPU.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from solvers.core.result import Disturbance, DisturbanceKind, Measured, Result, Status, Verdict
from solvers.core.samples import Ratio, TimedSample, median_interval, ratio_of_medians
from solvers.core.trace import ActivityTrace
from solvers.core.variant import Answers
from solvers.text import format_count, format_duration, format_ratio, grouped, plural

NOTHING = "–"
"""Stands where a figure is not known."""

PROCESSOR_VARIATION, GPU_VARIATION = 2.0, 1.5
"""Factors within which 95 of 100 single times lie around their median on a quiet machine,
rounded up; see ``tests/benchmarks/single_trials.py``.
"""

_UNKNOWN_SLOWDOWN = 2.0
_WIDE = 4.0  # an interval whose ends differ by more: a factor of two to either side
_BY_OTHERS = {
    DisturbanceKind.LOAD,
    DisturbanceKind.OWN_WORK,
    DisturbanceKind.STEAL,
    DisturbanceKind.THROTTLED,
}

OUTCOMES: dict[Status | None, str] = {
    None: "interrupted",  # the run was killed, or is not finished
    Status.OK: "",
    Status.CANCELLED: "cancelled",
    Status.SKIPPED: "skipped",
    Status.TIMED_OUT: "timed out",
    Status.OUT_OF_MEMORY: "out of memory",
    Status.NEGATIVE_CYCLE: "negative cycle",
    Status.NOT_APPLICABLE: "not applicable",
    Status.ERROR: "failed",
}


class Proof(Enum):
    """What the verification says of an answer, in words for people."""

    PROVED = "proved"
    SAMPLED = "sampled rows proved"
    WRONG = "wrong"
    UNCHECKED = "not verified"
    NO_ANSWER = ""

    @classmethod
    def of(cls, status: Status | None, verdict: Verdict | None) -> Proof:
        if verdict is None:
            return cls.UNCHECKED if status is Status.OK else cls.NO_ANSWER
        if not verdict.verified:
            return cls.WRONG
        return cls.SAMPLED if verdict.sampled else cls.PROVED


@dataclass(frozen=True, eq=False)
class ResultView:
    """A result as it is shown, by one of its times: "total" or "solve"."""

    measured: Measured
    phase: str = "total"

    @property
    def chosen(self) -> str:
        """Id of the variant that an automatic one chose; "" for others."""
        chosen, was_chosen, _ = self.measured.note.partition(" was chosen: ")
        return chosen if was_chosen else ""

    def remark(self, *more: str) -> str:
        """What is said behind the variant's name: " (dijkstra-heap, warm graph)"; "" if
        nothing is.
        """
        warm = "warm graph" if self.measured.has_warm_graph else ""
        words = tuple(filter(None, (self.chosen, warm, *more)))
        return f" ({', '.join(words)})" if words else ""

    @property
    def outcome(self) -> str:
        """Why there is no answer: "cancelled", "out of memory"; "" if there is one."""
        return OUTCOMES[self.measured.status]

    @property
    def has_early_times(self) -> bool:
        """Whether a variant that was skipped or cancelled had timed trials before."""
        ended = (Status.CANCELLED, Status.SKIPPED, Status.TIMED_OUT, None)
        return self.measured.status in ended and self.sample is not None

    @property
    def proof(self) -> Proof:
        return Proof.of(self.measured.status, self.measured.verdict)

    @property
    def is_right(self) -> bool:
        """Whether there is an answer that was not found wrong."""
        return self.measured.status is Status.OK and self.proof is not Proof.WRONG

    @property
    def proof_cell(self) -> str:
        """For a column "proved": "yes", "sampled, 12 rows", "no: 3 wrong", "not run", or the
        outcome.
        """
        verdict = self.measured.verdict
        if self.measured.status is not Status.OK:
            return self.outcome
        if verdict is None:
            return "not run"
        return (
            verdict.answer
            if verdict.verified
            else f"no: {format_count(verdict.wrong_vertices)} wrong"
        )

    @property
    def proof_text(self) -> str:
        """What the verification found, as half a sentence; "" without an answer."""
        verdict = self.measured.verdict
        if verdict is None:
            return self.proof.value
        words = verdict.text.rstrip(".")
        words = words[:1].lower() + words[1:]
        if verdict.verified:
            return f"{verdict.answer if verdict.sampled else 'verified'}: {words}"
        return f"wrong at {plural(verdict.wrong_vertices, 'entry', 'entries')}: {words}"

    @cached_property
    def disturbances(self) -> tuple[Disturbance, ...]:
        """What may have falsified the times. That kernels ran on a processor is none: it is
        a property of the device.
        """
        return tuple(
            one for one in self.measured.disturbances if one.kind is not DisturbanceKind.NOT_A_GPU
        )

    @property
    def on_gpu(self) -> bool:
        """Whether its kernels ran on a GPU, not on a processor through OpenCL."""
        return bool(self.measured.device_name) and not any(
            one.kind is DisturbanceKind.NOT_A_GPU for one in self.measured.disturbances
        )

    @cached_property
    def sample(self) -> TimedSample | None:
        """Its timed trials; None if there are none."""
        if not (times := self.measured.times(self.phase)):
            return None
        return TimedSample(
            tuple(times),
            GPU_VARIATION if self.on_gpu else PROCESSOR_VARIATION,
            self._slowdown,
            bool(self.disturbances),
        )

    @property
    def median(self) -> float | None:
        """Of the timed trials, in ms."""
        return None if self.sample is None else self.sample.median

    @property
    def median_text(self) -> str:
        return NOTHING if self.median is None else format_duration(self.median)

    @property
    def trials(self) -> int:
        """Number of timed trials."""
        return 0 if self.sample is None else len(self.sample.times)

    @property
    def preparation_ms(self) -> float | None:
        """The longest preparation of a trial or warm-up: of a hierarchy or partition that
        was made in this run, its whole time; None without trials.
        """
        ended_well = (one for one in self.measured.trials if one.status is Status.OK)
        return max((one.phases.prepare for one in ended_well), default=None)

    @property
    def range_text(self) -> str:
        """The least and the greatest time."""
        if self.sample is None:
            return NOTHING
        return range_text(min(self.sample.times), max(self.sample.times))

    @property
    def interval_text(self) -> str:
        """The 95 % confidence interval of the median; fewer than six trials have none."""
        interval = None if self.sample is None else median_interval(self.sample.times)
        return NOTHING if interval is None else range_text(*interval)

    @property
    def doubt(self) -> str:
        """Why its time is less certain than its trials say: "times disturbed"; or ""."""
        return "times disturbed" if self.disturbances and self.sample is not None else ""

    @property
    def _slowdown(self) -> float:
        kinds = {one.kind for one in self.disturbances} & _BY_OTHERS
        if not kinds:
            return 1.0
        load = self.measured.load
        if kinds == {DisturbanceKind.LOAD} and load is not None:
            return 1.0 + load
        return _UNKNOWN_SLOWDOWN


def first_right(results: Sequence[Result]) -> Result | None:
    """The first right answer with times, which the others are compared with; None if there
    is none.
    """
    return next((one for one in results if ResultView(one).is_right and one.times()), None)


def newest_run(results: Sequence[Result]) -> str:
    """Id of the run of the newest result with times; those of other runs are older, and not
    compared with its results. "" without results.
    """
    timed = [one for one in results if one.times()] or results
    # of runs within a millisecond the last: two small graphs are solved in one
    return max(reversed(timed), key=lambda one: one.timestamp_utc).run_id if timed else ""


def iterations_cell(result: Result) -> str:
    """Iterations of the timed runs and, if it differs, of the watched one: "5 (90 watched)"."""
    timed = NOTHING if result.iterations is None else format_count(result.iterations)
    return f"{timed}{watched_remark(result)}"


def watched_remark(result: Result) -> str:
    """ " (90 watched)" where the watched run took another number of iterations than the
    timed ones, as racing threads may; else "".
    """
    watched = played_iterations(result)
    if watched is None or watched == result.iterations:
        return ""
    return f" ({format_count(watched)} watched)"


def played_iterations(result: Result) -> int | None:
    """Iterations of the watched run, which is what is played; None if nothing is."""
    trace = result.trace
    return trace.iterations if isinstance(trace, ActivityTrace) and len(trace) else None


def range_text(low_ms: float, high_ms: float) -> str:
    return f"{format_duration(low_ms)} – {format_duration(high_ms)}"


def obstacle(
    result: Result, baseline: Result, phase: str = "total", *, across_runs: bool = False
) -> str:
    """Why the times of two results say nothing of each other: "another run"; "" if they do.

    With ``across_runs``, results of several runs may be compared, as in an experiment.
    """
    # hashing a large graph takes longer than the window's thread may
    same_graph = result.graph is baseline.graph or result.graph.sha256 == baseline.graph.sha256
    if not same_graph:
        return "another graph"
    if result.variant.answers is not baseline.variant.answers:
        return "another problem"
    if result.variant.answers is not Answers.APSP and result.source != baseline.source:
        return "another source"
    if result.variant.answers is Answers.TARGET and result.target != baseline.target:
        return "another target"
    if result.run_id != baseline.run_id and not across_runs:
        return "another run"
    if not (ResultView(result).is_right and ResultView(baseline).is_right):
        return "no right answer"
    if phase == "total" and _copy_differently(result, baseline):
        return "other copies"
    return ""


def speed_up(result: Result, baseline: Result | None, phase: str = "total") -> Ratio | None:
    """The baseline's median time divided by that of the result, whose interval tells
    whether it differs from 1.

    None without times of both, and where something stands against a comparison. The
    baseline itself is exactly 1.
    """
    if baseline is None or obstacle(result, baseline, phase):
        return None
    own, other = ResultView(result, phase).sample, ResultView(baseline, phase).sample
    if own is None or other is None:
        return None
    return Ratio(1.0, 1.0, 1.0) if result is baseline else ratio_of_medians(own, other)


def interval_of_ratio(ratio: Ratio) -> str:
    """ "60.0 – 110×"; "" where it has no width."""
    if ratio.low == ratio.high:
        return ""
    return f"{format_ratio(ratio.low)} – {format_ratio(ratio.high)}"


def faster_words(ratio: Ratio) -> str:
    """How much faster something is, by a ratio above 1: "82 times faster (60 to 110)",
    "24 % faster (20 to 29)"; of a wide interval its lower bound first, "at least 23 times
    faster (131 measured, up to 1,154)".
    """
    percent = ratio.high < 2.0
    shown = _percent if percent else _times
    value, low, high = map(shown, (ratio.value, ratio.low, ratio.high))
    if ratio.high > _WIDE * ratio.low:
        return f"at least {low} times faster ({value} measured, up to {high})"
    interval = "" if low == value == high else f" ({low} to {high})"
    return f"{value} {'%' if percent else 'times'} faster{interval}"


def _percent(ratio: float) -> str:
    return f"{100 * (ratio - 1):.0f}"


def _times(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio < 10.0 else grouped(ratio, ".0f")


def _copy_differently(first: Result, second: Result) -> bool:
    """Whether both ran on a device, and the graph stayed there for one of them only: then
    their total times contain copies of different things.
    """
    both_copy = _ran_on_device(first) and _ran_on_device(second)
    return both_copy and first.has_warm_graph != second.has_warm_graph


def _ran_on_device(result: Result) -> bool:
    """Whether a device was used: an automatic variant may have chosen one that runs on
    the processor.
    """
    return bool(result.device_name) and (
        result.variant.runs_on.needs_device or result.peak_device_bytes > 0
    )
