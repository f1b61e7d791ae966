"""The pack of a graph on the hosts of a cluster (`solvers.running.network_pack`).

Each host gets the pack of a graph once: if it sees the client's file, it uses that,
else the pack is sent. A piece goes from the client to one worker; the others take it
from workers that have it. Each host writes it to its own cache, for all of its workers
and for later runs.
"""

from __future__ import annotations

import os
import socket
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from solvers.errors import ClusterUnavailable, GraphNotOnWorker, TautpathError
from solvers.features.clusters.connection import Connection
from solvers.running import network_pack
from solvers.running.network_pack import PackName, problem_of, thin
from solvers.system.cancel import SILENT, Progress

_PIECE_BYTES = 1 << 25


@dataclass(frozen=True)
class Placement:
    """The hosts that have the pack, and the bytes that were sent to those that neither
    saw nor had the file.
    """

    hosts: tuple[str, ...]
    sent: Mapping[str, int]


def place(
    connection: Connection, pack: PackName, progress: Progress = SILENT, *, shared: bool = True
) -> Placement:
    """Give every host of a cluster the pack; ``shared`` lets hosts use the client's
    file if they see it.

    Raises ClusterUnavailable if a host cannot store it; Cancelled.
    """
    client = connection.client
    answers: Mapping[str, Any] = client.run(find_pack, pack, shared, on_error="return")
    receivers: dict[str, str] = {}
    hosts: dict[str, bool] = {}
    for worker, found in answers.items():
        if isinstance(found, BaseException):
            continue  # it has gone, or cannot look: its first chunk will show it
        host, has = found
        # workers of one host may have caches of their own
        hosts[host] = hosts.get(host, True) and has
        if not has:
            receivers.setdefault(host, worker)
    missing = {host: receivers[host] for host, has in hosts.items() if not has}
    if missing:
        _send(connection, pack, missing, progress)
    return Placement(tuple(sorted(hosts)), dict.fromkeys(missing, pack.size))


def find_pack(pack: PackName, shared: bool) -> tuple[str, bool]:
    """In a worker: the name of its host, and whether it has the pack."""
    return socket.gethostname(), any(not problem_of(path, pack) for path in paths_of(pack, shared))


def paths_of(pack: PackName, shared: bool) -> tuple[Path, ...]:
    """In a worker: the possible paths of the pack."""
    own = network_pack.packs_folder() / f"{pack.key}.sent.pack"
    return (Path(pack.path), own) if shared else (own,)


def require_pack(pack: PackName, shared: bool) -> Path:
    """In a worker: the file; raises `GraphNotOnWorker`."""
    problems = []
    for path in paths_of(pack, shared):
        problem = problem_of(path, pack)
        if not problem:
            return path
        problems.append((problem == "is missing", str(path), problem))
    _, path_text, problem = min(problems)
    raise GraphNotOnWorker(socket.gethostname(), path_text, problem)


def _send(
    connection: Connection, pack: PackName, receivers: Mapping[str, str], progress: Progress
) -> None:
    client, run = connection.client, uuid.uuid4().hex[:12]
    workers = list(receivers.values())
    with Path(pack.path).open("rb") as file:
        for offset in range(0, pack.size, _PIECE_BYTES):
            progress.checkpoint(offset, pack.size)
            piece = client.scatter(file.read(_PIECE_BYTES), workers=workers[:1], hash=False)
            stored = [
                client.submit(store_piece, piece, pack, run, offset, workers=[worker], pure=False)
                for worker in workers
            ]
            _wait(connection, stored)
    _wait(
        connection,
        [client.submit(finish_pack, pack, run, workers=[worker], pure=False) for worker in workers],
    )


def _wait(connection: Connection, futures: list[Any]) -> None:
    for future in futures:
        try:
            future.result(timeout=300)
        except TautpathError:
            raise
        except Exception as error:  # Dask passes on whatever the worker raised
            raise ClusterUnavailable(
                connection.name, f"a host could not store the graph ({error})"
            ) from error


def store_piece(piece: bytes, pack: PackName, run: str, offset: int) -> None:
    """In a worker: write a piece of the pack."""
    path = _part(pack, run)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("r+b" if path.exists() else "w+b") as file:
        file.seek(offset)
        file.write(piece)


def finish_pack(pack: PackName, run: str) -> None:
    """In a worker: give the pack its name when all pieces are there."""
    part, path = _part(pack, run), paths_of(pack, False)[0]
    os.replace(part, path)
    thin(path.parent, path)
    if problem := problem_of(path, pack):
        raise GraphNotOnWorker(socket.gethostname(), str(path), problem)


def _part(pack: PackName, run: str) -> Path:
    return network_pack.packs_folder() / f"{pack.key}-{run}.part"
