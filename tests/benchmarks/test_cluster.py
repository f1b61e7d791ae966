"""The table of the benchmark of clusters, with costs that are given: measuring starts processes."""

from __future__ import annotations

import pytest

from tests.benchmarks import cluster
from tests.benchmarks.cluster import ClusterCost, main


def test_the_table_compares_with_the_first_number_of_workers(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cluster, "_measure", lambda graph, count, device: ClusterCost(8 / count, 8, 1, 5, 8, 10**6, 0))
    assert main(["grid:12x12", "--workers", "1,4"]) == 0
    said = capsys.readouterr().out
    assert "144 vertices" in said
    rows = [line.split() for line in said.splitlines() if line.split()[:1] in (["1"], ["4"])]
    assert [row[:4] for row in rows] == [["1", "8.00", "s", "1.00"], ["4", "2.00", "s", "4.00"]]
    task, result = said.split("a task: ")[1].split("; the result of a source: ")
    assert task.endswith((" bytes", " B"))
    assert 20 < float(result.split()[0]) < 22


def test_graphs_that_cannot_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nowhere.gr"]) == 2
    assert "nowhere.gr" in capsys.readouterr().err
