"""Places as ends without the feature that cuts roads there."""

from __future__ import annotations

import pytest

from solvers import solve
from solvers.errors import PlacesNotTaken
from solvers.graphs import places
from solvers.graphs.network import Network, Place
from solvers.graphs.places import PlaceEnds
from tests.solvers.features.ends_on_roads.test_road_points import network, places_in


def test_a_place_is_refused_without_the_feature(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = network(1)
    monkeypatch.setattr(places, "place_ends", PlaceEnds)
    place = tuple(places_in(graph, 1, 1)[0])
    with pytest.raises(PlacesNotTaken, match="give ends by the ids of vertices"):
        solve(graph, source=place, target=graph.vertex_id(0))
    with pytest.raises(PlacesNotTaken):
        Network.of(graph, frozenset({Place(*place)}))
    assert solve(graph, source=graph.vertex_id(0)).verified
    assert not PlaceEnds().possible(graph)
