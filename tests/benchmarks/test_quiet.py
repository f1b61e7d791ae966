"""The table of `tests.benchmarks.quiet`; its times are measured by hand."""

from __future__ import annotations

import pytest

pytest.importorskip("PySide6")

from tests.benchmarks.quiet import Rounds, lines


def test_ratios_are_of_the_rounds_medians_and_of_the_fastest_trials() -> None:
    rounds = Rounds(window=[[2.0, 4.0, 9.0], [3.0, 3.0, 3.0]], command_line=[[2.0, 2.0, 8.0], [4.0, 4.0, 4.0]])
    assert rounds.ratios == [2.0, 0.75]
    (line,) = lines("graph.gr", {"bf-serial": rounds})
    assert line.split() == [
        "graph.gr", "bf-serial", "3.00", "ms", "4.00", "ms", "1.38", "0.75", "–", "2.00", "1.00", "2",
    ]  # fmt: skip
