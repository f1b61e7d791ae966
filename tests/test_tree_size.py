"""No line is too long and no conditional expression nested, statements that the formatter leaves
alone stay few, and walks lead along files that exist.

That no files import each other in a circle is tested by ``test_imports``.
"""

from __future__ import annotations

import ast
import re

import pytest

from tests.tree_size import (
    PACKAGES,
    WIDTH,
    nested_conditionals,
    texts_of,
    token_count,
    unformatted_statements,
    walks,
)

MOST_UNFORMATTED = 20
"""Tables of data whose columns are aligned."""

_ELSE = re.compile(r"\belse\b(?!\s*:)")  # of a conditional expression


def test_only_few_statements_are_kept_from_the_formatter():
    texts = (text for folder in (*PACKAGES, "tests") for text in texts_of(folder))
    assert sum(map(unformatted_statements, texts)) <= MOST_UNFORMATTED


@pytest.mark.parametrize("folder", [*PACKAGES, "tests"])
def test_no_line_is_longer_than_the_width(folder):
    lines = (line for text in texts_of(folder) for line in text.splitlines())
    assert not any(len(line) > WIDTH for line in lines), "grep -nE '^.{101,}' names them"


@pytest.mark.parametrize("folder", PACKAGES)
def test_no_conditional_expression_is_inside_another(folder):
    several = (text for text in texts_of(folder) if len(_ELSE.findall(text)) > 1)
    assert not any(nested_conditionals(ast.parse(text)) for text in several)


def test_nested_conditionals_are_counted_once_each_and_not_across_a_scope_of_their_own():
    assert nested_conditionals(ast.parse("x = a if b else c if d else e if f else g")) == 2
    assert nested_conditionals(ast.parse("x = f(a if b else c) if d else e")) == 1
    assert nested_conditionals(ast.parse("x = [a if b else c for a in d] if e else f")) == 0
    assert nested_conditionals(ast.parse("x = (a if b else c) + (d if e else f)")) == 0


def test_tokens_count_code_and_neither_comments_nor_line_breaks():
    dense = "x = f(a, b)\n"
    airy = "# why\nx = f(\n    a,\n    b\n)\n"
    assert token_count(dense) == token_count(airy) == 8
    assert token_count('"""A module."""\n') == 1


def test_a_comment_that_stops_the_formatter_is_counted_and_a_text_about_it_is_not():
    assert unformatted_statements("x = [1]  # fmt: skip\n") == 1
    assert unformatted_statements('x = "fmt: skip"\n') == 0


def test_walks_name_files_that_exist_once_each():
    for name, files in walks().items():
        missing = [str(file) for file in files if not file.is_file()]
        assert not missing, f"{name}: {missing}"
        assert len(set(files)) == len(files), name
