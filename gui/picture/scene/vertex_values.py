"""Values of vertices for colouring a picture: of a run, or of anything else that gives each vertex a number. No Qt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gui.picture.scene.activity import Legend


class Shading(Protocol):
    """What colours the vertices and their roads: an `Activity` or `VertexValues`."""

    @property
    def reveal(self) -> NDArray[np.int32]:
        """(n,) recorded iteration from which each vertex is coloured, or NEVER; empty if none is."""

    @property
    def shade(self) -> NDArray[np.uint8]:
        """(n,) index into the 256 colours of the legend's ramp."""

    @property
    def legend(self) -> Legend | None: ...


@dataclass(frozen=True, eq=False)
class VertexValues:
    """Shades that do not depend on a run. Compared by identity, so keep one value as long as it is shown.

    Attributes
    ----------
    shade : (n,) uint8
    reveal : (n,) int32
        0 for a vertex with a value, `activity.NEVER` for one without.
    legend : Legend
    words_of : callable(int) or None
        A vertex's value in words, for its card.
    """

    shade: NDArray[np.uint8]
    reveal: NDArray[np.int32]
    legend: Legend
    words_of: Callable[[int], str] | None = None
