"""The weight types that a run of the tests covers; named by an environment variable, which worker processes inherit."""

from __future__ import annotations

import os

TYPES_VARIABLE = "TAUTLINE_TYPES"  # types separated by commas, or "all"; unset: all
ALL = ("int32", "int64", "float32", "float64")


def chosen_types() -> tuple[str, ...]:
    """Names of the types to test, int32 first."""
    words = os.environ.get(TYPES_VARIABLE, "all")
    return ALL if words == "all" else tuple(name for name in ALL if name in words.split(","))
