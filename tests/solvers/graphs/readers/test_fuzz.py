"""Whatever the bytes, what comes out is a graph or a FileFormatError."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from solvers.errors import FileFormatError
from solvers.graphs.readers import read_graph

SEEDS = {
    "dimacs": b"c road\np sp 4 5\na 1 2 5\na 2 3 7\na 1 3 20\na 3 4 1\na 4 1 2\n",
    "edge list": b"# Nodes: 4 Edges: 4\n1\t2\t0.5\n2\t3\t1e3\n7\t8\t-2.25\n8\t1\t3\n",
    "csv": b"source,target,weight,time\n1,2,3,4.5\n3,4,5,6.5\n",
    "algs4": b"3\n3\n0 1  0.5\n1 2 -1.25\n0 2 1e2\n",
    "map": b"3\n2\n 0 0 0\n 1 3 4\n 2 3 10\n\n 0 1\n 1 2\n",
    "pace": b"p tw 4 2\n1 2\n2 3\n",
    "tiger": b"2\n0 -77113500 38938710\n1 -77112500 38938410\n1\n0 1\n231.6 92.64 41\n",
    "gzip": gzip.compress(b"p sp 4 2\na 1 2 5\na 2 3 7\n", mtime=0),
}
_SPICE = b"\n\r\t ,.-+eE0199apsvc#%\x00\xff\xef\xbb\xbf"


def read_or_refuse(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    try:
        graph = read_graph(path).graph
    except FileFormatError:
        return
    assert graph.n > 0
    assert graph.m == 0 or (graph.indices.min() >= 0 and graph.indices.max() < graph.n)
    assert np.all(np.diff(graph.ids) > 0)
    assert np.all(np.isfinite(graph.weights))


@pytest.mark.parametrize("name", SEEDS)
def test_mutated_bytes(name: str, tmp_path: Path) -> None:
    dice = random.Random(name)
    for _ in range(250):
        content = bytearray(SEEDS[name])
        for _ in range(dice.randint(1, 4)):
            at = dice.randrange(len(content) + 1)
            match dice.randrange(4):
                case 0:
                    content[at:at] = bytes([dice.choice(_SPICE)])
                case 1:
                    del content[at : at + dice.randint(1, 6)]
                case 2:
                    content[at : at + 1] = bytes([dice.randrange(256)])
                case _:
                    content[at:at] = b"9" * dice.choice((1, 18, 25, 5_000))
        read_or_refuse(tmp_path / "x", bytes(content))


@given(content=st.binary(max_size=200))
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes(content: bytes, tmp_path: Path) -> None:
    read_or_refuse(tmp_path / "x", content)


@given(text=st.text(alphabet="0123456789 \n\tapcvsw.,-#e", max_size=200))
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_near_miss(text: str, tmp_path: Path) -> None:
    read_or_refuse(tmp_path / "x", text.encode())


@given(text=st.text(alphabet="0123456789 \n\tpvc.,-#e", max_size=100))
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_coordinates(text: str, tmp_path: Path) -> None:
    (tmp_path / "g.co").write_text(text)
    read_or_refuse(tmp_path / "g.gr", b"p sp 4 2\na 1 2 5\na 2 3 7\n")
