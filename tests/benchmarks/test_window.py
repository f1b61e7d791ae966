"""Benchmarks of the window: the watchdog sees a thread that is away, and tells work
from waiting; ratios of rounds.
"""

from __future__ import annotations

import time

import pytest

pytest.importorskip("PySide6")

from pytestqt.qtbot import QtBot

from tests.benchmarks.quiet import Rounds, lines
from tests.benchmarks.stalls import EDGES_MS, Gap, Heartbeat, histogram, line, stalls


def test_times_are_counted_in_the_class_that_begins_with_them() -> None:
    assert histogram([0.0, 9.9, 10.0, 49.9, 50.0, 199.0, 200.0, 900.0]) == [2, 1, 1, 1, 1, 2]
    assert len(histogram([])) == len(EDGES_MS) + 1


def test_a_line_has_both_histograms_and_their_greatest_times() -> None:
    words = line("opening", [Gap(3.0, 1.0, 0.0), Gap(120.0, 15.0, 90.0)]).split()
    assert words == [
        "opening",
        "1",
        "0",
        "0",
        "0",
        "1",
        "0",
        "120.0",
        "1",
        "1",
        "0",
        "0",
        "0",
        "0",
        "15.0",
    ]


def test_stalls_are_told_with_their_parts_the_longest_first() -> None:
    found = list(stalls([Gap(49.0, 49.0, 0.0), Gap(60.0, 58.0, 1.0), Gap(200.0, 20.0, 150.0)]))
    assert found == [
        "200 ms: 20 own, 150 waiting for a processor, 30 other waits",
        "60 ms: 58 own, 1 waiting for a processor, 1 other waits",
    ]


def test_a_thread_that_sleeps_has_a_gap_without_work(qtbot: QtBot) -> None:
    heart = Heartbeat()
    qtbot.waitUntil(lambda: len(heart.gaps) > 2)
    heart.take()
    time.sleep(0.06)
    qtbot.waitUntil(lambda: bool(heart.gaps))
    longest = max(heart.take(), key=lambda gap: gap.wall)
    assert longest.wall >= 60.0
    assert longest.own < longest.wall - 30.0


def test_ratios_are_of_the_rounds_medians_and_of_the_fastest_trials() -> None:
    rounds = Rounds(
        window=[[2.0, 4.0, 9.0], [3.0, 3.0, 3.0]], command_line=[[2.0, 2.0, 8.0], [4.0, 4.0, 4.0]]
    )
    assert rounds.ratios == [2.0, 0.75]
    (line,) = lines("graph.gr", {"bf-serial": rounds})
    assert line.split() == [
        "graph.gr",
        "bf-serial",
        "3.00",
        "ms",
        "4.00",
        "ms",
        "1.38",
        "0.75",
        "–",
        "2.00",
        "1.00",
        "2",
    ]
