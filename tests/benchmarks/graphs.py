"""The graphs that solving is measured on: a file, or a family and a size in one word."""

from __future__ import annotations

import numpy as np

from solvers.errors import InputError
from solvers.generators import find
from solvers.graph import Graph
from solvers.readers import read_graph

_FAMILIES = {"road": "vertices", "rmat": "scale"}


def graph_of(spec: str) -> Graph:
    """The graph that ``spec`` names: ``road:1000000`` vertices, ``rmat:20`` (scale), or the path of a file.

    Raises
    ------
    InputError
    """
    family, colon, size = spec.partition(":")
    if not colon or family not in _FAMILIES:
        return read_graph(spec).graph
    if not size.isdigit():
        raise InputError(f"{spec}: after “{family}:” comes a whole number, its {_FAMILIES[family]}.")
    return find(family).generate({_FAMILIES[family]: int(size)})


def good_source(graph: Graph) -> int:
    """A vertex from which much can be reached: the middle of the numbering, or the hub where many reach nothing."""
    if (graph.out_degrees == 0).mean() < 0.01:
        return graph.n // 2
    return int(np.argmax(graph.out_degrees))
