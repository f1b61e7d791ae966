"""What a worker process of a local cluster does first; Dask imports this module there and calls `dask_setup`."""

from __future__ import annotations

import signal

from solvers.cluster.quiet_logs import silence_worker


def dask_setup(worker: object) -> None:
    """Print nothing, and leave Ctrl+C, which a terminal sends to all its processes, to the client."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    silence_worker()
