"""What columns and attributes say of the directions of edges, in the ways of several trades:
``directed`` of GMNS, ``direction`` of AequilibraE, ``oneway`` of OpenStreetMap and ArcGIS,
``DIR_TRAVEL`` of HERE, ``Type`` of Gephi.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from solvers.graphs.titles import words_of
from solvers.system.array_types import AnyArray, Bools, Int64s
from solvers.text import listed, quoted

FORWARD, BOTH, BACKWARD, CLOSED = 1, 0, -1, 2
"""Along the row or line only, both ways, against it only, neither way."""

_IN_WORDS = {
    FORWARD: "along the row",
    BOTH: "both ways",
    BACKWARD: "against the row",
    CLOSED: "closed, left out",
}
_YES, _NO = ("yes", "true", "1", "t", "y"), ("no", "false", "0", "f", "n", "")


def _flags(yes: int, no: int) -> dict[str, int]:
    return dict.fromkeys(_YES, yes) | dict.fromkeys(_NO, no)


_ONE_WAY = _flags(FORWARD, BOTH) | {
    "-1": BACKWARD,
    "reverse": BACKWARD,
    "ft": FORWARD,
    "tf": BACKWARD,
    "b": BOTH,
    "both": BOTH,
}
# of ArcGIS, HERE and pgRouting: from, to, both, none
_LETTERS = {
    "f": FORWARD,
    "ft": FORWARD,
    "t": BACKWARD,
    "tf": BACKWARD,
    "b": BOTH,
    "": BOTH,
    "n": CLOSED,
}
_CLEAR_LETTERS = frozenset(("b", "ft", "tf"))
_SIGNS = {"1": FORWARD, "0": BOTH, "-1": BACKWARD}
_WORDS = {
    **dict.fromkeys(("forward", "forwards", "ab", "directed", "oneway", "one-way"), FORWARD),
    **dict.fromkeys(("backward", "backwards", "reverse", "ba"), BACKWARD),
    **dict.fromkeys(("both", "undirected", "mutual", "bidirectional", "twoway", "two-way"), BOTH),
}
_TYPES = {"directed": FORWARD, "undirected": BOTH, "mutual": BOTH}
# words of a title, joined, and what may stand below it
_KINDS: tuple[tuple[frozenset[str], tuple[Mapping[str, int], ...]], ...] = (
    (frozenset(("directed", "isdirected")), (_flags(FORWARD, BOTH) | _TYPES,)),
    (
        frozenset(
            ("oneway", "isoneway", "onewaystreet", "onewayroad", "einbahn", "einbahnstrasse")
        ),
        (_ONE_WAY, _LETTERS),
    ),
    (
        frozenset(("direction", "dir", "dirtravel", "traveldir", "traveldirection", "richtung")),
        (_SIGNS, _LETTERS, _WORDS),
    ),
    (
        frozenset(("undirected", "bidirectional", "bidirected", "bidir", "twoway", "bothways")),
        (_flags(BOTH, FORWARD),),
    ),
    (frozenset(("type", "edgetype")), (_TYPES,)),
)


@dataclass(frozen=True)
class Directions:
    """A column or attribute that says the direction of each edge."""

    title: str
    meanings: Mapping[str, int]  # of its values, as of `value_of`
    seen: tuple[str, ...]  # values at the beginning
    unclear: str = ""  # why they may mean two things

    @property
    def is_of_roads(self) -> bool:
        """Whether it says which edges of an undirected network are one-way roads."""
        return self.meanings is _ONE_WAY or self.meanings is _LETTERS

    def __str__(self) -> str:
        """ "“directed” (0 both ways, 1 along the row)"; of words, the title alone."""
        if self.meanings is _TYPES:
            return f"“{quoted(self.title.strip(), 30)}”"
        said = (f"{value or 'empty'} {_IN_WORDS[self.meanings[value]]}" for value in self.seen)
        return f"“{quoted(self.title.strip(), 30)}” ({', '.join(said)})"


def value_of(cell: object) -> str:
    """A cell as a key of meanings: lower case, without blanks; whole floats as integers."""
    text = "" if cell is None else str(cell).strip().lower()
    return text.removesuffix(".0") if text.startswith(("0", "1", "-1")) else text


def find_directions(columns: Mapping[str, Iterable[object]]) -> Directions | None:
    """The column among these, by title, that says directions: by its words and all of its
    values; None without one.
    """
    found = {title: "".join(words_of(title)) for title in columns}
    for titles, vocabularies in _KINDS:
        for title, joined in found.items():
            if joined not in titles:
                continue
            seen = tuple(sorted({value_of(cell) for cell in columns[title]}))
            fitting = [words for words in vocabularies if _fits(seen, words)]
            if fitting:
                return Directions(title, fitting[0], seen, _unclear(title, seen, fitting))
    return None


def _fits(seen: tuple[str, ...], words: Mapping[str, int]) -> bool:
    if words is _TYPES:  # others are faults
        return not words.keys().isdisjoint(seen)
    letters = _LETTERS.keys() >= set(seen)
    if letters and words in (_ONE_WAY, _LETTERS):
        is_clear = not _CLEAR_LETTERS.isdisjoint(seen)
        return words is _LETTERS if is_clear else words is _ONE_WAY or "f" in seen or "t" in seen
    return any(seen) and words.keys() >= set(seen)


def _unclear(title: str, seen: tuple[str, ...], fitting: list[Mapping[str, int]]) -> str:
    if all(len({words[value] for words in fitting}) == 1 for value in seen if value in fitting[0]):
        return ""
    shown = listed([f"“{value.upper()}”" for value in seen if value])
    return f"{shown} in “{quoted(title, 30)}” may be true and false, or from and to"


def oriented(along: Int64s, tails: AnyArray, heads: AnyArray) -> tuple[Int64s, Bools, bool]:
    """The arcs of rows with these directions, (m,): the row of each, whether it leads against
    it, and whether all rows are undirected edges instead.

    Closed rows have no arc. Rows both ways have one each where all of them are listed in
    both directions, as by OSMnx.
    """
    rows = np.flatnonzero(along != CLOSED)
    both = np.flatnonzero((along == BOTH) & (tails != heads))
    ends = tails[both].tolist(), heads[both].tolist()
    there, back = set(zip(*ends, strict=True)), set(zip(*ends[::-1], strict=True))
    if (along == BOTH).all() and there != back:
        return rows, np.zeros(len(rows), np.bool_), True
    more = both[:0] if there == back else both
    turned = np.concatenate((along[rows] == BACKWARD, np.ones(len(more), np.bool_)))
    return np.concatenate((rows, more)), turned, False
