"""Lesson view of a small graph: the state of an iteration, and the steps within it. No Qt.

Tentative distances and relaxed and improving arcs are read from the trace, which
records the distances after every iteration of a small graph. A step says what is taken,
and shows each arc with the sum that is compared.

A trace has the distances before and after an iteration, not the order of work within
it. The arcs are therefore relaxed again here, in the order of the frontier: with the
distances from before the iteration and, if these do not give what the trace has, with
those just lowered. Where neither does, as on a device where arcs are relaxed in another
order each time, the steps say only what follows from the distances themselves.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from solvers.core.labelling import Labelling, VertexState
from solvers.core.pseudocode import Step
from solvers.core.trace import ActivityTrace, MatrixTrace
from solvers.graphs.graph import Graph
from solvers.picture.scene.figure import SMALL_GRAPH, ArcState
from solvers.picture.scene.values import bare_distance
from solvers.system.array_types import Float64s, Int32s
from solvers.text import format_count, plural
from solvers.units import public_unit

_MOST_NAMED = 4  # vertices listed by name in a sentence
TOLERANCE = 1e-5  # relative, for float32 sums

MOST_STEPS = 400


@dataclass(frozen=True, eq=False)
class RecordedLesson(ABC):
    """One recorded iteration, or phase, of a small graph, or its steps so far."""

    graph: Graph
    trace: ActivityTrace | MatrixTrace  # must have distances
    position: int  # in the trace
    progress: StepProgress | None = None  # None: the whole iteration

    @property
    @abstractmethod
    def after(self) -> Float64s:
        """(n,) the distances that are shown."""

    @property
    def at_end(self) -> bool:
        """Whether the run has ended."""
        return self.position >= len(self.trace) - 1 and self._begun is None

    @property
    def _begun(self) -> StepProgress | None:
        """The progress of an iteration of which some steps are left; else None."""
        return None if self.progress is None or self.progress.at_end else self.progress

    def value(self, vertex: int) -> str:
        """The distance that is shown at a vertex as text."""
        return self.text_of(float(self.after[vertex]))

    def text_of(self, distance: float) -> str:
        return bare_distance(distance, self.graph.weight_unit)

    def sum_of(self, first: float, second: float) -> str:
        """Such as "9 + 4"; a negative number is subtracted."""
        sign, size = ("+", second) if second >= 0 else ("\N{MINUS SIGN}", -second)
        return f"{self.text_of(first)} {sign} {self.text_of(size)}"


class Lesson(RecordedLesson):
    """The lesson of an iteration of a run from one source."""

    trace: ActivityTrace

    @property
    def quantity(self) -> str:
        """What `after` has of each vertex, for the head of a column."""
        unit = public_unit(self.graph.weight_unit)
        return f"Distance ({unit})" if unit else "Distance"

    @property
    def labelling(self) -> Labelling:
        return self.trace.labelling

    @cached_property
    def after(self) -> Float64s:
        """(n,) tentative distances after the iteration, or its steps so far; inf if not reached."""
        if self._begun is not None:
            known = self.before.copy()
            for step in self._begun.done:
                if step.fall is not None:
                    vertex, distance = step.fall
                    known[vertex] = distance
            return known
        assert self.trace.distances is not None  # checked by `lesson_of`
        return self.trace.distances[self.position]

    @cached_property
    def before(self) -> Float64s:
        """(n,) tentative distances before the iteration."""
        if self.position > 0:
            assert self.trace.distances is not None
            return self.trace.distances[self.position - 1]
        start = np.full(self.graph.n, np.inf)
        start[self.trace.frontier(0)] = 0.0
        return start

    @cached_property
    def active(self) -> frozenset[int]:
        return frozenset(self.trace.frontier(self.position).tolist())

    @cached_property
    def improved(self) -> frozenset[int]:
        """Vertices whose distance has decreased."""
        return frozenset(np.flatnonzero(self.after < self.before).tolist())

    @cached_property
    def parents(self) -> Int32s:
        """(n,) predecessor of each vertex by tentative distance; -1 for none.

        If the tail improved later, no arc is tight; the arc with the least slack is
        taken.
        """
        graph = self.graph
        known = np.isfinite(self.after[graph.tails]) & np.isfinite(self.after[graph.indices])
        arcs = np.flatnonzero(known & (graph.tails != graph.indices))
        ways = self.after[graph.tails[arcs]] + graph.weights[arcs]
        slack = self.after[graph.indices[arcs]] - ways
        fits = slack >= -TOLERANCE * (1.0 + np.abs(ways))
        parents = np.full(graph.n, -1, np.int32)
        order = arcs[fits][np.argsort(slack[fits], kind="stable")[::-1]]
        # the last one written has the least slack
        parents[graph.indices[order]] = graph.tails[order]
        parents[self.trace.frontier(0)] = -1
        return parents

    @cached_property
    def relaxing(self) -> frozenset[int]:
        """Vertices whose arcs the iteration relaxes: the active ones, or all that were reached."""
        if self.relaxes_all:
            return frozenset(np.flatnonzero(np.isfinite(self.before)).tolist())
        return self.active

    @cached_property
    def _relaxed(self) -> frozenset[tuple[int, int]] | None:
        """Tails and heads of the arcs relaxed so far; None for all of the iteration's."""
        if self._begun is None:
            return None
        return frozenset(step.arc for step in self._begun.done if step.arc is not None)

    def vertex(self, vertex: int) -> VertexState:
        if vertex in self.relaxing:
            return VertexState.ACTIVE
        if not np.isfinite(self.after[vertex]):
            return VertexState.UNREACHED
        return (
            VertexState.INACTIVE
            if 0 <= self.trace.last_active[vertex] < self.position
            else VertexState.TENTATIVE
        )

    def arc(self, tail: int, head: int) -> ArcState:
        """State of the lightest of the parallel arcs from ``tail`` to ``head``."""
        if self.parents[head] == tail:
            return ArcState.IMPROVED if head in self.improved else ArcState.TREE
        done = tail in self.relaxing if self._relaxed is None else (tail, head) in self._relaxed
        return ArcState.RELAXED if done else ArcState.IDLE

    @property
    def step_path(self) -> tuple[int, ...] | None:
        """Tail and head of the arc that the last step is about; None without one."""
        return None if self.progress is None else self.progress.done[-1].arc

    @property
    def words(self) -> str:
        """Sentence that describes the iteration, or its last step."""
        if self.progress is not None:
            place = f"step {len(self.progress.done)} of {len(self.progress.steps)}"
            last = self.progress.done[-1].text
            return f"{_iteration(self.trace, self.position)}  ·  {place}  ·  {last}"
        relaxing = (
            "every reached vertex relaxes its arcs" if self.relaxes_all else self._relaxing_words()
        )
        fell = sorted(self.improved)
        comes = "comes" if len(fell) == 1 else "come"
        gain = (
            f"{named_vertices(self.graph, fell)} {comes} nearer" if fell else "no distance improves"
        )
        return f"{_iteration(self.trace, self.position)}: {relaxing}; {gain}"

    def history(self, vertex: int) -> Float64s:
        """All distances that are shown at a vertex, one after the other."""
        assert self.trace.distances is not None  # checked by `lesson_of`
        return self.trace.distances[:, vertex]

    def former_value(self, vertex: int) -> str:
        """The distance replaced by the iteration; "" if there was none or it did not change."""
        fell = vertex in self.improved and np.isfinite(self.before[vertex])
        return self.text_of(float(self.before[vertex])) if fell else ""

    @cached_property
    def relaxes_all(self) -> bool:
        """True if the iteration relaxed all arcs, not only those of active vertices."""
        own = int(self.graph.out_degrees[sorted(self.active)].sum())
        return (
            self.trace.stride == 1 and int(self.trace.relaxed[self.position]) == self.graph.m > own
        )

    def _relaxing_words(self) -> str:
        active = sorted(self.active)
        if self.trace.stride == 1:  # as counted: variants may relax a part, or arcs of copies
            arcs = self.trace.relaxed[self.position]
        else:
            arcs = self.graph.out_degrees[active].sum()
        return _relaxing(self.graph, active, int(arcs))


@dataclass(frozen=True)
class LessonStep:
    """A step of an iteration, as it is explained."""

    step: Step
    text: str  # such as "relax 3 → 5: 9 + 4 = 13 < 15"
    # vertex indices of the tail and the head it is about, or row and column of a cell
    arc: tuple[int, int] | None = None
    fall: tuple[int, float] | None = None  # vertex whose distance falls, and the new distance
    pivot: int | None = None  # through which the cell's path is tried


@dataclass(frozen=True)
class StepProgress:
    """How far an iteration has come: ``steps`` are all of it, ``done`` the first ones,
    at least one.
    """

    steps: tuple[LessonStep, ...]
    done: tuple[LessonStep, ...]

    @property
    def at_end(self) -> bool:
        return len(self.done) == len(self.steps)


def lesson_of(graph: Graph, trace: ActivityTrace | None, position: int) -> Lesson | None:
    """The lesson of recorded iteration ``position``; None for larger graphs or a trace
    without distances.
    """
    if (
        trace is None
        or trace.distances is None
        or graph.n > SMALL_GRAPH
        or not 0 <= position < len(trace)
    ):
        return None
    return Lesson(graph, trace, position)


def words_without_distances(graph: Graph, trace: ActivityTrace | MatrixTrace, position: int) -> str:
    """Sentence for a small graph whose trace has no distances; "" if there is a lesson."""
    if (
        isinstance(trace, MatrixTrace)
        or trace.distances is not None
        or graph.n > SMALL_GRAPH
        or not 0 <= position < len(trace)
    ):
        return ""
    relaxing = _relaxing(
        graph, sorted(trace.frontier(position).tolist()), int(trace.relaxed[position])
    )
    return f"{_iteration(trace, position)}: {relaxing}; this variant records no tentative distances"


def _iteration(trace: ActivityTrace, position: int) -> str:
    return f"Iteration {format_count(position * trace.stride + 1)}"


def _relaxing(graph: Graph, active: list[int], arcs: int) -> str:
    return (
        f"{named_vertices(graph, active)} {'relaxes' if len(active) == 1 else 'relax'} "
        f"{plural(arcs, 'arc')}"
    )


def named_vertices(graph: Graph, vertices: list[int]) -> str:
    """Ids of a few vertices, or the number of many, for a sentence."""
    if len(vertices) > _MOST_NAMED:
        return plural(len(vertices), "vertex", "vertices")
    names = [graph.vertex_label(v) for v in vertices]
    return (
        " and ".join([", ".join(names[:-1]), names[-1]])
        if len(names) > 1
        else "".join(names) or "nothing"
    )


def steps_of(lesson: Lesson, cycle: tuple[int, ...] = ()) -> tuple[LessonStep, ...]:
    """The steps of the lesson's whole iteration, in order; never empty. A negative
    ``cycle`` is what ended the run.
    """
    arcs = _relaxed_arcs(lesson)
    relaxed = (
        _replay(lesson, arcs, in_place=False)
        or _replay(lesson, arcs, in_place=True)
        or _differences(lesson)
    )
    steps = [LessonStep(Step.SELECT, _selection(lesson)), *shortened(relaxed, "arc")]
    if lesson.position == len(lesson.trace) - 1:
        steps.append(_ending(lesson, cycle))
    return tuple(steps)


def _selection(lesson: Lesson) -> str:
    active = lesson.trace.frontier(lesson.position).tolist()
    if lesson.relaxes_all:
        return "relax every arc whose tail is reached"
    if len(active) == 1:
        return (
            f"take {_id(lesson, active[0])}, at distance "
            f"{lesson.text_of(float(lesson.before[active[0]]))}"
        )
    return f"take {named_vertices(lesson.graph, sorted(active))}"


def _relaxed_arcs(lesson: Lesson) -> NDArray[np.intp]:
    """Arcs that the iteration relaxes, by the place of their tail in the frontier."""
    graph = lesson.graph
    if lesson.relaxes_all:
        return np.arange(graph.m)
    tails = lesson.trace.frontier(lesson.position).tolist()
    return np.concatenate(
        [np.arange(graph.row(v).start, graph.row(v).stop) for v in tails] or [np.empty(0, np.intp)]
    )


def _replay(lesson: Lesson, arcs: NDArray[np.intp], *, in_place: bool) -> list[LessonStep] | None:
    """The steps of relaxing ``arcs`` in that order; None if the distances are then not
    those of the trace.
    """
    graph, known = lesson.graph, lesson.before.copy()
    tails_at = known if in_place else lesson.before
    steps = []
    for arc in arcs.tolist():
        tail = int(graph.tails[arc])
        head = int(graph.indices[arc])
        weight = float(graph.weights[arc])
        reached, held = float(tails_at[tail]), float(known[head])
        if not np.isfinite(reached):
            continue
        offer = reached + weight
        steps.append(_relaxation(lesson, tail, head, reached, weight, held))
        if offer < held:
            known[head] = offer
    return steps if same_distances(known, lesson.after) else None


def _relaxation(
    lesson: Lesson, tail: int, head: int, reached: float, weight: float, held: float
) -> LessonStep:
    offer = reached + weight
    falls = offer < held
    least, before = lesson.text_of(offer), lesson.text_of(held)
    compared = f"{lesson.sum_of(reached, weight)} = {least} {'<' if falls else '≥'} {before}"
    text = f"relax {_id(lesson, tail)} → {_id(lesson, head)}: {compared}"
    if not falls:
        return LessonStep(Step.TEST, text, (tail, head))
    return LessonStep(Step.IMPROVE, text, (tail, head), (head, offer))


def _differences(lesson: Lesson) -> list[LessonStep]:
    """One step for each distance that fell, by the predecessor that accounts for it, if
    an arc does.
    """
    steps = []
    for head in sorted(lesson.improved):
        tail = int(lesson.parents[head])
        held = float(lesson.before[head])
        now = float(lesson.after[head])
        weight = _weight(lesson, tail, head)
        if weight is not None and same_distances(
            np.array([lesson.after[tail] + weight]), np.array([now])
        ):
            steps.append(_relaxation(lesson, tail, head, float(lesson.after[tail]), weight, held))
        else:
            fall = f"falls from {lesson.text_of(held)} to {lesson.text_of(now)}"
            text = f"{_id(lesson, head)} {fall}"
            steps.append(LessonStep(Step.IMPROVE, text, fall=(head, now)))
    return steps


def _weight(lesson: Lesson, tail: int, head: int) -> float | None:
    """Weight of the lightest arc from ``tail`` to ``head``; None if there is none."""
    if tail < 0:
        return None
    row = lesson.graph.row(tail)
    found = lesson.graph.weights[row][lesson.graph.indices[row] == head]
    return float(found.min()) if len(found) else None


def shortened(steps: list[LessonStep], one: str) -> list[LessonStep]:
    """All steps if they are few, else those that improve, and the number of the others."""
    if len(steps) <= MOST_STEPS:
        return steps
    improving = [step for step in steps if step.step is Step.IMPROVE][:MOST_STEPS]
    left = plural(len(steps) - len(improving), f"further {one}")
    return [*improving, LessonStep(Step.TEST, f"{left}: not listed")]


def _ending(lesson: Lesson, cycle: tuple[int, ...]) -> LessonStep:
    """Why the run ends with this iteration."""
    if cycle:
        way = " → ".join(_id(lesson, v) for v in (*cycle, cycle[0]))
        text = f"a distance still falls: negative cycle {way}, each round lowers it further"
        return LessonStep(Step.NEGATIVE_CYCLE, text)
    unreached = int(np.count_nonzero(~np.isfinite(lesson.after)))
    rest = f"; {plural(unreached, 'vertex', 'vertices')} not reached" if unreached else ""
    return LessonStep(Step.END, f"nothing is left to do{rest}")


def _id(lesson: Lesson, vertex: int) -> str:
    return lesson.graph.vertex_label(vertex)


def same_distances(one: Float64s, other: Float64s) -> bool:
    """Equality of distances, infinity included, within the rounding of float32 sums."""
    return np.allclose(one, other, rtol=TOLERANCE, atol=TOLERANCE)
