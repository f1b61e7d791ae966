"""The trials and summaries of an experiment as the tables that every run has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from solvers.contracts.results import Result
from solvers.experiments.experiment import Experiment, ExperimentScale
from solvers.experiments.measurement import Measurement
from solvers.running.records import write_all
from solvers.running.store.kept_run import KeptRun
from solvers.running.store.tables import results_of


def write_measurements(
    experiment: Experiment, scale: ExperimentScale, measurements: Sequence[Measurement], folder: Path | str
) -> tuple[Path, ...]:
    """Write ``trials.csv`` and ``summary.csv``; the column "experiment" holds id and scale.

    Raises
    ------
    FileNotWritten
    """
    baseline = next(one.variant.id for one in experiment.series if one.label == experiment.baseline)
    return write_all(list(_results(measurements)), folder, baseline, experiment.key(scale))


def _results(measurements: Iterable[Measurement]) -> Iterable[Result]:
    for found in measurements:
        run = KeptRun(
            found.run_id, found.kept.started_utc, found.app_version, "", found.graph, found.source, None,
            found.machine, (found.kept,),
        )  # fmt: skip
        (result,) = results_of(run)
        yield result
