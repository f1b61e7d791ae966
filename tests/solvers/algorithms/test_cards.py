"""What the catalogue says of every variant is written, and tells it from the others."""

from __future__ import annotations

import pytest

from solvers.core.variant import Variant, all_variants


@pytest.mark.parametrize("entry", all_variants(), ids=lambda entry: entry.id)
def test_the_card_is_written(entry: Variant) -> None:
    """Plain text for people: no markup, whole sentences, and a title that is not the id."""
    assert entry.idea.endswith(".")
    assert len(entry.idea) > 60
    assert entry.watch.endswith(".")
    assert entry.cost
    assert not set("*`_{}") & set((entry.idea + entry.watch).replace("A*", ""))
    if entry.kernel:
        assert entry.runs_on.needs_device
    for parameter in entry.parameters:
        assert parameter.meaning


def test_titles_are_unique_within_an_algorithm() -> None:
    names = [(entry.algorithm, entry.answers, entry.title) for entry in all_variants()]
    assert len(set(names)) == len(names)
