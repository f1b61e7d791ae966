"""Rows of the results table: texts, bar and order of each column, computed from results
and the run's state.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, IntEnum
from functools import partial
from typing import Any

from gui.style.text import TimeUnit, align_decimals, in_unit
from solvers.core.result import Result, Status, Trial
from solvers.core.result_view import (
    NOTHING,
    Proof,
    ResultView,
    iterations_cell,
    newest_run,
    speed_up,
    watched_remark,
)
from solvers.core.variant import Algorithm, Variant, find_variant
from solvers.text import capitalised, format_count, format_duration, format_ratio, plural

TICK, CROSS, SAMPLED = "✓", "✗", "sampled"


class Column(IntEnum):
    VARIANT = 0
    BAR = 1
    MEDIAN = 2
    SPEED_UP = 3
    VERIFIED = 4
    RANGE = 5
    ITERATIONS = 6
    RELAXATIONS = 7


class RowState(Enum):
    """Whether a row is final: QUEUED and RUNNING rows may show the figures of an earlier run."""

    DONE = "done"
    RUNNING = "running"
    QUEUED = "queued"


@dataclass(frozen=True)
class TimeBar:
    """Median with its whisker, in ms."""

    low: float
    median: float
    high: float

    @classmethod
    def of(cls, times: Sequence[float]) -> TimeBar | None:
        return cls(min(times), statistics.median(times), max(times)) if times else None


@dataclass(frozen=True)
class ResultRow:
    """One variant, formatted for display; without a result it waits or runs for the first time."""

    variant: Variant
    result: Result | None
    state: RowState
    bar: TimeBar | None  # of the result or, while the variant runs, of its trials so far
    texts: tuple[str, ...]  # one per `Column`, padded so that decimal points align
    outcome: str  # "", or the text shown in place of the figures: "failed: ...", "queued"
    order: tuple[float | str | None, ...]  # sorting key of each column; None without a value
    is_older: bool = False  # of an earlier run, which is not compared with the newest

    @property
    def forms_of_outcome(self) -> tuple[str, ...]:
        """The outcome from whole to short: its reason alone, without the instance, and the kind."""
        kind, _, reason = self.outcome.partition(": ")
        return (self.outcome, *filter(None, (reason, re.split("[,;] ", reason)[0])), kind)

    @property
    def is_refused(self) -> bool:
        """Whether the variant does not apply to this problem or machine."""
        return self.result is not None and self.result.status is Status.NOT_APPLICABLE

    @property
    def is_disturbed(self) -> bool:
        """Whether there are reasons to doubt the time shown."""
        return (
            self.result is not None
            and bool(ResultView(self.result).disturbances)
            and not self.outcome
        )


def make_rows(
    results: Sequence[Result],
    baseline: Result | None,
    phase: str,
    unit: TimeUnit,
    queued: Sequence[str] = (),
    running: str | None = None,
    live_trials: Sequence[Trial] = (),
) -> tuple[ResultRow, ...]:
    """One row per result in order of arrival, then those of the variants that run or wait,
    then those of earlier runs.
    """
    newest = newest_run(results)
    known = {result.variant.id: result for result in results}
    waiting = [variant_id for variant_id in (running, *queued) if variant_id is not None]
    ids = [*known, *(variant_id for variant_id in waiting if variant_id not in known)]
    rows = []
    for variant_id in ids:
        result = known.get(variant_id)
        if variant_id == running:
            rows.append(_running_row(find_variant(variant_id), result, live_trials, phase, unit))
        elif result is None:
            rows.append(_plain_row(find_variant(variant_id), None, RowState.QUEUED, "queued"))
        else:
            state = RowState.QUEUED if variant_id in queued else RowState.DONE
            row = _result_row(result, baseline, phase, unit, state)
            is_older = state is RowState.DONE and result.run_id != newest
            rows.append(replace(row, is_older=is_older))
    return _aligned(sorted(rows, key=lambda row: row.is_older))


def in_order(rows: Sequence[ResultRow], column: int, descending: bool) -> tuple[ResultRow, ...]:
    """Rows sorted by a column, those without a value last, and those of earlier runs behind
    them; a negative column keeps the order of arrival.
    """
    if column < 0:
        return tuple(rows)
    valued = [row for row in rows if row.order[column] is not None]
    rest = [row for row in rows if row.order[column] is None]
    arranged = [*sorted(valued, key=partial(_key, column), reverse=descending), *rest]
    return tuple(sorted(arranged, key=lambda row: row.is_older))


def _key(column: int, row: ResultRow) -> Any:
    """Any, as a column has numbers alone or words alone, so that its keys can be compared."""
    return row.order[column]


def _plain_row(variant: Variant, result: Result | None, state: RowState, outcome: str) -> ResultRow:
    """A row with a text in place of the figures."""
    texts = (variant.full_title, *[""] * (len(Column) - 1))
    order = (variant.full_title.lower(), *[None] * (len(Column) - 1))
    return ResultRow(variant, result, state, None, texts, outcome, order)


def _running_row(
    variant: Variant, result: Result | None, trials: Sequence[Trial], phase: str, unit: TimeUnit
) -> ResultRow:
    times = [getattr(t.phases, phase) for t in trials if not t.is_warmup and t.status is Status.OK]
    bar = TimeBar.of(times)
    if bar is None:
        return _plain_row(variant, result, RowState.RUNNING, "warming up" if trials else "running")
    row = _plain_row(variant, result, RowState.RUNNING, "")
    texts = [*row.texts]
    texts[Column.MEDIAN] = in_unit(bar.median, unit)
    texts[Column.SPEED_UP] = plural(len(times), "trial")
    texts[Column.VERIFIED] = "…"
    return replace(row, bar=bar, texts=tuple(texts))


def _result_row(
    result: Result, baseline: Result | None, phase: str, unit: TimeUnit, state: RowState
) -> ResultRow:
    bar = TimeBar.of(result.times(phase))
    view = ResultView(result, phase)
    if result.status is not Status.OK and not view.has_early_times:
        outcome = view.outcome
        if result.status is Status.NOT_APPLICABLE:
            outcome = f"{outcome}: {reason_of(result)}"
        return _plain_row(result.variant, result, state, outcome)
    up = speed_up(result, baseline, phase)
    title = result.variant.full_title
    mark = verdict_mark(result)
    texts = (
        title,
        "",
        NOTHING if bar is None else in_unit(bar.median, unit),
        NOTHING if up is None else format_ratio(up.value).removesuffix("×"),
        mark,
        NOTHING if bar is None else f"{in_unit(bar.low, unit)} – {in_unit(bar.high, unit)}",
        iterations_cell(result),
        _count(result.relaxations),
    )
    median = None if bar is None else bar.median
    spread = None if bar is None else bar.high - bar.low
    order = (
        title.lower(),
        median,
        median,
        None if up is None else up.value,
        mark,
        spread,
        result.iterations,
        result.relaxations,
    )
    return ResultRow(result.variant, result, state, bar, texts, "", order)


def _aligned(rows: Sequence[ResultRow]) -> tuple[ResultRow, ...]:
    """``rows`` with aligned decimal points in the columns of medians and of speed-ups."""
    medians = align_decimals([row.texts[Column.MEDIAN] for row in rows])
    ratios = [
        row.texts[Column.SPEED_UP] if row.state is not RowState.RUNNING else "" for row in rows
    ]
    ups = align_decimals(ratios, "×")
    aligned = []
    for row, median, up in zip(rows, medians, ups, strict=True):
        texts = [*row.texts]
        texts[Column.MEDIAN] = median
        texts[Column.SPEED_UP] = up or row.texts[Column.SPEED_UP]
        aligned.append(replace(row, texts=tuple(texts)))
    return tuple(aligned)


def reason_of(result: Result) -> str:
    """The error of a result without the variant's id in front."""
    return result.error.removeprefix(result.variant.id).lstrip(": ").rstrip(".")


def verdict_mark(result: Result) -> str:
    """A tick if all was verified, "sampled" if some rows were, a cross, or a dash if
    the result was not verified.
    """
    marks = {Proof.PROVED: TICK, Proof.SAMPLED: SAMPLED, Proof.WRONG: CROSS}
    return marks.get(ResultView(result).proof, NOTHING)


def trust_text(result: Result, phase: str) -> str:
    """How far the median can be trusted: its confidence interval and what disturbed the
    trials; "" if unknown.
    """
    interval, view = result.confidence(phase), ResultView(result, phase)
    lines = [f"Disturbed: {disturbance.words}" for disturbance in view.disturbances]
    lines += [remark.words for remark in result.disturbances if remark not in view.disturbances]
    if result.graph_upload_ms is not None:
        upload = format_duration(result.graph_upload_ms)
        lines.append(
            "The graph stayed on the device: no trial contains its upload, "
            f"which took {upload} once. Total times are not compared with those of "
            "variants that upload it in every trial."
        )
    if interval is not None:
        low, high = map(format_duration, interval)
        lines.insert(0, f"95 % confidence interval of the median: {low} to {high}.")
    return "\n".join(lines)


def describe(result: Result, phase: str) -> str:
    """All table figures of one result, in one or two sentences."""
    view = ResultView(result, phase)
    if result.status is not Status.OK and not view.has_early_times:
        return result.error or view.outcome
    times = result.times(phase)
    facts = []
    if times:
        ends = dict.fromkeys((format_duration(min(times)), format_duration(max(times))))
        facts.append(f"{' to '.join(ends)} in {plural(len(times), 'trial')}")
    if prepared := ResultView(result).preparation_ms:
        facts.append(f"preparation up to {format_duration(prepared)}")
    if result.iterations is not None:
        facts.append(plural(result.iterations, "iteration") + watched_remark(result))
    if result.relaxations is not None:
        matrix = result.variant.algorithm is Algorithm.FLOYD_WARSHALL
        facts.append(f"{format_count(result.relaxations)} {'cells' if matrix else 'arcs'} relaxed")
    words = capitalised("; ".join(filter(None, (", ".join(facts), view.proof_text)))) + "."
    return words if result.status is Status.OK else f"{words} {result.error}"


def _count(count: int | None) -> str:
    return NOTHING if count is None else format_count(count)
