"""Options of the commands that use a cluster."""

from __future__ import annotations

import argparse
from pathlib import Path

from solvers.cluster.address import FORMS, SAFETY, TlsFiles, parse_address
from solvers.cluster.batch_system import job_script
from solvers.cluster.connection import ClusterOptions
from solvers.commands.console import Console
from solvers.errors import InputError


def add_cluster_options(parser: argparse.ArgumentParser, default: str | None = None) -> None:
    """Add ``--cluster`` and what belongs to it."""
    group = parser.add_argument_group("cluster", "Needs the extra tautline[cluster].")
    group.add_argument("--cluster", default=default, metavar="ADDRESS", help=f"{FORMS}. {SAFETY}")
    group.add_argument("--template", metavar="FILE.toml", help="options of a batch system's jobs: queue, memory, ...")
    group.add_argument("--job-script", action="store_true", help="print the script of a job, and submit nothing")
    group.add_argument("--tls-ca", metavar="FILE", help="certificate of the authority, for tls://")
    group.add_argument("--tls-cert", metavar="FILE", help="certificate of this program")
    group.add_argument("--tls-key", metavar="FILE", help="its key")
    shown = "serve Dask's dashboard of what is started here, at a secret address that is printed"
    group.add_argument("--dashboard", action="store_true", help=shown)


def cluster_options(arguments: argparse.Namespace) -> ClusterOptions | None:
    """The cluster that the arguments name; None if they name none.

    Raises
    ------
    UnknownName, InputError
    """
    if not arguments.cluster:
        if arguments.template or arguments.job_script:
            raise InputError("--template and --job-script need --cluster with a batch system, such as slurm.")
        return None
    address = parse_address(arguments.cluster)
    if (arguments.template or arguments.job_script) and not address.is_batch:
        raise InputError(f"{address.text} is no batch system, so it takes neither --template nor --job-script.")
    files = (Path(name) if name else None for name in (arguments.tls_ca, arguments.tls_cert, arguments.tls_key))
    template = Path(arguments.template) if arguments.template else None
    return ClusterOptions(address, template, TlsFiles(*files), arguments.dashboard)


def show_job_script(arguments: argparse.Namespace, options: ClusterOptions, console: Console) -> bool:
    """Print the script of a job if that was asked for; returns whether it was."""
    if arguments.job_script:
        for line in job_script(options.address, options.template).rstrip().splitlines():
            console.line(line)
    return bool(arguments.job_script)
