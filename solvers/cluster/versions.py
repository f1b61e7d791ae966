"""Client and workers have to run the same versions: numbers and pickled objects depend on them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from solvers.cluster.facts import versions
from solvers.errors import ClusterUnavailable, VersionsDiffer


def require_same_versions(client: Any, address: str) -> None:
    """Compare the versions of every worker with those of this program.

    Raises
    ------
    VersionsDiffer
    ClusterUnavailable
        If a worker cannot import Tautline.
    """
    found: Mapping[str, Any] = client.run(versions, on_error="return")
    missing = sorted(worker for worker, value in found.items() if isinstance(value, ImportError))
    if missing:
        raise ClusterUnavailable(
            address,
            f"the worker {missing[0]} cannot import Tautline. Install the same version there, or start it there",
        )
    failed = [f"{worker}: {value}" for worker, value in found.items() if isinstance(value, BaseException)]
    if failed:
        raise ClusterUnavailable(address, f"a worker did not tell its versions ({failed[0]})")
    compare_versions(versions(), found)


def compare_versions(own: Mapping[str, str], of_workers: Mapping[str, Mapping[str, str]]) -> None:
    """Raise `VersionsDiffer` unless all are the same; it names each package, and the workers that have another."""
    different = {
        worker: {name: (own[name], theirs.get(name, "none")) for name in own if theirs.get(name) != own[name]}
        for worker, theirs in of_workers.items()
    }
    different = {worker: names for worker, names in different.items() if names}
    if different:
        raise VersionsDiffer(different)
