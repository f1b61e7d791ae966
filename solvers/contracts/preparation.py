"""What a variant has prepared for a graph before it is asked to solve it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Preparation:
    """A variant's preparation that exists already.

    Attributes
    ----------
    words : str
        What exists, as a clause: "its partition was prepared earlier".
    with_graph : bool
        True if all of it is kept with the graph, so that the next solve begins at once; False if only the part of it
        that is kept on disk exists.
    """

    words: str
    with_graph: bool
