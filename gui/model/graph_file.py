"""The file of the open graph, and how it was read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from solvers.running.store.kept_run import ReadingOptions


@dataclass(frozen=True)
class GraphFile:
    """A graph file and the options that it is read with."""

    path: Path
    reading: ReadingOptions
