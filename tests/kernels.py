"""Compiling kernels for NVIDIA GPUs where there is none: NVRTC needs no driver."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from solvers.core.variant import all_variants
from solvers.devices.device import KernelSource, defines_of
from solvers.devices.kernel import distance_defines, kernel_text
from solvers.graphs.weights import WeightType

ALGORITHMS = Path(__file__).resolve().parent.parent / "solvers" / "algorithms"
KERNEL_FILES = tuple(sorted(ALGORITHMS.rglob("*.cu")))


def kernel_id(path: Path) -> str:
    """``bellman_ford/edge.cu``: how a kernel file is called in test names."""
    return path.relative_to(
        ALGORITHMS if path.is_relative_to(ALGORITHMS) else ALGORITHMS.parents[1]
    ).as_posix()


def needs_architecture(path: Path) -> int:
    """The least compute capability a kernel compiles for, 75 unless its head says
    "Compute capability 9.0".
    """
    stated = re.search(r"Compute capability (\d)\.(\d)", path.read_text(encoding="utf-8"))
    return int("".join(stated.groups())) if stated else 75


def least_compute_capability(path: Path) -> int:
    """What the variant beside the kernel says it needs, times ten."""
    needs = [
        v.compute_capability
        for v in all_variants()
        if kernel_id(path) == f"{v.module.split('.')[2]}/{v.kernel}"
    ]
    return max(needs, default=0)


def compile_for_cuda(path: Path, kind: WeightType, architecture: str, **defines: int | str) -> str:
    """Compile one kernel file with NVRTC; the compiler's log (warnings, or "").

    Parameters
    ----------
    architecture : str
        "sm_75", "sm_80", "sm_90".

    Raises
    ------
    AssertionError
        With the log, where it does not compile.
    """
    return _compiled(path, kind, architecture, defines)[0]


def _writable(size: int) -> bytes:
    """A bytes object that the bindings may write into; of its own even for one byte,
    which Python shares otherwise.
    """
    return bytes(max(2, size))


def ptx_of(path: Path, kind: WeightType, architecture: str, **defines: int | str) -> str:
    """What NVRTC makes of a kernel file; as `compile_for_cuda`."""
    return _compiled(path, kind, architecture, defines)[1]


def _compiled(
    path: Path, kind: WeightType, architecture: str, defines: dict[str, int | str]
) -> tuple[str, str]:
    """(log, PTX)"""
    nvrtc = pytest.importorskip(
        "cuda.bindings.nvrtc", reason="cuda-bindings brings NVRTC to machines without a GPU"
    )
    source = KernelSource.beside(str(path), path.name, **distance_defines(kind), **defines)
    options = [
        "-std=c++17",
        f"-arch={architecture}",
        *_include_options(),
        *defines_of(dict(source.defines)),
    ]
    status, program = nvrtc.nvrtcCreateProgram(
        kernel_text(path).encode(), path.name.encode(), 0, [], []
    )
    assert status == nvrtc.nvrtcResult.NVRTC_SUCCESS, status
    (outcome,) = nvrtc.nvrtcCompileProgram(
        program, len(options), [option.encode() for option in options]
    )
    _, size = nvrtc.nvrtcGetProgramLogSize(program)
    raw = _writable(size)
    nvrtc.nvrtcGetProgramLog(program, raw)
    log = raw.decode(errors="replace").strip("\0 \n")
    assert outcome == nvrtc.nvrtcResult.NVRTC_SUCCESS, (
        f"{kernel_id(path)}, {kind.name}, {architecture}:\n{log}"
    )
    _, size = nvrtc.nvrtcGetPTXSize(program)
    ptx = _writable(size)
    nvrtc.nvrtcGetPTX(program, ptx)
    nvrtc.nvrtcDestroyProgram(program)
    return log, ptx.decode()


def _include_options() -> list[str]:
    """CUDA's own headers as pip installs them, for the kernels that ask for
    ``cooperative_groups.h`` and its like.
    """
    spec = importlib.util.find_spec("nvidia")
    roots = [Path(root) for root in (spec.submodule_search_locations or ())] if spec else []
    return [f"-I{folder}" for root in roots for folder in sorted(root.glob("*/include"))]
