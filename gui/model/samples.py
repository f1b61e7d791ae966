"""The sample graphs: files of `resources/samples`, with the end points and variants
that show what each is about.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from solvers.system.files import RESOURCES

FOLDER = RESOURCES / "samples"


@dataclass(frozen=True)
class SampleGraph:
    """One sample; source and target are ids of the file."""

    id: str
    title: str
    hint: str  # what it shows, in one line
    file: str  # name in the folder; its coordinates lie beside it
    source: int
    target: int
    variants: tuple[str, ...] = ()  # ids to tick; empty to leave the ticks as they are

    @property
    def path(self) -> Path:
        return FOLDER / self.file


SAMPLES = (
    SampleGraph(
        "tiny",
        "Tiny",
        "8 vertices for paper and pencil: the direct path is not the shortest",
        "textbook.gr",
        1,
        8,
        ("bf-serial", "dijkstra-heap"),
    ),
    SampleGraph(
        "negative-arcs",
        "Negative arcs",
        "7 vertices: Bellman-Ford finds a path that Dijkstra would miss",
        "negative-arcs.gr",
        1,
        7,
        ("bf-serial", "bf-edge-flags"),
    ),
    SampleGraph(
        "negative-cycle",
        "Negative cycle",
        "6 vertices: distances fall without end",
        "negative-cycle.gr",
        1,
        6,
        ("bf-serial", "bf-edge-flags"),
    ),
    SampleGraph(
        "contention",
        "Contention",
        "18 vertices: many threads write to one vertex at once",
        "contention.gr",
        1,
        18,
        ("da2cf-f-gpu", "harish-narayanan-racy"),
    ),
    SampleGraph(
        "grid",
        "Grid",
        "48 crossings: watch frontiers, one vertex or one ring at a time",
        "grid.gr",
        1,
        48,
        ("da2cf-f-cpu", "dijkstra-heap"),
    ),
    SampleGraph(
        "harbour", "Harbour", "a small road network to try things out", "harbour.gr.gz", 1, 3000
    ),
)

DEFAULT = SAMPLES[-1]


def sample(name: str) -> SampleGraph:
    return next(sample for sample in SAMPLES if sample.id == name)
