"""An observer for runs nested in a larger run: passes cancellation on, discards reports."""

from __future__ import annotations

from solvers.host.observer import Observer


class CancelOnly(Observer):
    """Checks ``outer`` for cancellation; progress and iterations are not forwarded."""

    def __init__(self, outer: Observer):
        super().__init__()
        self._outer = outer

    def checkpoint(self, done: float | None = None, total: float | None = None) -> None:
        """Raise `Cancelled` if the outer run was cancelled."""
        self._outer.checkpoint()
