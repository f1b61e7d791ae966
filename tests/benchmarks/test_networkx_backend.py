"""The benchmark of the NetworkX backend runs every call with and without it, on a graph that takes no time."""

from __future__ import annotations

import pytest

from tests.benchmarks import networkx_backend, networkx_thresholds
from tests.benchmarks.networkx_backend import main
from tests.solvers.library.networkx_backend.entry_points import registered


@pytest.mark.filterwarnings("ignore:Note. conversions to backend graphs:UserWarning")
def test_every_call_becomes_a_row(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(networkx_backend, "QUICK_VERTICES", 200)

    main(["--quick", "--trials", "1"])

    said = capsys.readouterr().out.splitlines()
    assert said[0] == "| function | NetworkX | converted | first call |"
    assert len(said) == 14
    assert all(row.count("×") == 2 for row in said[2:])


@pytest.mark.filterwarnings("ignore:Note. conversions to backend graphs:UserWarning")
def test_thresholds_have_a_row_for_each_function_and_family(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(networkx_thresholds, "_LEAST_S", 0.0)
    networkx_thresholds.main(["--trials", "1", "--sizes", "16", "20"])

    said = capsys.readouterr().out.splitlines()[1:]
    assert said[0] == "| function | 16 | 20 |"
    assert len(said) == 2 + 2 * 7
    assert all(row.count("×") == 2 for row in said[2:])


@pytest.mark.filterwarnings("ignore:Note. conversions to backend graphs:UserWarning")
def test_both_sides_of_a_row_are_the_same_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(networkx_backend, "QUICK_VERTICES", 200)
    with registered():
        for call in networkx_backend.calls(quick=True):
            assert call.run(backend="tautline") == call.run(backend="networkx"), call.name
