"""Every kernel file compiles for three generations of NVIDIA GPUs, in every weight type, with no GPU here.

A kernel that asks for more ("Compute capability 9.0" in its head) is compiled for those that have it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from solvers.graphs.weights import WEIGHT_TYPES, WeightType
from tests.kernels import KERNEL_FILES, compile_for_cuda, kernel_id, least_compute_capability, needs_architecture

CASES = [
    pytest.param(path, f"sm_{number}", id=f"{kernel_id(path)}-sm_{number}")
    for path in KERNEL_FILES
    for number in (75, 80, 90)
    if number >= needs_architecture(path)
]


@pytest.mark.parametrize("kind", WEIGHT_TYPES.values(), ids=lambda kind: kind.name)
@pytest.mark.parametrize(("path", "architecture"), CASES)
def test_compiles_without_a_warning(path: Path, architecture: str, kind: WeightType) -> None:
    if int(architecture.removeprefix("sm_")) < least_compute_capability(path):
        pytest.skip("the variant says that it needs a newer GPU")
    assert compile_for_cuda(path, kind, architecture) == ""


def test_the_kernels_were_found() -> None:
    assert "bellman_ford/vertex.cu" in map(kernel_id, KERNEL_FILES)
