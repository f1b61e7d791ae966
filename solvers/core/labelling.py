"""How an algorithm makes distances final, and the words for the states of its vertices.

Explanations, legends, pages and documentation take their words from here: a vertex is settled
only where its distance is final then. Where distances are corrected it is inactive, since
it may be lowered again, and a negative cycle lowers it without end.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum


class Labelling(Enum):
    """The value is the name of the family, as ``resources/pseudocode.txt`` has it."""

    SETTING = "label-setting"  # each vertex is settled once
    CORRECTING = "label-correcting"
    PAIRS = "all pairs"  # distances between all pairs fall, pivot by pivot


class VertexState(Enum):
    """State of a vertex in an iteration; `state_words` says it."""

    UNREACHED = "unreached"
    TENTATIVE = "tentative"
    ACTIVE = "active"
    INACTIVE = "inactive"  # its arcs were relaxed, or it was a pivot


_WORDS = {
    Labelling.SETTING: ("not reached", "tentative", "relaxing its arcs", "settled"),
    Labelling.CORRECTING: ("not reached", "tentative", "relaxing its arcs", "inactive"),
    Labelling.PAIRS: ("not reached", "tentative", "pivot", "earlier pivot"),
}


def state_words(labelling: Labelling) -> dict[VertexState, str]:
    """The words for each state."""
    return dict(zip(VertexState, _WORDS[labelling], strict=True))


def common(labellings: Collection[Labelling]) -> Labelling:
    """The family whose words are right for runs side by side: a settled vertex is inactive, too."""
    return next(iter(labellings)) if len(set(labellings)) == 1 else Labelling.CORRECTING


def widest_words() -> tuple[str, ...]:
    """The longest words for each state, for which a legend leaves room."""
    return tuple(max(words, key=len) for words in zip(*_WORDS.values(), strict=True))
