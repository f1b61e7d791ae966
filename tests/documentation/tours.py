"""Pages that play, made from real runs for the site: one for each tour that
``guide/tours.md`` embeds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from solvers.core.variant import Answers, find_variant
from solvers.devices import discover
from solvers.features.page.document import PageContent, write_page
from solvers.features.page.drawing import page_drawing
from solvers.graphs import generators
from solvers.graphs.graph import Graph
from solvers.graphs.readers import read_graph
from solvers.graphs.reading import ReadingOptions
from solvers.running.request import Choice, MeasurementPlan, RunRequest
from solvers.running.run import run
from solvers.system.files import RESOURCES


@dataclass(frozen=True)
class Tour:
    """Variants that a page compares; those that need a device are left out where there is none."""

    name: str
    title: str
    sample: str  # of File > Samples; "" generates a road-like network
    variants: tuple[str, ...]
    parameters: Mapping[str, int] = field(default_factory=dict)


TOURS = (
    Tour("bellman-ford", "Bellman-Ford, pass by pass", "textbook", ("bf-serial", "dijkstra-heap")),
    Tour(
        "dijkstra",
        "Dijkstra's frontier, and that of Bellman-Ford",
        "harbour",
        ("dijkstra-heap", "bf-serial"),
    ),
    Tour("floyd-warshall", "Floyd-Warshall, tile by tile", "", ("fw-omp-tiled",), {"tile": 32}),
    Tour(
        "near-far", "Near-far beside delta-stepping", "harbour", ("sssp-near-far", "sssp-delta-omp")
    ),
    Tour("hierarchy", "A hierarchy climbs, then sweeps", "harbour", ("cch-tree", "dijkstra-heap")),
)
_GENERATED = 192  # vertices, of a matrix of which every cell is seen


def write_tour(tour: Tour, folder: Path) -> Path:
    """Run the variants of a tour, on this machine, and write its page."""
    graph = _graph(tour.sample)
    device = next(iter(discover().devices), None)
    variants = [find_variant(name) for name in tour.variants]
    choices = tuple(
        Choice(v, v.settle(tour.parameters))
        for v in variants
        if device is not None or not v.runs_on.needs_device
    )
    paired = variants[0].answers is Answers.APSP
    source, target = (None, None) if paired else (0, graph.n - 1)
    request = RunRequest(
        graph,
        source=source,
        target=target,
        choices=choices,
        device=device,
        plan=MeasurementPlan(warmups=1, trials=7),
        trace=True,
    )
    results = list(run(request))
    content = PageContent(graph, results, source, target, page_drawing(graph), tour.title)
    return write_page(content, folder / f"{tour.name}.html")


def _graph(sample: str) -> Graph:
    if not sample:
        return generators.find("road").generate({"vertices": _GENERATED})
    graph, places = (
        next((RESOURCES / "samples").glob(f"{sample}.{kind}*"), None) for kind in ("gr", "co")
    )
    assert graph is not None, sample
    return read_graph(graph, ReadingOptions(coordinates=str(places))).graph
