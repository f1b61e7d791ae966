"""What a notebook shows of numbers of all sources."""

from __future__ import annotations

from typing import Any

from solvers.displays import display
from solvers.features.all_sources.answer import AllSources
from solvers.features.all_sources.maps import reduction_map
from solvers.features.all_sources.road_flows import RoadFlows


def display_of(found: AllSources) -> Any:
    """The map and histogram of the last reduction; flows of roads, if there are any."""
    graph, words, content = found.graph, list(found.sentences), {}
    if found.flows is not None:
        flows = RoadFlows(found.flows)
        content = {"flows": flows, "histogram": flows.histogram}
    elif found.request.sources is None and found.request.reductions:
        shown = reduction_map(found, found.request.reductions[-1])
        content = {"values": shown.values, "histogram": shown}
    return display("picture_of", graph, repr(found), words, **content)
