"""What a path knows of its arcs, and the columns of graphs that it is told from."""

from __future__ import annotations

import copy
import math
import pickle
from pathlib import Path as FilePath

import networkx
import numpy as np
import pytest

from solvers import prepare, read, solve
from solvers.errors import ParameterError, UnknownName
from solvers.graphs.readers import read_graph
from solvers.graphs.reading import ReadingOptions
from solvers.graphs.road_changes import CLOSED, RoadChange, RoadChanges
from solvers.library.paths import Path
from tests.curved import curved_town

ROWS = "from,to,km,toll,lanes\n1,2,1,2.5,2\n2,3,1,,1\n1,3,9,0,3\n2,1,1,1.5,2\n"


@pytest.fixture
def streets() -> networkx.MultiDiGraph:
    graph = networkx.MultiDiGraph()
    graph.add_edge(1, 2, key="slow", weight=5, name="Lane", toll=0, lanes="1")
    graph.add_edge(1, 2, key="fast", weight=3, name=["High", "Street"], toll=2.5, lanes="2")
    graph.add_edge(2, 3, key="only", weight=4, toll=1, lanes="2", geometry=object())
    return graph


def test_a_path_of_a_multigraph_adds_up_the_attributes_of_its_own_edges(streets) -> None:
    graph = read(streets)
    path = solve(graph, source=1, target=3).path

    assert path == [1, 2, 3]
    assert path.arcs == [(1, 2, "fast"), (2, 3, "only")]
    assert (path.length, path.sum("toll"), path.sum("lanes")) == (7, 3.5, 4)
    assert path.values("name") == ["High; Street", None]
    assert path.attributes == ("weight", "name", "toll", "lanes")
    assert graph.interpretation.kept == ("name", "toll", "lanes")
    assert graph.interpretation.ignored == ("geometry",)


def test_attributes_follow_the_arcs_of_an_undirected_graph_in_both_directions() -> None:
    graph = networkx.Graph()
    graph.add_edge("a", "b", weight=1, toll=10)
    graph.add_edge("b", "c", weight=1, toll=20)
    for ends, tolls in ((("a", "c"), [10, 20]), (("c", "a"), [20, 10])):
        assert prepare(graph).path(*ends).values("toll") == tolls


def test_a_sum_over_an_unknown_value_is_not_a_number(tmp_path: FilePath) -> None:
    (tmp_path / "t.csv").write_text(ROWS)
    graph = read_graph(tmp_path / "t.csv").graph
    path = solve(graph, source=1, target=3).path
    assert (path, path.sum("lanes"), path.values("toll")[0]) == ([1, 2, 3], 3, 2.5)
    assert math.isnan(path.sum("toll"))
    assert graph.interpretation.kept == ("toll", "lanes")


@pytest.mark.filterwarnings("ignore:Beside the weights")
def test_a_table_and_its_parquet_file_keep_the_same_columns(tmp_path: FilePath) -> None:
    pandas = pytest.importorskip("pandas")
    (tmp_path / "t.csv").write_text(ROWS)
    table = pandas.read_csv(tmp_path / "t.csv")
    pytest.importorskip("pyarrow")
    table.to_parquet(tmp_path / "t.parquet")
    options = {"undirected": True}
    graphs = [
        read_graph(tmp_path / f"t.{kind}", ReadingOptions(**options)).graph
        for kind in ("csv", "parquet")
    ]
    for graph in (*graphs, read(table, **options)):
        assert [column.name for column in graph.attributes] == ["toll", "lanes"]
        for column, other in zip(graph.attributes, graphs[0].attributes, strict=True):
            np.testing.assert_array_equal(column.values, other.values)


def test_graphml_keeps_names_and_numbers(streets, tmp_path: FilePath) -> None:
    for _, _, data in streets.edges(data=True):
        data.pop("geometry", None)
        data["name"] = "; ".join(data["name"]) if "name" in data else ""
    networkx.write_graphml(streets, tmp_path / "g.graphml")
    path = solve(read_graph(tmp_path / "g.graphml").graph, source=1, target=3).path
    assert (path.sum("toll"), path.sum("lanes")) == (3.5, 4)


def test_a_path_on_roads_has_their_names_and_both_measures() -> None:
    path = solve(curved_town(), source=10, target=40).path
    assert path.length == path.sum("seconds") == path.sum("time") == path.sum("weight")
    assert path.sum("length") == path.sum("metres") == pytest.approx(14.3)
    assert path.values("road") == ["Main Street", "Hill Road", "Main Street"]
    with pytest.raises(ParameterError, match="texts"):
        path.sum("road")
    with pytest.raises(UnknownName, match="metres"):
        path.sum("meters")


def test_closing_roads_leaves_their_attributes_out(streets) -> None:
    graph = read(streets)
    path = prepare(graph)
    path.close([(1, 2)])
    assert path.path(1, 3) is None
    streets.add_edge(1, 3, weight=99, toll=7, lanes="9", name="Ring")
    whole = read(streets)
    changed = RoadChanges((RoadChange(2, 3, CLOSED),)).apply(whole)
    assert solve(changed, source=1, target=3).path.values("name") == ["Ring"]
    router = prepare(whole)
    router.close([(2, 3)])
    assert router.path(1, 3).sum("toll") == 7


def test_the_router_sums_the_weights_of_now(streets) -> None:
    router = prepare(streets)
    router.update({(1, 2): 1, (2, 3): 30})
    path = router.path(1, 3)
    assert (path, path.length, path.arcs[0]) == ([1, 2, 3], 31, (1, 2, "slow"))


def test_copies_and_pickles_are_plain_lists(streets) -> None:
    path = prepare(streets).path(1, 3)
    assert isinstance(path, Path)
    for other in (copy.copy(path), pickle.loads(pickle.dumps(path)), path[:]):
        assert type(other) is list
        assert other == path


def test_attributes_are_one_an_arc() -> None:
    graph = read({1: {2: {"weight": 1, "toll": 2}}})
    with pytest.raises(ParameterError, match="toll"):
        type(graph)(
            graph.indptr[:1],
            graph.indices[:0],
            graph.weights[:0],
            ids=graph.ids[:0],
            attributes=graph.attributes,
        )
