"""Times of repeated work, by the clock and by the processor, and how tables show them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from solvers.text import format_duration

_Value = TypeVar("_Value")


@dataclass
class Times:
    """Times of one piece of work in ms: by the clock, and processor time of all threads."""

    clock: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    def of(self, work: Callable[[], _Value]) -> _Value:
        """Time a call; returns its value."""
        clock, processor = time.perf_counter(), time.process_time()
        value = work()
        self.clock.append((time.perf_counter() - clock) * 1e3)
        self.processor.append((time.process_time() - processor) * 1e3)
        return value

    @property
    def medians(self) -> tuple[float, float]:
        return statistics.median(self.clock), statistics.median(self.processor)


def timed(work: Callable[[], object], trials: int) -> Times:
    """Times of the trials, after one that compiles and does not count."""
    work()
    times = Times()
    for _ in range(trials):
        times.of(work)
    return times


def cells(ms: Sequence[float]) -> tuple[str, str]:
    """Median, and least and greatest."""
    return format_duration(
        statistics.median(ms)
    ), f"{format_duration(min(ms))} – {format_duration(max(ms))}"
