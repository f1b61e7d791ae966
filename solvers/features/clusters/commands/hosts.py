"""``hosts``: the workers of a cluster, with cores, GPUs, memory, throughput and last log lines."""

from __future__ import annotations

import argparse

from solvers.commands.console import Console, add_json_option, interruptible
from solvers.errors import InputError
from solvers.features.clusters.connection import connected
from solvers.features.clusters.options import add_cluster_options, cluster_options
from solvers.features.clusters.workers import WorkerStatus, look_at_hosts
from solvers.text import format_bytes, format_count, plural, printable

_MOST_LETTERS = 60  # of the last log line, in a table


def configure(parser: argparse.ArgumentParser) -> None:
    add_cluster_options(parser, default="local")
    add_json_option(parser)


def execute(arguments: argparse.Namespace, console: Console) -> int:
    options = cluster_options(arguments)
    if options is None:
        raise InputError(
            "--cluster is empty. Name a cluster, or leave the option out for this machine."
        )
    with (
        interruptible() as token,
        connected(options, console.progress_for(token, "connecting")) as connection,
    ):
        workers, dashboard = look_at_hosts(connection), connection.dashboard
    if arguments.json:
        console.json(workers)
        return 0
    console.table(
        ("host", "worker", "cores", "GPUs", "memory", "running", "sources/s", "last log line"),
        [_row(worker) for worker in workers],
        right="  r  rr ",
    )
    hosts = len({worker.host for worker in workers})
    console.line(f"{plural(len(workers), 'worker')} on {plural(hosts, 'host')}.")
    if dashboard:
        console.line(f"Dashboard: {dashboard}")
    return 0


def _row(worker: WorkerStatus) -> tuple[str, ...]:
    last = printable(worker.last_words[-1]) if worker.last_words else ""
    if not worker.answered:
        last = "(no answer)"
    return (
        worker.host,
        worker.address,
        str(worker.cores),
        ", ".join(worker.gpus) or "-",
        f"{format_bytes(worker.memory_used_bytes)} of {format_bytes(worker.memory_bytes)}",
        format_count(worker.running),
        f"{worker.sources_per_s:.3g}",
        last if len(last) <= _MOST_LETTERS else last[: _MOST_LETTERS - 1] + "…",
    )
