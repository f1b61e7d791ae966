"""The table of `tests.benchmarks.large_matrices`; its times are measured by hand."""

from __future__ import annotations

from solvers.core.problem import Phases
from tests.benchmarks.large_matrices import Contender, contenders


def test_every_number_of_gpus_contends() -> None:
    titles = [one.title for one in contenders(2)]
    assert titles == ["in-core", "1 GPU(s), panels", "2 GPU(s), panels", "streamed"]
    assert [one.title for one in contenders(2, 8.0, in_core=False)] == ["2 GPU(s), panels", "streamed"]


def test_ratios_are_of_median_solve_times() -> None:
    slow, fast = (
        Contender(name, "fw-blocked", {}, [Phases(1.0, 2.0, ms, 3.0)]) for name, ms in (("a", 8.0), ("b", 4.0))
    )
    assert fast.row(slow) == ("b", "1.00 ms", "2.00 ms", "4.00 ms (4.00 ms – 4.00 ms)", "3.00 ms", "10.0 ms", "2.000")
