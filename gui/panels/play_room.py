"""What the play bar shows of its parts where it is narrow. No widgets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum


class BarPart(Enum):
    """Parts of the play bar's first row, in the order in which a narrow one does without them."""

    WATCHED = "the words “watched run”, which tool tips say, too"
    PACE_NAME = "the name of the pace, beside its icon"
    SPEED = "iterations per second, which [ and ] change, too"
    WHERE_WORDS = "“iteration” before the numbers"
    LOOP = "the button for a loop"
    DURATION = "the duration of the play-back, which the menu Run has, too"
    TOTAL = "the number of iterations, after that of the present one"


def dropped_parts(whole: int, savings: Mapping[BarPart, int], room: int) -> frozenset[BarPart]:
    """The parts to do without.

    Parameters
    ----------
    whole : int
        Width of the row with all parts, in pixels.
    savings : mapping of BarPart to int
        By how much the row is narrower without a part.
    room : int
        Width that there is.
    """
    dropped = []
    for part in BarPart:
        if whole <= room:
            break
        dropped.append(part)
        whole -= savings.get(part, 0)
    return frozenset(dropped)


def whole_texts(widths: Sequence[int], gap: int, room: int) -> int:
    """How many of the texts, from the first, stand side by side in ``room``, with ``gap`` between two; at least one."""
    used = -gap
    for count, width in enumerate(widths):
        used += gap + width
        if used > room:
            return max(1, count)
    return len(widths)
