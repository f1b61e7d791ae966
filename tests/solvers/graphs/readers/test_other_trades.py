"""Files of other trades and programs: what is read of each or what is said, as kept in
``tests/golden``, and distances by hand.
"""

from __future__ import annotations

import bz2
import json
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solvers import prepare, solve
from solvers import read as read_any
from solvers.errors import ParameterError, TautpathError
from solvers.graphs.readers import read_graph
from solvers.graphs.readers.foreign import FOREIGN_KINDS, XML_KINDS
from solvers.graphs.reading import ReadingOptions
from solvers.verification.networks import verify_path
from tests.golden import Golden
from tests.solvers.graphs.readers.test_golden import told, written
from tests.solvers.graphs.readers.test_interpretation import distances, read

_XML = '<?xml version="1.0"?>\n'
_GRAPHML = (
    _XML + '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{}'
    '<graph edgedefault="directed"><node id="a"/><node id="b"/>'
    '<edge source="a" target=" b ">{}</edge></graph></graphml>'
)

_TNTP = (
    "<NUMBER OF ZONES> 2\n<NUMBER OF NODES> {nodes}\n<FIRST THRU NODE> 3\n<NUMBER OF LINKS> 4\n"
    "<END OF METADATA>\n\n\n~\tinit_node\tterm_node\tcapacity\tlength\tfree_flow_time\t;\n"
    "\t1\t3\t10\t5\t1{end}\n\t3\t2\t10\t5\t1{end}\n\t2\t4\t10\t5\t1{end}\n\t3\t4\t10\t5\t9{end}\n"
)
_BY_TIME = {"columns": "init_node,term_node,free_flow_time"}


def geojson(*lines: Any, **properties: Any) -> str:
    """Lines of one part, or of several where they are nested deeper."""
    features = [
        {
            "type": "Feature",
            "properties": properties,
            "geometry": {
                "type": "MultiLineString" if isinstance(line[0][0], list) else "LineString",
                "coordinates": line,
            },
        }
        for line in lines
    ]
    return json.dumps({"type": "FeatureCollection", "features": features})


_ROAD = [[9.5, 47.1], [9.51, 47.1], [9.52, 47.1]]
_METRE = 1 / 111_195
_NEAR = [[9.51, 47.1 + 0.4 * _METRE], [9.51, 47.11]]  # ends 0.4 m from a point of the road
_BESIDE = [[9.505, 47.1 - 0.4 * _METRE], [9.505, 47.09]]  # 0.4 m from it, between two points
_PATH = [[9.5, 47.1], [9.51, 47.1]], [[9.51, 47.1], [9.52, 47.1]]
_FEATURES = [
    json.dumps({"type": "Feature", "geometry": {"type": "LineString", "coordinates": line}})
    for line in _PATH
]
_AB = [{"id": "A"}, {"id": "B"}, {"id": "C"}]


def in_json(**values: Any) -> tuple[str, str, dict[str, Any]]:
    return "g.json", json.dumps(values), {}


def directed(title: str, *cells: str) -> str:
    """A table of roads from 1 to 2, 2 to 3 and so on, of the lengths 1, 2, 4 …"""
    rows = (f"{k},{k + 1},{2 ** (k - 1)},{cell}\n" for k, cell in enumerate(cells, 1))
    return f"a_node,b_node,length,{title}\n" + "".join(rows)


Case = tuple[str, str | bytes, dict[str, Any]]

# name: file, content, options
CASES: dict[str, Case] = {
    "a banner in lower case": (
        "m.mtx",
        "%%matrixmarket matrix coordinate real symmetric\n3 3 2\n2 1 4\n3 2 5\n",
        {},
    ),
    "a banner with one sign and a blank": (
        "m.mtx",
        "% MatrixMarket matrix coordinate real general\n2 2 1\n1 2 4\n",
        {},
    ),
    "names that begin with a": ("g.edgelist", "a\tb\t3\na\tc\t2\nc\td\t1\n", {}),
    "names that begin with p": ("g.edgelist", "p\tq\t3\nq\tr\t2\n", {}),
    "names that begin with sp": ("g.edgelist", "sp\tq\t3\nq\tr\t2\n", {}),
    "names that begin with v": ("g.edgelist", "v\tw\t3\nw\tx\t2\n", {}),
    "a and numbers as names": ("g.edgelist", "a\t5\t3\nb\t5\t2\n", {}),
    "sources of DIMACS": ("g.ss", "c of the challenge\np aux sp ss 2\ns 1\ns 3\n", {}),
    "pairs of DIMACS": ("g.p2p", "p aux sp p2p 1\nq 1 3\n", {}),
    "coordinates of DIMACS": ("g.co", "p aux sp co 1\nv 1 0 0\n", {}),
    "a scenario of MovingAI": ("x.scen", "version 1\n0\tmaps/x.map\t4\t3\t0\t0\t3\t2\t4.2\n", {}),
    "a scenario of MovingAI, version 1.0": (
        "x.scen",
        "version 1.0\n0 x.map 4 3 0 0 3 2 4.2\n",
        {},
    ),
    "a map of MovingAI": ("x.map", "type octile\nheight 1\nwidth 2\nmap\n..\n", {}),
    "GML of Gephi without quotes": (
        "g.gml",
        "Creator Gephi\ngraph\n[\n  directed 1\n  node\n  [\n    id 0\n    label Old Mill\n  ]\n"
        '  node\n  [\n    id 1\n    label "b"\n  ]\n'
        "  edge\n  [\n    source 0\n    target 1\n    value 4\n  ]\n]\n",
        {},
    ),
    "GraphML with blanks around values": (
        "g.graphml",
        _GRAPHML.format(
            '<key id="t" for="edge" attr.name="toll" attr.type="boolean"/>'
            '<key id=" w" for="edge" attr.name="weight" attr.type="double"/>',
            '<data key="t"> true </data><data key="w">\n4\n</data>',
        ),
        {},
    ),
    "GraphML without its namespace, a type, or a use for ports": (
        "g.graphml",
        '<graphml><key id="n" for="node" attr.name="note"/><graph edgedefault="undirected">'
        '<node id="a"><port name="x"/></node><node id="b"/>'
        '<edge source="a" target="b"><port/></edge></graph></graphml>',
        {},
    ),
    "counts before edges": ("g.txt", "5 4\n1 2\n2 3\n3 4\n4 5\n", {}),
    "counts before edges that are listed twice": ("g.txt", "3 2\n1 2\n2 1\n2 3\n3 2\n", {}),
    "counts and a third number before weighted edges": (
        "g.txt",
        "5 4 1\n1 2 7\n2 3 7\n3 4 7\n4 5 7\n",
        {},
    ),
    "the size of a matrix without its banner": (
        "g.mtx",
        "% a network\n5 5 4\n1 2 7\n2 3 7\n3 4 7\n4 5 7\n",
        {},
    ),
    "a loop that could be no size": ("g.txt", "% mine\n5 5 3\n1 2 7\n2 3 7\n3 4 7\n4 5 7\n", {}),
    "two edges, the first of which could be counts": ("g.txt", "2 1\n1 2\n", {}),
    "a comment before what could be counts": ("g.txt", "# mine\n3 2\n1 2\n2 3\n", {}),
    "counts between commas": ("g.csv", "5,4\n1,2\n2,3\n3,4\n4,5\n", {}),
    "counts in two lines": ("g.txt", "5\n3\n1 2\n2 3\n3 1\n", {}),
    "a count of edges": ("g.txt", "5\n1 2\n2 3\n3 1\n4 1\n2 4\n", {}),
    "a count of vertices": ("g.txt", "5\n1 2\n2 3\n3 1\n", {}),
    "a count before weighted edges": ("g.txt", "3\n1 2 5\n2 3 6\n3 1 7\n", {}),
    "a first edge that could be no counts": ("g.txt", "1 2\n2 3\n3 4\n4 5\n", {}),
    "counts, which are an edge as chosen": (
        "g.txt",
        "5 4\n1 2\n2 3\n3 4\n4 5\n",
        {"columns": "1,2"},
    ),
    "directed of GMNS": ("link.csv", directed("directed", "0", "1", "0"), {}),
    "directed of GMNS in words": ("link.csv", directed("directed", "False", "True", "False"), {}),
    "direction of AequilibraE": ("links.csv", directed("direction", "0", "1", "-1"), {}),
    "direction as decimals": ("links.csv", directed("direction", "0.0", "1.0", "-1.0"), {}),
    "oneway of ArcGIS": ("streets.csv", directed("ONEWAY", "FT", "TF", "N", ""), {}),
    "oneway of ArcGIS in letters": ("streets.csv", directed("Oneway", "F", "T", "B"), {}),
    "oneway in letters that may be true and false": ("t.csv", directed("oneway", "F", "T"), {}),
    "oneway as yes and no": ("t.csv", directed("oneway", "yes", "no", "-1"), {}),
    "oneway where the user states the direction": (
        "t.csv",
        directed("oneway", "yes", "no"),
        {"undirected": False},
    ),
    "directions of HERE": (
        "streets.csv",
        directed("DIR_TRAVEL", "F", "T", "B"),
        {},
    ),
    "bidirectional": ("t.csv", directed("bidirectional", "true", "false"), {}),
    "points of the compass, which are no directions": (
        "t.csv",
        directed("direction", "N", "E", "S"),
        {},
    ),
    "both ways, and listed both ways": (
        "t.csv",
        "u,v,length,oneway\n1,2,5,False\n2,1,6,False\n2,3,1,True\n",
        {},
    ),
    "zones of TNTP": ("g_net.tntp", _TNTP.format(nodes=4, end="\t;"), _BY_TIME),
    "semicolons of TNTP that are glued": ("g_net.tntp", _TNTP.format(nodes=4, end=";"), _BY_TIME),
    "rows of TNTP without semicolons": ("g_net.tntp", _TNTP.format(nodes=5, end=""), _BY_TIME),
    "metadata of TNTP in lower case": (
        "g_net.tntp",
        _TNTP.lower().format(nodes=4, end=";"),
        _BY_TIME,
    ),
    "the weights of TNTP": ("g_net.tntp", _TNTP.format(nodes=4, end=" ;"), {}),
    "two columns that are no graph": ("t.csv", "stop_id,stop_name\nA,Alpha\nB,Beta\n", {}),
    "two columns whose titles say nothing": ("t.csv", "id,population\n1,5000\n2,700\n", {}),
    "two columns with titles like names": ("t.csv", "station,next\nA,B\nB,C\n", {}),
    "two columns that were chosen": (
        "t.csv",
        "station,next\nA,B\nB,C\n",
        {"columns": "station,next"},
    ),
    "two columns of names": ("t.csv", "hub,a\nhub,b\nb,c\n", {}),
    "ids that savetxt wrote": (
        "g.txt",
        "1.000000000000000000e+00 2.000000000000000000e+00 3.500000000000000000e+00\n"
        "2.000000000000000000e+00 3.000000000000000000e+00 4.250000000000000000e+00\n",
        {},
    ),
    "ids that pandas wrote": ("t.csv", "source,target,weight\n1.0,2.0,3\n2,3.0,4\n", {}),
    "lines that touch between their ends": (
        "g.geojson",
        geojson(_ROAD, [[9.51, 47.1], [9.51, 47.11]]),
        {},
    ),
    "lines of several parts, with a length": (
        "g.geojson",
        geojson([[[9.5, 47.1], [9.51, 47.1]], [[9.52, 47.1], [9.53, 47.1]]], length=100),
        {},
    ),
    "lines that nearly touch": ("g.geojson", geojson(_ROAD, _NEAR, _BESIDE), {}),
    "lines that nearly touch, joined": (
        "g.geojson",
        geojson(_ROAD, _NEAR, _BESIDE),
        {"join": "1m"},
    ),
    "lines that nearly touch, joined by less": (
        "g.geojson",
        geojson(_ROAD, _NEAR, _BESIDE),
        {"join": "10cm"},
    ),
    "a distance that is none": ("g.geojson", geojson(_ROAD), {"join": "far"}),
    "joined JSON without lines": ("g.json", '{"nodes": [1], "edges": [[1, 1]]}', {"join": "1m"}),
    "a joined table": ("t.csv", "from,to,km\n1,2,3\n", {"join": "1m"}),
    "oneway of ArcGIS in GeoJSON": ("g.geojson", geojson(*_PATH, ONEWAY="TF", km=3), {}),
    "lines of GeoJSON, one a line": ("g.geojsonl", "\n".join(_FEATURES), {}),
    "a text sequence of GeoJSON": ("g.geojsonl", "".join(f"\x1e{one}\n" for one in _FEATURES), {}),
    "a geometry alone": ("g.json", '{"type": "LineString", "coordinates": [[9, 47], [9, 48]]}', {}),
    "GeoJSON of points": (
        "g.json",
        '{"type": "Feature", "geometry": {"type": "Point", "coordinates": [9, 47]}}',
        {},
    ),
    "a dict of neighbours": in_json(A={"B": 4, "C": 20}, B={"C": 5}, C={}),
    "a dict of neighbours without weights": in_json(A=["B", "C"], B=["C"]),
    "a dict of neighbours with pairs": in_json(A=[["B", 4], ["C", 20]], B=[["C", 5]]),
    "a dict of neighbours with objects": in_json(
        A=[{"node": "B", "distance": 4}, {"node": "C", "distance": 20}],
        B=[{"node": "C", "distance": 5}],
    ),
    "a dict of neighbours with attributes": in_json(A={"B": {"weight": 4}}, B={}),
    "a dict of neighbours with parallel edges": in_json(
        A={"B": {"0": {"weight": 4}, "1": {"weight": 3}}}, B={}
    ),
    "a dict of neighbours by numbers": ("g.json", '{"1": [2, 3], "2": [3], "3": []}', {}),
    "a dict of neighbours within another": in_json(graph={"A": {"B": 4}, "B": {}}),
    "a dict that is no graph": in_json(name={"first": 1}, size={"x": 2}),
    "vis.js": in_json(
        nodes=[{"id": 1, "label": "A"}, {"id": 2, "label": "B"}, {"id": 3}],
        edges=[{"from": 1, "to": 2, "length": 4}, {"from": 2, "to": 3, "length": 5}],
    ),
    "vis.js with arrows": in_json(
        nodes=[{"id": 1}, {"id": 2}, {"id": 3}],
        edges=[
            {"from": 1, "to": 2, "length": 4, "arrows": "to"},
            {"from": 2, "to": 3, "length": 5, "arrows": {"from": {"enabled": True}}},
            {"from": 1, "to": 3, "length": 6},
        ],
    ),
    "elements and connections": in_json(
        elements=[{"label": "A"}, {"label": "B"}],
        connections=[{"from": "A", "to": "B", "strength": 4}],
    ),
    "Cytoscape in one list": (
        "g.json",
        '[{"data": {"id": "a"}}, {"data": {"id": "b"}}, '
        '{"data": {"id": "ab", "source": "a", "target": "b", "weight": 4}}]',
        {},
    ),
    "JSON Graph Format": in_json(
        graph={
            "directed": True,
            "nodes": {"A": {"label": "a"}, "B": {"label": "b"}},
            "edges": [{"source": "A", "target": "B", "metadata": {"weight": 4}}],
        }
    ),
    "GoJS": in_json(
        **{"class": "go.GraphLinksModel"},
        nodeDataArray=[{"key": "A"}, {"key": "B"}],
        linkDataArray=[{"from": "A", "to": "B", "distance": 4}],
    ),
    "React Flow": in_json(
        nodes=[{"id": "A", "position": {"x": 1, "y": 2}, "data": {}}, {"id": "B"}],
        edges=[{"id": "e", "source": "A", "target": "B", "data": {"weight": 4}}],
    ),
    "links with their nodes in them": in_json(
        nodes=_AB,
        links=[{"source": {"id": "A", "x": 1}, "target": {"id": "B"}, "value": 4}],
    ),
    "links by the positions of nodes": in_json(
        nodes=[{"name": "A"}, {"name": "B"}], links=[{"source": 0, "target": 1, "value": 4}]
    ),
    "links by names": in_json(
        nodes=[{"id": 7, "name": "A"}, {"id": 8, "name": "B"}],
        links=[{"source": "A", "target": "B", "value": 4}],
    ),
    "nodes as names, and edges as lists": in_json(nodes=["A", "B"], edges=[["A", "B", 4]]),
    "edges alone": in_json(edges=[{"from": "A", "to": "B", "km": 4}]),
    "a list of edges": ("g.json", '[{"source": "A", "target": "B", "weight": 4}]', {}),
    "a list of pairs": ("g.json", '[["A", "B", 4], ["B", "C", 5]]', {}),
    "a matrix in JSON": ("g.json", "[[0, 4], [4, 0]]", {}),
    "edges, one a line": (
        "g.jsonl",
        '{"source": "A", "target": "B", "weight": 4}\n'
        '{"source": "B", "target": "C", "weight": 5}\n',
        {},
    ),
    "nodes and relationships of Neo4j, one a line": (
        "g.jsonl",
        '{"type": "node", "id": "0"}\n{"type": "node", "id": "1"}\n'
        '{"type": "relationship", "id": "0", "start": {"id": "0"}, "end": {"id": "1"}, '
        '"properties": {"km": 4}}\n',
        {},
    ),
    "a line of JSON lines that is broken": ("g.jsonl", '{"source": 1, "target": 2}\n{"sou', {}),
    "directions of edges in JSON": in_json(
        nodes=_AB,
        edges=[
            {"source": "A", "target": "B", "weight": 4, "directed": True},
            {"source": "B", "target": "C", "weight": 5, "directed": False},
        ],
    ),
    "TopoJSON": in_json(type="Topology", objects={}, arcs=[]),
    "JSON of Esri": in_json(geometryType="esriGeometryPolyline", features=[]),
    "a tree": in_json(name="root", children=[{"name": "leaf"}]),
    "a notebook": in_json(nbformat=4, cells=[]),
    "GEXF with blanks around values": (
        "g.gexf",
        '<gexf xmlns="http://gexf.net/1.3" version="1.3"><graph defaultedgetype="directed">'
        '<attributes class="edge"><attribute id="0" title="toll" type="boolean"/></attributes>'
        '<nodes><node id="a" label="a"/><node id="b" label="b"/></nodes><edges>'
        '<edge id="0" source="a" target=" b" weight=" 4 "><attvalues>'
        '<attvalue for="0" value=" true "/></attvalues></edge></edges></graph></gexf>',
        {},
    ),
}

FOREIGN: dict[str, bytes] = {
    "t.gpkg": b"SQLite format 3\0".ljust(68, b"\x01") + b"GPKG",
    "project_database.sqlite": b"SQLite format 3\0".ljust(100, b"\x01"),
    "t.xlsx": b"PK\x03\x04".ljust(30, b"\x01") + b"[Content_Types].xml<Types/>",
    "t2.xlsx": b"PK\x03\x04".ljust(30, b"\x01")
    + b"_rels/.rels"
    + b"\x01" * 99
    + b"xl/workbook.xml",
    "t.ods": b"PK\x03\x04".ljust(30, b"\x01")
    + b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet",
    "t.xls": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    "t.kmz": b"PK\x03\x04".ljust(30, b"\x01") + b"doc.kml",
    "roads.zip": b"PK\x03\x04".ljust(30, b"\x01") + b"roads.shp",
    "gtfs.zip": b"PK\x03\x04".ljust(30, b"\x01") + b"agency.txt",
    "g.cys": b"PK\x03\x04".ljust(30, b"\x01") + b"CytoscapeSession-1/",
    "g.gephi": b"PK\x03\x04".ljust(30, b"\x01") + b"Project_xml",
    "roads.shp": b"\0\0\x27\x0a".ljust(100, b"\0"),
    "roads.fgb": b"fgb\x03fgb\x00",
    "t.h5": b"\x89HDF\r\n\x1a\n\0",
    "t.feather": b"ARROW1\0\0",
    "t.nc": b"CDF\x01\0",
    "t.avro": b"Obj\x01\x04\x14avro.codec\x08null",
    "t.orc": b"ORC\x0a\x03\x10",
    "t.duckdb": b"\x01".ljust(8, b"\x07") + b"DUCK@" + b"\0" * 7,
    "m.npy": b"\x93NUMPY\x01\0",
    "m.mat": b"MATLAB 5.0 MAT-file, Platform: GLNXA64",
    "t.RData": b"RDX3\nX\n",
    "g.pickle": b"\x80\x04\x95\x10\0",
    "g.gt": b"\xe2\x9b\xbe gt\x01",
    "g.pdf": b"%PDF-1.7\n",
    "g.png": b"\x89PNG\r\n\x1a\n\0",
    "g.xz": b"\xfd7zXZ\0\0",
    "g.zst": b"\x28\xb5\x2f\xfd\0",
    "g.lz4": b"\x04\x22\x4d\x18\0",
    "g.json.bz2": bz2.compress(b'{"nodes": [], "edges": []}'),
    "g.7z": b"7z\xbc\xaf\x27\x1c\0",
    "g.rar": b"Rar!\x1a\x07\0",
    "g.tar": b"graph.txt".ljust(257, b"\0") + b"ustar\0",
    "x.scen": b"version 1\r\n0\tx.map\t4\t3\t0\t0\t3\t2\t4\r\n",
    "x.map": b"type octile\nheight 2\n",
    "g.dot": b"// by hand\nstrict digraph {\n a -> b [weight=3];\n}\n",
    "g.gv": b'graph "my graph" { a -- b }',
    "g.g6": b">>graph6<<Bw\n",
    "g.gw": b"LEDA.GRAPH\nstring\nint\n-1\n2\n",
    "g.tlp": b'(tlp "2.0"\n(nodes 0 1)',
    "g.gdf": b"nodedef>name VARCHAR\na\nedgedef>node1 VARCHAR,node2 VARCHAR\na,a\n",
    "g.dl": b"dl n=3 format=edgelist1\n",
    "g.vna": b"*Node data\nid\na\n",
    "g.net": b"$VISION\n* VISUM\n",
    "g.adj": b"WeightedAdjacencyGraph\n3\n2\n",
    "g.tsp": b"NAME : berlin52\nTYPE : TSP\nCOMMENT : 52 places\nDIMENSION : 52\n",
    "g_trips.tntp": b"<NUMBER OF ZONES> 24\n<END OF METADATA>\n\nOrigin 1\n1 : 3;\n",
    "t.rtf": b"{\\rtf1\\ansi",
    "t.wkt": b"LINESTRING (9.5 47.1, 9.51 47.1)\n",
}

# what trigonometry gives differs in its last digits
_LONG = re.compile(r"\d+\.\d{7,}")


def _said(path: Path, options: dict[str, Any]) -> str:
    try:
        reading = read_graph(path, ReadingOptions(**options))
    except TautpathError as error:
        return f"{type(error).__name__}: {error}"
    found = reading.graph.interpretation
    line = "" if found is None else f"\nread as {found.line}"
    return _LONG.sub(lambda number: f"{float(number[0]):.8g}", told(reading) + line)


@pytest.mark.parametrize("name", CASES)
def test_what_is_said(name: str, tmp_path: Path, golden: Golden) -> None:
    file, content, options = CASES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        said = _said(written(tmp_path, content, file), options)
    golden.check("files of other trades", name, said)


@pytest.mark.parametrize("name", FOREIGN)
def test_what_is_not_read_is_named(name: str, tmp_path: Path, golden: Golden) -> None:
    said = _said(written(tmp_path, FOREIGN[name], name), {})
    assert re.search(r"this is .*, which is not read", said)
    golden.check("files of other trades", name, said)


@pytest.mark.parametrize("element", XML_KINDS)
def test_xml_that_is_not_read_is_named(element: str, tmp_path: Path, golden: Golden) -> None:
    text = f'{_XML}<!-- a --><{element} version="1"></{element}>'
    golden.check(
        "files of other trades", f"<{element}>", _said(written(tmp_path, text, "g.xml"), {})
    )


def test_every_kind_that_is_named_is_tried() -> None:
    for kind in FOREIGN_KINDS:
        assert any(re.match(kind.begins, head, re.DOTALL) for head in FOREIGN.values()), kind


@pytest.mark.parametrize(
    ("name", "ends", "far"),
    [
        ("a banner in lower case", ("1", "3"), 9),
        ("names that begin with a", ("a", "d"), 3),
        ("names that begin with p", ("p", "r"), 5),
        ("GML of Gephi without quotes", ("Old Mill", "b"), 4),
        ("GraphML with blanks around values", ("a", "b"), 4),
        ("GEXF with blanks around values", ("a", "b"), 4),
        ("counts before edges", ("1", "5"), 4),
        ("lines that touch between their ends", ("0", "3"), 1868.9),
        ("lines that nearly touch, joined", ("3", "5"), 2602.4),
        ("lines of several parts, with a length", ("0", "1"), 50),
        ("oneway of ArcGIS in GeoJSON", ("2", "0"), 6),
        ("a dict of neighbours", ("A", "C"), 9),
        ("a dict of neighbours with pairs", ("A", "C"), 9),
        ("a dict of neighbours with objects", ("A", "C"), 9),
        ("a dict of neighbours with parallel edges", ("A", "B"), 3),
        ("vis.js", ("3", "1"), 9),
        ("vis.js with arrows", ("3", "2"), 5),
        ("links by names", ("A", "B"), 4),
        ("React Flow", ("A", "B"), 4),
        ("a list of pairs", ("A", "C"), 9),
        ("edges, one a line", ("A", "C"), 9),
        ("directions of edges in JSON", ("C", "B"), 5),
        ("a count before weighted edges", ("1", "3"), 11),
        ("directed of GMNS", ("2", "1"), 1),
        ("direction of AequilibraE", ("4", "3"), 4),
        ("oneway of ArcGIS", ("3", "2"), 2),
        ("ids that savetxt wrote", ("1", "3"), 7.75),
    ],
)
def test_distances_by_hand(name: str, ends: tuple[str, str], far: float, tmp_path: Path) -> None:
    file, content, options = CASES[name]
    assert isinstance(content, str)
    found = distances(read(tmp_path, content, file, **options))
    assert found[ends] == pytest.approx(far, rel=1e-4)


@pytest.mark.parametrize(
    ("name", "ends"),
    [
        ("counts before edges", ("5", "4")),
        ("directed of GMNS", ("3", "2")),
        ("direction of AequilibraE", ("3", "4")),
        ("oneway of ArcGIS", ("3", "4")),
        ("oneway of ArcGIS in letters", ("2", "3")),
        ("directions of HERE", ("2", "3")),
        ("lines that nearly touch", ("0", "3")),
        ("oneway of ArcGIS in GeoJSON", ("0", "2")),
        ("vis.js with arrows", ("2", "1")),
        ("directions of edges in JSON", ("B", "A")),
        ("a list of pairs", ("B", "A")),
    ],
)
def test_what_is_not_reached(name: str, ends: tuple[str, str], tmp_path: Path) -> None:
    file, content, options = CASES[name]
    assert isinstance(content, str)
    assert ends not in distances(read(tmp_path, content, file, **options))


def test_no_path_leads_through_a_zone(tmp_path: Path) -> None:
    """Also where it is updated, and a path through one is proved wrong."""
    file, content, options = CASES["zones of TNTP"]
    assert isinstance(content, str)
    graph = read(tmp_path, content, file, **options)
    for variant in ("dijkstra-heap", "bf-edge-flags"):
        found = solve(graph, variant, source=1, target=4)
        assert (found.distance, found.path, found.verified) == (10, [1, 3, 4], True)
    assert solve(graph, "dijkstra-heap", source=1, target=2).distance == 2
    assert solve(graph, "dijkstra-heap", source=2, target=4).distance == 1
    router = prepare(graph)
    router.update({(3, 4): 20})
    assert (router.distance(1, 4), router.distance(1, 2)) == (21, 2)
    wrong = verify_path(graph, np.array([graph.vertex(v) for v in (1, 3, 2, 4)]))
    assert "leads through 2, a zone" in wrong.text


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_directions_of_tables_in_memory(kind: str) -> None:
    library = pytest.importorskip(kind)
    made = library.table if kind == "pyarrow" else library.DataFrame
    columns = {"from": [1, 2, 3], "to": [2, 3, 4], "km": [1, 2, 4], "directed": [0, 1, 0]}
    found = distances(read_any(made(columns)))
    assert found["2", "1"] == 1
    assert ("3", "2") not in found
    longer = {title: cells * 10 for title, cells in columns.items()}
    longer["directed"][-1] = 7  # below the rows that are looked at first
    with pytest.raises(ParameterError, match="directed in row 29"):
        read_any(made(longer))


def test_all_that_is_kept_was_said(golden: Golden) -> None:
    kept = [*CASES, *FOREIGN, *(f"<{element}>" for element in XML_KINDS)]
    golden.require_no_others("files of other trades", kept)
