"""Options of commands that name a cluster."""

from __future__ import annotations

import argparse

from solvers.features.clusters.address import FORMS, SAFETY, parse_address
from solvers.features.clusters.connection import ClusterOptions


def add_cluster_options(parser: argparse.ArgumentParser, default: str | None = None) -> None:
    group = parser.add_argument_group("cluster", "Needs the extra “cluster”.")
    group.add_argument("--cluster", default=default, metavar="ADDRESS", help=f"{FORMS}. {SAFETY}")
    shown = "serve Dask's dashboard of what is started here, on loopback"
    group.add_argument("--dashboard", action="store_true", help=shown)


def cluster_options(arguments: argparse.Namespace) -> ClusterOptions | None:
    """The cluster that the arguments name; None if they name none. Raises `UnknownName`
    and `InputError`.
    """
    if not arguments.cluster:
        return None
    return ClusterOptions(parse_address(arguments.cluster), arguments.dashboard)
