"""Random calls of NetworkX's functions, and what comes of them in a form that can be compared."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import networkx as nx
import numpy as np
from hypothesis import strategies as st
from networkx.utils.backends import _registered_algorithms

from solvers.features.networkx_backend import interface
from solvers.features.networkx_backend.info import FUNCTIONS

KINDS = (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)
NODES = (3, "a", ("b", 1), 0, 7.5, frozenset({1}), -2)
INTEGERS = (5, 2, 9, -1, 0, 7, 4)
ABSENT = "nowhere"
_WITHOUT_HIDDEN_EDGES = {
    "johnson",
    "goldberg_radzik",
    "find_negative_cycle",
    "negative_edge_cycle",
    *(name for name in FUNCTIONS if "bellman_ford" in name or "betweenness" in name),
}


def reference(name: str) -> Callable[..., Any]:
    """NetworkX's own implementation, without dispatch."""
    function: Callable[..., Any] = _registered_algorithms[name].orig_func
    return function


def ours(name: str) -> Callable[..., Any]:
    function: Callable[..., Any] = getattr(interface, name)
    return function


def outcome(call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The result with the order of all dictionaries, or the exception's type and text."""
    try:
        return ordered(call(*args, **kwargs))
    except Exception as error:
        return type(error).__name__, str(error)


def ordered(value: Any) -> Any:
    """Dictionaries as lists of pairs, iterators as lists, matrices as nested lists, NaN
    as a word.
    """
    if isinstance(value, float) and value != value:
        return "nan"
    if isinstance(value, Mapping):
        return [(ordered(key), ordered(item)) for key, item in value.items()]
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, nx.Graph):
        return [type(value).__name__, *map(ordered, (value.graph, value._node, value._adj))]
    if isinstance(value, (list, tuple)):
        return [ordered(item) for item in value]
    return ordered(list(value)) if isinstance(value, Iterator) else value


def typed(value: Any) -> Any:
    """What `ordered` returns, with the type of each value: 2 is equal to 2.0."""
    if isinstance(value, (list, tuple)):
        return [typed(item) for item in value]
    return type(value).__name__, value


@st.composite
def graphs(draw: st.DrawFn, least: int = 0) -> nx.Graph:
    """Small graphs of every class: many ties, parallel edges, loops, missing lengths,
    nodes of several types.
    """
    graph = draw(st.sampled_from(KINDS))()
    names = draw(st.sampled_from((NODES, INTEGERS)))[: draw(st.integers(1, 7))]
    graph.add_nodes_from(names)
    lengths = draw(
        st.sampled_from(
            (
                st.integers(max(0, least), 3),
                st.integers(least, 4),
                st.sampled_from((0.1, 0.2, 0.3, 0.5, 1.5)),
                st.sampled_from((1, 2, 0.5, True)),
            )
        )
    )
    node = st.sampled_from(names)
    for u, v in draw(st.lists(st.tuples(node, node), max_size=16)):
        if draw(st.integers(0, 7)):
            graph.add_edge(u, v, weight=draw(lengths), other=draw(st.integers(0, 2)))
        else:
            graph.add_edge(u, v)
    return graph


def doubled(u: Any, v: Any, data: Mapping[Any, Any]) -> Any:
    """A function of the edge, also of parallel ones: twice the attribute, and as long
    the other way plus 1.
    """
    many = [item for item in data.values() if isinstance(item, Mapping)] or [data]
    return 2 * min(item.get("weight", 1) for item in many) + (repr(u) < repr(v))


def hiding(u: Any, v: Any, data: Mapping[Any, Any]) -> Any:
    """A function of the edge that hides some."""
    return None if (repr(u) + repr(v)).count("a") else doubled(u, v, data)


def spread(u: Any, target: Any) -> int:
    """A heuristic that is not consistent."""
    return (len(repr(u)) * 7 + len(repr(target))) % 3


class Sampler(random.Random):
    """A generator of random numbers that begins anew with each sample."""

    def __init__(self, begin: int):
        super().__init__(begin)
        self.begin = begin

    def sample(self, nodes: list[Any], k: int) -> list[Any]:  # type: ignore[override]
        return random.Random(self.begin).sample(nodes, k)

    def __repr__(self) -> str:
        return f"Sampler({self.begin})"


def arguments(draw: st.DrawFn, name: str, graph: nx.Graph) -> dict[str, Any]:
    """Arguments by name for a call."""
    node = st.sampled_from([*graph, *graph, ABSENT])
    some = st.lists(st.sampled_from(list(graph) or [ABSENT]), min_size=0, max_size=3, unique=True)
    weights: list[Any] = ["weight", "weight", "weight", "other", "missing", None]
    if not name.startswith("floyd"):
        weights += [doubled] if name in _WITHOUT_HIDDEN_EDGES else [doubled, hiding]
    choices: dict[str, st.SearchStrategy[Any]] = {
        "sources": some,
        "targets": some,
        "k": st.sampled_from((None, 1, 2, len(graph), len(graph) + 1)),
        "normalized": st.booleans(),
        "endpoints": st.booleans(),
        "seed": st.builds(Sampler, st.integers(0, 9)),
        "center_nodes": some,
        "cutoff": st.sampled_from((None, None, 0, 1, 2.5, 4)),
        "weight": st.sampled_from(weights),
        "distance": st.sampled_from(weights),
        "heuristic": st.sampled_from((None, spread)) if name.startswith("astar") else st.booleans(),
        "return_seen": st.sampled_from((None, True)),
        "usebounds": st.booleans(),
        "wf_improved": st.booleans(),
        "nodelist": st.one_of(st.none(), st.permutations(list(graph)), some),
        "method": st.sampled_from(_methods(name)),
        "first_label": st.sampled_from((0, 5)),
        "ordering": st.sampled_from(
            ("default", "sorted", "increasing degree", "decreasing degree", "other")
        ),
        "label_attribute": st.sampled_from((None, "old")),
        "v": st.one_of(st.none(), node, some),
        "u": st.one_of(st.none(), node),
    }
    given = {}
    for parameter in inspect.signature(ours(name)).parameters.values():
        if parameter.name in ("source", "target"):
            optional = parameter.default is not inspect.Parameter.empty
            given[parameter.name] = draw(st.one_of(st.none(), node) if optional else node)
        elif parameter.name in choices:
            given[parameter.name] = draw(choices[parameter.name])
    if given.get("usebounds"):
        # with others NetworkX's bounds may never meet
        given["weight"] = draw(st.sampled_from((None, "other")))
    if callable(given.get("weight")) and "bellman" in str(given.get("method")):
        given["weight"] = doubled
    if callable(given.get("weight")) and "floyd" in str(given.get("method")):
        # NetworkX takes a function for an attribute's name there, which is declined
        given["weight"] = "weight"
    return given


def _methods(name: str) -> tuple[str | None, ...]:
    if name == "average_shortest_path_length":
        return (None, "unweighted", "dijkstra", "bellman-ford", "floyd-warshall-numpy", "guess")
    return ("dijkstra", "bellman-ford", "guess")
