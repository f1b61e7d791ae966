"""The script of a page: its modules in order, and each number of the picture in one place."""

from __future__ import annotations

import re

import pytest

from solvers.features.page import script
from solvers.features.page.rules import page_rules, rules_script
from solvers.system.files import RESOURCES
from tests.tree_size import WIDTH

MODULES = sorted(script.PLAYER.glob("*.js"))
_NOT_CODE = re.compile(r"//[^\n]*|/\*.*?\*/|\"[^\"\n]*\"", re.DOTALL)
_NUMBER = re.compile(r"(?<![\w.#$])\d+(?:\.\d+)?(?:e\d+)?(?![\w.])")
COMMON = {*range(1, 10), 0.5, 0.8, 1.5, 12, 13, 14, 255, 256, 1000}
"""Numbers that stand for many things."""
OWN = {
    "charts.js": {0.45},
    "controls.js": {60},
    "decode.js": {128},
    "figure.js": {0.1},
    "matrix_picture.js": {24},  # bits
    "numbers.js": {60},
    "shaders.js": {0.001, 1.6},
}
"""Numbers of a module that are those of a rule by chance."""


def code_of(path):
    return _NOT_CODE.sub("", path.read_text(encoding="utf-8"))


def numbers_of(value):
    """All numbers of a rule."""
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, tuple | list):
        return {number for one in value for number in numbers_of(one)}
    return {value}


def test_the_script_has_each_module_once_after_those_that_it_imports():
    text = script.page_script()
    assert "import {" not in text
    assert "\nexport " not in text
    heads = [text.index(module.read_text("utf-8").splitlines()[0]) for module in MODULES]
    assert len(set(heads)) == len(MODULES)
    places = dict(zip((module.name for module in MODULES), heads, strict=True))
    for module in MODULES:
        imported = re.findall(r'from "\./(\w+\.js)"', module.read_text("utf-8"))
        before = [places[name] for name in imported if name != script.RULES]
        assert max(before, default=-1) < places[module.name], module.name


def test_names_at_the_top_of_modules_are_unique():
    names = re.findall(r"^(?:async )?(?:const|class|function) (\w+)", script.page_script(), re.M)
    assert sorted(names) == sorted(set(names))


def test_the_page_reads_every_rule_and_declares_none_itself():
    code = "\n".join(map(code_of, MODULES))
    for name in page_rules():
        assert len(re.findall(rf"\b{name}\b", code)) > 1, f"{name} is imported and used"
        assert not re.search(rf"const {name}\b", code)
    assert rules_script().count("export const ") == len(page_rules())


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.name)
def test_no_number_of_the_picture_is_typed_again(module):
    typed = {float(number) for number in _NUMBER.findall(code_of(module))}
    rules = {number for value in page_rules().values() for number in numbers_of(value)}
    assert typed & rules - COMMON == OWN.get(module.name, set())


def test_no_line_of_a_script_is_longer_than_the_width():
    scripts = (*script.PLAYER.glob("*.js"), *(RESOURCES.parent / "tests").rglob("*.mjs"))
    lines = (line for path in scripts for line in path.read_text("utf-8").splitlines())
    assert not [line for line in lines if len(line) > WIDTH]
