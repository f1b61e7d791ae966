"""`all_sources`: eccentricity, closeness and reach of every vertex."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from pathlib import Path

from solvers.errors import WrongAnswer
from solvers.library.graphs import read
from solvers.running.all_sources.outcome import AllSources
from solvers.running.all_sources.reductions import find_reductions
from solvers.running.all_sources.request import AllSourcesRequest, Direction, find_sweep_device
from solvers.running.all_sources.runner import run_all_sources


def all_sources(
    graph: object,
    reduce: Iterable[str] = ("eccentricity", "closeness"),
    *,
    budget: float | None = None,
    direction: str = "out",
    wasserman_faust: bool = False,
    threads: int = 0,
    device: str = "auto",
    resume: str | os.PathLike[str] | None = None,
) -> AllSources:
    """Compute numbers of every vertex from its distances to all others, without holding the matrix.

    Parameters
    ----------
    graph : Graph, or anything that `read` takes
    reduce : iterable of str
        "eccentricity", "closeness", "reach". Radius, diameter and centre come with every run.
    budget : float, optional
        For "reach": the greatest distance that counts.
    direction : str
        "out" for distances from a vertex to the others, "in" for those to it.
    wasserman_faust : bool
        Multiply closeness by the share of the other vertices that are reached.
    threads : int
        0 for all cores.
    device : str
        "auto" sweeps on an NVIDIA GPU if there is one and separators are small; "none" on the processor's threads;
        or a kind or key, as in `solve`.
    resume : str or Path, optional
        File that keeps finished sources; an interrupted run with the same file goes on from it.

    Returns
    -------
    AllSources
        With ``eccentricity``, ``closeness``, ``values("reach")``, ``radius``, ``diameter``, ``diameter_ends`` and
        ``centre``. Arrays are in the order of ``graph.ids``, and vertices are indices into them.

    Raises
    ------
    UnknownName
        For a reduction that does not exist; names similar ones.
    InputError, ParameterError
        For a graph without vertices, and a budget that is missing or negative.
    NegativeCycle
        If the graph has one.
    UnsuitableGraph, OutOfMemory, DeviceUnavailable, FileNotWritten

    Warns
    -----
    WrongAnswer
        If a sampled row fails the verification.

    Examples
    --------
    >>> import networkx
    >>> from solvers import all_sources
    >>> found = all_sources(networkx.path_graph(5))
    >>> found.eccentricity.tolist(), found.radius, found.diameter, found.diameter_ends
    ([4, 3, 2, 3, 4], 2, 4, (0, 4))
    """
    request = AllSourcesRequest(
        read(graph),
        find_reductions([reduce] if isinstance(reduce, str) else reduce),
        budget,
        Direction(direction),
        wasserman_faust,
        threads,
        find_sweep_device(device),
        None if resume is None else Path(resume),
    )
    found = run_all_sources(request)
    if not found.verdict.verified:
        warnings.warn(f"all_sources: {found.verdict.text}", WrongAnswer, stacklevel=2)
    return found
