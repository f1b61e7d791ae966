"""Steps within one iteration of a lesson: what is taken, and each arc with the sum that is compared. No Qt.

A trace has the distances before and after an iteration, not the order of work within it. The arcs are therefore relaxed
again here, in the order of the frontier: with the distances from before the iteration and, if these do not give what
the trace has, with those just lowered. Where neither does, as on a device where arcs are relaxed in another order each
time, the steps say only what follows from the distances themselves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gui.picture.scene.lesson import Lesson, distance_text, named_vertices
from solvers.core.pseudocode import Step
from solvers.text import plural

MOST_STEPS = 400
_TOLERANCE = 1e-5  # relative, for float32 sums


@dataclass(frozen=True)
class LessonStep:
    """One step.

    Attributes
    ----------
    step : Step
    text : str
        Such as "relax 3 → 5: 9 + 4 = 13 < 15".
    arc : (int, int) or None
        Vertex indices of the tail and the head it is about.
    """

    step: Step
    text: str
    arc: tuple[int, int] | None = None


def steps_of(lesson: Lesson, cycle: tuple[int, ...] = ()) -> tuple[LessonStep, ...]:
    """The steps of the lesson's iteration, in order; never empty.

    Parameters
    ----------
    lesson : Lesson
    cycle : tuple of int
        Vertices of the negative cycle that ended the run; empty if there is none.
    """
    arcs = _relaxed_arcs(lesson)
    relaxed = _replay(lesson, arcs, in_place=False) or _replay(lesson, arcs, in_place=True) or _differences(lesson)
    steps = [LessonStep(Step.SELECT, _selection(lesson)), *_shortened(relaxed)]
    if lesson.position == len(lesson.trace) - 1:
        steps.append(_ending(lesson, cycle))
    return tuple(steps)


def _selection(lesson: Lesson) -> str:
    """What the iteration works on."""
    active = lesson.trace.frontier(lesson.position).tolist()
    if lesson.relaxes_all:
        return "relax every arc whose tail is reached"
    if len(active) == 1:
        return f"take {_id(lesson, active[0])}, at distance {_number(float(lesson.before[active[0]]))}"
    return f"take {named_vertices(lesson.graph, sorted(active))}"


def _relaxed_arcs(lesson: Lesson) -> NDArray[np.intp]:
    """Arcs that the iteration relaxes, by the place of their tail in the frontier."""
    graph = lesson.graph
    if lesson.relaxes_all:
        return np.arange(graph.m)
    tails = lesson.trace.frontier(lesson.position).tolist()
    return np.concatenate([np.arange(graph.row(v).start, graph.row(v).stop) for v in tails] or [np.empty(0, np.intp)])


def _replay(lesson: Lesson, arcs: NDArray[np.intp], *, in_place: bool) -> list[LessonStep] | None:
    """The steps of relaxing ``arcs`` in that order; None if the distances are then not those of the trace."""
    graph, known = lesson.graph, lesson.before.copy()
    tails_at = known if in_place else lesson.before
    steps = []
    for arc in arcs.tolist():
        tail, head, weight = int(graph.tails[arc]), int(graph.indices[arc]), float(graph.weights[arc])
        reached, held = float(tails_at[tail]), float(known[head])
        if not np.isfinite(reached):
            continue
        offer = reached + weight
        steps.append(_relaxation(lesson, tail, head, reached, weight, held))
        if offer < held:
            known[head] = offer
    return steps if _same(known, lesson.after) else None


def _relaxation(lesson: Lesson, tail: int, head: int, reached: float, weight: float, held: float) -> LessonStep:
    offer = reached + weight
    falls = offer < held
    sign, size = ("+", weight) if weight >= 0 else ("\N{MINUS SIGN}", -weight)
    sum_text = f"{_number(reached)} {sign} {_number(size)} = {_number(offer)}"
    compared = f"{sum_text} {'<' if falls else '≥'} {_number(held)}"
    text = f"relax {_id(lesson, tail)} → {_id(lesson, head)}: {compared}"
    return LessonStep(Step.IMPROVE if falls else Step.TEST, text, (tail, head))


def _differences(lesson: Lesson) -> list[LessonStep]:
    """One step for each distance that fell, by the predecessor that accounts for it, if an arc does."""
    steps = []
    for head in sorted(lesson.improved):
        tail, held, now = int(lesson.parents[head]), float(lesson.before[head]), float(lesson.after[head])
        weight = _weight(lesson, tail, head)
        if weight is not None and _same(np.array([lesson.after[tail] + weight]), np.array([now])):
            steps.append(_relaxation(lesson, tail, head, float(lesson.after[tail]), weight, held))
        else:
            text = f"{_id(lesson, head)} falls from {_number(held)} to {_number(now)}"
            steps.append(LessonStep(Step.IMPROVE, text))
    return steps


def _weight(lesson: Lesson, tail: int, head: int) -> float | None:
    """Weight of the lightest arc from ``tail`` to ``head``; None if there is none."""
    if tail < 0:
        return None
    row = lesson.graph.row(tail)
    found = lesson.graph.weights[row][lesson.graph.indices[row] == head]
    return float(found.min()) if len(found) else None


def _shortened(steps: list[LessonStep]) -> list[LessonStep]:
    """All steps if they are few, else those that improve, and the number of the others."""
    if len(steps) <= MOST_STEPS:
        return steps
    improving = [step for step in steps if step.step is Step.IMPROVE][:MOST_STEPS]
    left = plural(len(steps) - len(improving), "further arc")
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


def _number(distance: float) -> str:
    """A distance as text, with a true minus sign, since it stands in a sum."""
    return distance_text(distance).replace("-", "\N{MINUS SIGN}")


def _id(lesson: Lesson, vertex: int) -> str:
    return lesson.graph.vertex_label(vertex)


def _same(one: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    """Equality of distances, infinity included, within the rounding of float32 sums."""
    finite = np.isfinite(one)
    if not np.array_equal(finite, np.isfinite(other)):
        return False
    return bool(np.allclose(one[finite], other[finite], rtol=_TOLERANCE, atol=_TOLERANCE))
