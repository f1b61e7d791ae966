"""The rows of the timing and phases charts, computed from results. No pyqtgraph."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from gui.style.text import short_title
from solvers.core.result import Result, Status, Trial
from solvers.core.result_view import Proof, ResultView, newest_run, obstacle
from solvers.core.variant import Variant
from solvers.text import format_duration, format_ratio, plural

PHASES = ("prepare", "h2d", "solve", "d2h")
PHASE_WORDS = {
    "prepare": "Prepare",
    "h2d": "Copy to device",
    "solve": "Solve",
    "d2h": "Copy back",
}


@dataclass(frozen=True)
class TimingRow:
    """Trials of one variant: times in milliseconds, or speed-ups over the baseline.

    The titles say where an answer is wrong or was verified on sampled rows only, and
    where the graph stayed on the device.
    """

    variant_id: str
    title: str
    short_title: str
    samples: tuple[float, ...]  # one value per timed trial
    is_ratio: bool = False
    # 95 % confidence interval of the median, in the unit of the samples
    interval: tuple[float, float] | None = None
    disturbances: tuple[str, ...] = ()  # reasons to doubt the times, one sentence each

    @property
    def median(self) -> float:
        return statistics.median(self.samples)

    @property
    def low(self) -> float:
        return min(self.samples)

    @property
    def high(self) -> float:
        return max(self.samples)

    @property
    def median_text(self) -> str:
        return format_ratio(self.median) if self.is_ratio else format_duration(self.median)

    @property
    def words(self) -> str:
        """Tooltip: title, id, median, range, number of trials."""
        write = format_ratio if self.is_ratio else format_duration
        spread = (
            f"min {write(self.low)}, max {write(self.high)}, {plural(len(self.samples), 'trial')}"
        )
        lines = [f"{self.title}  ({self.variant_id})", f"median {self.median_text}", spread]
        if self.interval is not None:
            lines.append("95 % confidence interval {} to {}".format(*map(write, self.interval)))
        return "\n".join([*lines, *self.disturbances])


@dataclass(frozen=True)
class PhaseRow:
    """Times of one variant's median trial, in milliseconds, by `PHASES`; titles as of
    `TimingRow`.
    """

    variant_id: str
    title: str
    short_title: str
    parts: tuple[float, ...]

    @property
    def total(self) -> float:
        return sum(self.parts)

    @property
    def words(self) -> str:
        lines = [
            f"{PHASE_WORDS[phase]}: {format_duration(ms)}"
            for phase, ms in zip(PHASES, self.parts, strict=True)
            if ms > 0
        ]
        head = (
            f"{self.title}  ({self.variant_id})\n"
            f"{format_duration(self.total)} in total (trial with the median total)"
        )
        return "\n".join([head, *lines])


def timing_rows(
    results: Sequence[Result], phase: str, baseline: Result | None = None, *, speed_up: bool = False
) -> tuple[TimingRow, ...]:
    """One row per result with times of a phase ("total" or "solve"), best first.

    With ``speed_up``, the baseline's median is divided by each sample; there are no
    rows if the baseline has no times, and none for results that are not comparable with
    it.
    """
    reference = baseline.median(phase) if baseline is not None else None
    if speed_up and not reference:
        return ()
    rows, newest = [], newest_run(results)
    for result in results:
        times = [ms for ms in result.times(phase) if ms > 0]
        if speed_up and (baseline is None or obstacle(result, baseline, phase)):
            continue
        if times:
            as_ratio = reference if speed_up else None
            rows.append(_timing_row(result, phase, times, as_ratio, result.run_id != newest))
    return tuple(sorted(rows, key=lambda row: row.median, reverse=speed_up))


def with_live_row(
    rows: Sequence[TimingRow],
    variant: Variant,
    trials: Sequence[Trial],
    phase: str,
    reference: float | None = None,
) -> tuple[TimingRow, ...]:
    """``rows`` with the timed trials so far of the variant being run, in place of its
    earlier row and last.

    ``reference`` is the time in milliseconds that speed-ups are relative to; times are
    shown without it.
    """
    others = tuple(row for row in rows if row.variant_id != variant.id)
    times = [
        float(getattr(t.phases, phase)) for t in trials if not t.is_warmup and t.status is Status.OK
    ]
    samples = tuple(ms if reference is None else reference / ms for ms in times if ms > 0)
    if not samples:
        return tuple(rows)
    titles = f"{variant.full_title} (running)", f"{short_title(variant)} …"
    return (*others, TimingRow(variant.id, *titles, samples, reference is not None))


def _timing_row(
    result: Result, phase: str, times: Sequence[float], reference: float | None, is_older: bool
) -> TimingRow:
    """Row of times or, with a reference, of its ratios to them."""
    view = ResultView(result, phase)
    interval = result.confidence(phase)
    samples = tuple(times)
    if reference is not None:
        samples = tuple(reference / ms for ms in times)
        interval = (
            None
            if interval is None or not interval[0]
            else (reference / interval[1], reference / interval[0])
        )
    words = tuple(disturbance.words for disturbance in view.disturbances)
    return TimingRow(*_names(result, is_older), samples, reference is not None, interval, words)


def phase_rows(results: Sequence[Result]) -> tuple[PhaseRow, ...]:
    """One row per result with times, fastest first; uses the trial with the median
    total, so that phases add up.
    """
    rows, newest = [], newest_run(results)
    for result in results:
        trials = [t for t in result.trials if not t.is_warmup and t.status is Status.OK]
        if trials:
            names = _names(result, result.run_id != newest)
            rows.append(PhaseRow(*names, _parts(_middle(trials))))
    return tuple(sorted(rows, key=lambda row: row.total))


def _names(result: Result, is_older: bool) -> tuple[str, str, str]:
    """Id, title and short title, with remarks on what was chosen, a warm graph, and an
    answer that is not proved as a whole.
    """
    view = ResultView(result)
    words = {Proof.WRONG: "wrong", Proof.SAMPLED: view.proof_cell}
    remark = view.remark(words.get(view.proof, ""), "earlier run" if is_older else "")
    return (
        result.variant.id,
        f"{result.variant.full_title}{remark}",
        f"{short_title(result.variant)}{remark}",
    )


def _middle(trials: Sequence[Trial]) -> Trial:
    return sorted(trials, key=lambda t: t.phases.total)[(len(trials) - 1) // 2]


def _parts(trial: Trial) -> tuple[float, ...]:
    return tuple(float(getattr(trial.phases, phase)) for phase in PHASES)
