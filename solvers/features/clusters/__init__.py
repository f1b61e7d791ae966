"""Runs on several machines, by Dask: connections to clusters, their hosts, and the graphs
that they are given.

The libraries of the extra ``cluster`` are imported only when a cluster is
used, by the functions below. Log lines of Dask are not printed to the user's terminal:
important ones come as errors or values.
"""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from solvers.system.feature import Command, Feature
from solvers.system.optional_packages import optional_package

if TYPE_CHECKING:
    from solvers.devices.cuda import CudaDevice

log = logging.getLogger(__name__)

EXTRA = "cluster"

FEATURE = Feature(
    "Clusters",
    commands=(
        Command(
            "hosts",
            "List the workers of a cluster: cores, GPUs, memory, throughput, last log line.",
            f"{__name__}.commands",
            after="all-sources",
        ),
    ),
)

_NAMES = ("distributed", "dask_jobqueue", "tornado", "asyncio", "bokeh")

_NOWHERE = logging.NullHandler()


def dask_for(what: str) -> Any:
    """The package ``distributed``; raises `PackageMissing`.

    ``what`` it is needed for is the subject of the error's sentence: "A run on several
    machines".
    """
    return optional_package("distributed", what, EXTRA)


def jobqueue_for(what: str) -> Any:
    """The package ``dask_jobqueue``; as `dask_for`.

    Its import sets a handler of SIGINT, which would replace that of a run; the former
    one is restored.
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


def nvidia_gpus() -> list[CudaDevice]:
    """The NVIDIA GPUs that this process sees, by CUDA_VISIBLE_DEVICES; none without
    CuPy and a driver.
    """
    try:
        from solvers.devices import cuda

        return cuda.find_devices()
    except (ImportError, OSError, RuntimeError) as error:
        log.info("this process has no GPU: %s", error)
        return []


@contextmanager
def quiet_logs() -> Iterator[None]:
    """Within the block, nothing that Dask logs in this process is printed; its own
    buffers of log lines go on.
    """
    before = {}
    for name in (*_NAMES, *_children()):
        logger = logging.getLogger(name)
        prints = [h for h in logger.handlers if isinstance(h, logging.StreamHandler)]
        before[logger] = (prints, logger.propagate)
        for handler in prints:
            logger.removeHandler(handler)
        if prints or name in _NAMES:  # a logger without any handler prints by Python's last resort
            logger.addHandler(_NOWHERE)
        if name in _NAMES:
            logger.propagate = False
    try:
        yield
    finally:
        for logger, (handlers, propagate) in before.items():
            logger.removeHandler(_NOWHERE)
            logger.propagate = propagate
            for handler in handlers:
                logger.addHandler(handler)


def dask_setup(worker: object) -> None:
    """Called by Dask in a worker process of this machine, whose output goes to the
    user's terminal: print nothing, and leave Ctrl+C, which a terminal sends to all its
    processes, to the client.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in (*_NAMES, *_children()):
        logger = logging.getLogger(name)
        for handler in list(logger.handlers):
            if isinstance(handler, logging.StreamHandler):
                logger.removeHandler(handler)
                logger.addHandler(_NOWHERE)
    logging.getLogger("distributed").addHandler(_NOWHERE)


def _children() -> list[str]:
    return [name for name in logging.root.manager.loggerDict if name.startswith("distributed.")]
