"""The table of variants is made from whole runs, proved, with what was predicted beside them."""

from __future__ import annotations

import pytest

from solvers.core.variant import Answers, find_variant
from tests.benchmarks.graphs import graph_of
from tests.benchmarks.solving import PREDICTED, main, measured, row


def test_each_variant_gets_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--quick", "--only", "dijkstra-heap,dijkstra-bidirectional,dijkstra-apsp-serial", "--markdown"]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| dijkstra")]
    assert sum("road-20000" in line for line in lines) == 2, "all pairs of a road network would take hours"
    assert sum("rmat-9" in line for line in lines) == 3
    assert all(line.endswith("| 3 | yes |") for line in lines)


def test_what_was_predicted_stands_beside_what_was_measured() -> None:
    (result,) = measured([find_variant("dijkstra-heap")], graph_of("road:500"), None, trials=3)
    name, graph, predicted, figures, trials, proved = row(result, "road", "CPU")
    assert (name, graph, trials, proved) == ("dijkstra-heap", "road-500-1", "3", "yes")
    assert predicted == "≤ 45.0 ms"
    assert "–" in figures


def test_predictions_are_of_variants_that_exist() -> None:
    for variant_id, kind, place in PREDICTED:
        assert (find_variant(variant_id).answers is Answers.APSP) == (kind == "p2p")
        assert place in ("CPU", "H200")
