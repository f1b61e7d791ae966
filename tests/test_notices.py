"""The page of third-party software lists what is declared, as the installed packages state it."""

from __future__ import annotations

from importlib.metadata import version

import pytest
from packaging.utils import canonicalize_name

from tests.notices import PAGE, ROOT, declared, installed_notices, notices_of, page

ROWS = {canonicalize_name(row.name): row for row in notices_of(PAGE.read_text("utf-8"))}
PINNED = dict(
    line.strip().split("==")
    for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    if "==" in line and not line.startswith("#")
)
PINNED = {canonicalize_name(name): number for name, number in PINNED.items()}


def test_every_declared_package_has_a_row() -> None:
    assert set(declared()) <= ROWS.keys(), "run python -m tests.notices where all extras are installed"


def test_every_row_is_of_the_pinned_version() -> None:
    assert {name: row.version for name, row in ROWS.items()} == {name: PINNED.get(name) for name in ROWS}


@pytest.mark.parametrize("notice", installed_notices().values(), ids=lambda notice: notice.name)
def test_a_row_says_what_the_package_states(notice) -> None:
    name = canonicalize_name(notice.name)
    if version(notice.name) != PINNED.get(name):
        pytest.skip(f"another version is installed than {PINNED.get(name)}, which is pinned")

    assert ROWS[name] == notice, "run python -m tests.notices"


def test_rows_state_a_licence_and_a_home() -> None:
    assert [row.name for row in ROWS.values() if not row.licence or not row.home.startswith("http")] == []


def test_a_page_is_read_back_as_it_was_written() -> None:
    assert page(notices_of(page(ROWS.values()))) == PAGE.read_text("utf-8")
