"""Source text of a kernel for both compilers, and argument checks shared by both launchers."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from solvers.errors import ParameterError
from solvers.graphs.weights import WeightType

PORTABLE = Path(__file__).with_name("portable.h")
_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"[^\n]*$', re.MULTILINE)


def distance_defines(kind: WeightType) -> dict[str, int | str]:
    """The macros that define ``dist_t`` and ``DIST_INF`` of a kernel for weight type ``kind``.

    >>> from solvers.graphs.weights import INT32
    >>> distance_defines(INT32)
    {'DIST_INT32': 1, 'DIST_INF': 1073741823}
    """
    infinity = "INFINITY" if math.isinf(kind.infinity) else int(kind.infinity)
    return {kind.define: 1, "DIST_INF": infinity}


def kernel_text(path: Path) -> str:
    """``portable.h`` followed by the kernel file with its includes expanded.

    The result is one text, so that the compilers need no include path. ``#line`` directives keep file names and line
    numbers in compiler logs correct.
    """
    return f'#line 1 "{PORTABLE.name}"\n{PORTABLE.read_text(encoding="utf-8")}\n{_numbered(path)}'


def _numbered(path: Path) -> str:
    """The text of ``path`` with a ``#line`` directive; each ``#include "..."`` is replaced by that file's text."""
    text = path.read_text(encoding="utf-8")

    def insert(match: re.Match[str]) -> str:
        header = path.with_name(match.group(1))
        resume = text.count("\n", 0, match.end()) + 2
        return f'{_numbered(header)}\n#line {resume} "{path.name}"'

    return f'#line 1 "{path.name}"\n' + _INCLUDE.sub(insert, text)


def check_block(kernel: str, device: str, grid: Sequence[int], block: Sequence[int], most: int) -> None:
    """Check a launch's grid and block against the device's limit.

    Raises
    ------
    ValueError
        If grid and block differ in their number of dimensions, or have more than three.
    ParameterError
        If a block has more than ``most`` threads, or none.
    """
    if len(grid) != len(block) or not 1 <= len(grid) <= 3:
        raise ValueError(
            f"kernel {kernel}: grid {tuple(grid)} and block {tuple(block)} must both have 1 to 3 dimensions"
        )
    threads = math.prod(block)
    if not 1 <= threads <= most:
        raise ParameterError(kernel, "block", threads, f"{device} runs this kernel with 1 to {most} threads a block")


def check_same_size(target: Any, origin: Any) -> None:
    """Check that source and target of a copy have the same dtype and size.

    Raises
    ------
    TypeError
        If the dtypes differ.
    ValueError
        If the sizes differ.
    """
    if target.dtype != origin.dtype:
        raise TypeError(f"cannot copy {origin.dtype} into a buffer of {target.dtype}")
    if target.nbytes != origin.nbytes:
        raise ValueError(f"cannot copy shape {tuple(origin.shape)} into a buffer of shape {tuple(target.shape)}")


def check_prefix_copy(origin: Any, target: NDArray[Any]) -> None:
    """Check that ``target`` can receive the first elements of the buffer ``origin``.

    Raises
    ------
    TypeError
        If the dtypes differ.
    ValueError
        If ``target`` is not contiguous, or larger than the buffer.
    """
    if target.dtype != origin.dtype:
        raise TypeError(f"cannot copy {origin.dtype} into an array of {target.dtype}")
    if not target.flags.c_contiguous or target.nbytes > origin.nbytes:
        raise ValueError(f"cannot fill an array of shape {target.shape} from a buffer of shape {tuple(origin.shape)}")
