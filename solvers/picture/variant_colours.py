"""One fixed colour per variant, the same in window, charts, experiments, reports and
pages; based on the Okabe-Ito palette. No Qt.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from zlib import crc32

import numpy as np

from solvers.core.variant import Algorithm, Variant, all_variants, registered
from solvers.picture.colours import as_seen, oklch, oklch_colours
from solvers.picture.palette import Colour
from solvers.system.array_types import Bools, Float64s

# Each algorithm has a range of hues around its Okabe-Ito colour, so that charts
# distinguish the families.
_HUES = {
    Algorithm.BELLMAN_FORD: (200.0, 280.0),
    Algorithm.DIJKSTRA: (10.0, 115.0),
    Algorithm.FLOYD_WARSHALL: (295.0, 355.0),
    Algorithm.MODERN: (130.0, 180.0),
}
_LIGHTNESS = tuple(np.linspace(0.31, 0.65, 12).tolist())  # on light; on dark all are raised
_RAISED = 0.23
_CHROMA = (0.20, 0.13, 0.06)
_PREFERRED = dict(zip(_CHROMA, (1.0, 0.85, 0.7), strict=True))  # vivid before pale
# Hues of those that are compared most often: one end of their family's each, and beside.
_OWN_HUES = {"sssp-near-far": 180.0, "sssp-delta-omp": 130.0, "sssp-pull-omp": 142.5}
_FOR_OWN = 12  # colours among which one of the user's own variants has one
_OTHER_FAMILY = 1.5  # how far apart the colour of another algorithm counts
_UNKNOWN = (oklch(0.52, 0.0, 0.0), oklch(0.75, 0.0, 0.0))  # variants of another version
_STEPS = 5  # of hue


class _VariantColours:
    """What colour each variant has, on light and on dark: of its algorithm's hues that
    which differs most from those given before, to all who see them and in both schemes.

    The user's own have by their ids one of those that differ most from all of the
    program's, so that they change no other, nor each other.
    """

    def __init__(self) -> None:
        shades = [
            (algorithm, lightness, chroma, hue)
            for algorithm, ends in _HUES.items()
            for chroma, lightness, hue in product(_CHROMA, _LIGHTNESS, np.linspace(*ends, _STEPS))
        ]
        light = oklch_colours([shade[1:] for shade in shades])
        dark = oklch_colours([(low + _RAISED, chroma, hue) for _, low, chroma, hue in shades])
        self._colours = list(zip(light, dark, strict=True))
        self._seen = np.concatenate((as_seen(light), as_seen(dark))).astype(np.float32)
        self._vivid = np.array([_PREFERRED[chroma] for _, _, chroma, _ in shades])
        self._hues = np.array([hue for *_, hue in shades])
        self._algorithms = np.array([list(_HUES).index(shade[0]) for shade in shades])
        self._apart = np.ones(len(shades))  # from the nearest of those given
        self._given: dict[str, tuple[str, str]] = {}
        ours = [entry for entry in all_variants() if not entry.is_own]
        order = list(dict.fromkeys(entry.algorithm for entry in ours))
        # sorted keeps the order of the others
        for entry in sorted(ours, key=lambda e: (order.index(e.algorithm), e.id not in _OWN_HUES)):
            self._give(entry)

    def of(self, variant_id: str) -> tuple[str, str]:
        if variant_id not in self._given:
            entry = registered(variant_id)
            if entry is None:
                return _UNKNOWN
            best = self._merits(entry).argsort()[-_FOR_OWN:]
            chosen = best[crc32(variant_id.encode()) % _FOR_OWN]
            self._given[variant_id] = self._colours[chosen]
        return self._given[variant_id]

    def _give(self, entry: Variant) -> None:
        chosen = int(self._merits(entry).argmax())
        step = self._seen - self._seen[:, chosen, None]
        apart = np.sqrt(np.einsum("sci,sci->sc", step, step).min(axis=0))
        far = np.where(self._of_family(entry), 1.0, _OTHER_FAMILY)
        self._apart = np.minimum(self._apart, far * apart)
        self._given[entry.id] = self._colours[chosen]

    def _merits(self, entry: Variant) -> Float64s:
        """How well each colour suits a variant, by what was given before."""
        hue = _OWN_HUES.get(entry.id)
        suits = self._of_family(entry) & ((hue is None) | (self._hues == hue))
        merits: Float64s = self._apart * self._vivid * suits
        return merits

    def _of_family(self, entry: Variant) -> Bools:
        found: Bools = self._algorithms == list(_HUES).index(entry.algorithm)
        return found


@cache
def _variant_colours() -> _VariantColours:
    return _VariantColours()


def variant_colours(variant_id: str) -> Colour:
    """The fixed colour of a variant; its hue identifies the algorithm."""
    return Colour(*_variant_colours().of(variant_id))


def variant_colour(variant_id: str, dark: bool) -> str:
    """The colour of a variant in one of the schemes."""
    return variant_colours(variant_id).on(dark)
