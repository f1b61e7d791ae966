"""Whether a search is faster shared by threads or made by one alone, by what the last ones took."""

from __future__ import annotations

# The last searches alone, and shared, whose times are compared; the slower is tried again
# after so many searches, sooner while little is known, and seldom where it is much slower
_COMPARED, _AGAIN, _SOON, _SELDOM = 3, 20, (4, 7, 10), 100
_FEWER = 4  # times the arcs: a search of so many fewer tells nothing of the others


class SearchTimes:
    """Chooses between searches that are shared and made alone by what the last ones took."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        self._seconds: tuple[list[float], list[float]] = [], []  # shared, alone
        self._searches, self._arcs, self._try_alone = 0, 0, False
        self._was_alone = False
        self._woke = False  # whether the last search woke helpers, and tells nothing of the next

    def is_faster_alone(self) -> bool:
        """Of the next search. The slower is tried again at times, and a search alone that
        takes twice as long only until there are enough to know; shared ones may have met
        a program that has ended. Alone the least time counts, which other programs lengthen.
        """
        if self._woke:
            return False
        self._searches += 1
        if not all(self._seconds):
            return self._try_alone
        last = sorted(self._seconds[False])
        shared, alone = last[len(last) // 2], min(self._seconds[True])
        is_due = self._searches % _AGAIN == 0 or self._searches in _SOON
        if shared <= alone:
            is_unsure = self._try_alone and len(self._seconds[True]) < _COMPARED
            return is_due and (is_unsure or alone < 2 * shared)
        if shared >= 2 * alone and len(self._seconds[False]) == _COMPARED:
            is_due = self._searches % _SELDOM == 0
        return not is_due

    def note(self, alone: bool, seconds: float, may_be_faster_alone: bool, arcs: int) -> None:
        """What a search took that relaxed so many ``arcs``; ``may_be_faster_alone``: seen where it
        was shared. From some vertices little is reached, and soon.
        """
        if _FEWER * arcs < self._arcs:
            return
        if arcs > _FEWER * self._arcs:
            self.forget()
        self._arcs = max(self._arcs, arcs)
        comes_after, self._was_alone = self._was_alone and not alone, alone
        self._woke = comes_after and seconds > min(self._seconds[True])
        if self._woke:
            return
        last = self._seconds[alone]
        last.append(seconds)
        del last[:-_COMPARED]
        self._try_alone = may_be_faster_alone and not alone
