"""One cluster of two worker processes for all tests of this folder that a pytest process runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from distributed import WorkerPlugin

from solvers.cluster import pack
from solvers.cluster.connection import Connection, connected


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    folder = str(tmp_path_factory.mktemp("packs"))
    with connected("local:2") as connection, pytest.MonkeyPatch.context() as patch:
        patch.setattr(pack, "packs_folder", lambda: Path(folder))
        connection.client.register_plugin(PacksFolder(folder))
        yield connection


class PacksFolder(WorkerPlugin):  # type: ignore[misc]  # Dask has no types
    """Lets every worker, also those that are started again, keep graphs there instead
    of in the user's cache.
    """

    def __init__(self, folder: str):
        self.folder = folder

    def setup(self, worker: object) -> None:
        vars(pack)["packs_folder"] = lambda: Path(self.folder)
