"""How a file or an object was taken for a graph: what its ends and weights are, and how
sure each of these is.

Every reader states it, it stays with the graph, and commands, window and pages show its
`Interpretation.line`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from solvers.text import plural, quoted

_MOST_LISTED = 8


class Certainty(StrEnum):
    """How sure a part of an interpretation is."""

    STATED = "stated"  # by the format, or by the user
    KNOWN = "known"  # by a title or a usual name
    GUESSED = "guessed"  # nothing else was found that it could be


@dataclass(frozen=True)
class Decision:
    """One part of an interpretation."""

    what: str  # such as: column 4 “time”
    certainty: Certainty = Certainty.STATED
    why: str = ""  # such as: its title; "" if there is nothing to say

    def __str__(self) -> str:
        if self.certainty is Certainty.STATED:
            return self.what
        return f"{self.what}, {self.certainty}" + (f" by {self.why}" if self.why else "")


def missing_weights(count: int, attribute: object) -> str:
    """That edges have no weight, where 1 is usual."""
    have = plural(count, "edge has", "edges have")
    return f"{have} no {quoted(str(attribute), 40)}; it is taken as 1"


def where_missing(count: int) -> str:
    """What is said of it behind the attribute of the weights; "" if none is missing."""
    return f" (1 at {plural(count, 'edge')} without it)" if count else ""


@dataclass(frozen=True)
class Interpretation:
    """How a graph was read.

    Attributes
    ----------
    weights : Decision
        The column or attribute of the weights, or why they are all 1.
    unit : str
        The unit of the weights, such as "km" or "s"; "" if unknown.
    source, target : Decision or None
        The columns of the ends; None where the format has no choice.
    direction : Decision or None
        Why edges have a direction, or none; None where the format has no choice.
    ignored : tuple of str
        What was left out: columns, attributes, elements, restrictions.
    turns : str
        What became of restrictions of turns, and what turns cost; "" without any.
    """

    weights: Decision
    unit: str = ""
    source: Decision | None = None
    target: Decision | None = None
    direction: Decision | None = None
    ignored: tuple[str, ...] = ()
    turns: str = ""

    def weighted_by(self, name: str, unit: str) -> Interpretation:
        """The same with other weights, which the user named."""
        return replace(self, weights=Decision(name), unit=unit)

    @property
    def line(self) -> str:
        """All in one line: “weights: column 4 “time”, known by its title; ignored: line”."""
        unit = f" ({self.unit})" if self.unit else ""
        parts = [f"weights: {self.weights}{unit}"]
        if self.source is not None and self.target is not None:
            parts.append(f"from {self.source.what} to {self.target.what}")
        if self.direction is not None:
            parts.append(f"direction: {self.direction}")
        if self.turns:
            parts.append(self.turns)
        if self.ignored:
            shown = [quoted(name, 60) for name in self.ignored[:_MOST_LISTED]]
            more = ["…"] * (len(self.ignored) > _MOST_LISTED)
            parts.append(f"ignored: {', '.join(shown + more)}")
        return "; ".join(parts)
