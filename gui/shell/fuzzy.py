"""Fuzzy matching for the command palette: letters in order, preferring adjacent letters and word starts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")

_FIRST_OF_WORD = 6.0
_NEXT_TO_LAST = 4.0
_GAP = 0.2


def score(pattern: str, text: str) -> float | None:
    """Score of ``pattern`` in ``text``, higher is better; None if its letters do not occur in order. Ignores case."""
    wanted = pattern.lower().replace(" ", "")
    if not wanted:
        return 0.0
    lowered = text.lower()
    total, last = 0.0, -1
    for letter in wanted:
        at = _best_place(lowered, letter, last)
        if at < 0:
            return None
        if at == 0 or not lowered[at - 1].isalnum():
            total += _FIRST_OF_WORD
        if at == last + 1:
            total += _NEXT_TO_LAST
        total -= _GAP * (at - last - 1)
        last = at
    return total - 0.01 * len(text)


def rank(pattern: str, items: Iterable[Item], text_of: Callable[[Item], str]) -> list[Item]:
    """The matching items, best first; ties keep their order."""
    scored = [(value, item) for item in items if (value := score(pattern, text_of(item))) is not None]
    return [item for _, item in sorted(scored, key=lambda pair: -pair[0])]


def _best_place(text: str, letter: str, after: int) -> int:
    """Next index of ``letter``: directly after the last match, else at a word start, else anywhere."""
    first = text.find(letter, after + 1)
    if first in (-1, after + 1):
        return first
    at = first
    while at >= 0:
        if not text[at - 1].isalnum():
            return at
        at = text.find(letter, at + 1)
    return first
