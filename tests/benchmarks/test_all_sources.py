"""The benchmark of all sources measures what it says, on a graph that takes no time."""

from __future__ import annotations

import pytest

from tests.benchmarks.all_sources import main


@pytest.mark.openmp
def test_a_part_and_the_whole(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grid:12x12", "--device", "none", "--sources", "100", "--whole"]) == 0
    said = capsys.readouterr().out
    for words in ("hierarchy:", "processor", "Diameter", "rows proved", "all sources with proofs"):
        assert words in said


@pytest.mark.openmp
def test_graphs_that_cannot_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nowhere.gr"]) == 2
    assert "nowhere.gr" in capsys.readouterr().err
