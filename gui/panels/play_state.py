"""Texts and button states of the play bar for every play-back state, and its parts
where it is narrow. No widgets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from gui.model.playback import FIT_SECONDS, FlowSteps, Pace, Played
from gui.style.text import ordinal
from solvers.core.result import Result, Status
from solvers.core.trace import DEFAULT_CAP_BYTES, ActivityTrace, MatrixTrace
from solvers.core.variant import Answers, RunsOn
from solvers.system.array_types import Int64s
from solvers.text import format_bytes, format_count, format_duration, plural

WATCHED_TIP = (
    "From a watched run of its own, which records every iteration. Its times include the "
    "recording, and its number of iterations can differ from that of the timed runs in the table."
)

FLOWS_TIP = (
    "Flows from sources drawn at random, more at each step; "
    "at the last step, those of the whole run"
)

# Cost of recording one iteration: copying the frontier and, on a device, synchronising
# and fetching its flags.
RECORDING_MS = {RunsOn.GPU: 0.3, RunsOn.HYBRID: 0.3}
RECORDING_ON_HOST_MS = 0.1
# of variants that settle one vertex per iteration: they report iterations in batches
BATCHED_SLOWDOWN = 1.5
SETTLING_MS = 0.001  # per iteration of those, if no timed run is known
SNAPSHOT_BYTES = 256 * 256 * 4

FIT_TIP = (
    "Duration of the whole play-back: steps are gathered into pictures so that it lasts this long"
)
OWN_SPEED = "own"  # in place of a duration


class PlayState(Enum):
    EMPTY = "no trace"
    AT_START = "at the start"
    BETWEEN = "between"
    AT_END = "at the end"
    PLAYING = "playing"


class Button(Enum):
    FIRST = "first"
    BACK = "step-back"
    PLAY = "play"
    FORWARD = "step-forward"
    LAST = "last"


@dataclass(frozen=True)
class Look:
    """Appearance of a button: icon name, label (tooltip and accessible name), enabled state."""

    icon: str
    label: str
    enabled: bool


_FIRST = Look("first", "First step (Home)", True)
_BACK = Look("step-back", "Step back (Left)", True)
_PLAY = Look("play", "Play (Space)", True)
_AGAIN = Look("play", "Play from the start (Space)", True)
_PAUSE = Look("pause", "Pause (Space)", True)
_FORWARD = Look("step-forward", "Step forward (Right)", True)
_LAST = Look("last", "Last step (End)", True)


def _off(look: Look) -> Look:
    return Look(look.icon, look.label, False)


LOOKS: dict[PlayState, dict[Button, Look]] = {
    state: dict(zip(Button, looks, strict=True))
    for state, looks in {
        PlayState.EMPTY: (_off(_FIRST), _off(_BACK), _off(_PLAY), _off(_FORWARD), _off(_LAST)),
        PlayState.AT_START: (_off(_FIRST), _off(_BACK), _PLAY, _FORWARD, _LAST),
        PlayState.BETWEEN: (_FIRST, _BACK, _PLAY, _FORWARD, _LAST),
        PlayState.AT_END: (_FIRST, _BACK, _AGAIN, _off(_FORWARD), _off(_LAST)),
        PlayState.PLAYING: (_FIRST, _BACK, _PAUSE, _FORWARD, _LAST),
    }.items()
}


def play_state(length: int, position: int, playing: bool) -> PlayState:
    """The state of a play-back of ``length`` recorded iterations; a single one counts
    as the end.
    """
    if length == 0:
        return PlayState.EMPTY
    if playing:
        return PlayState.PLAYING
    if position >= length - 1:
        return PlayState.AT_END
    return PlayState.AT_START if position == 0 else PlayState.BETWEEN


def where_text(trace: Played | None, position: int) -> str:
    """Position as text: "iteration 412 of 1,080", "sweep, level 3 of 269"; for a matrix
    "step 3 of 85, phase 2".
    """
    if trace is None or len(trace) == 0:
        return ""
    if isinstance(trace, MatrixTrace):
        step = trace.steps[position]
        last = trace.steps[-1].step
        return f"step {format_count(step.step + 1)} of {format_count(last + 1)}, phase {step.phase}"
    return trace.place(position)


def widest_places(trace: Played | None) -> list[str]:
    """Positions as text, among them the longest: those at which all counts have the most digits."""
    if trace is None or len(trace) == 0:
        return []
    ends = [len(trace) - 1]
    if isinstance(trace, ActivityTrace):
        ends += [min(phase.last // trace.stride, len(trace)) - 1 for phase in trace.phases]
    return [where_text(trace, max(0, end)) for end in ends]


def without_words(where: str) -> str:
    """A position without the word before its number: "412 of 1,080"."""
    words = where.split(" ")
    numbered = next((i for i, word in enumerate(words) if word[:1].isdigit()), 0)
    return " ".join(words[: max(0, numbered - 1)] + words[numbered:])


def facts(trace: Played | None, position: int, gathered: int = 1) -> list[str]:
    """Figures of the recorded iterations of a picture, the last of ``gathered``, summed
    over those they stand for.
    """
    if trace is None or len(trace) == 0:
        return []
    if isinstance(trace, MatrixTrace):
        step = trace.steps[position]
        return [
            plural(len(step.tiles), "tile"),
            plural(_cells(step.tiles), "cell"),
            format_duration(step.ms),
        ]
    if isinstance(trace, FlowSteps):
        return [f"step {format_count(position + 1)} of {format_count(len(trace))}"]
    first, last = max(0, position + 1 - gathered), position + 1
    together = (last - first) * trace.stride
    over = f"in {format_count(together)} iterations: " if together > 1 else ""
    active = int(trace.offsets[last] - trace.offsets[first])
    return [
        f"{format_count(active)} active",
        f"{over}{plural(int(trace.relaxed[first:last].sum()), 'arc')} relaxed",
        f"{format_count(int(trace.improved[first:last].sum()))} improved",
        format_duration(float(trace.ms[first:last].sum())),
    ]


def stride_text(trace: Played | None) -> str:
    """ "every 4th iteration recorded", or "" if all were."""
    if isinstance(trace, ActivityTrace) and trace.stride > 1:
        return f"every {ordinal(trace.stride)} iteration recorded"
    return ""


def gathered_text(trace: Played | None, gathered: int) -> str:
    """ "gathered 294 steps a picture", or "" where each picture shows one."""
    several = isinstance(trace, ActivityTrace) and gathered > 1
    return f"gathered {format_count(gathered)} steps a picture" if several else ""


def activity(trace: Played | None) -> Int64s:
    """Values for the slider's track: active vertices, cells written, or sources of each
    recorded iteration.
    """
    if trace is None:
        return np.empty(0, np.int64)
    if isinstance(trace, MatrixTrace):
        return np.array([_cells(step.tiles) for step in trace.steps], dtype=np.int64)
    if isinstance(trace, FlowSteps):
        return np.array(trace.counts, dtype=np.int64)
    return np.diff(trace.offsets)


def _cells(tiles: Int64s) -> int:
    return int(((tiles[:, 1] - tiles[:, 0]) * (tiles[:, 3] - tiles[:, 2])).sum())


@dataclass(frozen=True)
class TraceOffer:
    """Text shown in place of the player without a trace, and whether the Trace button is shown."""

    text: str
    can_trace: bool = False


def trace_offer(result: Result | None) -> TraceOffer:
    if result is None:
        return TraceOffer("Run a variant and select it to play back its iterations here.")
    if result.status is Status.NEGATIVE_CYCLE:
        return TraceOffer(
            f"{result.variant.full_title} found a negative cycle. Trace it to see how "
            "distances fall without end.",
            can_trace=True,
        )
    if result.status is not Status.OK:
        return TraceOffer(f"{result.variant.full_title} returned no result to play back.")
    ms, size = trace_cost(result)
    return TraceOffer(
        f"No trace yet: one more run of about {format_duration(ms)}, up to {format_bytes(size)}.",
        can_trace=True,
    )


def trace_cost(result: Result) -> tuple[float, int]:
    """Rough estimate of a traced run: milliseconds (from the timed runs) and bytes."""
    iterations, timed_ms = result.iterations or 1, result.median("total")
    if settles_one_by_one(result):
        ms = BATCHED_SLOWDOWN * (iterations * SETTLING_MS if timed_ms is None else timed_ms)
    else:
        ms = (timed_ms or 0.0) + iterations * RECORDING_MS.get(
            result.variant.runs_on, RECORDING_ON_HOST_MS
        )
    if result.variant.answers is Answers.APSP:
        return ms, iterations * SNAPSHOT_BYTES
    graph = result.graph
    visits = (result.relaxations or graph.m) / max(1.0, graph.m / max(1, graph.n))
    return ms, min(DEFAULT_CAP_BYTES, int(4 * visits)) + 8 * graph.n


def settles_one_by_one(result: Result) -> bool:
    """True if an iteration settles one vertex, as in Dijkstra's algorithm, judged by
    arcs relaxed per iteration.
    """
    if result.variant.answers is Answers.APSP or not result.iterations:
        return False
    a_vertex = result.graph.m / max(1, result.graph.n)
    return (result.relaxations or result.graph.m) <= 1.5 * result.iterations * a_vertex


@dataclass(frozen=True)
class PaceWords:
    """Name of a pace, its last word for a narrow button, and its explanation."""

    name: str
    tip: str

    @property
    def short(self) -> str:
        return self.name.split()[-1]


PACES = {
    Pace.ITERATIONS: PaceWords(
        "Equal iterations",
        "Each iteration is shown equally long; runs side by side are at the same iteration",
    ),
    Pace.TIME: PaceWords(
        "Equal time",
        "Each iteration is shown in proportion to its time; "
        "runs side by side have taken the same time",
    ),
    Pace.PROGRESS: PaceWords(
        "Equal progress",
        "Runs side by side have done the same share of their iterations, and end together",
    ),
}


def fit_text(seconds: float) -> str:
    """ "15 s"; a duration of the user's own with up to three digits."""
    return f"{seconds:.3g} s" if seconds < 1000 else f"{seconds:.0f} s"


def fit_choices(seconds: float | None) -> list[float]:
    """Durations to choose from, in order: those offered and, where it is none of them,
    the present one.
    """
    return sorted({*FIT_SECONDS, *(() if seconds is None else (seconds,))})


def seconds_of(text: str) -> float | None:
    """The duration that a user typed, in seconds: "20", "20 s", "1.5 min"; None if it is none."""
    words = text.strip().lower().replace(",", ".")
    for suffix, factor in (("min", 60.0), ("sec", 1.0), ("s", 1.0), ("m", 60.0), ("", 1.0)):
        if words.endswith(suffix):
            try:
                seconds = float(words.removesuffix(suffix)) * factor
            except ValueError:
                return None
            return seconds if np.isfinite(seconds) and seconds > 0 else None
    return None


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
    """The parts to do without, so that the width of all in pixels, less the savings, is
    at most ``room``.
    """
    dropped = []
    for part in BarPart:
        if whole <= room:
            break
        dropped.append(part)
        whole -= savings.get(part, 0)
    return frozenset(dropped)


def whole_texts(widths: Sequence[int], gap: int, room: int) -> int:
    """How many of the texts, from the first, stand side by side in ``room``, with
    ``gap`` between two; at least one.
    """
    used = -gap
    for count, width in enumerate(widths):
        used += gap + width
        if used > room:
            return max(1, count)
    return len(widths)
