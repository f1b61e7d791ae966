"""The options of every command, as ``--help`` prints them."""

from __future__ import annotations

import io
import os
from contextlib import redirect_stdout
from unittest.mock import patch

from solvers import cli
from solvers.graphs.generators import generators
from tests.documentation.markdown import code, fenced, table, text

_COLUMNS = "100"


def command_reference() -> str:
    """A section of each command."""
    parts = []
    for name, purpose in cli.COMMANDS.items():
        parts += [f"## tautline {name}\n", f"{purpose}\n", fenced(help_of(name))]
    return "\n".join(parts)


def generator_reference() -> str:
    """A section of each family of generated graphs."""
    parts = []
    for family in generators():
        rows = [
            (code(p.name), text(p.meaning), text(p.describe_range()), code(str(p.default).lower()))
            for p in family.parameters
        ]
        parts += [f"## {family.title} {{ #{family.id} }}\n", f"Id {code(family.id)}. {text(family.idea)}\n"]
        parts += [table(("Parameter", "Meaning", "Values", "Default"), rows)]
    return "\n".join(parts)


def help_of(*command: str) -> str:
    """What ``tautline COMMAND --help`` prints, in lines of a fixed length."""
    out = io.StringIO()
    # argparse colours its help from Python 3.14 on, and takes the length of lines from the environment.
    with patch.dict(os.environ, {"COLUMNS": _COLUMNS, "NO_COLOR": "1"}), redirect_stdout(out):
        status = cli.main([*command, "--help"])
    assert status == 0, out.getvalue()
    return out.getvalue()
