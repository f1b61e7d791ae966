"""``experiment --cluster``: the same experiment on the hosts of a cluster."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from solvers.cluster.connection import ClusterOptions, connected
from solvers.cluster.exclusive import ExclusiveHosts
from solvers.commands.console import Console
from solvers.errors import InputError
from solvers.experiments.cluster_run import ClusterExperimentRun
from solvers.experiments.experiment import Experiment, ExperimentScale, Measuring
from solvers.experiments.forecast import GridForecast
from solvers.experiments.graph_files import GraphFiles
from solvers.experiments.host_choice import choose_hosts, forecast_on
from solvers.experiments.remote_points import Surroundings
from solvers.experiments.runner import ExperimentRequest
from solvers.host.observer import CancelToken
from solvers.running.runner import new_run_id
from solvers.running.store.run_store import RunStore


@contextmanager
def cluster_run(
    options: ClusterOptions,
    arguments: argparse.Namespace,
    experiment: Experiment,
    scale: ExperimentScale,
    measuring: Measuring,
    folders: Sequence[Path],
    confirm: Callable[[Callable[[Experiment], GridForecast]], None],
    store: RunStore | None,
    token: CancelToken,
    console: Console,
) -> Iterator[ClusterExperimentRun]:
    """Connect, choose the hosts and look at every point there; what was started ends with the block.

    Parameters
    ----------
    confirm : callable
        Given a function that forecasts; asks about very large grids.
    folders : sequence of Path
        In which hosts look for graph files.

    Raises
    ------
    InputError
        If a series names the interface of its device: hosts use one.
    """
    if any(one.device for one in experiment.series):
        raise InputError(f"{experiment.id} compares CUDA and OpenCL on one GPU; run it without --cluster.")
    around = Surroundings(new_run_id(), tuple(str(folder.resolve()) for folder in folders), arguments.device, measuring)
    with connected(options, console.observer(token, "connecting")) as connection:
        hosts = ExclusiveHosts(connection)
        choice = choose_hosts(hosts, experiment, around, token, takes_any=arguments.any_host)
        console.clear_progress()
        for sentence in choice.sentences():
            console.line(sentence)

        def look(at: Experiment) -> GridForecast:
            return forecast_on(hosts, choice, at, scale, around, token)

        confirm(look)
        request = ExperimentRequest(
            experiment, scale, look(experiment), GraphFiles(folders), measuring, None, store,
            measures_again=arguments.again,
        )  # fmt: skip
        yield ClusterExperimentRun(request, hosts, choice, around, token, tell=console.error_line)
