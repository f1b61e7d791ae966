"""What benchmarks share: graphs and devices by name, the machine and its load, headings, errors."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from solvers.commands.console import BAD_INPUT, Console
from solvers.devices import pick
from solvers.devices.device import Device
from solvers.errors import DeviceUnavailable, InputError, TautpathError
from solvers.graphs.generators import find
from solvers.graphs.graph import Graph
from solvers.graphs.readers import read_graph
from solvers.graphs.reading import ReadingOptions
from solvers.graphs.weighting import parse_weighting
from solvers.system import machine
from solvers.text import plural

SPECS = "FILE|road:N[:PATTERN]|rmat:SCALE[:ARCS_PER_VERTEX]|grid:ROWSxCOLUMNS|random:N:DEGREE"
STARTS = ("good", "hub", "centre", "corner")

# After the family's name: numbers, a word, what is between them, and the generator's
# parameters that they stand for.
_FAMILIES = {
    "road": (
        r"(\d+)(?::([a-z]+))?",
        ("vertices", "pattern"),
        "road:VERTICES or road:VERTICES:PATTERN, as in road:3600000",
    ),
    "rmat": (
        r"(\d+)(?::(\d+))?",
        ("scale", "edge_factor"),
        "rmat:SCALE or rmat:SCALE:ARCS_PER_VERTEX, as in rmat:20",
    ),
    "grid": (r"(\d+)x(\d+)", ("rows", "columns"), "grid:ROWSxCOLUMNS, as in grid:1900x1900"),
    "random": (
        r"(\d+):(\d+)",
        ("vertices", "degree"),
        "random:VERTICES:DEGREE, as in random:65536:7",
    ),
}


def graph_of(spec: str, weights: str = "column") -> Graph:
    """The graph that ``spec`` names: ``road:1000000``, ``road:1000000:lattice``,
    ``rmat:20:30``, or a file's path.

    Parameters
    ----------
    weights : str
        As `read_graph` takes them: "column", "unit" or "random:LO:HI:SEED". "column"
        leaves a family its own.

    Raises
    ------
    InputError
    """
    family, colon, size = spec.partition(":")
    if not colon or family not in _FAMILIES:
        if not colon or Path(spec).exists():
            return read_graph(spec, ReadingOptions(weights=weights)).graph
        raise InputError(
            f"{spec}: there is no such file, and no such family ({', '.join(_FAMILIES)})."
        )
    pattern, names, use = _FAMILIES[family]
    found = re.fullmatch(pattern, size)
    if found is None:
        raise InputError(f"{spec}: after “{family}:” comes its size: {use}.")
    given: dict[str, Any] = {
        name: text for name, text in zip(names, found.groups(), strict=True) if text
    }
    return find(family).generate(given | _weights_of_family(family, weights))


def _weights_of_family(family: str, weights: str) -> dict[str, Any]:
    """The choice of weights as a generator's parameters."""
    choice = parse_weighting(weights)
    if choice.kind == "column":
        return {}
    if family == "road":
        raise InputError(
            f"--weights {weights}: a made-up road network's weights are its lengths; leave it out."
        )
    return {"low": choice.low, "high": choice.high} | (
        {"seed": choice.seed} if choice.kind == "random" else {}
    )


def start_of(graph: Graph, where: str) -> int:
    """The vertex that ``where`` names: one of `STARTS`.

    Raises
    ------
    InputError
        For "centre" or "corner" of a graph whose vertices lie nowhere.
    """
    places: dict[str, Callable[[Graph], int]] = {
        "good": good_source,
        "hub": lambda g: int(np.argmax(g.out_degrees)),
        "centre": lambda g: _nearest(g, 0.5),
        "corner": lambda g: _nearest(g, 0.0),
    }
    return places[where](graph)


def good_source(graph: Graph) -> int:
    """A vertex from which much can be reached: the middle of the numbering, or the hub
    where many reach nothing.
    """
    if (graph.out_degrees == 0).mean() < 0.01:
        return graph.n // 2
    return int(np.argmax(graph.out_degrees))


def _nearest(graph: Graph, share: float) -> int:
    """The vertex nearest the point ``share`` of the way from the south-west corner of
    all to the north-east.
    """
    if graph.coordinates is None:
        raise InputError(
            f"{graph.name} has no coordinates, so no centre and no corner: name a vertex with "
            "--source."
        )
    xy = graph.coordinates.xy
    point = xy.min(axis=0) + share * np.ptp(xy, axis=0)
    return int(np.argmin(((xy - point) ** 2).sum(axis=1)))


def device_of(spec: str) -> Device | None:
    """The device that ``spec`` names; None for "none", or if "auto" finds none.

    Raises
    ------
    DeviceUnavailable
    """
    if spec == "none":
        return None
    try:
        return pick(spec)
    except DeviceUnavailable:
        if spec != "auto":
            raise
        return None


def names_in(listed: str) -> list[str]:
    """The names of a list that commas separate."""
    return [name.strip() for name in listed.split(",") if name.strip()]


def machine_line(*more: str) -> str:
    """Processor, cores and the load of the last minute, and what else is given."""
    load = (f"load {os.getloadavg()[0]:.1f}",) if hasattr(os, "getloadavg") else ()
    return "; ".join(
        (
            ", ".join((machine.cpu_name(), plural(machine.cores(), "core"), *load)),
            *filter(None, more),
        )
    )


def measure_each(specs: Iterable[str], console: Console, measure: Callable[[Graph], object]) -> int:
    """Call ``measure`` with each graph, below its heading; returns the exit status.

    Parameters
    ----------
    specs : iterable of str
        As for `graph_of`.
    """
    try:
        for spec in specs:
            graph = graph_of(spec)
            console.line("")
            console.line(
                f"{graph.name}: {plural(graph.n, 'vertex', 'vertices')}, {plural(graph.m, 'arc')}"
            )
            measure(graph)
    except TautpathError as error:
        console.error_line(error)
        return BAD_INPUT
    return 0
