"""What a variant has prepared for a graph before it is asked to solve it, and how long the rest would take."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Preparation:
    """State of a variant's preparation.

    Attributes
    ----------
    words : str
        What exists, as a clause: "its partition was prepared earlier"; "" if nothing does.
    left_s : float
        Seconds that the rest is estimated to take on this machine; 0 if all is kept with the graph, so that the next
        solve begins at once.
    """

    words: str
    left_s: float = 0.0

    @property
    def is_complete(self) -> bool:
        return self.left_s == 0
