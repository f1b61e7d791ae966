"""Clusters that are started here: worker processes of this machine, or jobs of a batch system.

Whoever connects to a scheduler or worker can have it run code, so all of them demand
credentials that are made for each cluster and known to its processes only. Dask's web
servers are left out; the dashboard has a secret address.

Worker processes of this machine listen on the loopback interface only, where every user
of the machine can connect. They do not limit their own memory, because pages of the
graph, which all of them share, would count against each; instead, chunks are chosen to
fit.

Jobs of a batch system (SLURM, PBS, ...) are started by dask-jobqueue and a template.
They listen on the network of the cluster, which others use too. Unless the template
says ``protocol = "tcp://"``, they demand credentials; the jobs find theirs in a folder
that only its owner can read, until the run ends. It is in the working directory of the
command, or in the template's ``shared_temp_directory``.
"""

from __future__ import annotations

import os
import secrets
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from multiprocessing import current_process
from pathlib import Path
from typing import Any

from solvers.cluster import dask_for, jobqueue_for, nvidia_gpus, temporary_security_for
from solvers.cluster.address import BATCH_SYSTEMS, ClusterAddress
from solvers.errors import ClusterUnavailable, FileFormatError, ParameterError
from solvers.system import machine
from solvers.system.files import read_regular, reason_of, temporary_folder

LOOPBACK = "127.0.0.1"
_MOST_WORKERS = 1024
_SILENT = 60  # a level above all of logging

_SHOWN_ADDRESS = "SCHEDULER:8786"  # in a script that is only shown
_SHOWN_FILES = {
    "tls_ca_file": "FOLDER/ca.pem",
    "tls_worker_cert": "FOLDER/certificate.pem",
    "tls_worker_key": "FOLDER/key.pem",
}
_MOST_BYTES = 1 << 20  # of a template
_DEFAULTS: Mapping[str, Any] = {"cores": 1, "processes": 1, "memory": "4GB"}
# all other options are those of a job
_OF_THE_CLUSTER = ("scheduler_options", "shared_temp_directory")


@contextmanager
def local_cluster(count: int, dashboard: bool, with_gpus: bool = True) -> Iterator[Any]:
    """A cluster of ``count`` worker processes with one thread each, ended with the block.

    A ``count`` of 0 is one worker per GPU if there are GPUs for them, else one per
    core. The dashboard is on a free port of the loopback interface, below a secret
    path. Raises PackageMissing; ParameterError for too many workers; ClusterUnavailable
    if worker processes cannot be started.
    """
    what = "A run on worker processes"
    distributed = dask_for(what)
    if count > _MOST_WORKERS:
        raise ParameterError(
            "cluster",
            "workers",
            count,
            f"at most {_MOST_WORKERS} worker processes are started here",
        )
    if getattr(current_process(), "_inheriting", False):
        raise ClusterUnavailable(
            "local",
            "a worker process ran the script that started it. "
            "Put its calls under if __name__ == '__main__'",
        )
    gpus = visible_gpus(len(nvidia_gpus())) if with_gpus else ()
    count = count or len(gpus) or machine.cores()
    security = temporary_security_for(what)
    import dask

    from solvers.cluster.worker_start import WorkerWithoutWeb

    # Dask sets the environment of workers in this process, too, where OMP_NUM_THREADS=1
    # would affect everything that is computed later.
    settings = {
        "distributed.nanny.pre-spawn-environ": {},
        "distributed.scheduler.active-memory-manager.start": False,
        "distributed.admin.tick.limit": "1h",
    }
    with (
        temporary_folder("cluster") as folder,
        dask.config.set(settings),
        web_page(dashboard) as (cls, page),
    ):
        workers = {
            number: {
                "cls": distributed.Nanny,
                "options": {
                    "host": LOOPBACK,
                    "security": security,
                    "worker_class": WorkerWithoutWeb,
                    "nthreads": 1,
                    "memory_limit": None,
                    "dashboard": False,
                    "local_directory": str(folder),
                    "silence_logs": _SILENT,
                    "preload": ["solvers.cluster.worker_start"],
                    "env": worker_environment(number, gpus),
                },
            }
            for number in range(count)
        }
        scheduler = {
            "cls": cls,
            "options": {"host": LOOPBACK, "port": 0, "security": security, **page},
        }
        try:
            cluster = distributed.SpecCluster(
                workers, scheduler, security=security, silence_logs=False, name="tautpath"
            )
        except (OSError, RuntimeError) as error:
            raise ClusterUnavailable(
                "local", f"its processes could not be started ({error})"
            ) from error
        with cluster:
            yield cluster


@contextmanager
def web_page(dashboard: bool) -> Iterator[tuple[Any, dict[str, Any]]]:
    """The class of a scheduler with or without a dashboard, and its options; in the
    block Dask knows its address.

    The dashboard shows what runs, without credentials: its protection is a random path.
    """
    import dask

    from solvers.cluster.worker_start import SchedulerWithDashboard, SchedulerWithoutWeb

    if not dashboard:
        yield SchedulerWithoutWeb, {"dashboard": False}
        return
    secret = secrets.token_urlsafe(16)
    link = dask.config.get("distributed.dashboard.link").replace("/status", f"/{secret}/status")
    with dask.config.set({"distributed.dashboard.link": link}):
        options = {
            "dashboard": True,
            "dashboard_address": f"{LOOPBACK}:0",
            "http_prefix": f"/{secret}",
        }
        yield SchedulerWithDashboard, options


def visible_gpus(count: int) -> tuple[str, ...]:
    """Names of the first ``count`` GPUs of this process for the CUDA_VISIBLE_DEVICES of others.

    If a batch system has given this process some of the GPUs of its machine, numbers
    would name others.
    """
    given = os.environ.get("CUDA_VISIBLE_DEVICES")
    names = (
        [str(number) for number in range(count)]
        if given is None
        else [name.strip() for name in given.split(",")]
    )
    return tuple(names[:count])


def worker_environment(number: int, gpus: Sequence[str]) -> dict[str, str]:
    """One thread a worker, and one GPU each while there are any; further workers see none."""
    found = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    if gpus:
        found["CUDA_VISIBLE_DEVICES"] = gpus[number] if number < len(gpus) else ""
    return found


def read_template(path: Path) -> dict[str, Any]:
    """Options of a job from a TOML file: queue, cores, memory, walltime, account,
    job_script_prologue, ...

    The names are those of dask-jobqueue. A table named after a batch system applies to
    that system. Raises `FileFormatError`.
    """
    try:
        return tomllib.loads(read_regular(path, _MOST_BYTES).decode())
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        reason = "it is not valid TOML" if isinstance(error, ValueError) else "it cannot be read"
        raise FileFormatError(
            path, f"{reason} ({error})", hint="Write one dask-jobqueue option per line."
        ) from error


def job_script(address: ClusterAddress, template: Path | None) -> str:
    """The script of one job, without submitting it or opening a port.

    Raises PackageMissing, FileFormatError, ClusterUnavailable.
    """
    make, options = _job(address, template)
    security = dask_for(_what(address)).Security(require_encryption=True, **_SHOWN_FILES)
    address_of_scheduler = f"{'tls' if _is_protected(options) else 'tcp'}://{_SHOWN_ADDRESS}"
    of_the_job = {name: value for name, value in options.items() if name not in _OF_THE_CLUSTER}
    if _is_protected(options):
        of_the_job |= {"security": security, "protocol": "tls://"}
    with _refusals(address, template):
        script: str = make.job_cls(address_of_scheduler, name="tautpath", **of_the_job).job_script()
    return script


@contextmanager
def batch_cluster(
    address: ClusterAddress, template: Path | None, dashboard: bool = False
) -> Iterator[Any]:
    """A scheduler in this process, with jobs of a batch system as workers; the jobs are
    ended with the block.

    The scheduler listens on the interface of the cluster's network: workers on other
    machines have to reach it. Raises PackageMissing, FileFormatError;
    ClusterUnavailable if the batch system refuses.
    """
    make, options = _job(address, template)
    import dask

    system = options.get("config_name") or make.job_cls.default_config_name()
    of_the_scheduler = options.get(
        "scheduler_options", dask.config.get(f"jobqueue.{system}.scheduler-options", {})
    )
    folder = options.pop("shared_temp_directory", None) or dask.config.get(
        f"jobqueue.{system}.shared-temp-directory", None
    )
    with (
        _credentials(address, folder)
        if _is_protected(options)
        else nullcontext(dict[str, Any]()) as protection,
        web_page(dashboard) as (cls, page),
    ):
        options |= {
            "scheduler_options": {**page, **of_the_scheduler},
            "scheduler_cls": cls,
            **protection,
        }
        with _refusals(address, template):
            cluster = make(**options)
        with cluster:
            try:
                cluster.scale(jobs=max(1, address.count))
            except (OSError, RuntimeError) as error:
                raise ClusterUnavailable(
                    address.text, f"jobs were not submitted ({error})"
                ) from error
            yield cluster


def _is_protected(options: Mapping[str, Any]) -> bool:
    return str(options.get("protocol", "tls")).startswith("tls")


@contextmanager
def _credentials(address: ClusterAddress, folder: str | None) -> Iterator[dict[str, Any]]:
    """Options of dask-jobqueue for new credentials; those of the jobs are in a folder
    that only this user can read.
    """
    made = temporary_security_for(_what(address))
    parent = Path(os.path.expandvars(folder)).expanduser() if folder else Path.cwd()
    remedy = (
        "Start in a folder that all hosts see, or name one as shared_temp_directory in the template"
    )
    if any(letter.isspace() for letter in str(parent)):
        reason = (
            f"the path of the jobs' credentials would have spaces ({parent}), "
            "which dask-jobqueue cannot pass on"
        )
        raise ClusterUnavailable(address.text, f"{reason}. {remedy}")
    with ExitStack() as stack:
        try:
            # 0700
            private = stack.enter_context(
                tempfile.TemporaryDirectory(prefix=".tautpath-cluster-", dir=parent)
            )
            files = {
                name: str(_write_secret(Path(private) / name, getattr(made, name)))
                for name in _SHOWN_FILES
            }
        except OSError as error:
            reason = f"the jobs' credentials cannot be written in {parent} ({reason_of(error)})"
            raise ClusterUnavailable(address.text, f"{reason}. {remedy}") from error
        names = ("tls_scheduler_cert", "tls_scheduler_key", "tls_client_cert", "tls_client_key")
        here = {name: getattr(made, name) for name in names}
        security = dask_for(_what(address)).Security(require_encryption=True, **files, **here)
        yield {"security": security, "protocol": "tls://"}


def _write_secret(path: Path, content: str) -> Path:
    with open(
        os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii"
    ) as file:
        file.write(content)
    return path


def _own_arguments(chosen: Mapping[str, Any], system: str) -> list[str]:
    """Arguments of a worker that the template, or else Dask's configuration, names;
    ``extra`` was their former name.
    """
    import dask

    candidates = (
        chosen.get("worker_extra_args"),
        chosen.get("extra"),
        dask.config.get(f"jobqueue.{system}.worker-extra-args", None),
        dask.config.get(f"jobqueue.{system}.extra", None),
    )
    return list(next(filter(None, candidates), ()))


def _what(address: ClusterAddress) -> str:
    return f"A run on {address.kind.upper()}"


def _job(address: ClusterAddress, template: Path | None) -> tuple[Any, dict[str, Any]]:
    """The class of the batch system in dask-jobqueue, and the options of its jobs."""
    jobqueue = jobqueue_for(_what(address))
    found = {} if template is None else read_template(template)
    own = found.pop(address.kind, {})
    if not isinstance(own, dict):
        raise ClusterUnavailable(
            address.text, f"{address.kind} in {template} is not a table of options"
        )
    options = {name: value for name, value in found.items() if name not in BATCH_SYSTEMS}
    make = getattr(jobqueue, BATCH_SYSTEMS[address.kind])
    chosen = {"job_name": "tautpath", **_DEFAULTS, **options, **own}
    system = chosen.get("config_name") or make.job_cls.default_config_name()
    # Workers serve their metrics by HTTP: on their own machine only.
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
