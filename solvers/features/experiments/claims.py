"""Judges the claims of a paper by what was measured here: holds, does not hold,
uncertain, or not testable here.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from solvers.core.result_view import interval_of_ratio
from solvers.core.samples import Ratio
from solvers.features.experiments.measurement import (
    Measurement,
    Omission,
    difference,
    graph_order,
    hosts_sentence,
    timed,
)
from solvers.features.experiments.spec import (
    Claim,
    ClaimKind,
    Experiment,
    ExperimentScale,
    Selection,
)
from solvers.text import format_count, format_percent, format_ratio, format_value

_PLACES = ("vertices", "graph")

# holds, figure, what it was taken from, doubt or ""
_Outcome = tuple[bool, str, list[Measurement], str]


class ClaimVerdict(Enum):
    """Whether a claim holds; the values are shown."""

    HOLDS = "holds"
    FAILS = "does not hold"
    UNCERTAIN = "uncertain"
    UNTESTABLE = "not testable here"


@dataclass(frozen=True)
class Judgement:
    claim: Claim
    verdict: ClaimVerdict
    # what was measured, in words: "2.91× (2.80× – 3.05×) on New York"; "" if nothing
    # was
    figure: str
    needed: str  # what the claim was taken to mean: "at least 2.5"
    reason: str = ""  # why it is uncertain or not testable; "" otherwise
    remark: str = ""  # that its points come from several hosts; "" otherwise


def judge(
    experiment: Experiment,
    scale: ExperimentScale,
    measurements: Sequence[Measurement],
    omissions: Sequence[Omission] = (),
) -> tuple[Judgement, ...]:
    """Judge all claims of an experiment.

    A claim is about the sizes and the hardware of its paper. What was measured at scale
    small, or with kernels on the processor, is shown beside it; only the latter makes a
    claim about GPUs untestable. A claim whose points were measured on machines that
    differ is not testable. It is uncertain if what it needs lies within the interval of
    what was measured, which disturbed times and few trials widen.
    """
    return tuple(_judge(claim, timed(measurements), omissions) for claim in experiment.claims)


def _judge(claim: Claim, found: Sequence[Measurement], omissions: Sequence[Omission]) -> Judgement:
    tests = {
        ClaimKind.RATIO: _ratio,
        ClaimKind.BEST: _best,
        ClaimKind.EFFICIENCY: _efficiency,
        ClaimKind.ITERATIONS: _iterations,
    }
    outcome = tests[claim.kind](claim, found)
    needed = _needed(claim)
    if outcome is None:
        return Judgement(claim, ClaimVerdict.UNTESTABLE, "", needed, _why_missing(claim, omissions))
    holds, figure, used, doubt = outcome
    if words := difference(used):
        reason = f"its points were measured on hosts that differ in {words}"
        return Judgement(claim, ClaimVerdict.UNTESTABLE, figure, needed, reason)
    if claim.needs_gpu and not all(one.on_gpu for one in used if one.kept.device_name):
        reason = "it is about a GPU, but the kernels ran on the processor"
        return Judgement(claim, ClaimVerdict.UNTESTABLE, figure, needed, reason)
    if holds and (untried := _untried(claim, used, omissions)):
        return Judgement(claim, ClaimVerdict.UNTESTABLE, figure, needed, untried)
    if doubt:
        return Judgement(claim, ClaimVerdict.UNCERTAIN, figure, needed, doubt, hosts_sentence(used))
    verdict = ClaimVerdict.HOLDS if holds else ClaimVerdict.FAILS
    return Judgement(claim, verdict, figure, needed, remark=hosts_sentence(used))


def _untried(claim: Claim, used: Sequence[Measurement], omissions: Sequence[Omission]) -> str:
    """Why the best of the measured values need not be the best of all: the others were
    left out there; "" if none.
    """
    if claim.kind is not ClaimKind.BEST:
        return ""
    graph = used[0].point.graph
    values = [
        str(one.point.parameters[claim.parameter])
        for one in omissions
        if one.point.graph == graph and _speaks_of(one, claim.of.series, claim.of.where)
    ]
    return (
        f"{claim.parameter} {', '.join(dict.fromkeys(values))} was not measured" if values else ""
    )


def _ratio(claim: Claim, found: Sequence[Measurement]) -> _Outcome | None:
    assert claim.to is not None  # ensured by the reader
    if any(name in claim.of.where or name in claim.to.where for name in _PLACES):
        pairs = [(_first(found, claim.of), _first(found, claim.to))]
    else:
        pairs = [
            (_first(found, claim.of, digest), _first(found, claim.to, digest))
            for digest in graph_order(found)
        ]
    whole = [(slow, fast) for slow, fast in pairs if slow is not None and fast is not None]
    chosen = {"largest": whole[-1:], "smallest": whole[:1], "each": whole}[claim.at]
    ratios = [
        (ratio, slow, fast)
        for slow, fast in chosen
        if (ratio := fast.ratio_to(slow, claim.phase)) is not None
    ]
    if not ratios:
        return None
    holds = all(_is_within(ratio.value, claim) for ratio, _, _ in ratios)
    words = "; ".join(f"{_words(ratio)} on {_place(slow, fast)}" for ratio, slow, fast in ratios)
    deciding = [ratio for ratio, _, _ in ratios if holds or not _is_within(ratio.value, claim)]
    doubts = [_doubt(ratio, 1.0, claim) for ratio in deciding]
    # one clear exception refutes
    doubt = next(filter(None, doubts), "") if holds or all(doubts) else ""
    used = {id(one): one for _, slow, fast in ratios for one in (slow, fast)}
    return holds, words, list(used.values()), doubt


def _best(claim: Claim, found: Sequence[Measurement]) -> _Outcome | None:
    """On the largest graph where the value and some other was measured."""
    for digest in reversed(graph_order(found)):
        here = [one for one in _selected(found, claim.of) if one.graph.sha256 == digest]
        by_value = {one.value(claim.parameter): one for one in here}
        if claim.best not in by_value or len(by_value) < 2:
            continue
        medians = {value: one.median(claim.phase) or 0.0 for value, one in by_value.items()}
        winner = min(medians, key=lambda value: medians[value])
        behind = medians[claim.best] / medians[winner] if medians[winner] else 1.0
        best = by_value[winner]
        rivals = (
            [value for value in by_value if value != winner]
            if winner == claim.best
            else [claim.best]
        )
        ratios = {value: best.ratio_to(by_value[value], claim.phase) for value in rivals}
        tied = [value for value, ratio in ratios.items() if ratio is None or not ratio.differs]
        doubt = (
            f"{claim.parameter} {', '.join(map(format_value, tied))} is within the interval"
            if tied
            else ""
        )
        place = here[0].point.graph.title
        figure = f"{claim.parameter} {format_value(winner)} is the fastest on {place}"
        if winner != claim.best:
            figure += f"; {format_value(claim.best)} takes {format_ratio(behind)} its time"
        return winner == claim.best, figure, list(by_value.values()), doubt
    return None


def _efficiency(claim: Claim, found: Sequence[Measurement]) -> _Outcome | None:
    """Speed-up over one unit, per unit, on the largest graph."""
    one_unit = Selection(claim.of.series, {claim.parameter: 1})
    for digest in reversed(graph_order(found)):
        base, many = _first(found, one_unit, digest), _first(found, claim.of, digest)
        if base is None or many is None:
            continue
        ratio = many.ratio_to(base, claim.phase)
        if ratio is None:
            continue
        units = many.value(claim.parameter)
        share = ratio.value / units
        figure = (
            f"{format_percent(share)} with {claim.parameter} {format_value(units)} "
            f"on {many.point.graph.title}"
        )
        return _is_within(share, claim), figure, [base, many], _doubt(ratio, units, claim)
    return None


def _iterations(claim: Claim, found: Sequence[Measurement]) -> _Outcome | None:
    for digest in reversed(graph_order(found)):
        one = _first(found, claim.of, digest)
        if one is None:
            continue
        counts = [t.iterations for t in one.kept.trials if t.iterations is not None]
        count = one.kept.iterations if not counts else round(statistics.median(counts))
        if count is not None:
            return (
                _is_within(count, claim),
                f"{format_count(count)} on {one.point.graph.title}",
                [one],
                "",
            )
    return None


def _selected(found: Sequence[Measurement], selection: Selection) -> list[Measurement]:
    return [one for one in found if one.label == selection.series and one.matches(selection.where)]


def _first(
    found: Sequence[Measurement], selection: Selection, digest: str = ""
) -> Measurement | None:
    here = (one for one in _selected(found, selection) if not digest or one.graph.sha256 == digest)
    return next(here, None)


def _is_within(value: float, claim: Claim) -> bool:
    low = claim.at_least is None or value >= claim.at_least
    return low and (claim.at_most is None or value <= claim.at_most)


def _needed(claim: Claim) -> str:
    if claim.kind is ClaimKind.BEST:
        return f"{claim.parameter} {format_value(claim.best)} is the fastest"
    bounds = []
    if claim.at_least is not None:
        bounds.append(f"at least {_bound(claim, claim.at_least)}")
    if claim.at_most is not None:
        bounds.append(f"at most {_bound(claim, claim.at_most)}")
    where = {"largest": "", "smallest": " on the smallest graph", "each": " on every graph"}
    return " and ".join(bounds) + where[claim.at]


def _bound(claim: Claim, value: float) -> str:
    if claim.kind is ClaimKind.EFFICIENCY:
        return format_percent(value)
    return f"{value:g}×" if claim.kind is ClaimKind.RATIO else f"{value:g}"


def _words(ratio: Ratio) -> str:
    doubts = "".join(f"; {words}" for words in ratio.doubts)
    return f"{format_ratio(ratio.value)} ({interval_of_ratio(ratio)}{doubts})"


def _doubt(ratio: Ratio, units: float, claim: Claim) -> str:
    """Why more trials may decide otherwise; ``units`` is what the ratio is divided by
    before it is compared.
    """
    low, high = ratio.low / units, ratio.high / units
    is_close = any(
        bound is not None and low < bound < high for bound in (claim.at_least, claim.at_most)
    )
    if not is_close:
        return ""
    return "; ".join(("the limit lies within the interval", *ratio.doubts))


def _place(first: Measurement, second: Measurement) -> str:
    one, other = first.point.graph.title, second.point.graph.title
    return one if one == other else f"{one} against {other}"


def _why_missing(claim: Claim, omissions: Sequence[Omission]) -> str:
    """The reason of a point of the claim that was left out."""
    for selection in (claim.of, claim.to):
        for omission in omissions:
            if selection is not None and _speaks_of(omission, selection.series, selection.where):
                return f"{omission.point.title} on {omission.point.graph.title}: {omission.reason}"
    if claim.kind in (ClaimKind.BEST, ClaimKind.EFFICIENCY):
        return f"too few values of {claim.parameter} were measured"
    return "no point that it is about was measured"


def _speaks_of(omission: Omission, series: str, where: Mapping[str, Any]) -> bool:
    wanted = {name: value for name, value in where.items() if name not in _PLACES}
    point = omission.point
    return point.series.label == series and all(
        point.parameters.get(name) == v for name, v in wanted.items()
    )
