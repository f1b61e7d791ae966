"""The record of a run, with its variants and trials, without the graph that it ran on.

These types are the only list of its fields: the run store keeps them as JSON, tables are
made of them, and msgspec checks them when they are read.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Annotated, Any

from msgspec import Meta

from solvers.core.result import Count, Measured
from solvers.core.result_view import NOTHING
from solvers.core.variant import Algorithm, RunsOn
from solvers.graphs.graph import Graph
from solvers.graphs.interpretation import Interpretation
from solvers.graphs.reading import AS_FOUND, ReadingOptions
from solvers.graphs.road_changes import RoadChanges
from solvers.graphs.weights import WEIGHT_TYPES
from solvers.system import machine

Distance = Annotated[float, Meta(ge=-sys.float_info.max)]  # inf if unreachable, never nan
VertexId = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
Digest = Annotated[str, Meta(pattern="^[0-9A-Fa-f]{64}$")]


def reading_before(path: str) -> str:
    """How the turns of a file were read before they were an option."""
    from solvers.graphs.turn_rules import IGNORE

    return IGNORE if ".osm" in PurePath(path).name else ""


@dataclass(frozen=True)
class GraphSource:
    """Where a graph came from, so that it can be made again."""

    path: str = ""  # absolute path of its file; "" if it was generated, or if the file is unknown
    reading: ReadingOptions = AS_FOUND
    generator: str = ""  # id of its generator; "" if it was not generated
    parameters: Mapping[str, Any] = field(default_factory=dict)  # of the generator
    # closed or slowed in the graph of the file, and the hour by which it is weighed
    roads: RoadChanges = field(default_factory=RoadChanges)


@dataclass(frozen=True)
class GraphFacts:
    """What is kept of the graph of a run."""

    name: str
    sha256: Digest
    vertices: Count
    arcs: Count
    weight_type: str  # the name of one of `WEIGHT_TYPES`
    weight_unit: str = ""
    directed: bool | None = None  # None if unknown
    source: GraphSource = GraphSource()
    interpretation: Interpretation | None = None  # None if unknown

    def __post_init__(self) -> None:
        if self.weight_type not in WEIGHT_TYPES:
            raise ValueError(f"weights are of {', '.join(WEIGHT_TYPES)}, not {self.weight_type}")

    @classmethod
    def of(cls, graph: Graph, source: GraphSource | None = None) -> GraphFacts:
        return cls(
            graph.name,
            graph.sha256,
            graph.n,
            graph.m,
            graph.weight_type.name,
            graph.weight_unit,
            graph.directed,
            source or GraphSource(),
            graph.interpretation,
        )


@dataclass(frozen=True)
class MachineFacts:
    """The machine of a run.

    ``host`` is the name of a cluster's host; it is "" for runs that were not sent to
    one, so that exported tables do not name the user's machine.
    """

    cpu: str = ""
    cores: Count | None = None  # available ones; None if unknown
    system: str = ""  # the operating system
    host: str = ""

    @classmethod
    def here(cls) -> MachineFacts:
        return cls(machine.cpu_name(), machine.cores(), f"{platform.system()} {platform.release()}")


@dataclass(frozen=True)
class KeptVariant(Measured):
    """One variant of a kept run; as a `Result`, but with ids instead of vertex indices
    and without arrays.
    """

    variant: str  # this and the next three as in ``trials.csv``
    algorithm: Algorithm
    runs_on: RunsOn
    paper: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    started_utc: str = ""
    target_distance: VertexId | Distance | None = None
    distances_sha256: str = ""  # "" if unknown
    path: tuple[VertexId, ...] = ()  # ids of the file; empty if there is none
    cycle: tuple[VertexId, ...] = ()


@dataclass(frozen=True)
class KeptRun:
    """A run as it is kept, with its variants."""

    run_id: str
    started_utc: str
    app_version: str
    origin: str  # "window", "command line", or the name of the file that it was imported from
    graph: GraphFacts
    source: VertexId | None  # id of the file
    target: VertexId | None
    machine: MachineFacts
    variants: tuple[KeptVariant, ...] = ()  # in the order in which they ran
    ended_utc: str = ""  # "" if the run was killed, or is not finished
    name: str = ""  # given by the user; "" if none
    is_baseline: bool = False  # whether it is pinned: comparisons on this graph start from it
    # id and scale of the experiment that it belongs to ("bodra-2025-fig-2/small"); ""
    # if none
    experiment: str = ""
    source_name: str = ""  # in a graph whose vertices have names; the ids are then numbers from 0
    target_name: str = ""

    @property
    def source_text(self) -> str:
        """Name or id of the source; "" if the run has none."""
        return self.source_name or ("" if self.source is None else str(self.source))

    @property
    def target_text(self) -> str:
        return self.target_name or ("" if self.target is None else str(self.target))

    @property
    def ends(self) -> str:
        """Source and target: ``"1 → 264346"``, with a dash for one that it has not."""
        return f"{self.source_text or NOTHING} → {self.target_text or NOTHING}"

    @property
    def complete(self) -> bool:
        """False if the run was killed, or is not finished."""
        return bool(self.ended_utc)
