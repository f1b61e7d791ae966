"""What the cells of a notebook show, and how much the pages in them hold."""

from __future__ import annotations

import os
import sys
from collections.abc import Hashable

from solvers.errors import UnknownName

VARIABLE = "TAUTPATH_DISPLAYS"
"""What cells show if a notebook chooses nothing: one of `KINDS`."""

PAGES, PICTURES, TEXT = KINDS = ("pages", "pictures", "text")
MOST_HELD = 4_000_000  # characters of the pages in the cells of a notebook


class CellOutputs:
    """What cells show, and how much the pages in them hold.

    A cell that runs again replaces what it held; cells that were deleted count on.
    """

    def __init__(self) -> None:
        self.choose(os.environ.get(VARIABLE) or PAGES, MOST_HELD)
        self._held: dict[Hashable, tuple[int, int]] = {}  # execution and size, by cell

    def choose(self, kind: str, limit: int) -> None:
        """See `solvers.features.notebooks.show`."""
        if kind not in KINDS:
            raise UnknownName("display", kind, KINDS)
        self.kind, self.limit = kind, limit

    @property
    def room(self) -> int:
        """How many characters another page may have; without bound outside of notebooks."""
        found = _running_cell()
        if found is None:
            return sys.maxsize
        cell, execution = found
        others = (held for at, held in self._held.items() if at != cell or held[0] == execution)
        return max(0, self.limit - sum(size for _, size in others))

    def add(self, size: int) -> None:
        """Count a page that the running cell shows."""
        if (found := _running_cell()) is not None:
            cell, execution = found
            before = self._held.get(cell, (execution, 0))
            same = before[1] if before[0] == execution else 0
            self._held[cell] = execution, same + size


OUTPUTS = CellOutputs()
"""Of this process, which is a notebook's kernel."""


def _running_cell() -> tuple[Hashable, int] | None:
    """What names the cell of a notebook, and the number of its execution."""
    if "ipykernel" not in sys.modules:
        return None
    shell = sys.modules["IPython"].get_ipython()
    if shell is None:
        return None
    parent = shell.get_parent() if hasattr(shell, "get_parent") else {}
    execution = int(shell.execution_count)
    return parent.get("metadata", {}).get("cellId", execution), execution
