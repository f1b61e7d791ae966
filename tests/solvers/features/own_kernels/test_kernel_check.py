"""The check of a changed kernel: it finds a small graph, and tells the usual faults apart."""

from __future__ import annotations

import pytest

from solvers.core.problem import Problem
from solvers.core.variant import find_variant
from solvers.features.own_kernels import user_process
from solvers.features.own_kernels.kernel_check import Looks, _Solver, check, first_deviation
from solvers.features.own_kernels.user_variants import ChangedKernel, UserVariant, base_of
from tests.graphs import at_random
from tests.quick import only_quick

BASE = "bf-edge-flags"
OFFER = "if (offer(distance, head, distance[tail] + weights[arc], floor, state, pass)) {"
FAULTS = {
    Looks.LOST_UPDATE: (
        OFFER,
        (
            "dist_t c = distance[tail] + weights[arc];\n"
            " if (c < distance[head]) {\n"
            " distance[head] = c;"
        ),
    ),
    Looks.STALE_FLAG: ("active[v] = next[v];", "active[v] = next[v] && v % 3 != 2;"),
    Looks.MISSING_PASS: ("state[LAST_CHANGE] = pass;", "if (pass < 3) state[LAST_CHANGE] = pass;"),
    Looks.TOO_SMALL: ("weights[arc], floor", "weights[arc] / 2, floor"),
    Looks.FAILED: ("next[head] = 1;", "next[(index_t)head * 4096000000 + 4096000000] = 1;"),
}


def own(old: str = "", new: str = "") -> UserVariant:
    return ChangedKernel(
        BASE, base_of(BASE)[1].read_text("utf-8").replace(old, new), "mine", "mine.cu"
    ).variant()


@pytest.mark.parametrize("looks", only_quick(FAULTS, (Looks.STALE_FLAG, Looks.FAILED)))
def test_the_smallest_failing_graph_and_the_fault_are_found(device, looks):
    if looks is Looks.FAILED and device.kind == "cuda":
        pytest.skip("a write that far out of bounds may not be noticed")
    report = check(own(*FAULTS[looks]), find_variant(BASE), device, graphs=30, seed=1)
    found = report.deviation
    assert found.looks is looks, found.sentences
    assert found.graph.n <= 6  # a stale flag of vertex 5
    assert found.graph.m <= 5
    if looks is Looks.FAILED:
        assert "crashed" in found.sentences[0]
        return
    assert found.vertex in found.wrong
    assert found.iteration is not None
    assert found.sentences[0].startswith(f"Vertex {found.graph.vertex_id(found.vertex)} has ")
    if looks in (Looks.LOST_UPDATE, Looks.STALE_FLAG):
        assert found.arc is not None
        assert found.iteration <= found.iterations


def test_some_graphs_have_paths_of_many_arcs(monkeypatch):
    sizes = []
    monkeypatch.setattr(_Solver, "deviation", lambda _, arcs: sizes.append(arcs.n))
    check(own(), find_variant(BASE), None)
    assert max(sizes) > 100
    assert sum(n < 30 for n in sizes) > len(sizes) / 2


def test_a_right_kernel_is_right_on_all_types(device):
    report = check(own(), find_variant(BASE), device, graphs=4)
    assert report.deviation is None
    assert set(report.types) | set(report.skipped) == {"int32", "int64", "float64"}


def test_a_deviation_on_a_graph_of_the_users_names_the_first_iteration(device, monkeypatch):
    graph = at_random(300, 900, 5, low=1)
    broken = own(*FAULTS[Looks.STALE_FLAG])
    problem = Problem(graph, 0, device=device)
    started, start = [], user_process.UserProcess
    monkeypatch.setattr(
        user_process, "UserProcess", lambda *given: started.append(given) or start(*given)
    )
    found = first_deviation(broken, find_variant(BASE), problem)
    assert len(started) == 1
    assert "wrote it last" in found.wrote
    assert (found.got[found.wrong] > found.expected[found.wrong]).all()
    assert 1 <= (found.iteration or 0) <= found.iterations
    assert first_deviation(own(), find_variant(BASE), problem) is None
    assert len(started) == 2


def test_the_command_writes_the_smallest_graph(tautpath, tmp_path):
    path = tmp_path / "mine.cu"
    path.write_text(base_of(BASE)[1].read_text("utf-8").replace(*FAULTS[Looks.STALE_FLAG]))
    assert (
        tautpath("check", path, "--against", BASE, "--write-graph", tmp_path / "small.gr")[0] == 1
    )
    assert (tmp_path / "small.gr").is_file()
