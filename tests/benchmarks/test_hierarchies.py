"""The benchmark of hierarchies measures what it says, on a graph that takes no time."""

from __future__ import annotations

import pytest

from solvers.devices.device import Device
from tests.benchmarks.hierarchies import Measured, main


def test_durations_are_those_of_one_source() -> None:
    name, each, spread, trials, sources = Measured("way", 10, [20.0, 40.0, 30.0]).row()
    assert (name, each, spread, trials, sources) == ("way", "3.00 ms", "2.00 ms – 4.00 ms", "3", "10")


def test_all_tables_of_one_graph(device: Device, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["grid:12x12", "--trials", "1", "--vs", "scipy", "--ours", "cch-tree", "--sources", "32"]
    assert main([*asked, "--device", device.key]) == 0
    said = capsys.readouterr().out
    for name in ("arcs up", "cch-tree", "scipy", "cch-batch", "reduced", "rows copied", "customising"):
        assert name in said


def test_social_networks_are_left_out_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["random:30000:7", "--device", "none"]) == 0
    assert "without hierarchies" in capsys.readouterr().out
