"""Third-party notices: ``python -m tests.notices`` writes the help page from the
metadata of the installed packages.

Rows of packages that are not installed, such as CuPy where there is no NVIDIA GPU, are
kept as they are. To write all rows anew, run it in an environment with all of `EXTRAS`.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass
from html import escape, unescape
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "resources" / "help" / "notices.html"
# the others are for developers
EXTRAS = ("cpu-opencl", "cuda12", "cuda13", "mpi", "mp4", "parquet", "frames", "cluster")

# What the metadata do not say, and a user should know.
REMARKS = {
    "imageio-ffmpeg": "contains an ffmpeg program, under the GPL",
    "pyside6-essentials": "used under the LGPL; "
    "installed as a package of its own, which can be exchanged",
}
# Homes of packages whose metadata name none: of the package that requires them.
HOMES = {"lazy-importer": "https://github.com/python/importlib_metadata"}
_LONGEST_NAME = 80  # of a licence; longer fields hold its whole text
_ROW = re.compile(
    r'<tr><td><a href="([^"]*)">(.*?)</a></td><td>(.*?)</td><td>(.*?)</td><td>(.*?)</td></tr>'
)
_HOME = re.compile(r"^(home ?page|source|repository|source code|documentation)$", re.IGNORECASE)


@dataclass(frozen=True)
class Notice:
    """A row of the page."""

    home: str  # address of the project
    name: str
    version: str
    licence: str
    needed_for: str  # "Tautpath", or the extras that bring it


def main() -> int:
    made = installed_notices()
    before = {canonicalize_name(row.name): row for row in notices_of(PAGE.read_text("utf-8"))}
    rows = {name: row for name, row in before.items() if not _is_installed(name)} | made
    missing = sorted(set(declared()) - rows.keys())
    PAGE.write_text(page(rows.values()), encoding="utf-8")
    sys.stdout.write(f"{len(made)} of {len(rows)} rows were written anew.\n")
    if missing:
        sys.stderr.write(f"Not installed, and not on the page before: {', '.join(missing)}.\n")
    return 1 if missing else 0


def _is_installed(name: str) -> bool:
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True


def requirements() -> dict[str, list[Requirement]]:
    """From "Tautpath" and each of `EXTRAS` to what pyproject.toml declares."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lists = {
        "Tautpath": project["dependencies"],
        **{extra: project["optional-dependencies"][extra] for extra in EXTRAS},
    }
    return {owner: [Requirement(line) for line in lines] for owner, lines in lists.items()}


def declared() -> list[str]:
    """Names of the packages that pyproject.toml declares."""
    return [
        canonicalize_name(requirement.name)
        for listed in requirements().values()
        for requirement in listed
    ]


def installed_notices() -> dict[str, Notice]:
    """From names to rows, of all installed packages that Tautpath or an extra needs,
    directly or not.
    """
    owners: dict[str, list[str]] = {}
    for owner, listed in requirements().items():
        for name in _needed(listed):
            owners.setdefault(name, []).append(owner)
    return {
        name: _notice(distribution(name), "Tautpath" if "Tautpath" in listed else ", ".join(listed))
        for name, listed in owners.items()
    }


def _needed(listed: Iterable[Requirement]) -> Iterator[str]:
    """Installed packages that the requirements lead to."""
    waiting = [(requirement, "") for requirement in listed]
    seen: set[str] = set()
    while waiting:
        requirement, extra = waiting.pop()
        name = canonicalize_name(requirement.name)
        if name in seen or (
            requirement.marker is not None and not requirement.marker.evaluate({"extra": extra})
        ):
            continue
        try:
            lines = distribution(name).requires or ()
        except PackageNotFoundError:
            continue
        seen.add(name)
        extras = requirement.extras or {""}
        waiting += [(Requirement(line), wanted) for line in lines for wanted in extras]
        yield name


def _notice(package: Distribution, needed_for: str) -> Notice:
    name = package.metadata["Name"]
    remark = REMARKS.get(canonicalize_name(name), "")
    licence = licence_of(package)
    whole = f"{licence}; {remark}" if remark else licence
    return Notice(
        home_of(package) or HOMES.get(canonicalize_name(name), ""),
        name,
        package.version,
        whole,
        needed_for,
    )


def licence_of(package: Distribution) -> str:
    """The licence as the package states it: expression, short field, or classifiers.

    Raises
    ------
    ValueError
        If it states none.
    """
    stated = _field(package, "License-Expression") or _field(package, "License")
    if stated and stated != "UNKNOWN" and len(stated) <= _LONGEST_NAME and "\n" not in stated:
        return " ".join(stated.split())
    classifiers = package.metadata.get_all("Classifier") or ()
    names = [line.rpartition(" :: ")[2] for line in classifiers if line.startswith("License :: ")]
    if not names:
        raise ValueError(
            f"{package.metadata['Name']} states no licence; look into its files, and add it to "
            "REMARKS"
        )
    return ", ".join(names)


def _field(package: Distribution, name: str) -> str:
    return next(iter(package.metadata.get_all(name) or ()), "")


def home_of(package: Distribution) -> str:
    """Address of the project's page: the home page, else the source or the documentation."""
    if given := _field(package, "Home-page"):
        return given
    named = dict(line.split(", ", 1) for line in package.metadata.get_all("Project-URL") or ())
    order = ("homepage", "home page", "source", "source code", "repository", "documentation")
    found = {label.lower(): address for label, address in named.items() if _HOME.match(label)}
    return next((found[label] for label in order if label in found), "")


def page(rows: Iterable[Notice]) -> str:
    """The help page."""
    body = "\n".join(_row(row) for row in sorted(rows, key=lambda row: row.name.lower()))
    return f"""<h1>Third-party software</h1>

<p>Tautpath's own program text is under the MIT licence. Its typeface is made from
<a href="https://rsms.me/inter/">Inter</a> 4.1 and
<a href="https://www.jetbrains.com/lp/mono/">JetBrains Mono</a> 2.242, both under the
SIL Open Font License 1.1, whose text is in <code>resources/fonts/OFL.txt</code>.</p>

<p>Tautpath needs the packages below, or can use them. They are installed beside it as their
authors publish them, and none of their files is part of Tautpath. The text of a package's
licence, and the notices of what it contains itself, are in its folder
<code>NAME-VERSION.dist-info</code>, as a rule in <code>licenses</code>. Versions are those that
Tautpath is tested with.</p>

<table cellpadding="3">
<tr><th align="left">Package</th><th align="left">Version</th>
 <th align="left">Licence, as the package states it</th><th align="left">Needed for</th></tr>
{body}
</table>
"""


def _row(row: Notice) -> str:
    home, name, version, licence, needed_for = map(escape, astuple(row))
    cells = (f'<a href="{home}">{name}</a>', version, licence, needed_for)
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def notices_of(html: str) -> list[Notice]:
    """The rows of a page."""
    return [Notice(*map(unescape, found)) for found in _ROW.findall(html)]


if __name__ == "__main__":
    sys.exit(main())
