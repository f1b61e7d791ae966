"""`all_sources`: eccentricity, closeness and reach of every vertex."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from solvers.devices import find_sweep_device
from solvers.devices.device import Device
from solvers.errors import InputError, ParameterError, WrongAnswer
from solvers.features.all_sources.request import (
    OWNER,
    PREPARING,
    TARGET,
    AllSourcesRequest,
    find_vertices,
)
from solvers.library.graphs import read
from solvers.library.progress import Report, watched
from solvers.system.warned import warn

if TYPE_CHECKING:
    from solvers.features.all_sources.answer import AllSources


def all_sources(
    graph: object,
    reduce: Iterable[str] = ("eccentricity", "closeness"),
    *,
    budget: float | str | None = None,
    direction: str = "out",
    wasserman_faust: bool = False,
    threads: int = 0,
    device: str | Device | None = "auto",
    bins: str | tuple[int, float] = "powers",
    sources: int | Iterable[Hashable] | None = None,
    masses: ArrayLike | None = None,
    resume: str | os.PathLike[str] | None = None,
    cluster: object = None,
    rows_to: str | os.PathLike[str] | None = None,
    targets: Iterable[Hashable] | None = None,
    progress: bool | Report | None = None,
    cutoff: float | str | None = None,
    normalized: bool = False,
) -> AllSources:
    """Compute numbers of every vertex from its distances to all others, without holding the matrix.

    Parameters
    ----------
    graph : Graph, or anything that `read` takes
    reduce : iterable of str
        "eccentricity", "closeness", "reach", "histogram", "betweenness". Radius,
        diameter and centre come with every run.
    budget : float or str, optional
        For "reach": the greatest distance that counts; for "betweenness": the longest
        path. "5min" and "2km" have their unit with them; a number is in metres or
        seconds for a road network of OpenStreetMap, else in the file's unit.
    direction : str
        "out" for distances from a vertex to the others, "in" for those to it.
    wasserman_faust : bool
        Multiply closeness by the share of the other vertices that are reached.
    threads : int
        0 for all cores.
    device : str, Device or None
        "auto" sweeps on an NVIDIA GPU if there is one and separators are small; "none"
        or None on the processor's threads; or as in `solve`. On a cluster
        "auto", "cuda" for workers with GPUs only, or "none".
    bins : str or (int, float)
        For "histogram": "powers" begins bins at 0, 1, 2, 4, ..., "powers:0.5" at 0,
        0.5, 1, 2, ...; (50, 1000) or "50:1000" are 50 bins that begin at 0, 1000, ...
        The last bin has no end. Units are those of the budget.
    sources : int, or iterable of vertex ids, optional
        Computes the numbers of these vertices only; so many, if it is a number, drawn
        at random, the same ones in every call. Betweenness of the whole graph is
        estimated from a number of sources.
    masses : (n,) array-like, optional
        For "betweenness": what each vertex sends and receives, such as its population,
        in the order of ``graph.ids``; a path counts the product of those of its ends. 1
        each by default.
    resume : str or Path, optional
        File that keeps finished sources; an interrupted run with the same file goes on
        from it.
    cluster : str, distributed.Client, a cluster of Dask, or Connection, optional
        Computes on several processes or machines: "local" or "local:4" for worker
        processes of this machine, "tcp://host:8786" for a Dask scheduler that runs,
        "slurm:4" for jobs of a batch system, as Dask's configuration describes them; or
        a client or cluster of yours. Needs the extra ``cluster``. A script that starts
        local workers has its calls under ``if __name__ == "__main__"``.
    rows_to : str or Path, optional
        With a cluster: folder of a Zarr array for the distances, which is never held
        whole.
    targets : iterable of vertex ids, optional
        For "betweenness" and "closeness": the vertices to which paths and distances
        count. With ``rows_to``: those to which distances are kept.
    progress : bool or callable
        True shows a bar on stderr; a function is called with the share that is done, 0
        to 1, and the name of the stage, in the thread that computes.
    cutoff : float or str, optional
        For "betweenness" and "closeness": the longest path and the greatest distance
        that count, as a budget; of betweenness the ``budget`` by default.
    normalized : bool
        Betweenness of vertices as a share of the pairs of other vertices, as NetworkX's
        ``normalized=True``; not with masses and targets.

    Returns
    -------
    AllSources
        With ``eccentricity``, ``closeness``, ``values("reach")``, ``betweenness``,
        ``histogram``, ``flows``, ``radius``, ``diameter``, ``diameter_ends`` and ``centre``. Arrays
        are in the order of ``sources``, which are all of ``graph.ids`` unless some were
        chosen; vertices are named by their ids.
        Distances in a road network of OpenStreetMap are in metres or seconds, otherwise
        in the unit of the weights.

    Raises
    ------
    UnknownName
        For a reduction or a direction that does not exist; names the choices.
    InputError, ParameterError
        For a graph without vertices, no sources, and a budget that is missing or
        negative.
    UnknownVertex
        For a source or target that the graph does not have.
    NegativeCycle
        If the graph has one.
    UnsuitableGraph, OutOfMemory, DeviceUnavailable, FileNotWritten
    ClusterUnavailable, PackageMissing
        For a cluster.

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
    if cluster is None and rows_to is not None:
        raise InputError('rows_to needs a cluster, such as cluster="local".')
    if cluster is not None and (cutoff is not None or (targets is not None and rows_to is None)):
        raise InputError("A cluster computes with all distances: leave cutoff and targets out.")
    if isinstance(sources, str):
        words = "it takes a number of vertices, or a list of ids"
        raise ParameterError("all_sources", "sources", sources, words)
    whole = read(graph)
    kept = None if targets is None or cluster is None else find_vertices(whole, targets, TARGET)
    request = AllSourcesRequest.of(
        whole,
        reduce,
        budget=budget,
        cutoff=cutoff,
        direction=direction,
        bins=bins,
        sources=sources,
        targets=targets if cluster is None else None,
        masses=masses,
        corrected=wasserman_faust,
        normalized=normalized,
        threads=threads,
        state=None if resume is None else _path_of("resume", resume),
    )
    if cluster is None:
        with watched(progress, OWNER) as watch, request.ordered_ahead(watch(PREPARING)):
            request = replace(request, device=find_sweep_device(device))
            request.compile_kernels()
            # imported here: METIS works, and a GPU's compiler, meanwhile
            from solvers.features.all_sources.run import run_all_sources

            found = run_all_sources(request, watch)
    else:
        # imported here: few calls need a cluster
        from solvers.features.all_sources.on_cluster.run import ClusterChoices, run_on_cluster
        from solvers.features.clusters.connection import Connection, connected

        on = device if isinstance(device, str) else "none"
        folder = None if rows_to is None else _path_of("rows_to", rows_to)
        more = ClusterChoices(folder, kept, on)
        with (
            nullcontext(cluster)
            if isinstance(cluster, Connection)
            else connected(cluster) as connection,
            watched(progress, OWNER) as watch,
        ):
            found = run_on_cluster(request, connection, more, watch)
    if not found.verified:
        warn(f"all_sources: {found.verdict.text}", WrongAnswer)
    return found


def _path_of(name: str, value: str | os.PathLike[str]) -> Path:
    try:
        return Path(value)
    except TypeError:
        raise ParameterError("all_sources", name, value, "it takes a file name") from None
