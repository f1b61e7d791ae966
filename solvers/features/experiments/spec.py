"""An experiment as values: which graphs and variants it compares, how it measures, what
it draws and what it tests.

The files of `solvers/features/experiments/shipped/` hold one experiment each;
`solvers.features.experiments.spec_file` turns them into these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from math import prod
from typing import Any

from solvers.core.variant import Variant
from solvers.graphs.generators import Generator
from solvers.running.request import MeasurementPlan


class ExperimentScale(Enum):
    """How large the graphs are: minutes on a laptop, or the sizes of the paper."""

    SMALL = "small"
    PAPER = "paper"


BOTH = (ExperimentScale.SMALL, ExperimentScale.PAPER)


class ChartKind(Enum):
    """What a chart draws.

    TIME: time by graph; SPEED_UP: baseline's time divided by the variant's; SCALING:
    time, and EFFICIENCY: speed-up per unit of the x axis, against threads or ranks with
    the ideal line; PHASES: stacked phases of the largest graph; WORK: relaxations per
    arc; RATE: relaxations per second against the device's limit.
    """

    TIME = "time"
    SPEED_UP = "speed-up"
    SCALING = "scaling"
    EFFICIENCY = "efficiency"
    PHASES = "phases"
    WORK = "work"
    RATE = "rate"


class ClaimKind(Enum):
    """What a claim compares.

    RATIO: time of one selection divided by that of another; BEST: the value of a
    parameter with the least time; EFFICIENCY: speed-up per unit of a parameter;
    ITERATIONS: number of iterations.
    """

    RATIO = "ratio"
    BEST = "best"
    EFFICIENCY = "efficiency"
    ITERATIONS = "iterations"


@dataclass(frozen=True)
class GraphSpec:
    """Graphs of one kind: a file, or a generator with the values of its parameters."""

    label: str  # name for display; "" for the graph's own
    scales: tuple[ExperimentScale, ...]
    generator: Generator | None = None  # None for a file
    # all combinations are made
    parameters: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    file: str = ""  # without ".gz"; "" for a generator
    vertices: int = 0  # of a file, for the forecast; 0 if unknown
    arcs: int = 0  # likewise
    undirected: bool | None = None
    weights: str = "column"  # as `read_graph`
    source: str = ""  # id; "" for the first vertex

    @property
    def count(self) -> int:
        return prod(len(values) for values in self.parameters.values())


@dataclass(frozen=True)
class SeriesSpec:
    """A variant with values of its parameters; all combinations run."""

    label: str  # unique in the experiment
    variant: Variant
    parameters: Mapping[str, tuple[Any, ...]]
    scales: tuple[ExperimentScale, ...]
    # "cuda" or "opencl", the interface of the chosen device; "" for that of its choice
    device: str = ""

    @property
    def count(self) -> int:
        return prod(len(values) for values in self.parameters.values())

    @property
    def swept(self) -> tuple[str, ...]:
        """Parameters with more than one value."""
        return tuple(name for name, values in self.parameters.items() if len(values) > 1)


@dataclass(frozen=True)
class Measuring:
    """How one scale is measured."""

    plan: MeasurementPlan
    longest_trial_s: float  # what is expected to take longer in one trial is left out


@dataclass(frozen=True)
class ChartSpec:
    kind: ChartKind
    title: str
    x: str  # "vertices", "arcs", "graph", or the name of a swept parameter
    series: tuple[str, ...]  # labels; empty for all
    phase: str  # "total" or "solve"
    log: bool  # logarithmic axes, where the kind allows them
    baseline: str  # label of the series that speed-ups refer to


@dataclass(frozen=True)
class PublishedPoint:
    """One value of the paper: where it stands (vertices, graph, parameters), and its time in ms."""

    at: Mapping[str, Any]
    ms: float


@dataclass(frozen=True)
class Published:
    """Times that the paper states for one series; shown beside measured ones, never
    mixed with them.
    """

    series: str  # label of the series
    source: str  # figure or table
    hardware: str
    exact: bool  # False if the values were read off a figure
    points: tuple[PublishedPoint, ...]


@dataclass(frozen=True)
class Selection:
    """Measured points that a claim speaks of: a series, and values of parameters or graphs."""

    series: str
    where: Mapping[str, Any]


@dataclass(frozen=True)
class Claim:
    """A statement of the paper, and how it is tested."""

    text: str  # the statement, in own words
    source: str  # where the paper makes it
    kind: ClaimKind
    of: Selection  # for a ratio, the numerator: the slower one
    # for a ratio, the denominator; for an efficiency, the points with one unit
    to: Selection | None = None
    parameter: str = ""  # for BEST and EFFICIENCY: threads, ranks, block, ...
    best: Any = None  # for BEST: the value that the paper found best
    # "largest" or "smallest" of the graphs that have all points; "each" for every graph
    at: str = "largest"
    at_least: float | None = None  # the figure, for the claim to hold
    at_most: float | None = None  # likewise
    phase: str = "total"
    needs_gpu: bool = False  # it speaks of a GPU: kernels on the processor cannot test it


@dataclass(frozen=True)
class Experiment:
    id: str  # on the command line and in the store: "bodra-2025-fig-2"
    title: str
    graphs: tuple[GraphSpec, ...]
    series: tuple[SeriesSpec, ...]
    measuring: Mapping[ExperimentScale, Measuring]
    baseline: str  # label of the series that speed-ups refer to
    charts: tuple[ChartSpec, ...] = ()
    published: tuple[Published, ...] = ()
    claims: tuple[Claim, ...] = ()
    paper: str = ""  # its short name; "" for an own experiment
    place: str = ""  # figure or table
    citation: str = ""  # full reference
    question: str = ""  # what it answers
    method: str = ""  # how it differs from the paper, and why

    def key(self, scale: ExperimentScale) -> str:
        """Name of this experiment at that scale in the store of runs."""
        return f"{self.id}/{scale.value}"

    def size(self, scale: ExperimentScale) -> int:
        """Number of points at that scale, without making them."""
        graphs = sum(graph.count for graph in self.graphs if scale in graph.scales)
        return graphs * sum(series.count for series in self.series if scale in series.scales)
