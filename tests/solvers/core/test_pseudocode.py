"""The pseudo-code of every variant: it is there, and its lines do the steps that a play-back is told in."""

from __future__ import annotations

from itertools import pairwise

import pytest

from solvers.core.pseudocode import Step
from solvers.core.variant import Algorithm, Variant, WorkMapping, all_variants

TOLD = [v for v in all_variants() if v.mapping is not WorkMapping.CHOSEN_LATER]


@pytest.mark.parametrize("entry", TOLD, ids=lambda v: v.id)
def test_every_variant_has_pseudo_code_for_every_step(entry: Variant) -> None:
    assert entry.pseudocode is not None
    lines = entry.pseudocode.lines
    for step in (Step.START, Step.SELECT, Step.SCAN, Step.TEST, Step.IMPROVE, Step.END):
        line = entry.pseudocode.line_of(step)
        assert line is not None, step
        assert lines[line].step is step
    assert all(line.text and line.text == line.text.strip() for line in lines)
    assert all(after.depth <= before.depth + 1 for before, after in pairwise(lines))


def test_variants_that_choose_another_have_none() -> None:
    assert {v.pseudocode for v in all_variants() if v not in TOLD} == {None}


@pytest.mark.parametrize("entry", TOLD, ids=lambda v: v.id)
def test_only_what_takes_negative_weights_looks_for_a_negative_cycle(entry: Variant) -> None:
    assert entry.pseudocode is not None
    looks = entry.pseudocode.line_of(Step.NEGATIVE_CYCLE) is not None
    if entry.algorithm in (Algorithm.BELLMAN_FORD, Algorithm.FLOYD_WARSHALL):
        assert looks
