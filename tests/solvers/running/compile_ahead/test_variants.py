"""The rehearsal of variants runs what it names; the sample that it parses is the one that the reader reads."""

from __future__ import annotations

import numpy as np
import pytest

import resources
from solvers.commands.demo import VARIANTS
from solvers.graphs.readers import read_graph
from solvers.running.compile_ahead import variants


@pytest.mark.parametrize("name", ["harbour.gr.gz", "textbook.gr"])
def test_the_sample_is_that_of_the_reader(name: str):
    parsed, read = variants.sample(name), read_graph(resources.FOLDER / "samples" / name).graph
    assert parsed.weights.dtype == read.weights.dtype
    for array in ("indptr", "indices", "weights", "ids"):
        np.testing.assert_array_equal(getattr(parsed, array), getattr(read, array))


def test_the_variants_of_the_first_start_come_first():
    assert set(variants.FIRST) == set(VARIANTS.split(","))


def test_each_variant_is_run_and_reported(monkeypatch: pytest.MonkeyPatch):
    stages = []
    monkeypatch.setattr(variants, "FIRST", ("dijkstra-heap",))
    variants.rehearse_first(None, lambda *stage: stages.append(stage))
    assert stages == [(0, 1, "Dijkstra heap")]
