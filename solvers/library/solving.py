"""`variants` and `solve`: list the algorithms, and solve a problem with one of them."""

from __future__ import annotations

import warnings
from collections.abc import Hashable

from solvers.contracts import catalog
from solvers.contracts.catalog import Answers, Variant
from solvers.contracts.results import Result, Status
from solvers.devices.base import Device
from solvers.errors import WrongAnswer
from solvers.library.graphs import read
from solvers.library.shortest_paths import ShortestPaths
from solvers.running.device_choice import find_device
from solvers.running.plan import MeasurementPlan
from solvers.running.runner import Choice, RunRequest, run

AUTOMATIC = {Answers.TARGET: "auto-target", Answers.SSSP: "auto", Answers.APSP: "auto-apsp"}


def variants(answers: str | None = None) -> tuple[Variant, ...]:
    """List the algorithm variants that `solve` accepts.

    Parameters
    ----------
    answers : str, optional
        Only those for one kind of problem: "target" (one path), "sssp" (from one source), "apsp" (all pairs).

    Returns
    -------
    tuple of Variant
        Each with ``id``, ``title``, ``idea``, ``runs_on``, ``parameters``, ``papers`` and more.

    Raises
    ------
    ValueError
        For any other string.

    Examples
    --------
    >>> from solvers import variants
    >>> "dijkstra-heap" in [variant.id for variant in variants("sssp")]
    True
    """
    question = None if answers is None else Answers(answers)
    return tuple(entry for entry in catalog.variants() if question in (None, entry.answers))


def solve(
    graph: object,
    variant: str | Variant = "auto",
    *,
    source: Hashable = None,
    target: Hashable = None,
    device: str | Device | None = "auto",
    trials: int | None = 1,
    warmup: int | None = 0,
    **parameters: bool | int | float | str,
) -> ShortestPaths:
    """Find shortest paths, measure the time and verify the answer.

    Parameters
    ----------
    graph : Graph, or anything that `read` takes
    variant : str or Variant
        Id of a variant (`variants` lists them). "auto" chooses by problem, graph and machine: one path if source and
        target are given, from one source if only the source is, all pairs if neither is.
    source, target : vertex ids, optional
        Ids in the graph's file, or nodes of the NetworkX graph. Single-source variants need the source; one-path
        variants need both.
    device : str, Device or None
        Device that runs kernels: "auto" (the fastest kind found), "cuda", "opencl", "cuda:1", ...; None for none.
        Variants for the processor need none.
    trials, warmup : int
        Timed runs, and untimed ones before them; None makes as many as needed (see `MeasurementPlan`). Without warm-up,
        a graph of two vertices is solved first, so that times include no compilation.
    **parameters
        The variant's parameters, overriding its defaults: ``solve(g, "bf-strided", source=1, block=128)``.

    Returns
    -------
    ShortestPaths

    Raises
    ------
    UnknownName, UnknownVertex
        For a variant, parameter or vertex that does not exist; names similar ones.
    ParameterError
        For a value outside its range, and as in `read`.
    InputError
        If the variant needs a source or a target and none is given.
    NegativeCycle
        If a negative cycle is reachable from the source, so that no shortest paths exist; its ``ids`` are the cycle's
        vertices in order.
    UnsuitableGraph
        If the variant is not defined on the graph, such as Dijkstra's algorithm on negative weights.
    DeviceUnavailable, MpiUnavailable, OutOfMemory
        If the variant cannot run on this machine.

    Warns
    -----
    WrongAnswer
        If the verification fails, which may happen with variants that are racy by design. The answer is returned
        nevertheless: ``verified`` is False, ``verdict`` describes the error, and there are no paths.

    Examples
    --------
    >>> from solvers import solve
    >>> answer = solve(([0, 2, 3, 3], [1, 2, 2], [4, 9, 3]), "dijkstra-heap", source=0, target=2, arity=2)
    >>> answer.distance, answer.path, answer.verified
    (7, [0, 1, 2], True)
    >>> answer.distances
    array([0., 4., 7.])
    """
    whole = read(graph)
    entry = _entry(variant, source, target)
    request = RunRequest(
        whole,
        source=None if source is None else whole.vertex(source),
        target=None if target is None else whole.vertex(target),
        choices=(Choice(entry, parameters),),
        device=find_device(device, [entry]) if isinstance(device, str) else device,
        plan=MeasurementPlan(warmup, trials),
    )
    (result,) = run(request)
    if result.verdict is not None and not result.verdict.verified:
        warnings.warn(f"{entry.id}: {result.verdict.text}", WrongAnswer, stacklevel=2)
    if result.status is not Status.OK:
        raise _fault(result)
    return ShortestPaths(result)


def _entry(variant: str | Variant, source: Hashable, target: Hashable) -> Variant:
    if isinstance(variant, Variant):
        return variant
    if variant != "auto":
        return catalog.find(variant)
    if target is not None:
        return catalog.find(AUTOMATIC[Answers.TARGET])
    return catalog.find(AUTOMATIC[Answers.APSP if source is None else Answers.SSSP])


def _fault(result: Result) -> Exception:
    """The exception that ended the run; an unexpected one has its original traceback attached as a note."""
    assert result.fault is not None  # every status but OK has one
    if result.traceback:
        result.fault.add_note(result.traceback)
    return result.fault
