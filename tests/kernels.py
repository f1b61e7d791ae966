"""Compiling kernels for NVIDIA GPUs where there is none: NVRTC needs no driver."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from solvers.core.variant import all_variants
from solvers.devices.device import KernelSource, defines_of
from solvers.devices.kernel import distance_defines, kernel_text
from solvers.graphs.weights import WeightType
from solvers.system.files import write_text
from solvers.system.numba_private import SHARED_VARIABLE

ALGORITHMS = Path(__file__).resolve().parent.parent / "solvers" / "algorithms"
NVRTC_FOLDER = "nvrtc"  # of the folder of compiled functions
# of packages: exercises, whose kernels are wrong, are folders of files
KERNEL_FILES = tuple(
    path
    for folder in (ALGORITHMS, ALGORITHMS.with_name("features"))
    for path in sorted(folder.rglob("*.cu"))
    if (path.parent / "__init__.py").is_file()
)


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
    """(log, PTX); kept by text, options and compiler, as functions that tests compile are."""
    nvrtc = pytest.importorskip(
        "cuda.bindings.nvrtc", reason="cuda-bindings brings NVRTC to machines without a GPU"
    )
    source = KernelSource.beside(str(path), path.name, **distance_defines(kind), **defines)
    text = kernel_text(path)
    options = ["-std=c++17", f"-arch={architecture}", *defines_of(dict(source.defines))]
    kept = _kept(nvrtc, text, options)
    if kept is not None and kept.is_file():
        log, ptx = json.loads(kept.read_text(encoding="utf-8"))
        return log, ptx
    outcome, log, ptx = _compile(nvrtc, text, path.name, options)
    assert outcome == nvrtc.nvrtcResult.NVRTC_SUCCESS, (
        f"{kernel_id(path)}, {kind.name}, {architecture}:\n{log}"
    )
    if kept is not None:
        write_text(kept, json.dumps((log, ptx)))
    return log, ptx


def _kept(nvrtc: Any, text: str, options: list[str]) -> Path | None:
    """Where the outcome is kept; None where nothing is."""
    folder = os.environ.get(SHARED_VARIABLE)
    if not folder:
        return None
    key = hashlib.sha256(repr((text, options, _compiler(nvrtc))).encode()).hexdigest()
    return Path(folder) / NVRTC_FOLDER / f"{key}.json"


@cache
def _compiler(nvrtc: Any) -> tuple[object, ...]:
    """The version of NVRTC, and of the packages that bring it and CUDA's headers."""
    packages = sorted(
        (found.name, found.version)
        for found in metadata.distributions()
        if found.name.startswith(("nvidia-", "cuda-"))
    )
    return (*nvrtc.nvrtcVersion()[1:], *packages)


def _compile(nvrtc: Any, text: str, name: str, options: list[str]) -> tuple[Any, str, str]:
    """(NVRTC's result, log, PTX), the PTX "" where there is none."""
    status, program = nvrtc.nvrtcCreateProgram(text.encode(), name.encode(), 0, [], [])
    assert status == nvrtc.nvrtcResult.NVRTC_SUCCESS, status
    every = [option.encode() for option in (*options, *_include_options())]
    (outcome,) = nvrtc.nvrtcCompileProgram(program, len(every), every)
    _, size = nvrtc.nvrtcGetProgramLogSize(program)
    raw = _writable(size)
    nvrtc.nvrtcGetProgramLog(program, raw)
    log = raw.decode(errors="replace").strip("\0 \n")
    ptx = b""
    if outcome == nvrtc.nvrtcResult.NVRTC_SUCCESS:
        _, size = nvrtc.nvrtcGetPTXSize(program)
        ptx = _writable(size)
        nvrtc.nvrtcGetPTX(program, ptx)
    nvrtc.nvrtcDestroyProgram(program)
    return outcome, log, ptx.decode()


def _include_options() -> list[str]:
    """CUDA's own headers as pip installs them, for the kernels that ask for
    ``cooperative_groups.h`` and its like.
    """
    spec = importlib.util.find_spec("nvidia")
    roots = [Path(root) for root in (spec.submodule_search_locations or ())] if spec else []
    return [f"-I{folder}" for root in roots for folder in sorted(root.glob("*/include"))]
