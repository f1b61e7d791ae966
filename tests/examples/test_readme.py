"""The lines of Python in README.md run as they stand, on a smaller graph."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from solvers import generate
from solvers.graphs.writers import write_dimacs

README = Path(__file__).parents[2] / "README.md"


def test_the_lines_in_the_readme_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (block,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)
    write_dimacs(generate("road", vertices=500), tmp_path / "roads.gr.gz")
    monkeypatch.chdir(tmp_path)

    exec(compile(block.replace("100000", "500"), "README.md", "exec"), {})

    assert re.fullmatch(r"\d+ \[1, .*, 500\] True [\d.]+\n", capsys.readouterr().out)
