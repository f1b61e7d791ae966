"""Comparison of two kept runs: the ratio of their median times, variant by variant,
with a confidence interval.

Source of the interval: R. M. Price and D. G. Bonett, "Distribution-free confidence
intervals for difference and ratio of medians", Journal of Statistical Computation and
Simulation 72 (2002), 119-124. The variance of the logarithm of each median is estimated
from two order statistics of its sample; the logarithm of the ratio is then taken as
normal. It assumes nothing about the distribution of the times, not even the same one
for both runs, and needs no random numbers.

The interval speaks of the trials that were made. Whatever changed between the two runs
besides what is compared, such as other load or another clock frequency, is part of the
ratio.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from solvers.core.result import doubts_among
from solvers.core.variant import Answers, find_variant
from solvers.errors import UnknownName
from solvers.running.store.kept_run import KeptRun, KeptVariant
from solvers.text import format_count

LEAST_TRIALS = 5
"""With fewer trials even the whole range of a sample holds its median with less than 93
% confidence.
"""

_Z = statistics.NormalDist().inv_cdf(0.975)


@dataclass(frozen=True)
class Ratio:
    """Ratio of two medians, with its 95 % confidence interval if both samples have at
    least five positive values.
    """

    value: float  # the second median divided by the first: below 1, the second is faster
    low: float | None = None
    high: float | None = None

    @property
    def differs(self) -> bool | None:
        """Whether 1 lies outside the interval; None without an interval."""
        return None if self.low is None or self.high is None else not self.low <= 1 <= self.high


def ratio_of_medians(first: Sequence[float], second: Sequence[float]) -> Ratio | None:
    """The median of ``second`` divided by that of ``first``; None if either is empty or
    has the median 0.
    """
    if not first or not second:
        return None
    base, other = statistics.median(first), statistics.median(second)
    if base <= 0 or other <= 0:
        return None
    value = other / base
    if min(len(first), len(second)) < LEAST_TRIALS or min(*first, *second) <= 0:
        return Ratio(value)
    half = _Z * math.hypot(_log_median_error(first), _log_median_error(second))
    return Ratio(value, value * math.exp(-half), value * math.exp(half))


def _log_median_error(sample: Sequence[float]) -> float:
    """Standard error of the logarithm of the median."""
    n, ordered = len(sample), sorted(sample)
    rank = max(1, round((n + 1) / 2 - math.sqrt(n)))
    outside = sum(math.comb(n, k) for k in range(rank)) / 2**n
    z = statistics.NormalDist().inv_cdf(1 - outside)
    return (math.log(ordered[-rank]) - math.log(ordered[rank - 1])) / (2 * z)


@dataclass(frozen=True)
class VariantComparison:
    variant: str
    first: KeptVariant | None  # None if the run does not have it
    second: KeptVariant | None
    ratio: Ratio | None  # None if either has no times
    differences: tuple[str, ...] = ()  # parameters, devices and where the graph stayed, for display
    obstacle: str = ""  # why its two times cannot be compared: "different graphs"; "" if they can
    # why more or other trials may decide otherwise; "" if nothing speaks against the
    # ratio
    doubt: str = ""

    @property
    def differs(self) -> bool:
        """Whether one of the two is faster, as far as the trials can tell."""
        return bool(self.ratio and self.ratio.differs) and not self.obstacle and not self.doubt


def compare(first: KeptRun, second: KeptRun, phase: str = "total") -> tuple[VariantComparison, ...]:
    """Every variant of either run, those of both first; ``first`` is the baseline,
    ``phase`` "total" or "solve".
    """
    before = {v.variant: v for v in first.variants}
    after = {v.variant: v for v in second.variants}
    names = sorted(before | after, key=lambda name: name not in before or name not in after)
    rows = (_compared(name, before.get(name), after.get(name), phase) for name in names)
    return tuple(replace(row, obstacle=_obstacle(first, second, row)) for row in rows)


def _compared(
    name: str, first: KeptVariant | None, second: KeptVariant | None, phase: str
) -> VariantComparison:
    if first is None or second is None:
        return VariantComparison(name, first, second, None)
    ratio = ratio_of_medians(first.times(phase), second.times(phase))
    doubt = "too few trials for an interval" if ratio is not None and ratio.differs is None else ""
    disturbed = _which(bool(doubts_among(kept.disturbances)) for kept in (first, second))
    doubts = filter(None, (doubt, f"disturbed: {disturbed}" if disturbed else ""))
    return VariantComparison(
        name, first, second, ratio, _differences(first, second), doubt="; ".join(doubts)
    )


def _obstacle(first: KeptRun, second: KeptRun, row: VariantComparison) -> str:
    """Times of different questions, or of a wrong answer, say nothing of each other."""
    if row.first is None or row.second is None:
        return ""
    if first.graph.sha256 != second.graph.sha256:
        return "different graphs"
    answers = _answers_of(row.variant)
    if answers is not Answers.APSP and first.source != second.source:
        return "different sources"
    if answers is Answers.TARGET and first.target != second.target:
        return "different targets"
    wrong = _which(
        kept.verdict is not None and not kept.verdict.verified for kept in (row.first, row.second)
    )
    return f"wrong answer: {wrong}" if wrong else ""


def _answers_of(variant: str) -> Answers | None:
    try:
        return find_variant(variant).answers
    except UnknownName:  # of another version
        return None


def _which(holds: Iterable[bool]) -> str:
    return " and ".join(name for name, held in zip(("first", "second"), holds, strict=True) if held)


def _differences(first: KeptVariant, second: KeptVariant) -> tuple[str, ...]:
    found = [
        f"{name} {_shown(first.parameters, name)} → {_shown(second.parameters, name)}"
        for name in dict.fromkeys((*first.parameters, *second.parameters))
        if first.parameters.get(name) != second.parameters.get(name)
    ]
    if first.device != second.device:
        found.append(f"{first.device or 'no device'} → {second.device or 'no device'}")
    elif first.driver != second.driver:
        found.append(f"{first.driver} → {second.driver}")
    if (first.graph_upload_ms is None) != (second.graph_upload_ms is None):
        found.append(f"{_uploads(first)} → {_uploads(second)}")
    return tuple(found)


def _uploads(variant: KeptVariant) -> str:
    """Whether the times contain copies of the graph to the device."""
    return (
        "the graph is uploaded in every trial"
        if variant.graph_upload_ms is None
        else "the graph stays on the device"
    )


def _shown(parameters: Mapping[str, Any], name: str) -> str:
    return str(parameters.get(name, "default"))


@dataclass(frozen=True)
class Circumstance:
    """One property of the two runs that are compared: "Graph", "Source", ..."""

    what: str
    first: str
    second: str

    @property
    def differs(self) -> bool:
        return self.first != self.second


def circumstances(first: KeptRun, second: KeptRun) -> tuple[Circumstance, ...]:
    """Graph, end points, machine and version of both runs, in a fixed order."""
    pairs = zip(_circumstances_of(first), _circumstances_of(second), strict=True)
    return tuple(Circumstance(what, one, other) for (what, one), (_, other) in pairs)


def _circumstances_of(run: KeptRun) -> tuple[tuple[str, str], ...]:
    graph, machine = run.graph, run.machine
    cores = "" if machine.cores is None else f", {machine.cores} cores"
    host = f", host {machine.host}" if machine.host else ""
    size = f"{format_count(graph.vertices)} vertices, {format_count(graph.arcs)} arcs"
    return (
        ("Graph", f"{graph.name} ({size}, {graph.sha256[:8]})"),
        ("Source", run.source_text or "none"),
        ("Target", run.target_text or "none"),
        ("Machine", f"{machine.cpu or 'unknown'}{cores}{host}"),
        ("System", machine.system or "unknown"),
        ("Tautline", run.app_version or "unknown"),
    )
