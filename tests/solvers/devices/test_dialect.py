"""One text for both compilers: headers in place, lines still numbered as in the file, infinities from one place."""

from __future__ import annotations

from pathlib import Path

import pytest

from solvers.devices.dialect import check_block, distance_defines, kernel_text
from solvers.errors import ParameterError
from solvers.graphs.weights import FLOAT32, INT32, INT64


def test_the_header_stands_before_the_kernel(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text("KERNEL void f(int n) {}\n")
    text = kernel_text(tmp_path / "k.cu")
    assert text.startswith('#line 1 "portable.h"')
    assert text.endswith('#line 1 "k.cu"\nKERNEL void f(int n) {}\n')


def test_an_include_is_replaced_and_the_lines_after_it_keep_their_numbers(tmp_path: Path) -> None:
    (tmp_path / "h.h").write_text("DEVICE int one(void) { return 1; }")
    (tmp_path / "k.cu").write_text('// first\n#include "h.h"  // second\nthird\n')
    assert kernel_text(tmp_path / "k.cu").splitlines()[-6:] == [
        '#line 1 "k.cu"',
        "// first",
        '#line 1 "h.h"',
        "DEVICE int one(void) { return 1; }",
        '#line 3 "k.cu"',
        "third",
    ]


def test_system_includes_are_left_to_the_compiler(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text("#include <cooperative_groups.h>\n")
    assert kernel_text(tmp_path / "k.cu").endswith("#include <cooperative_groups.h>\n")


def test_infinities_are_those_of_the_weight_types() -> None:
    assert distance_defines(INT32) == {"DIST_INT32": 1, "DIST_INF": 2**30 - 1}
    assert distance_defines(INT64) == {"DIST_INT64": 1, "DIST_INF": 2**62 - 1}
    assert distance_defines(FLOAT32) == {"DIST_FLOAT32": 1, "DIST_INF": "INFINITY"}


def test_a_block_past_the_limit_is_named_with_the_limit() -> None:
    with pytest.raises(ParameterError, match="1 to 1024 threads"):
        check_block("relax", "some GPU", (1, 1), (64, 32), 1024)


def test_grid_and_block_must_agree_in_dimensions() -> None:
    with pytest.raises(ValueError, match="1 to 3 dimensions"):
        check_block("relax", "some GPU", (1, 1), (64,), 1024)
