"""What a user may write with everything that the library has: it runs, and checkers of types
find nothing in it.
"""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path

import numpy as np

from solvers import (
    AllSources,
    Alternatives,
    Device,
    DistanceTable,
    Flows,
    Graph,
    InputError,
    Isochrones,
    NegativeCycle,
    Parameter,
    Paths,
    Reached,
    Result,
    Router,
    ShortestPaths,
    Tabular,
    Tree,
    UnknownVertex,
    Variant,
    Verdict,
    all_sources,
    from_networkx,
    generate,
    list_devices,
    prepare,
    read,
    solve,
    to_networkx,
    variants,
)

EDGES = [("a", "b", 4), ("b", "c", 3), ("a", "c", 9), ("c", "a", 1)]


def main(folder: Path) -> list[str]:
    """What was found, a line each."""
    graph: Graph = read(EDGES)
    again: Graph = from_networkx(to_networkx(graph))
    ids: list[Hashable] = [again.vertex_id(vertex) for vertex in range(again.n)]
    return [
        f"{len(ids)} vertices, mean weight {graph.weights.mean():g}",
        *_solved(graph),
        *_routed(prepare(graph, progress=_hear), folder),
        *_of_all_sources(generate("road", vertices=60, seed=1)),
        *_listed(),
        *_faults(graph),
    ]


def _hear(share: float, stage: str) -> None:
    assert 0 <= share <= 1, stage


def _solved(graph: Graph) -> list[str]:
    answer: ShortestPaths = solve(graph, source="a", target="c")
    found = [f"{answer.distance} by {answer.variant}: {answer.note}"]
    if answer.path is not None:
        length: int | float = answer.path.length
        found.append(f"{list(answer.path)}, {length}, {answer.path.arcs[0][2]}")
    verdict: Verdict | None = answer.verdict
    if verdict is not None and verdict.verified:
        found.append(verdict.text)
    result: Result = solve(graph, "dijkstra-heap", source="a", trials=2, arity=2).result
    every = solve(graph)
    row = every.distances[0]
    found.append(f"{result.variant.title}: {row.sum():g}, {every.distance_between('c', 'b')}")
    return found


def _routed(router: Router, folder: Path) -> list[str]:
    table: DistanceTable = router.table(["a", "b"], ["c"])
    tree: Tree = router.tree("a")
    before: dict[Hashable, Hashable] = tree.to_dict()
    paths: Paths = router.paths([("a", "c"), ("b", "a")])
    ways: Alternatives = router.alternatives("a", "c", 2)
    near: Reached = router.nearest("a", ["b", "c"], k=1)
    answers: list[Tabular] = [table, tree, paths, ways, ways[0], near]
    for i, answer in enumerate(answers):
        written: Path = answer.save(folder / f"{i}.csv")
        assert written.stat().st_size
    names, distances = near
    inside, _ = router.within("a", 5)
    first = paths[0]
    router.update({("a", "b"): 5})
    router.close([("a", "c")])
    return [
        f"{table.max():g} {float(table[0, 0]):g} {np.asarray(table).shape} {table.sources}",
        f"{len(tree)} {before} {tree.distances.max():g} {len(tree.to_series())}",
        f"{first if first is None else len(first)} {paths.distances.sum():g} {ways.note}",
        f"{names[0]} {distances[0]:g} {len(inside)} {router.distance('a', 'c')}",
        f"{len(tree.to_frame())} {router.proofs.proved} {router.note}",
    ]


def _of_all_sources(roads: Graph) -> list[str]:
    found: AllSources = all_sources(roads, ["closeness", "betweenness"], normalized=True)
    flows: Flows | None = found.flows
    places = found.to_geodataframe()
    most = "" if flows is None else f"{flows.arcs.max():g} {len(flows.to_series())}"
    near: Isochrones = prepare(roads).isochrone(1, [500, 1000])
    assert near.vertices[0] <= near.vertices[1] <= len(places), len(near.outline.to_frame())
    return [f"{found.radius} {found.centre[0]} {found.betweenness.max():.3f} {most} {len(places)}"]


def _listed() -> list[str]:
    devices: tuple[Device, ...] = list_devices()
    entries: tuple[Variant, ...] = variants("sssp")
    first: tuple[Parameter, ...] = entries[0].parameters
    return [f"{len(devices)} devices, {len(entries)} variants, {len(first)} parameters"]


def _faults(graph: Graph) -> list[str]:
    found: list[str] = []
    try:
        solve(graph, source="d")
    except UnknownVertex as error:
        found.append(f"no vertex {error.vertex_id}")
    try:
        solve([("a", "b", -2), ("b", "a", 1)], source="a")
    except NegativeCycle as error:
        found.append(f"a cycle of {len(error.vertices)}")
    except InputError as error:
        found.append(str(error))
    return found
