"""Every kernel file compiles for three generations of NVIDIA GPUs, in the weight types
of the run, with no GPU here.

A kernel that asks for more ("Compute capability 9.0" in its head) is compiled for those
that have it. All types are compiled for the oldest of its generations, which has the
fewest instructions; int32 for the others too, by ``make test-all``.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from solvers.graphs.weights import DISTANCE_TYPES, INT32, WeightType
from tests.kernels import (
    KERNEL_FILES,
    compile_for_cuda,
    kernel_id,
    least_compute_capability,
    needs_architecture,
)
from tests.weight_types import chosen_types

ARCHITECTURES = (75, 80, 90)


def _cases() -> list[object]:
    cases: list[object] = []
    kinds = [kind for kind in DISTANCE_TYPES if kind.name in chosen_types()]
    for path in KERNEL_FILES:
        least = max(needs_architecture(path), least_compute_capability(path))
        suitable = [number for number in ARCHITECTURES if number >= least]
        for number in suitable:
            is_oldest = number == suitable[0]
            for kind in kinds if is_oldest else (INT32,):
                name = f"{kernel_id(path)}-sm_{number}-{kind.name}"
                marks = () if is_oldest else (pytest.mark.slow,)
                cases.append(pytest.param(path, f"sm_{number}", kind, id=name, marks=marks))
    return cases


@pytest.mark.parametrize(("path", "architecture", "kind"), _cases())
def test_compiles_without_a_warning(path: Path, architecture: str, kind: WeightType) -> None:
    assert compile_for_cuda(path, kind, architecture) == ""


def test_the_kernels_were_found() -> None:
    names = [kernel_id(path) for path in KERNEL_FILES]
    assert "bellman_ford/vertex.cu" in names
    assert "solvers/features/all_sources/flows/device_flows.cu" in names


def test_no_kernel_returns_before_a_barrier() -> None:
    """PoCL takes such a return wrongly; LEAVE_BLOCK ends a block."""
    for path in KERNEL_FILES:
        text = path.read_text(encoding="utf-8")
        for kernel in re.findall(r"^KERNEL .*?^}", text, re.DOTALL | re.MULTILINE):
            before, _, _ = kernel.rpartition("__syncthreads();")
            assert not re.search(r"\breturn\b", before), kernel_id(path)
