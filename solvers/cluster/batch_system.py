"""Workers as jobs of a batch system (SLURM, PBS, ...), by dask-jobqueue and a template.

Scheduler and workers listen on the network of the cluster, which others use too. Unless the template says
``protocol = "tcp://"``, they demand credentials that are made for each run. The jobs find theirs in a folder that only
its owner can read, until the run ends. It lies in the folder in which the command runs, or in the template's
``shared_temp_directory``.
"""

from __future__ import annotations

import os
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from solvers.cluster.address import BATCH_SYSTEMS, ClusterAddress
from solvers.cluster.local_cluster import LOOPBACK, web_page
from solvers.cluster.packages import dask_for, jobqueue_for, temporary_security_for
from solvers.errors import ClusterUnavailable, FileFormatError
from solvers.host.files import read_regular
from solvers.host.refusal import reason_of

_SHOWN_PLACE = "SCHEDULER:8786"  # in a script that is only shown
_SHOWN_FILES = {
    "tls_ca_file": "FOLDER/ca.pem",
    "tls_worker_cert": "FOLDER/certificate.pem",
    "tls_worker_key": "FOLDER/key.pem",
}
_MOST_BYTES = 1 << 20  # of a template
_DEFAULTS: Mapping[str, Any] = {"cores": 1, "processes": 1, "memory": "4GB"}
_OF_THE_CLUSTER = ("scheduler_options", "shared_temp_directory")  # all other options are those of a job


def read_template(path: Path) -> dict[str, Any]:
    """Options of a job from a TOML file: queue, cores, memory, walltime, account, job_script_prologue, ...

    The names are those of dask-jobqueue. A table named after a batch system holds for that system.

    Raises
    ------
    FileFormatError
        If the file cannot be read, or is no TOML.
    """
    try:
        return tomllib.loads(read_regular(path, _MOST_BYTES).decode())
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
    security = dask_for(_what(address)).Security(require_encryption=True, **_SHOWN_FILES)
    place = f"{'tls' if _is_protected(options) else 'tcp'}://{_SHOWN_PLACE}"
    of_the_job = {name: value for name, value in options.items() if name not in _OF_THE_CLUSTER}
    if _is_protected(options):
        of_the_job |= {"security": security, "protocol": "tls://"}
    with _refusals(address, template):
        script: str = make.job_cls(place, name="tautline", **of_the_job).job_script()
    return script


@contextmanager
def batch_cluster(address: ClusterAddress, template: Path | None, dashboard: bool = False) -> Iterator[Any]:
    """A scheduler in this process, with jobs of a batch system as workers; the jobs are ended with the block.

    The scheduler listens on the interface of the cluster's network: workers on other machines have to reach it.

    Parameters
    ----------
    address : ClusterAddress
    template : Path or None
    dashboard : bool
        Serve Dask's dashboard on a free port of the loopback interface, below a secret path.

    Raises
    ------
    PackageMissing, FileFormatError
    ClusterUnavailable
        If the batch system refuses.
    """
    make, options = _job(address, template)
    import dask

    system = options.get("config_name") or make.job_cls.default_config_name()
    of_the_scheduler = options.get("scheduler_options", dask.config.get(f"jobqueue.{system}.scheduler-options", {}))
    folder = options.pop("shared_temp_directory", None) or dask.config.get(
        f"jobqueue.{system}.shared-temp-directory", None
    )
    with (
        _credentials(address, folder) if _is_protected(options) else nullcontext(dict[str, Any]()) as protection,
        web_page(dashboard) as (cls, page),
    ):
        options |= {"scheduler_options": {**page, **of_the_scheduler}, "scheduler_cls": cls, **protection}
        with _refusals(address, template):
            cluster = make(**options)
        with cluster:
            try:
                cluster.scale(jobs=max(1, address.count))
            except (OSError, RuntimeError) as error:
                raise ClusterUnavailable(address.text, f"jobs were not submitted ({error})") from error
            yield cluster


def _is_protected(options: Mapping[str, Any]) -> bool:
    return str(options.get("protocol", "tls")).startswith("tls")


@contextmanager
def _credentials(address: ClusterAddress, folder: str | None) -> Iterator[dict[str, Any]]:
    """Options of dask-jobqueue: new credentials, and the folder that only this user can read, for those of the jobs."""
    made = temporary_security_for(_what(address))
    place = Path(os.path.expandvars(folder)).expanduser() if folder else Path.cwd()
    remedy = "Start in a folder that all hosts see, or name one as shared_temp_directory in the template"
    if any(letter.isspace() for letter in str(place)):
        reason = f"the path of the jobs' credentials would have spaces ({place}), which dask-jobqueue cannot pass on"
        raise ClusterUnavailable(address.text, f"{reason}. {remedy}")
    with ExitStack() as stack:
        try:
            private = stack.enter_context(tempfile.TemporaryDirectory(prefix=".tautline-cluster-", dir=place))  # 0700
            files = {name: str(_write_secret(Path(private) / name, getattr(made, name))) for name in _SHOWN_FILES}
        except OSError as error:
            reason = f"the jobs' credentials cannot be written in {place} ({reason_of(error)})"
            raise ClusterUnavailable(address.text, f"{reason}. {remedy}") from error
        here = {name: getattr(made, name) for name in ("tls_scheduler_cert", "tls_scheduler_key")}
        here |= {name: getattr(made, name) for name in ("tls_client_cert", "tls_client_key")}
        security = dask_for(_what(address)).Security(require_encryption=True, **files, **here)
        yield {"security": security, "protocol": "tls://"}


def _write_secret(path: Path, content: str) -> Path:
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
        file.write(content)
    return path


def _own_arguments(chosen: Mapping[str, Any], system: str) -> list[str]:
    """Arguments of a worker that the template, or else Dask's configuration, names; ``extra`` was their former name."""
    import dask

    for found in (
        chosen.get("worker_extra_args"),
        chosen.get("extra"),
        dask.config.get(f"jobqueue.{system}.worker-extra-args", None),
        dask.config.get(f"jobqueue.{system}.extra", None),
    ):
        if found:
            return list(found)
    return []


def _what(address: ClusterAddress) -> str:
    return f"A run on {address.kind.upper()}"


def _job(address: ClusterAddress, template: Path | None) -> tuple[Any, dict[str, Any]]:
    """The class of the batch system in dask-jobqueue, and the options of its jobs."""
    jobqueue = jobqueue_for(_what(address))
    found = {} if template is None else read_template(template)
    own = found.pop(address.kind, {})
    if not isinstance(own, dict):
        raise ClusterUnavailable(address.text, f"{address.kind} in {template} is no table of options")
    options = {name: value for name, value in found.items() if name not in BATCH_SYSTEMS}
    make, chosen = (
        getattr(jobqueue, BATCH_SYSTEMS[address.kind]),
        {"job_name": "tautline", **_DEFAULTS, **options, **own},
    )
    system = chosen.get("config_name") or make.job_cls.default_config_name()
    # Workers show numbers of theirs by HTTP: on their own machine only.
    of_workers = ["--no-dashboard", "--dashboard-address", f"{LOOPBACK}:0"]
    chosen["worker_extra_args"] = [*_own_arguments(chosen, system), *of_workers]
    return make, chosen


@contextmanager
def _refusals(address: ClusterAddress, template: Path | None) -> Iterator[None]:
    """Make errors of dask-jobqueue ours."""
    try:
        yield
    except (TypeError, ValueError, OSError, RuntimeError) as error:
        where = "the options of a job" if template is None else f"the options in {template}"
        raise ClusterUnavailable(address.text, f"it refuses {where} ({error})") from error
