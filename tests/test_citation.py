"""CITATION.cff says what the package says."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from solvers.core.variant import all_variants
from solvers.version import __version__

ROOT = Path(__file__).resolve().parents[1]
CITATION = (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def field(name: str) -> str:
    (value,) = re.findall(rf"^{name}: (.*)$", CITATION, re.MULTILINE)
    return value


def test_version_and_licence_are_those_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert field("version") == __version__
    assert field("license") == project["license"]
    assert project["description"] in field("abstract")


def test_the_abstract_counts_no_more_variants_than_there_are() -> None:
    assert "more than fifty variants" in field("abstract")
    assert len(all_variants()) > 50
