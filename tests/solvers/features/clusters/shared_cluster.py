"""A cluster of two worker processes, which keeps graphs in a folder of the tests' own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from distributed import WorkerPlugin

from solvers.features.clusters.connection import Connection, connected
from solvers.running import network_pack


@contextmanager
def shared_cluster(folder: str) -> Iterator[Connection]:
    with connected("local:2") as connection, pytest.MonkeyPatch.context() as patch:
        patch.setattr(network_pack, "packs_folder", lambda: Path(folder))
        connection.client.register_plugin(PacksFolder(folder))
        yield connection


class PacksFolder(WorkerPlugin):  # type: ignore[misc]  # Dask has no types
    """Lets every worker, also those that are started again, keep graphs there instead
    of in the user's cache.
    """

    def __init__(self, folder: str):
        self.folder = folder

    def setup(self, worker: object) -> None:
        vars(network_pack)["packs_folder"] = lambda: Path(self.folder)
