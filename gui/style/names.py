"""Short names of variants for narrow tables and charts."""

from __future__ import annotations

from solvers.core.variant import Algorithm, Variant

_INITIALS = {Algorithm.BELLMAN_FORD: "BF", Algorithm.DIJKSTRA: "Dij.", Algorithm.FLOYD_WARSHALL: "FW"}


def short_title(variant: Variant) -> str:
    """`Variant.full_title` with the algorithm's initials: "BF strided + flag"."""
    initials, title = _INITIALS.get(variant.algorithm), variant.short_title or variant.title
    return f"{title[:1].upper()}{title[1:]}" if initials is None else f"{initials} {title}"
