"""A race of runs side by side: who is where at one moment of real time, and how much it
is slowed down. No widgets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gui.model.playback import Playback, run_clock
from solvers.core.result import Result
from solvers.core.trace import ActivityTrace
from solvers.text import format_duration, grouped, three_digits

PHASE = "solve"  # what a trace records
MOST_RACERS = 4


@dataclass(frozen=True)
class Racer:
    variant_id: str
    title: str
    total_ms: float  # duration of the whole run
    short_title: str = ""  # stands in where the title has no room; the title by default

    @property
    def forms(self) -> tuple[str, str]:
        """The title and the short one."""
        return self.title, self.short_title or self.title


@dataclass(frozen=True)
class Standing:
    """Where a run is.

    Durations in the whole race are this run's by default.
    """

    racer: Racer
    elapsed_ms: float  # its clock, which stops when the run ends
    place: int | None  # 1 for the fastest, equal durations share one; None while the run goes on
    fastest_ms: float | None = None
    slowest_ms: float | None = None

    @property
    def share(self) -> float:
        """The time that has passed of this run, as a share of the slowest run's: all
        bars grow equally fast.
        """
        return self._of_slowest(self.elapsed_ms)

    @property
    def finish(self) -> float:
        """Where this run ends, as a share of the slowest run's duration."""
        return self._of_slowest(self.racer.total_ms)

    @property
    def factor_text(self) -> str:
        """ "63.5×": how many times as long as the fastest run it took; "" before its end
        and for the fastest.
        """
        fastest = self.fastest_ms or 0.0
        if self.place is None or self.place == 1 or fastest <= 0.0:
            return ""
        return f"{three_digits(self.racer.total_ms / fastest)}×"

    def _of_slowest(self, ms: float) -> float:
        slowest = self.racer.total_ms if self.slowest_ms is None else self.slowest_ms
        return ms / slowest if slowest > 0 else 1.0


def standings(racers: Sequence[Racer], now_ms: float) -> tuple[Standing, ...]:
    """The standing of every racer ``now_ms`` after the start that they share."""
    standing = []
    fastest, slowest = (
        best((racer.total_ms for racer in racers), default=0.0) for best in (min, max)
    )
    for racer in racers:
        ended = now_ms >= racer.total_ms * (1 - 1e-9)
        place = 1 + sum(other.total_ms < racer.total_ms for other in racers) if ended else None
        standing.append(Standing(racer, min(now_ms, racer.total_ms), place, fastest, slowest))
    return tuple(standing)


def time_scale(result: Result) -> float:
    """Factor from the clock of a result's watched run to that of its timed runs; 1 if
    one of them is not known.

    Recording makes a watched run slower, and not equally for all variants: their order
    could differ from the table's.
    """
    watched = result.trace
    total = float(run_clock(watched)[-1]) if isinstance(watched, ActivityTrace) else 0.0
    timed = result.median(PHASE)
    return timed / total if timed and total > 0.0 else 1.0


def ms_per_second(playback: Playback) -> float:
    """Milliseconds of the leading run's clock that a second of the play-back shows."""
    clock = run_clock(playback.trace)
    return float(clock[-1]) * playback.speed / max(1, playback.length)


def slow_motion(shown_ms: float) -> str:
    """ "1 s shows 2 ms, 500 times slower", where one second shows ``shown_ms`` of the runs."""
    if shown_ms <= 0.0:
        return ""
    number, _, unit = format_duration(float(f"{shown_ms:.2g}")).partition(" ")
    shown = f"1 s shows {_short(number)} {unit}"
    factor = 1000.0 / shown_ms
    if 0.95 < factor < 1.05:
        return f"{shown}, real time"
    text = (
        f"{_factor(factor)} times slower"
        if factor > 1.0
        else f"{_factor(1.0 / factor)} times faster"
    )
    return f"{shown}, {text}"


def _short(number: str) -> str:
    return number.rstrip("0").rstrip(".") if "." in number else number


def _factor(value: float) -> str:
    return (
        grouped(float(f"{value:.2g}"), ".0f")
        if value >= 10.0
        else _short(three_digits(float(f"{value:.2g}")))
    )


def racers_among(results: Sequence[Result]) -> tuple[Result, ...]:
    """The fastest results that can race, at most `MOST_RACERS`: right, from one source,
    with a time.
    """
    timed = [(ms, r) for r in results if (ms := r.median(PHASE)) is not None]
    timed.sort(key=lambda pair: pair[0])
    return tuple(result for _, result in timed[:MOST_RACERS])
