"""Schedulers and workers that Tautpath starts: what they serve, and what a local worker
process does first.

Dask starts a web server in each of them even if its dashboard is off. It demands no
credentials, so it is left out, or serves only below a secret path. This module imports
Dask; it is imported only where a cluster is started, and by Dask itself in a worker
process of this machine, where it calls `dask_setup`.
"""

from __future__ import annotations

import hmac
import signal
from typing import Any

from distributed import Scheduler, Worker
from tornado.web import ErrorHandler

from solvers.cluster import silence_worker


def dask_setup(worker: object) -> None:
    """Print nothing, and leave Ctrl+C, which a terminal sends to all its processes, to
    the client.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    silence_worker()


class WorkerWithoutWeb(Worker):  # type: ignore[misc]  # Dask has no types
    """A worker of Dask that opens no port for web pages."""

    def start_http_server(self, *_: Any, **__: Any) -> None:
        """Listen nowhere."""


class SchedulerWithoutWeb(Scheduler):  # type: ignore[misc]
    """A scheduler of Dask that opens no port for web pages."""

    def start_http_server(self, *_: Any, **__: Any) -> None:
        """Listen nowhere."""


class SchedulerWithDashboard(Scheduler):  # type: ignore[misc]
    """Serves its dashboard only below ``http_prefix``, which therefore has to be a secret.

    By itself, Dask would reveal the prefix to everybody who asks for ``/`` or
    ``/sitemap.json``.
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
