"""Vertices by outgoing arcs, beside NetworkX, and as the command prints them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import networkx as nx
import pytest

from main import main
from solvers import from_networkx
from solvers.features.degrees.counts import count_degrees

SAMPLE = Path(__file__).resolve().parents[4] / "resources" / "samples" / "textbook.gr"


def test_counts_are_those_of_networkx() -> None:
    drawn = nx.gnp_random_graph(200, 0.03, seed=4, directed=True)
    counts = count_degrees(from_networkx(drawn))
    found = dict(zip(counts.degrees.tolist(), counts.vertices.tolist(), strict=True))
    assert found == dict(Counter(degree for _, degree in drawn.out_degree()))
    assert (counts.n, counts.m) == (200, drawn.number_of_edges())


def test_the_command_prints_a_sentence_and_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["degrees", str(SAMPLE)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "8 vertices of 2 to 4 outgoing arcs, 3.25 on average."
    assert lines[1] == "Outgoing arcs\tVertices\tShare"
    assert sum(int(line.split("\t")[1]) for line in lines[2:]) == 8
