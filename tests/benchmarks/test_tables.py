"""The tables of the benchmarks hold what they say, on graphs that take no time or with
times that are given.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from solvers.core.problem import Phases
from solvers.core.variant import Answers, find_variant
from solvers.devices.device import Device
from solvers.errors import InputError, TautpathError
from tests.benchmarks import (
    all_sources,
    automatic,
    cluster,
    fitting,
    hierarchies,
    networkx_backend,
    networkx_thresholds,
    prepared,
    solving,
)
from tests.benchmarks.cluster import ClusterCost
from tests.benchmarks.graphs import graph_of, start_of
from tests.benchmarks.hierarchies import Measured
from tests.benchmarks.kinds import all_kinds
from tests.benchmarks.large_matrices import Contender, contenders
from tests.benchmarks.solving import PREDICTED, measured, row
from tests.data import data_file
from tests.solvers.features.networkx_backend.entry_points import registered


@pytest.mark.openmp
def test_a_part_and_the_whole(capsys: pytest.CaptureFixture[str]) -> None:
    assert all_sources.main(["grid:12x12", "--device", "none", "--sources", "100", "--whole"]) == 0
    said = capsys.readouterr().out
    for words in ("hierarchy:", "processor", "Diameter", "rows proved", "all sources with proofs"):
        assert words in said


@pytest.mark.openmp
@pytest.mark.parametrize("module", [all_sources, cluster])
def test_graphs_that_cannot_be_read(module: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert module.main(["nowhere.gr"]) == 2
    assert "nowhere.gr" in capsys.readouterr().err


def test_the_table_compares_with_the_first_number_of_workers(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        cluster,
        "_measure",
        lambda graph, count, device: ClusterCost(8 / count, 8, 1, 5, 8, 10**6, 0),
    )
    assert cluster.main(["grid:12x12", "--workers", "1,4"]) == 0
    said = capsys.readouterr().out
    assert "144 vertices" in said
    rows = [line.split() for line in said.splitlines() if line.split()[:1] in (["1"], ["4"])]
    assert [row[:4] for row in rows] == [["1", "8.00", "s", "1.00"], ["4", "2.00", "s", "4.00"]]
    task, result = said.split("a task: ")[1].split("; the result of a source: ")
    assert task.endswith((" bytes", " B"))
    assert 20 < float(result.split()[0]) < 22


@pytest.mark.parametrize(
    ("spec", "vertices", "arcs"),
    [
        ("road:500", 500, None),
        ("road:500:lattice", 500, None),
        ("rmat:7", 128, 2048),
        ("rmat:7:5", 128, 640),
        ("grid:3x5", 15, 44),
        ("random:9:4", 9, 36),
    ],
)
def test_a_family_and_its_size(spec: str, vertices: int, arcs: int | None) -> None:
    graph = graph_of(spec)
    assert graph.n == vertices
    assert arcs is None or graph.m == arcs


@pytest.mark.parametrize(
    "spec",
    [
        "road:many",
        "road:500:",
        "road:500:hexagons",
        "grid:30",
        "rmat:",
        "random:10",
        "ring:10",
        "nowhere.gr",
    ],
)
def test_what_cannot_be_made_is_told(spec: str) -> None:
    with pytest.raises(TautpathError):
        graph_of(spec)


def test_weights_are_chosen_as_on_the_command_line(tmp_path) -> None:
    file = tmp_path / "four.txt"
    file.write_text("".join(f"{i} {(i + 1) % 200}\n" for i in range(200)))
    for spec in ("rmat:7", str(file)):
        weights = graph_of(spec, "random:50:60:7").weights
        assert 50 <= weights.min() < weights.max() <= 60
        assert np.array_equal(weights, graph_of(spec, "random:50:60:7").weights)
        assert set(graph_of(spec, "unit").weights.tolist()) == {1}
    with pytest.raises(InputError, match="its lengths"):
        graph_of("road:500", "unit")


def test_both_arcs_of_an_edge_weigh_the_same() -> None:
    graph = graph_of(str(data_file("other/pace16-FLA.gr.gz")), "random:1:1000:7")
    back = graph.reverse
    assert (graph.n, graph.m) == (1_070_376, 2_687_902)
    assert np.array_equal(graph.indices, back.indices)
    assert np.array_equal(graph.weights, back.weights)


def test_where_to_start() -> None:
    grid = graph_of("grid:5x7")
    assert grid.coordinates.xy.max(axis=0).tolist() == [6, 4], "rows come before columns"
    assert start_of(grid, "centre") == 2 * 7 + 3
    assert start_of(grid, "corner") == 0
    rmat = graph_of("rmat:7")
    assert rmat.out_degrees[start_of(rmat, "hub")] == rmat.out_degrees.max()
    assert start_of(rmat, "good") == start_of(rmat, "hub")  # many of its vertices have no arcs
    with pytest.raises(InputError, match="no coordinates"):
        start_of(rmat, "corner")


def test_durations_are_those_of_one_source() -> None:
    name, each, spread, trials, sources = Measured("way", 10, [20.0, 40.0, 30.0]).row()
    assert (name, each, spread, trials, sources) == (
        "way",
        "3.00 ms",
        "2.00 ms – 4.00 ms",
        "3",
        "10",
    )


def test_all_tables_of_one_graph(device: Device, capsys: pytest.CaptureFixture[str]) -> None:
    asked = [
        "grid:12x12",
        "--trials",
        "1",
        "--vs",
        "scipy",
        "--ours",
        "cch-tree",
        "--sources",
        "32",
    ]
    assert hierarchies.main([*asked, "--device", device.key]) == 0
    said = capsys.readouterr().out
    for name in (
        "arcs up",
        "cch-tree",
        "scipy",
        "cch-batch",
        "reduced",
        "rows copied",
        "customising",
    ):
        assert name in said


def test_social_networks_are_left_out_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert hierarchies.main(["random:30000:7", "--device", "none"]) == 0
    assert "without hierarchies" in capsys.readouterr().out


def test_every_number_of_gpus_contends() -> None:
    titles = [one.title for one in contenders(2)]
    assert titles == ["in-core", "1 GPU(s), panels", "2 GPU(s), panels", "streamed"]
    assert [one.title for one in contenders(2, 8.0, in_core=False)] == [
        "2 GPU(s), panels",
        "streamed",
    ]


def test_ratios_are_of_median_solve_times() -> None:
    slow, fast = (
        Contender(name, "fw-blocked", {}, [Phases(1.0, 2.0, ms, 3.0)])
        for name, ms in (("a", 8.0), ("b", 4.0))
    )
    assert fast.row(slow) == (
        "b",
        "1.00 ms",
        "2.00 ms",
        "4.00 ms (4.00 ms – 4.00 ms)",
        "3.00 ms",
        "10.0 ms",
        "2.000",
    )


@pytest.mark.filterwarnings("ignore:Note. conversions to backend graphs:UserWarning")
def test_every_call_and_every_threshold_becomes_a_row(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(networkx_backend, "QUICK_VERTICES", 200)
    monkeypatch.setattr(networkx_thresholds, "_LEAST_S", 0.0)
    # a collection takes 0.4 s beside what other tests have compiled, and this asks for fifty
    monkeypatch.setattr(networkx_backend, "gc", SimpleNamespace(collect=lambda: 0))

    networkx_backend.main(["--quick", "--trials", "1"])
    calls = capsys.readouterr().out.splitlines()
    networkx_thresholds.main(["--trials", "1", "--sizes", "16", "20"])
    thresholds = capsys.readouterr().out.splitlines()[1:]

    assert (calls[0], len(calls)) == (
        "| function | NetworkX | converted | first call | by priority |",
        15,
    )
    assert (thresholds[0], len(thresholds)) == ("| function | 16 | 20 |", 2 + 2 * 7)
    assert all(row.count("×") == 3 for row in calls[2:])
    assert all(row.count("×") == 2 for row in thresholds[2:])


@pytest.mark.filterwarnings("ignore:Note. conversions to backend graphs:UserWarning")
def test_both_sides_of_a_row_are_the_same_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(networkx_backend, "QUICK_VERTICES", 200)
    with registered():
        for call in networkx_backend.calls(quick=True):
            assert call.run(backend="tautpath") == call.run(backend="networkx"), call.name


def test_both_tables_of_one_graph(device: Device, capsys: pytest.CaptureFixture[str]) -> None:
    ids = "sssp-blocked,dijkstra-heap,sssp-near-far-cluster"
    assert (
        prepared.main(["grid:12x12", "--trials", "1", "--variants", ids, "--device", device.kind])
        == 0
    )
    said = [line.split() for line in capsys.readouterr().out.splitlines()]
    lines = [" ".join(words[:2]) for words in said]
    assert "nothing prepared:" in lines
    assert "all prepared:" in lines
    assert [line for line in lines if line.startswith(("sssp-blocked ", "dijkstra-heap "))] == [
        "sssp-blocked uploaded",
        "sssp-blocked stays",
        "dijkstra-heap –",
    ]
    assert next(words for words in said if words[:2] == ["sssp-blocked", "stays"])[-3] == "3"


def test_each_variant_gets_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        solving.main(
            [
                "--quick",
                "--only",
                "dijkstra-heap,dijkstra-bidirectional,dijkstra-apsp-serial",
                "--markdown",
            ]
        )
        == 0
    )
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| dijkstra")]
    assert sum("road-20000" in line for line in lines) == 2, (
        "all pairs of a road network would take hours"
    )
    assert sum("rmat-9" in line for line in lines) == 3
    assert all(line.endswith("| 3 | yes |") for line in lines)


def test_what_was_predicted_stands_beside_what_was_measured() -> None:
    (result,) = measured([find_variant("dijkstra-heap")], graph_of("road:500"), None, trials=3)
    name, graph, predicted, figures, trials, proved = row(result, "road", "CPU")
    assert (name, graph, trials, proved) == ("dijkstra-heap", "road-500-1", "3", "yes")
    assert predicted == "≤ 45.0 ms"
    assert "–" in figures


def test_predictions_are_of_variants_that_exist() -> None:
    for variant_id, kind, place in PREDICTED:
        assert (find_variant(variant_id).answers is Answers.APSP) == (kind == "p2p")
        assert place in ("CPU", "H200")


def test_choices_are_judged_on_kinds_left_out_without_measuring(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    some, raw = all_kinds()[8:12], str(tmp_path / "raw.json")  # small, but not tiny
    monkeypatch.setitem(automatic._GROUPS, "kinds", lambda: some)
    monkeypatch.setattr(fitting, "all_kinds", lambda: some)
    assert automatic.main(["--device", "none", "--rounds", "1", "--raw", raw]) == 0
    measured = capsys.readouterr().out
    monkeypatch.setattr(automatic, "run", None)
    assert automatic.main(["--judge", raw]) == 0
    judged = capsys.readouterr().out
    for graph in some:
        assert f"{graph.name}: " in measured
        assert f"nothing\t{graph.kind}\t1\t" in judged
    assert judged.count("Fitted to the other kinds:") == 1
    assert '"sssp-delta-omp": Costs(' in judged
