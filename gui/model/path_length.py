"""Length of a result's path as text, shown only if the sum of its arcs equals the distance. No widgets."""

from __future__ import annotations

import math

from solvers.core.result import Result
from solvers.text import format_distance
from solvers.verification.paths import path_arcs

MOST_DIGITS = 7
_LEAST_DIGITS = 3


def length_text(result: Result) -> str | None:
    """The length of the result's path; None without a path, or if its arcs do not add up to the distance.

    For integers the two are equal. Floating-point sums depend on the order of addition, and the distance was computed
    in the variant's type: only the digits are shown to which both round alike, at most seven, with "≈" where the
    number would otherwise show more.
    """
    graph, path, distance = result.graph, result.path, result.target_distance
    if path is None or distance is None:
        return None
    weights = graph.weights[path_arcs(graph, path)].tolist()
    if graph.weight_type.is_integer:
        return format_distance(distance, graph.weight_unit) if sum(weights) == distance else None
    return _common_text(math.fsum(weights), float(distance), graph.weight_unit)


def distance_text(result: Result) -> str | None:
    """As `length_text`, but the distance itself if the path's arcs do not add up to it; None if unknown."""
    if result.target_distance is None:
        return None
    return length_text(result) or format_distance(result.target_distance, result.graph.weight_unit)


def _common_text(total: float, distance: float, unit: str) -> str | None:
    if total == distance:
        return format_distance(distance, unit)
    digits = common_digits(total, distance)
    if digits < _LEAST_DIGITS:
        return None
    rounded = _rounded(total, digits)
    whole_digits_lost = rounded.is_integer() and rounded not in (total, distance)
    mark = "≈ " if digits < MOST_DIGITS or whole_digits_lost else ""
    return mark + format_distance(rounded, unit)


def common_digits(one: float, other: float) -> int:
    """To how many significant digits, at most seven, two numbers round alike."""
    alike = (d for d in range(MOST_DIGITS, 0, -1) if _rounded(one, d) == _rounded(other, d))
    return next(alike, 0)


def _rounded(value: float, digits: int) -> float:
    return float(f"{value:.{digits}g}")
