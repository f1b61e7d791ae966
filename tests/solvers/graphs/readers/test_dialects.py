"""Files in the shapes of other programs: the same distances, or an error that names them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.io
import scipy.sparse
from hypothesis import assume, given
from hypothesis import strategies as st

from solvers.errors import ColumnsUnknown, FileFormatError
from solvers.graphs.interpretation import Certainty
from solvers.graphs.readers import read_graph
from solvers.graphs.reading import ReadingOptions
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
    ("value", "there", "back"),
    [("yes", True, False), ("-1", False, True), ("no", True, True), (True, True, False)],
)
def test_roads_of_geojson_in_one_direction(tmp_path, value, there, back) -> None:
    """They were read in both."""
    data = geojson([[8, 50], [9, 50]], length=4, oneway=value)
    graph = read(tmp_path, json.dumps(data), "g.geojson")
    found = set(distances(graph))
    assert found == ({("0", "1")} if there else set()) | ({("1", "0")} if back else set())
    assert graph.interpretation is not None
    assert "oneway" not in graph.interpretation.ignored


def test_lists_of_neighbours_of_some_nodes_only(tmp_path) -> None:
    data = {"nodes": [{"id": 0}, {"id": 1}], "adjacency": [[]]}
    with pytest.raises(FileFormatError, match="no list of edges"):
        read(tmp_path, json.dumps(data), "g.json")


def test_features_that_are_no_lines_are_told(tmp_path) -> None:
    data = geojson([[8, 50], [9, 50]], length=4)
    data["features"] += [{"geometry": {"type": "Point", "coordinates": [8, 50]}}, {}]
    (tmp_path / "g.geojson").write_text(json.dumps(data))
    reading = read_graph(tmp_path / "g.geojson")
    assert reading.report.warnings == ("2 features that are no lines are left out.",)


_DEFAULT_GRAPHML = (
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="w" for="edge" '
    'attr.name="weight" attr.type="int"><default>3</default></key><graph edgedefault="directed">'
    '<edge source="P" target="Q"><data key="w">4</data></edge><edge source="Q" target="R"/>'
    "</graph></graphml>"
)
_DEFAULT_GEXF = (
    '<gexf xmlns="http://www.gexf.net/1.2draft"><graph defaultedgetype="directed">'
    '<attributes class="edge"><attribute id="0" title="length" type="integer"><default>3</default>'
    '</attribute></attributes><nodes><node id="P" label="P"/><node id="Q" label="Q"/>'
    '<node id="R" label="R"/></nodes><edges><edge id="0" source="P" target="Q"><attvalues>'
    '<attvalue for="0" value="4"/></attvalues></edge><edge id="1" source="Q" target="R"/></edges>'
    "</graph></gexf>"
)


@pytest.mark.parametrize(
    ("name", "text"), [("g.graphml", _DEFAULT_GRAPHML), ("g.gexf", _DEFAULT_GEXF)]
)
def test_a_default_weight_of_the_file(tmp_path, name, text) -> None:
    """Edges without a weight weighed 1, whatever default the file states."""
    assert distances(read(tmp_path, text, name))["P", "R"] == 7


@pytest.mark.parametrize(
    "edge",
    [
        '<edge source="P" target="Q" start="2001" end="2002"/>',
        '<edge source="P" target="Q"><spells><spell start="2001"/></spells></edge>',
    ],
)
def test_edges_that_exist_for_a_time_are_asked_about(tmp_path, edge) -> None:
    text = _DEFAULT_GEXF.replace('<edge id="1" source="Q" target="R"/>', edge)
    with pytest.raises(FileFormatError, match="exist for a time only"):
        read(tmp_path, text, "g.gexf")


def test_relations_and_times_of_pajek_are_told(tmp_path) -> None:
    text = "*Vertices 2\n1 P\n2 Q\n*Arcs :1 a\n1 2 4 [1-5]\n*Arcs :2 b\n1 2 3\n"
    (tmp_path / "g.net").write_text(text)
    reading = read_graph(tmp_path / "g.net")
    assert reading.report.warnings == ("Lines of all 2 relations are read as one network.",)
    assert reading.graph.interpretation is not None
    assert reading.graph.interpretation.ignored == ("times at which lines exist",)


@pytest.mark.parametrize("problem", ["max", "min", "asn", "edge", "col"])
def test_other_problems_of_dimacs_are_named(tmp_path, problem) -> None:
    """Capacities of a maximum flow were read as lengths."""
    with pytest.raises(FileFormatError, match=f"the DIMACS problem “{problem}”"):
        read(tmp_path, f"p {problem} 2 1\na 1 2 5\n", "g.gr")


@pytest.mark.parametrize(
    ("data", "name"),
    [
        ({"type": "FeatureCollection", "features": []}, "GeoJSON without lines"),
        (geojson([[690_000, 5_300_000], [690_100, 5_300_000]]), "GeoJSON without lines in deg"),
        ({"elements": [{"type": "way", "id": 1, "nodes": [1, 2]}]}, "Overpass JSON"),
        (geojson(None), "GeoJSON"),
        (geojson(5), "GeoJSON"),
        (geojson([[8, 50], [9, None]]), "GeoJSON"),
        (geojson([[8, 50], [9, 50]]) | {"crs": {"name": "EPSG:3857"}}, "GeoJSON"),
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
        chosen = f"init_node,term_node,{name}"
        assert distances(read(tmp_path, text, "net.tntp", columns=chosen))["1", "3"] == far


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


_NOT_READ = (
    *("igraph.ncol", "igraph.lgl", "igraph.dot", "weighted.edgelist", "data.edgelist", "graph6.g6"),
    *("adjacency.txt", "multiline.txt", "numpy.txt", "numpy.csv"),
)
_WITHOUT_DIRECTION = (
    *("t.csv", "semicolons.csv", "t.tsv", "pandas.csv", "numbered.csv", "pandas.parquet"),
    "igraph.ncol",
)
_NUMBERED = {
    "igraph.gml": ("", 0),
    "igraph.graphml": ("n", 0),
    "scipy.npz": ("", 0),
    "scipy.mtx": ("", 1),
}
"""What these write before the numbers of vertices, and the first number."""


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
    "semicolons.csv": lambda graph, path: _write_table(graph, path, separator=";"),
    "t.tsv": lambda graph, path: _write_table(graph, path, separator="\t"),
    "weighted.edgelist": nx.write_weighted_edgelist,
    "data.edgelist": nx.write_edgelist,
    "adjacency.txt": nx.write_adjlist,
    "multiline.txt": nx.write_multiline_adjlist,
    "networkx.net": lambda graph, path: _write_pajek(graph, path),
    "tree.gexf": lambda graph, path: nx.write_gexf(graph, path, version="1.1draft"),
    "graph6.g6": lambda graph, path: path.write_text(">>graph6<<Bw\n"),
    "scipy.mtx": lambda graph, path: scipy.io.mmwrite(path, _matrix(graph)),
    "scipy.npz": lambda graph, path: scipy.sparse.save_npz(path, _matrix(graph)),
    "numpy.txt": lambda graph, path: np.savetxt(path, _matrix(graph).toarray()),
    "numpy.csv": lambda graph, path: np.savetxt(path, _matrix(graph).toarray(), delimiter=","),
    "graphology.json": lambda graph, path: path.write_text(json.dumps(_graphology(graph))),
    "gephi.csv": lambda graph, path: _write_table(graph, path, has_types=True),
    "pandas.csv": lambda graph, path: _pandas_table(graph).to_csv(path, index=False),
    "numbered.csv": lambda graph, path: _pandas_table(graph).to_csv(path),
    "pandas.parquet": lambda graph, path: _pandas_table(graph).to_parquet(path),
    **{
        f"igraph.{form}": lambda graph, path, form=form: _write_by_igraph(graph, path, form)
        for form in ("gml", "graphml", "ncol", "lgl", "pajek", "dot")
    },
}


def _write_pajek(graph: nx.Graph, path: Path) -> None:
    weighted = type(graph)()  # NetworkX writes no other attribute of numbers
    edges = ((a, b, *data.values()) for a, b, data in graph.edges(data=True))
    weighted.add_nodes_from(graph)
    weighted.add_weighted_edges_from(edges)
    nx.write_pajek(weighted, path)


def _matrix(graph: nx.Graph) -> Any:
    (name,) = next(iter(graph.edges(data=True)))[2]
    return scipy.sparse.csr_array(nx.to_scipy_sparse_array(graph, weight=name))


def _graphology(graph: nx.Graph) -> dict[str, Any]:
    edges = [
        {"source": a, "target": b, "attributes": data} for a, b, data in graph.edges(data=True)
    ]
    kind = "directed" if graph.is_directed() else "undirected"
    return {"options": {"type": kind}, "nodes": [{"key": name} for name in graph], "edges": edges}


def _write_table(
    graph: nx.Graph, path: Path, *, has_types: bool = False, separator: str = ","
) -> None:
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
    path.write_text("\n".join([titles, *rows, ""]).replace(",", separator))


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
    unsaid = name in _WITHOUT_DIRECTION
    try:
        read_as = read_graph(
            path, ReadingOptions(undirected=(unsaid and not graph.is_directed()) or None)
        )
    except FileFormatError:
        assert name in _NOT_READ
        return
    assert name not in _NOT_READ
    found = distances(read_as.graph)
    lengths = dict(nx.all_pairs_dijkstra_path_length(graph, weight=attribute))
    # these number the vertices, and keep names as attributes
    names = {node: node for node in graph}
    if name in _NUMBERED:
        before, first = _NUMBERED[name]
        names = {node: f"{before}{place}" for place, node in enumerate(graph, start=first)}
    expected = {
        (names[a], names[b]): far for a, to in lengths.items() for b, far in to.items() if a != b
    }
    assert found == expected
    assert np.isfinite(list(found.values())).all()
