"""What a worker process of a local cluster does first; Dask imports this module there and calls `dask_setup`.

Dask's log lines stay out of the user's terminal: what matters comes as an error or a value.
"""

from __future__ import annotations

import hmac
import logging
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from distributed import Scheduler, Worker
from tornado.web import ErrorHandler


def dask_setup(worker: object) -> None:
    """Print nothing, and leave Ctrl+C, which a terminal sends to all its processes, to the client."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    silence_worker()


class WorkerWithoutWeb(Worker):  # type: ignore[misc]  # Dask has no types
    def start_http_server(self, *_: Any, **__: Any) -> None:
        """Listen nowhere."""


class SchedulerWithoutWeb(Scheduler):  # type: ignore[misc]
    def start_http_server(self, *_: Any, **__: Any) -> None:
        """Listen nowhere."""


class SchedulerWithDashboard(Scheduler):  # type: ignore[misc]
    """Serves its dashboard only below ``http_prefix``, which therefore has to be a secret.

    By itself Dask would tell the prefix to everybody who asks for ``/`` or ``/sitemap.json``.
    """

    def __init__(self, *arguments: Any, http_prefix: str, **options: Any):
        self._secret = http_prefix.strip("/")
        super().__init__(*arguments, http_prefix=http_prefix, **options)

    def start_http_server(self, *arguments: Any, **options: Any) -> None:
        super().start_http_server(*arguments, **options)
        application = self.http_application
        find = application.find_handler

        def find_below_secret(request: Any, **found: Any) -> Any:
            first = request.path.split("/")[1] if "/" in request.path else ""
            if hmac.compare_digest(first.encode(), self._secret.encode()):
                return find(request, **found)
            return application.get_handler_delegate(request, ErrorHandler, {"status_code": 404})

        application.find_handler = find_below_secret


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
