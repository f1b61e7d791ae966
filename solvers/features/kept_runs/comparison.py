"""Comparison of two kept runs: the ratio of their median times, variant by variant,
with an interval.

The interval speaks of the trials that were made. Whatever changed between the two runs
besides what is compared, such as other load or another clock frequency, is part of the
ratio.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from solvers.core.result_view import Proof, ResultView, interval_of_ratio
from solvers.core.samples import Ratio, ratio_of_medians
from solvers.core.variant import Answers, answers_of
from solvers.running.kept_run import KeptRun, KeptVariant
from solvers.text import format_count, format_ratio


@dataclass(frozen=True)
class VariantComparison:
    variant: str
    first: KeptVariant | None  # None if the run does not have it
    second: KeptVariant | None
    ratio: Ratio | None  # None if either has no times
    differences: tuple[str, ...] = ()  # parameters, devices and where the graph stayed, for display
    obstacle: str = ""  # why its two times cannot be compared: "different graphs"; "" if they can

    @property
    def differs(self) -> bool:
        """Whether one of the two is faster, as far as the trials can tell."""
        return self.ratio is not None and self.ratio.differs and not self.obstacle

    @property
    def doubt(self) -> str:
        """Why other or more trials may decide otherwise: "times disturbed"; "" where
        the ratio is clear.
        """
        if self.ratio is None or self.ratio.differs:
            return ""
        return ", ".join(self.ratio.doubts)

    @property
    def verdict(self) -> str:
        """ "faster", "slower", "no difference shown", "uncertain" or "not comparable"; "" for
        one without times of both.
        """
        if self.ratio is None:
            return ""
        if self.obstacle:
            return "not comparable"
        if self.ratio.differs:
            return "faster" if self.ratio.value < 1 else "slower"
        return "uncertain" if self.ratio.doubts else "no difference shown"

    @property
    def outcome(self) -> str:
        """What the comparison found, in words."""
        if self.first is None or self.second is None:
            return f"only in the {'second' if self.first is None else 'first'} run"
        if self.ratio is None:
            return "no times to compare"
        if self.obstacle:
            return f"{self.verdict}: {self.obstacle}"
        if not self.differs:
            return ": ".join(filter(None, (self.verdict, self.doubt)))
        ratio = self.ratio if self.ratio.value > 1 else self.ratio.inverse
        interval = interval_of_ratio(ratio)
        return "; ".join(
            (f"{format_ratio(ratio.value)} {self.verdict} ({interval})", *ratio.doubts)
        )


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
    samples = [ResultView(kept, phase).sample for kept in (first, second)]
    ratio = None if None in samples else ratio_of_medians(*filter(None, samples))
    return VariantComparison(name, first, second, ratio, _differences(first, second))


def _obstacle(first: KeptRun, second: KeptRun, row: VariantComparison) -> str:
    """Times of different questions, or of a wrong answer, say nothing of each other."""
    if row.first is None or row.second is None:
        return ""
    if first.graph.sha256 != second.graph.sha256:
        return "different graphs"
    answers = answers_of(row.variant)
    if answers is not Answers.APSP and first.source != second.source:
        return "different sources"
    if answers is Answers.TARGET and first.target != second.target:
        return "different targets"
    wrong = _which(ResultView(kept).proof is Proof.WRONG for kept in (row.first, row.second))
    return f"wrong answer: {wrong}" if wrong else ""


def _which(holds: Iterable[bool]) -> str:
    return " and ".join(name for name, held in zip(("first", "second"), holds, strict=True) if held)


def _differences(first: KeptVariant, second: KeptVariant) -> tuple[str, ...]:
    found = [
        f"{name} {_shown(first.parameters, name)} → {_shown(second.parameters, name)}"
        for name in dict.fromkeys((*first.parameters, *second.parameters))
        if first.parameters.get(name) != second.parameters.get(name)
    ]
    if first.device_name != second.device_name:
        found.append(f"{first.device_name or 'no device'} → {second.device_name or 'no device'}")
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
        ("Tautpath", run.app_version or "unknown"),
    )
