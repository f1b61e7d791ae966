"""The weight types that a run of the tests covers; named by an environment variable,
which worker processes inherit.
"""

from __future__ import annotations

import os
import zlib

import pytest

TYPES_VARIABLE = "TAUTLINE_TYPES"  # types separated by commas, or "all"; unset: all
# 0 to 2: the third of the variants tested in more types than int32; unset: all
THIRD_VARIABLE = "TAUTLINE_THIRD"
ALL = ("int32", "int64", "float32", "float64")


def chosen_types() -> tuple[str, ...]:
    """Names of the types to test, int32 first."""
    words = os.environ.get(TYPES_VARIABLE, "all")
    return ALL if words == "all" else tuple(name for name in ALL if name in words.split(","))


def types_of(variant_id: str) -> tuple[str, ...]:
    """Names of the types in which this run tests a variant, int32 first."""
    return tuple(name for name in chosen_types() if is_tested(variant_id, name))


def skip_where_not_tested(variant_id: str, dtype: str) -> None:
    """Skip the current test if this run does not test the variant in the weight type."""
    if dtype not in chosen_types() or not is_tested(variant_id, dtype):
        pytest.skip(f"this run does not test {variant_id} in {dtype}: TAUTLINE_TYPES=all does")


def is_tested(variant_id: str, dtype: str) -> bool:
    """Whether this run tests a variant in a weight type: int32 always, another only if
    the variant is in its third.
    """
    third = os.environ.get(THIRD_VARIABLE, "")
    return dtype == "int32" or not third or zlib.crc32(variant_id.encode()) % 3 == int(third)
