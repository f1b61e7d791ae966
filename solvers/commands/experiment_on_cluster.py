"""``experiment --cluster``: the same experiment on the hosts of a cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from solvers.cluster.connection import ClusterOptions, connected
from solvers.cluster.exclusive import ExclusiveHosts
from solvers.commands.console import Console
from solvers.experiments.experiment_run import ExperimentRequest
from solvers.experiments.host_plan import HostPlan
from solvers.experiments.place import ClusterHosts
from solvers.experiments.remote_points import Surroundings
from solvers.host.observer import CancelToken


@contextmanager
def cluster_hosts(
    options: ClusterOptions,
    wanted: ExperimentRequest,
    folders: Sequence[Path],
    device: str,
    token: CancelToken,
    console: Console,
    *,
    takes_any: bool,
) -> Iterator[ClusterHosts]:
    """Connect and choose the hosts; what was started ends with the block.

    Parameters
    ----------
    folders : sequence of Path
        In which hosts look for graph files.
    device : str
        As ``--device``.

    Raises
    ------
    InputError, ClusterUnavailable, SchedulerUnreachable, Cancelled
        As `HostPlan.made`.
    """
    around = Surroundings.of(folders, device, wanted.measuring)
    with connected(options, console.observer(token, "connecting")) as connection:
        plan = HostPlan.made(ExclusiveHosts(connection), wanted.experiment, around, token, takes_any=takes_any)
        console.clear_progress()
        place = ClusterHosts(wanted, token, plan, console.error_line)
        for sentence in place.sentences("--any-host lets it"):
            console.line(sentence)
        yield place
