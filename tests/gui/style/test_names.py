"""Names for narrow tables and charts."""

from __future__ import annotations

from gui.style.names import short_title
from solvers.core.variant import all_variants

_MOST_LETTERS = 26


def test_short_names_are_short_and_tell_variants_apart() -> None:
    """The hierarchy on the device had 42 letters, and was "Hierarc...btrees"."""
    names = [short_title(variant) for variant in all_variants()]
    assert max(map(len, names)) <= _MOST_LETTERS
    asked = [(short_title(variant), variant.answers) for variant in all_variants()]
    assert len(set(asked)) == len(asked)
    assert not any(name[:1].islower() for name in names)
