"""Reader of Pajek networks: ``*Vertices n`` with labels and coordinates, then ``*Arcs``
and ``*Edges``, as lists too.

NetworkX's reader makes edges of arcs where a file has both, and merges vertices with
the same label.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from solvers.graphs.interpretation import Decision, Interpretation
from solvers.graphs.quantities import number_of
from solvers.graphs.readers.input_file import InputFile, ReadingProgress, decoded, whole_text
from solvers.graphs.readers.parsed import (
    GREATEST_COORDINATE,
    Parsed,
    column,
    in_order,
    require_plausible_size,
)
from solvers.graphs.readers.table import Rows

PAJEK_BYTES = 30.0  # of memory per byte of text
_MOST_VERTICES = np.iinfo(np.int32).max
_WORDS = re.compile(r'"([^"]*)"|(\S+)')
_CHECKED = 2**12  # lines between two checks for cancellation
_SECTIONS = ("*arcs", "*edges", "*arcslist", "*edgeslist")


_OF_PROJECTS = ("*partition", "*vector", "*cluster", "*permutation", "*hierarchy")


@dataclass
class _Network:
    """What has been read so far."""

    n: int = -1
    labels: dict[int, str] = field(default_factory=dict)
    places: dict[int, tuple[float, float]] = field(default_factory=dict)
    arcs: list[tuple[int, int]] = field(default_factory=list)
    weights: list[int | float] = field(default_factory=list)
    # positions in ``arcs`` of those without direction
    edges: list[int] = field(default_factory=list)
    weighted: bool = False
    has_times: bool = False  # whether lines say when they exist
    relations: int = 0
    rest: tuple[str, ...] = ()  # other objects of a project


def read_pajek(file: InputFile, weighted: bool, progress: ReadingProgress) -> Parsed:
    """Read a Pajek network. With both arcs and edges, it is directed, and an edge is two arcs."""
    text = decoded(file, whole_text(file, progress, PAJEK_BYTES))
    network = _Network()
    section = ""
    for number, line in enumerate(text.split("\n"), start=1):
        if number % _CHECKED == 0:
            progress.check()
        words = [quoted or bare for quoted, bare in _WORDS.findall(line)]
        if words and words[0].lower() in _OF_PROJECTS:
            network.rest = tuple(
                " ".join(line.split()[:2])[1:]
                for line in text.split("\n")[number - 1 :]
                if line.lower().startswith(_OF_PROJECTS)
            )
            break
        if not words or line.lstrip().startswith("%"):
            continue
        try:
            section = _line(network, section, words)
        except ValueError as error:
            hint = (
                "Pajek files have *Vertices n, then *Arcs and *Edges with lines “tail head weight”."
            )
            raise file.error(str(error), line=number, text=line.strip()[:100], hint=hint) from None
    require_plausible_size(file, max(0, network.n), len(network.arcs))
    return _parsed(network, weighted)


def _line(network: _Network, section: str, words: list[str]) -> str:
    """Take one line; returns the section of the next one. ValueError says why a line
    cannot be read.
    """
    first = words[0].lower()
    if first.startswith("*"):
        return _heading(network, first, words)
    if section == "*vertices":
        _vertex(network, words)
    elif section in ("*arcs", "*edges"):
        if len(words) < 2:
            raise ValueError("the head is missing")
        weight = number_of(words[2]) if len(words) > 2 else 1
        if weight is None:
            raise ValueError(f"the weight “{words[2][:40]}” is not a finite 64-bit number")
        network.weighted = network.weighted or len(words) > 2
        _join(network, section, words[0], words[1], weight)
        network.has_times = network.has_times or any(word[0] == "[" for word in words[2:] if word)
    elif section in _SECTIONS:
        for head in words[1:]:
            _join(network, section, words[0], head, 1)
    return section


def _heading(network: _Network, name: str, words: list[str]) -> str:
    if name == "*vertices":
        count = number_of(words[1]) if len(words) > 1 else None
        if not isinstance(count, int) or not 0 <= count <= _MOST_VERTICES:
            raise ValueError("the number of vertices is missing, or beyond 32 bits")
        if network.n >= 0:
            raise ValueError("the file holds a second network; split it")
        network.n = count
    elif name in _SECTIONS:
        if network.n < 0:
            raise ValueError("*Vertices must come first")
        network.relations += any(word.startswith(":") for word in words[1:])
    elif name == "*matrix":
        raise ValueError("a network as a matrix is not read; save it with *Arcs or *Edges")
    return name


def _vertex(network: _Network, words: list[str]) -> None:
    vertex = _known(network, words[0])
    if vertex in network.labels:
        raise ValueError(f"vertex {vertex + 1} is listed twice")
    network.labels[vertex] = words[1] if len(words) > 1 else words[0]
    pair = [number_of(word) for word in words[2:4]]
    if len(pair) == 2 and all(
        value is not None and abs(value) <= GREATEST_COORDINATE for value in pair
    ):
        network.places[vertex] = (float(pair[0] or 0), float(pair[1] or 0))


def _join(network: _Network, section: str, tail: str, head: str, weight: int | float) -> None:
    if section.startswith("*edges"):
        network.edges.append(len(network.arcs))
    network.arcs.append((_known(network, tail), _known(network, head)))
    network.weights.append(weight)


def _known(network: _Network, word: str) -> int:
    """Index of the vertex with that number."""
    number = number_of(word)
    if not isinstance(number, int):
        raise ValueError(f"“{word[:40]}” is not a vertex number")
    if not 1 <= number <= network.n:
        raise ValueError(f"there is no vertex {number}: the file has {network.n}")
    return number - 1


def _parsed(network: _Network, weighted: bool) -> Parsed:
    n = network.n
    ends = np.array(network.arcs, np.int32).reshape(-1, 2)
    has_weights = weighted and network.weighted
    values = column(network.weights) if has_weights else np.empty((len(ends), 0))
    undirected = len(network.edges) == len(ends) > 0
    if network.edges and not undirected:
        edges = np.array(network.edges)
        edges = edges[ends[edges, 0] != ends[edges, 1]]
        ends, values = (
            np.concatenate((ends, ends[edges, ::-1])),
            np.concatenate((values, values[edges])),
        )
    labels, warnings = _names(network)
    count = network.relations
    merged = (f"Lines of all {count} relations are read as one network.",) if count > 1 else ()
    times = ("times at which lines exist",) if network.has_times else ()
    xy = np.full((n, 2 if network.places else 0), np.nan)
    for vertex, pair in network.places.items():
        xy[vertex] = pair
    names, vertices, ends = in_order(labels, ends, xy)
    return Parsed(
        Rows(ends, values),
        undirected=undirected,
        weights_from="column 3" if has_weights else "",
        vertices=vertices,
        names=names,
        warnings=(*warnings, *merged),
        interpretation=Interpretation(Decision("column 3"), ignored=(*network.rest, *times)),
    )


def _names(network: _Network) -> tuple[list[int] | list[str], tuple[str, ...]]:
    """The labels if all vertices have distinct ones; else the numbers from 1."""
    numbers = list(range(1, network.n + 1))
    if len(network.labels) < network.n:
        return numbers, ()
    labels = [network.labels[vertex] for vertex in range(network.n)]
    if len(set(labels)) < network.n:
        return numbers, ("Some vertices have the same label; vertices are named by their numbers.",)
    return labels, ()
