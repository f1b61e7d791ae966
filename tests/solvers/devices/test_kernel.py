"""Kernel sources: one text for both compilers, lines numbered as in the file, and the
log of a compiler that fails.
"""

from __future__ import annotations

import os
import tempfile
import threading
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from solvers.devices.device import Device, KernelSource
from solvers.devices.kernel import (
    ArgumentCheck,
    Programs,
    check_block,
    compile_ahead,
    declared_parameters,
    distance_defines,
    kernel_text,
)
from solvers.errors import KernelBuildError, ParameterError
from solvers.graphs.weights import FLOAT64, INT32, INT64
from solvers.system.machine import cores


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
    assert distance_defines(FLOAT64) == {"DIST_FLOAT64": 1, "DIST_INF": "INFINITY"}


def test_a_block_past_the_limit_or_of_other_dimensions_is_refused() -> None:
    with pytest.raises(ParameterError, match="1 to 1024 threads"):
        check_block("relax", "some GPU", (1, 1), (64, 32), 1024)
    with pytest.raises(ValueError, match="1 to 3 dimensions"):
        check_block("relax", "some GPU", (1, 1), (64,), 1024)


TEXT = """
KERNEL void relax(index_t m, CONST_IN(int) heads, CONST_IN(unsigned char) active /* a, comma */,
                  GLOBAL dist_t *distance, dist_t floor, GLOBAL const int *state,
                  struct box odd) { }
KERNEL void nothing() { }
KERNEL void conditional(int n,
#ifdef WEIGHTED
    GLOBAL int *weights
#endif
) { }
"""


class Buffer:
    def __init__(self, dtype: object) -> None:
        self.dtype = np.dtype(dtype)


def fitting(dtype: str = "int32") -> list[object]:
    scalar = np.dtype(dtype).type
    buffers = [Buffer("int32"), Buffer("uint8"), Buffer(dtype)]
    return [np.int64(3), *buffers, scalar(-5), Buffer("int32"), np.uint16(7)]


def check(dtype: str = "int32") -> ArgumentCheck:
    define = {"int32": "DIST_INT32", "float64": "DIST_FLOAT64"}[dtype]
    return ArgumentCheck("relax", declared_parameters(TEXT, {define: 1})["relax"], Buffer)


def test_types_and_pointers_are_read_from_the_text() -> None:
    entries = declared_parameters(TEXT, {"DIST_FLOAT64": 1})
    assert set(entries) == {"relax", "nothing"}, "what the preprocessor decides is not guessed at"
    assert entries["nothing"] == ()
    described = [(p.dtype, p.is_pointer) for p in entries["relax"]]
    assert described == [
        (np.int64, False),
        (np.int32, True),
        (np.uint8, True),
        (np.float64, True),
        (np.float64, False),
        (np.int32, True),
        (None, False),
    ]


@pytest.mark.parametrize("dtype", ["int32", "float64"])
def test_fitting_arguments_pass(dtype: str) -> None:
    check(dtype)(fitting(dtype))


@pytest.mark.parametrize(
    ("position", "wrong", "words"),
    [
        (0, 3.0, "argument 0 of kernel relax is a Python float"),
        (0, np.float64(3), "scalar of float64; it declares “index_t m”"),
        (6, 3, "argument 6 of kernel relax is a Python int"),
        (1, Buffer("int64"), "buffer of int64; it declares “CONST_IN.int. heads”"),
        (1, np.int32(3), "scalar of int32; it declares “CONST_IN.int. heads”"),
        (3, Buffer("float32"), "buffer of float32; it declares “GLOBAL dist_t .distance”"),
        (4, Buffer("int32"), "buffer of int32; it declares “dist_t floor”"),
        (1, np.zeros(3, np.int32), "is a Python ndarray"),
    ],
)
def test_a_mistake_names_kernel_position_and_declaration(
    position: int, wrong: object, words: str
) -> None:
    arguments = fitting()
    arguments[position] = wrong
    with pytest.raises(TypeError, match=words):
        check()(arguments)


@pytest.mark.parametrize("given", [3, np.int32(3), np.uint8(3)])
def test_integers_get_the_declared_type(given: object) -> None:
    checked, arguments = check(), fitting()
    for _ in range(2):  # the second time as it was kept
        arguments[0] = given
        passed = checked(arguments)
        assert (type(passed[0]), passed[0]) == (np.int64, 3)
        assert all(one is other for one, other in zip(passed[1:], arguments[1:], strict=True))


@pytest.mark.parametrize("given", [2**31, np.int64(2**31)])
def test_an_integer_that_does_not_fit_is_refused(given: object) -> None:
    checked, arguments = check(), fitting()
    arguments[4] = 3
    checked(arguments)
    arguments[4] = given
    with pytest.raises(OverflowError, match="out of bounds for int32"):
        checked(arguments)


def test_the_number_of_arguments_is_checked() -> None:
    with pytest.raises(TypeError, match="takes 7 arguments, 6 were given"):
        check()(fitting()[:-1])


BY_VALUE = """
typedef struct {
    dist_t delta; /* of a bucket */
    int count;
} Limits;
typedef struct { GLOBAL int *a; } WithPointer;
KERNEL void bounded(Limits limits, WithPointer other) { }
"""


@pytest.mark.parametrize(
    ("define", "offset", "size"), [("DIST_INT32", 4, 8), ("DIST_FLOAT64", 8, 16)]
)
def test_a_structure_is_laid_out_as_a_compiler_does(define: str, offset: int, size: int) -> None:
    limits, other = declared_parameters(BY_VALUE, {define: 1})["bounded"]
    assert (limits.dtype.fields["count"][1], limits.dtype.itemsize) == (offset, size)
    assert other.dtype is None, "a structure with pointers is not described"


def test_a_structure_with_another_field_is_refused() -> None:
    declared = declared_parameters(BY_VALUE, {"DIST_INT32": 1})["bounded"][:1]
    right = np.zeros((), [("delta", np.int32), ("count", np.int32)])
    ArgumentCheck("bounded", declared, Buffer)([right])
    for fields in (
        [("delta", np.int64), ("count", np.int32)],
        [("count", np.int32), ("delta", np.int32)],
    ):
        with pytest.raises(TypeError, match="it declares “Limits limits”"):
            ArgumentCheck("bounded", declared, Buffer)([np.zeros((), fields)])
    with pytest.raises(TypeError, match="is a Python ndarray"):
        ArgumentCheck("bounded", declared, Buffer)([np.zeros(2, right.dtype)])


def test_a_kernel_that_does_not_compile_leaves_no_file(device, tmp_path, monkeypatch):
    source = tmp_path / "broken.cu"
    source.write_text("KERNEL void broken(GLOBAL int *a) { this is no C; }\n")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    with pytest.raises(KernelBuildError, match=r"Kernel broken\.cu does not compile") as caught:
        device.compile(KernelSource(source))
    assert caught.value.log.strip()
    assert os.listdir(temporary) == []


def test_kernels_are_built_side_by_side_each_once(tmp_path: Path) -> None:
    names = [f"k{number}" for number in range(cores() + 1)]  # more than threads for short work
    for name in names:
        (tmp_path / f"{name}.cu").write_text(f"KERNEL void {name}(int n) {{}}\n")
    together, calls = threading.Barrier(len(names), timeout=60), list[str]()

    def build(text: str, source: KernelSource) -> str:
        calls.append(source.path.name)
        together.wait()  # which only all builds at a time pass
        return text

    class AnyDevice:
        compile = Programs(build).get

    sources = [KernelSource(tmp_path / f"{name}.cu") for name in names]
    compile_ahead(cast(Device, AnyDevice()), sources)
    assert AnyDevice.compile(sources[1]).endswith("KERNEL void k1(int n) {}\n")
    assert AnyDevice.compile(sources[0]) is AnyDevice.compile(sources[0])
    assert sorted(calls) == sorted(f"{name}.cu" for name in names)


def test_what_failed_ahead_fails_where_it_is_needed(device: Device, tmp_path: Path) -> None:
    (tmp_path / "broken.cu").write_text("KERNEL void f(int n) { undeclared(n); }\n")
    source = KernelSource.beside(str(tmp_path / "x"), "broken.cu", **distance_defines(INT32))
    compile_ahead(device, [source])
    with pytest.raises(KernelBuildError, match=r"broken\.cu"):
        device.compile(source)
