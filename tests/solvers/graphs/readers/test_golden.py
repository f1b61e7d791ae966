"""What is read of small files in every format, and what is said of those refused, as
kept in ``tests/golden``.
"""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solvers.errors import FileFormatError, TautpathError
from solvers.graphs.readers import Reading, read_graph
from solvers.graphs.readers.table_files import _TEXT_ROWS
from solvers.graphs.reading import ReadingOptions
from tests.golden import Golden

MARKET = "%%MatrixMarket matrix {}\n"
REAL = MARKET.format("coordinate real general")
GRAPHML = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{}</graphml>'
GML = (
    'Creator "x"\n'
    "graph\n"
    "[\n"
    " node [ id 0 ]\n"
    " node [ id 1 ]\n"
    " edge [ source 0 target 1 value 2 ]\n"
    " {} ]\n"
)
FRIENDS = "".join(f"{i} {i + 1}\n" for i in range(200))
TOWNS = (
    '# of a friend\nfrom;to;km\nZürich;"St. Gallen; Bahnhof";84\n"St. Gallen; Bahnhof";Bern;200\n'
)
WAYS = "n,end point,way,toll\n1,b,a,5\n2,c,b,6\n"


def as_json(nodes: object, edges: object, **more: object) -> str:
    return json.dumps({"nodes": nodes, "edges": edges, **more})


def chosen(columns: str = "", **more: Any) -> dict[str, Any]:
    return {"columns": columns, **more}


READ: dict[str, tuple[str | bytes, dict[str, Any]] | str | bytes] = {
    "DIMACS without a problem line": "a 2 3 1\na 3 7 4\n",
    "isolated vertices": "p sp 5 1\na 2 3 1\n",
    "a header of other counts": "p sp 5 9\na 2 3 1\n",
    "a header, and vertices from 0": "p sp 3 1\na 0 1 4\n",
    "a header of absurd counts": "p sp 999999999999 1\na 1 2 4\n",
    "loops, parallel and negative arcs": "a 1 1 4\na 1 2 -3\na 1 2 8\na 1 2 8\na 2 1 0\n",
    "parallel arcs in the order of the file": "a 1 2 9\na 1 2 3\na 1 2 6\n",
    "unit weights beside nonsense": ("a 1 2 nonsense\na 2 3 x y z\n", {"weights": "unit"}),
    "huge ids": "123456789012345678 5\n5 999999999999\n",
    "an edge list with titles and more columns": "source,target,weight,time,note\n"
    "1,2,-3,0.5,x\n"
    "2,1,4,0.5,y\n",
    "an edge list whose header counts": "# Undirected graph\n# Nodes: 3 Edges: 5\n1 2\n2 1\n",
    "an edge list that names each edge once": FRIENDS,
    "the same, as undirected": (FRIENDS, {"undirected": True}),
    "the same, as directed": (FRIENDS, {"undirected": False}),
    "the same, whose header says that it is directed": "# Directed graph\n" + FRIENDS,
    "the same, with an arc back": FRIENDS + "5 4\n",
    "a header that says undirected": "# Undirected graph\n1 2\n2 3\n",
    "the same, followed": ("# Undirected graph\n1 2\n2 3\n", {"undirected": True}),
    "edges and a loop as undirected": ("1 2 5\n2 2 7\n", {"undirected": True}),
    "both arcs as undirected": ("1 2\n2 1\n", {"undirected": True}),
    "an algs4 digraph": "3 3\n0 1  0.5\n1 2 -1.25\n0 2 1e2\n",
    "an algs4 map": "3 2\n0 0 0\n1 3 4\n2 3 10.5\n\n0 1\n  1 2\n \n",
    "PACE": "c treewidth\np tw 4 2\n1 2\n2 3\n",
    "TIGER": "2\n0 -77113500 38938710\n1 -77112500 38938410\n1\n0 1\n231.6 92.64 41\n",
    "METIS": "5 3\n2 4\n1 4\n\n1 2\n\n",
    "METIS with weights of vertices": "2 1 011 2\n7 8 2 5\n7 8 1 5\n",
    "no METIS graph": "3 3\n1 2\n2 3\n3 1\n4 4\n",
    "Pajek with arcs, edges and lists": "% c\n"
    "*Network x\n"
    "*Vertices 3\n"
    "*Arcs\n"
    "1 2 5\n"
    "*Edges\n"
    "2 3 7\n"
    "*Arcslist\n"
    "3 1 2\n",
    "JSON with ids past 2^53": as_json(
        [{"id": 2**53}, {"id": 2**53 + 1}], [{"source": 2**53 + 1, "target": 2**53}]
    ),
    "JSON with ids past 64 bits and lists": as_json(
        [{"id": 2**64}, {"id": [1, "a"]}], [{"source": [1, "a"], "target": 2**64}]
    ),
    "JSON with a weight that is missing": as_json(
        [{"id": name} for name in "abc"],
        [{"source": "a", "target": "b", "weight": 5}, {"source": "b", "target": "c"}],
        directed=True,
    ),
    "JSON of NetworkX 1": '{"directed": true, "graph": [["name", "old"]], '
    '"nodes": [{"id": 0}, {"id": 1}], "links": [{"source": 0, "target": 1, "weight": 7}]}',
    "GML with parallel edges that it does not announce": GML.format(
        "edge [ source 0 target 1 value 7 ]"
    ),
    "a symmetric pattern": MARKET.format("coordinate pattern symmetric") + "3 3 3\n1 1\n2 1\n3 2\n",
    "a dense matrix": MARKET.format("array integer general") + "2 2\n0\n5\n0\n7\n",
    "an integer matrix": MARKET.format("coordinate integer general")
    + "% by hand\n2 2 1\n1 2 9007199254740993\n",
    "a matrix with unit weights": (
        MARKET.format("coordinate integer general") + "2 2 1\n1 2 7\n",
        {"weights": "unit"},
    ),
    "a table by its titles": "id,Length,From Node,to_node\n1,2.5,30,7\n2,4,7,30\n",
    "a table of names": TOWNS,
    "two columns of names": "a|b\nb|c\n",
    "three columns of names": "x\tb\t3\nb\tc\t4\n",
    **{
        f"columns {columns}": (WAYS, chosen(columns))
        for columns in ("way,end point,toll", "3, 2, 4", '3,"end point",toll', "3,2")
    },
    "titles, as it was said": ("1 2\n2 3\n", chosen("1,2", header=True)),
    "no titles, as it was said": ("from,to\nto,from\n", chosen("1,2", header=False)),
    "a separator, as it was said": ("a,b c\nb,c d\n", chosen("1,2", separator="comma")),
    "a table of ids past 2^53": "u,v,w\n"
    f"{2**53 + 1},{2**53 + 1},1\n"
    f"{2**53 + 1},-3,2\n"
    f"{2**53 + 1},-3,2\n",
    "a table with integers that decimals round": f"u,v,w\na,b,{2**53 + 1}\nb,c,0.5\n",
    "an undirected table of unit weights": (
        "u,v,w\na,b,x\n",
        chosen("u,v,w") | {"undirected": True, "weights": "unit"},
    ),
    "decimal commas": "from;to;km\na;b;1,5\nb;c;2,25\n",
    "an empty column": "from,to,km\na,b,\nb,c,\n",
    "an empty column beside ids": "from,to,km\n1,2,\n2,3,\n",
    "one column of weights and one of words": "from,to,km,name\na,b,1,x\nb,c,2,y\n",
}

COORDINATES = {
    "beside": "v 2 1.5 -7\nv 1 0 4\n",
    "of some vertices": "v 1 0 0\nv 3 10 20\n",
    "of other vertices, and twice": "v 1 0 0\nv 2 1 1\nv 9 2 2\nv 2 5 5\n",
    "of a vertex beyond the header": "p aux sp co 5\nv 1 0 0\nv 5 2 2\n",
    "with a name": "c first\nv 1 0 0\nv two 1 1\n",
    "cut short": "v 1 0\n",
    "of arcs": "a 1 2 3\n",
    "empty": "",
    "of a header alone": "p aux sp co 2\n",
}


def archive(**arrays: Any) -> bytes:
    np.savez(stream := io.BytesIO(), **arrays)
    return stream.getvalue()


MATRIX = {
    "data": np.ones(1),
    "indices": np.array([1]),
    "indptr": np.array([0, 1, 1]),
    "shape": np.array([2, 2]),
}
ARCHIVES: dict[str, dict[str, Any]] = {
    "objects": MATRIX | {"data": np.array([{}], object)},
    "an index too large": MATRIX | {"indices": np.array([2])},
    "an index below 0": MATRIX | {"indices": np.array([-1])},
    "rows that fall": MATRIX | {"indptr": np.array([0, 2**40, 1])},
    "no square": MATRIX | {"shape": np.array([2, 3])},
    "too many vertices": MATRIX | {"shape": np.array([2**40, 2**40])},
    "NaN": MATRIX | {"data": np.array([np.nan])},
    "a number that is no row": MATRIX | {"data": np.array(1.0)},
    "a long double": MATRIX | {"data": np.array([np.longdouble("1e4000")])},
    "an unsigned number": MATRIX | {"data": np.array([2**63], np.uint64)},
    "complex numbers": MATRIX | {"data": np.array([1j])},
    "more values than positions": MATRIX | {"data": np.ones(2)},
    "blocks of rows": MATRIX | {"format": np.array("bsr")},
    "other arrays": {"a": np.ones(3)},
}


REFUSED: list[str | bytes] = [
    # lines
    "a 1 2 5\na 1 x 5\n",
    "a 1 2 5\n\nc note\na 1 2.5 5\n",
    "a 1 2 5\na 1 2\n",
    "a 1 2 five\n",
    "a 1 2 3e\n",
    "a 1 2 1_000\n",
    "a -1 2 5\n",
    "a 1 2 3 4\n",
    "a 1 2 3\ne 2 3\n",
    "p sp many arcs\na 1 2 3\n",
    "1 2\n3\n",
    "1 2\n2 3\n3 4 5\n",
    "1,2,3\n1,2,high\n",
    "p tw 3 2\n1 2\nx 3\n",
    "2\n0 1 1\n1 2 2\n1\n0 1\n",
    "2\n0 -77 38\n1 -77 39\n",
    "hello world\n",
    "\n\n{\n",
    "a, b\n",
    "# nothing\n",
    "hello world\nof words\n",
    # files
    b"",
    b"c only\n# comments\n\n",
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    b"1 2\n" * 300_000 + b"\0\0\0",
    b"7" * 3_000_000,
    "1 2\n".encode("utf-16"),
    b"version https://git-lfs.github.com/spec/v1\nsize 12345\n",
    b"v 1 0 0\n",
    b"p sp 0 0\n",
    b"3\n0 0 0\n1 1 1\n1 2 2\n1\n0 1\n1 1 1\n",
    # Pajek
    "*Vertices 2\n*Arcs\n1 3\n",
    "*Vertices 2\n*Arcs\n1\n",
    "*Vertices 2\n*Arcs\n1 2 far\n",
    "*Vertices 2\n1 a\n1 b\n",
    "*Vertices\n",
    "*Vertices 2\n*Matrix\n0 1\n1 0\n",
    "*Vertices 2000000000\n*Arcs\n1 2\n",
    # XML, GML and JSON
    '<!DOCTYPE g [<!ENTITY x SYSTEM "file:///etc/passwd">]><graphml>&x;</graphml>',
    "<graphml>" + "<graph>" * 500,
    "<svg></svg>",
    GRAPHML.format(""),
    GRAPHML.format('<graph edgedefault="directed"></graph>'),
    GRAPHML.format('<graph edgedefault="directed"><hyperedge/></graph>'),
    "graph [\n node [ id 0 \n",
    "graph [\n edge [ source 0 target 1 ]\n]",
    'graph [\n node [ label "a" ]\n]',
    "[1, 2, 3]",
    '{"nodes": []}',
    as_json([], []),
    as_json([{"id": 1}], [{"source": 1}]),
    as_json([{"id": 1}], [7]),
    as_json([{"id": 1}, {"id": {}}], []),
    as_json([{"id": 1}], [{"source": 1, "target": 1, "weight": "far"}]),
    as_json([{"id": 1}], [{"source": 1, "target": 1, "weight": 2**64}]),
    '{"nodes": [{"id": 1}], "edges": [{"source": 1, "target": 1, "weight": NaN}]}',
    as_json([{"id": "a", "x": 1e200, "y": 0}], []),
    "[" * 100_000,
    # Matrix Market
    REAL + "2 2 2\n1 2 1\n",
    REAL + "2 2 1\n1 2 1\n2 1 1\n",
    REAL + "2 2 2\n1 2 1\n\n% x\n1 3 1\n",
    REAL + "2 2 1\n0 1 1\n",
    REAL + "2 2 1\n1 2 x\n",
    REAL + "2 2 1\n1 2\n",
    REAL + "2 2 1\n1 2 nan\n",
    REAL + "2 3 1\n1 2 1\n",
    REAL + "2 2\n",
    REAL + "rows\n",
    REAL,
    REAL + "0 0 0\n",
    REAL + "2 2 999999999\n1 2 1\n",
    REAL + "2000000000 2000000000 1\n1 2 1\n",
    "%%MatrixMarket\n1 1 1\n",
    "%%MatrixMarket vector coordinate real general\n1 1 1\n",
    MARKET.format("coordinate complex general") + "1 1 1\n1 1 1 1\n",
    MARKET.format("coordinate real skew-symmetric") + "2 2 1\n2 1 1\n",
    MARKET.format("array pattern general") + "1 1\n1\n",
    MARKET.format("array real symmetric") + "2 2\n1\n1\n",
    MARKET.format("coordinate pattern general") + "2 2 1\n1 2 3\n",
    # tables
    "from,to,km\na,b,1\nb,c,\nc,d,2\n",
    "from,to,km\na,b,n/a\nb,c,2\nc,d,2\n",
    "from,to,km\na,b,far\nb,c,near\n",
    "from,to,toll\na,b,1\nb,c,2\n",
    "from;to;km\na;b;1 234.5\nb;c;2\n",
    "a;b;1\nb;c;\n",
    "from,to,km\n1,2,3\n2,3,\n",
    "from,to,km\n1,2,3\n2,3,n/a\n",
    "1,2,1 234.5,x\n2,3,7,x\n",
    "1,2,3,x\n2,3,1 234,x\n",
    "1 2 1,5 x\n2 3 7 x\n",
]

METIS = [
    "3 2\n2\n1 3\n",
    "3 2\n2\n1 3\n9\n",
    "3 2\n2\n1 3\n1\n",
    "2 1 1\n2 5\n1 6\n",
    "2 1 1\n2\n1 6\n",
    "2 1\n2\nx\n",
    "% x marks\n2 1\n2\nx\n",
    "2 1\n2\n99999999999999999999\n",
    "2000000000 1\n2\n1\n",
]

BY_COLUMNS = [
    ("1,2,3", "u,v,w\na,b,1\nb,c,nan\n"),
    ("1,2,3", "u,v,w\na,b,1\nb,c,99999999999999999999\n"),
    ("1,2,3", "u,v,w\na,b,1\n,c,2\n"),
    ("1,2,3", 'u,v,w\na,"b\n\n",1\nb,,2\n'),
    ("1,2,3", "u,v,w\na,b,1\n" + "b,c,1\n" * _TEXT_ROWS + "c\n"),
    ("1,2,3", 'u,v,w\na,b,1\nb,"c,2\n' + "x" * 140_000),
    *((columns, "u,v,w\na,b,1\n") for columns in ("u,x", "u,9", "u", "u,v,u")),
    ("1,2", "*Vertices 1\n"),
]


def told(reading: Reading) -> str:
    """Format, arcs in row order, coordinates, counts, and warnings."""
    graph, report = reading.graph, reading.report
    weights = graph.weights.tolist()
    ends = zip(graph.tails.tolist(), graph.indices.tolist(), weights, strict=True)
    arcs = [
        f"{graph.vertex_id(tail)!r} → {graph.vertex_id(head)!r}: {weight}"
        for tail, head, weight in ends
    ]
    ids = [repr(graph.vertex_id(vertex)) for vertex in range(graph.n)]
    counts = {
        "loops": report.self_loops,
        "parallel": report.parallel_arcs,
        "negative": report.negative_arcs,
    }
    lines = [
        f"{report.format}, {'directed' if graph.directed else 'undirected'}",
        f"vertices {_few(ids)}",
        f"arcs {_few(arcs)}",
        f"weights {graph.weights.dtype}{f' in {graph.weight_unit}' * bool(graph.weight_unit)}, "
        f"{report.least_weight} to {report.greatest_weight}, by {report.weights_from}",
        ""
        if graph.coordinates is None
        else f"at {graph.coordinates.xy.tolist()}, from {report.coordinates_from}",
        ", ".join(f"{count} {what}" for what, count in counts.items() if count),
        "looks undirected" if report.looks_undirected else "",
        *(f"warning: {warning}" for warning in report.warnings),
    ]
    return "\n".join(filter(None, lines))


def _few(names: list[str]) -> str:
    return ", ".join(names if len(names) < 20 else [*names[:3], "…", names[-1]])


def written(folder: Path, content: str | bytes, name: str = "graph.txt") -> Path:
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder / name


def shown(content: str | bytes) -> str:
    text = repr(content).removeprefix("b")[1:-1]
    return text or "nothing" if len(text) <= 120 else f"{text[:100]} … {text[-16:]}"


@pytest.mark.parametrize("name", READ)
def test_what_is_read(name: str, tmp_path: Path, golden: Golden) -> None:
    made = READ[name]
    content, options = made if isinstance(made, tuple) else (made, {})
    golden.check(
        "files that are read",
        name,
        told(read_graph(written(tmp_path, content), ReadingOptions(**options))),
    )


@pytest.mark.parametrize("name", COORDINATES)
def test_coordinates_beside_a_file(name: str, tmp_path: Path, golden: Golden) -> None:
    written(tmp_path, COORDINATES[name], "road.co")
    header = "p sp 4 4\n" if "header" in name or "some" in name else ""
    try:
        said = told(
            read_graph(
                written(tmp_path, header + "a 1 2 1\na 2 1 1\na 2 3 1\na 3 2 1\n", "road.gr")
            )
        )
    except FileFormatError as error:
        said = str(error)
    golden.check("files of coordinates", name, said)


# The words of libraries, which differ between their versions.
_OF_LIBRARIES = re.compile(
    r"\((?:'int' object|unhashable|expecting|file not|expected|node #0)[^)]*\)+"
)


def refusal(path: Path, **options: Any) -> str:
    with pytest.raises(TautpathError) as caught:
        read_graph(path, ReadingOptions(**options))
    return f"{type(caught.value).__name__}: {_OF_LIBRARIES.sub('(…)', str(caught.value))}"


@pytest.mark.parametrize("content", [*REFUSED, *METIS], ids=shown)
def test_what_is_refused(content: str | bytes, tmp_path: Path, golden: Golden) -> None:
    path = written(tmp_path, content, "g.graph" if content in METIS else "graph.txt")
    golden.check("files that are refused", shown(content), refusal(path))


@pytest.mark.parametrize(("columns", "content"), BY_COLUMNS)
def test_what_is_refused_by_chosen_columns(
    columns: str, content: str, tmp_path: Path, golden: Golden
) -> None:
    said = refusal(written(tmp_path, content, "t.csv"), columns=columns)
    golden.check("files that are refused", f"columns {columns} of {shown(content)}", said)


@pytest.mark.parametrize("name", ARCHIVES)
def test_archives_that_are_refused(name: str, tmp_path: Path, golden: Golden) -> None:
    said = refusal(written(tmp_path, archive(**ARCHIVES[name]), "m.npz"))
    golden.check("files that are refused", f"an archive with {name}", said)


KEPT = {
    "files that are read": [*READ],
    "files of coordinates": [*COORDINATES],
    "files that are refused": [
        *map(shown, [*REFUSED, *METIS]),
        *(f"columns {columns} of {shown(content)}" for columns, content in BY_COLUMNS),
        *(f"an archive with {name}" for name in ARCHIVES),
    ],
}


@pytest.mark.parametrize("file", KEPT)
def test_all_that_is_kept_was_said(file: str, golden: Golden) -> None:
    golden.require_no_others(file, KEPT[file])
