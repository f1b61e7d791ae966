"""Dask's log lines stay out of the user's terminal: what matters comes as an error or a value."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

_NAMES = ("distributed", "dask_jobqueue", "tornado", "asyncio", "bokeh")


@contextmanager
def quiet_logs() -> Iterator[None]:
    """Within the block, nothing that Dask logs in this process is printed; its own buffers of log lines go on."""
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


def silence_worker() -> None:
    """In a worker process of this machine, whose output goes to the user's terminal: print no log lines from now on."""
    for name in (*_NAMES, *_children()):
        logger = logging.getLogger(name)
        for handler in list(logger.handlers):
            if isinstance(handler, logging.StreamHandler):
                logger.removeHandler(handler)
                logger.addHandler(_NOWHERE)
    logging.getLogger("distributed").addHandler(_NOWHERE)


_NOWHERE = logging.NullHandler()


def _children() -> list[str]:
    return [name for name in logging.root.manager.loggerDict if name.startswith("distributed.")]
