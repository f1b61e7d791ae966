"""Pseudo-code of the algorithms, line by line, each line with the step that it does,
from ``resources/pseudocode.txt``.

A variant names its text in its metadata; the window marks the line that a step of the
play-back is at.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from solvers.core.labelling import Labelling
from solvers.system.files import RESOURCES


class Step(Enum):
    """What a line of pseudo-code does; the steps of an iteration are told apart by it."""

    START = "start"
    SELECT = "select"
    SCAN = "scan"
    PIVOT_TILE = "pivot tile"  # the phases of a step by tiles
    PIVOT_CROSS = "pivot cross"
    OTHER_TILES = "other tiles"
    TEST = "test"
    IMPROVE = "improve"
    END = "end"
    NEGATIVE_CYCLE = "negative cycle"


@dataclass(frozen=True)
class PseudocodeLine:
    """A line of an algorithm, and the step that it does."""

    step: Step
    text: str  # without its indentation
    depth: int = 0  # number of loops and conditions around it


@dataclass(frozen=True)
class Pseudocode:
    """An algorithm line by line."""

    title: str
    # SCAN or the phases by tiles have lines, and all others but NEGATIVE_CYCLE; of several
    # with the same step, the last does it
    lines: tuple[PseudocodeLine, ...]
    labelling: Labelling = Labelling.CORRECTING

    def line_of(self, step: Step) -> int | None:
        """Index of the line that does ``step``; None if the algorithm has no such step."""
        return next(
            (i for i in range(len(self.lines) - 1, -1, -1) if self.lines[i].step is step), None
        )


_STEP_WIDTH = 16  # characters before the text of a line


def _read() -> dict[str, Pseudocode]:
    """The texts of the file, by name."""
    content = (RESOURCES / "pseudocode.txt").read_text("utf-8")
    found = {}
    for block in content.split("\n[")[1:]:
        head, *lines = block.rstrip().splitlines()
        names, _, title = head.partition("] ")
        name, _, family = names.partition(", ")
        labelling = Labelling(family) if family else Labelling.CORRECTING
        found[name] = Pseudocode(title, tuple(map(_line, lines)), labelling)
    return found


def _line(line: str) -> PseudocodeLine:
    indented = line[_STEP_WIDTH:]
    text = indented.lstrip()
    return PseudocodeLine(Step(line[:_STEP_WIDTH].rstrip()), text, (len(indented) - len(text)) // 2)


_TEXTS = _read()
BELLMAN_FORD = _TEXTS["BELLMAN_FORD"]
FLAGGED_BELLMAN_FORD = _TEXTS["FLAGGED_BELLMAN_FORD"]
DIJKSTRA = _TEXTS["DIJKSTRA"]
FRONTIER_DIJKSTRA = _TEXTS["FRONTIER_DIJKSTRA"]
UNRESOLVED_DIJKSTRA = _TEXTS["UNRESOLVED_DIJKSTRA"]
NEAR_FAR = _TEXTS["NEAR_FAR"]
NEAR_FAR_PARTS = _TEXTS["NEAR_FAR_PARTS"]
DELTA_STEPPING = _TEXTS["DELTA_STEPPING"]
A_STAR = _TEXTS["A_STAR"]
ONE_TARGET = _TEXTS["ONE_TARGET"]
BIDIRECTIONAL = _TEXTS["BIDIRECTIONAL"]
BMSSP = _TEXTS["BMSSP"]
HIERARCHY = _TEXTS["HIERARCHY"]
HIERARCHY_PAIR = _TEXTS["HIERARCHY_PAIR"]
FLOYD_WARSHALL = _TEXTS["FLOYD_WARSHALL"]
BLOCKED_FLOYD_WARSHALL = _TEXTS["BLOCKED_FLOYD_WARSHALL"]
EVERY_SOURCE = _TEXTS["EVERY_SOURCE"]
