"""Whatever the bytes, what comes out is a graph or a FileFormatError. `make fuzz` runs the same target for longer."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.solvers.graphs.readers.fuzz_target import READERS, check, mutant_of, sources_of

QUICK = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("reader", READERS)
@given(dice=st.randoms(use_true_random=False))
@settings(QUICK, max_examples=60)
def test_mutated_files(reader: str, dice: random.Random, tmp_path: Path) -> None:
    check(reader, mutant_of(reader, dice), tmp_path)


@pytest.mark.parametrize("reader", READERS)
def test_every_part_of_a_file(reader: str, tmp_path: Path) -> None:
    content = sources_of(reader)[0]
    for length in range(len(content)):
        check(reader, content[:length], tmp_path)


@given(content=st.binary(max_size=200))
@settings(QUICK, max_examples=200)
def test_any_bytes(content: bytes, tmp_path: Path) -> None:
    check("edge-list", content, tmp_path)


@given(text=st.text(alphabet="0123456789 \n\r\tapcvsw.,-#e", max_size=200))
@settings(QUICK, max_examples=300)
def test_any_near_miss(text: str, tmp_path: Path) -> None:
    check("edge-list", text.encode(), tmp_path)


@given(text=st.text(alphabet="0123456789 \n\r\tpvc.,-#e", max_size=100))
@settings(QUICK, max_examples=200)
def test_any_coordinates(text: str, tmp_path: Path) -> None:
    check("coordinates", text.encode(), tmp_path)
