"""A small valid file of every format, and the kept corpus of files that once went wrong."""

from __future__ import annotations

import gzip
import io
import zipfile
from pathlib import Path

import numpy as np

CORPUS = Path(__file__).with_name("corpus")


def _matrix() -> bytes:
    """A sparse matrix as ``scipy.sparse.save_npz`` saves it, without a date."""
    arrays = {
        "data": np.array([5, 7]),
        "indices": np.array([1, 0], np.int32),
        "indptr": np.array([0, 1, 2], np.int32),
        "format": np.array(b"csr"),
        "shape": np.array([2, 2]),
    }
    with zipfile.ZipFile(stream := io.BytesIO(), "w") as archive:
        for name, array in arrays.items():
            np.save(member := io.BytesIO(), array)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), member.getvalue())
    return stream.getvalue()


SEEDS = {
    "dimacs": b"c road\np sp 4 5\na 1 2 5\na 2 3 7\na 1 3 20\na 3 4 1\na 4 1 2\n",
    "edge-list": b"# Nodes: 4 Edges: 4\n1\t2\t0.5\n2\t3\t1e3\n7\t8\t-2.25\n8\t1\t3\n",
    "csv": b"source,target,weight,time\n1,2,3,4.5\n3,4,5,6.5\n",
    "edge-table": b'id;from;to;km\n1;"a; b";c;2.5\n2;c;"d ""e"""; 1e2\n3;7;c;-4\n',
    "algs4": b"3\n3\n0 1  0.5\n1 2 -1.25\n0 2 1e2\n",
    "map": b"3\n2\n 0 0 0\n 1 3 4\n 2 3 10\n\n 0 1\n 1 2\n",
    "pace": b"p tw 4 2\n1 2\n2 3\n",
    "tiger": b"2\n0 -77113500 38938710\n1 -77112500 38938410\n1\n0 1\n231.6 92.64 41\n",
    "coordinates": b"c coordinates: plane\n"
    b"p aux sp co 4\n"
    b"v 1 0 0\n"
    b"v 2 1.5 -7\n"
    b"v 3 1e6 2\n"
    b"v 4 3 3\n",
    "graphml": b"""<graphml><key id="k" for="edge" attr.name="weight" attr.type="double">
<default>1</default></key>
<graph edgedefault="directed"><node id="a"/><node id="b"/>
<edge source="a" target="b"><data key="k">2.5</data></edge></graph></graphml>""",
    "gexf": b"""<gexf version="1.2"><graph><attributes class="edge">
<attribute id="k" title="km" type="float"><default>1</default></attribute></attributes>
<nodes><node id="1"/><node id="2"/></nodes><edges><edge id="0" source="1" target="2" weight="2.5">
<attvalues><attvalue for="k" value="3"/></attvalues></edge></edges></graph></gexf>""",
    "gml": b"graph [\n"
    b" node [ id 1 x 0.5 y 1 ]\n"
    b" node [ id 2 ]\n"
    b" edge [ source 1 target 2 weight 3 ]\n"
    b"]\n",
    "json": b'{"nodes": [{"id": "a"}, {"id": 2}],\n'
    b'"links": [{"source": "a", "target": 2, "weight": 1e2}]}',
    "pajek": b'*Vertices 3\n1 "a b" 0.5 0.25\n2 "c"\n3 d\n*Arcs\n1 2 4\n*Edges\n2 3 1.5\n',
    "matrix-market": b"%%MatrixMarket matrix coordinate real general\n% x\n3 3 2\n1 2 0.5\n3 1 7\n",
    "metis": b"% x\n3 2 001\n2 5\n1 5 3 7\n2 7\n",
    "osm": b"""<osm version="0.6"><node id="-1" lat="47" lon="9"/>
<node id="2" lat="47.001" lon="9"/><way id="-3"><nd ref="-1"/><nd ref="2"/>
<tag k="highway" v="primary"/><tag k="maxspeed" v="50"/></way></osm>""",
    "npz": _matrix(),
    "gzip": gzip.compress(b"p sp 4 2\na 1 2 5\na 2 3 7\n", mtime=0),
}
"""One file of each reader, by the reader's name; that of coordinates goes with the DIMACS graph."""


def corpus_of(reader: str) -> list[Path]:
    """The kept files of a reader: those whose names begin with its name."""
    return sorted(path for path in CORPUS.iterdir() if path.name.startswith(reader + "-"))
