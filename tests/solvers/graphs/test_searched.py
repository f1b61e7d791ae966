"""What is searched for a network, where rules for turns are here and no feature that knows
them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from main import main
from solvers import prepare, solve
from solvers.errors import TurnsNotSearched
from solvers.graphs import searched
from solvers.graphs.graph import Graph
from solvers.graphs.road_changes import RoadChanges
from solvers.graphs.searched import searched_graph, searched_text, turn_search
from solvers.graphs.turn_rules import TurnReport, TurnRules
from tests.graphs import from_list


def _ruled() -> Graph:
    """0 → 1 → 2, where nobody goes on at 1."""
    rules = TurnRules.of({(0, 2): 7}, report=TurnReport(read=1, used=1))
    graph = from_list(3, [(0, 1, 2), (1, 2, 3), (1, 0, 2)])
    return graph.with_turns(rules, name="town")


@pytest.fixture
def no_feature(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Not `turn_search` itself, which modules import while a test runs."""
    monkeypatch.setattr(searched, "offered", lambda *_: ())
    turn_search.cache_clear()
    yield
    turn_search.cache_clear()


def test_a_graph_without_rules_is_searched_itself() -> None:
    plain = _ruled().with_turns(None)
    for graph in (plain, plain.with_turns(TurnRules.of({}))):
        found = searched_graph(graph)
        assert found.searched is graph
        assert not found.is_split
        assert searched_text(graph) == ""
    values = np.arange(3.0)
    assert found.distances(values) is found.on_vertices(values) is found.own_weights(values)
    assert found.starts(values) is None
    assert not any(len(of) for of in (found.vertex_of, found.end_of, found.arc_of))


@pytest.mark.usefixtures("no_feature")
def test_rules_that_nothing_searches_by_are_refused() -> None:
    """By name, with a remedy; they are never left out in silence."""
    graph = _ruled()
    with pytest.raises(TurnsNotSearched) as caught:
        solve(graph, source=graph.vertex_id(0))
    assert str(caught.value) == (
        "town has rules for turns that paths must obey (1 turn restriction used), and the "
        "feature that searches by them is not installed. Install Tautpath whole, or read the "
        'file without its rules where its format allows it: --turns ignore, turns="ignore".'
    )
    assert searched_text(graph) == str(caught.value)
    with pytest.raises(TurnsNotSearched):
        prepare(graph)
    ends = graph.vertex_id(1), graph.vertex_id(0)
    closed = RoadChanges().close(ends).apply(graph)
    with pytest.raises(TurnsNotSearched):
        solve(closed, source=graph.vertex_id(0))
    assert solve(graph.with_turns(None), source=graph.vertex_id(0)).verified


@pytest.mark.usefixtures("no_feature")
def test_the_command_line_says_why(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Zones of demand are such rules."""
    file = tmp_path / "net.tntp"
    head = "<NUMBER OF ZONES> 2\n<FIRST THRU NODE> 3\n<END OF METADATA>\n"
    rows = "\tinit_node\tterm_node\tlength\t;\n\t1\t2\t5\t;\n\t2\t4\t5\t;\n\t1\t3\t5\t;\n"
    file.write_text(f"{head}~{rows}")
    assert main(["solve", str(file), "--source", "1", "--variants", "dijkstra-heap"]) == 3
    assert "no way leads through 2 zones" in capfd.readouterr().err
    assert main(["info", str(file), "--json"]) == 0
    assert '"searched_arcs": null' in capfd.readouterr().out
    assert main(["info", str(file)]) == 0
    assert "is not installed" in capfd.readouterr().out
