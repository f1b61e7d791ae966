"""`variants`, `list_devices` and `solve`: list algorithms and devices, and solve a
problem with one of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from solvers.algorithms.auto.table import count_questions
from solvers.core.result import Result, Status
from solvers.core.variant import Answers, Variant, all_variants, find_variant
from solvers.devices import discover
from solvers.devices.device import Device
from solvers.displays import mime_bundle
from solvers.errors import InputError, OptionNotApplicable, ParameterError, UnknownName, WrongAnswer
from solvers.graphs.labelled import has_tuples
from solvers.graphs.places import RoadEnds, with_places
from solvers.graphs.searched import searched_graph
from solvers.library.graphs import READ_OPTIONS, read
from solvers.library.progress import Report, Watch, watched
from solvers.library.shortest_paths import ShortestPaths
from solvers.running.request import (
    Choice,
    MeasurementPlan,
    RunListener,
    RunProgress,
    RunRequest,
    find_device,
)
from solvers.system.warned import warn
from solvers.verification.sample import Verify, proof_plan

AUTOMATIC = {Answers.TARGET: "auto-target", Answers.SSSP: "auto", Answers.APSP: "auto-apsp"}


class Variants(tuple[Variant, ...]):
    """A tuple of variants, which notebooks show as a table."""

    _repr_mimebundle_ = mime_bundle

    def __repr__(self) -> str:
        width = max((len(entry.id) for entry in self), default=0)
        return "\n".join(f"{entry.id:<{width}}  {entry.title}" for entry in self)


def variants(answers: str | None = None) -> Variants:
    """List the algorithm variants that `solve` accepts.

    Parameters
    ----------
    answers : str, optional
        Only those for one kind of problem: "target" (one path), "sssp" (from one
        source), "apsp" (all pairs).

    Returns
    -------
    tuple of Variant
        Each with ``id``, ``title``, ``idea``, ``runs_on``, ``parameters``, ``papers``
        and more.

    Raises
    ------
    UnknownName
        For any other string.

    Examples
    --------
    >>> from solvers import variants
    >>> "dijkstra-heap" in [variant.id for variant in variants("sssp")]
    True
    """
    known = [kind.value for kind in Answers]
    if answers is not None and answers not in known:
        raise UnknownName("kind of problem", str(answers), known)
    return Variants(entry for entry in all_variants() if answers in (None, entry.answers.value))


def list_devices() -> tuple[Device, ...]:
    """List the devices that run kernels, each with ``key``, ``kind``, ``name``,
    ``driver``, ``total_bytes`` and more.

    Returns
    -------
    tuple of Device
        NVIDIA GPUs first, then others, then processors; empty if there is none. Any of
        them, or its ``key``, is a ``device`` of `solve`.

    Examples
    --------
    >>> from solvers import list_devices
    >>> keys = [device.key for device in list_devices()]
    """
    return discover().devices


def solve(
    graph: object,
    variant: str | Variant = "auto",
    *,
    source: Hashable = None,
    target: Hashable = None,
    sources: Iterable[Hashable] | None = None,
    device: str | Device | None = "auto",
    trials: int | None = 1,
    warmup: int | None = 0,
    verify: bool | Verify = "sample",
    progress: bool | Report | None = None,
    **parameters: bool | int | float | str,
) -> ShortestPaths:
    """Find shortest paths, measure the time and verify the answer.

    Parameters
    ----------
    graph : Graph, or anything that `read` takes
    variant : str or Variant
        Id of a variant (`variants` lists them). "auto" chooses by problem, graph and
        machine: one path if source and target are given, from one source if only the
        source is, all pairs if neither is.
    source, target : vertex ids, or (latitude, longitude), optional
        Ids in the graph's file, or nodes of the NetworkX graph; in a network with
        longitudes and latitudes also places, which stand for the nearest points of roads:
        the graph of the answer has these as further vertices (`ShortestPaths.points`).
        Single-source variants need the source; one-path variants need both.
    sources : iterable of vertex ids or places, optional
        Many sources, for "auto" alone: a block of rows, by a hierarchy where so many
        questions make it pay, as all pairs are without a GPU.
    device : str, Device or None
        Device that runs kernels: "auto" (the fastest kind found), "cuda", "opencl",
        "cuda:1", ...; None for none. Variants for the processor need none.
    trials, warmup : int
        Timed runs, and untimed ones before them; None makes as many as needed (see
        `MeasurementPlan`). Without warm-up, a graph of two vertices is solved first, so
        that times include no compilation.
    verify : str or bool
        "sample" proves the answer; of many sources, and of all pairs that a hierarchy
        answers, a seeded share of the rows, of other pairs a share where the proof of all
        takes long. "all" or True proves every row
        of many sources, too; "none" or False nothing.
    progress : bool or callable
        True shows a bar on stderr; a function is called with the share that is done, 0
        to 1, and the name of the stage, in the thread that computes.
    **parameters
        The variant's parameters, overriding its defaults: ``solve(g, "bf-strided",
        source=1, block=128)``.

    Returns
    -------
    ShortestPaths

    Raises
    ------
    UnknownName, UnknownVertex
        For a variant, parameter or vertex that does not exist; names similar ones.
    ParameterError
        For a value outside its range, and as in `read`.
    NoRoadNear
        For a place more than 10 km from any road.
    InputError
        If the variant needs a source or a target and none is given, and for what does
        not go with ``sources``.
    NegativeCycle
        If a negative cycle is reachable from the source, so that no shortest paths
        exist; its ``ids`` are the cycle's vertices in order.
    UnsuitableGraph
        If the variant is not defined on the graph, such as Dijkstra's algorithm on
        negative weights.
    DeviceUnavailable, MpiUnavailable, OutOfMemory
        If the variant cannot run on this machine.

    Warns
    -----
    WrongAnswer
        If the verification fails, which may happen with variants that are racy by
        design. The answer is returned nevertheless: ``verified`` is False, ``verdict``
        describes the error, and there are no paths.

    Examples
    --------
    >>> from solvers import solve
    >>> rows = [0, 2, 3, 3], [1, 2, 2], [4, 9, 3]
    >>> answer = solve(rows, "dijkstra-heap", source=0, target=2, arity=2)
    >>> answer.distance, answer.path, answer.verified
    (7, [0, 1, 2], True)
    >>> answer.distances
    array([0., 4., 7.])
    """
    whole, plan = read(graph), proof_plan(verify, "solve")
    if sources is not None:
        if (
            variant != "auto"
            or parameters
            or (source, target, trials, warmup) != (None, None, 1, 0)
        ):
            raise InputError("sources= goes with device= and verify= only; the method is chosen.")
        # with a router's modules, which one source does not need
        from solvers.library.source_rows import solve_rows

        if has_tuples(sources):
            whole, starts, _ = with_places(whole, [*sources])
            sources = [whole.vertex_id(start) for start in starts if start is not None]
        with watched(progress, "solve") as watch:
            return _answer(*solve_rows(whole, sources, device, plan, watch))
    entry = _entry(variant, source, target)
    found = find_device(device, [entry])
    if variant == "auto":
        is_plain = not parameters and (trials, warmup, device) in ((1, 0, "auto"), (1, 0, None))
        on_processor = found is None or found.is_cpu
        if entry.answers is Answers.APSP and is_plain and on_processor:
            from solvers.library.source_rows import hierarchy_pays, solve_rows

            searched = searched_graph(whole).searched
            if not searched.has_negative_weights and hierarchy_pays(searched, None, whole.n):
                with watched(progress, "solve") as watch:
                    return _answer(*solve_rows(whole, None, None, plan, watch))
        count_questions(searched_graph(whole).searched)
    for name in sorted(READ_OPTIONS & parameters.keys()):
        reason = f"It is for reading: solve(read(graph, {name}={parameters[name]!r}), …)"
        raise OptionNotApplicable(name, parameters[name], "solve", reason)
    whole, (start, end), points = with_places(whole, (source, target))
    request = RunRequest(
        whole,
        source=start,
        target=end,
        choices=(Choice(entry, parameters),),
        device=found,
        plan=MeasurementPlan(warmup, trials),
        verify=plan != "none",
        tree=False,  # see `ShortestPaths._predecessors`
    )
    from solvers.running.run import run

    with watched(progress, "solve") as watch:
        (result,) = run(request, listener=_Listener(watch))
    return _answer(result, points=(points[0], points[1]))


class _Listener(RunListener):
    def __init__(self, watch: Watch):
        self._watch = watch

    def progress(self, progress: RunProgress) -> None:
        self._watch(progress.stage).checkpoint(progress.fraction, 1)


def _answer(
    result: Result, sources: tuple[int, ...] = (), points: RoadEnds = (None, None)
) -> ShortestPaths:
    if result.verdict is not None and not result.verdict.verified:
        warn(f"{result.variant.id}: {result.verdict.text}", WrongAnswer)
    if result.status is not Status.OK:
        raise _fault(result)
    return ShortestPaths(result, sources, points)


def _entry(variant: str | Variant, source: Hashable, target: Hashable) -> Variant:
    if isinstance(variant, Variant):
        return variant
    if not isinstance(variant, str):
        raise ParameterError("solve", "variant", variant, "it takes an id or a Variant")
    if variant != "auto":
        return find_variant(variant)
    if target is not None:
        return find_variant(AUTOMATIC[Answers.TARGET])
    return find_variant(AUTOMATIC[Answers.APSP if source is None else Answers.SSSP])


def _fault(result: Result) -> Exception:
    """The exception that ended the run; an unexpected one has its original traceback
    attached as a note.
    """
    assert result.fault is not None  # every status but OK has one
    if result.traceback:
        result.fault.add_note(result.traceback)
    return result.fault
