"""Lines of the comparison of two runs, in words."""

from __future__ import annotations

from dataclasses import dataclass

from gui.panels.runs_rows import title_of
from solvers.running.comparison import Ratio, VariantComparison
from solvers.running.store.kept_run import KeptVariant
from solvers.text import format_ratio, plural


@dataclass(frozen=True)
class ComparisonRow:
    """One line of the table.

    Attributes
    ----------
    title : str
    first, second : float or None
        Medians in ms.
    ratio : Ratio or None
    outcome : str
        "1.32× faster", "no difference shown", or why there is no ratio; then what differs or disturbed.
    tip : str
        What disturbed the times, a line each; the outcome if nothing did.
    """

    title: str
    first: float | None
    second: float | None
    ratio: Ratio | None
    outcome: str
    tip: str

    @classmethod
    def of(cls, compared: VariantComparison, phase: str) -> ComparisonRow:
        first, second = (None if v is None else v.median(phase) for v in (compared.first, compared.second))
        outcome = "; ".join((_outcome(compared), *compared.differences, *_remarks(compared)))
        return cls(title_of(compared.variant), first, second, compared.ratio, outcome, _tip(compared) or outcome)


def _outcome(compared: VariantComparison) -> str:
    if compared.first is None or compared.second is None:
        return "only in the second run" if compared.first is None else "only in the first run"
    ratio = compared.ratio
    if ratio is None:
        return "no times to compare"
    if ratio.differs is None:
        return "too few trials for an interval"
    if not ratio.differs:
        return "no difference shown"
    factor = 1 / ratio.value if ratio.value < 1 else ratio.value
    return f"{format_ratio(factor)} {'faster' if ratio.value < 1 else 'slower'}"


def _remarks(compared: VariantComparison) -> list[str]:
    """Which of the two answers is wrong, and which times were disturbed."""
    found = []
    for what, holds in (("wrong answer", _is_wrong), ("disturbed", _is_disturbed)):
        ones = [name for name, v in (("first", compared.first), ("second", compared.second)) if v and holds(v)]
        if ones:
            found.append(f"{what}: {' and '.join(ones)}")
    return found


def _is_wrong(variant: KeptVariant) -> bool:
    return variant.verdict is not None and not variant.verdict.verified


def _is_disturbed(variant: KeptVariant) -> bool:
    return bool(variant.disturbances)


def _tip(compared: VariantComparison) -> str:
    return "\n".join(
        f"{name}: {disturbance.words}"
        for name, variant in (("First", compared.first), ("Second", compared.second))
        if variant is not None
        for disturbance in variant.disturbances
    )


def summary_of(rows: tuple[ComparisonRow, ...]) -> str:
    """``"Of 3 variants in both runs, 2 are faster and 1 shows no difference."``"""
    common = [row.ratio for row in rows if row.ratio is not None]
    if not common:
        return "The two runs have no variant with times in common."
    faster = sum(bool(r.differs) and r.value < 1 for r in common)
    slower = sum(bool(r.differs) and r.value > 1 for r in common)
    parts = [
        words
        for count, words in (
            (faster, f"{faster} faster"),
            (slower, f"{slower} slower"),
            (len(common) - faster - slower, f"{len(common) - faster - slower} without a difference shown"),
        )
        if count
    ]
    return f"{plural(len(common), 'variant')} in both runs: {', '.join(parts)}."
