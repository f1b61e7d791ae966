"""Pseudo-code of the algorithms, line by line, each line with the step that it does. Data only.

A variant names its text in its metadata; the window marks the line that a step of the play-back is at.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Step(Enum):
    """What a line of pseudo-code does; the steps of an iteration are told apart by it."""

    START = "start"
    SELECT = "select"
    SCAN = "scan"
    TEST = "test"
    IMPROVE = "improve"
    END = "end"
    NEGATIVE_CYCLE = "negative cycle"


@dataclass(frozen=True)
class PseudocodeLine:
    """One line."""

    step: Step
    text: str  # without its indentation
    depth: int = 0  # number of loops and conditions around it


@dataclass(frozen=True)
class Pseudocode:
    """The text of an algorithm."""

    title: str
    # every step except NEGATIVE_CYCLE has a line; of several with the same step, the last does it
    lines: tuple[PseudocodeLine, ...]

    def line_of(self, step: Step) -> int | None:
        """Index of the line that does ``step``; None if the algorithm has no such step."""
        return next((i for i in range(len(self.lines) - 1, -1, -1) if self.lines[i].step is step), None)


_L = PseudocodeLine
_DISTANCES = _L(Step.START, "d[s] ← 0; d[v] ← ∞ for every other vertex v")
_ANSWER = _L(Step.END, "the distances d are final")
_LOWER = "d[v] ← d[u] + w; p[v] ← u"


def _relaxation(depth: int, lower: str = _LOWER) -> tuple[PseudocodeLine, PseudocodeLine]:
    """The test and the improvement of the arc (u, v) of weight w."""
    return _L(Step.TEST, "if d[u] + w < d[v]:", depth), _L(Step.IMPROVE, lower, depth + 1)


BELLMAN_FORD = Pseudocode(
    "Bellman-Ford: every arc in every pass",
    (
        _DISTANCES,
        _L(Step.SELECT, "repeat, as long as a pass changes something:"),
        _L(Step.SCAN, "for each arc (u, v) of weight w:", 1),
        *_relaxation(2),
        _L(Step.NEGATIVE_CYCLE, "if pass n still changes something: negative cycle"),
        _ANSWER,
    ),
)

FLAGGED_BELLMAN_FORD = Pseudocode(
    "Bellman-Ford: only arcs of vertices that came nearer",
    (
        _DISTANCES,
        _L(Step.START, "F ← {s}"),
        _L(Step.SELECT, "while F is not empty: take F, and clear it"),
        _L(Step.SCAN, "for each arc (u, v) of weight w with u in the F taken:", 1),
        *_relaxation(2, f"{_LOWER}; put v into F"),
        _L(Step.NEGATIVE_CYCLE, "if pass n still changes something: negative cycle"),
        _ANSWER,
    ),
)

DIJKSTRA = Pseudocode(
    "Dijkstra: the nearest vertex first",
    (
        _DISTANCES,
        _L(Step.SELECT, "while a vertex is reached and not settled:"),
        _L(Step.SELECT, "u ← the nearest of them; settle u", 1),
        _L(Step.SCAN, "for each arc (u, v) of weight w:", 1),
        *_relaxation(2),
        _ANSWER,
    ),
)

FRONTIER_DIJKSTRA = Pseudocode(
    "Dijkstra with compound frontiers, from the frontier",
    (
        _DISTANCES,
        _L(Step.START, "F ← {s}"),
        _L(Step.SCAN, "for each arc (u, v) of weight w with u in F, v not settled:", 1),
        *_relaxation(2),
        _L(Step.SELECT, "F ← all unsettled vertices at the least distance; settle them", 1),
        _L(Step.END, "until F is empty: the distances d are final"),
    ),
)

UNRESOLVED_DIJKSTRA = Pseudocode(
    "Dijkstra with compound frontiers, from the unsettled vertices",
    (
        _DISTANCES,
        _L(Step.START, "F ← {s}"),
        _L(Step.SCAN, "for each unsettled v, and each arc (u, v) of weight w with u in F:", 1),
        *_relaxation(2),
        _L(Step.SELECT, "F ← all unsettled vertices at the least distance; settle them", 1),
        _L(Step.END, "until F is empty: the distances d are final"),
    ),
)

NEAR_FAR = Pseudocode(
    "Near and far: a band of distances at a time",
    (
        _DISTANCES,
        _L(Step.START, "near ← {s}; far ← {}; limit ← delta"),
        _L(Step.SELECT, "while near is not empty: take near, and clear it"),
        _L(Step.SCAN, "for each arc (u, v) of weight w with u in the near taken:", 1),
        *_relaxation(2, f"{_LOWER}; put v into near if d[v] ≤ limit, else into far"),
        _L(Step.END, "near is empty: raise limit by delta, move far vertices below it to near"),
        _L(Step.END, "far is empty too: the distances d are final"),
    ),
)

NEAR_FAR_PARTS = Pseudocode(
    "Near and far by parts of the graph",
    (
        _DISTANCES,
        _L(Step.START, "the part of s waits; limit ← delta"),
        _L(Step.SELECT, "while a part waits: take those whose nearest waiting vertex is within limit"),
        _L(Step.SCAN, "until nothing changes within the part, for each arc (u, v) of weight w:", 1),
        *_relaxation(2),
        _L(Step.SCAN, "relax the arcs that leave the part; parts they improve wait", 1),
        _L(Step.END, "no part is within limit: raise limit by delta"),
        _L(Step.END, "no part waits: the distances d are final"),
    ),
)

DELTA_STEPPING = Pseudocode(
    "Delta-stepping: a bucket of distances at a time",
    (
        _DISTANCES,
        _L(Step.START, "put s into bucket 0"),
        _L(Step.SELECT, "while a bucket is not empty: take the vertices of the first such"),
        _L(Step.SCAN, "for each arc (u, v) of weight w that leaves one of them:", 1),
        *_relaxation(2, f"{_LOWER}; put v into bucket d[v] / delta"),
        _ANSWER,
    ),
)

A_STAR = Pseudocode(
    "A*: the vertex first whose path promises to be shortest",
    (
        _DISTANCES,
        _L(Step.SELECT, "while t is not settled:"),
        _L(Step.SELECT, "u ← the reached vertex of least d[u] + bound(u, t); settle u", 1),
        _L(Step.SCAN, "for each arc (u, v) of weight w:", 1),
        *_relaxation(2),
        _L(Step.END, "d[t] is final"),
    ),
)

ONE_TARGET = Pseudocode(
    "Dijkstra, until the target is settled",
    (
        _DISTANCES,
        _L(Step.SELECT, "while t is not settled:"),
        _L(Step.SELECT, "u ← the nearest reached vertex that is not; settle u", 1),
        _L(Step.SCAN, "for each arc (u, v) of weight w:", 1),
        *_relaxation(2),
        _L(Step.END, "d[t] is final"),
    ),
)

BIDIRECTIONAL = Pseudocode(
    "Dijkstra from both ends",
    (
        _L(Step.START, "forward from s, backward from t: d[s] ← 0; e[t] ← 0; all else ∞"),
        _L(Step.SELECT, "until the least d and e together are no less than the best path:"),
        _L(Step.SELECT, "settle the nearest vertex u of one side", 1),
        _L(Step.SCAN, "for each arc that leaves u (backward: leads to u), of weight w:", 1),
        _L(Step.TEST, "if the path through u is shorter:", 2),
        _L(Step.IMPROVE, "lower the distance of its other end; check whether the sides meet there", 3),
        _L(Step.END, "the best path is the shortest"),
    ),
)

BMSSP = Pseudocode(
    "BMSSP: bounded sets of sources, recursively",
    (
        _L(Step.START, "complete all vertices nearer than bound B from the set S:"),
        _L(Step.SELECT, "k passes from S; vertices with large trees become pivots", 1),
        _L(Step.SELECT, "take pivots with the least distances; complete what lies near them first", 1),
        _L(Step.SCAN, "for each arc (u, v) of weight w from a vertex that became complete:", 1),
        _L(Step.TEST, "if d[u] + w ≤ d[v]:", 2),
        _L(Step.IMPROVE, f"{_LOWER}; put v into the queue of its level", 3),
        _L(Step.END, "until no vertex nearer than B is left"),
    ),
)

HIERARCHY = Pseudocode(
    "Contraction hierarchy: climb, then sweep",
    (
        _DISTANCES,
        _L(Step.SELECT, "climb: for u = s and then its ancestors, from the lowest rank up:"),
        _L(Step.SELECT, "sweep: for each v, from the highest rank down:"),
        _L(Step.SCAN, "for each arc or shortcut (u, v) between them, of weight w:", 1),
        *_relaxation(2, "d[v] ← d[u] + w"),
        _ANSWER,
    ),
)

HIERARCHY_PAIR = Pseudocode(
    "Contraction hierarchy: climb from both ends",
    (
        _L(Step.START, "d[s] ← 0; e[t] ← 0; all else ∞"),
        _L(Step.SELECT, "for u = s (then t) and its ancestors, from the lowest rank up:"),
        _L(Step.SCAN, "for each arc or shortcut from u to a higher vertex v, of weight w:", 1),
        *_relaxation(2, "d[v] ← d[u] + w (from t: e[v])"),
        _L(Step.END, "the least d[v] + e[v] of a common ancestor v; unpack its shortcuts"),
    ),
)

FLOYD_WARSHALL = Pseudocode(
    "Floyd-Warshall: one more vertex allowed on the way",
    (
        _L(Step.START, "D[i, j] ← weight of the arc (i, j); 0 where i = j; ∞ if there is none"),
        _L(Step.SELECT, "for each vertex k:"),
        _L(Step.SCAN, "for each pair (i, j):", 1),
        _L(Step.TEST, "if D[i, k] + D[k, j] < D[i, j]:", 2),
        _L(Step.IMPROVE, "D[i, j] ← D[i, k] + D[k, j]", 3),
        _L(Step.NEGATIVE_CYCLE, "if some D[i, i] < 0: negative cycle"),
        _L(Step.END, "D is final"),
    ),
)

BLOCKED_FLOYD_WARSHALL = Pseudocode(
    "Floyd-Warshall by tiles",
    (
        _L(Step.START, "D[i, j] ← weight of the arc (i, j); 0 where i = j; ∞ if there is none"),
        _L(Step.SELECT, "for each tile of vertices K:"),
        _L(Step.SCAN, "phase 1: all k of K within the tile (K, K)", 1),
        _L(Step.SCAN, "phase 2: all k of K within the tiles of its row and column", 1),
        _L(Step.SCAN, "phase 3: all k of K within all other tiles:", 1),
        _L(Step.TEST, "if D[i, k] + D[k, j] < D[i, j]:", 2),
        _L(Step.IMPROVE, "D[i, j] ← D[i, k] + D[k, j]", 3),
        _L(Step.NEGATIVE_CYCLE, "if some D[i, i] < 0: negative cycle"),
        _L(Step.END, "D is final"),
    ),
)

EVERY_SOURCE = Pseudocode(
    "One search for every source",
    (
        _L(Step.START, "for each vertex s, independently of the others:"),
        _DISTANCES,
        _L(Step.SELECT, "while a vertex is reached and not done: take the next, u", 1),
        _L(Step.SCAN, "for each arc (u, v) of weight w:", 2),
        *_relaxation(3),
        _L(Step.END, "d is row s of the matrix", 1),
    ),
)
