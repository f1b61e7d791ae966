"""The benchmark of prepared graphs measures what it says, on a graph that takes no time."""

from __future__ import annotations

import pytest

from solvers.devices.device import Device
from tests.benchmarks.prepared import main


def test_both_tables_of_one_graph(device: Device, capsys: pytest.CaptureFixture[str]) -> None:
    ids = "sssp-blocked,dijkstra-heap,sssp-near-far-cluster"
    assert main(["grid:12x12", "--trials", "1", "--variants", ids, "--device", device.kind]) == 0
    said = [line.split() for line in capsys.readouterr().out.splitlines()]
    lines = [" ".join(words[:2]) for words in said]
    assert "nothing prepared:" in lines
    assert "all prepared:" in lines
    assert [line for line in lines if line.startswith(("sssp-blocked ", "dijkstra-heap "))] == [
        "sssp-blocked uploaded",
        "sssp-blocked stays",
        "dijkstra-heap –",
    ]
    assert next(words for words in said if words[:2] == ["sssp-blocked", "stays"])[-3] == "3"
