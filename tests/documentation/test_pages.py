"""Generated pages hold what they are generated from, links lead somewhere, and the
examples on pages run.
"""

from __future__ import annotations

import doctest
import posixpath
import re
import shlex
import sys
from functools import cache
from pathlib import Path

import pytest

import main
import solvers
from gui.panels.variant_card import terms
from solvers import cli
from solvers.core.variant import all_variants
from solvers.features.datasets.catalogue import datasets
from solvers.features.experiments.spec_file import shipped
from solvers.features.networkx_backend.info import FUNCTIONS
from solvers.features.notebooks import outputs
from solvers.graphs.generators import generators
from tests.documentation.cards import LIST, card_pages, page_of
from tests.documentation.catalogues import (
    as_markdown,
    backend_functions,
    command_reference,
    dataset_reference,
    experiment_reference,
    generator_reference,
    help_of,
    help_pages,
    menus,
    module_of,
    title_of,
    window_actions,
)
from tests.documentation.gallery import EXHIBITS
from tests.documentation.includes import (
    PageExample,
    examples_of,
    expanded,
    from_repository,
    repository_pages,
    written_pages,
)
from tests.documentation.markdown import DOCS, HELP, PAGES, code, fenced
from tests.documentation.remote import loaded_by_page, remote_resources
from tests.documentation.tours import TOURS

TESTS = Path(__file__).resolve().parents[1]

cards = cache(card_pages)


@cache
def every_page() -> dict[str, str]:
    """From paths to texts; not when the module is imported, which every worker does."""
    return {
        **{path: expanded(text, path) for path, text in written_pages().items()},
        **cards(),
        **help_pages(),
        **repository_pages(),
    }


@pytest.mark.parametrize("variant", all_variants(), ids=lambda variant: variant.id)
def test_every_variant_has_a_page(variant) -> None:
    page = cards()[page_of(variant)]
    plain = re.sub(r"<a href[^>]*>|</a>", "", page)

    assert page.startswith("# ")
    assert variant.idea.split()[0] in plain
    assert variant.mapping.value.split(";")[0] in page.replace("\\", "")
    assert all(code(parameter.name) in page for parameter in variant.parameters)
    assert variant.pseudocode is None or variant.pseudocode.lines[-1].text in page
    assert (
        (variant.kernel in page)
        if variant.kernel
        else ".cu" not in page.partition("## Program text")[2][:200]
    )
    assert f"[{code(variant.id)}]({variant.id}.md)" in cards()[LIST]


def test_cards_lead_to_words_that_the_glossary_has() -> None:
    glossary = help_pages()["guide/glossary.md"]
    places = {
        place for page in cards().values() for place in re.findall(r"glossary\.html#([\w-]+)", page)
    }

    assert len(places) > 10
    assert places <= set(terms().values())
    assert all(f'id="{place}"' in glossary for place in places)


def test_links_between_pages_lead_to_pages() -> None:
    known = {*every_page(), *(path.relative_to(PAGES).as_posix() for path in PAGES.rglob("*"))}
    known |= {
        "pictures/window.png",
        "pictures/tautpath.svg",
        *(f"play/{tour.name}.html" for tour in TOURS),
        *(f"pictures/{exhibit.name}.png" for exhibit in EXHIBITS),
        *(f"notebooks/{exhibit.name}.ipynb" for exhibit in EXHIBITS),
    }  # by the hooks
    broken = []
    for path, text in every_page().items():
        prose = re.sub(r"^(`{3,}).*?^\1", "", text, flags=re.DOTALL | re.MULTILINE)
        for target in re.findall(r"\]\((?!https?:)([^)\s#]+)", prose):
            if posixpath.normpath(posixpath.join(posixpath.dirname(path), target)) not in known:
                broken.append((path, target))
    assert not broken


def test_the_navigation_names_pages_that_exist_and_all_that_are_written() -> None:
    navigation = (DOCS / "mkdocs.yml").read_text("utf-8").partition("\nnav:\n")[2]
    named = set(re.findall(r"[\w/-]+\.md", navigation))

    assert named <= set(every_page())
    assert set(written_pages()) <= named


def test_help_pages_keep_their_text_and_get_headings() -> None:
    assert {Path(path).stem for path in help_pages()} == {path.stem for path in HELP}
    for text in help_pages().values():
        assert title_of(text)
        assert "<h1>" not in text
        assert "<h2>" not in text
    assert (
        as_markdown('<h2>A &amp; B</h2>\n<p><a name="x" title="y"></a>C</p>')
        == '\n## A & B\n\n<p><a id="x"></a>C</p>'
    )


def test_references_name_everything() -> None:
    pages = "".join(page.read_text() for page in (PAGES / "reference").glob("*.md"))
    missing = [name for name, home in solvers._HOME.items() if f"::: {home}.{name}\n" not in pages]
    assert not missing
    reference = command_reference()
    assert all(f"## tautpath {name}\n" in reference for name in cli.COMMANDS)
    assert "--precision P" in help_of("solve")
    assert all(
        code(p.name) in generator_reference() for family in generators() for p in family.parameters
    )
    assert all(code(name) in backend_functions() for name in FUNCTIONS)
    assert all(code(one.id) in dataset_reference() for one in datasets())
    assert all(f"{{ #{one.id} }}" in experiment_reference() for one in shipped())
    assert module_of("dijkstra_path") == "networkx.algorithms.shortest_paths.weighted"
    assert all(spec.text.replace("*", "\\*") in menus() for spec in window_actions())


def test_an_include_that_does_not_exist_is_named() -> None:
    with pytest.raises(KeyError, match="nowhere"):
        expanded("<!-- include: nowhere -->", "index.md")
    with pytest.raises(KeyError, match="has no section “Nothing”"):
        from_repository("README.md", "index.md", "Nothing")


def test_a_fence_is_longer_than_those_within() -> None:
    assert fenced("a\n```\nb", "md") == "````md\na\n```\nb\n````\n"


def test_what_a_page_loads_from_elsewhere_is_found(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(
        '<link rel="canonical" href="https://a.example/"><link rel="stylesheet" '
        'href="//b.example/s.css">'
        '<script src="https://c.example/s.js"></script><script src="own.js"></script><a '
        'href="https://d.example">d</a>'
        "<style>p { background: url('https://e.example/p.png') }</style>",
        encoding="utf-8",
    )
    (tmp_path / "style.css").write_text(
        '@import "https://f.example/f.css"; a { b: url(own.png) }', encoding="utf-8"
    )

    assert remote_resources(tmp_path) == [
        "page.html loads //b.example/s.css",
        "page.html loads https://c.example/s.js",
        "page.html loads https://e.example/p.png",
        "style.css loads https://f.example/f.css",
    ]
    assert loaded_by_page('<img src="a.png">') == []


WITH_EXAMPLES = {
    path: examples
    for path, text in {
        **written_pages(),
        "README.md": from_repository("README.md", "README.md", "From Python"),
    }.items()
    if (examples := examples_of(text))
}
NEEDS = {"guide/ten-tasks.md": ("osmnx", "geopandas", "joblib", "distributed", "fastapi")}


_GROUPS = re.compile(r"(?<=\d) (?=\d{3}\b)")


def run(example: PageExample, names: dict[str, object], page: str) -> None:
    if example.language == "python":
        exec(compile(example.source, page, "exec"), names)
        return
    for line in example.source.splitlines():
        program, *arguments = shlex.split(line)
        assert program == "tautpath"
        assert main.main(arguments) == 0, line


def test_the_tutorial_has_examples_of_both_kinds() -> None:
    assert {"tutorial/command-line.md", "tutorial/networkx.md", "tutorial/python.md"} <= set(
        WITH_EXAMPLES
    )
    assert {example.language for examples in WITH_EXAMPLES.values() for example in examples} == {
        "python",
        "sh",
    }
    assert (
        sum(
            example.expected is not None
            for examples in WITH_EXAMPLES.values()
            for example in examples
        )
        >= 9
    )


# the page tells of this warning
@pytest.mark.filterwarnings("ignore:Note. conversions to backend graphs")
@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[pytest.mark.slow] * (page in NEEDS)) for page in WITH_EXAMPLES],
)
def test_the_examples_of_a_page(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for package in NEEDS.get(page, ()):
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TAUTPATH_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(sys, "path", [*sys.path])  # which Dask extends
    monkeypatch.setattr(outputs, "OUTPUTS", outputs.CellOutputs())  # `show` changes it
    names: dict[str, object] = {}
    for example in WITH_EXAMPLES[page]:
        run(example, names, page)
        printed = capsys.readouterr().out
        if example.expected is not None:
            # pages show numbers as a terminal does; here no spaces separate thousands
            expected, shown = (
                _GROUPS.sub("", " ".join(text.split())) for text in (example.expected, printed)
            )
            agrees = doctest.OutputChecker().check_output(expected, shown, doctest.ELLIPSIS)
            assert agrees, f"{example.source}\nprints\n{printed}\nand not\n{example.expected}"


def test_the_experiment_on_its_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAUTPATH_DATA", str(tmp_path / "data"))
    example = re.search(
        r"^```toml\n(.*?)^```$", written_pages()["guide/experiments.md"], re.DOTALL | re.MULTILINE
    )
    assert example
    file = tmp_path / "heaps.toml"
    file.write_text(example[1].replace("trials = 5", "trials = 1"), encoding="utf-8")
    assert main.main(["experiment", str(file), "--report", str(tmp_path / "out")]) == 0


def test_faults_are_held_by_tests_that_exist() -> None:
    """A reference without a file is of the file before it; files lie in the section's
    folder or below ``tests``.
    """
    missing, folder, file = [], TESTS, ""
    for line in (TESTS / "faults.md").read_text("utf-8").splitlines():
        if line.startswith("## "):
            folder = TESTS
        if section := re.match(r"In `([\w/]+)/`", line):
            folder = TESTS / section[1]
        for path, name in re.findall(r"`([\w/]*test_\w+\.py)?(?:::(test_\w+))?`", line):
            if path:
                file = next(
                    (
                        found.read_text("utf-8")
                        for found in (folder / path, TESTS / path)
                        if found.exists()
                    ),
                    "",
                )
            if (path and not file) or (name and f"def {name}(" not in file):
                missing.append(f"{path}::{name}")
    assert missing == []
