"""The points of an experiment: every graph with every variant and every combination of its parameters."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from solvers.experiments.experiment import Experiment, ExperimentScale, GraphSpec, SeriesSpec
from solvers.experiments.sweep import Expression
from solvers.text import format_value

_ARCS_OF_ROADS = 2.6  # per vertex, in road-like graphs
_ARCS_OF_CROSSING = 4  # per vertex of a grid


@dataclass(frozen=True)
class GraphChoice:
    """One graph of an experiment, not made yet.

    Attributes
    ----------
    spec : GraphSpec
    parameters : mapping
        Of the generator, settled.
    vertices, arcs : int
        Expected size; 0 if unknown.
    """

    spec: GraphSpec
    parameters: Mapping[str, Any] = field(default_factory=dict)
    vertices: int = 0
    arcs: int = 0

    @property
    def key(self) -> str:
        """Label and swept parameters: what the file of an experiment calls the graph."""
        return self._named(str)

    @property
    def title(self) -> str:
        """The key as it is shown, with grouped digits: "random, vertices 1\u202f024"."""
        return self._named(format_value)

    def _named(self, text_of: Callable[[Any], str]) -> str:
        if self.spec.generator is None:
            return self.spec.label or self.spec.file
        swept = [name for name, values in self.spec.parameters.items() if len(values) > 1]
        return _with_values(self.spec.label or self.spec.generator.id, swept, self.parameters, text_of)


@dataclass(frozen=True)
class Point:
    """One thing to measure.

    Attributes
    ----------
    graph : GraphChoice
    series : SeriesSpec
    parameters : mapping
        Of the variant, settled.
    """

    graph: GraphChoice
    series: SeriesSpec
    parameters: Mapping[str, Any]

    @property
    def key(self) -> str:
        """Series and swept parameters: "tiled, tile 16"."""
        return _with_values(self.series.label, self.series.swept, self.parameters, str)

    @property
    def title(self) -> str:
        """The key as it is shown, with grouped digits."""
        return _with_values(self.series.label, self.series.swept, self.parameters, format_value)


def points_of(experiment: Experiment, scale: ExperimentScale) -> tuple[tuple[GraphChoice, tuple[Point, ...]], ...]:
    """The graphs of that scale in order, each with its points in order of the series."""
    return tuple((graph, tuple(points)) for graph, points in each_graph(experiment, scale))


def each_graph(experiment: Experiment, scale: ExperimentScale) -> Iterator[tuple[GraphChoice, Iterator[Point]]]:
    """The same one by one, for grids of very many points."""
    series = [one for one in experiment.series if scale in one.scales]
    for graph in (choice for spec in experiment.graphs if scale in spec.scales for choice in _graphs_of(spec)):
        yield graph, (point for one in series for point in _points_on(graph, one))


def graph_titles(experiment: Experiment) -> dict[str, str]:
    """The title of each graph of an experiment, by its key."""
    return {choice.key: choice.title for spec in experiment.graphs for choice in _graphs_of(spec)}


def by_graph(points: Sequence[Point]) -> Iterator[tuple[GraphChoice, list[Point]]]:
    """The points in groups of the same graph, in order."""
    groups: list[tuple[GraphChoice, list[Point]]] = []
    for point in points:
        if groups and groups[-1][0] is point.graph:
            groups[-1][1].append(point)
        else:
            groups.append((point.graph, [point]))
    return iter(groups)


def _with_values(label: str, names: Iterable[str], values: Mapping[str, Any], text_of: Callable[[Any], str]) -> str:
    return ", ".join((label, *(f"{name} {text_of(values[name])}" for name in names)))


def _points_on(graph: GraphChoice, series: SeriesSpec) -> Iterator[Point]:
    for chosen in _combinations(series.parameters):
        yield Point(graph, series, series.variant.settle(chosen))


def _graphs_of(spec: GraphSpec) -> Iterator[GraphChoice]:
    if spec.generator is None:
        yield GraphChoice(spec, {}, spec.vertices, spec.arcs)
        return
    for chosen in _combinations(spec.parameters):
        parameters = spec.generator.settle(chosen)
        yield GraphChoice(spec, parameters, *_expected_size(parameters))


def _expected_size(parameters: Mapping[str, Any]) -> tuple[int, int]:
    """Vertices and arcs of a generated graph, by the names of the generator's parameters; 0 if they do not tell."""
    if "edge_factor" in parameters:
        n = 2 ** int(parameters["scale"])
        return n, n * int(parameters["edge_factor"])
    if "columns" in parameters:
        n = int(parameters["columns"]) * int(parameters["rows"])
        return n, _ARCS_OF_CROSSING * n
    n = int(parameters.get("vertices", 0))
    return n, n * int(parameters["degree"]) if "degree" in parameters else round(_ARCS_OF_ROADS * n)


def _combinations(parameters: Mapping[str, tuple[Any, ...]]) -> Iterator[dict[str, Any]]:
    """Every combination of values; expressions are replaced by what they come to."""
    for values in itertools.product(*parameters.values()):
        chosen = dict(zip(parameters, values, strict=True))
        yield {name: value.value(chosen) if isinstance(value, Expression) else value for name, value in chosen.items()}
