"""Isochrones: the pieces of roads within budgets against points of roads one by one, in plain
Python, also where turns matter; outlines, places and files.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers import Graph, prepare
from solvers.errors import PackageMissing, ParameterError, UnsuitableGraph
from solvers.features.isochrone.answers import Isochrones, isochrones_of_answer
from solvers.running.answers.answer import DistancesAnswer
from tests.graphs import graphs, right_distances
from tests.solvers.features.openstreetmap.town import WAYS, write_osm
from tests.solvers.graphs.test_isochrone import plain_streets
from tests.streets import drawn_streets, right_answer

LANE_METRES = 224.0
SHARES = np.linspace(0.013, 0.987, 23)


def within(found: Isochrones, arc: int, share: float) -> float:
    """The least budget that a point of an arc is within; inf beyond all."""
    pieces = found.pieces
    here = (pieces.arcs == arc) & (pieces.begins <= share) & (share <= pieces.ends)
    assert here.sum() <= 1, "pieces do not overlap"
    return found.budgets[int(pieces.bands[here][0])] if here.any() else math.inf


def expected(budgets: tuple[float, ...], reached: float) -> float:
    return min((budget for budget in budgets if reached <= budget), default=math.inf)


@given(graphs(dtypes=("int32",)), st.sets(st.floats(0, 70), min_size=1, max_size=3))
def test_every_point_of_a_road_has_the_least_budget_that_it_is_within(
    graph: Graph, budgets: set[float]
) -> None:
    distances = right_distances(graph, 0)
    answer = DistancesAnswer(graph, (0,), distances, None, "test")
    found = isochrones_of_answer(answer, sorted(budgets))
    numbers: dict[tuple[int, int, float], list[int]] = {}
    ends = zip(graph.tails.tolist(), graph.indices.tolist(), graph.weights.tolist(), strict=True)
    for arc, key in enumerate(ends):
        numbers.setdefault(key, []).append(arc)
    points = 0.0
    for street in plain_streets(graph):
        for share in SHARES.tolist():
            # the k-th of equal arcs may be either of them: all have the same ends
            (tail, head, weight), *back = street
            reached = distances[tail] + share * weight
            if back:
                reached = min(reached, distances[head] + (1 - share) * back[0][2])
            if min(abs(reached - budget) for budget in budgets) < 1e-6:
                continue
            own = [within(found, arc, share) for arc in numbers[tail, head, weight]]
            other = [within(found, arc, 1 - share) for one in back for arc in numbers[one]]
            assert expected(found.budgets, reached) in (*own, *other)
            points += 1
    assert list(found.vertices) == [int((distances <= budget).sum()) for budget in found.budgets]


@pytest.mark.parametrize("seed", range(12))
def test_roads_are_entered_as_their_turns_allow(seed: int) -> None:
    """By restrictions, costs of turns and roads for destination only."""
    streets = drawn_streets(np.random.default_rng(seed))
    router, arcs = prepare(streets.graph, device=None, verify="all"), streets.arcs
    for source in range(streets.n):
        distances, starts = right_answer(streets, streets.weights, source)
        budgets = [float(np.median(distances[distances < np.inf])) + 0.3, 11.7]
        found = router.isochrone(10 + 3 * source, budgets)
        for i, arc in enumerate(arcs):
            back = streets.backs.get(arc)
            if back is not None and arcs.index(back) < i:
                continue
            for share in SHARES.tolist():
                reached = starts.get(arc, math.inf) + share * streets.weights[arc]
                if back is not None:
                    rest = (1 - share) * streets.weights[back]
                    reached = min(reached, starts.get(back, math.inf) + rest)
                if all(abs(reached - budget) > 1e-6 for budget in budgets):
                    assert within(found, i, share) == expected(found.budgets, reached)


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Path:
    ways = {way: WAYS[way] for way in (100, 101, 102, 103)}
    return write_osm(tmp_path_factory.mktemp("town") / "town.osm", ways)


def read_file(path: Path) -> list[Mapping[str, Any]]:
    features: list[Mapping[str, Any]] = json.loads(path.read_text())["features"]
    return features


def test_a_file_has_outlines_and_roads_that_are_cut(town: Path, tmp_path: Path) -> None:
    shapely = pytest.importorskip("shapely")
    router = prepare(town)
    found = router.isochrone((47.1, 9.5005), "5, 10, 15s")
    assert found.budgets == (5.0, 10.0, 15.0)
    features = read_file(found.save(tmp_path / "reached.geojson"))
    kinds = [feature["properties"]["kind"] for feature in features]
    assert kinds == ["outline"] * 3 + ["road"] * (len(kinds) - 3)
    hulls = [shapely.from_geojson(json.dumps(f["geometry"])).buffer(1e-6) for f in features[:3]]
    assert [f["properties"]["within_s"] for f in features[:3]] == [15.0, 10.0, 5.0]
    assert hulls[0].covers(hulls[1].buffer(-2e-6))
    for feature in features[3:]:
        line, facts = shapely.from_geojson(json.dumps(feature["geometry"])), feature["properties"]
        metres = sum(
            111_195 * math.hypot((x1 - x0) * math.cos(math.radians(y0)), y1 - y0)
            for (x0, y0), (x1, y1) in zip(line.coords, list(line.coords)[1:], strict=False)
        )
        assert facts["length_m"] == pytest.approx(metres, rel=0.02, abs=0.2)
        assert hulls[[15.0, 10.0, 5.0].index(facts["within_s"])].covers(line)
    # five seconds at 50 km/h, both ways along Main Street
    own = [f["properties"]["length_m"] for f in features if f["properties"]["within_s"] == 5.0]
    assert sum(own[1:]) == pytest.approx(found.lengths[0])
    assert "Main Street (B 1)" in {f["properties"]["road"] for f in features}
    rows = found.save(tmp_path / "reached.csv").read_text().splitlines()
    assert rows[0].startswith("within_s,tail,head,key,begin,end,length_m,road,wkt")
    assert len(rows) == 1 + kinds.count("road")
    assert len(found.outline.to_frame()) == 3


def test_library_and_command_line_write_the_same_pieces(
    town: Path, tmp_path: Path, tautpath: Callable[..., tuple[int, str, str]]
) -> None:
    pytest.importorskip("shapely")
    place, file = "47.1, 9.5005", tmp_path / "reached.geojson"
    told = ("--isochrone", file, "--budget", "5s,20s", "--source", place, "--no-keep")
    status, out, _ = tautpath("solve", town, "--variants", "dijkstra-heap", *told)
    assert (status, f"wrote {file}" in out) == (0, True)
    own = prepare(town).isochrone((47.1, 9.5005), ["5s", 20]).save(tmp_path / "own.geojson")
    assert [f["geometry"] for f in read_file(file)] == [f["geometry"] for f in read_file(own)]
    for wrong, said in (
        (("--budget", "2km"), "2km is a length"),
        (("--isochrone", file), "--isochrone and --budget go together"),
        (("--isochrone", file, "--budget", "5"), "give --source ID"),
        (("--isochrone", "x.gpx", "--budget", "5", "--source", "1"), "it must end in"),
    ):
        more = ("--isochrone", file, "--source", "1") if wrong[1] == "2km" else ()
        status, _, error = tautpath("solve", town, "--variants", "dijkstra-heap", *wrong, *more)
        assert (status, said in error) == (2, True), error


def test_what_is_no_budget_is_refused(town: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("shapely")
    router = prepare(town)
    for wrong in ("2km", "5,10", "soon", -1, math.nan, [], math.inf):
        with pytest.raises(ParameterError):
            router.isochrone(1, wrong)
    with pytest.raises(UnsuitableGraph, match="needs coordinates"):
        _ = prepare([("a", "b", 4)]).isochrone("a", 3).outline.geometries
    monkeypatch.setitem(__import__("sys").modules, "shapely", None)
    found = router.isochrone(1, 5)
    with pytest.raises(PackageMissing, match="shapely"):
        found.save("x.geojson")


def test_closed_roads_are_not_entered(town: Path) -> None:
    router = prepare(town)
    before = router.isochrone(1, "10min")
    router.close([(2, 11)])
    after = router.isochrone(1, "10min")
    roads = [set(found.to_frame()["road"]) for found in (before, after)]
    assert roads[0] - roads[1] == {"Lane"}
    assert before.lengths[0] - after.lengths[0] == pytest.approx(LANE_METRES, rel=0.01)
