"""Workers as jobs of a batch system (SLURM, PBS, ...), by dask-jobqueue and a template."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from solvers.cluster.address import BATCH_SYSTEMS, ClusterAddress
from solvers.cluster.packages import jobqueue_for
from solvers.errors import ClusterUnavailable, FileFormatError

_PLACE = "tcp://SCHEDULER:8786"  # in a script that is only shown
_DEFAULTS: Mapping[str, Any] = {"cores": 1, "processes": 1, "memory": "4GB"}


def read_template(path: Path) -> dict[str, Any]:
    """Options of a job from a TOML file: queue, cores, memory, walltime, account, job_script_prologue, ...

    The names are those of dask-jobqueue. A table named after a batch system holds for that system.

    Raises
    ------
    FileFormatError
        If the file cannot be read, or is no TOML.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        reason = "it is no TOML file" if isinstance(error, ValueError) else "it cannot be read"
        raise FileFormatError(path, f"{reason} ({error})", hint="Write one option of dask-jobqueue a line.") from error


def job_script(address: ClusterAddress, template: Path | None) -> str:
    """The script of one job, without submitting it or opening a port.

    Raises
    ------
    PackageMissing, FileFormatError, ClusterUnavailable
    """
    make, options = _job(address, template)
    with _refusals(address, template):
        script: str = make.job_cls(_PLACE, name="tautline", **options).job_script()
    return script


@contextmanager
def batch_cluster(address: ClusterAddress, template: Path | None) -> Iterator[Any]:
    """A scheduler in this process, with jobs of a batch system as workers; the jobs are ended with the block.

    The scheduler listens on the interface of the cluster's network: workers on other machines have to reach it.

    Raises
    ------
    PackageMissing, FileFormatError
    ClusterUnavailable
        If the batch system refuses.
    """
    make, options = _job(address, template)
    with _refusals(address, template):
        cluster = make(**options)
    with cluster:
        try:
            cluster.scale(jobs=max(1, address.count))
        except (OSError, RuntimeError) as error:
            raise ClusterUnavailable(address.text, f"jobs were not submitted ({error})") from error
        yield cluster


def _job(address: ClusterAddress, template: Path | None) -> tuple[Any, dict[str, Any]]:
    """The class of the batch system in dask-jobqueue, and the options of its jobs."""
    jobqueue = jobqueue_for(f"A run on {address.kind.upper()}")
    found = {} if template is None else read_template(template)
    own = found.pop(address.kind, {})
    if not isinstance(own, dict):
        raise ClusterUnavailable(address.text, f"{address.kind} in {template} is no table of options")
    options = {name: value for name, value in found.items() if name not in BATCH_SYSTEMS}
    return getattr(jobqueue, BATCH_SYSTEMS[address.kind]), {"job_name": "tautline", **_DEFAULTS, **options, **own}


@contextmanager
def _refusals(address: ClusterAddress, template: Path | None) -> Iterator[None]:
    """Make errors of dask-jobqueue ours."""
    try:
        yield
    except (TypeError, ValueError, OSError, RuntimeError) as error:
        where = "the options of a job" if template is None else f"the options in {template}"
        raise ClusterUnavailable(address.text, f"it refuses {where} ({error})") from error
