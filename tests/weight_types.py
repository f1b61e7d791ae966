"""The weight types that a run of the tests covers; named by an environment variable,
which worker processes inherit.
"""

from __future__ import annotations

import os

import pytest

# Types separated by commas, or "all"; unset: int32 alone, as compiling every variant for
# every type takes longer than all other tests together.
TYPES_VARIABLE = "TAUTPATH_TYPES"
ALL = ("int32", "int64", "float32", "float64")


def chosen_types() -> tuple[str, ...]:
    """Names of the types to test, int32 first."""
    words = os.environ.get(TYPES_VARIABLE, "int32")
    return ALL if words == "all" else tuple(name for name in ALL if name in words.split(","))


def skip_where_not_tested(dtype: str) -> None:
    """Skip the current test if this run does not test the weight type."""
    if dtype not in chosen_types():
        pytest.skip(f"this run does not test {dtype}: TAUTPATH_TYPES=all does")
