"""What is declared is imported, third parties are listed, what is cited is right; the
audit says what it found.
"""

from __future__ import annotations

import ast
import json
import re
import runpy
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

from solvers.core.variant import all_variants
from solvers.version import __version__
from tests.audit import main, verdict
from tests.lowest import lowest
from tests.notices import PAGE, ROOT, declared, installed_notices, notices_of, page

PACKAGES = ("solvers", "gui")
OURS = {*PACKAGES, "resources", "main"}
IMPORT_NAMES = {
    "pyside6-essentials": {"PySide6", "shiboken6"},
    "pillow": {"PIL"},
    "cupy-cuda12x": {"cupy", "cupyx"},
    "nvidia-ml-py": {"pynvml"},
}


def modules_of(requirements: Iterable[str]) -> dict[str, set[str]]:
    """What each requirement is imported as, by its name in lower case."""
    names = [re.match(r"[\w.-]+", requirement)[0].lower() for requirement in requirements]
    return {name: IMPORT_NAMES.get(name, {name.replace("-", "_")}) for name in names}


def imports(file: Path) -> Iterator[str]:
    """Top-level names of the modules that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module.partition(".")[0]


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RUN_TIME = modules_of(PROJECT["dependencies"])
EXTRAS = modules_of(
    line
    for name, extra in PROJECT["optional-dependencies"].items()
    if name != "test"
    for line in extra
)


@pytest.fixture(scope="module")
def imported() -> dict[str, Path]:
    """A file that imports each top-level name."""
    files = [file for package in PACKAGES for file in (ROOT / package).rglob("*.py")]
    return {name: file for file in files for name in imports(file)}


def test_every_dependency_is_imported(imported: dict[str, Path]) -> None:
    unused = {name for name, modules in RUN_TIME.items() if not modules & imported.keys()}
    assert not unused


def test_every_import_is_declared(imported: dict[str, Path]) -> None:
    known = OURS | sys.stdlib_module_names | set().union(*RUN_TIME.values(), *EXTRAS.values())
    undeclared = {
        name: str(file.relative_to(ROOT)) for name, file in imported.items() if name not in known
    }
    assert not undeclared


ROWS = {canonicalize_name(row.name): row for row in notices_of(PAGE.read_text("utf-8"))}
LINES = {
    canonicalize_name(lines.partition("==")[0]): lines
    for lines in re.findall(
        r"^\w.*\n(?:[ ].*\n)*", (ROOT / "constraints.txt").read_text("utf-8"), re.MULTILINE
    )
}
PINNED = {name: lines.partition("==")[2].split()[0] for name, lines in LINES.items()}


def test_every_declared_package_has_a_row() -> None:
    assert set(declared()) <= ROWS.keys(), (
        "run python -m tests.notices where all extras are installed"
    )


def test_every_row_is_of_the_pinned_version() -> None:
    assert {name: row.version for name, row in ROWS.items()} == {
        name: PINNED.get(name) for name in ROWS
    }


def test_rows_say_what_the_packages_state() -> None:
    stated = {canonicalize_name(notice.name): notice for notice in installed_notices().values()}
    pinned = {name: one for name, one in stated.items() if one.version == PINNED.get(name)}
    if not pinned:
        pytest.skip("other versions are installed than those that are pinned")

    assert {name: ROWS.get(name) for name in pinned} == pinned, "run python -m tests.notices"


def test_rows_state_a_licence_and_a_home() -> None:
    assert [
        row.name for row in ROWS.values() if not row.licence or not row.home.startswith("http")
    ] == []


def test_a_page_is_read_back_as_it_was_written() -> None:
    assert page(notices_of(page(ROWS.values()))) == PAGE.read_text("utf-8")


ROOT = Path(__file__).resolve().parents[1]
CITATION = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


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


# -- what `make audit` says
# --------------------------------------------------------------------------------------------


CLEAN = {"name": "numpy", "version": "2.4.0", "vulns": []}
ADVISED = {
    "name": "pillow",
    "version": "11.1",
    "vulns": [{"id": "PYSEC-2026-1", "fix_versions": ["11.2"]}],
}
UNKNOWN = {
    "name": "ours",
    "skip_reason": "Dependency not found on PyPI and could not be audited: ours (1.0)",
}


@pytest.mark.parametrize(
    ("packages", "status", "words"),
    [
        ([CLEAN], 0, "No advisory is known for any of the 1 package."),
        ([CLEAN, ADVISED], 1, "pillow 11.1: PYSEC-2026-1, fixed in 11.2"),
        ([CLEAN, UNKNOWN], 1, "Not found by the advisory service, and so not audited: ours."),
        (
            [UNKNOWN, UNKNOWN],
            2,
            "Nothing was audited, because the advisory service that is reached from here",
        ),
    ],
)
def test_a_package_that_could_not_be_looked_up_is_not_called_clean(packages, status, words):
    (line,), found = verdict(json.dumps({"dependencies": packages}), "")
    assert found == status
    assert line.startswith(words)


def test_a_service_that_cannot_be_reached_is_one_sentence():
    trace = (
        "Traceback (most recent call last):\n"
        "  File ...\n"
        "requests.exceptions.ConnectionError: no route to host\n"
    )
    (line,), status = verdict("", trace)
    assert status == 2
    assert line.endswith(
        "the advisory service cannot be reached: requests.exceptions.ConnectionError: no route "
        "to host"
    )


def test_the_program_is_asked_for_the_pinned_packages(capfd, tmp_path):
    program = tmp_path / "pip_audit.py"
    program.write_text(
        "import json, sys\n"
        "assert sys.argv[2].endswith('constraints.txt')\n"
        "print(json.dumps({'dependencies': [{'name': 'numpy', 'version': '2', 'vulns': []}]}))\n"
    )
    assert main([sys.executable, str(program)]) == 0
    assert capfd.readouterr().out == "No advisory is known for any of the 1 package.\n"


def test_the_lowest_versions_are_those_of_the_bounds() -> None:
    """Each dependency of the program has a bound, which `make test-lowest` installs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    needed = project["dependencies"]
    bounds = {line.partition("==")[0] for line in lowest(needed)}
    assert bounds >= {re.split(r"[\[<>=;!~ ]", line)[0] for line in needed if ">=" in line}
    metis = [line for line in lowest(needed) if line.startswith("pymetis")]
    assert all(tuple(map(int, re.findall(r"\d+", line)[:3])) >= (2025, 2, 1) for line in metis)
    (numba,) = [line for line in needed if re.match(r"numba\b", line)]
    assert "<" in numba, "its private parts are patched"
    assert lowest(["b[x]>=1.2,<3; python_version > '3'", "a>=2", "c"]) == [
        "a==2",
        "b==1.2; python_version > '3'",
    ]
    with pytest.raises(ValueError, match="one of the bounds is wrong"):
        lowest(["a>=1", "a>=2"])


def test_each_pin_has_the_hashes_of_its_files_and_no_host() -> None:
    assert [name for name, lines in LINES.items() if "--hash=sha256:" not in lines] == []
    assert not re.search(r"://|--(extra-)?index-url|--find-links", "".join(LINES.values()))


def test_a_package_is_installed_by_its_pin_and_hash_alone(tmp_path, monkeypatch) -> None:
    """pip is asked what to install, then given that with hashes, and the folder last."""
    installer = runpy.run_path(str(ROOT / ".ci" / "install.py"))
    calls = []

    def pip(*arguments: str) -> None:
        calls.append(arguments)
        if "--report" in arguments:
            found = [{"metadata": {"name": name}} for name in ("MSGSpec", "Not.Pinned")]
            Path(arguments[arguments.index("--report") + 1]).write_text(
                json.dumps({"install": found}), "utf-8"
            )
        elif "--require-hashes" in arguments:
            assert Path(arguments[-1]).read_text("utf-8") == LINES["msgspec"]

    monkeypatch.setitem(installer["main"].__globals__, "pip", pip)
    assert installer["main"](["mpi,parquet"]) == 0
    asked, hashed, unpinned, folder = calls
    assert {"mpi4py>=4.1", "pyarrow>=20", *PROJECT["dependencies"]} <= set(asked)
    assert "--no-deps" in hashed
    assert "--constraint" in unpinned
    assert folder == ("--no-deps", "--editable", str(ROOT))


def test_changelog_citation_and_notes_are_of_this_version() -> None:
    """CITATION is tested above. Before a release it is “unreleased”, then it has a date."""
    newest = re.search(r"^## (\S+), (unreleased|\d{4}-\d\d-\d\d)$", CHANGELOG, re.MULTILINE)
    assert newest, "the changelog's first heading names version and date"
    assert newest[1] == __version__
    released = re.findall(r"^date-released: (.*)$", CITATION, re.MULTILINE)
    assert released == ([] if newest[2] == "unreleased" else [newest[2]])
