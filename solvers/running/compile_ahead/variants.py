"""Rehearsal of variants: run each on a small graph, from the first warm-up to verification, path and trace."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

import resources
from solvers.contracts import catalog
from solvers.contracts.availability import availability
from solvers.contracts.catalog import Variant
from solvers.devices.base import Device
from solvers.graphs.graph import Graph
from solvers.running.plan import MeasurementPlan
from solvers.running.runner import Choice, RunRequest, run

# The variants that are ticked at the first start.
FIRST = ("bf-edge-flags", "bf-strided-flag", "dijkstra-heap")
_PLAN = MeasurementPlan(warmups=0, trials=1)
_FOLDER = resources.FOLDER / "samples"

Report = Callable[[int, int, str], None]  # stages done, stages in total, what comes next


def rehearse_first(device: Device | None, report: Report) -> None:
    """Run the variants that are ticked at the first start."""
    _rehearse([v for v in catalog.variants() if v.id in FIRST], sample("harbour.gr.gz"), device, report)


def rehearse_others(device: Device | None, report: Report) -> None:
    """Run all others that can run here."""
    _rehearse([v for v in catalog.variants() if v.id not in FIRST], sample("textbook.gr"), device, report)


def _rehearse(variants: Sequence[Variant], graph: Graph, device: Device | None, report: Report) -> None:
    able = [variant for variant in variants if availability(variant, graph, device).available]
    for done, variant in enumerate(able):
        report(done, len(able), variant.full_title)
        for _ in run(RunRequest(graph, 0, graph.n - 1, (Choice(variant),), device, _PLAN, trace=True)):
            pass  # a variant that fails here tells so when the user runs it


def sample(name: str) -> Graph:
    """A sample graph, parsed in plain Python: its reader's functions are being compiled in another process."""
    path: Path = _FOLDER / name
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    arcs = [line.split() for line in content.decode().splitlines() if line.startswith("a ")]
    columns = np.array([[int(number) for number in arc[1:4]] for arc in arcs], np.int64)
    ids, ends = np.unique(columns[:, :2], return_inverse=True)
    ends = ends.reshape(-1, 2).astype(np.int32)
    return Graph.from_arcs(
        len(ids), ends[:, 0], ends[:, 1], columns[:, 2].astype(np.int32), ids=ids, name=name.partition(".")[0]
    )
