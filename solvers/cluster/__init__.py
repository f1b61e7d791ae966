"""Runs on several machines, by Dask: connections to clusters, their hosts, and all sources of a graph over them.

The libraries of the extra ``tautline[cluster]`` are imported only when a cluster is used, by the functions below.
"""

from __future__ import annotations

import signal
import threading
from typing import Any

from solvers.system.optional_packages import optional_package

EXTRA = "cluster"


def dask_for(what: str) -> Any:
    """The package ``distributed``.

    Parameters
    ----------
    what : str
        What it is needed for, the subject of the error's sentence: "A run on several machines".

    Raises
    ------
    PackageMissing
    """
    return optional_package("distributed", what, EXTRA)


def temporary_security_for(what: str) -> Any:
    """New credentials for one cluster, a ``distributed.Security``: TLS is demanded of everybody who connects.

    They are made for this cluster and held in memory; whoever does not have them is let in nowhere.

    Parameters
    ----------
    what : str
        As `dask_for`.

    Raises
    ------
    PackageMissing
    """
    optional_package("cryptography", what, EXTRA)
    return dask_for(what).Security.temporary()


def jobqueue_for(what: str) -> Any:
    """The package ``dask_jobqueue``; as `dask_for`.

    It sets a handler of SIGINT when it is imported, which would replace that of a run; the former one is set again.
    """
    in_charge = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGINT)
    package = optional_package("dask_jobqueue", what, EXTRA)
    if in_charge:
        signal.signal(signal.SIGINT, before)
    return package


def zarr_for(what: str) -> Any:
    """The package ``zarr``; as `dask_for`."""
    return optional_package("zarr", what, EXTRA)
