"""Reads published values and claims of an experiment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from solvers.experiments.experiment import Claim, ClaimKind, Published, PublishedPoint, Selection, SeriesSpec
from solvers.experiments.located import TomlTable

_MS = {"ms": 1.0, "s": 1e3, "min": 6e4}


def read_published(table: TomlTable, labels: Sequence[str]) -> Published:
    """Read a table ``[[published]]``; raises `FileFormatError`."""
    table.only("series", "source", "hardware", "exact", "unit", "points")
    series = table.text("series")
    if series not in labels:
        raise table.unknown("series", series, labels, "series")
    factor = _MS[table.choice("unit", tuple(_MS), "s")]
    found = table.values.get("points")
    if not isinstance(found, list) or not found or not all(isinstance(point, dict) for point in found):
        raise table.error("points is a list of tables such as { vertices = 2000, time = 0.012 }", "points")
    points = tuple(_published_point(table, dict(point), factor) for point in found)
    return Published(series, table.text("source"), table.text("hardware"), table.flag("exact", True), points)


def _published_point(table: TomlTable, values: dict[str, Any], factor: float) -> PublishedPoint:
    time = values.pop("time", None)
    if isinstance(time, bool) or not isinstance(time, int | float) or not time > 0:
        raise table.error("every point needs a “time” above 0", "points")
    if not values:
        raise table.error("every point says where it stands: vertices, graph, or a parameter", "points")
    return PublishedPoint(values, time * factor)


def read_claim(table: TomlTable, series: Sequence[SeriesSpec]) -> Claim:
    """Read a table ``[[claim]]``; raises `FileFormatError`."""
    table.only(
        *("text", "source", "kind", "of", "to", "parameter", "best", "at", "at_least", "at_most", "phase"),
        "needs_gpu",
    )
    kind = ClaimKind(table.choice("kind", [kind.value for kind in ClaimKind], "ratio"))
    claim = Claim(
        table.text("text"),
        table.text("source"),
        kind,
        _selection(table, "of", series),
        _selection(table, "to", series) if kind is ClaimKind.RATIO else None,
        table.text("parameter", ""),
        table.values.get("best"),
        table.choice("at", ("largest", "smallest", "each"), "largest"),
        table.optional_number("at_least"),
        table.optional_number("at_most"),
        table.choice("phase", ("total", "solve"), "total"),
        table.flag("needs_gpu", False),
    )
    _require_test(table, claim, series)
    return claim


def _require_test(table: TomlTable, claim: Claim, series: Sequence[SeriesSpec]) -> None:
    """Refuse a claim that cannot be tested, or that nothing could contradict."""
    if claim.kind in (ClaimKind.BEST, ClaimKind.EFFICIENCY):
        swept = next(one.swept for one in series if one.label == claim.of.series)
        if claim.parameter not in swept:
            raise table.unknown("swept parameter", claim.parameter, swept, "parameter")
    if claim.kind is ClaimKind.BEST:
        if claim.best is None:
            raise table.error("the claim names no “best” value")
    elif claim.at_least is None and claim.at_most is None:
        raise table.error("the claim needs “at_least” or “at_most”")


def _selection(table: TomlTable, key: str, series: Sequence[SeriesSpec]) -> Selection:
    values = dict(table.table(key))
    label = values.pop("series", None)
    labels = [one.label for one in series]
    if not isinstance(label, str):
        raise table.error(f"“{key}” names a series: {{ series = … }}", key)
    if label not in labels:
        raise table.unknown("series", label, labels, key)
    variant = next(one.variant for one in series if one.label == label)
    known = ("graph", "vertices", *(parameter.name for parameter in variant.parameters))
    for name in values:
        if name not in known:
            raise table.unknown(f"parameter of {variant.id}", name, known, key)
    return Selection(label, values)
