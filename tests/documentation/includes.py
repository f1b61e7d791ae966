"""What pages take from elsewhere by ``<!-- include: NAME -->`` or ``NAME / PART``, and
the examples on them.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass
from textwrap import dedent

from solvers import errors
from tests.documentation.catalogues import (
    backend_functions,
    command_reference,
    dataset_reference,
    experiment_reference,
    format_reference,
    generator_reference,
    menus,
)
from tests.documentation.gallery import gallery
from tests.documentation.markdown import EXAMPLES, PAGES, ROOT, fenced
from tests.documentation.road_tags import road_tag_reference

_INCLUDE = re.compile(r"^<!-- include: (.+?)(?: / (.+?))? -->$", re.MULTILINE)
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:|#)([^)\s#]+)(#[^)\s]*)?\)")

# Files of the repository that are pages of the site.
REPOSITORY_PAGES = {
    "ARCHITECTURE.md": "development/architecture.md",
    "CHANGELOG.md": "development/changelog.md",
    "CONTRIBUTING.md": "development/contributing.md",
    "tests/benchmarks/README.md": "development/benchmarks.md",
}


def expanded(markdown: str, page: str) -> str:
    """A written page with everything that it includes.

    Parameters
    ----------
    page : str
        Its path among the pages.

    Raises
    ------
    KeyError
        For an include that does not exist; names it.
    """

    def include(found: re.Match[str]) -> str:
        name, part = found[1], found[2]
        if name.endswith(".md"):
            return from_repository(name, page, part)
        return INCLUDES[name](part) if part else INCLUDES[name]("")

    return _INCLUDE.sub(include, markdown)


def repository_pages() -> dict[str, str]:
    """From paths to Markdown, the pages that are files of the repository."""
    return {page: from_repository(name, page) for name, page in REPOSITORY_PAGES.items()}


def from_repository(name: str, page: str, section: str | None = None) -> str:
    """A Markdown file of the repository, or a section of it without its heading.

    Links to files that are pages lead there. Of links to other files, which a reader of
    the site may not have, the words remain.
    """
    markdown = (ROOT / name).read_text("utf-8")
    if section is not None:
        found = re.search(
            rf"^## {re.escape(section)}\n(.*?)(?=^## |\Z)", markdown, re.DOTALL | re.MULTILINE
        )
        if found is None:
            raise KeyError(f"{name} has no section “{section}”")
        markdown = found[1].strip() + "\n"

    def link(found: re.Match[str]) -> str:
        file = posixpath.normpath(posixpath.join(posixpath.dirname(name), found[2]))
        target = REPOSITORY_PAGES.get(file) or REPOSITORY_PAGES.get(f"{file}/README.md")
        if target is None:
            return found[1]
        return f"[{found[1]}]({posixpath.relpath(target, posixpath.dirname(page))}{found[3] or ''})"

    return _LINK.sub(link, markdown)


def _example(name: str) -> str:
    return fenced((EXAMPLES / f"{name}.py").read_text("utf-8"), "python")


def _errors(_: str) -> str:
    """The tree in the docstring of `solvers.errors`, and a place for the docstring of
    each of its classes.
    """
    tree = (errors.__doc__ or "").partition("::\n\n")[2].partition("\n\n")[0]
    classes = [name for name, member in vars(errors).items() if isinstance(member, type)]
    own = [name for name in classes if getattr(errors, name).__module__ == errors.__name__]
    return fenced(dedent(tree)) + "".join(f"\n::: {errors.__name__}.{name}\n" for name in own)


INCLUDES: dict[str, Callable[[str], str]] = {
    "backend functions": lambda _: backend_functions(),
    "commands": lambda _: command_reference(),
    "datasets": lambda _: dataset_reference(),
    "errors": _errors,
    "example": _example,
    "experiments": lambda _: experiment_reference(),
    "gallery": lambda _: gallery(),
    "formats": lambda _: format_reference(),
    "generators": lambda _: generator_reference(),
    "menus": lambda _: menus(),
    "road tags": lambda _: road_tag_reference(),
}


def written_pages() -> dict[str, str]:
    """From paths to Markdown as written, before anything is included."""
    return {
        path.relative_to(PAGES).as_posix(): path.read_text("utf-8")
        for path in sorted(PAGES.rglob("*.md"))
    }


_BLOCK = re.compile(
    r"^```(python|sh)\n(.*?)^```\n(?:\s*^```text\n(.*?)^```$)?", re.DOTALL | re.MULTILINE
)


@dataclass(frozen=True)
class PageExample:
    """One block of a page.

    Attributes
    ----------
    language : str
        "python" or "sh".
    expected : str or None
        Text of the block after it, in which ``...`` stands for anything; None if the
        page shows no output.
    """

    language: str
    source: str
    expected: str | None


def examples_of(markdown: str) -> list[PageExample]:
    """The examples of a page, in order; they build on each other."""
    return [PageExample(found[1], found[2], found[3]) for found in _BLOCK.finditer(markdown)]
