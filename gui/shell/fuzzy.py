"""Fuzzy matching for the command palette: letters in order, preferring adjacent letters and word starts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")

_WORD = re.compile(r"\w+")

_FIRST_OF_WORD = 6.0
_NEXT_TO_LAST = 4.0
_GAP = 0.2
_LEAST = 3.5  # per letter: letters strewn over a long text are no match
_BEGUN = 6.0  # of a text with words that begin with the words of the pattern
_WORDS = 3.0  # per letter of words found anywhere in the text or its keywords


def score(pattern: str, text: str) -> float | None:
    """Score of ``pattern`` in ``text``, higher is better; None if its letters do not occur in order. Ignores case."""
    wanted, lowered = pattern.lower().replace(" ", ""), text.lower()
    if not wanted:
        return 0.0
    starts = (at for at, letter in enumerate(lowered) if letter == wanted[0])
    return max((value for at in starts if (value := _score_from(at, wanted, lowered)) is not None), default=None)


def _score_from(start: int, wanted: str, text: str) -> float | None:
    """The score with the first letter at ``start``; None if the others do not follow."""
    total, last = 0.0, start
    for position, letter in enumerate(wanted):
        at = _best_place(text, letter, last) if position else start
        if at < 0:
            return None
        if at == 0 or not text[at - 1].isalnum():
            total += _FIRST_OF_WORD
        if position:
            total += _NEXT_TO_LAST if at == last + 1 else -_GAP * (at - last - 1)
        last = at
    return total - 0.01 * (start + len(text))


def rank(
    pattern: str, items: Iterable[Item], text_of: Callable[[Item], str],
    keywords_of: Callable[[Item], str] = lambda _: "",
) -> list[Item]:  # fmt: skip
    """The matching items, best first; ties keep their order.

    An item matches by the letters of ``pattern`` in its text, close enough together, or by all words of ``pattern`` in
    text and keywords, in any order.
    """
    scored = [
        (value, item) for item in items if (value := _match(pattern, text_of(item), keywords_of(item))) is not None
    ]
    return [item for _, item in sorted(scored, key=lambda pair: -pair[0])]


def _match(pattern: str, text: str, keywords: str) -> float | None:
    words = pattern.lower().split()
    letters = sum(map(len, words))
    by_letters = score(pattern, text)
    if by_letters is not None and by_letters < _LEAST * letters - 1.0:
        by_letters = None
    if by_letters is not None and all(any(own.startswith(word) for own in _words_of(text)) for word in words):
        by_letters += _BEGUN
    whole = f"{text} {keywords}".lower()
    by_words = _WORDS * letters - 0.01 * len(text) if words and all(word in whole for word in words) else None
    return max((value for value in (by_letters, by_words) if value is not None), default=None)


def _words_of(text: str) -> list[str]:
    return _WORD.findall(text.lower())


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
