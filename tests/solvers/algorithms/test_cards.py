"""Every variant is described: in the catalogue, and at the head of its file or kernel
in four parts.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import solvers
from solvers.core.variant import Variant, all_variants
from solvers.features.experiments.spec import Experiment
from solvers.features.experiments.spec_file import shipped

PARTS = ("Idea", "Why it is correct", "Parameters", "Source")
# Thousands apart by anything but a thin space, ranges with a hyphen, and a hyphen for a minus sign.
ODD_NUMBER = re.compile(r"\d[, \u00a0\u2009]\d{3}\b|\d\s?-\s?\d|(?<!\w)-\d|\d{5,}")
ROOT = Path(solvers.__file__).parent.parent
# A figure with a unit of time, a rate or a chip's name is a measurement, which belongs
# to tests/benchmarks.
MEASURED = re.compile(r"\d\s?(?:ns|µs|us|ms|s|%|GB|times faster)\b|\bH[12]00\b")


def module_file(entry: Variant) -> Path:
    return ROOT.joinpath(*entry.module.split(".")).with_suffix(".py")


def head_of(entry: Variant) -> str:
    """The first comment of the kernel, or the docstring of the module."""
    if not entry.kernel:
        return ast.get_docstring(ast.parse(module_file(entry).read_text(encoding="utf-8"))) or ""
    text = module_file(entry).with_name(entry.kernel).read_text(encoding="utf-8")
    assert text.startswith("/* "), "the head stands first"
    comment = text[3 : text.index("*/")]
    return "\n".join(line.removeprefix(" *").removeprefix(" ") for line in comment.splitlines())


@pytest.fixture(params=all_variants(), ids=lambda entry: entry.id)
def entry(request: pytest.FixtureRequest) -> Variant:
    assert isinstance(request.param, Variant)
    return request.param


def test_the_card_is_written(entry: Variant) -> None:
    """Plain text for people: no markup, whole sentences, and a title that is not the id."""
    assert entry.idea.endswith(".")
    assert len(entry.idea) > 60
    assert entry.watch.endswith(".")
    assert entry.cost
    assert not set("*`_{}") & set((entry.idea + entry.watch).replace("A*", ""))


def test_numbers_are_written_by_one_rule(entry: Variant) -> None:
    texts = (entry.title, entry.idea, entry.watch, entry.cost, entry.caveat)
    places = (citation.place for citation in entry.papers)
    for text in (*texts, *places, *(parameter.meaning for parameter in entry.parameters)):
        assert not ODD_NUMBER.search(text), text


@pytest.mark.parametrize("experiment", shipped(), ids=lambda experiment: experiment.id)
def test_numbers_of_experiments_are_written_by_the_same_rule(experiment: Experiment) -> None:
    claims = (claim.text for claim in experiment.claims)
    for text in (
        experiment.title,
        experiment.question,
        experiment.method,
        experiment.citation,
        *claims,
    ):
        assert not ODD_NUMBER.search(text), text


def test_the_head_has_its_four_parts(entry: Variant) -> None:
    assert not MEASURED.search(head_of(entry))
    summary, *rest = head_of(entry).split("\n\n", 1)
    assert summary
    assert not summary.startswith(PARTS)
    lines = rest[0].splitlines()
    titles = [line for line in lines if line and not line.startswith(" ")]
    assert titles == list(PARTS)
    starts = [lines.index(title) for title in PARTS] + [len(lines)]
    for title, begin, end in zip(PARTS, starts, starts[1:], strict=False):
        text = " ".join(line.strip() for line in lines[begin + 1 : end]).strip()
        assert text.endswith("."), f"{title}: {text}"
        assert title in ("Parameters", "Source") or len(text) > 60, title


def test_every_parameter_is_named(entry: Variant) -> None:
    if entry.module.rsplit(".", 1)[1] != entry.kernel.removesuffix(".cu") and entry.kernel:
        pytest.skip("shares the kernel of another variant, whose parameters the head names")
    head = head_of(entry)
    part = head[head.index("\nParameters\n") : head.index("\nSource\n")]
    for parameter in entry.parameters:
        assert f"`{parameter.name}`" in part


def test_a_module_beside_its_kernel_leads_to_it(entry: Variant) -> None:
    if entry.kernel:
        docstring = (
            ast.get_docstring(ast.parse(module_file(entry).read_text(encoding="utf-8"))) or ""
        )
        assert f"``{entry.kernel}``" in docstring
