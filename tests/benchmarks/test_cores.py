"""What the table of cores says of times that are given, and that each work is done."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.benchmarks import cores
from tests.benchmarks.cores import Gain, spread_cores, works
from tests.benchmarks.timing import Times


def test_the_serial_share_is_what_does_not_shorten() -> None:
    tenth = {k: 10 + 90 / k for k in (1, 2, 4)}
    gain = Gain(tenth, dict.fromkeys(tenth, 100.0))

    assert gain.serial == pytest.approx(0.1)
    assert gain.linear == pytest.approx(100 / (4 * tenth[4]))
    assert gain.busy == pytest.approx(100 / tenth[4])
    later = Gain({k: tenth[k] for k in (2, 4)}, {2: 1.0, 4: 1.0})
    assert later.serial == pytest.approx(0.1)  # of the work of one core, not of two
    assert Gain({2: 5.0}, {2: 1.0}).serial is None


@pytest.mark.openmp
def test_every_work_is_done_and_proved(tmp_path: Path) -> None:
    names = []
    for name, prepare in works(1e-9, tmp_path):
        prepare()()
        names.append(name)
    assert len(names) == 8


def test_the_table_has_a_column_for_each_number_of_cores(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cores, "spread_cores", lambda: [0, 1])
    monkeypatch.setattr(
        cores,
        "_measured",
        lambda allowed, _: iter([("work", Times([8.0 / len(allowed)], [8.0]))]),
    )
    assert cores.main(["--cores", "1,2,4"]) == 0
    said = capsys.readouterr().out
    assert "there are 2 cores: [4]" in said
    assert [line for line in said.splitlines() if line.startswith("work")] == [
        "work\t1\t2\tlinear\tbusy\tserial",
        "work\t8.00 ms\t4.00 ms\t100%\t2.0\t0.0%",
    ]


def test_a_process_may_use_each_of_its_processors_once() -> None:
    assert sorted(spread_cores()) == sorted(os.sched_getaffinity(0))
