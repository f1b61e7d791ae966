"""Programs and commands on the pages run one after another, and print what the page shows."""

from __future__ import annotations

import doctest
import shlex
from pathlib import Path

import pytest

import main
from tests.documentation.examples import PageExample, examples_of
from tests.documentation.includes import written_pages

PAGES = {path: examples_of(text) for path, text in written_pages().items() if examples_of(text)}


def run(example: PageExample, names: dict[str, object], page: str) -> None:
    if example.language == "python":
        exec(compile(example.source, page, "exec"), names)
        return
    for line in example.source.splitlines():
        program, *arguments = shlex.split(line)
        assert program == "tautline"
        assert main.main(arguments) == 0, line


def test_the_tutorial_has_examples_of_both_kinds() -> None:
    assert {"tutorial/command-line.md", "tutorial/networkx.md", "tutorial/python.md"} <= set(PAGES)
    assert {example.language for examples in PAGES.values() for example in examples} == {"python", "sh"}
    assert sum(example.expected is not None for examples in PAGES.values() for example in examples) >= 9


@pytest.mark.filterwarnings("ignore:Note. conversions to backend graphs")  # the page tells of this warning
@pytest.mark.parametrize("page", PAGES)
def test_the_examples_of_a_page(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TAUTLINE_DATA", str(tmp_path / "data"))
    names: dict[str, object] = {}
    for example in PAGES[page]:
        run(example, names, page)
        printed = capsys.readouterr().out
        if example.expected is not None:
            expected, shown = (" ".join(text.split()) for text in (example.expected, printed))  # thin spaces, too
            agrees = doctest.OutputChecker().check_output(expected, shown, doctest.ELLIPSIS)
            assert agrees, f"{example.source}\nprints\n{printed}\nand not\n{example.expected}"
