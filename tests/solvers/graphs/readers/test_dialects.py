"""Files in the shapes of other programs: the same distances, or an error that names them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from solvers.errors import ColumnsUnknown, FileFormatError
from solvers.graphs.interpretation import Certainty
from solvers.graphs.readers import TableOptions, read_graph
from tests.solvers.graphs.readers.test_interpretation import distances, read

_EDGES = [("P", "Q", 4), ("Q", "R", 3), ("P", "R", 9)]
_ONE_WAY = {("P", "Q"): 4, ("Q", "R"): 3, ("P", "R"): 7}
_BOTH_WAYS = _ONE_WAY | {(b, a): far for (a, b), far in _ONE_WAY.items()}


def graphology(kind: str) -> dict[str, Any]:
    edges = [{"source": a, "target": b, "attributes": {"weight": w}} for a, b, w in _EDGES]
    nodes = [{"key": name, "attributes": {"x": 1, "y": 2}} for name in "PQR"]
    return {"options": {"type": kind}, "nodes": nodes, "edges": edges}


def cytoscape(directed: bool) -> dict[str, Any]:
    edges = [{"data": {"id": a + b, "source": a, "target": b, "weight": w}} for a, b, w in _EDGES]
    nodes = [{"data": {"id": name}, "position": {"x": 1, "y": 2}} for name in "PQR"]
    return {"directed": directed, "elements": {"nodes": nodes, "edges": edges}}


def networkx_graph(kind: type[nx.Graph]) -> nx.Graph:
    graph = kind()
    graph.add_weighted_edges_from(_EDGES)
    return graph


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (graphology("directed"), _ONE_WAY),
        (graphology("undirected"), _BOTH_WAYS),
        (cytoscape(True), _ONE_WAY),
        (cytoscape(False), _BOTH_WAYS),
        (nx.cytoscape_data(networkx_graph(nx.DiGraph)), _ONE_WAY),
        (nx.adjacency_data(networkx_graph(nx.DiGraph)), _ONE_WAY),
        (nx.adjacency_data(networkx_graph(nx.Graph)), _BOTH_WAYS),
        (nx.adjacency_data(networkx_graph(nx.MultiGraph)), _BOTH_WAYS),
    ],
)
def test_json(tmp_path, data, expected) -> None:
    assert distances(read(tmp_path, json.dumps(data), "g.json")) == expected


def test_a_direction_that_is_not_said_is_guessed(tmp_path) -> None:
    data = cytoscape(True)
    del data["directed"]
    graph = read(tmp_path, json.dumps(data), "g.json")
    assert graph.interpretation is not None
    assert graph.interpretation.direction is not None
    assert graph.interpretation.direction.certainty is Certainty.GUESSED


def geojson(*lines: list[Any], kind: str = "LineString", **properties: Any) -> dict[str, Any]:
    features = [
        {"properties": properties, "geometry": {"type": kind, "coordinates": line}}
        for line in lines
    ]
    return {"type": "FeatureCollection", "features": features}


def test_lines_of_geojson_meet_at_their_ends(tmp_path) -> None:
    lines = [[8, 50], [8.5, 50], [9, 50]], [[9, 50], [9, 51]], [[8.5, 49], [8.5, 51]]
    graph = read(tmp_path, json.dumps(geojson(*lines, length=4)), "g.geojson")
    assert (graph.n, distances(graph)["0", "2"]) == (5, 8)
    measured = read(tmp_path, json.dumps(geojson(*lines)), "g.geojson")
    assert measured.weight_unit == "m"
    assert distances(measured)["1", "2"] == pytest.approx(111_195, rel=1e-3)


@pytest.mark.parametrize(
    ("data", "name"),
    [
        ({"type": "FeatureCollection", "features": []}, "GeoJSON without lines"),
        (geojson([[[8, 50], [8, 51]], [[9, 50], [9, 51]]], kind="MultiLineString"), "GeoJSON"),
        (geojson([[690_000, 5_300_000], [690_100, 5_300_000]]), "GeoJSON without lines in deg"),
        ({"elements": [{"type": "way", "id": 1, "nodes": [1, 2]}]}, "Overpass JSON"),
    ],
)
def test_json_that_is_not_read_is_named(tmp_path, data, name) -> None:
    with pytest.raises(FileFormatError, match=f"this is {name}"):
        read(tmp_path, json.dumps(data), "g.json")


_GRAPHML = """<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="w" for="edge" attr.name="weight" attr.type="int"/><graph edgedefault="{}">
<node id="P"/><node id="Q"/><node id="R"/>
<edge id="1" source="P" target="Q" {}><data key="w">4</data></edge>
<edge id="2" source="Q" target="R" {}><data key="w">3</data></edge></graph></graphml>"""
_GEXF = """<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">
<graph defaultedgetype="{}"><nodes><node id="P"/><node id="Q"/><node id="R"/></nodes><edges>
<edge id="1" source="P" target="Q" weight="4" {}/>
<edge id="2" source="Q" target="R" weight="3" {}/></edges></graph></gexf>"""


@pytest.mark.parametrize(
    "text",
    [
        _GRAPHML.format("directed", "", 'directed="false"'),
        _GRAPHML.format("undirected", 'directed="true"', ""),
        _GEXF.format("directed", "", 'type="undirected"'),
        _GEXF.format("directed", "", 'type="mutual"'),
        _GEXF.format("undirected", 'type="directed"', ""),
    ],
)
def test_an_edge_among_arcs_is_two_arcs(tmp_path, text) -> None:
    assert distances(read(tmp_path, text, "g.xml")) == _ONE_WAY | {("R", "Q"): 3}


def test_links_of_tntp(tmp_path) -> None:
    text = (
        "<NUMBER OF ZONES> 2\n<NUMBER OF NODES> 3\n<END OF METADATA>\n\n\n"
        "~ \tinit_node\tterm_node\tcapacity\tlength\tfree_flow_time\t;\n"
        "\t1\t2\t900\t4\t8\t;\n\t2\t3\t900\t3\t6\t;\n"
    )
    with pytest.raises(ColumnsUnknown, match="“length” and “free_flow_time”"):
        read(tmp_path, text, "net.tntp")
    for name, far in (("length", 7), ("free_flow_time", 14)):
        chosen = TableOptions(f"init_node,term_node,{name}")
        assert distances(read(tmp_path, text, "net.tntp", table=chosen))["1", "3"] == far


def test_a_network_of_a_project(tmp_path) -> None:
    text = (
        '*Network n\n*Vertices 2\n1 "P"\n2 "Q"\n*Arcs\n1 2 4\n*Partition zones\n*Vertices 2\n1\n1\n'
    )
    graph = read(tmp_path, text, "p.paj")
    assert distances(graph) == {("P", "Q"): 4}
    assert graph.interpretation is not None
    assert graph.interpretation.ignored == ("Partition zones",)


def test_weights_that_change_with_time_are_asked_about(tmp_path) -> None:
    text = _GEXF.format("directed", "", "").replace(
        "<nodes>", '<attributes class="edge" mode="dynamic"/><nodes>'
    )
    with pytest.raises(FileFormatError, match="change with time"):
        read(tmp_path, text, "g.gexf")
    assert distances(read(tmp_path, text, "g.gexf", attribute="weight"))["P", "R"] == 7


def test_names_and_places_of_yed(tmp_path) -> None:
    node = (
        '<node id="{0}"><data key="d"><y:ShapeNode>'
        '<y:Geometry height="1" width="1" x="{1}" y="{1}"/>'
        "<y:NodeLabel>{2}</y:NodeLabel></y:ShapeNode></data></node>"
    )
    text = (
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns" '
        'xmlns:y="http://www.yworks.com/xml/graphml"><key for="node" id="d" '
        'yfiles.type="nodegraphics"/><key attr.name="length" attr.type="double" for="edge" '
        f'id="l"/><graph edgedefault="directed">{node.format("a", 1, "Mill")}'
        f'{node.format("b", 5, "Weir")}<edge source="a" target="b"><data key="l">4</data></edge>'
        "</graph></graphml>"
    )
    graph = read(tmp_path, text, "g.graphml")
    assert distances(graph) == {("Mill", "Weir"): 4}
    assert graph.coordinates is not None
    assert graph.coordinates.xy[:, 1].tolist() == [-1, -5]


def test_a_deleted_road_of_josm(tmp_path) -> None:
    nodes = "".join(f'<node id="-{k}" lat="50" lon="8.00{k}"/>' for k in (1, 2, 3))
    way = '<way id="-{}" {}><nd ref="-{}"/><nd ref="-{}"/><tag k="highway" v="primary"/></way>'
    ways = way.format(7, "", 1, 2) + "{}" + way.format(9, "", 2, 3)
    text = f'<osm version="0.6" generator="JOSM">{nodes}{ways}</osm>'
    whole = read(tmp_path, text.format(""), "a.osm")
    for mark in ("action='delete'", "visible='false'"):
        marked = read(tmp_path, text.format(way.format(8, mark, 1, 3)), "a.osm")
        assert distances(marked) == distances(whole)


def test_turn_restrictions_are_told(tmp_path) -> None:
    text = (
        '<osm version="0.6"><node id="1" lat="50" lon="8"/><node id="2" lat="50" lon="8.1"/>'
        '<way id="3"><nd ref="1"/><nd ref="2"/><tag k="highway" v="primary"/></way>'
        '<relation id="4"><tag k="type" v="restriction"/><tag k="restriction" v="no_u_turn"/>'
        "</relation></osm>"
    )
    (tmp_path / "a.osm").write_text(text)
    reading = read_graph(tmp_path / "a.osm")
    assert "1 turn restriction is not read" in reading.report.warnings[0]
    assert reading.graph.interpretation is not None
    assert reading.graph.interpretation.ignored == ("1 turn restriction",)


_NOT_READ = ("igraph.ncol", "igraph.lgl", "igraph.dot")


def _networks() -> st.SearchStrategy[nx.Graph]:
    ends = st.integers(0, 4).map("v{}".format)
    edges = st.lists(st.tuples(ends, ends, st.integers(1, 99)), min_size=1, max_size=9)

    def made(kind: type[nx.Graph], listed: list[tuple[str, str, int]], name: str) -> nx.Graph:
        graph = kind()
        graph.add_weighted_edges_from(listed, weight=name)
        return graph

    names = st.sampled_from(["weight", "length", "travel_time", "cost", "distance_km"])
    return st.builds(made, st.sampled_from([nx.Graph, nx.DiGraph]), edges, names)


_WRITERS = {
    "g.graphml": nx.write_graphml,
    "g.gexf": nx.write_gexf,
    "g.gml": nx.write_gml,
    "node-link.json": lambda graph, path: path.write_text(
        json.dumps(nx.node_link_data(graph, edges="links"))
    ),
    "adjacency.json": lambda graph, path: path.write_text(json.dumps(nx.adjacency_data(graph))),
    "cytoscape.json": lambda graph, path: path.write_text(json.dumps(nx.cytoscape_data(graph))),
    "t.csv": lambda graph, path: _write_table(graph, path),
    "gephi.csv": lambda graph, path: _write_table(graph, path, has_types=True),
    "pandas.csv": lambda graph, path: _pandas_table(graph).to_csv(path, index=False),
    "numbered.csv": lambda graph, path: _pandas_table(graph).to_csv(path),
    "pandas.parquet": lambda graph, path: _pandas_table(graph).to_parquet(path),
    **{
        f"igraph.{form}": lambda graph, path, form=form: _write_by_igraph(graph, path, form)
        for form in ("gml", "graphml", "ncol", "lgl", "pajek", "dot")
    },
}


def _write_table(graph: nx.Graph, path: Path, *, has_types: bool = False) -> None:
    """As `to_pandas_edgelist` and `to_csv` do; or as Gephi exports edges."""
    edges = list(graph.edges(data=True))
    (name,) = edges[0][2]
    rows = [f"{tail},{head},{data[name]}" for tail, head, data in edges]
    titles = f"source,target,{name}"
    if has_types:
        kind = "Directed" if graph.is_directed() else "Undirected"
        titles = f"Source,Target,Type,Id,Label,timeset,{name.title()}"
        rows = [
            f"{tail},{head},{kind},{place},,,{data[name]}"
            for place, (tail, head, data) in enumerate(edges)
        ]
    path.write_text("\n".join([titles, *rows, ""]))


def _pandas_table(graph: nx.Graph) -> Any:
    pytest.importorskip("pandas")
    return nx.to_pandas_edgelist(graph)


def _write_by_igraph(graph: nx.Graph, path: Path, form: str) -> None:
    made = pytest.importorskip("igraph").Graph.from_networkx(graph)
    (name,) = made.es.attributes()
    made.vs["name"] = made.vs["_nx_name"]
    del made.vs["_nx_name"]
    made.es["weight"] = made.es[name]  # igraph writes no other into files of Pajek
    if form in ("ncol", "lgl"):
        if made.has_multiple() or any(made.is_loop()):
            assume(form != "lgl")
        getattr(made, f"write_{form}")(str(path), names="name", weights=name)
    else:
        getattr(made, f"write_{form}")(str(path))


@pytest.mark.parametrize("name", _WRITERS)
@given(graph=_networks())
def test_what_others_write_has_the_same_distances(tmp_path_factory, name, graph) -> None:
    """Or it is refused."""
    attribute = next(iter(next(iter(graph.edges(data=True)))[2]))
    path = tmp_path_factory.mktemp("written") / name
    _WRITERS[name](graph, path)
    # these do not say that edges have no direction
    unsaid = name in ("t.csv", "pandas.csv", "numbered.csv", "pandas.parquet", "igraph.ncol")
    try:
        read_as = read_graph(path, undirected=(unsaid and not graph.is_directed()) or None)
    except FileFormatError:
        assert name in _NOT_READ
        return
    assert name not in _NOT_READ
    found = distances(read_as.graph)
    lengths = dict(nx.all_pairs_dijkstra_path_length(graph, weight=attribute))
    # these number the vertices, and keep names as attributes
    shown = {"igraph.gml": "{}", "igraph.graphml": "n{}"}.get(name)
    names = {node: shown.format(place) if shown else node for place, node in enumerate(graph)}
    expected = {
        (names[a], names[b]): far for a, to in lengths.items() for b, far in to.items() if a != b
    }
    assert found == expected
    assert np.isfinite(list(found.values())).all()
