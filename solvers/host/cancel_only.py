"""For a run that is a small part of a larger one: it can be cancelled, but what it reports is not passed on."""

from __future__ import annotations

from solvers.host.observer import Observer


class CancelOnly(Observer):
    """Asks ``outer`` whether to stop, and tells it nothing."""

    def __init__(self, outer: Observer):
        super().__init__()
        self._outer = outer

    def checkpoint(self, done: float | None = None, total: float | None = None) -> None:
        """Raise `Cancelled` if the outer run was cancelled."""
        self._outer.checkpoint()
