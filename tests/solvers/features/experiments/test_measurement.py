"""Points of an experiment that come from several machines: equal ones, and ones that
must not be compared.
"""

from __future__ import annotations

import csv
from dataclasses import replace

import pytest

from solvers.features.experiments.charts import ChartMaker
from solvers.features.experiments.claims import ClaimVerdict, judge
from solvers.features.experiments.measurement import (
    Equipment,
    Measurement,
    difference,
    hosts_sentence,
    write_measurements,
)
from solvers.features.experiments.report import results_tables
from solvers.features.experiments.spec import ExperimentScale
from solvers.features.kept_runs.trials_file import read_trials
from solvers.running.kept_run import MachineFacts
from tests.solvers.features.experiments.measured import by_label
from tests.solvers.features.experiments.samples import sample

TIMES = {"scan": [4.0] * 6, "heap, arity 2": [2.0] * 6, "heap, arity 4": [1.0] * 6}
SPEED_UP = ('kind = "time"', 'kind = "speed-up"\nbaseline = "scan"')


def on_hosts(experiment, *machines: MachineFacts) -> list[Measurement]:
    """The sample's points with the scans on the first machine, and the others on the last."""
    found = by_label(experiment, TIMES)
    return [
        replace(one, run=replace(one.run, machine=machines[0 if one.label == "scan" else -1]))
        for one in found
    ]


EQUAL = MachineFacts("A CPU", 8, host="node1"), MachineFacts("A CPU", 8, host="node2")
UNEQUAL = MachineFacts("A CPU", 8, host="node1"), MachineFacts("B CPU", 8, host="node2")


def test_one_machine_is_no_matter_of_words(tmp_path):
    found = by_label(sample(tmp_path), TIMES)
    assert difference(found) == ""
    assert hosts_sentence(found) == ""


@pytest.mark.parametrize(
    ("second", "words"),
    [
        (MachineFacts("B CPU", 8, host="node2"), "CPU: node1 has A CPU, node2 has B CPU"),
        (MachineFacts("A CPU", 4, host="node2"), "cores: node1 has 8, node2 has 4"),
        (MachineFacts("A CPU", None, host="node2"), ""),
    ],
)
def test_the_first_property_that_differs_is_named(tmp_path, second, words):
    assert difference(on_hosts(sample(tmp_path), EQUAL[0], second)) == words


def test_drivers_are_compared_within_cuda_or_opencl() -> None:
    cuda, newer, opencl = (
        Equipment("A CPU", 8, "A GPU", driver)
        for driver in (
            "CUDA 13.0, driver 580.1",
            "CUDA 13.1, driver 590.2",
            "NVIDIA CUDA, driver 580.1",
        )
    )
    assert cuda.differs_in(newer) == "driver"
    assert cuda.differs_in(opencl) == newer.differs_in(opencl) == ""


def test_equal_hosts_are_told_and_compared(tmp_path):
    experiment = sample(tmp_path, SPEED_UP)
    found = on_hosts(experiment, *EQUAL)
    (chart,) = ChartMaker(experiment, found).all()
    assert (
        chart.remark
        == "The points come from node1 and node2, equal in processor, cores and device."
    )
    heap = next(line for line in chart.lines if line.label == "heap, arity 4")
    assert heap.marks[0].words.endswith("on node2")
    assert not heap.marks[0].is_disturbed
    (judgement,) = judge(experiment, ExperimentScale.SMALL, found)
    assert judgement.verdict is ClaimVerdict.HOLDS
    assert judgement.remark == chart.remark
    assert "×" in "".join(results_tables(experiment, found))


def test_unequal_hosts_are_not_compared(tmp_path):
    experiment = sample(tmp_path, SPEED_UP)
    found = on_hosts(experiment, *UNEQUAL)
    (chart,) = ChartMaker(experiment, found).all()
    assert (
        "differ in CPU: node1 has A CPU, node2 has B CPU; times across them are not comparable"
        in chart.remark
    )
    heap = next(line for line in chart.lines if line.label == "heap, arity 4")
    assert all(
        mark.is_disturbed and "across machines that differ in CPU" in mark.words
        for mark in heap.marks
    )
    (judgement,) = judge(experiment, ExperimentScale.SMALL, found)
    assert judgement.verdict is ClaimVerdict.UNTESTABLE
    assert "hosts that differ in CPU" in judgement.reason
    table = "".join(results_tables(experiment, found, with_machine=True))
    assert table.count("×") == 2  # the scans themselves
    assert "node2: B CPU" in table


def test_a_baseline_of_the_same_host_is_preferred(tmp_path):
    experiment = sample(tmp_path, SPEED_UP)
    found = on_hosts(experiment, *UNEQUAL)
    slower = [
        replace(
            one,
            run=replace(one.run, machine=UNEQUAL[1]),
            kept=replace(one.kept, trials=by_label(experiment, {"scan": [8.0] * 6})[i].kept.trials),
        )
        for i, one in enumerate(one for one in found if one.label == "scan")
    ]
    (chart,) = ChartMaker(experiment, [*found, *slower]).all()
    heap = next(line for line in chart.lines if line.label == "heap, arity 4")
    assert not any(mark.is_disturbed for mark in heap.marks)
    assert heap.marks[0].y > 7


def test_the_host_is_in_the_table_of_trials(tmp_path):
    experiment = sample(tmp_path)
    found = [
        replace(one, run=replace(one.run, run_id=f"{i:012x}"))
        for i, one in enumerate(on_hosts(experiment, *EQUAL))
    ]
    written = write_measurements(experiment, ExperimentScale.SMALL, found, tmp_path / "out")
    assert [run.machine.host for run in read_trials(written[0])] == [
        one.machine.host for one in found
    ]
    with written[1].open(newline="") as file:
        assert {row["host"] for row in csv.DictReader(file)} == {"node1", "node2"}
