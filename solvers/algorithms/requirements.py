"""What programs of one's own may require of a problem. `Variant.solve` has checked all that
a variant declares.
"""

from __future__ import annotations

from solvers.core.requirements import (
    require_nonnegative,
    require_vertices,
    required_device,
    required_end_points,
    required_source,
)

__all__ = [
    "require_nonnegative",
    "require_vertices",
    "required_device",
    "required_end_points",
    "required_source",
]
