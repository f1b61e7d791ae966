"""The backend where NetworkX finds it, also in environments whose installation of
Tautpath is older than the backend.

A folder with the metadata of a distribution on Python's path is all that an entry point
needs. It takes the entry points from pyproject.toml and the distribution's own name, so
that it hides an older installation.
"""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import EntryPoint
from pathlib import Path

import networkx as nx
from networkx.utils import backends

from solvers.features.networkx_backend import info

ROOT = Path(__file__).resolve().parents[4]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
GROUPS = ("networkx.backends", "networkx.backend_info")


def write_metadata(folder: Path) -> Path:
    """Write the metadata into ``folder``; returns it."""
    metadata = folder / "tautpath-0.dist-info"
    metadata.mkdir(parents=True, exist_ok=True)
    (metadata / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: tautpath\nVersion: 0\n", encoding="utf-8"
    )
    lines = []
    for group in GROUPS:
        lines += [
            f"[{group}]",
            *(f"{name} = {value}" for name, value in PROJECT["entry-points"][group].items()),
        ]
    (metadata / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def environment(folder: Path, **variables: str) -> dict[str, str]:
    """Environment variables of a program that finds the backend and this repository."""
    path = os.pathsep.join([str(write_metadata(folder)), str(ROOT)])
    return {**os.environ, "PYTHONPATH": path, "PYTHONWARNINGS": "", **variables}


@contextmanager
def registered() -> Iterator[None]:
    """Let NetworkX of this process know the backend, as if it had found the entry
    points when it was imported; those of an older installation give way.
    """
    entry = EntryPoint("tautpath", PROJECT["entry-points"][GROUPS[0]]["tautpath"], GROUPS[0])
    found = backends.backends.get("tautpath")
    if found is not None and found.value == entry.value:
        yield
        return
    before, call = nx.config.backends, backends._dispatchable.__call__
    backends.backends["tautpath"] = entry
    backends.backend_info["tautpath"] = info.get_info()
    nx.config.backends = nx.utils.Config(**{**before, "tautpath": nx.utils.Config()})
    backends._dispatchable.__call__ = backends._dispatchable._call_if_any_backends_installed
    try:
        yield
    finally:
        backends._dispatchable.__call__ = call
        nx.config.backends = before
        backends._loaded_backends.pop("tautpath", None)
        del backends.backends["tautpath"], backends.backend_info["tautpath"]
        if found is not None:
            backends.backends["tautpath"] = found


if __name__ == "__main__":
    print(write_metadata(Path(sys.argv[1])))
