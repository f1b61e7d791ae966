"""The script of a page: the modules of the folder ``player``, joined into one.

A page from disk cannot import modules, so that all of them stand in one function: each
once, after those that it imports, and without the words ``import`` and ``export``. Names
at the top of a module are therefore unique in all of them. The module ``rules.js`` is no
file: `solvers.features.page.rules` makes it.
"""

from __future__ import annotations

import re
from pathlib import Path

from solvers.features.page.rules import rules_script

PLAYER = Path(__file__).with_name("player")
RULES = "rules.js"
_FIRST = "main.js"
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./(\w+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


def page_script() -> str:
    """All modules that ``main.js`` needs, in a function of their own."""
    modules: dict[str, str] = {}
    _join(_FIRST, modules)
    return f'(() => {{\n"use strict";\n{"".join(modules.values())}\n}})();'


def _join(name: str, modules: dict[str, str]) -> None:
    """Add a module and, before it, all that it imports and that are missing."""
    text = rules_script() if name == RULES else (PLAYER / name).read_text(encoding="utf-8")
    for imported in _IMPORT.findall(text):
        if imported not in modules:
            _join(imported, modules)
    modules[name] = _EXPORT.sub("", _IMPORT.sub("", text))
