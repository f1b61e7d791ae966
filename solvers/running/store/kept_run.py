"""Values of the run store: a run with its variants and trials, without the graph that it ran on."""

from __future__ import annotations

import platform
import statistics
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from solvers.core.result import Disturbance, Status, Trial, Verdict
from solvers.graphs.graph import Graph
from solvers.graphs.readers.reading import PROFILES, NetworkOptions, TableOptions
from solvers.graphs.road_changes import RoadChanges
from solvers.system import machine


@dataclass(frozen=True)
class ReadingOptions:
    """How a graph file was read, so that it can be read again.

    Attributes
    ----------
    coordinates : str
        Path of the file with coordinates; "" for the default.
    undirected : bool or None
        None: as the format says.
    weights : str
    profile : str
        Who travels in a road network: as `NetworkOptions`.
    largest_part : bool
    columns, separator : str
    header : bool or None
        Of a table of edges: as `TableOptions`.
    attribute : str
        Of edges, that holds the weight; "" for the default.
    """

    coordinates: str = ""
    undirected: bool | None = None
    weights: str = "column"
    profile: str = "car"
    largest_part: bool = False
    columns: str = ""
    separator: str = ""
    header: bool | None = None
    attribute: str = ""

    @property
    def table(self) -> TableOptions:
        return TableOptions(self.columns, self.separator, self.header)

    @property
    def network(self) -> NetworkOptions:
        return NetworkOptions("" if self.profile == PROFILES[0] else self.profile, self.largest_part)


@dataclass(frozen=True)
class GraphSource:
    """Where a graph came from, so that it can be had again.

    Attributes
    ----------
    path : str
        Absolute path of its file; "" for a graph that was generated, or whose file is unknown.
    reading : ReadingOptions
    generator : str
        Id of its generator; "" if it was not generated.
    parameters : mapping
        Of the generator.
    roads : RoadChanges
        Roads that were closed or slowed in the graph of the file.
    """

    path: str = ""
    reading: ReadingOptions = ReadingOptions()
    generator: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    roads: RoadChanges = field(default_factory=RoadChanges)


@dataclass(frozen=True)
class GraphFacts:
    """What is kept of a graph.

    Attributes
    ----------
    name : str
    sha256 : str
        As `Graph.sha256`.
    vertices, arcs : int
    weight_type, weight_unit : str
    directed : bool or None
        None if unknown.
    source : GraphSource
    """

    name: str
    sha256: str
    vertices: int
    arcs: int
    weight_type: str
    weight_unit: str = ""
    directed: bool | None = None
    source: GraphSource = GraphSource()

    @classmethod
    def of(cls, graph: Graph, source: GraphSource | None = None) -> GraphFacts:
        return cls(
            graph.name, graph.sha256, graph.n, graph.m, graph.weight_type.name, graph.weight_unit, graph.directed,
            source or GraphSource(),
        )  # fmt: skip


@dataclass(frozen=True)
class MachineFacts:
    """The machine of a run.

    Attributes
    ----------
    cpu : str
        The processor.
    cores : int or None
        Available ones; None if unknown.
    system : str
        The operating system.
    host : str
        Name of a cluster's host; "" for runs that were not sent to one, so that exported tables do not name the
        user's machine.
    """

    cpu: str = ""
    cores: int | None = None
    system: str = ""
    host: str = ""

    @classmethod
    def here(cls) -> MachineFacts:
        return cls(machine.cpu_name(), machine.cores(), f"{platform.system()} {platform.release()}")


@dataclass(frozen=True)
class KeptVariant:
    """One variant of a kept run; as a `Result`, but with ids instead of vertex indices and without arrays.

    Attributes
    ----------
    variant, algorithm, runs_on, paper : str
        As in ``trials.csv``.
    parameters : mapping
    device, driver : str
        "" for variants of the processor.
    started_utc : str
    status : Status or None
        None if the run was killed, or is not finished.
    error : str
    trials : tuple of Trial
    verdict : Verdict or None
    iterations, relaxations : int or None
    peak_device_bytes : int
    note : str
    target_distance : int, float or None
    distances_sha256 : str
        "" if unknown.
    path, cycle : tuple of int
        Ids of the file; empty if there is none.
    cold_ms, load : float or None
    disturbances : tuple of Disturbance
    graph_upload_ms : float or None
        As `Result.graph_upload_ms`.
    """

    variant: str
    algorithm: str
    runs_on: str
    paper: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    device: str = ""
    driver: str = ""
    started_utc: str = ""
    status: Status | None = None
    error: str = ""
    trials: tuple[Trial, ...] = ()
    verdict: Verdict | None = None
    iterations: int | None = None
    relaxations: int | None = None
    peak_device_bytes: int = 0
    note: str = ""
    target_distance: int | float | None = None
    distances_sha256: str = ""
    path: tuple[int, ...] = ()
    cycle: tuple[int, ...] = ()
    cold_ms: float | None = None
    load: float | None = None
    disturbances: tuple[Disturbance, ...] = ()
    graph_upload_ms: float | None = None

    def times(self, phase: str = "total") -> list[float]:
        """Milliseconds of the timed trials that succeeded, as `Result.times`."""
        return [getattr(t.phases, phase) for t in self.trials if not t.is_warmup and t.status is Status.OK]

    def median(self, phase: str = "total") -> float | None:
        times = self.times(phase)
        return statistics.median(times) if times else None


@dataclass(frozen=True)
class KeptRun:
    """A run as it is kept.

    Attributes
    ----------
    run_id, started_utc, app_version : str
    ended_utc : str
        "" if the run was killed, or is not finished.
    origin : str
        "window", "command line", or the name of the file that it was imported from.
    graph : GraphFacts
    source, target : int or None
        Ids of the file.
    machine : MachineFacts
    variants : tuple of KeptVariant
        In the order in which they ran.
    name : str
        Given by the user; "" if none.
    is_baseline : bool
        Whether it is pinned: comparisons on this graph start from it.
    experiment : str
        Id and scale of the experiment that the run is a part of ("bodra-2025-fig-2/small"); "" if none.
    source_name, target_name : str
        Names of the end points, in a graph whose vertices have names; their ids are then numbers from 0.
    """

    run_id: str
    started_utc: str
    app_version: str
    origin: str
    graph: GraphFacts
    source: int | None
    target: int | None
    machine: MachineFacts
    variants: tuple[KeptVariant, ...] = ()
    ended_utc: str = ""
    name: str = ""
    is_baseline: bool = False
    experiment: str = ""
    source_name: str = ""
    target_name: str = ""

    @property
    def source_text(self) -> str:
        """Name or id of the source; "" if the run has none."""
        return self.source_name or ("" if self.source is None else str(self.source))

    @property
    def target_text(self) -> str:
        return self.target_name or ("" if self.target is None else str(self.target))

    @property
    def complete(self) -> bool:
        """False if the run was killed, or is not finished."""
        return bool(self.ended_utc)

    @property
    def fastest(self) -> KeptVariant | None:
        """The variant with the least median total time among those with a right, or unverified, answer."""
        timed = [v for v in self.variants if v.median() is not None and (v.verdict is None or v.verdict.verified)]
        return min(timed, key=lambda v: v.median() or 0.0, default=None)
